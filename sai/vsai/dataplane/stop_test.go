package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// sending is a port that stops classes 3 and 4, and reacts to all.
func sending() dataplane.PortConfig {
	return dataplane.PortConfig{Rate: 100e9, PFCSend: 0b11000, PFCReceive: 0xFF}
}

// block stops port 1 from sending, or releases it.
func (b *bench) block(on bool) {
	p := b.port.Config()
	p.TxOff = on
	b.SetPort(b.port, p)
}

// xoffFrames returns the PFC frames of class 3 that port 0 of the switch sent.
func (b *bench) xoffFrames() (out []dataplane.Observation) {
	for _, o := range b.seen {
		if o.Kind == dataplane.SeenPFCSent && o.Port == b.sw.Ports()[0] && o.Class == 3 {
			out = append(out, o)
		}
	}
	return out
}

// TestRefresh: XOFF is repeated at half the pause time while it lasts, so that the
// sender pauses without a gap, and ended with time 0.
func TestRefresh(t *testing.T) {
	port := sending()
	port.Quanta = 1000 // 5.12 µs
	b := newBench(t, port)
	b.open(100000)
	b.send(t, 0, 3)
	b.block(true)
	b.pass(t, 50*dataplane.Microsecond)
	quiet := b.Now() // until then nothing else is sent by the port
	b.block(false)
	b.pass(t, 10*dataplane.Microsecond)
	xoffs := b.xoffFrames()
	if n := len(xoffs); n < 10 || xoffs[n-1].On {
		t.Fatalf("told %d times, want pauses and then a resume", n)
	}
	for i := 1; i < len(xoffs)-1; i++ {
		if got := xoffs[i].At - xoffs[i-1].At; !xoffs[i].On || xoffs[i].At < quiet && got != 2560*dataplane.Nanosecond {
			t.Errorf("pause %d was told %v after the one before, want 2.56µs", i, got)
		}
	}
	s := b.hosts[0].Port().Stats
	if s.OnToOff[3] != 1 || s.PFCHeard[3] != uint64(len(xoffs)) {
		t.Errorf("the sender rested %d times and heard %d frames, want once and %d", s.OnToOff[3], s.PFCHeard[3], len(xoffs))
	}
	// The span at the sender is that at the switch: the frames are as long.
	sw := b.sw.Ports()[0].Stats
	if sw.PFCSent[3] != uint64(len(xoffs)) || sw.StoppedFor[3] == 0 || s.PausedFor[3] != sw.StoppedFor[3] {
		t.Errorf("%d frames, %d ps stopped, %d ps paused; want %d and equal spans", sw.PFCSent[3], sw.StoppedFor[3], s.PausedFor[3], len(xoffs))
	}
}

// TestRefreshOfShortPauses: pauses that are shorter than their own frames do not pile
// up.
func TestRefreshOfShortPauses(t *testing.T) {
	port := sending()
	port.Quanta = 1
	b := newBench(t, port)
	b.open(1e6)
	b.send(t, 0, 3)
	b.block(true)
	b.pass(t, 20*dataplane.Microsecond)
	if n := len(b.xoffFrames()); n < 100 || n > 2976 { // 20 µs of frames of 6.72 ns
		t.Errorf("told %d times, want 100 to 2976", n)
	}
}

// TestClassesShareAFrame: requests for several classes while the wire is busy share a
// frame, unless one cancels a request that has not been sent.
func TestClassesShareAFrame(t *testing.T) {
	b := newBench(t, sending())
	b.open(1e6)
	b.send(t, 0, 3)
	b.send(t, 0, 4)
	b.block(true)
	in := b.sw.Ports()[0]
	off := in.Config()
	off.TxOff = true
	b.SetPort(in, off)
	b.pass(t, 20*dataplane.Microsecond)
	if in.Stopped() != 0b11000 || in.Stats.OutPackets != 0 {
		t.Fatalf("stopped %08b, %d frames sent; want both classes stopped and nothing told yet", in.Stopped(), in.Stats.OutPackets)
	}
	off.TxOff = false
	b.SetPort(in, off)
	b.pass(t, 100*dataplane.Nanosecond)
	if in.Stats.OutPackets != 1 || in.Stats.PFCSent[3] != 1 || in.Stats.PFCSent[4] != 1 {
		t.Errorf("%d frames tell %d of class 3 and %d of class 4, want one frame", in.Stats.OutPackets, in.Stats.PFCSent[3], in.Stats.PFCSent[4])
	}
	if h := b.hosts[0].Port(); !h.Paused(3) || !h.Paused(4) || h.Stats.InPackets != 1 {
		t.Errorf("the sender heard %d frames: %v, %v; want it paused in both classes", h.Stats.InPackets, h.Paused(3), h.Paused(4))
	}
}

