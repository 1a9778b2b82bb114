package observe_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xon/sai"
	"xon/sai/observe"
	"xon/sai/remote"
	"xon/sai/saitest"
	"xon/sai/vsai"
)

func layout(n int) []vsai.PortLayout {
	ports := make([]vsai.PortLayout, n)
	for i := range ports {
		ports[i] = vsai.PortLayout{Lanes: []uint32{uint32(i + 1)}, SpeedMbps: 100000}
	}
	return ports
}

// TestSuite: a driver that is observed passes what every driver passes.
func TestSuite(t *testing.T) {
	t.Parallel()
	saitest.Run(t, func(t *testing.T) sai.Driver {
		d := observe.New(observe.Config{Writes: 2, Reads: 1}).Wrap(vsai.New(vsai.Config{Ports: layout(3)}))
		if _, ok := d.(sai.Names); !ok {
			t.Error("the names are lost")
		}
		return d
	})
}

// nameless is a driver without names.
type nameless struct{ sai.Driver }

func TestNoNames(t *testing.T) {
	t.Parallel()
	d := observe.New(observe.Config{}).Wrap(nameless{vsai.New(vsai.Config{Ports: layout(1)})})
	if _, ok := d.(sai.Names); ok {
		t.Error("names that the driver does not keep")
	}
}

// rig is a chip that is watched.
type rig struct {
	*observe.Observer
	chip  *vsai.Chip
	sw    *sai.Switch
	calls []observe.Call
}

func newRig(t *testing.T, cfg observe.Config) *rig {
	t.Helper()
	r := &rig{chip: vsai.New(vsai.Config{Ports: layout(2)})}
	cfg.OnCall = func(c observe.Call) { r.calls = append(r.calls, c) }
	r.Observer = observe.New(cfg)
	r.sw = &sai.Switch{Driver: r.Wrap(r.chip)}
	id, err := sai.Create(r.sw, sai.SwitchAttrInitSwitch.Is(true))
	if err != nil {
		t.Fatal(err)
	}
	r.sw.ID = id
	r.calls = nil
	return r
}

// check compares what was told and kept of the last call.
func (r *rig) check(t *testing.T, entries, failed int, st sai.Status, lines ...string) {
	t.Helper()
	last := r.Last()
	kept := last[len(last)-1]
	reported := r.calls[len(r.calls)-1]
	if reported != kept.Call {
		t.Errorf("told %+v, kept %+v", reported, kept.Call)
	}
	if reported.Entries != entries || reported.Failed != failed || reported.Status != st {
		t.Errorf("%d entries, %d failed, %v; want %d, %d, %v", reported.Entries, reported.Failed, reported.Status, entries, failed, st)
	}
	if reported.Start.IsZero() || reported.Took < 0 {
		t.Errorf("start %v, took %v", reported.Start, reported.Took)
	}
	if !slices.Equal(kept.Lines, lines) {
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(kept.Lines, "\n"), strings.Join(lines, "\n"))
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, observe.Config{})
	s, err := sai.Create(r.sw, sai.SchedulerAttrSchedulingWeight.Is(7))
	if err != nil {
		t.Fatal(err)
	}
	name := s.OID().String()
	r.check(t, 1, 0, 0, "create scheduler "+name+" SCHEDULING_WEIGHT=7")
	st := r.sw.Set(sai.Scheduler{}.Meta(), sai.Key{OID: s.OID()}, sai.SchedulerAttrMeterType.Is(99).Attribute)
	r.check(t, 1, 1, st, "set scheduler "+name+" METER_TYPE=99: "+st.Error())
	if _, err := sai.Get(r.sw, s, sai.SchedulerAttrSchedulingWeight); err != nil {
		t.Fatal(err)
	}
	r.check(t, 1, 0, 0, "get scheduler "+name+" SCHEDULING_WEIGHT=7")
	if err := sai.Remove(r.sw, s); err != nil {
		t.Fatal(err)
	}
	r.check(t, 1, 0, 0, "remove scheduler "+name)
	_, err = sai.Get(r.sw, s, sai.SchedulerAttrSchedulingWeight)
	r.check(t, 1, 1, sai.StatusInvalidObjectID, "get scheduler "+name+" SCHEDULING_WEIGHT: invalid object id")
	if err == nil {
		t.Error("an object that was removed is there")
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	r := newRig(t, observe.Config{})
	o := sai.Scheduler{}.Meta()
	weight := func(n uint8) []sai.Attribute {
		return []sai.Attribute{sai.SchedulerAttrSchedulingWeight.Is(n).Attribute}
	}
	bad := []sai.Attribute{sai.SchedulerAttrMeterType.Is(99).Attribute}
	ids, each := make([]sai.OID, 3), make([]sai.Status, 3)
	_ = r.sw.BulkCreate(o, r.sw.ID.OID(), [][]sai.Attribute{weight(1), bad, weight(3)}, true, ids, each)
	r.check(t, 3, 2, sai.StatusInvalidAttrValue0,
		"create scheduler "+ids[0].String()+" SCHEDULING_WEIGHT=1",
		"create scheduler METER_TYPE=99: invalid attr value 0",
		"create scheduler SCHEDULING_WEIGHT=3: not executed")

	keys := make([]sai.Key, 100)
	for i := range keys {
		keys[i].OID = ids[0]
	}
	attrs, each := slices.Repeat(weight(9), len(keys)), make([]sai.Status, len(keys))
	_ = r.sw.BulkSet(o, keys, attrs, true, each)
	line := "set scheduler " + ids[0].String() + " SCHEDULING_WEIGHT=9"
	lines := slices.Repeat([]string{line}, observe.MaxEntries)
	lines[len(lines)-1] += " (and 36 more)"
	r.check(t, 100, 0, 0, lines...)

	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.IsBulk() {
			return sai.StatusNotImplemented
		}
		return 0
	})
	_ = r.sw.BulkRemove(o, keys[:2], true, each[:2])
	line = "remove scheduler " + ids[0].String() + ": not implemented"
	r.check(t, 2, 2, sai.StatusNotImplemented, line, line)
}

