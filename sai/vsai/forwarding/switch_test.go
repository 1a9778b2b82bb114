package forwarding_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// TestCopies: a packet to an unknown station reaches it, and copies reach the other
// ports of the VLAN, each charged separately, until the station answers. None waits for
// a missing link.
func TestCopies(t *testing.T) {
	b := bare(t, 5)
	b.lan(10, 0, 1, 2, 3, 4)
	b.sw.SetPool(0, dataplane.Pool{Size: 1 << 20})
	b.sw.SetPool(1, dataplane.Pool{Size: 1 << 20, Egress: true})
	for i := range b.sw.Ports() {
		b.sw.SetGroup(i, 0, dataplane.Buffer{})
		b.sw.SetQueue(i, 0, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	}
	hosts := make([]*dataplane.Host, 4)
	for i := range hosts {
		port := b.sw.Ports()[i]
		h, err := b.sim.AddHost(dataplane.HostConfig{Name: "h", MAC: station(i), Port: port.Config(), AckClass: -1})
		b.do(err, b.sim.Connect(h.Port(), port, dataplane.Link{Delay: dataplane.Microsecond}))
		hosts[i] = h
	}
	var seen dataplane.Counter
	b.do(b.SetACL(1, forwarding.ACL{Entries: []forwarding.Entry{{Do: forwarding.Actions{Count: &seen}}}}))
	f, err := b.sim.AddFlow(dataplane.FlowConfig{From: hosts[0], To: hosts[2], Bytes: 100 << 10})
	b.do(err, b.sim.Run(dataplane.Millisecond), b.sim.Check())
	if !f.Done() {
		t.Errorf("%d bytes arrived", f.Stats.Delivered)
	}
	to := hosts[2].Port().Stats.InPackets
	for _, i := range []int{1, 3} {
		if n := hosts[i].Port().Stats.InPackets; n == 0 || n > to/2 || n != hosts[4-i].Port().Stats.InPackets {
			t.Errorf("host %d got %d frames of %d: want those before the first answer", i, n, to)
		}
	}
	if n := b.sw.QueueCounters(4, 0).HeldMost; n != 0 {
		t.Errorf("%d cells waited for a link", n)
	}
	if seen.Packets != to+hosts[0].Port().Stats.InPackets {
		t.Errorf("%d frames counted, %d and %d arrived", seen.Packets, to, hosts[0].Port().Stats.InPackets)
	}
}
