package bridge_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

// TestAttachOnce: a chip is a switch of one simulation.
func TestAttachOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	if _, err := bridge.Attach(r.sim, r.chip, "again"); err == nil {
		t.Error("a chip was attached twice")
	}
}

// TestFactory: a chip without any buffer configuration forwards and counts packets.
func TestFactory(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	f := r.flow(dataplane.FlowConfig{Bytes: 100 * 1024}, 0, 1)
	r.run(dataplane.Millisecond)
	if !f.Done() {
		t.Fatal("the flow did not end")
	}
	for _, x := range []struct {
		what string
		got  uint64
		want uint64
	}{
		{"packets in", stat(r, r.ports[0], sai.PortStatIfInUcastPkts), 100},
		{"bytes in", stat(r, r.ports[0], sai.PortStatIfInOctets), 100 * 1086},
		{"frames of 1024 to 1518 bytes in", stat(r, r.ports[0], sai.PortStatEtherInPkts1024To1518Octets), 100},
		{"packets out", stat(r, r.ports[1], sai.PortStatIfOutUcastPkts), 100},
		{"acknowledgements in", stat(r, r.ports[1], sai.PortStatEtherInPkts65To127Octets), 100},
		{"packets of queue 0", stat(r, r.queue(1, 0), sai.QueueStatPackets), 100},
		{"bytes of queue 0", stat(r, r.queue(1, 0), sai.QueueStatBytes), 100 * 1086},
		{"packets of queue 1", stat(r, r.queue(1, 1), sai.QueueStatPackets), 0},
		{"packets of group 0", stat(r, r.group(0, 0), sai.IngressPriorityGroupStatPackets), 100},
		{"discards", stat(r, r.ports[0], sai.PortStatIfInDiscards), 0},
		{"held", stat(r, r.group(0, 0), sai.IngressPriorityGroupStatCurrOccupancyBytes), 0},
	} {
		if x.got != x.want {
			t.Errorf("%s: %d, want %d", x.what, x.got, x.want)
		}
	}
}

// TestLossless: on chips of each kind, with buffers, maps and PFC by SAI alone, an
// incast pauses and drops nothing; without PFC it drops.
func TestLossless(t *testing.T) {
	t.Parallel()
	for _, p := range vsai.Profiles() {
		for _, pfc := range []bool{true, false} {
			r := newRig(t, p.Name, 5)
			b := r.lossless(4 << 20)
			if !pfc {
				for _, p := range r.ports {
					set(r, p, sai.PortAttrPriorityFlowControl.Is(uint8(0)))
				}
			}
			for i := range 4 {
				r.flow(dataplane.FlowConfig{Bytes: 4 << 20, Class: 3}, i, 4)
			}
			r.run(2 * dataplane.Millisecond)
			sent, paused := uint64(0), uint64(0)
			drops := stat(r, r.queue(4, 3), sai.QueueStatDroppedPackets)
			for i := range 4 {
				sent += stat(r, r.ports[i], sai.PortStatPFC3TxPkts)
				paused += stat(r, r.ports[i], sai.PortStatPFC3TxPauseDurationUs)
				drops += stat(r, r.group(i, 3), sai.IngressPriorityGroupStatDroppedPackets)
			}
			top := stat(r, b.in, sai.BufferPoolStatWatermarkBytes)
			if pfc != (sent > 0) || pfc != (paused > 0) || pfc == (drops > 0) || top < 1<<18 || top > 4<<20 {
				t.Errorf("%s, PFC %v: %d PFC frames, %d us of stops, %d drops, %d bytes of the pool", p.Name, pfc, sent, paused, drops, top)
			}
		}
	}
}
