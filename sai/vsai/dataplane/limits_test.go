package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

const kb = 1000

// bytewise makes a star of a chip with one-byte cells; the last host's port does not
// transmit. Frames have 1000 bytes.
func bytewise(t *testing.T, hosts int, ingress dataplane.Pool) *star {
	t.Helper()
	s := newStar(t, rig{
		port: dataplane.PortConfig{Rate: 100e9, PFCSend: 0xFF}, hosts: hosts, link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	s.sw.SetPool(0, ingress)
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 30, Egress: true})
	for p := range hosts {
		for q := range 8 {
			s.sw.SetQueue(p, q, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
		}
	}
	s.stopSending(hosts-1, true)
	return s
}

// offer makes a host send frames of 1000 bytes to the stopped port, and returns what
// its group holds of them in bytes.
func (s *star) offer(t *testing.T, from int, class uint8, frames int) int64 {
	t.Helper()
	s.offerTo(t, from, len(s.hosts)-1, class, frames)
	return s.sw.Group(from, int(class)).Held
}

func (s *star) offerTo(t *testing.T, from, to int, class uint8, frames int) {
	t.Helper()
	const payload = 938
	_, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[from], To: s.hosts[to], Bytes: uint64(frames) * payload, Payload: payload, Class: class, AckEvery: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(s.Now() + dataplane.Time(frames)*100*dataplane.Nanosecond + dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
}

func TestR27GuaranteedIsExclusive(t *testing.T) {
	s := bytewise(t, 3, dataplane.Pool{Size: 100 * kb})
	s.sw.SetGroup(0, 1, dataplane.Buffer{Pool: 0, Reserved: 40 * kb})
	s.sw.SetGroup(0, 2, dataplane.Buffer{Pool: 0})
	if got := s.offer(t, 0, 2, 100); got != 60*kb {
		t.Errorf("group 2 holds %d, want all but the 40,000 that are group 1's own: 60,000", got)
	}
	if got := s.offer(t, 0, 1, 100); got != 40*kb {
		t.Errorf("group 1 holds %d, want its own 40,000", got)
	}
}

// TestMinimumBeforePause: a lossless group is not stopped before it has used its
// guaranteed minimum, even if others hold the whole pool; then it is, until a part has
// left.
func TestMinimumBeforePause(t *testing.T) {
	const minimum = 74
	s := bytewise(t, 3, dataplane.Pool{Size: (100 + minimum) * kb})
	s.sw.SetGroup(0, 1, dataplane.Buffer{Pool: 0})
	s.sw.SetGroup(1, 3, dataplane.Buffer{Pool: 0, Reserved: minimum * kb, Dynamic: true, Xoff: 10 * kb, XonOffset: 2 * kb})
	if got := s.offer(t, 0, 1, 200); got != 100*kb {
		t.Fatalf("the lossy group holds %d, want all that is shared, 100,000", got)
	}
	in := s.sw.Ports()[1]
	if s.offer(t, 1, 3, minimum-1); in.Stopped() != 0 {
		t.Errorf("stopped with %d bytes, want not before %d", s.sw.Group(1, 3).Held, minimum*kb)
	}
	if s.offer(t, 1, 3, 1); in.Stopped() != 1<<3 {
		t.Errorf("not stopped with %d bytes, all of its minimum, and nothing left to share", s.sw.Group(1, 3).Held)
	}
	if s.offer(t, 1, 3, 10); s.sw.Group(1, 3).Dropped != 0 || s.sw.Group(1, 3).Headroom != 10*kb {
		t.Errorf("%+v, want 10,000 bytes in headroom and no drop", s.sw.Group(1, 3))
	}
}

// limitCase is a limit of one level, and what it leaves for the second of two.
type limitCase struct {
	name          string
	pool          dataplane.Pool
	shared        int64 // most of a port
	room          int64 // the same of headroom
	group         dataplane.Buffer
	first, second [2]int // port, group
	frames        int    // of the first
	want          int64  // of the second, in bytes
	headroom      bool
}

func limitCases() []limitCase {
	lossless := dataplane.Buffer{Pool: 0, Static: 1, Xoff: 100 * kb}
	room := dataplane.Pool{Size: 51 * kb, Headroom: 50 * kb} // and 1 KB that is shared
	return []limitCase{
		{
			"service pool 100 KB, ports 80 KB each, port 1 uses 70: port 2 gets 30",
			dataplane.Pool{Size: 100 * kb},
			80 * kb, 0,
			dataplane.Buffer{},
			[2]int{0, 3},
			[2]int{1, 3},
			70, 30 * kb, false,
		},
		{
			"port service 80 KB, queues 60 KB each, queue 1 uses 50: queue 2 gets 30",
			dataplane.Pool{Size: 1000 * kb},
			80 * kb, 0,
			dataplane.Buffer{Static: 60 * kb},
			[2]int{0, 3},
			[2]int{0, 4},
			50, 30 * kb, false,
		},
		{
			"headroom pool 50 KB, ports 40 KB each, port 1 uses 30: port 2 gets 20", room,
			0, 40 * kb,
			lossless,
			[2]int{0, 3},
			[2]int{1, 3},
			31, 20 * kb, true,
		},
		{
			"port headroom 40 KB, queues 30 KB each, queue 1 uses 25: queue 2 gets 15",
			dataplane.Pool{Size: 1001 * kb, Headroom: 1000 * kb},
			0, 40 * kb,
			dataplane.Buffer{Static: 1, Xoff: 30 * kb},
			[2]int{0, 3},
			[2]int{0, 4},
			26, 15 * kb, true,
		},
	}
}

// TestR28Limits: what one uses reduces what is left for the other, at each level.
func TestR28Limits(t *testing.T) {
	for _, c := range limitCases() {
		t.Run(c.name, func(t *testing.T) {
			s := bytewise(t, 3, c.pool)
			for p := range 2 {
				s.sw.SetLimit(p, 0, dataplane.PortLimit{Shared: c.shared})
				s.sw.SetHeadroomLimit(p, c.room)
				s.sw.SetGroup(p, 3, c.group)
				s.sw.SetGroup(p, 4, c.group)
			}
			s.offer(t, c.first[0], uint8(c.first[1]), c.frames)
			s.offer(t, c.second[0], uint8(c.second[1]), 100)
			got := s.sw.Group(c.second[0], c.second[1])
			have := got.Shared
			if c.headroom {
				have = got.Headroom
			}
			if have != c.want || got.Dropped == 0 {
				t.Errorf("the second has %d, dropped %d packets; want %d and some", have, got.Dropped, c.want)
			}
		})
	}
}

// TestPoolsApart: unused service pool does not serve as headroom, or vice versa.
func TestPoolsApart(t *testing.T) {
	s := bytewise(t, 3, dataplane.Pool{Size: 150 * kb, Headroom: 50 * kb})
	s.sw.SetGroup(0, 3, dataplane.Buffer{Pool: 0, Static: 10 * kb, Xoff: 1000 * kb})
	s.offer(t, 0, 3, 200)
	if g := s.sw.Group(0, 3); g.Shared != 10*kb || g.Headroom != 50*kb {
		t.Errorf("%d shared, %d headroom; want 10,000 and 50,000, whatever is idle", g.Shared, g.Headroom)
	}
	s.sw.SetGroup(1, 1, dataplane.Buffer{Pool: 0})
	if got := s.offer(t, 1, 1, 200); got != 90*kb {
		t.Errorf("a lossy group holds %d, want 90,000: what is left of the service pool", got)
	}
}

// TestR29BothSides: a packet enters only if it fits at ingress and at egress.
func TestR29BothSides(t *testing.T) {
	for _, c := range []struct{ ingress, egress, want int64 }{{30, 50, 30}, {50, 30, 30}} {
		s := bytewise(t, 2, dataplane.Pool{Size: 1000 * kb})
		s.sw.SetGroup(0, 3, dataplane.Buffer{Pool: 0, Static: c.ingress * kb})
		s.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1, Static: c.egress * kb}})
		if got := s.offer(t, 0, 3, 100); got != c.want*kb || s.sw.Queue(1, 3).Held != c.want*kb {
			t.Errorf("group holds %d, queue %d, want %d KB of both", got, s.sw.Queue(1, 3).Held, c.want)
		}
		ofQueue := s.sw.Queue(1, 3).Dropped
		if ofGroup := s.sw.Group(0, 3).Dropped; ofGroup+ofQueue != 70 || (c.egress < c.ingress) != (ofQueue == 70) {
			t.Errorf("%d dropped by the group, %d by the queue, want 70 by the narrower", ofGroup, ofQueue)
		}
	}
}

