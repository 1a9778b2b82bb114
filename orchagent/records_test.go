package orchagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/sai/vsai"
)

// TestRecordsOfRows: a change that the chip need not know of has its record, and one
// that is not in force says why.
func TestRecordsOfRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	described := ops(rows{"PORT|Ethernet4": with("PORT|Ethernet4", fields{"description": "to the spine"})})
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: described, Who: "me"}); err != nil {
		t.Fatal(err)
	}
	r.change(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "many"})})
	r.change(rows{"QUEUE|Ethernet0|3": {"scheduler": "none"}})
	var got []string
	for _, rec := range r.agent.Records()[1:] {
		got = append(got, strings.Join([]string{rec.Source, string(rec.Rows[0].Row), rec.Outcome, strings.Join(rec.Faults, "; ")}, " "))
	}
	want := []string{
		"gnmi PORT|Ethernet4 applied ",
		`redis SCHEDULER|dwrr partly SCHEDULER|dwrr: "many" is not a whole number (1 to 100)`,
		"redis QUEUE|Ethernet0|3 partly QUEUE|Ethernet0|3: SCHEDULER|none does not exist",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestProgress: while a plan runs one can see how far it is; when it was aborted, its
// number is told until it went on.
func TestProgress(t *testing.T) {
	t.Parallel()
	var paused []uint64
	r := newRigWith(t, 2, func(c *orchagent.Config) {
		c.Observe = func(s orchagent.Stats) { paused = append(paused, s.Paused) }
	})
	var seen []orchagent.Progress
	r.chip.AfterCall(func(c vsai.Call) {
		if p, running := r.agent.Progress(); running && c.Op.Write() && c.Entry < 0 {
			if seen = append(seen, p); len(seen) == 12 {
				r.agent.Abort()
			}
		}
	})
	r.load(small())
	r.chip.AfterCall(nil)
	if _, running := r.agent.Progress(); running {
		t.Error("a plan runs after the load")
	}
	id := r.lastRecord().ID
	if err := r.agent.Confirm(t.Context(), id, orchagent.Request{}); err != nil {
		t.Fatal(err)
	}
	r.stop()
	if len(seen) < 12 {
		t.Fatalf("%d calls were seen", len(seen))
	}
	for i, p := range seen {
		if p.Source != audit.Start || p.Steps < 30 || p.Done >= p.Steps || i > 0 && p.Done < seen[i-1].Done {
			t.Errorf("call %d: %+v", i, p)
		}
	}
	if seen[0].Done != 0 || seen[11].Done == 0 {
		t.Errorf("from %d to %d steps", seen[0].Done, seen[11].Done)
	}
	if d := cmp.Diff([]uint64{id, 0}, paused); d != "" {
		t.Errorf("paused (-want +got):\n%s", d)
	}
}
