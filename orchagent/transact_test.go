package orchagent_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// failAt makes the n-th write to the chip fail, bulk calls by entry, and reports
// whether it came to that.
func failAt(chip *vsai.Chip, n int, st sai.Status) (hit *bool) {
	hit = new(bool)
	left := n
	chip.OnCall(func(c vsai.Call) sai.Status {
		if !c.Op.Write() || c.IsBulk() {
			return 0
		}
		if left--; left == 0 {
			*hit = true
			return st
		}
		return 0
	})
	return hit
}

// big touches every kind of object: some are made, changed, replaced, removed.
func big() rows {
	return rows{
		"BUFFER_POOL|egress":      with("BUFFER_POOL|egress", fields{"mode": "dynamic"}),
		"BUFFER_POOL|ingress":     with("BUFFER_POOL|ingress", fields{"size": "2097152"}),
		"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "38912", "dynamic_th": "", "static_th": "65536"}),
		"BUFFER_PG|Ethernet0|3":   nil,
		"BUFFER_PG|Ethernet0|4":   {"profile": "lossless"},
		"PORT_QOS_MAP|Ethernet0":  with("PORT_QOS_MAP|Ethernet0", fields{"pfc_enable": "4", "tc_to_dscp_map": ""}),
		"SCHEDULER|new":           {"type": "WRR", "weight": "3"},
		"QUEUE|Ethernet4|3":       {"scheduler": "new"},
		"WRED_PROFILE|ecn":        with("WRED_PROFILE|ecn", fields{"green_max_threshold": "300000", "green_min_threshold": "250000"}),
		"DSCP_TO_TC_MAP|AZURE":    with("DSCP_TO_TC_MAP|AZURE", fields{"1": "1"}),
		"PORT|Ethernet4":          with("PORT|Ethernet4", fields{"admin_status": "up", "mtu": "1500"}),
	}
}

// TestTransactionUndone has the chip refuse each write of a large transaction in
// turn: chip and database are as they were, and the answer names row, attribute
// and status.
func TestTransactionUndone(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		r := newRig(t, 2)
		r.load(small())
		before, census, db := r.actual().String(), r.chip.ObjectCounts(), r.db.snapshot()
		fates := states(r.agent.Fates())
		hit := failAt(r.chip, n, sai.StatusNotSupported)
		out, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(big())})
		r.chip.OnCall(nil)
		if !*hit {
			if err != nil {
				t.Fatal(err)
			}
			if out.Revision != 2 || len(out.Plan) == 0 {
				t.Errorf("outcome %+v", out)
			}
			t.Logf("%d writes", n-1)
			return
		}
		var faults configdb.Faults
		if err == nil { // the last removals may wait: nothing rests on them
			if got := r.actual().String(); !strings.Contains(got, "lossless~1") {
				t.Errorf("write %d failed, all is well, and the chip has\n%s", n, got)
			}
			r.stop()
			continue
		}
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("write %d failed, and the answer is %v", n, err)
		}
		for _, f := range faults {
			if f.Kind != configdb.Chip || f.Row == "" || f.Status != "SAI_STATUS_NOT_SUPPORTED" {
				t.Errorf("write %d: fault %+v", n, f)
			}
		}
		if diff := cmp.Diff(before, r.actual().String()); diff != "" {
			t.Fatalf("write %d: the chip differs (-before +after):\n%s", n, diff)
		}
		if got := r.chip.ObjectCounts(); got != census {
			t.Errorf("write %d: the chip has\n%s\nand had\n%s", n, got, census)
		}
		if diff := cmp.Diff(db, r.db.snapshot()); diff != "" {
			t.Errorf("write %d: the database differs:\n%s", n, diff)
		}
		if got := states(r.agent.Fates()); got != fates {
			t.Errorf("write %d: fates\n%s\nbefore\n%s", n, got, fates)
		}
		if err := r.agent.CheckResolution(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(big())}); err != nil {
			t.Errorf("write %d: once more: %v", n, err)
		}
		r.stop()
	}
}

