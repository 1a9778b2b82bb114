package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestShorterLink: frames stay in order when the link becomes shorter, and time does
// not go back.
func TestShorterLink(t *testing.T) {
	var last dataplane.Time
	back := 0
	s := newStar(t, rig{
		sim: dataplane.Config{Observe: func(o dataplane.Observation) {
			if o.At < last {
				back++
			}
			last = o.At
		}},
		port: dataplane.PortConfig{Rate: 100e9}, hosts: 2, link: dataplane.Link{Delay: 10 * dataplane.Microsecond},
	})
	s.open(0)
	f, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Bytes: 100e3})
	if err != nil {
		t.Fatal(err)
	}
	s.At(5*dataplane.Microsecond, func() {
		if err := s.SetLink(s.hosts[0].Port(), dataplane.Link{Delay: dataplane.Microsecond}); err != nil {
			t.Fatal(err)
		}
	})
	s.run(t)
	if back != 0 || f.Stats.Naks != 0 || !f.Done() {
		t.Errorf("time went back %d times, %d packets came out of order, done %v; want 0, 0, true", back, f.Stats.Naks, f.Done())
	}
}

// TestClassMovesWhileStopped: a class that moves to another group while it is stopped
// resumes, because that group has room.
func TestClassMovesWhileStopped(t *testing.T) {
	b := newBench(t, sending())
	b.open(100000)
	b.send(t, 0, 3)
	b.block(true)
	b.pass(t, 50*dataplane.Microsecond)
	in := b.sw.Ports()[0]
	if in.Stopped() != 1<<3 {
		t.Fatalf("classes %#b are stopped, want the fourth", in.Stopped())
	}
	p := in.Config()
	p.Maps = dataplane.DefaultMaps()
	p.Maps.ClassToGroup[3], p.Maps.ClassToGroup[4] = 5, 3
	b.SetPort(in, p)
	if in.Stopped() != 1<<4 {
		t.Errorf("classes %#b are stopped, want the fifth alone", in.Stopped())
	}
	b.pass(t, dataplane.Microsecond)
	if got := b.hosts[0].Port(); got.Paused(3) || !got.Paused(4) {
		t.Errorf("the sender rests in class 3: %v, in 4: %v; want false, true", got.Paused(3), got.Paused(4))
	}
}

// TestMoreClasses: enabling PFC for one more class does not resume others.
func TestMoreClasses(t *testing.T) {
	b := newBench(t, sending())
	b.open(100000)
	b.send(t, 0, 3)
	b.block(true)
	b.pass(t, 50*dataplane.Microsecond)
	in := b.sw.Ports()[0]
	p := in.Config()
	p.PFCSend |= 1 << 5
	b.SetPort(in, p)
	b.pass(t, dataplane.Microsecond)
	if n := b.hosts[0].Port().Stats.OnToOff[3]; n != 0 || in.Stopped() != 1<<3 {
		t.Errorf("the sender went on %d times, classes %#b are stopped; want never, the fourth", n, in.Stopped())
	}
}

// TestRoomComes: a sender resumes as soon as its group's limit rises, even if no packet
// leaves.
func TestRoomComes(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*dataplane.Switch)
	}{
		{"a greater pool", func(w *dataplane.Switch) { w.SetPool(0, dataplane.Pool{Size: 6400}) }},
		{"a greater factor of the port", func(w *dataplane.Switch) { w.SetLimit(0, 0, dataplane.PortLimit{Dynamic: true, Alpha: 2}) }},
		{"less that is reserved for queues", func(w *dataplane.Switch) { w.SetQueue(1, 4, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}}) }},
	} {
		s := newStar(t, rig{
			sw: dataplane.SwitchConfig{Model: dataplane.Model{PortAlpha: true}}, port: dataplane.PortConfig{Rate: 100e9, PFCSend: 1 << 3}, hosts: 2,
			link: dataplane.Link{Delay: dataplane.Nanosecond},
		})
		s.sw.SetPool(0, dataplane.Pool{Size: 1280})
		s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
		s.sw.SetGroup(0, 3, dataplane.Buffer{Dynamic: true, Xoff: 6400})
		s.sw.SetLimit(0, 0, dataplane.PortLimit{Dynamic: true})
		s.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
		s.sw.SetQueue(1, 4, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1, Reserved: 640}})
		s.stopSending(1, true)
		s.send(t, 4) // of 10 frames that are shared, a third
		if s.sw.Ports()[0].Stopped() == 0 {
			t.Fatalf("%s: the sender is not stopped", c.name)
		}
		c.change(s.sw)
		if s.sw.Ports()[0].Stopped() != 0 {
			t.Errorf("%s: the sender is stopped, want that it goes on", c.name)
		}
	}
}

