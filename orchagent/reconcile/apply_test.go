package reconcile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
)

// violent is a transition with a bit of everything: things go, come, move, shrink
// and are replaced.
func violent(r *rig, o objects) objects {
	o.pool("ingress", sai.BufferPoolTypeIngress, 3072*kb, 512*kb)
	o.pool("more", sai.BufferPoolTypeIngress, 1024*kb, 0)
	o.static("queue", key(sai.ObjectTypeBufferPool, "egress"), 2*kb, 0, 64*kb)
	wide := o.profile("wide", key(sai.ObjectTypeBufferPool, "more"), 8*kb, 64*kb, -2)
	delete(o, key(sai.ObjectTypeWred, "ecn"))
	o.wred("other", 10*kb, 20*kb)
	for i, p := range r.dev.Ports {
		o.mark(p, 3, key(sai.ObjectTypeWred, "other"))
		o.pg(p, 3+i, wide)
		o.pauseApart(p, 8<<i)
		if i > 0 {
			delete(o, p.PGs[3])
			delete(o, p.Facet(graph.Admin))
		}
	}
	return o
}

// faultAt makes the n-th write that r counts fail, once. It returns whether it did.
func (r *rig) faultAt(n int) *bool {
	hit := false
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if !c.Op.Write() || hit {
			return 0
		}
		n--
		hit = n == 0
		if hit {
			return sai.StatusFailure
		}
		return 0
	})
	return &hit
}

// TestUndoEveryWrite fails every call and every entry of a large transaction in
// turn. Each time chip, names and knowledge must be as they were, and the
// transaction must go through when it is tried again.
func TestUndoEveryWrite(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		r := newRig(t, "default", 2)
		r.watch()
		o := twoClass(r)
		r.mustApply(o.graph())
		before := r.actual()
		o = violent(r, o)
		hit := r.faultAt(n)
		res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
		r.chip.OnCall(nil)
		if !*hit {
			t.Logf("%d writes", n-1)
			return
		}
		r.believes(fmt.Sprintf("write %d", n))
		switch {
		case len(res.Leftover) > 0: // the new state is in force
		case !res.RolledBack || res.Dirty || res.Err() == nil:
			t.Fatalf("write %d: undone %v, dirty %v: %v", n, res.RolledBack, res.Dirty, res.Err())
		default:
			if got := r.actual(); got != before {
				t.Fatalf("write %d: undo left\n%s\nwanted\n%s", n, got, before)
			}
		}
		r.mustApply(o.graph())
		r.arrived(fmt.Sprintf("write %d", n), o.graph())
	}
}

// TestBestEffortEveryWrite fails every write of a cold start in turn. The rest must
// go on, and the next pass must do what is missing and nothing else.
func TestBestEffortEveryWrite(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		r := newRig(t, "default", 3)
		r.watch()
		g := twoClass(r).graph()
		hit := r.faultAt(n)
		res := r.apply(g, reconcile.BestEffort, reconcile.Options{})
		r.chip.OnCall(nil)
		if !*hit {
			return
		}
		if res.RolledBack || res.Err() == nil {
			t.Fatalf("write %d: undone %v: %v", n, res.RolledBack, res.Err())
		}
		r.believes(fmt.Sprintf("write %d", n))
		again := r.mustApply(g)
		if len(again.Plan) > len(res.Failed) {
			t.Fatalf("write %d: %d nodes failed, %d steps to go\n%s", n, len(res.Failed), len(again.Plan), again.Plan)
		}
	}
}

// TestBestEffortLeavesOthersAlone checks that one port's failure concerns that port
// only, and that a port does not come up without its buffers.
func TestBestEffortLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 3)
	bad := r.dev.Ports[1]
	r.failSet(sai.QueueAttrBufferProfileID.AttrMeta, func(c vsai.Call) bool { return c.Key.OID == r.adopted[bad.Queues[3].Buffer.Object()] })
	res := r.apply(twoClass(r).graph(), reconcile.BestEffort, reconcile.Options{})
	if len(res.Failed) != 2 {
		t.Errorf("failed: %v", res.Err())
	}
	f := res.Failed[bad.Queues[3].Buffer]
	var st sai.Status
	if f == nil || f.Attr != sai.QueueAttrBufferProfileID.AttrMeta || !errors.As(f.Err, &st) || st != sai.StatusFailure {
		t.Errorf("queue: %+v", f)
	}
	want := "set QUEUE Ethernet8|3#buffer SAI_QUEUE_ATTR_BUFFER_PROFILE_ID: failure"
	if f != nil && f.Err.Error() != want {
		t.Errorf("error is %q, want %q", f.Err, want)
	}
	f = res.Failed[bad.Facet(graph.Admin)]
	if f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) || f.On != bad.Queues[3].Buffer {
		t.Errorf("admin: %+v", f)
	}
}

