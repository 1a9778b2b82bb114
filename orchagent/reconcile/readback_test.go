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
	"xon/schema/configdb"
)

// TestRestart checks that an agent that comes back finds everything as it left it:
// no plan, no write.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 4)
	o := violent(r, twoClass(r))
	r.mustApply(o.graph())
	handles := r.rec.Handles()
	r.rec = r.readback()
	r.arrived("after a restart", o.graph())
	if got := r.rec.Handles(); fmt.Sprint(got) != fmt.Sprint(handles) {
		t.Errorf("handles were\n%v\nand are\n%v", handles, got)
	}
}

// TestReadbackInBulk checks that reading a chip back takes few messages, also if it
// lacks attributes.
func TestReadbackInBulk(t *testing.T) {
	t.Parallel()
	r := newRig(t, "th5", 64)
	g := twoClass(r).graph()
	r.mustApply(g)
	calls, lack := 0, false
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpGet && c.Entry < 0 {
			calls++
		}
		if !lack || c.Op != vsai.OpGet || c.IsBulk() {
			return 0
		}
		for i, a := range c.Attrs {
			if a.AttrMeta == sai.PortAttrQoSPFCPriorityToQueueMap.AttrMeta || a.AttrMeta == sai.PortAttrFECMode.AttrMeta || a.AttrMeta == sai.SchedulerAttrLabel.AttrMeta {
				return sai.StatusAttrNotSupported0 - sai.Status(i)
			}
		}
		return 0
	})
	want := r.rec.Actual().String()
	for _, lack = range []bool{false, true} {
		calls = 0
		if got := r.actual(); got != want {
			t.Errorf("lacking %v: chip has\n%s\nreconciler believes\n%s", lack, got, want)
		}
		// One for each of twelve types and the two with conditional attributes, a
		// second one for 1,280 queues, and again for those that lack something.
		if calls > 18 {
			t.Errorf("lacking %v: %d calls", lack, calls)
		}
	}
}

// TestReadbackOfPoorLibrary checks that a library which has no bulk get, does not
// list objects and does not say which attribute it lacks is read all the same.
func TestReadbackOfPoorLibrary(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	g := twoClass(r).graph()
	r.mustApply(g)
	want := r.actual()
	r.sw.Driver = &poor{r.chip}
	if got := r.actual(); got != want {
		t.Errorf("chip has\n%s\nwant\n%s", got, want)
	}
}

type poor struct{ sai.Driver }

func (*poor) BulkGet(*sai.ObjectMeta, []sai.Key, [][]sai.Attribute, []sai.Status) sai.Status {
	return sai.StatusNotImplemented
}

func (*poor) Objects(sai.OID, *sai.ObjectMeta) ([]sai.Key, sai.Status) {
	return nil, sai.StatusNotSupported
}

func (p *poor) Get(o *sai.ObjectMeta, k sai.Key, attrs []sai.Attribute) sai.Status {
	for _, a := range attrs {
		if a.AttrMeta == sai.WredAttrWeight.AttrMeta || a.AttrMeta == sai.PortAttrFECMode.AttrMeta {
			return sai.StatusNotSupported
		}
	}
	return p.Driver.Get(o, k, attrs)
}

