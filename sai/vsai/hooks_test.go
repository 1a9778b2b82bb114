package vsai_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"xon/sai"
	"xon/sai/vsai"
)

// TestFaults: any call can be made to fail, and then nothing is changed.
func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	before := b.c.Dump()
	b.c.OnCall(func(c vsai.Call) sai.Status {
		_ = b.c.ObjectCounts() // the hook may look at the chip
		return sai.StatusNoMemory
	})
	key := sai.Key{OID: b.queue.OID()}
	set := sai.QueueAttrWredProfileID.Is(b.wred).Attribute
	meta := sai.Queue{}.Meta()
	_, st := b.sw.Create(sai.Scheduler{}.Meta(), b.sw.ID.OID(), sai.Key{}, nil)
	_, objects := b.sw.Objects(b.sw.ID.OID(), meta)
	_, caps := b.sw.StatsCapability(b.sw.ID.OID(), meta)
	all := []sai.Status{
		st, objects, caps,
		b.sw.Set(meta, key, set),
		b.sw.Remove(sai.Wred{}.Meta(), sai.Key{OID: b.wred.OID()}),
		b.sw.Get(meta, key, []sai.Attribute{set}),
		b.sw.Stats(meta, key, []uint32{0}, sai.StatsModeRead, make([]uint64, 1)),
		b.sw.ClearStats(meta, key, []uint32{0}),
		b.sw.BulkSet(meta, []sai.Key{key}, []sai.Attribute{set}, false, make([]sai.Status, 1)),
	}
	for i, st := range all {
		if st != sai.StatusNoMemory {
			t.Errorf("call %d: %v", i, st)
		}
	}
	b.c.OnCall(nil)
	if b.c.Dump() != before {
		t.Error("a failed call changed something")
	}
	if st := b.sw.Set(meta, key, set); st != 0 {
		t.Error(st)
	}
}

// TestEntryFaults: so can a single entry of a bulk call, with and without stop.
func TestEntryFaults(t *testing.T) {
	t.Parallel()
	for _, stop := range []bool{false, true} {
		b := newBench(t, vsai.Config{})
		b.c.OnCall(func(c vsai.Call) sai.Status {
			if c.Op == vsai.OpSet && c.Bulk == 4 && c.Entry == 1 && c.Key.OID == b.queues[1].OID() {
				return sai.StatusTableFull
			}
			return 0
		})
		b.c.ResetCalls()
		keys, attrs := make([]sai.Key, 4), make([]sai.Attribute, 4)
		for i := range keys {
			keys[i] = sai.Key{OID: b.queues[i].OID()}
			attrs[i] = sai.QueueAttrWredProfileID.Is(b.wred).Attribute
		}
		st := make([]sai.Status, 4)
		if s := b.sw.BulkSet(sai.Queue{}.Meta(), keys, attrs, stop, st); s != sai.StatusFailure {
			t.Error(s)
		}
		want, writes := [4]sai.Status{0, sai.StatusTableFull, 0, 0}, 4
		if stop {
			want, writes = [4]sai.Status{0, sai.StatusTableFull, sai.StatusNotExecuted, sai.StatusNotExecuted}, 2
		}
		if [4]sai.Status(st) != want {
			t.Errorf("stop %v: %v", stop, st)
		}
		if n := b.c.Writes(); n != writes {
			t.Errorf("stop %v: %d writes", stop, n)
		}
		calls := b.c.Calls()
		if len(calls) != writes || calls[1].Status != sai.StatusTableFull || calls[1].Entry != 1 || calls[0].Attrs[0].Num != uint64(b.wred) {
			t.Errorf("stop %v: %v", stop, calls)
		}
	}
}

