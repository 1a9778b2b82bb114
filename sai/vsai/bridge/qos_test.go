package bridge_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// shares sends from two hosts to a third in two classes at line rate, and returns
// the bytes of each class that came through in a millisecond.
func shares(r *rig, classes ...uint8) []uint64 {
	r.t.Helper()
	for i, c := range classes {
		r.flow(dataplane.FlowConfig{Class: c}, i, len(classes))
	}
	r.run(200 * dataplane.Microsecond) // until the queues have filled
	var out []uint64
	for _, c := range classes {
		out = append(out, stat(r, r.queue(len(classes), int(c)), sai.QueueStatBytes))
	}
	r.run(dataplane.Millisecond)
	for i, c := range classes {
		out[i] = stat(r, r.queue(len(classes), int(c)), sai.QueueStatBytes) - out[i]
	}
	return out
}

func ratio(a, b uint64) float64 { return float64(a) / float64(max(b, 1)) }

// TestScheduler: schedulers of queues, or of the scheduler groups above them, share
// the port.
func TestScheduler(t *testing.T) {
	t.Parallel()
	weight := func(r *rig, n uint8) sai.ID[sai.Scheduler] {
		return create(r, sai.SchedulerAttrSchedulingType.Is(sai.SchedulingTypeDwrr), sai.SchedulerAttrSchedulingWeight.Is(n))
	}
	for _, x := range []struct {
		what    string
		program func(*rig)
		lo, hi  float64 // of class 1 to class 2
	}{
		{"nothing", func(*rig) {}, 0.95, 1.05},
		{"30 to 10 by the queue", func(r *rig) {
			set(r, r.queue(2, 1), sai.QueueAttrSchedulerProfileID.Is(weight(r, 30)))
			set(r, r.queue(2, 2), sai.QueueAttrSchedulerProfileID.Is(weight(r, 10)))
		}, 2.9, 3.1},
		{"30 to 10 by the group", func(r *rig) {
			groups := get(r, r.ports[2], sai.PortAttrQoSSchedulerGroupList)
			set(r, groups[1], sai.SchedulerGroupAttrSchedulerProfileID.Is(weight(r, 30)))
			set(r, groups[2], sai.SchedulerGroupAttrSchedulerProfileID.Is(weight(r, 10)))
		}, 2.9, 3.1},
		{"class 2 strict", func(r *rig) {
			set(r, r.queue(2, 2), sai.QueueAttrSchedulerProfileID.Is(create(r, sai.SchedulerAttrSchedulingType.Is(sai.SchedulingTypeStrict))))
		}, 0, 0.01},
		{"class 1 shaped to 20 Gb/s", func(r *rig) {
			set(r, r.queue(2, 1), sai.QueueAttrSchedulerProfileID.Is(create(r, sai.SchedulerAttrSchedulingType.Is(sai.SchedulingTypeDwrr),
				sai.SchedulerAttrMeterType.Is(sai.MeterTypeBytes), sai.SchedulerAttrMaxBandwidthRate.Is(uint64(2_500_000_000)))))
		}, 0.25, 0.27},
	} {
		r := newRig(t, "default", 3)
		r.trust()
		x.program(r)
		got := shares(r, 1, 2)
		if q := ratio(got[0], got[1]); q < x.lo || q > x.hi {
			t.Errorf("%s: %d to %d bytes, %.3f, want %.2f to %.2f", x.what, got[0], got[1], q, x.lo, x.hi)
		}
	}
}

// TestPortShaper: a port's scheduler bounds all that leaves.
func TestPortShaper(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 3)
	r.trust()
	set(r, r.ports[2], sai.PortAttrQoSSchedulerProfileID.Is(create(r, sai.SchedulerAttrMeterType.Is(sai.MeterTypeBytes),
		sai.SchedulerAttrMaxBandwidthRate.Is(uint64(5_000_000_000)))))
	got := shares(r, 1, 2)
	if sum := got[0] + got[1]; sum < 4_900_000 || sum > 5_100_000 {
		t.Errorf("%d bytes in a millisecond, want 5,000,000", sum)
	}
}

