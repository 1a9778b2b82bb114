package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// down takes the port of a host down, or up.
func (s *star) down(host int, down bool) {
	p := s.hosts[host].Port()
	cfg := p.Config()
	cfg.Down = down
	s.SetPort(p, cfg)
}

// TestLinkDownForgetsPauses: when the link goes down both ends reset their pause state;
// when it is up again, groups that are still too full send XOFF again.
func TestLinkDownForgetsPauses(t *testing.T) {
	b := newBench(t, sending())
	b.open(1e6)
	b.send(t, 0, 3)
	b.block(true)
	b.pass(t, 20*us)
	in, host := b.sw.Ports()[0], b.hosts[0].Port()
	if !host.Paused(3) || in.Stopped() != 1<<3 {
		t.Fatalf("paused %v, stopped %08b; want the sender to rest", host.Paused(3), in.Stopped())
	}
	xoffs := in.Stats.PFCSent[3]
	b.down(0, true)
	if host.Paused(3) || in.Stopped() != 0 || in.Up() || host.Up() {
		t.Errorf("down: paused %v, stopped %08b, up %v, %v; want no, 0, no, no", host.Paused(3), in.Stopped(), in.Up(), host.Up())
	}
	b.pass(t, 500*us) // longer than any pause
	if n := in.Stats.PFCSent[3]; n != xoffs {
		t.Errorf("%d frames were told while the link was down", n-xoffs)
	}
	b.down(0, false)
	b.pass(t, us)
	if !host.Paused(3) || in.Stopped() != 1<<3 {
		t.Errorf("up again: paused %v, stopped %08b; want the sender to rest", host.Paused(3), in.Stopped())
	}
	if got := host.Stats.OnToOff[3]; got != 1 || host.Stats.PausedFor[3] > 20*us {
		t.Errorf("%d pauses of %v in all ended, want one of less than 20µs", got, host.Stats.PausedFor[3])
	}
}

// TestLinkDownForgetsHeardPauses: a pause received but not yet applied is discarded
// too.
func TestLinkDownForgetsHeardPauses(t *testing.T) {
	port := receivingPFC(100e9)
	port.Response = 2 * us
	b := newBench(t, port)
	b.deliver(t, pfc(1<<3, 0xFFFF))
	b.pass(t, us)
	b.down(1, true)
	b.down(1, false)
	b.pass(t, 5*us)
	if b.port.Paused(3) {
		t.Error("the port is paused by a frame from before its link went down")
	}
	b.deliver(t, pfc(1<<3, 0xFFFF))
	b.pass(t, 2*us)
	if !b.port.Paused(3) {
		t.Error("the port is not paused by a frame after its link came up")
	}
}

// TestLinkDownDropsQueues: packets for a port without link are dropped, queued and
// arriving ones, so that they block no other port.
func TestLinkDownDropsQueues(t *testing.T) {
	b := newBench(t, sending())
	b.open(60000)
	b.send(t, 0, 3)
	b.send(t, 2, 3)
	b.pass(t, 100*us)
	if b.sw.Queue(1, 3).Length == 0 || b.sw.Ports()[0].Stats.PFCSent[3] == 0 {
		t.Fatal("want a queue and pauses to begin with")
	}
	other, err := b.AddFlow(dataplane.FlowConfig{From: b.hosts[0], To: b.hosts[2], Class: 4, Bytes: 100000})
	if err != nil {
		t.Fatal(err)
	}
	b.down(1, true)
	if q := b.sw.Queue(1, 3); q.Length != 0 || q.Dropped == 0 || b.sw.Drops(dataplane.DropLink) != q.Dropped {
		t.Errorf("the queue holds %d bytes, dropped %d, the switch %d; want 0, and equal numbers", q.Length, q.Dropped, b.sw.Drops(dataplane.DropLink))
	}
	b.pass(t, us) // earlier frames have arrived
	xoffs := b.sw.Ports()[0].Stats.PFCSent[3]
	b.pass(t, 200*us)
	if n := b.sw.Ports()[0].Stats.PFCSent[3]; n != xoffs || b.hosts[0].Port().Paused(3) {
		t.Errorf("%d frames told meanwhile, sender paused %v; want none", n-xoffs, b.hosts[0].Port().Paused(3))
	}
	if !other.Done() || b.sw.Group(0, 3).Held != 0 {
		t.Errorf("the other flow is done: %v; the group holds %d; want it done, 0", other.Done(), b.sw.Group(0, 3).Held)
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	sent := b.port.Stats.OutPackets
	b.down(1, false)
	b.pass(t, 10*us)
	if b.port.Stats.OutPackets == sent {
		t.Error("nothing is sent when the link is up again")
	}
}

// TestLinkDownLosesTheWire: frames in flight on a link that went down do not arrive,
// even if it is up again by then, and a pause in flight has no effect.
func TestLinkDownLosesTheWire(t *testing.T) {
	s := newStar(t, rig{sim: dataplane.Config{CheckEvents: true}, port: sending(), hosts: 2, link: dataplane.Link{Delay: 10 * us}})
	s.open(60000)
	f, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Class: 3, Bytes: 20000})
	if err != nil {
		t.Fatal(err)
	}
	s.Storm(s.hosts[0], 1<<5, 0)
	s.Storm(s.hosts[0], 1<<5, dataplane.Second) // once more, and then no more
	s.pass(t, 5*us)
	if f.Stats.Sent == 0 {
		t.Fatal("nothing is on the wire")
	}
	s.down(0, true)
	s.down(0, false)
	s.pass(t, 20*us)
	if f.Stats.Received != 0 || s.sw.Ports()[0].Paused(5) || s.sw.Ports()[0].Stats.InPackets != 0 {
		t.Errorf("%d packets arrived, paused %v; want all on the wire lost", f.Stats.Received, s.sw.Ports()[0].Paused(5))
	}
}