// TestRecord: a call is recorded with what it did; reads of a bulk call once.
func TestRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{Record: 3})
	b.c.ResetCalls()
	if len(b.c.Calls()) != 0 {
		t.Fatal(b.c.Calls())
	}
	id := must[sai.ID[sai.Scheduler]](t)(sai.Create(b.sw, sai.SchedulerAttrSchedulingWeight.Is(5)))
	_ = must[uint8](t)(sai.Get(b.sw, id, sai.SchedulerAttrSchedulingWeight))
	p := sai.NewPoller(b.sw, b.queues, sai.QueueStatPackets)
	if err := p.Read(); err != nil {
		t.Fatal(err)
	}
	calls := b.c.Calls()
	if len(calls) != 3 || calls[0].Op != vsai.OpCreate || calls[0].Key.OID != id.OID() || calls[0].Attrs[0].Num != 5 ||
		calls[1].Op != vsai.OpGet || calls[2].Op != vsai.OpStats || calls[2].Bulk != 20 {
		t.Error(calls)
	}
	if err := sai.Remove(b.sw, id); err != nil {
		t.Fatal(err)
	}
	if calls = b.c.Calls(); len(calls) != 3 || calls[2].Op != vsai.OpRemove || calls[0].Op != vsai.OpGet {
		t.Error("not the last three:", calls)
	}
	if b.c.Writes() != 2 {
		t.Error(b.c.Writes())
	}
}

// TestAfterCall sees statuses and what a create made.
func TestAfterCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{Record: -1})
	var got []vsai.Call
	b.c.AfterCall(func(c vsai.Call) { got = append(got, c) })
	ids, st := make([]sai.OID, 2), make([]sai.Status, 2)
	attrs := [][]sai.Attribute{with(sai.SchedulerAttrSchedulingWeight.Is(1)), with(sai.SchedulerAttrSchedulingWeight.Is(0))}
	if s := b.sw.BulkCreate(sai.Scheduler{}.Meta(), b.sw.ID.OID(), attrs, false, ids, st); s != sai.StatusFailure {
		t.Error(s)
	}
	if len(got) != 3 || got[0].Key.OID != ids[0] || got[1].Status != sai.StatusInvalidAttrValue0 || !got[2].IsBulk() || got[2].Status != sai.StatusFailure {
		t.Error(got)
	}
	if ids[1] != 0 || b.c.Calls() != nil {
		t.Error(ids, b.c.Calls())
	}
}

// TestNotifications come in order, only while the switch's attribute wants them,
// and without the chip waiting.
func TestNotifications(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, vsai.Config{})
		var mu sync.Mutex
		var got []sai.PortOperStatus
		token := b.c.Notify(sai.OnPortStateChange, func(n sai.Notification) {
			_ = b.c.ObjectCounts() // no lock is held
			mu.Lock()
			defer mu.Unlock()
			for _, e := range sai.Elems[sai.PortOperStatusNotification](n) {
				if e.PortID == b.port.OID() && n.Switch == b.sw.ID.OID() {
					got = append(got, e.PortState)
				}
			}
		})
		admin := func(up bool) {
			if err := sai.Set(b.sw, b.port, sai.PortAttrAdminState.Is(up)); err != nil {
				t.Error(err)
			}
		}
		seen := func(want ...sai.PortOperStatus) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(got) != len(want) {
				t.Fatalf("%v, want %v", got, want)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%v, want %v", got, want)
				}
			}
			got = nil
		}
		const up, down = sai.PortOperStatusUp, sai.PortOperStatusDown
		admin(true)
		seen() // the attribute is null
		set := sai.Attribute{AttrMeta: sai.SwitchAttrPortStateChangeNotify.AttrMeta, Value: token}
		if st := b.sw.Set(sai.SwitchObject{}.Meta(), sai.Key{OID: b.sw.ID.OID()}, set); st != 0 {
			t.Fatal(st)
		}
		admin(true)
		seen()    // nothing changed
		mu.Lock() // a receiver that takes its time
		admin(false)
		admin(true)
		_ = b.c.SetLink(b.port.OID(), false)
		admin(false)
		admin(true)
		_ = b.c.SetLink(b.port.OID(), true)
		mu.Unlock()
		seen(down, up, down, up)
		if s := must[sai.PortOperStatus](t)(sai.Get(b.sw, b.port, sai.PortAttrOperStatus)); s != up {
			t.Error(s)
		}
		b.c.Close()
		admin(false)
		seen()
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	put := func(m map[string]sai.OID, gone ...string) error { return b.c.SetNames(m, gone) }
	if err := put(map[string]sai.OID{"a": b.wred.OID(), "b": b.wred.OID(), "c": b.static.OID()}); err != nil {
		t.Fatal(err)
	}
	if err := put(map[string]sai.OID{"d": b.wred.OID(), "e": 12345}, "a"); !errorIs(err, sai.StatusInvalidObjectID) {
		t.Fatal(err)
	}
	if err := put(map[string]sai.OID{"b": b.static.OID()}, "a", "nobody"); err != nil {
		t.Fatal(err)
	}
	want := func(names ...string) {
		t.Helper()
		got := must[map[string]sai.OID](t)(b.c.Names())
		if len(got) != len(names) {
			t.Fatal(got)
		}
		for _, n := range names {
			if got[n] != b.static.OID() {
				t.Fatal(got)
			}
		}
	}
	want("b", "c")
	if err := sai.Remove(b.sw, b.wred); err != nil {
		t.Fatal(err)
	}
	want("b", "c")
	if err := sai.Remove(b.sw, b.static); err != nil {
		t.Fatal(err)
	}
	want()
}

