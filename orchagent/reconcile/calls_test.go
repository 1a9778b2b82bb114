package reconcile_test

import (
	"errors"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
)

// A port stays down when something of it failed in the very call before: what comes
// last is a batch of its own.
func TestPortStaysDownWithoutPFC(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	r.failSet(sai.PortAttrPriorityFlowControl.AttrMeta, always)
	res := r.apply(twoClass(r).graph(), reconcile.BestEffort, reconcile.Options{})
	for _, p := range r.dev.Ports {
		if f := res.Failed[p.Facet(graph.Admin)]; f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) {
			t.Errorf("%s: %+v", p.Name, f)
		}
	}
	r.believes("after the failure")
}

// A library without bulk calls is asked for nothing more after a failure either, when
// the rest is to be undone anyway.
func TestNoBulkStopsAtFailure(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	for _, name := range []string{"a", "b", "c"} {
		o.scheduler(name, 1)
	}
	asked := 0
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		switch {
		case c.IsBulk():
			return sai.StatusNotImplemented
		case c.Op == vsai.OpCreate:
			asked++
			return sai.StatusFailure
		}
		return 0
	})
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
	if !res.RolledBack || asked != 1 {
		t.Errorf("undone %v, %d creates", res.RolledBack, asked)
	}
}

// A replaced object that can't be removed keeps no other from being removed in the
// same transaction.
func TestLeftoverEndsNoCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	pool := o.pool("pool", sai.BufferPoolTypeIngress, 1024*kb, 0)
	p := r.dev.Ports[0]
	o.pg(p, 0, o.profile("a", pool, 0, 0, 0))
	o.pg(p, 1, o.profile("z", pool, 0, 0, 0))
	r.mustApply(o.graph())
	old := r.rec.Handles()[key(sai.ObjectTypeBufferProfile, "a")]
	a := o.static("a", pool, 0, 0, 64*kb) // is made anew
	o.pg(p, 0, a)
	o.pg(p, 1, a)
	delete(o, key(sai.ObjectTypeBufferProfile, "z"))
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpRemove && !c.IsBulk() && c.Key.OID == old {
			return sai.StatusObjectInUse
		}
		return 0
	})
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
	r.chip.OnCall(nil)
	if err := res.Err(); err != nil || len(res.Leftover) != 1 {
		t.Fatalf("leftover %v: %v", res.Leftover, err)
	}
	if _, there := r.rec.Handles()[key(sai.ObjectTypeBufferProfile, "z")]; there {
		t.Error("z is still there")
	}
	r.believes("after the transaction")
}