// TestChipsOwnObjects checks that what the chip holds before any agent came is left
// alone, and so is what refers to it, until a row wants something else.
func TestChipsOwnObjects(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	p := r.dev.Ports[0]
	// The rig has seen this chip; make it one that no agent has seen, with a pool, a
	// profile and a host interface of the maker's, and a queue that uses them.
	if err := r.chip.SetNames(nil, []string{"SWITCH switch"}); err != nil {
		t.Fatal(err)
	}
	pool := must[sai.BufferPool](t)(sai.Create(r.sw, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeEgress), sai.BufferPoolAttrSize.Is(1024*kb)))
	own := must[sai.BufferProfile](t)(sai.Create(r.sw, sai.BufferProfileAttrPoolID.Is(pool), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic), sai.BufferProfileAttrSharedDynamicTH.Is(0)))
	queue := r.adopted[p.Queues[3].Buffer.Object()]
	if err := sai.Set(r.sw, sai.ID[sai.Queue](queue), sai.QueueAttrBufferProfileID.Is(own)); err != nil {
		t.Fatal(err)
	}
	r.rec = r.readback()
	before := r.rec.Actual().String()
	if !strings.Contains(before, "BUFFER_PROFILE_ID = @~chip:") {
		t.Errorf("the queue's own profile is not known:\n%s", before)
	}
	r.arrived("with nothing wanted", graph.Graph{})

	o := objects{}
	o.queue(p, 3, o.profile("mine", o.pool("pool", sai.BufferPoolTypeEgress, 1024*kb, 0), 0, 0, 0))
	o.up(p)
	r.failSet(sai.PortAttrAdminState.AttrMeta, always)
	if res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{}); !res.RolledBack || res.Dirty {
		t.Fatalf("undone %v, dirty %v: %v", res.RolledBack, res.Dirty, res.Err())
	}
	r.chip.OnCall(nil)
	if got := r.actual(); got != before { // the queue has its own profile again
		t.Errorf("undo left\n%s\nwanted\n%s", got, before)
	}
	r.mustApply(o.graph())
	r.rec = r.readback() // and it is known after a restart what was whose
	r.arrived("after a restart", o.graph())
	r.mustApply(graph.Graph{})
	if got := r.num(own.OID(), sai.BufferProfile{}, sai.BufferProfileAttrPoolID.AttrMeta); got != uint64(pool) {
		t.Errorf("the chip's own profile is gone")
	}
	if got := r.num(queue, sai.Queue{}, sai.QueueAttrBufferProfileID.AttrMeta); got != 0 {
		t.Errorf("queue has profile %#x", got)
	}
}

func must[O sai.Object](t *testing.T) func(sai.ID[O], error) sai.ID[O] {
	return func(id sai.ID[O], err error) sai.ID[O] {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
}

// TestUnnamedObjects checks that what an agent made and could not name is removed.
func TestUnnamedObjects(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	id, err := sai.Create(r.sw, sai.SchedulerAttrSchedulingWeight.Is(7))
	if err != nil {
		t.Fatal(err)
	}
	r.rec = r.readback()
	res := r.mustApply(graph.Graph{})
	if want := fmt.Sprintf("release 0 remove SCHEDULER ~oid:%#x\n", uint64(id)); res.Plan.String() != want {
		t.Errorf("plan\n%s, want\n%s", res.Plan, want)
	}
	r.arrived("in the end", graph.Graph{})
}

// TestNewChip checks that names of a switch that is no more are forgotten, and that of
// the new one its default VLAN is noted as its own.
func TestNewChip(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	stale := map[string]sai.OID{"SCHEDULER gone": r.sw.ID.OID(), "SWITCH switch": r.adopted[r.dev.Ports[0].Object], "what is that": r.sw.ID.OID()}
	if err := r.chip.SetNames(stale, nil); err != nil {
		t.Fatal(err)
	}
	r.rec = r.readback()
	names, err := r.chip.Names()
	if err != nil || len(names) != 2 || names["SWITCH switch"] != r.sw.ID.OID() {
		t.Errorf("names: %v, %v", names, err)
	}
}

// TestReadbackErrors checks that what can't be read is named.
func TestReadbackErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	r.mustApply(twoClass(r).graph())
	bad := r.adopted[r.dev.Ports[0].PGs[3].Object()]
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpGet && c.Key.OID == bad {
			return sai.StatusInvalidAttrValue0
		}
		return 0
	})
	_, err := reconcile.Readback(r.sw, r.names, r.adopted)
	for _, want := range []string{"INGRESS_PRIORITY_GROUP Ethernet0|3", "BUFFER_PROFILE"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpGet && c.IsBulk() {
			return sai.StatusUninitialized
		}
		return 0
	})
	if _, err = reconcile.Readback(r.sw, r.names, r.adopted); !errors.Is(err, sai.StatusUninitialized) {
		t.Errorf("error is %v", err)
	}
	r.chip.OnCall(nil)
	r.sw.Driver = &deaf{r.chip}
	if _, err = reconcile.Readback(r.sw, r.names, r.adopted); err == nil || !strings.Contains(err.Error(), "BUFFER_POOL") {
		t.Errorf("error is %v", err)
	}
	if _, err = reconcile.Readback(r.sw, noNames{}, r.adopted); !errors.Is(err, errStore) {
		t.Errorf("error is %v", err)
	}
}

