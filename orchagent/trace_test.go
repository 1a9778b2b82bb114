package orchagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/statedb"
)

// TestRecords: who asked for what, by which plan, and how it ended.
func TestRecords(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	up := ops(rows{"PORT|Ethernet4": with("PORT|Ethernet4", fields{"mtu": "1500"})})
	for _, do := range []func() error{
		func() error {
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: up, Who: "me"})
			return err
		},
		func() error { _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: up}); return err }, // nothing to do
		func() error {
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"QUEUE|Ethernet0|3": {"scheduler": "none"}})})
			return err
		},
		func() error {
			failAt(r.chip, 1, sai.StatusNotSupported)
			defer r.chip.OnCall(nil)
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "9"})})})
			return err
		},
	} {
		_ = do() // the records tell
	}
	failAt(r.chip, 1, sai.StatusInvalidParameter)
	r.change(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "8"})})

	var got []string
	for _, rec := range r.agent.Records() {
		if rec.Took <= 0 || rec.Time.IsZero() {
			t.Errorf("record %d began %v and took %v", rec.ID, rec.Time, rec.Took)
		}
		if rec.Source == audit.Start {
			if rec.Outcome != audit.Applied || rec.Steps < 30 || rec.Writes < rec.Steps || len(rec.Rows) == 0 {
				t.Errorf("start: %+v", rec)
			}
			continue
		}
		got = append(got, strings.Join([]string{rec.Source, rec.Who, rec.Outcome, strings.Join(rec.Plan, "; "), strings.Join(rec.Faults, "; ")}, "|"))
	}
	want := []string{
		"gnmi|me|applied|build   0 set    PORT Ethernet4#link MTU=1522|",
		`gnmi||refused||QUEUE|Ethernet0|3: field "scheduler": SCHEDULER|none does not exist`,
		"gnmi||undone|build   0 set    SCHEDULER dwrr SCHEDULING_WEIGHT=9|SCHEDULER|dwrr: field \"weight\": SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT: SAI_STATUS_NOT_SUPPORTED: set SCHEDULER dwrr SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT: not supported",
		"redis||partly|build   0 set    SCHEDULER dwrr SCHEDULING_WEIGHT=8|set SCHEDULER dwrr SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT: invalid parameter",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	last := r.agent.Records()[len(r.agent.Records())-1]
	if diff := cmp.Diff([]audit.RowChange{{
		Row: "SCHEDULER|dwrr", Before: small()["SCHEDULER|dwrr"], After: with("SCHEDULER|dwrr", fields{"weight": "8"}),
	}}, last.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestStats: what a pass did is counted, and a pass that did nothing is told too.
func TestStats(t *testing.T) {
	t.Parallel()
	var all []orchagent.Stats
	r := newRigWith(t, 2, func(c *orchagent.Config) { c.Observe = func(s orchagent.Stats) { all = append(all, s) } })
	r.load(small())
	failAt(r.chip, 1, sai.StatusNotSupported)
	r.change(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "8"})})
	r.chip.OnCall(nil)
	r.change(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "8"})})
	r.stop()
	if len(all) != 3 {
		t.Fatalf("%d passes were told", len(all))
	}
	start, failed, echo := all[0], all[1], all[2]
	if start.Source != audit.Start || start.Outcome != audit.Applied || start.Writes == 0 || start.Bulk == 0 || start.Calls <= start.Bulk {
		t.Errorf("start %+v", start)
	}
	if start.Derive <= 0 || start.Diff <= 0 || start.Apply <= 0 || start.Took < start.Derive+start.Diff+start.Apply {
		t.Errorf("start took %v: %v, %v and %v", start.Took, start.Derive, start.Diff, start.Apply)
	}
	if n := start.Steps[orchagent.StepKind{Phase: reconcile.Build, Verb: reconcile.Create}]; n < 5 {
		t.Errorf("start made %d objects", n)
	}
	if start.Fates[statedb.Applied] != len(small()) {
		t.Errorf("fates %v", start.Fates)
	}
	if failed.Failures["SAI_STATUS_NOT_SUPPORTED"] != 1 || failed.Fates[statedb.Refused] != 1 || failed.RetryIn != 0 {
		t.Errorf("failed %+v", failed)
	}
	if echo.Outcome != "" || echo.Calls != 0 {
		t.Errorf("echo %+v", echo)
	}
}
