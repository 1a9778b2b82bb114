package bridge_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

func attach(t testing.TB, chip *vsai.Chip) *bridge.Device {
	t.Helper()
	d, err := bridge.Attach(dataplane.New(dataplane.Config{}), chip, "sw")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestAttachLater: attaching after an agent has programmed a chip gives the same as
// before.
func TestAttachLater(t *testing.T) {
	t.Parallel()
	chip := vsai.New(vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{9, 10, 11, 12}, SpeedMbps: 40000}, {Lanes: []uint32{1, 2, 3, 4}, SpeedMbps: 100000}}})
	sw := &sai.Switch{Driver: chip}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	d := attach(t, chip)
	for lane, rate := range map[uint32]uint64{9: 40e9, 1: 100e9} {
		if p := d.PortByLane(lane); p == nil || p.Config().Rate != rate {
			t.Errorf("lane %d: want a port of %d bit/s", lane, rate)
		}
	}
	if d.PortByLane(2) != nil || d.PortByLane(13) != nil {
		t.Error("a port by a lane that is not its first, or nobody's")
	}
}

// TestBreakout: a port with traffic is removed, two replace it, and one of them has its
// link. Their counters start at zero.
func TestBreakout(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 3)
	r.flow(dataplane.FlowConfig{Rate: 80e9}, 0, 1)
	r.flow(dataplane.FlowConfig{Rate: 80e9}, 2, 1)
	r.run(100 * dataplane.Microsecond)
	old := r.dev.PortByLane(5)
	if stat(r, r.queue(1, 0), sai.QueueStatPackets) == 0 || old != r.hosts[1].Port().Peer() {
		t.Fatal("nothing moves")
	}
	r.unbridge(old)
	remove(r, r.ports[1])
	r.run(100 * dataplane.Microsecond) // packets are in flight, and queued
	if r.dev.PortByLane(5) != nil {
		t.Error("a port that is gone is there")
	}
	if err := r.sim.Check(); err != nil {
		t.Error(err)
	}
	var halves []sai.ID[sai.Port]
	for _, lanes := range [][]uint32{{5, 6}, {7, 8}} {
		halves = append(halves, create(r, sai.PortAttrHwLaneList.Is(lanes), sai.PortAttrSpeed.Is(uint32(50000)), sai.PortAttrAdminState.Is(true)))
	}
	r.run(100 * dataplane.Microsecond)
	first, second := r.dev.PortByLane(5), r.dev.PortByLane(7)
	if first != old || second == nil || second == old || first.Config().Rate != 50e9 {
		t.Errorf("the first half is %v, the second %v", first, second)
	}
	if s := get(r, halves[0], sai.PortAttrOperStatus); s != sai.PortOperStatusUp {
		t.Error("the half with the link is", s)
	}
	if s := get(r, halves[1], sai.PortAttrOperStatus); s != sai.PortOperStatusDown {
		t.Error("the half without a link is", s)
	}
	for _, s := range []sai.Stat[sai.Port]{sai.PortStatIfOutOctets, sai.PortStatIfOutUcastPkts, sai.PortStatIfOutDiscards, sai.PortStatIfInOctets} {
		if n := stat(r, halves[0], s); n > 100*1086 {
			t.Errorf("statistic %d of a new port: %d", s, n)
		}
	}
	if n := stat(r, get(r, halves[0], sai.PortAttrQoSQueueList)[0], sai.QueueStatWatermarkBytes); n != 0 {
		t.Errorf("the watermark of a new queue: %d", n)
	}
	vlan := get(r, r.sw.ID, sai.SwitchAttrDefaultVLANID)
	b := create(r, sai.BridgePortAttrType.Is(sai.BridgePortTypePort), sai.BridgePortAttrPortID.Is(halves[0].OID()), sai.BridgePortAttrAdminState.Is(true))
	create(r, sai.VLANMemberAttrVLANID.Is(vlan), sai.VLANMemberAttrBridgePortID.Is(b))
	f := r.flow(dataplane.FlowConfig{Bytes: 100 * 1024}, 0, 1)
	r.run(5 * dataplane.Millisecond)
	if !f.Done() {
		t.Error("nothing comes through the first half")
	}
}

// TestInFlight: everything is rewritten while queues are full. Nothing is lost that
// was charged, and at the end nothing is held.
func TestInFlight(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 5)
	b := r.lossless(2 << 20)
	for i := range 4 {
		r.flow(dataplane.FlowConfig{Bytes: 3 << 20, Class: 3, Timeout: 100 * dataplane.Microsecond}, i, 4)
	}
	other := create(r, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress), sai.BufferPoolAttrSize.Is(uint64(1<<20)))
	dynamic := sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic)
	small := create(r, sai.BufferProfileAttrPoolID.Is(other), sai.BufferProfileAttrReservedBufferSize.Is(uint64(4096)), dynamic,
		sai.BufferProfileAttrSharedDynamicTH.Is(int8(-2)), sai.BufferProfileAttrXoffTH.Is(uint64(100000)), sai.BufferProfileAttrXonTH.Is(uint64(4096)))
	for i, do := range []func(int){
		func(p int) { set(r, r.group(p, 3), sai.IngressPriorityGroupAttrBufferProfile.Is(small)) },
		func(int) { set(r, b.lossless, sai.BufferProfileAttrSharedDynamicTH.Is(int8(-3))) },
		func(int) { set(r, b.in, sai.BufferPoolAttrSize.Is(uint64(1<<20))) },
		func(p int) { set(r, r.ports[p], sai.PortAttrPriorityFlowControl.Is(uint8(0))) },
		func(p int) { set(r, r.group(p, 3), sai.IngressPriorityGroupAttrBufferProfile.Is(b.lossless)) },
		func(p int) { set(r, r.ports[p], sai.PortAttrPriorityFlowControl.Is(uint8(1<<3))) },
		func(p int) { set(r, r.ports[p], sai.PortAttrSpeed.Is(uint32(50000))) },
		func(int) { set(r, r.queue(4, 3), sai.QueueAttrBufferProfileID.Is(sai.ID[sai.BufferProfile](0))) },
		func(int) { set(r, r.queue(4, 3), sai.QueueAttrBufferProfileID.Is(b.queue)) },
	} {
		for p := range 4 {
			do(p)
			r.run(10 * dataplane.Microsecond)
		}
		if i == 8 {
			r.run(20 * dataplane.Millisecond)
		}
	}
	for _, f := range r.sim.Flows() {
		if !f.Done() {
			t.Error("a flow did not end")
		}
	}
	for _, id := range []sai.ID[sai.BufferPool]{b.in, b.out, other} {
		if n := stat(r, id, sai.BufferPoolStatCurrOccupancyBytes) + stat(r, id, sai.BufferPoolStatXoffRoomCurrOccupancyBytes); n != 0 {
			t.Errorf("%d bytes are held at the end", n)
		}
	}
}