// TestR31LossyDoesNotStarve: a flood of a lossy class leaves the lossless one its share.
func TestR31LossyDoesNotStarve(t *testing.T) {
	s := bytewise(t, 3, dataplane.Pool{Size: 1000 * kb})
	s.sw.SetGroup(0, 0, dataplane.Buffer{Pool: 0, Dynamic: true, Alpha: -2})
	s.sw.SetGroup(1, 3, dataplane.Buffer{Pool: 0, Dynamic: true, Alpha: 0, Xoff: 1})
	lossy := s.offer(t, 0, 0, 1000)
	for s.sw.Ports()[1].Stopped() == 0 && s.sw.Group(1, 3).Held < 1000*kb {
		s.offer(t, 1, 3, 1)
	}
	lossless := s.sw.Group(1, 3).Held
	if lossy != 200*kb || lossless != 400*kb || s.sw.Group(1, 3).Dropped != 0 {
		t.Errorf("lossy %d, lossless %d, dropped %d; want 200,000 (a fifth), 400,000 (half of the rest), 0", lossy, lossless, s.sw.Group(1, 3).Dropped)
	}
}

// TestShares: n groups with a factor of α take S/(1/α+n) each.
func TestShares(t *testing.T) {
	long(t)
	const size = 7200 * kb
	for alpha := int8(-3); alpha <= 3; alpha++ {
		for _, n := range []int{1, 2, 4, 8} {
			s := bytewise(t, 2, dataplane.Pool{Size: size})
			for g := range n {
				s.sw.SetGroup(0, g, dataplane.Buffer{Pool: 0, Dynamic: true, Alpha: alpha})
			}
			for range size / kb {
				for g := range n {
					s.offer(t, 0, uint8(g), 1)
				}
			}
			inverse := 1.0
			for range max(alpha, -alpha) {
				inverse *= 2
			}
			if alpha > 0 {
				inverse = 1 / inverse
			}
			for g := range n {
				near(t, "share", float64(s.sw.Group(0, g).Held), size/(inverse+float64(n)), 0.01)
			}
		}
	}
}