// TestTransactionFaultNames shows one refusal in full.
func TestTransactionFaultNames(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		for _, a := range c.Attrs {
			if c.Op == vsai.OpSet && a.AttrMeta == sai.BufferProfileAttrXoffTH.AttrMeta {
				return sai.StatusInsufficientResources
			}
		}
		return 0
	})
	change := ops(rows{
		"SCHEDULER|dwrr":          with("SCHEDULER|dwrr", fields{"weight": "15"}),
		"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "65536"}),
	})
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: change})
	want := `BUFFER_PROFILE|lossless: field "xoff": SAI_BUFFER_PROFILE_ATTR_XOFF_TH: SAI_STATUS_INSUFFICIENT_RESOURCES: `
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestTransactionCommitFails takes the change back from the chip when the database
// does not take it.
func TestTransactionCommitFails(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection lost")
	tests := []struct {
		name string
		fail func(*rig)
		want func(error) bool
	}{
		{"conflict", func(r *rig) {
			r.db.set("SCHEDULER|dwrr", nil) // the agent has not heard of it yet
		}, func(err error) bool {
			var faults configdb.Faults
			return errors.As(err, &faults) && len(faults) == 1 && faults[0].Kind == configdb.Conflict && faults[0].Row == "SCHEDULER|dwrr"
		}},
		{"lost", func(r *rig) { r.db.fail = lost }, func(err error) bool { return errors.Is(err, lost) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small())
			before := r.actual().String()
			tt.fail(r)
			change := maps.Clone(big())
			change["SCHEDULER|dwrr"] = with("SCHEDULER|dwrr", fields{"weight": "15"})
			if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(change)}); !tt.want(err) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before, r.actual().String()); diff != "" {
				t.Errorf("the chip differs:\n%s", diff)
			}
			if err := r.agent.CheckResolution(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTransactionEcho: when the rows of a transaction come back from the feed, the
// chip is not even asked.
func TestTransactionEcho(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	mark := r.agent.Mark()
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(big())}); err != nil {
		t.Fatal(err)
	}
	r.chip.ResetCalls()
	reports := r.pub.reports
	r.change(big())
	if calls := r.chip.Calls(); len(calls) > 0 || r.pub.reports != reports {
		t.Errorf("the echo made %d calls and %d reports", len(calls), r.pub.reports-reports)
	}
	stale := configdb.Change{Row: "SCHEDULER|new", Fields: fields{"type": "STRICT"}}
	again, err := r.agent.ChangeAsOf(t.Context(), mark, []configdb.Change{stale})
	if err != nil || !slices.Equal(again, []configdb.RowKey{"SCHEDULER|new"}) {
		t.Errorf("a row that was read before the commit: again %v, %v", again, err)
	}
	if calls := r.chip.Calls(); len(calls) > 0 {
		t.Errorf("it made %d calls", len(calls))
	}
}

// TestTransactionUndoFails: a chip that refuses the undo too is read back, and what
// was before is reached all the same.
func TestTransactionUndoFails(t *testing.T) {
	t.Parallel()
	for n := 2; n < 40; n++ {
		r := newRig(t, 2)
		r.load(small())
		before := r.actual().String()
		left, failures := n, 2
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if !c.Op.Write() || c.IsBulk() {
				return 0
			}
			if left--; left <= 0 && failures > 0 {
				failures--
				return sai.StatusFailure
			}
			return 0
		})
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(big())})
		r.chip.OnCall(nil)
		if err == nil {
			r.stop()
			continue
		}
		if diff := cmp.Diff(before, r.actual().String()); diff != "" {
			t.Fatalf("write %d: the chip differs:\n%s", n, diff)
		}
		r.stop()
	}
}

// TestTransactionWaitsForModel stores rows that need the other buffer model.
func TestTransactionWaitsForModel(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	change := rows{
		"BUFFER_PROFILE|dyn":    {"pool": "ingress", "headroom_type": "dynamic", "dynamic_th": "0"},
		"BUFFER_PG|Ethernet0|5": {"profile": "dyn"},
		"BUFFER_PG|Ethernet0|6": {"profile": "NULL"},
	}
	out, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(change)})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Warnings) != len(change) || len(out.Plan) != 0 {
		t.Errorf("outcome %q, plan\n%s", out.Warnings, out.Plan)
	}
	for k := range change {
		if f := r.agent.Fates()[k]; f.State != statedb.Waiting {
			t.Errorf("%s: %+v", k, f)
		}
		if r.db.snapshot()[k] == nil {
			t.Errorf("%s is not stored", k)
		}
	}
}

