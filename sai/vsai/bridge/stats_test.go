package bridge_test

import (
	"testing"
	"testing/synctest"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// read reads statistics in a mode.
func read[O sai.Object](r *rig, id sai.ID[O], mode sai.StatsMode, stats ...sai.Stat[O]) []uint64 {
	r.t.Helper()
	var o O
	ids, out := make([]uint32, len(stats)), make([]uint64, len(stats))
	for i, s := range stats {
		ids[i] = uint32(s)
	}
	if st := r.sw.Stats(o.Meta(), sai.Key{OID: id.OID()}, ids, mode, out); st != 0 {
		r.t.Fatal(st)
	}
	return out
}

// fill fills a lossless queue through a port that must not send.
func fill(t *testing.T) (*rig, buffers) {
	t.Helper()
	r := newRig(t, "default", 3)
	b := r.lossless(4 << 20)
	r.sync()
	r.sim.Storm(r.hosts[2], 1<<3, 0)
	r.run(10 * dataplane.Microsecond)
	r.flow(dataplane.FlowConfig{Bytes: 100 * 1024, Class: 3}, 0, 2)
	r.run(100 * dataplane.Microsecond)
	return r, b
}

// TestLevels: a hundred packets of 1086 bytes are five cells of 256 bytes each, in
// group, queue and both pools.
func TestLevels(t *testing.T) {
	t.Parallel()
	r, b := fill(t)
	const held = 100 * 5 * 256
	q, g := r.queue(2, 3), r.group(0, 3)
	check := func(what string, got, want uint64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	check("queue", stat(r, q, sai.QueueStatCurrOccupancyBytes), held)
	check("queue, cells", stat(r, q, sai.QueueStatCurrOccupancyCells), 500)
	check("queue, shared", stat(r, q, sai.QueueStatSharedCurrOccupancyBytes), held)
	check("queue's watermark", stat(r, q, sai.QueueStatWatermarkBytes), held)
	check("group", stat(r, g, sai.IngressPriorityGroupStatCurrOccupancyBytes), held)
	check("group, shared", stat(r, g, sai.IngressPriorityGroupStatSharedCurrOccupancyBytes), held)
	check("group's watermark", stat(r, g, sai.IngressPriorityGroupStatSharedWatermarkBytes), held)
	check("group's headroom", stat(r, g, sai.IngressPriorityGroupStatXoffRoomCurrOccupancyBytes), 0)
	check("ingress pool", stat(r, b.in, sai.BufferPoolStatCurrOccupancyBytes), held)
	check("egress pool", stat(r, b.out, sai.BufferPoolStatCurrOccupancyBytes), held)
	check("egress pool's watermark", stat(r, b.out, sai.BufferPoolStatWatermarkBytes), held)
	check("port in", stat(r, r.ports[0], sai.PortStatInCurrOccupancyBytes), held)
	check("port out", stat(r, r.ports[2], sai.PortStatOutCurrOccupancyBytes), held)
	check("port out, bytes", stat(r, r.ports[2], sai.PortStatIfOutQlen), 100*1086)
	check("packets of the group", stat(r, g, sai.IngressPriorityGroupStatPackets), 100)
	check("packets of the queue", stat(r, q, sai.QueueStatPackets), 0)
}

// TestClear: cleared counters count from then on, levels stay, watermarks are those
// of then; what was not asked for is left alone.
func TestClear(t *testing.T) {
	t.Parallel()
	for _, mode := range []sai.StatsMode{sai.StatsModeReadAndClear, sai.StatsModeBulkReadAndClear} {
		r, _ := fill(t)
		q, g := r.queue(2, 3), r.group(0, 3)
		r.sim.Storm(r.hosts[2], 0, 0)
		r.run(dataplane.Millisecond)
		const top = 100 * 5 * 256
		got := read(r, q, mode, sai.QueueStatPackets, sai.QueueStatCurrOccupancyBytes, sai.QueueStatWatermarkBytes)
		if got[0] != 100 || got[1] != 0 || got[2] != top {
			t.Errorf("before: %v, want 100 0 %d", got, top)
		}
		got = read(r, q, sai.StatsModeRead, sai.QueueStatPackets, sai.QueueStatCurrOccupancyBytes, sai.QueueStatWatermarkBytes, sai.QueueStatBytes, sai.QueueStatSharedWatermarkBytes)
		if got[0] != 0 || got[1] != 0 || got[2] != 0 || got[3] != 108600 || got[4] != top {
			t.Errorf("afterwards: %v, want 0 0 0 108600 %d", got, top)
		}
		if n := stat(r, g, sai.IngressPriorityGroupStatWatermarkBytes); n != top {
			t.Errorf("the group's watermark: %d, want %d", n, top)
		}
		r.flow(dataplane.FlowConfig{Bytes: 5 * 1024, Class: 3}, 0, 2)
		r.run(dataplane.Millisecond)
		if n := stat(r, q, sai.QueueStatPackets); n != 5 {
			t.Errorf("%d packets since, want 5", n)
		}
	}
}

// TestWatermarkOfNow: a watermark that is cleared is the level of now.
func TestWatermarkOfNow(t *testing.T) {
	t.Parallel()
	r, b := fill(t)
	const held = 100 * 5 * 256
	for range 2 {
		if n := read(r, b.out, sai.StatsModeReadAndClear, sai.BufferPoolStatWatermarkBytes)[0]; n != held {
			t.Errorf("watermark %d, want %d", n, held)
		}
	}
}

// TestTestChannel: values that tests set are added to those counted.
func TestTestChannel(t *testing.T) {
	t.Parallel()
	r, _ := fill(t)
	g := r.group(0, 3)
	packets := func() uint64 { return stat(r, g, sai.IngressPriorityGroupStatPackets) }
	for _, err := range []error{
		r.chip.AddStat(g.OID(), uint32(sai.IngressPriorityGroupStatPackets), 1000),
		r.chip.SetStat(r.ports[0].OID(), uint32(sai.PortStatIfInFECSymbolErrors), 7),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := packets(); n != 1100 {
		t.Errorf("%d packets, want 1100", n)
	}
	if err := r.chip.SetStat(g.OID(), uint32(sai.IngressPriorityGroupStatPackets), 5); err != nil {
		t.Fatal(err)
	}
	if n := packets(); n != 5 {
		t.Errorf("%d packets, want 5", n)
	}
	r.flow(dataplane.FlowConfig{Bytes: 3 * 1024, Class: 3}, 0, 2)
	r.run(100 * dataplane.Microsecond)
	if n := packets(); n != 8 {
		t.Errorf("%d packets, want 8", n)
	}
	if n := stat(r, r.ports[0], sai.PortStatIfInFECSymbolErrors); n != 7 {
		t.Errorf("a statistic that the dataplane does not have: %d, want 7", n)
	}
}

// TestInjectedState: what a test gives a read-only attribute stands.
func TestInjectedState(t *testing.T) {
	t.Parallel()
	r, _ := fill(t)
	q := r.queue(2, 3)
	if err := r.chip.SetReadOnly(q.OID(), sai.QueueAttrPauseStatus.Is(false).Attribute); err != nil {
		t.Fatal(err)
	}
	if get(r, q, sai.QueueAttrPauseStatus) {
		t.Error("what a test said does not stand")
	}
}

// TestDeadlock: the detector of a queue notifies the agent of a deadlock, releases
// packets, and notifies when it is over.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "default", 3)
		r.lossless(4 << 20)
		var news []sai.QueueDeadlockNotificationData
		v := r.sw.Notify(sai.OnQueuePFCDeadlock, func(n sai.Notification) {
			news = append(news, sai.Elems[sai.QueueDeadlockNotificationData](n)...)
		})
		if st := r.sw.Set(sai.SwitchObject{}.Meta(), sai.Key{OID: r.sw.ID.OID()}, sai.Attribute{AttrMeta: sai.SwitchAttrQueuePFCDeadlockNotify.AttrMeta, Value: v}); st != 0 {
			t.Fatal(st)
		}
		q := r.queue(2, 3)
		set(r, r.sw.ID, sai.SwitchAttrPFCTCDldInterval.Is([]sai.Map{{Key: 3, Value: 20}}), sai.SwitchAttrPFCTCDlrInterval.Is([]sai.Map{{Key: 3, Value: 10}}))
		set(r, r.ports[2], sai.PortAttrPFCTCDldInterval.Is([]sai.Map{{Key: 3, Value: 5}}))
		set(r, q, sai.QueueAttrEnablePFCDldr.Is(true))
		r.sync()
		r.sim.Storm(r.hosts[2], 1<<3, 0)
		r.run(10 * dataplane.Microsecond)
		r.flow(dataplane.FlowConfig{Bytes: 100 * 1024, Class: 3}, 0, 2)
		state := func() sai.QueuePFCContinuousDeadlockState { return get(r, q, sai.QueueAttrPFCContinuousDeadlockState) }
		r.run(4 * dataplane.Millisecond)
		if s := state(); s != sai.QueuePFCContinuousDeadlockStatePausedNotContinuous || !get(r, q, sai.QueueAttrPauseStatus) {
			t.Error("before the deadlock:", s)
		}
		r.run(2 * dataplane.Millisecond)
		if s := state(); s != sai.QueuePFCContinuousDeadlockStatePaused {
			t.Error("after 5 ms:", s)
		}
		synctest.Wait()
		r.sim.Storm(r.hosts[2], 0, 0)
		r.run(12 * dataplane.Millisecond)
		synctest.Wait()
		want := []sai.QueueDeadlockNotificationData{
			{QueueID: q.OID(), Event: sai.QueuePFCDeadlockEventTypeDetected},
			{QueueID: q.OID(), Event: sai.QueuePFCDeadlockEventTypeRecovered},
		}
		if len(news) != 2 || news[0] != want[0] || news[1] != want[1] {
			t.Errorf("news %+v, want %+v", news, want)
		}
		if d := stat(r, q, sai.QueueStatDroppedPackets); d != 100 {
			t.Errorf("%d packets dropped, want 100: that is the default action", d)
		}
		if s := state(); s != sai.QueuePFCContinuousDeadlockStateNotPaused {
			t.Error("at the end:", s)
		}
	})
}