// TestAsymmetric: a port may heed all classes and stop only the lossless ones.
func TestAsymmetric(t *testing.T) {
	b := newBench(t, sending())
	b.open(1e6)
	b.sw.SetGroup(0, 5, dataplane.Buffer{Pool: 0, Static: 20000})
	b.send(t, 0, 3)
	b.send(t, 0, 5)
	b.block(true)
	b.pass(t, 20*dataplane.Microsecond)
	in := b.sw.Ports()[0]
	if in.Stats.PFCSent[3] == 0 || in.Stats.PFCSent[5] != 0 {
		t.Errorf("told %d of class 3, %d of class 5; want some and none", in.Stats.PFCSent[3], in.Stats.PFCSent[5])
	}
	if g3, g5 := b.sw.Group(0, 3), b.sw.Group(0, 5); g3.Dropped != 0 || g5.Dropped == 0 {
		t.Errorf("dropped %d of class 3, %d of class 5; want none and some", g3.Dropped, g5.Dropped)
	}
	for class := range uint8(dataplane.Classes) {
		b.deliver(t, pfc(1<<class, 0xFFFF))
		if !b.port.Paused(int(class)) {
			t.Errorf("class %d is not heeded", class)
		}
	}
}

// TestPauseSent: a port without PFC stops its peer with 802.3x, and lets it go on
// when the last group has drained.
func TestPauseSent(t *testing.T) {
	b := newBench(t, dataplane.PortConfig{Rate: 100e9, PauseSend: true, PauseReceive: true})
	b.open(1e6)
	b.send(t, 0, 3)
	b.send(t, 0, 5)
	b.block(true)
	b.pass(t, 20*dataplane.Microsecond)
	in, host := b.sw.Ports()[0], b.hosts[0].Port()
	if in.Stats.PauseSent == 0 || !host.Paused(0) || in.Stats.PFCSent != [8]uint64{} {
		t.Errorf("%d pauses sent, sender paused %v, PFC %v; want 802.3x alone", in.Stats.PauseSent, host.Paused(0), in.Stats.PFCSent)
	}
	b.block(false)
	b.pass(t, 50*dataplane.Microsecond)
	if host.Stats.PauseOnToOff == 0 || host.Stats.PauseHeard != in.Stats.PauseSent {
		t.Errorf("the sender went on %d times; it heard %d frames of %d", host.Stats.PauseOnToOff, host.Stats.PauseHeard, in.Stats.PauseSent)
	}
	if got := b.sw.Group(0, 3).Dropped + b.sw.Group(0, 5).Dropped; got != 0 {
		t.Errorf("%d packets were dropped", got)
	}
}

// TestR32Watermarks: the fill rises over XOFF and the sender is paused, what is on
// its way goes to headroom; it falls to XON and the sender goes on; and so on,
// without a loss.
func TestR32Watermarks(t *testing.T) {
	port := sending()
	port.Response = dataplane.ResponseTime(100e9)
	b := newBench(t, port)
	b.open(60000)
	b.send(t, 0, 3)
	b.send(t, 2, 3)
	b.pass(t, 300*dataplane.Microsecond)
	var fill, room int64
	stopped, rounds := false, 0
	for _, o := range b.seen {
		if o.Port != b.sw.Ports()[0] || o.Class != 3 {
			continue
		}
		switch o.Kind {
		case dataplane.SeenGroup:
			fill, room = o.Level, max(room, o.Headroom)
		case dataplane.SeenXoff:
			if stopped || fill < 20000 {
				t.Fatalf("at %v a pause with a fill of %d, want 20000 or more, after a resume", o.At, fill)
			}
			stopped, room = true, 0
		case dataplane.SeenXon:
			if !stopped || fill > 10000 {
				t.Fatalf("at %v a resume with a fill of %d, want 10000 or less, after a pause", o.At, fill)
			}
			if room == 0 {
				t.Errorf("at %v: nothing lay in headroom during the pause", o.At)
			}
			stopped = false
			rounds++
		default:
		}
	}
	if rounds < 10 {
		t.Errorf("%d rounds, want 10 or more", rounds)
	}
	for i := range b.hosts {
		if n := b.sw.Group(i, 3).Dropped; n != 0 {
			t.Errorf("port %d dropped %d packets", i, n)
		}
	}
}