func TestStats(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	id := b.queue.OID()
	set := func(stat sai.Stat[sai.Queue], v uint64) {
		t.Helper()
		if err := b.c.SetStat(id, uint32(stat), v); err != nil {
			t.Fatal(err)
		}
	}
	set(sai.QueueStatPackets, 5)
	set(sai.QueueStatWatermarkBytes, 6)
	if err := b.c.AddStat(id, uint32(sai.QueueStatPackets), 2); err != nil {
		t.Fatal(err)
	}
	ids := []uint32{uint32(sai.QueueStatWatermarkBytes), uint32(sai.QueueStatPackets)}
	out := make([]uint64, 2)
	read := func(mode sai.StatsMode, want ...uint64) {
		t.Helper()
		if st := b.sw.Stats(sai.Queue{}.Meta(), sai.Key{OID: id}, ids, mode, out); st != 0 || out[0] != want[0] || out[1] != want[1] {
			t.Fatal(st, out, want)
		}
	}
	read(sai.StatsModeRead, 6, 7)
	read(sai.StatsModeReadAndClear, 6, 7)
	read(sai.StatsModeRead, 0, 0)
	set(sai.QueueStatPackets, 5)
	set(sai.QueueStatWatermarkBytes, 6)
	if st := b.sw.ClearStats(sai.Queue{}.Meta(), sai.Key{OID: id}, ids[:1]); st != 0 {
		t.Fatal(st)
	}
	read(sai.StatsModeRead, 0, 5)
	if err := b.c.SetStat(id, 1<<31, 1); err == nil {
		t.Error("a counter that no queue has")
	}
	if err := b.c.SetStat(99, 0, 1); !errorIs(err, sai.StatusInvalidObjectID) {
		t.Error(err)
	}
	if st := b.sw.Stats(sai.Queue{}.Meta(), sai.Key{OID: id}, []uint32{1 << 31}, sai.StatsModeRead, out); st != sai.StatusInvalidParameter {
		t.Error(st)
	}
	if err := b.c.SetReadOnly(id, sai.QueueAttrPauseStatus.Is(true).Attribute); err != nil {
		t.Fatal(err)
	}
	if !must[bool](t)(sai.Get(b.sw, b.queue, sai.QueueAttrPauseStatus)) {
		t.Error("PAUSE_STATUS")
	}
	if err := b.c.SetReadOnly(id, sai.QueueAttrWredProfileID.Is(0).Attribute); err == nil {
		t.Error("WRED_PROFILE_ID is not read-only")
	}
}
