package orchagent_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/intent"
	"xon/sai/vsai"
	"xon/schema/statedb"
)

// abortAt aborts at the n-th writing call.
func (r *rig) abortAt(n int) (hit *bool) {
	hit = new(bool)
	r.chip.AfterCall(func(c vsai.Call) {
		if !c.Op.Write() || c.Entry >= 0 {
			return
		}
		if n--; n == 0 {
			*hit = r.agent.Abort()
		}
	})
	return hit
}

func (r *rig) lastRecord() audit.Record {
	r.t.Helper()
	all := r.agent.Records()
	if len(all) == 0 {
		r.t.Fatal("no records")
	}
	return all[len(all)-1]
}

// TestAbortTransaction ends a transaction at one call after the other: it is undone
// exactly and its caller is told, until it is over before it can be ended.
func TestAbortTransaction(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	if r.agent.Abort() {
		t.Error("a plan was aborted that does not run")
	}
	before := r.actual().String()
	for n := 1; ; n++ {
		hit := r.abortAt(n)
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(big())})
		r.chip.AfterCall(nil)
		if err == nil {
			if n < 10 {
				t.Errorf("abort at call %d came too late", n)
			}
			break
		}
		if !*hit || !errors.Is(err, orchagent.ErrAborted) {
			t.Fatalf("abort at call %d: %v, %v", n, *hit, err)
		}
		if got := r.actual().String(); got != before {
			t.Fatalf("abort at call %d left\n%s\nwanted\n%s", n, got, before)
		}
		if rec := r.lastRecord(); rec.Outcome != audit.Aborted || rec.Writes == 0 {
			t.Fatalf("abort at call %d: record %+v", n, rec)
		}
	}
	if got := fateLines(r.agent.Fates()); got != fateLines(nil) {
		t.Errorf("fates:\n%s", got)
	}
}

// TestAbortLoad ends a load. It stays where it is, over any time and over news, its
// rows say so, and the next change goes on with it.
func TestAbortLoad(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"change", "transaction", "load", "confirm"} {
		synctest.Test(t, func(t *testing.T) { abortLoad(t, how) })
	}
}

func abortLoad(t *testing.T, how string) {
	r := newRig(t, 2)
	defer r.stop()
	hit := r.abortAt(12)
	r.load(small())
	r.chip.AfterCall(nil)
	if !*hit {
		t.Fatal("nothing ran that could be aborted")
	}
	rec, writes := r.lastRecord(), r.chip.Writes()
	if rec.Source != audit.Start || rec.Outcome != audit.Aborted || rec.Steps == 0 {
		t.Errorf("record %+v", rec)
	}
	waiting := 0
	for k, f := range r.agent.Fates() {
		if f.State == statedb.Waiting && strings.Contains(f.Reason, "aborted") && f.On != "the chip" {
			waiting++
		} else if f.State != statedb.Applied {
			t.Errorf("%s is %+v", k, f)
		}
	}
	if waiting < 5 {
		t.Errorf("%d rows wait", waiting)
	}
	for _, urgent := range []bool{true, false} {
		if err := r.agent.Inform(t.Context(), "storm", urgent, func(f *intent.Facts) { f.SetStorm("Ethernet0", 3, urgent) }); err != nil {
			t.Error(err)
		}
	}
	time.Sleep(time.Hour)
	if n := r.chip.Writes() - writes; n > 0 {
		t.Errorf("%d writes after the abort", n)
	}
	mtu := rows{"PORT|Ethernet0": with("PORT|Ethernet0", fields{"mtu": "1500"})}
	switch how {
	case "change":
		r.change(mtu)
	case "transaction":
		if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(mtu)}); err != nil {
			t.Fatal(err)
		}
	case "load":
		r.db.set("PORT|Ethernet0", mtu["PORT|Ethernet0"])
		r.load()
	case "confirm":
		if err := r.agent.Confirm(t.Context(), rec.ID+100, orchagent.Request{}); !errors.Is(err, orchagent.ErrNoPlan) {
			t.Errorf("confirm of a plan that is not there: %v", err)
		}
		if err := r.agent.Confirm(t.Context(), rec.ID, orchagent.Request{Who: "me"}); err != nil {
			t.Fatal(err)
		}
		if last := r.lastRecord(); last.Who != "me" || last.Source != audit.Confirm || last.Outcome != audit.Applied {
			t.Errorf("record %+v", last)
		}
		r.change(mtu)
	}
	fresh := newRig(t, 2)
	defer fresh.stop()
	fresh.load(small())
	fresh.change(mtu)
	if got, want := r.actual().String(), fresh.actual().String(); got != want {
		t.Errorf("%s ends at\n%s\nwant\n%s", how, got, want)
	}
	if got, want := states(r.agent.Fates()), states(fresh.agent.Fates()); got != want {
		t.Errorf("%s: fates\n%s\nwant\n%s", how, got, want)
	}
}