// overrun is the most headroom that a group takes after its XOFF, and how many
// packets were dropped there, of a link that sends 1086 octets at a time without
// a gap and stops after some bytes more.
func overrun(t *testing.T, room int64, response, delay dataplane.Time) (used int64, drops uint64) {
	t.Helper()
	port := dataplane.PortConfig{Rate: 100e9, PFCSend: 1 << 3, PFCReceive: 0xFF, Response: response}
	s := newStar(t, rig{port: port, hosts: 2, link: dataplane.Link{Delay: delay}})
	s.open(room)
	if _, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Class: 3}); err != nil {
		t.Fatal(err)
	}
	out := port
	out.TxOff = true
	s.SetPort(s.sw.Ports()[1], out)
	s.pass(t, 100*dataplane.Microsecond)
	g := s.sw.Group(0, 3)
	return g.HeadroomMost, g.Dropped
}

// frames is the octets of whole packets that begin within a stretch of octets.
func frames(octets int64) int64 { return (octets + 1085) / 1086 * 1086 }

// TestR23RoomOverBandwidthTimesRoundTrip: at 100 Gb/s and 10 µs the room after
// XOFF has to be more than 125,000 bytes, by the pause frame and the packets cut.
func TestR23RoomOverBandwidthTimesRoundTrip(t *testing.T) {
	const roundTrip, product = 10 * dataplane.Microsecond, 125000
	if got := int64(roundTrip/dataplane.Nanosecond) * 100 / 8; got != product {
		t.Fatalf("bandwidth × round trip = %d", got)
	}
	want := frames(product + dataplane.ControlBytes)
	if used, drops := overrun(t, 1e6, 0, roundTrip/2); used != want || drops != 0 {
		t.Errorf("with ample room %d bytes are used, %d packets dropped; want %d, 0", used, drops, want)
	}
	if _, drops := overrun(t, product, 0, roundTrip/2); drops == 0 {
		t.Error("no packet is dropped with room of bandwidth × round trip alone")
	}
	if _, drops := overrun(t, want, 0, roundTrip/2); drops != 0 {
		t.Errorf("%d packets are dropped with room for all that comes", drops)
	}
}

// TestR30HeadroomUntilThePeerStops: a peer that needs N quanta to stop sends
// N × 64 bytes more. As long as they, and what is under way, fit in headroom none
// is lost; then some are.
func TestR30HeadroomUntilThePeerStops(t *testing.T) {
	const room = 40 * 1086
	for _, quanta := range []int64{0, 67, 394, 600, 660, 676, 677, 678, 700, 905} {
		response := dataplane.Time(quanta) * 5120
		want := frames(dataplane.ControlBytes + quanta*64)
		used, drops := overrun(t, 1e6, response, 0)
		if used != want || drops != 0 {
			t.Errorf("%d quanta: headroom %d, dropped %d; want %d, 0", quanta, used, drops, want)
		}
		used, drops = overrun(t, room, response, 0)
		if fits := want <= room; (drops == 0) != fits || used != min(want, room) {
			t.Errorf("%d quanta, headroom %d: %d used, %d packets dropped; want them to fit: %v", quanta, int64(room), used, drops, fits)
		}
	}
}

// TestRefreshJoins: a frame of another class that waits to be sent does not put off
// what is to be told again.
func TestRefreshJoins(t *testing.T) {
	port := sending()
	port.Quanta = 1000 // told again after 2.56 µs
	b := newBench(t, port)
	b.open(1e6)
	b.block(true)
	in := b.sw.Ports()[0]
	b.send(t, 0, 3)
	for in.Stopped() == 0 {
		b.pass(t, 10*dataplane.Nanosecond)
	}
	b.pass(t, 100*dataplane.Nanosecond)
	b.Block(in, true)
	b.send(t, 0, 4)
	b.pass(t, 2600*dataplane.Nanosecond)
	if in.Stopped() != 0b11000 {
		t.Fatalf("classes %#b are stopped, want two", in.Stopped())
	}
	b.Block(in, false)
	b.pass(t, 100*dataplane.Nanosecond)
	if in.Stats.PFCSent[3] != 2 || in.Stats.PFCSent[4] != 1 || in.Stats.OutControl != 2 {
		t.Errorf("told %d times of class 3, %d of class 4, in %d frames; want 2, 1, 2", in.Stats.PFCSent[3], in.Stats.PFCSent[4], in.Stats.OutControl)
	}
}