type deaf struct{ sai.Driver }

func (*deaf) Objects(sai.OID, *sai.ObjectMeta) ([]sai.Key, sai.Status) {
	return nil, sai.StatusFailure
}

type noNames struct{}

func (noNames) Names() (map[string]sai.OID, error)          { return nil, errStore }
func (noNames) SetNames(map[string]sai.OID, []string) error { return errStore }

// TestPortSpeedIsLeftAlone checks that an attribute for which SAI states no default
// is not reset when nobody wants it any more, and is put back by an undo.
func TestPortSpeedIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	p := r.dev.Ports[0]
	speed := func() uint64 { return r.num(r.adopted[p.Object], sai.Port{}, sai.PortAttrSpeed.AttrMeta) }
	was := speed()
	o := objects{}
	o.link(p, 25000, 9100)
	o.up(p)
	r.failSet(sai.PortAttrAdminState.AttrMeta, always)
	if res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{}); !res.RolledBack || res.Dirty || speed() != was {
		t.Fatalf("undone %v, dirty %v, speed %d, was %d", res.RolledBack, res.Dirty, speed(), was)
	}
	r.chip.OnCall(nil)
	r.mustApply(o.graph())
	r.arrived("with a speed", o.graph())
	r.mustApply(graph.Graph{})
	r.arrived("without", graph.Graph{})
	if speed() != 25000 {
		t.Errorf("speed is %d", speed())
	}
	o.add(p.Facet(graph.Link), num(sai.PortAttrMTU, 9100)) // a row without speed
	r.mustApply(o.graph())
	r.arrived("with an MTU", o.graph())
}

// TestRebind checks that ports can exchange their names, and that what was
// configured stays with the port.
func TestRebind(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 3)
	r.watch()
	o := twoClass(r)
	r.mustApply(o.graph())
	lanes := func(i int) []uint32 { return r.dev.Ports[i].Lanes }
	rows := map[string]*configdb.Port{
		"Ethernet0": {Lanes: lanes(1)}, "Ethernet8": {Lanes: lanes(0)}, // exchanged; the third has no row
	}
	r.dev, r.adopted = r.inv.Name(rows)
	r.rec.Rebind(r.adopted)
	r.believes("after the exchange")
	handles := r.rec.Handles()
	for k, id := range r.adopted {
		if handles[k] != id {
			t.Errorf("%s is %v, want %v", k, handles[k], id)
		}
	}
	if got := r.rec.Actual()[key(sai.ObjectTypeHostif, "Ethernet0")].Attr(sai.HostifAttrObjID.AttrMeta); got != graph.Ref(key(sai.ObjectTypePort, "Ethernet8")) {
		t.Errorf("the host interface is bound to %v", got)
	}
	o = twoClass(r)
	res := r.apply(o.graph(), reconcile.Atomic, reconcile.Options{Touched: []graph.Key{}}) // compares everything all the same
	if err := res.Err(); err != nil {
		t.Fatal(err)
	}
	r.arrived("with the names exchanged", o.graph())

	// A port that is gone is forgotten.
	for k := range r.adopted {
		if strings.HasPrefix(k.Name, r.dev.Ports[2].Name) {
			delete(r.adopted, k)
		}
	}
	r.rec.Rebind(r.adopted)
	for k := range r.rec.Actual() {
		if strings.HasPrefix(k.Name, r.dev.Ports[2].Name) && k.Type != sai.ObjectTypeHostif {
			t.Errorf("%s is still there", k)
		}
	}
}
