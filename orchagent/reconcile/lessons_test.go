package reconcile_test

import (
	"errors"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
)

// Each test here is about a mistake that a planner made once, in the smallest
// configuration that shows it. The random walks found them.

// failSet makes writes of one attribute fail, of the objects that match.
func (r *rig) failSet(a *sai.AttrMeta, match func(vsai.Call) bool) {
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && !c.IsBulk() && c.Attrs[0].AttrMeta == a && match(c) {
			return sai.StatusFailure
		}
		return 0
	})
}

func always(vsai.Call) bool { return true }

// A shared profile must keep its headroom until the paused priority that uses it
// has moved to another one: giving up waits for Cleanup if a user moves away.
func TestShrinkWaitsForUserToMove(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.watch()
	o := twoClass(r)
	r.mustApply(o.graph())
	ingress := key(sai.ObjectTypeBufferPool, "ingress")
	o.pg(r.dev.Ports[0], 3, o.profile("wide", ingress, 8*kb, 64*kb, -2))
	o.profile("lossless", ingress, 8*kb, 0, -3)
	plan := r.mustApply(o.graph()).Plan // the rig checks the headroom after every write
	if last := plan[len(plan)-1]; last.Phase != reconcile.Cleanup || last.Key.Name != "lossless" {
		t.Errorf("plan:\n%s", plan)
	}
}

// A pool must keep its size until a profile of it that is made anew has given back
// what the old one reserves: that goes in Cleanup, and so must the pool.
func TestShrinkWaitsForReplacedUser(t *testing.T) {
	t.Parallel()
	r := newRig(t, "th3", 1) // what profiles reserve lies in their pool
	o := objects{}
	a := o.pool("a", sai.BufferPoolTypeIngress, 1500*kb, 0)
	o.pg(r.dev.Ports[0], 0, o.profile("p", a, 800*kb, 0, 0))
	r.mustApply(o.graph())
	o.pool("a", sai.BufferPoolTypeIngress, 600*kb, 0)
	o.static("p", a, 500*kb, 0, 64*kb)
	r.mustApply(o.graph())
	r.believes("after the move")
}

// The same goes for a profile that is on its way out and waits for its user to move.
func TestShrinkWaitsForDoomedUser(t *testing.T) {
	t.Parallel()
	r := newRig(t, "th3", 1) // what profiles reserve lies in their pool
	o := objects{}
	a := o.pool("a", sai.BufferPoolTypeIngress, 1500*kb, 0)
	b := o.pool("b", sai.BufferPoolTypeIngress, 1500*kb, 0)
	o.pg(r.dev.Ports[0], 0, o.profile("p", a, 800*kb, 0, 0))
	r.mustApply(o.graph())
	o.pool("a", sai.BufferPoolTypeIngress, 600*kb, 0)
	o.pg(r.dev.Ports[0], 0, o.profile("q", b, 800*kb, 0, 0))
	delete(o, key(sai.ObjectTypeBufferProfile, "p"))
	r.mustApply(o.graph())
	r.believes("after the move")
}

// A profile may trim once nothing but queues uses it: that waits for a priority group
// that moves to another one, and for one that has none any more.
func TestTrimmingWaitsForUserToMove(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	in := o.pool("in", sai.BufferPoolTypeIngress, 1500*kb, 0)
	p := o.profile("p", in, 0, 0, 0)
	o.pg(r.dev.Ports[0], 0, p)
	o.pg(r.dev.Ports[0], 1, p)
	r.mustApply(o.graph())
	trim := graph.Attr{AttrMeta: sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta, Value: graph.Uint(uint64(sai.BufferProfilePacketAdmissionFailActionDropAndTrim))}
	q := o.profile("q", in, 0, 0, 0)
	o[p] = o[p].With(trim)
	o.pg(r.dev.Ports[0], 0, q)
	delete(o, r.dev.Ports[0].PGs[1])
	r.mustApply(o.graph())
	r.believes("after it trims")
	o[p] = o[p].With(graph.Attr{AttrMeta: trim.AttrMeta})
	o.pg(r.dev.Ports[0], 0, p)
	r.mustApply(o.graph())
	r.believes("after it does not")
}