// TestFailureNamesAttribute checks that the attribute which a create status points
// at is told.
func TestFailureNamesAttribute(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	o.profile("deep", o.pool("a", sai.BufferPoolTypeIngress, 1024*kb, 0), 0, 0, 99) // no chip has 2^99
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{})
	f := res.Failed[key(sai.ObjectTypeBufferProfile, "deep")]
	var st sai.Status
	if f == nil || f.Attr != sai.BufferProfileAttrSharedDynamicTH.AttrMeta || !errors.As(f.Err, &st) || st != sai.StatusInvalidAttrValue0 {
		t.Fatalf("profile: %+v", f)
	}
	if !res.RolledBack || len(r.rec.Actual()) > 2 { // the port, and its speed
		t.Errorf("undone %v, left:\n%s", res.RolledBack, r.rec.Actual())
	}
}

// TestBatches checks that equal steps go out together, in calls of limited size.
func TestBatches(t *testing.T) {
	t.Parallel()
	r := newRig(t, "th5", 20)
	o := objects{}
	a := o.pool("a", sai.BufferPoolTypeEgress, 1024*kb, 0)
	p := o.profile("p", a, 0, 0, 0)
	for _, port := range r.dev.Ports {
		for i := range 10 {
			o.queue(port, i, p)
		}
	}
	calls := r.record()
	r.mustApply(o.graph())
	want := "create buffer_pool, create buffer_profile, 64 set queue, 64 set queue, 64 set queue, 8 set queue"
	if got := strings.Join(*calls, ", "); got != want {
		t.Errorf("calls: %s, want %s", got, want)
	}
}

// record notes every write call, bulk calls with the number of their entries.
func (r *rig) record() *[]string {
	var calls []string
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		switch {
		case c.Op.Write() && c.IsBulk():
			calls = append(calls, fmt.Sprint(c.Bulk, " ", c.Op, " ", c.Object.Name))
		case c.Op.Write() && c.Bulk == 0:
			calls = append(calls, fmt.Sprint(c.Op, " ", c.Object.Name))
		}
		return 0
	})
	return &calls
}

// TestNoBulk checks that a library without bulk calls is found out once, and served
// one by one.
func TestNoBulk(t *testing.T) {
	t.Parallel()
	for _, st := range []sai.Status{sai.StatusNotImplemented, sai.StatusNotSupported} {
		r := newRig(t, "default", 3)
		r.watch()
		o := twoClass(r)
		asked := map[string]int{}
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if !c.Op.Write() || !c.IsBulk() {
				return 0
			}
			asked[fmt.Sprint(c.Op, c.Object.Name)]++
			return st
		})
		r.mustApply(o.graph())
		r.mustApply(violent(r, o).graph())
		r.mustApply(graph.Graph{})
		r.believes("without bulk calls")
		for what, n := range asked {
			if n > 1 {
				t.Errorf("%s: asked %d times", what, n)
			}
		}
		if len(asked) < 10 {
			t.Errorf("asked only for %v", asked)
		}
	}
}

// liar is a chip whose bulk sets fail without saying what became of the entries.
type liar struct {
	sai.Driver
	claim sai.Status // of each entry
}

func (l *liar) BulkSet(_ *sai.ObjectMeta, _ []sai.Key, _ []sai.Attribute, _ bool, st []sai.Status) sai.Status {
	for i := range st {
		st[i] = l.claim
	}
	return sai.StatusFailure
}

// TestUnclearOutcome checks what is made of a bulk call that fails as a whole: if
// it says nothing of its entries none was done, and if it contradicts itself the
// state is not known.
func TestUnclearOutcome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		claim sai.Status
		dirty bool
	}{{sai.StatusNotExecuted, false}, {sai.StatusSuccess, true}} {
		r := newRig(t, "default", 2)
		r.sw.Driver = &liar{r.chip, tt.claim}
		res := r.apply(twoClass(r).graph(), reconcile.BestEffort, reconcile.Options{})
		if res.Dirty != tt.dirty || res.Failed[r.dev.Ports[1].Facet(graph.Link)] == nil {
			t.Errorf("claim %v: dirty %v: %v", tt.claim, res.Dirty, res.Err())
		}
		if !tt.dirty {
			r.believes("after a silent failure")
		}
	}
}