// TestKept: reads do not push writes out, and what is kept is a copy.
func TestKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, observe.Config{Writes: 2, Reads: 1})
	o := sai.Scheduler{}.Meta()
	attrs := []sai.Attribute{sai.SchedulerAttrSchedulingWeight.Is(7).Attribute}
	id, _ := r.sw.Create(o, r.sw.ID.OID(), sai.Key{}, attrs)
	attrs[0].Num = 8
	_ = r.sw.Set(o, sai.Key{OID: id}, attrs[0])
	for range 5 {
		if _, st := r.sw.Objects(r.sw.ID.OID(), o); st != 0 {
			t.Error(st)
		}
	}
	var got []string
	for _, rec := range r.Last() {
		got = append(got, rec.Lines...)
	}
	want := []string{
		"create scheduler " + id.String() + " SCHEDULING_WEIGHT=7",
		"set scheduler " + id.String() + " SCHEDULING_WEIGHT=8",
		"list scheduler " + r.sw.ID.OID().String(),
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func weightSetter(b *testing.B, d sai.Driver) func() {
	sw := &sai.Switch{Driver: d}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		b.Fatal(err)
	}
	s, err := sai.Create(sw, sai.SchedulerAttrSchedulingWeight.Is(1))
	if err != nil {
		b.Fatal(err)
	}
	n := 64
	keys, attrs, each := make([]sai.Key, n), make([]sai.Attribute, n), make([]sai.Status, n)
	for i := range keys {
		keys[i].OID, attrs[i] = s.OID(), sai.SchedulerAttrSchedulingWeight.Is(1).Attribute
	}
	o := sai.Scheduler{}.Meta()
	one := func() { _ = sw.Set(o, keys[0], attrs[0]) }
	if b.Name()[len(b.Name())-2:] == "64" {
		return func() { _ = sw.BulkSet(o, keys, attrs, true, each) }
	}
	return one
}

// BenchmarkSet is the price of being observed: a driver that does nothing, the
// virtual chip in this process, and one behind a socket.
func BenchmarkSet(b *testing.B) {
	for _, size := range []string{"1", "64"} {
		for name, open := range map[string]func(b *testing.B) sai.Driver{
			"idle":    func(*testing.B) sai.Driver { return idle{vsai.New(vsai.Config{Ports: layout(1)})} },
			"virtual": func(*testing.B) sai.Driver { return vsai.New(vsai.Config{Ports: layout(1), Record: -1}) },
			"remote":  dial,
		} {
			for _, watched := range []string{"alone", "observed"} {
				b.Run(name+"/"+watched+"/"+size, func(b *testing.B) {
					d := open(b)
					if watched == "observed" {
						d = observe.New(observe.Config{OnCall: func(observe.Call) {}}).Wrap(d)
					}
					set := weightSetter(b, d)
					b.ReportAllocs()
					for b.Loop() {
						set()
					}
				})
			}
		}
	}
}

// idle is a chip that takes no time to set anything.
type idle struct{ sai.Driver }

func (idle) Set(*sai.ObjectMeta, sai.Key, sai.Attribute) sai.Status { return 0 }

func (idle) BulkSet(*sai.ObjectMeta, []sai.Key, []sai.Attribute, bool, []sai.Status) sai.Status {
	return 0
}

func dial(b *testing.B) sai.Driver {
	path := filepath.Join(b.TempDir(), "chip.sock")
	ln, err := net.Listen("unix", path)
	if err != nil {
		b.Fatal(err)
	}
	chip := vsai.New(vsai.Config{Ports: layout(1), Record: -1})
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- remote.Serve(ctx, ln, chip, chip, nil) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	c, err := remote.Dial(ctx, path)
	if err != nil {
		b.Fatal(err)
	}
	return c
}