// A map can go in the transition in which a port lets go of it and keeps another:
// what is given up of several references goes first.
func TestReferenceIsClearedBeforeItsTargetGoes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	maps := r.dev.Ports[0].Facet(graph.QoSMaps)
	dscp, dot1p := ref(sai.PortAttrQoSDSCPToTCMap, o.dscpMap("m", 3, 3)), ref(sai.PortAttrQoSDot1pToTCMap, o.dot1pMap("m", 3, 3))
	o.add(maps, dscp, dot1p)
	r.mustApply(o.graph())
	o.add(maps, dscp)
	delete(o, key(sai.ObjectTypeQoSMap, "DOT1P_TO_TC_MAP|m"))
	r.mustApply(o.graph())
	r.believes("after the map is gone")
}

// A profile that is on its way out and would be removed in Cleanup must let go of
// its pool before, if the pool has to be made anew.
func TestRebuildReachesThroughDoomedObjects(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.watch()
	o := objects{}
	a := o.pool("a", sai.BufferPoolTypeIngress, 1024*kb, 0)
	b := o.pool("b", sai.BufferPoolTypeIngress, 1024*kb, 0)
	o.pg(r.dev.Ports[0], 3, o.profile("doomed", a, 8*kb, 32*kb, 0))
	r.mustApply(o.graph())
	delete(o, key(sai.ObjectTypeBufferProfile, "doomed"))
	o.pg(r.dev.Ports[0], 3, o.profile("next", b, 8*kb, 32*kb, 0))
	o.pool("a", sai.BufferPoolTypeBoth, 1024*kb, 0)
	r.mustApply(o.graph())
	r.believes("after the rebuild")
}

// An undo must find the old object although a new one has its name.
func TestUndoFindsReplacedObject(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := twoClass(r)
	r.mustApply(o.graph())
	profile := key(sai.ObjectTypeBufferProfile, "queue")
	before, handle := r.actual(), r.rec.Handles()[profile]
	o.static("queue", key(sai.ObjectTypeBufferPool, "egress"), 4*kb, 0, 64*kb)
	o.pause(r.dev.Ports[0], 0)
	o.pauseApart(r.dev.Ports[0], 1<<3) // comes after the queue has moved
	r.failSet(sai.PortAttrPriorityFlowControlTx.AttrMeta, func(c vsai.Call) bool { return c.Attrs[0].Num != 0 })
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
	r.chip.OnCall(nil)
	if !res.RolledBack || res.Dirty {
		t.Fatalf("undone %v, dirty %v: %v", res.RolledBack, res.Dirty, res.Err())
	}
	if got := r.actual(); got != before {
		t.Errorf("undo left\n%s\nwanted\n%s", got, before)
	}
	if got := r.rec.Handles()[profile]; got != handle {
		t.Errorf("profile is %v, was %v", got, handle)
	}
	r.believes("after the undo")
}

// Plans are ordered by what the chip holds, not by hints that a restart forgets.
func TestOrderSurvivesReadback(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	r.mustApply(twoClass(r).graph())
	want := r.rec.Plan(r.whole(graph.Graph{}), reconcile.Options{}).String()
	r.watch()
	r.rec = r.readback()
	if got := r.rec.Plan(r.whole(graph.Graph{}), reconcile.Options{}).String(); got != want {
		t.Errorf("after a read-back:\n%s\nbefore:\n%s", got, want)
	}
	r.mustApply(graph.Graph{})
}

// PFC must not come on when what fails is two levels below it, and the port must
// not come up.
func TestBlockingIsTransitive(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.watch()
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpCreate && !c.IsBulk() && c.Object.Type == sai.ObjectTypeBufferPool && hasType(c, sai.BufferPoolTypeIngress) {
			return sai.StatusFailure
		}
		return 0
	})
	p := r.dev.Ports[0]
	res := r.apply(twoClass(r).graph(), reconcile.BestEffort, reconcile.Options{})
	for _, k := range []graph.Key{key(sai.ObjectTypeBufferProfile, "lossless"), p.PGs[3], p.Facet(graph.PFC), p.Facet(graph.Admin)} {
		f := res.Failed[k]
		if f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) || f.On == (graph.Key{}) {
			t.Errorf("%s: %+v", k, f)
		}
	}
	if f := res.Failed[key(sai.ObjectTypeBufferPool, "ingress")]; f == nil || !errors.Is(f.Err, sai.StatusFailure) {
		t.Errorf("pool: %+v", f)
	}
	if res.Failed[p.Queues[3].Buffer] != nil {
		t.Error("what does not need the pool was held back too")
	}
	r.believes("after the failure")
}

