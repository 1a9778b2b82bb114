package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// spectrum makes a star of a chip whose groups have their own buffers, with one
// lossless group. One frame of 64 bytes is one cell.
func spectrum(t *testing.T, pool dataplane.Pool, group dataplane.Buffer) *star {
	t.Helper()
	s := newStar(t, rig{
		sw:    dataplane.SwitchConfig{Model: dataplane.Model{CellBytes: 144, Admission: dataplane.AdmitPerGroup, SharedSize: dataplane.SharedExcludesHeadroom}},
		port:  dataplane.PortConfig{Rate: 100e9, PFCSend: 1 << 3},
		hosts: 2, link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	s.sw.SetPool(0, pool)
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	s.sw.SetGroup(0, 3, group)
	s.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	s.stopSending(1, true)
	return s
}

// TestPerGroup: the sender is stopped when the group's buffer holds more than XON
// beside the shared part, and packets are dropped when it is full; with shared headroom
// the group's own buffer ends at XON.
func TestPerGroup(t *testing.T) {
	const cell, shared, xon, xoff = 144, 1000, 135, 400
	for _, c := range []struct {
		name  string
		pool  dataplane.Pool
		group dataplane.Buffer
		pause int // the frame that stops the sender
		drop  int
	}{
		{
			"own",
			dataplane.Pool{Size: 10000 * cell},
			dataplane.Buffer{Static: shared * cell, Reserved: (xon + xoff) * cell, Xon: xon * cell, Xoff: xoff * cell},
			shared + xon + 1, shared + xon + xoff + 1,
		},
		{
			"shared headroom",
			dataplane.Pool{Size: 10000 * cell, Headroom: 300 * cell},
			dataplane.Buffer{Static: shared * cell, Reserved: xon * cell, Xon: xon * cell, Xoff: xoff * cell},
			shared + xon + 1, shared + xon + 300 + 1,
		},
		{
			"half of the pool",
			dataplane.Pool{Size: 2 * shared * cell},
			dataplane.Buffer{Dynamic: true, Reserved: (xon + xoff) * cell, Xon: xon * cell, Xoff: xoff * cell},
			shared + xon + 1, shared + xon + xoff + 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := spectrum(t, c.pool, c.group)
			port := s.sw.Ports()[0]
			s.send(t, c.pause-1)
			if port.Stopped() != 0 {
				t.Errorf("stopped by %d frames, want %d", c.pause-1, c.pause)
			}
			s.send(t, 1)
			if port.Stopped() == 0 {
				t.Errorf("not stopped by %d frames", c.pause)
			}
			s.send(t, c.drop-1-c.pause)
			if n := port.Stats.InDropped; n != 0 {
				t.Errorf("%d dropped of %d frames, want none before %d", n, c.drop-1, c.drop)
			}
			s.send(t, 1)
			if port.Stats.InDropped != 1 {
				t.Errorf("%d dropped of %d frames, want 1", port.Stats.InDropped, c.drop)
			}
			s.drain(t, c.drop-1, xoff, xon)
		})
	}
}

// TestPerGroupSettles: cells in a group's own buffer become shared as soon as the pool
// has room, even if no packet of the group leaves: its sender resumes, and later
// packets are shared.
func TestPerGroupSettles(t *testing.T) {
	const cell, xon = 144, 10
	s := newStar(t, rig{
		sw:    dataplane.SwitchConfig{Model: dataplane.Model{CellBytes: cell, Admission: dataplane.AdmitPerGroup, SharedSize: dataplane.SharedExcludesHeadroom}},
		port:  dataplane.PortConfig{Rate: 100e9, PFCSend: 1 << 3},
		hosts: 4, link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: 100 * cell})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for p, b := range []dataplane.Buffer{{Dynamic: true, Reserved: (300 + xon) * cell, Xon: xon * cell, Xoff: 300 * cell}, {}, {Dynamic: true, Alpha: 7}} {
		s.sw.SetGroup(p, 3, b)
		s.sw.SetQueue(p, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	}
	s.sw.SetQueue(3, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	s.stopSending(1, true)
	s.stopSending(3, true)
	s.offerTo(t, 2, 3, 3, 99)
	s.send(t, xon+5)
	if g := s.sw.Group(0, 3); g.Headroom <= xon || s.sw.Ports()[0].Stopped() == 0 {
		t.Fatalf("%d cells in the group's buffer, classes %#b stopped; want more than %d, the fourth", g.Headroom, s.sw.Ports()[0].Stopped(), xon)
	}
	s.stopSending(3, false)
	s.pass(t, 100*dataplane.Microsecond)
	if s.sw.Ports()[0].Stopped() != 0 {
		t.Errorf("the pool is empty, and the sender stopped")
	}
	s.send(t, 1)
	if g := s.sw.Group(0, 3); g.Headroom != 0 || g.Shared != xon+6 {
		t.Errorf("%d cells in the group's buffer, %d shared; want 0, %d", g.Headroom, g.Shared, xon+6)
	}
}

// drain lets the queue send and checks when the sender resumes: when the group's buffer
// holds less than XON.
func (s *star) drain(t *testing.T, held, xoff, xon int) {
	t.Helper()
	s.stopSending(1, false)
	for s.sw.Ports()[0].Stopped() != 0 && s.Pending() {
		if err := s.Run(s.Next()); err != nil {
			t.Fatal(err)
		}
	}
	if g := s.sw.Group(0, 3); int(g.Headroom) != xon-1 {
		t.Errorf("goes on with %d cells in the group's buffer (of %d held, XOFF %d), want %d", g.Headroom, held, xoff, xon-1)
	}
}

// TestPortAlpha: the port's share of the pool applies first. One group of it gets
// P·αp·αg
// (1 + αg + αp·αg).
func TestPortAlpha(t *testing.T) {
	const size = 120000
	for _, c := range []struct {
		port, group int8
		want        float64
	}{
		{0, 0, size * 1.0 / 3}, {1, 0, size * 2.0 / 4}, {0, 1, size * 2.0 / 5}, {2, 3, size * 32.0 / 41}, {-1, -2, size * 0.125 / 1.375},
	} {
		s := newStar(t, rig{
			sw: dataplane.SwitchConfig{Model: dataplane.Model{PortAlpha: true}}, port: dataplane.PortConfig{Rate: 100e9}, hosts: 2,
			link: dataplane.Link{Delay: dataplane.Nanosecond},
		})
		s.sw.SetPool(0, dataplane.Pool{Size: size})
		s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
		s.sw.SetGroup(0, 3, dataplane.Buffer{Dynamic: true, Alpha: c.group})
		s.sw.SetLimit(0, 0, dataplane.PortLimit{Dynamic: true, Alpha: c.port})
		s.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
		s.stopSending(1, true)
		s.send(t, size/64)
		near(t, "held", float64(s.sw.Group(0, 3).Held), c.want, 0.01)
	}
}