// TestRecovery: an agent makes a queue ignore pauses for any time, and decides whether
// it drops packets.
func TestRecovery(t *testing.T) {
	t.Parallel()
	for action, drops := range map[sai.PacketAction]bool{sai.PacketActionDrop: true, sai.PacketActionForward: false} {
		r, _ := fill(t)
		q := r.queue(2, 3)
		set(r, q, sai.QueueAttrPFCDlrPacketAction.Is(action), sai.QueueAttrPFCDlrInit.Is(true))
		r.run(100 * dataplane.Microsecond)
		sent, dropped := stat(r, q, sai.QueueStatPackets), stat(r, q, sai.QueueStatDroppedPackets)
		if drops && (sent != 0 || dropped != 100) || !drops && (sent != 100 || dropped != 0) {
			t.Errorf("%v: %d packets sent, %d dropped, of 100", action, sent, dropped)
		}
		set(r, q, sai.QueueAttrPFCDlrInit.Is(false))
		r.run(10 * dataplane.Microsecond)
		r.flow(dataplane.FlowConfig{Bytes: 10 * 1024, Class: 3}, 1, 2)
		r.run(100 * dataplane.Microsecond)
		if n := stat(r, q, sai.QueueStatCurrOccupancyCells); n != 50 {
			t.Errorf("%v: %d cells wait after the recovery, want 50", action, n)
		}
	}
}

