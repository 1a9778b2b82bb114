package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestLacking: the drop reason of a packet without headroom is what is full: the
// group's own headroom or the shared one. Both limit what a group may use, which is
// used up at the first drop.
func TestLacking(t *testing.T) {
	const cell, shared, xon, xoff = 144, 100, 10, 50
	for _, c := range []struct {
		name     string
		pool     int64 // shared headroom in cells; 0: each group has its own
		reserved int64
		why      dataplane.Reason
		limit    int64 // in cells
	}{
		{"own", 0, xon + xoff, dataplane.DropHeadroom, xon + xoff},
		{"greater pool", 1000, xon, dataplane.DropHeadroom, xon + xoff},
		{"smaller pool", 30, xon, dataplane.DropHeadroomPool, xon + 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := spectrum(t, dataplane.Pool{Size: 1000 * cell, Headroom: c.pool * cell},
				dataplane.Buffer{Static: shared * cell, Reserved: c.reserved * cell, Xon: xon * cell, Xoff: xoff * cell})
			for s.sw.Ports()[0].Stats.InDropped == 0 && s.sw.Group(0, 3).Packets < 10*shared {
				s.send(t, 1)
			}
			for _, why := range []dataplane.Reason{dataplane.DropHeadroom, dataplane.DropHeadroomPool} {
				if n, is := s.sw.Drops(why), why == c.why; (n > 0) != is {
					t.Errorf("%d dropped by %v, want some: %v", n, why, is)
				}
			}
			if limit, used := s.sw.HeadroomLimit(0, 3), s.sw.Group(0, 3).SliceHeadroomMost*cell; limit != used {
				t.Errorf("%d bytes used at the first drop, limit %d", used, limit)
			}
		})
	}
}

// TestLackingShared: the same for groups with shared headroom beside their thresholds,
// of which two together would need more than there is.
func TestLackingShared(t *testing.T) {
	s := newStar(t, rig{
		sw:    dataplane.SwitchConfig{Model: dataplane.Model{CellBytes: 100, SharedSize: dataplane.SharedExcludesHeadroom}},
		port:  dataplane.PortConfig{Rate: 100e9, PFCSend: 1 << 3},
		hosts: 3, link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: 100e3, Headroom: 15e3})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for in := range 2 {
		s.sw.SetGroup(in, 3, dataplane.Buffer{Static: 1000, Xoff: 10e3})
	}
	s.sw.SetQueue(2, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	s.stopSending(2, true)
	s.offerTo(t, 0, 2, 3, 9) // one frame is shared
	s.offerTo(t, 1, 2, 3, 9)
	if own, pool := s.sw.Drops(dataplane.DropHeadroom), s.sw.Drops(dataplane.DropHeadroomPool); own != 0 || pool != 1 {
		t.Errorf("%d dropped for groups' headroom, %d for the pool's, want 0, 1", own, pool)
	}
	if limit := s.sw.HeadroomLimit(0, 3); limit != 10e3 {
		t.Errorf("a group may use %d bytes, want 10000", limit)
	}
}