func hasType(c vsai.Call, typ sai.BufferPoolType) bool {
	for _, a := range c.Attrs {
		if a.AttrMeta == sai.BufferPoolAttrType.AttrMeta && a.Num == uint64(typ) {
			return true
		}
	}
	return false
}

// When a priority group can't move, the profile that it stays on must not lose its
// headroom in Cleanup.
func TestFailureHoldsWhatIsStillUsed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.watch()
	o := twoClass(r)
	r.mustApply(o.graph())
	ingress := key(sai.ObjectTypeBufferPool, "ingress")
	o.pg(r.dev.Ports[0], 3, o.profile("wide", ingress, 8*kb, 64*kb, -2))
	o.profile("lossless", ingress, 8*kb, 0, -3)
	r.failSet(sai.IngressPriorityGroupAttrBufferProfile.AttrMeta, always)
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	r.chip.OnCall(nil)
	f := res.Failed[key(sai.ObjectTypeBufferProfile, "lossless")]
	if f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) || !strings.Contains(f.Err.Error(), "still in use") {
		t.Errorf("lossless: %+v", f)
	}
	r.believes("after the failure")
	r.mustApply(o.graph())
}

// What fitted on the way must fit on the way back: an undo goes back entry by
// entry. Two priority groups exchange a large profile within one call; done in the
// same order, the way back would need the large one twice.
func TestUndoGoesBackEntryByEntry(t *testing.T) {
	t.Parallel()
	r := newRig(t, "th3", 1) // what profiles reserve lies in their pool
	o := objects{}
	a := o.pool("a", sai.BufferPoolTypeIngress, 1024*kb, 0)
	large := o.profile("large", a, 800*kb, 0, 0)
	small := o.profile("small", a, 100*kb, 0, 0)
	p := r.dev.Ports[0]
	o.pg(p, 0, large)
	o.pg(p, 1, small)
	r.mustApply(o.graph())
	before := r.actual()
	o.pg(p, 0, small)
	o.pg(p, 1, large)
	o.pause(p, 0)
	o.pauseApart(p, 1) // comes after
	r.failSet(sai.PortAttrPriorityFlowControlTx.AttrMeta, func(c vsai.Call) bool { return c.Attrs[0].Num != 0 })
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
	if !res.RolledBack || res.Dirty {
		t.Fatalf("undone %v, dirty %v: %v", res.RolledBack, res.Dirty, res.Err())
	}
	if got := r.actual(); got != before {
		t.Errorf("undo left\n%s\nwanted\n%s", got, before)
	}
}

// An undo goes back through an object's attributes in the opposite order: they limit
// each other. Thresholds are raised upper first and so have to be lowered lower first.
func TestUndoGoesBackAttributeByAttribute(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := twoClass(r)
	o.wred("ecn", 100*kb, 200*kb)
	r.mustApply(o.graph())
	before := r.actual()
	o.wred("ecn", 300*kb, 400*kb)
	o.pause(r.dev.Ports[0], 0)
	o.pauseApart(r.dev.Ports[0], 1<<3) // comes after
	r.failSet(sai.PortAttrPriorityFlowControlTx.AttrMeta, func(c vsai.Call) bool { return c.Attrs[0].Num != 0 })
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
	if !res.RolledBack || res.Dirty {
		t.Fatalf("undone %v, dirty %v: %v", res.RolledBack, res.Dirty, res.Err())
	}
	if got := r.actual(); got != before {
		t.Errorf("undo left\n%s\nwanted\n%s", got, before)
	}
}