// TestLink: a port is up while the other end is.
func TestLink(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	state := func() sai.PortOperStatus { return get(r, r.ports[0], sai.PortAttrOperStatus) }
	want := func(what string, want sai.PortOperStatus) {
		t.Helper()
		if s := state(); s != want {
			t.Errorf("%s: %v, want %v", what, s, want)
		}
	}
	want("connected", sai.PortOperStatusUp)
	link := dataplane.Link{Delay: dataplane.Microsecond}
	cut := link
	cut.Cut = true
	for _, l := range []struct {
		link dataplane.Link
		want sai.PortOperStatus
	}{{cut, sai.PortOperStatusDown}, {link, sai.PortOperStatusUp}} {
		if err := r.sim.SetLink(r.hosts[0].Port(), l.link); err != nil {
			t.Fatal(err)
		}
		want("link", l.want)
	}
	cfg := r.hosts[0].Port().Config()
	cfg.Down = true
	r.sim.SetPort(r.hosts[0].Port(), cfg)
	want("the host's port off", sai.PortOperStatusDown)
	cfg.Down = false
	r.sim.SetPort(r.hosts[0].Port(), cfg)
	want("on", sai.PortOperStatusUp)
	if err := r.chip.SetLink(r.ports[0].OID(), false); err != nil {
		t.Fatal(err)
	}
	want("a test cut it", sai.PortOperStatusDown)
	f := r.flow(dataplane.FlowConfig{Bytes: 1024}, 0, 1)
	r.run(dataplane.Millisecond)
	if f.Done() {
		t.Error("a packet came through a link that is cut")
	}
}

// BenchmarkBulkStats reads 20 counters of every queue and group, and 60 of every
// port, of a switch with a dataplane.
func BenchmarkBulkStats(b *testing.B) {
	p, err := vsai.ProfileByName("th5")
	if err != nil {
		b.Fatal(err)
	}
	chip := vsai.New(vsai.Config{Profile: p, Record: -1})
	attach(b, chip)
	sw := &sai.Switch{Driver: chip}
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		b.Fatal(err)
	}
	type load struct {
		o   sai.Object
		n   int
		ids []sai.OID
	}
	loads := []load{{o: sai.Queue{}, n: 20}, {o: sai.IngressPriorityGroup{}, n: 15}, {o: sai.Port{}, n: 60}}
	counters := 0
	for i := range loads {
		keys, _ := sw.Objects(sw.ID.OID(), loads[i].o.Meta())
		for _, k := range keys {
			loads[i].ids = append(loads[i].ids, k.OID)
		}
		counters += len(keys) * loads[i].n
	}
	out, st := make([]uint64, counters), make([]sai.Status, 4096)
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range loads {
			var ids []uint32
			for _, s := range l.o.Meta().Stats[:l.n] {
				ids = append(ids, s.ID)
			}
			if s := sw.BulkStats(l.o.Meta(), sw.ID.OID(), l.ids, ids, sai.StatsModeBulkRead, st, out); s != 0 {
				b.Fatal(s)
			}
		}
	}
	b.ReportMetric(float64(counters), "counters")
}
