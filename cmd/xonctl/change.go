package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

// changeOptions are the flags of all commands that change rows.
type changeOptions struct {
	dryRun, long bool
	client.SetOptions
	// without, if set, is the request without the rows that faults say hold bad values, and
	// how many rows it has then; nil if it would be refused all the same.
	without func(faults []client.Fault) (*gpb.SetRequest, int, error)
	file    *configdb.File    // that rows come from, if they do
	named   []configdb.RowKey // rows that the command names
}

// again asks for what a refused request may be without.
func (o *changeOptions) again(faults []client.Fault) (*gpb.SetRequest, int, error) {
	if o.without == nil || len(faults) == 0 {
		return nil, 0, nil
	}
	return o.without(faults)
}

func (o *changeOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "print what it would do to the chip, and change nothing: see xonctl plan")
	f.BoolVar(&o.Confirm, "confirm", false, "go on although it removes or resets a lot")
	f.BoolVar(&o.Disruptive, "disruptive", false, "take changed objects out of use first: needs no room for a moment, but traffic notices")
}

// change sends a request that concerns a number of rows and prints what became of
// it, or would.
func (a *app) change(c *cobra.Command, req *gpb.SetRequest, rows int, o *changeOptions) error {
	if o.dryRun {
		return a.plan(c, req, o)
	}
	return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
		out, err := cl.Set(ctx, req, o.SetOptions)
		for err != nil {
			less, n, failed := o.again(faultsOf(err))
			if failed != nil {
				return failed
			}
			if less == nil {
				return a.refused(c, unanswered(err), o.file)
			}
			req, rows = less, n
			out, err = cl.Set(ctx, req, o.SetOptions)
		}
		d := &done{req: req, rows: rows, file: o.file}
		if a.json {
			d.fates = fatesNamed(ctx, cl, o)
		}
		return a.changed(c, out, d)
	})
}

// faultsOf are those of a Set's error.
func faultsOf(err error) []client.Fault {
	var e *client.Error
	if errors.As(err, &e) {
		return e.Faults
	}
	return nil
}

// onlyDeletes reports whether a request does nothing but delete.
func onlyDeletes(req *gpb.SetRequest) bool {
	return len(req.GetReplace()) == 0 && len(req.GetUpdate()) == 0 && len(req.GetDelete()) > 0
}

// changed prints what came of a change. Of rows to delete only those count that were there.
func (a *app) changed(c *cobra.Command, out client.Outcome, d *done) error {
	absent := 0
	if onlyDeletes(d.req) && out.Counted {
		gone := out.Rows.Removed + out.Rows.Changed
		absent, d.rows = max(0, d.rows-gone-out.Rows.Kept), gone
	}
	if a.json {
		return indent(c.OutOrStdout(), d.json(out))
	}
	fmt.Fprint(c.OutOrStdout(), outcome(out, d.rows, absent))
	for _, w := range out.Warnings {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", w)
	}
	return nil
}

// outcome is what is said of a change that was carried out.
func outcome(out client.Outcome, rows, absent int) string {
	if absent > 0 && rows == 0 {
		return fmt.Sprintf("nothing was there to delete, revision %d\n", out.Revision)
	}
	done := "applied"
	if len(out.Warnings) > 0 { // of rows that have no effect yet, too
		done = "stored, and applied but for what the warnings say"
	}
	said := fmt.Sprintf("%s: %s, revision %d\n%s", done, count(rows, "row"), out.Revision, rowLine(out.Rows))
	if absent > 0 {
		said += fmt.Sprintf("not there to delete: %s\n", count(absent, "row"))
	}
	return said
}

// errUnanswered says what an error leaves open that ended the wait for an answer.
var errUnanswered = errors.New("the answer did not come, so the change may or may not be in force, or still come; xonctl history tells")

// unanswered marks the errors after which it is not known what became of a change.
func unanswered(err error) error {
	switch code := client.Code(err); {
	case code == codes.DeadlineExceeded, code == codes.Canceled, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("%w (%w)", errUnanswered, err)
	case code == codes.Unavailable:
		if strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "reset") { // the connection broke
			return fmt.Errorf("%w (%w)", errUnanswered, err)
		}
	}
	return err
}

// refused prints why a Set was refused, fault by fault if there are any.
func (a *app) refused(c *cobra.Command, err error, file *configdb.File) error {
	var e *client.Error
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		return err
	}
	if a.json {
		if err := indent(c.OutOrStdout(), map[string]any{"applied": false, "faults": append(leftOut(file), e.Faults...)}); err != nil {
			return err
		}
		return errSaid
	}
	fmt.Fprintf(c.ErrOrStderr(), "refused, nothing was changed: %s\n", count(len(e.Faults), "fault"))
	if err := faultTable(e.Faults).text(c.ErrOrStderr()); err != nil {
		return err
	}
	return errSaid
}

// faultTable lists faults, those that differ in their row alone on one line: one
// cause may have hundreds.
func faultTable(faults []client.Fault) *table {
	t := &table{columns: []string{"ROW", "FIELD", "ATTRIBUTE", "STATUS", "MESSAGE"}, optional: true}
	for len(faults) > 0 {
		f, same := faults[0], 1
		for same < len(faults) && sameFault(f, faults[same]) {
			same++
		}
		row := f.Row
		if same > 1 {
			row = fmt.Sprintf("%s and %d more", row, same-1)
		}
		t.add(row, f.Field, f.Attribute, f.Status, strings.ReplaceAll(f.Message, "\n", "; "))
		faults = faults[same:]
	}
	return t
}

// sameFault reports whether two faults say the same of two rows of one table.
func sameFault(a, b client.Fault) bool {
	same := configdb.RowKey(a.Row).Table() == configdb.RowKey(b.Row).Table()
	a.Row, b.Row = "", ""
	return same && a == b
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