// TestStoppedFlow: a flow that is stopped early is done when its sender knows that all
// of it is delivered, at once if it does already.
func TestStoppedFlow(t *testing.T) {
	for _, every := range []int{1, 7} {
		s := newStar(t, rig{port: dataplane.PortConfig{Rate: 100e9}, hosts: 2, link: dataplane.Link{Delay: dataplane.Microsecond}})
		s.open(0)
		f, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Rate: 1e9, AckEvery: every})
		if err != nil {
			t.Fatal(err)
		}
		s.pass(t, 85*dataplane.Microsecond) // ten packets, the last of which has come
		s.Stop(f)
		s.pass(t, 10*dataplane.Microsecond)
		if !f.Done() || f.Stats.Ended == 0 {
			t.Errorf("acknowledged every %d: ended at %v, done %v; want an end", every, f.Stats.Ended, f.Done())
		}
	}
}

// TestAnswersByClass: acknowledgements of a paused class do not block those of another.
func TestAnswersByClass(t *testing.T) {
	s := newStar(t, rig{port: dataplane.PortConfig{Rate: 100e9, PFCReceive: 1 << 3}, hosts: 2})
	s.open(0)
	for _, class := range []uint8{3, 5} {
		if _, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Class: class, Bytes: 10e3}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Inject(s.hosts[1].Port(), pfc(1<<3, 0xFFFF)); err != nil {
		t.Fatal(err)
	}
	s.pass(t, 10*dataplane.Microsecond)
	if a, b := s.Flows()[0].Done(), s.Flows()[1].Done(); a || !b {
		t.Errorf("the flow of the paused class is done: %v, that of another: %v; want false, true", a, b)
	}
}

// TestFasterPort: XOFF is refreshed in time when the port and its peer become faster,
// and a pause therefore shorter.
func TestFasterPort(t *testing.T) {
	b := newBench(t, sending())
	b.open(100000)
	b.send(t, 0, 3)
	b.block(true)
	b.pass(t, 50*dataplane.Microsecond)
	for _, p := range []*dataplane.Port{b.hosts[0].Port(), b.sw.Ports()[0]} {
		cfg := p.Config()
		cfg.Rate = 800e9
		b.SetPort(p, cfg)
	}
	b.send(t, 0, 4) // stopped too, for 42 µs, where a refresh of before comes after 117
	b.pass(t, 400*dataplane.Microsecond)
	if s := b.hosts[0].Port().Stats; s.OnToOff[4] != 0 || s.PFCHeard[4] < 10 {
		t.Errorf("the sender went on %d times, and heard %d frames; want never, 10 or more", s.OnToOff[4], s.PFCHeard[4])
	}
}

// TestLateAnswers: a sender that has gone back continues after data that is
// acknowledged meanwhile, and does not resend it.
func TestLateAnswers(t *testing.T) {
	s := newStar(t, rig{port: dataplane.PortConfig{Rate: 100e9, PFCReceive: 1 << 3}, hosts: 2})
	s.open(0)
	f, err := s.AddFlow(dataplane.FlowConfig{
		From: s.hosts[0], To: s.hosts[1], Class: 3, Rate: 1e9, Payload: 1000, Bytes: 10e3, Timeout: 200 * dataplane.Microsecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Inject(s.hosts[1].Port(), pfc(1<<3, 41000)); err != nil { // 210 µs
		t.Fatal(err)
	}
	s.pass(t, dataplane.Millisecond)
	if !f.Done() || f.Stats.Timeouts != 1 || f.Stats.Sent > 12 {
		t.Errorf("done %v after %d timeouts and %d packets; want true, 1, and 12 at most", f.Done(), f.Stats.Timeouts, f.Stats.Sent)
	}
}