// What needs a failed node by way of one that has nothing to do must wait as well.
func TestBlockingReachesThroughWhatIsUnchanged(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := twoClass(r)
	r.mustApply(o.graph())
	p := r.dev.Ports[0]
	o.pool("ingress", sai.BufferPoolTypeIngress, 8192*kb, 1024*kb)
	o.pg(p, 4, key(sai.ObjectTypeBufferProfile, "lossless"))
	r.failSet(sai.BufferPoolAttrSize.AttrMeta, always)
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	pool := key(sai.ObjectTypeBufferPool, "ingress")
	if f := res.Failed[p.PGs[4]]; f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) || f.On != pool {
		t.Errorf("priority group: %+v", f)
	}
	r.believes("after the failure")
}

// A priority that can't be unpaused must keep its headroom, although the priority
// group between the two has nothing to do.
func TestHoldingReachesThroughWhatIsUnchanged(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.watch()
	o := twoClass(r)
	r.mustApply(o.graph())
	p := r.dev.Ports[0]
	delete(o, p.Facet(graph.PFC))
	o.profile("lossless", key(sai.ObjectTypeBufferPool, "ingress"), 8*kb, 0, -3)
	r.failSet(sai.PortAttrPriorityFlowControl.AttrMeta, always)
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	if f := res.Failed[key(sai.ObjectTypeBufferProfile, "lossless")]; f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) {
		t.Errorf("profile: %+v", f)
	}
	r.believes("after the failure")
}

// An attribute that SAI states no default for, and that the chip did not tell, is not
// what zero would be.
func TestUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	k := graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0", Facet: graph.Link}
	have, want := objects{}, objects{}
	have.add(k, num(sai.PortAttrMTU, 1522))
	want.add(k, num(sai.PortAttrSpeed, 0), num(sai.PortAttrMTU, 1522))
	plan := reconcile.Diff(want.graph(), have.graph(), reconcile.Options{}).String()
	if !strings.Contains(plan, "SPEED=0") || strings.Contains(plan, "MTU") {
		t.Errorf("plan:\n%s", plan)
	}
}

// A mask that is left from another mode, and can't be cleared, must not come into effect:
// then the mode stays. What the port obeys goes all the same.
func TestStaleMaskStaysWithoutEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.watch()
	p, o := r.dev.Ports[0], objects{}
	o.pg(p, 3, o.profile("lossless", o.pool("in", sai.BufferPoolTypeIngress, 1<<20, 0), 8*kb, 16*kb, -3))
	o.pause(p, 0x08)
	r.mustApply(o.graph())
	o.pauseApart(p, 0x08) // the mask of both directions stays
	r.mustApply(o.graph())
	o.pauseApart(p, 0)
	delete(o, p.PGs[3])
	r.mustApply(o.graph())
	r.failSet(sai.PortAttrPriorityFlowControl.AttrMeta, always)
	delete(o, p.Facet(graph.PFC))
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{}) // the rig checks the headroom after every write
	if f := res.Failed[p.Facet(graph.PFC)]; f == nil || f.Attr != sai.PortAttrPriorityFlowControl.AttrMeta {
		t.Fatalf("failed: %v", res.Err())
	}
	if m := r.num(r.adopted[p.Object], sai.Port{}, sai.PortAttrPriorityFlowControlRx.AttrMeta); m != 0 {
		t.Errorf("the port still obeys %#x", m)
	}
	r.believes("with a stale mask")
	r.chip.OnCall(nil)
	r.mustApply(o.graph())
	r.arrived("in the end", o.graph())
}

// A limit that the chip does not take leaves what it limits alone: of a pool that shrinks,
// the size while the shared headroom stays.
func TestFailedLimitStopsWhatItLimits(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	pool := o.pool("in", sai.BufferPoolTypeIngress, 1024*kb, 512*kb)
	r.mustApply(o.graph())
	r.failSet(sai.BufferPoolAttrXoffSize.AttrMeta, always)
	o.pool("in", sai.BufferPoolTypeIngress, 256*kb, 128*kb)
	before := r.chip.Writes()
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	if n := r.chip.Writes() - before; res.Failed[pool] == nil || n != 1 {
		t.Errorf("%d writes tried: %v", n, res.Err())
	}
}