// TestTransactionOrder: before the first Load nothing is done, an ended context
// stops a transaction before the chip is touched, and a stopped agent says so.
func TestTransactionOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	writes := r.chip.Writes()
	change := rows{"SCHEDULER|dwrr": {"type": "DWRR"}}
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(change)}); !errors.Is(err, orchagent.ErrNotLoaded) {
		t.Errorf("before load: %v", err)
	}
	if err := r.agent.Change(t.Context(), nil); !errors.Is(err, orchagent.ErrNotLoaded) {
		t.Errorf("before load: %v", err)
	}
	if r.chip.Writes() != writes {
		t.Error("the chip was written to before the first load") // I8
	}
	r.load()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.agent.Transact(ended, orchagent.Request{Ops: ops(change)}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	if len(r.actual()) > 4 { // the ports, with their speeds
		t.Errorf("chip has\n%s", r.actual())
	}
	r.stop()
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(change)}); !errors.Is(err, orchagent.ErrStopped) {
		t.Errorf("stopped: %v", err)
	}
}

// TestTransactionKeepsRest refuses one bad row with all that come along.
func TestTransactionKeepsRest(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	before := r.chip.Dump()
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{
		"SCHEDULER|dwrr":     with("SCHEDULER|dwrr", fields{"weight": "99"}),
		"QUEUE|Ethernet0|3":  {"scheduler": "nonesuch"},
		"BUFFER_POOL|egress": with("BUFFER_POOL|egress", fields{"colour": "red"}),
		"ACL_TABLE|a":        {"type": "L3"},
	})})
	want := strings.Join([]string{
		`BUFFER_POOL|egress: field "colour": table BUFFER_POOL has no such field`,
		`QUEUE|Ethernet0|3: field "scheduler": SCHEDULER|nonesuch does not exist`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if after := r.chip.Dump(); after != before {
		t.Error("the chip was touched")
	}
}

// TestTransactionRowOfThePast: what is wrong in rows that a request does not bring
// does not refuse it; bringing a row again that is not in force does.
func TestTransactionRowOfThePast(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	bad := configdb.RawRows{
		"QUEUE|Ethernet0|5":   {"scheduler": "nonesuch"},
		"SCHEDULER|odd":       {"type": "DWRR", "colour": "red"},
		"BUFFER_PG|Ethernet9": {"profile": "lossy"},
	}
	r.load(small(), bad)
	one := []configdb.Op{{Kind: configdb.Update, Table: "SCHEDULER", Key: "odd", Fields: fields{"weight": "7"}}}
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: one}); err != nil {
		t.Error(err)
	}
	again := []configdb.Op{{Kind: configdb.Update, Table: "QUEUE", Key: "Ethernet0|5", Fields: fields{"scheduler": "nonesuch"}}}
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: again}); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("the same row again: %v", err)
	}
	mend := ops(rows{"SCHEDULER|nonesuch": {"type": "STRICT"}})
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: mend}); err != nil {
		t.Error(err)
	}
	if f := r.agent.Fates()["QUEUE|Ethernet0|5"]; f.State != statedb.Applied {
		t.Errorf("the row that waited: %+v", f)
	}
}

// TestTransactionInUse refuses to remove what rows in force refer to.
func TestTransactionInUse(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	before := r.chip.Dump()
	for _, k := range []configdb.RowKey{
		"PORT|Ethernet0", "BUFFER_POOL|ingress", "BUFFER_PROFILE|lossy", "SCHEDULER|dwrr", "WRED_PROFILE|ecn", "DSCP_TO_TC_MAP|AZURE",
	} {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{k: nil})})
		var faults configdb.Faults
		if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Kind != configdb.InUse || faults[0].Row != k {
			t.Errorf("remove %s: %v", k, err)
		}
	}
	all := []configdb.Op{{Kind: configdb.Delete}}
	if r.chip.Dump() != before {
		t.Error("the chip was touched")
	}
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: all}); err != nil {
		t.Errorf("remove all: %v", err)
	}
	if n := len(r.agent.Fates()); n > 0 {
		t.Errorf("%d rows still have a fate", n)
	}
}