// TestMaps: which queue and group packets are in, and how they are remarked, is what
// the maps say, of the port or of the switch.
func TestMaps(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	item := func(k, v sai.QoSMapParams) sai.Setting[sai.QoSMap] {
		return sai.QoSMapAttrMapToValueList.Is([]sai.QoSMapItem{{Key: k, Value: v}})
	}
	of := func(typ sai.QoSMapType, k, v sai.QoSMapParams) sai.ID[sai.QoSMap] {
		return create(r, sai.QoSMapAttrType.Is(typ), item(k, v))
	}
	sent := func(queue, group int) (uint64, uint64) {
		return stat(r, r.queue(1, queue), sai.QueueStatPackets), stat(r, r.group(0, group), sai.IngressPriorityGroupStatPackets)
	}
	send := func(dscp uint8) {
		r.flow(dataplane.FlowConfig{Bytes: 1024, Class: 5, DSCP: dscp}, 0, 1)
		r.run(100 * dataplane.Microsecond)
	}
	want := func(what string, queue, group int, packets uint64) {
		t.Helper()
		if q, g := sent(queue, group); q != packets || g != packets {
			t.Errorf("%s: %d packets of queue %d, %d of group %d, want %d", what, q, queue, g, group, packets)
		}
	}
	send(26)
	want("no map", 0, 0, 1)
	set(r, r.ports[0], sai.PortAttrQoSDefaultTC.Is(uint8(7)))
	send(26)
	want("the port's default class", 7, 7, 1)
	set(r, r.sw.ID, sai.SwitchAttrQoSDSCPToTCMap.Is(of(sai.QoSMapTypeDSCPToTC, sai.QoSMapParams{DSCP: 26}, sai.QoSMapParams{TC: 4})))
	send(26)
	want("the switch's map", 4, 4, 1)
	m := of(sai.QoSMapTypeDSCPToTC, sai.QoSMapParams{DSCP: 26}, sai.QoSMapParams{TC: 3})
	set(r, r.ports[0], sai.PortAttrQoSDSCPToTCMap.Is(m))
	send(26)
	want("the port's map", 3, 3, 1)
	send(27)
	want("a DSCP that it does not name", 7, 7, 2)
	set(r, m, item(sai.QoSMapParams{DSCP: 26}, sai.QoSMapParams{TC: 2}))
	send(26)
	want("the map changed", 2, 2, 1)
	set(r, r.ports[0], sai.PortAttrQoSTCToPriorityGroupMap.Is(of(sai.QoSMapTypeTCToPriorityGroup, sai.QoSMapParams{TC: 2}, sai.QoSMapParams{Pg: 6})))
	set(r, r.ports[1], sai.PortAttrQoSTCToQueueMap.Is(of(sai.QoSMapTypeTCToQueue, sai.QoSMapParams{TC: 2}, sai.QoSMapParams{QueueIndex: 6})))
	send(26)
	want("maps of queue and group", 6, 6, 1)
}

// TestMarking: WRED profiles mark what can be marked and drop the rest, by colour.
func TestMarking(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		what         string
		ecn          bool
		program      func(*rig, sai.ID[sai.Wred])
		marks, drops bool
	}{
		{"marked", true, func(*rig, sai.ID[sai.Wred]) {}, true, false},
		{"can't be marked", false, func(*rig, sai.ID[sai.Wred]) {}, false, true},
		{"not to be marked", true, func(r *rig, w sai.ID[sai.Wred]) { set(r, w, sai.WredAttrECNMarkMode.Is(sai.ECNMarkModeNone)) }, false, true},
		{"another colour's mode", true, func(r *rig, w sai.ID[sai.Wred]) {
			set(r, w, sai.WredAttrECNMarkMode.Is(sai.ECNMarkModeYellow), sai.WredAttrGreenEnable.Is(false))
		}, false, false},
		{"curves of their own, higher", true, func(r *rig, w sai.ID[sai.Wred]) {
			set(r, r.sw.ID, sai.SwitchAttrECNEctThresholdEnable.Is(true))
			set(r, w, sai.WredAttrECNGreenMaxThreshold.Is(uint32(1<<30)), sai.WredAttrECNGreenMinThreshold.Is(uint32(1<<29)), sai.WredAttrECNGreenMarkProbability.Is(uint32(100)))
		}, false, false},
	} {
		r := newRig(t, "default", 3)
		w := create(r, sai.WredAttrGreenEnable.Is(true), sai.WredAttrGreenMinThreshold.Is(uint32(20000)), sai.WredAttrGreenMaxThreshold.Is(uint32(40000)),
			sai.WredAttrGreenDropProbability.Is(uint32(100)), sai.WredAttrECNMarkMode.Is(sai.ECNMarkModeAll))
		x.program(r, w)
		q := r.queue(2, 0)
		set(r, q, sai.QueueAttrWredProfileID.Is(w))
		for i := range 2 {
			r.flow(dataplane.FlowConfig{Bytes: 200 * 1024, ECN: x.ecn}, i, 2)
		}
		r.run(dataplane.Millisecond)
		marks, drops := stat(r, q, sai.QueueStatWredECNMarkedPackets), stat(r, q, sai.QueueStatGreenWredDroppedPackets)
		if (marks > 0) != x.marks || (drops > 0) != x.drops {
			t.Errorf("%s: %d marks, %d drops", x.what, marks, drops)
		}
		if n := stat(r, r.ports[2], sai.PortStatECNMarkedPackets); n != marks {
			t.Errorf("%s: the port counts %d marks, the queue %d", x.what, n, marks)
		}
		if n := stat(r, r.ports[2], sai.PortStatWredDroppedPackets); n != drops {
			t.Errorf("%s: the port counts %d drops, the queue %d", x.what, n, drops)
		}
	}
}

