package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"xon/gnmi/admin"
	"xon/gnmi/client"
	"xon/schema/configdb"
)

func (a *app) historyCommand() *cobra.Command {
	req, plans, since := &admin.HistoryRequest{Limit: 20}, false, time.Duration(0)
	cmd := &cobra.Command{
		Use:   "history",
		Short: "the last changes: who, what, and how they ended",
		Long: `history shows the last changes, the newest last: who asked (or what caused it), which
rows changed, and the outcome. Refused ones are there too.

  applied   all of it is in force         partly    some rows are not
  refused   nothing was tried             undone    the chip refused, all was taken back
  conflict  somebody else was faster      held      waits for xonctl confirm ID
  aborted   ended by xonctl abort`,
		Example: `  xonctl history -n 20
  xonctl history --row 'BUFFER_PG|*' --plans
  xonctl history --since 1h --json`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			req.Brief = !plans && !a.json
			if since > 0 {
				req.Since = timestamppb.New(time.Now().Add(-since))
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				resp, err := cl.Admin().History(ctx, req)
				switch {
				case err != nil:
					return err
				case a.json:
					return a.printMessage(c, resp)
				case plans:
					return printRecords(c.OutOrStdout(), resp.GetRecords())
				}
				return historyTable(resp.GetRecords()).text(c.OutOrStdout())
			})
		},
	}
	f := cmd.Flags()
	f.VarP(&wholeNumber{hi: math.MaxUint32, set: into(&req.Limit), text: "20"}, "number", "n", "only the newest `N` changes")
	f.StringVar(&req.Row, "row", "", "only changes of this `row`; * stands for any text")
	_ = cmd.RegisterFlagCompletionFunc("row", a.completePattern)
	f.DurationVar(&since, "since", 0, "only changes since then, as in 90s or 24h")
	f.BoolVar(&plans, "plans", false, "show rows, plans and faults too")
	return cmd
}

func historyTable(records []*admin.Record) *table {
	t := &table{columns: []string{"ID", "TIME", "SOURCE", "WHO", "ROWS", "OUTCOME", "STEPS", "WRITES", "TOOK", "FAULT"}, optional: true}
	for _, r := range records {
		t.add(r.GetId(), moment(r.GetTime().AsTime()), r.GetSource(), r.GetWho(), rowNames(r), r.GetOutcome(),
			uint64(r.GetSteps()), uint64(r.GetWrites()), took(r.GetTook().AsDuration()), firstOf(r.GetFaults(), r.GetFaultsCut()))
	}
	return t
}

// rowNames is "PORT|Ethernet0 and 3 more".
func rowNames(r *admin.Record) string {
	var names []string
	for _, c := range r.GetRows() {
		names = append(names, c.GetRow())
	}
	return firstOf(names, r.GetRowsCut())
}

// firstOf is the first of a list of which some may have been cut.
func firstOf(list []string, cut uint32) string {
	if len(list) == 0 {
		return ""
	}
	if more := len(list) - 1 + int(cut); more > 0 {
		return fmt.Sprintf("%s and %d more", list[0], more)
	}
	return list[0]
}

// took is a duration with three digits.
func took(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// printRecords writes changes in full.
func printRecords(w io.Writer, records []*admin.Record) error {
	p := painterOf(w)
	var b strings.Builder
	for i, r := range records {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", p.paint(bold, fmt.Sprintf("#%d", r.GetId())), r.GetTime().AsTime().Format(time.RFC3339), p.paint(outcomeColour(r.GetOutcome()), r.GetOutcome()))
		by := r.GetSource()
		if r.GetWho() != "" {
			by += ", " + r.GetWho()
		}
		fmt.Fprintf(&b, "  by      %s\n  result  revision %d, %s, %s, took %s\n", by, r.GetRevision(),
			count(int(r.GetSteps()), "step"), count(int(r.GetWrites()), "write"), took(r.GetTook().AsDuration()))
		section(&b, "rows", rowLines(r.GetRows()), r.GetRowsCut())
		section(&b, "plan", r.GetPlan(), r.GetPlanCut())
		section(&b, "faults", r.GetFaults(), r.GetFaultsCut())
	}
	if len(records) == 0 {
		b.WriteString("no changes\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func outcomeColour(outcome string) string {
	switch outcome {
	case "applied":
		return green
	case "partly", "held":
		return yellow
	}
	return red
}

// sectionLines is how many lines of a section a person gets to read.
const sectionLines = 20

// section writes lines of which some may not have been kept.
func section(b *strings.Builder, title string, lines []string, cut uint32) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s\n", title)
	for _, l := range lines[:min(len(lines), sectionLines)] {
		fmt.Fprintf(b, "    %s\n", printable(l))
	}
	switch hidden := max(0, len(lines)-sectionLines); {
	case hidden > 0 && cut > 0:
		fmt.Fprintf(b, "    and %d more, of which --json lists %d\n", hidden+int(cut), hidden)
	case hidden > 0:
		fmt.Fprintf(b, "    and %d more; --json lists them\n", hidden)
	case cut > 0:
		fmt.Fprintf(b, "    and %d more, which were not kept\n", cut)
	}
}

// rowLines says of each row what changed: "PORT|Ethernet0: mtu 9100 -> 1500, -fec".
func rowLines(rows []*admin.RowChange) []string {
	var all []string
	for _, c := range rows {
		var parts []string
		switch {
		case c.GetAfter() == nil:
			parts = []string{"removed"}
		case c.GetBefore() == nil:
			parts = append([]string{"added"}, fieldChanges(nil, c.GetAfter().GetFields())...)
		default:
			parts = fieldChanges(c.GetBefore().GetFields(), c.GetAfter().GetFields())
		}
		all = append(all, c.GetRow()+": "+strings.Join(parts, ", "))
	}
	return all
}

func fieldChanges(before, after map[string]string) []string {
	names := map[string]bool{}
	for _, f := range []map[string]string{before, after} {
		for name := range f {
			names[name] = true
		}
	}
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(names), configdb.CompareNatural) {
		old, was := before[name]
		now, is := after[name]
		switch {
		case !was:
			parts = append(parts, name+"="+now)
		case !is:
			parts = append(parts, "-"+name)
		case old != now:
			parts = append(parts, name+" "+old+" -> "+now)
		}
	}
	return parts
}