// TestBetween checks that a pass ends where it is told to: a best effort leaves the
// rest, a transaction leaves nothing.
func TestBetween(t *testing.T) {
	t.Parallel()
	for _, mode := range []reconcile.Mode{reconcile.BestEffort, reconcile.Atomic} {
		r := newRig(t, "default", 2)
		r.watch()
		g := twoClass(r).graph()
		before, asked := r.actual(), 0
		res := r.apply(g, mode, reconcile.Options{Between: func(int) bool { asked++; return asked < 5 }})
		if !res.Stopped || asked != 5 || res.Err() != nil || res.RolledBack != (mode == reconcile.Atomic) {
			t.Fatalf("mode %d: stopped %v after %d, undone %v: %v", mode, res.Stopped, asked, res.RolledBack, res.Err())
		}
		if got := r.actual(); (got == before) != (mode == reconcile.Atomic) {
			t.Errorf("mode %d: chip has\n%s", mode, got)
		}
		r.believes("after the stop")
		if res := r.apply(g, mode, reconcile.Options{Touched: []graph.Key{}}); res.Err() != nil {
			t.Fatal(res.Err())
		}
		r.arrived("after the rest", g)
	}
}

// TestLeftover checks that a replaced object which the chip does not let go fails
// no transaction, is told, and is tried again.
func TestLeftover(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := twoClass(r)
	r.mustApply(o.graph())
	o.static("queue", key(sai.ObjectTypeBufferPool, "egress"), 4*kb, 0, 64*kb)
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpRemove {
			return sai.StatusObjectInUse
		}
		return 0
	})
	old := key(sai.ObjectTypeBufferProfile, "queue~1")
	for range 2 {
		res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{Touched: []graph.Key{key(sai.ObjectTypeBufferProfile, "queue")}})
		if res.Err() != nil || res.RolledBack || res.Leftover[old] == nil || !errors.Is(res.Leftover[old].Err, sai.StatusObjectInUse) {
			t.Fatalf("undone %v, leftover %v: %v", res.RolledBack, res.Leftover, res.Err())
		}
		r.believes("with a leftover")
	}
	// Another replacement finds another name for the old object.
	o.profile("queue", key(sai.ObjectTypeBufferPool, "egress"), 4*kb, 0, 2)
	if res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{}); res.Err() != nil || len(res.Leftover) != 2 {
		t.Fatalf("leftover %v: %v", res.Leftover, res.Err())
	}
	r.chip.OnCall(nil)
	res := r.mustApply(o.graph())
	want := "release 1 remove BUFFER_PROFILE queue~1\nrelease 1 remove BUFFER_PROFILE queue~2\n"
	if res.Plan.String() != want {
		t.Errorf("plan\n%s, want\n%s", res.Plan, want)
	}
	r.arrived("in the end", o.graph())
}

// TestNameStoreFails checks that an object whose name could not be kept is found
// again and made anew under its name, not kept twice.
func TestNameStoreFails(t *testing.T) {
	t.Parallel()
	for _, mode := range []reconcile.Mode{reconcile.BestEffort, reconcile.Atomic} {
		r := newRig(t, "default", 1)
		r.watch()
		store := &failingNames{Chip: r.chip}
		r.names = store
		r.rec = r.readback()
		store.fail = true
		g := twoClass(r).graph()
		res := r.apply(g, mode, reconcile.Options{})
		if !res.Dirty || res.Names == nil || !errors.Is(res.Err(), errStore) {
			t.Fatalf("mode %d: dirty %v: %v", mode, res.Dirty, res.Err())
		}
		store.fail = false
		r.rec = r.readback()
		r.mustApply(g)
		r.arrived("in the end", g)
	}
}

var errStore = errors.New("name store is away")

type failingNames struct {
	*vsai.Chip
	fail bool
}

func (n *failingNames) SetNames(put map[string]sai.OID, gone []string) error {
	if n.fail {
		return errStore
	}
	return n.Chip.SetNames(put, gone)
}

// TestBadText checks that a value which SAI can't take fails its object only.
func TestBadText(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := twoClass(r)
	k := o.add(key(sai.ObjectTypeQoSMap, "DSCP_TO_TC_MAP|bad"),
		num(sai.QoSMapAttrType, uint64(sai.QoSMapTypeDSCPToTC)), text(sai.QoSMapAttrMapToValueList, "no map"))
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	if len(res.Failed) != 1 || res.Failed[k] == nil || !strings.Contains(res.Failed[k].Err.Error(), "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST") {
		t.Errorf("failed: %v", res.Err())
	}
}

// TestUnknownReference checks that a reference to nothing fails and is not sent.
func TestUnknownReference(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := objects{}
	o.queue(r.dev.Ports[0], 0, key(sai.ObjectTypeBufferProfile, "nowhere"))
	k := graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet999", Facet: graph.Admin}
	o.add(k, num(sai.PortAttrAdminState, 1))
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	if len(res.Failed) != 2 || len(res.Writes) != 0 || !errors.Is(res.Err(), reconcile.ErrBlocked) ||
		!strings.Contains(res.Err().Error(), "BUFFER_PROFILE nowhere does not exist") || !strings.Contains(res.Err().Error(), "PORT Ethernet999 does not exist") {
		t.Errorf("%d writes: %v", len(res.Writes), res.Err())
	}
}