// TestMarkingAtDequeue: with the custom attribute packets are marked as they leave,
// without it as they come. The virtual switch counts the bytes of the queue: 47 frames of
// 1086 are above 51000. A Tomahawk5 counts its cells: above 201 of them (51054 bytes) are
// 41 frames, of 5 cells each.
func TestMarkingAtDequeue(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		chip  string
		late  bool
		marks uint64 // of 101 frames
	}{{"default", true, 54}, {"default", false, 54}, {"th5", true, 60}, {"th5", false, 60}} {
		late := x.late
		r := newRig(t, x.chip, 3)
		r.lossless(4 << 20)
		w := create(r, sai.WredAttrGreenMinThreshold.Is(uint32(50000)), sai.WredAttrGreenMaxThreshold.Is(uint32(51000)),
			sai.WredAttrGreenDropProbability.Is(uint32(100)), sai.WredAttrECNMarkMode.Is(sai.ECNMarkModeAll))
		set(r, w, sai.WredAttrXonMarkAtDequeue.Is(late))
		q := r.queue(2, 3)
		set(r, q, sai.QueueAttrWredProfileID.Is(w))
		r.sync()
		r.sim.Storm(r.hosts[2], 1<<3, 0)
		r.run(10 * dataplane.Microsecond)
		r.flow(dataplane.FlowConfig{Bytes: 101 * 1024, Class: 3, ECN: true}, 0, 2)
		r.run(100 * dataplane.Microsecond)
		before := stat(r, q, sai.QueueStatWredECNMarkedPackets)
		r.sim.Storm(r.hosts[2], 0, 0)
		r.run(dataplane.Millisecond)
		after := stat(r, q, sai.QueueStatWredECNMarkedPackets) - before
		const spare = 1 // the packet that is on the wire when the storm begins
		marks, none := after, before
		if !late {
			marks, none = before, after
		}
		if none != 0 || marks < x.marks-spare || marks > x.marks+spare {
			t.Errorf("%s, at dequeue %v: %d marks as they came, %d as they left; want %d ± %d", x.chip, late, before, after, x.marks, spare)
		}
	}
}

// TestPause: ports stop each other with 802.3x if PFC is off, one way or both.
func TestPause(t *testing.T) {
	t.Parallel()
	for mode, sends := range map[sai.PortFlowControlMode]bool{
		sai.PortFlowControlModeDisable: false, sai.PortFlowControlModeTxOnly: true,
		sai.PortFlowControlModeRxOnly: false, sai.PortFlowControlModeBothEnable: true,
	} {
		r := newRig(t, "default", 3)
		r.lossless(1 << 20)
		for _, p := range r.ports {
			set(r, p, sai.PortAttrPriorityFlowControl.Is(uint8(0)), sai.PortAttrGlobalFlowControlMode.Is(mode))
		}
		for i := range 2 {
			r.flow(dataplane.FlowConfig{Bytes: 1 << 20, Class: 3}, i, 2)
		}
		r.run(dataplane.Millisecond)
		n, pfc := stat(r, r.ports[0], sai.PortStatPauseTxPkts), stat(r, r.ports[0], sai.PortStatPFC3TxPkts)
		if (n > 0) != sends || pfc != 0 {
			t.Errorf("%v: %d pause frames, %d PFC frames", mode, n, pfc)
		}
	}
}

// TestAsymmetric: the masks for sending and receiving PFC can differ.
func TestAsymmetric(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 3)
	r.lossless(1 << 20)
	for _, p := range r.ports {
		set(r, p, sai.PortAttrPriorityFlowControlMode.Is(sai.PortPriorityFlowControlModeSeparate))
		set(r, p, sai.PortAttrPriorityFlowControlRx.Is(uint8(0xff)), sai.PortAttrPriorityFlowControlTx.Is(uint8(0)))
	}
	r.sync()
	r.sim.Storm(r.hosts[2], 1<<3, 0)
	r.flow(dataplane.FlowConfig{Class: 3}, 0, 2)
	r.run(dataplane.Millisecond)
	if n := stat(r, r.ports[0], sai.PortStatPFC3TxPkts); n != 0 {
		t.Errorf("%d PFC frames of a port that may send none", n)
	}
	us := stat(r, r.ports[2], sai.PortStatPFC3RxPauseDurationUs)
	if n := stat(r, r.ports[2], sai.PortStatPFC3RxPkts); n < 2 || us < 900 || us > 1000 {
		t.Errorf("%d PFC frames heeded for %d us of 1000", n, us)
	}
	if paused := get(r, r.queue(2, 3), sai.QueueAttrPauseStatus); !paused {
		t.Error("the queue is not paused")
	}
	if paused := get(r, r.queue(2, 4), sai.QueueAttrPauseStatus); paused {
		t.Error("another queue is paused")
	}
}

// TestMTU: a frame above the MTU is an error, not a discard.
func TestMTU(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	set(r, r.ports[0], sai.PortAttrMTU.Is(uint32(1085)))
	r.flow(dataplane.FlowConfig{Bytes: 10 * 1024}, 0, 1) // 1086 bytes each
	r.run(dataplane.Millisecond)
	if n, d := stat(r, r.ports[0], sai.PortStatIfInErrors), stat(r, r.ports[0], sai.PortStatIfInDiscards); n != 10 || d != 0 {
		t.Errorf("%d errors, %d discards, want 10 errors", n, d)
	}
}
