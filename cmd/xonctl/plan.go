package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"xon/cmd/configfile"
	"xon/gnmi/admin"
	"xon/gnmi/client"
	"xon/schema/configdb"
)

func (a *app) planCommand() *cobra.Command {
	set, files, o := setOptions{}, configfile.Options{}, changeOptions{dryRun: true}
	cmd := &cobra.Command{
		Use:   "plan FILE | ROW field=value...",
		Short: "what a change would do to the chip, in which order; changes nothing",
		Long: `plan prints what xonctl apply FILE or xonctl set ROW would write to the chip, and why it
would be refused or held, if it would be. Neither chip nor database is touched. It ends
with 1 when the change would not come into force, so scripts can check one beforehand.

A plan has up to three phases: what is given up (release, dependents first), what is
taken (build, dependencies first), and what was left behind (cleanup). What the chip
itself refuses shows only when it is asked for real; then all is undone.`,
		Example: `  xonctl plan change.json
  xonctl plan --replace config_db.json                    the file as the whole configuration
  xonctl plan 'BUFFER_PROFILE|pg_lossless' xoff=65536
  xonctl plan 'BUFFER_PG|Ethernet0|3-4' --delete`,
		Args:              needs("a file or a row"),
		ValidArgsFunction: a.completePlan,
		RunE: func(c *cobra.Command, args []string) error {
			req, file, err := a.planRequest(c, &set, &files, &o, args)
			configfile.Print(c.ErrOrStderr(), file)
			if err != nil {
				return err
			}
			if err := a.plan(c, req, &o); err != nil {
				return err
			}
			return saidOf(file)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&set.replace, "replace", false, "of a file: as the whole configuration; of a row: without its other fields")
	f.BoolVar(&set.delete, "delete", false, "plan the removal of the row, or of the fields named")
	files.Flags(f)
	f.BoolVar(&o.long, "long", false, "one line for each object; else equal steps share one")
	f.BoolVar(&o.Confirm, "confirm", false, "do not mind that it removes or resets a lot")
	f.BoolVar(&o.Disruptive, "disruptive", false, "as for a change with --disruptive")
	return cmd
}

// completePlan completes files as the shell does, unless it looks like a row.
func (a *app) completePlan(c *cobra.Command, args []string, typed string) ([]string, directive) {
	if len(args) == 0 && (typed == "" || strings.ContainsAny(typed, "./")) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.completeRowAndFields(c, args, typed)
}

// planRequest is the request for a row, or for a file, which it returns then.
func (a *app) planRequest(c *cobra.Command, set *setOptions, files *configfile.Options, o *changeOptions, args []string) (*gpb.SetRequest, *configdb.File, error) {
	if strings.Contains(args[0], "|") {
		if set.delete && len(args) == 1 {
			table, key, err := parseRow(args[0])
			return &gpb.SetRequest{Delete: []*gpb.Path{client.Path(configDB, table, key)}}, nil, err
		}
		req, err := set.request(c.InOrStdin(), args)
		return req, nil, err
	}
	if set.delete {
		return nil, nil, usagef("--delete goes with a row, as in BUFFER_PG|Ethernet0|3 (in quotes, for the shell)")
	}
	if err := atMost(1)(c, args); err != nil {
		return nil, nil, err
	}
	return a.applyRequest(c, args[0], files, set.replace, o)
}

// plan prints what a request would do.
func (a *app) plan(c *cobra.Command, req *gpb.SetRequest, o *changeOptions) error {
	return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
		p, err := cl.Admin().Plan(ctx, &admin.PlanRequest{Set: req, Disruptive: o.Disruptive})
		for err == nil {
			less, _, failed := o.again(planFaults(p))
			if failed != nil {
				return failed
			}
			if less == nil {
				break
			}
			p, err = cl.Admin().Plan(ctx, &admin.PlanRequest{Set: less, Disruptive: o.Disruptive})
		}
		if err != nil {
			return a.refused(c, err, o.file)
		}
		if a.json {
			err = a.printMessage(c, p)
		} else {
			err = a.printPlan(c, p, o)
		}
		if err == nil && (len(p.GetFaults()) > 0 || p.GetGuard() != "" && !o.Confirm || p.GetBehind() != 0) {
			return errSaid
		}
		return err
	})
}

// printMessage prints an answer of the admin service as JSON.
func (a *app) printMessage(c *cobra.Command, m proto.Message) error {
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return err
	}
	return indent(c.OutOrStdout(), json.RawMessage(text))
}

func (a *app) printPlan(c *cobra.Command, p *admin.PlanResponse, o *changeOptions) error {
	out := &planPrinter{paint: painterOf(c.OutOrStdout()), long: o.long}
	out.steps(p.GetSteps())
	if _, err := fmt.Fprint(c.OutOrStdout(), out.b.String()+planSummary(p)+rowSummary(p)); err != nil {
		return err
	}
	errout := c.ErrOrStderr()
	for _, w := range p.GetWarnings() {
		fmt.Fprintln(errout, "warning:", w)
	}
	switch {
	case p.GetBehind() != 0:
		fmt.Fprintf(errout, "it would be refused: %s\nlet that plan go on first, with: xonctl confirm %d\n", p.GetGuard(), p.GetBehind())
	case p.GetGuard() != "" && !o.Confirm:
		fmt.Fprintf(errout, "it would be held: %s\nif that is meant, make the change with --confirm\n", p.GetGuard())
	}
	if len(p.GetFaults()) == 0 {
		return nil
	}
	faults := planFaults(p)
	fmt.Fprintf(errout, "it would be refused, and nothing changed: %s\n", count(len(faults), "fault"))
	return faultTable(faults).text(errout)
}

// planFaults are why a plan would be refused.
func planFaults(p *admin.PlanResponse) (faults []client.Fault) {
	for _, f := range p.GetFaults() {
		faults = append(faults, client.Fault{
			Reason: f.GetReason(), Row: f.GetRow(), Field: f.GetField(),
			Attribute: f.GetAttribute(), Status: f.GetStatus(), Message: f.GetMessage(),
		})
	}
	return faults
}

func rowSummary(p *admin.PlanResponse) string {
	return rowLine(configdb.RowCount{
		Added: int(p.GetRowsAdded()), Changed: int(p.GetRowsChanged()), Removed: int(p.GetRowsRemoved()), Kept: int(p.GetRowsKept()),
	})
}

// rowLine is the line "configuration: 2 rows added, 1 changed, 0 removed"; "" if no row is
// changed.
func rowLine(n configdb.RowCount) string {
	if n == (configdb.RowCount{}) {
		return ""
	}
	return "configuration: " + n.String() + "\n"
}

// planSummary is the line "plan: 3 objects created, 1 attribute set".
func planSummary(p *admin.PlanResponse) string {
	var parts []string
	for _, part := range []struct {
		n          uint32
		what, done string
	}{
		{p.GetCreates(), "object", "created"}, {p.GetRemoves(), "object", "removed"}, {p.GetSets(), "attribute", "set"},
	} {
		if part.n > 0 {
			parts = append(parts, count(int(part.n), part.what)+" "+part.done)
		}
	}
	switch {
	case len(parts) > 0:
		return "plan: " + strings.Join(parts, ", ") + "\n"
	case len(p.GetFaults()) > 0:
		return ""
	}
	return "plan: nothing to do for the chip\n"
}
