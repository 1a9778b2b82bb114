package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// platform is a switch of which it is known how many packets of one cell trigger
// what, with the sending port stopped.
type platform struct {
	name        string
	ports       int
	model       dataplane.Model
	size, xoff  int64 // of the ingress pool
	group       dataplane.Buffer
	groups      int   // lossless groups of a port
	queueMin    int64 // of each of ten queues
	margin      int
	pause, drop int // the packet that triggers it
	dismiss     int // packets less until the pause is over
	shared      int64
}

func platforms() []platform {
	th := dataplane.Model{CellBytes: 208, Slices: 4, SharedSize: dataplane.SharedExcludesHeadroom}
	group := func(cell, minimum, headroom int64, alpha int8, offset int64) dataplane.Buffer {
		return dataplane.Buffer{Reserved: minimum * cell, Dynamic: true, Alpha: alpha, Xoff: headroom * cell, XonOffset: offset}
	}
	return []platform{
		{"tomahawk 40G", 32, th, 10875072, 4194112, group(208, 6, 520, 0, 2288), 2, 0, 2, 6542, 7063, 12, 13071},
		{"tomahawk 50G", 32, th, 10875072, 4194112, group(208, 6, 682, 0, 2288), 2, 0, 2, 6542, 7225, 12, 13071},
		{"tomahawk 100G", 32, th, 10875072, 4194112, group(208, 6, 1292, 0, 2288), 2, 0, 2, 6542, 7835, 12, 13071},
		{
			"tomahawk3 100G", 80,
			dataplane.Model{CellBytes: 254, Slices: 2},
			66394076, 8644128,
			group(254, 10, 462, -2, 2540), 2, 1778, 4, 22026, 22488, 13, 110081,
		},
		{
			"trident2 40G", 32,
			dataplane.Model{CellBytes: 208, SharedSize: dataplane.SharedPrivate},
			12766208, 0,
			group(208, 6, 265, -3, 2288), 2, 0, 2, 4898, 5164, 12, 44032,
		},
	}
}

// fill makes the platform, with the last port as the one that is stopped.
func (p platform) fill(t *testing.T) *star {
	t.Helper()
	s := newStar(t, rig{
		sw:    dataplane.SwitchConfig{Model: p.model, Queues: 10, Pools: 2},
		port:  dataplane.PortConfig{Rate: 100e9, PFCSend: 1<<3 | 1<<4},
		hosts: p.ports, link: dataplane.Link{Delay: 10 * dataplane.Nanosecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: p.size, Headroom: p.xoff})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 30, Egress: true})
	for port := range p.ports {
		for g := range p.groups {
			s.sw.SetGroup(port, 3+g, p.group)
		}
		for q := range 10 {
			s.sw.SetQueue(port, q, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1, Reserved: p.queueMin}})
		}
	}
	s.stopSending(1, true)
	return s
}

// stopSending switches a port's transmitter off, or on.
func (s *star) stopSending(port int, off bool) {
	cfg := s.sw.Ports()[port].Config()
	cfg.TxOff = off
	s.SetPort(s.sw.Ports()[port], cfg)
}

// send has the first host send n packets of 64 bytes to the second in class 3, and waits until they have come.
func (s *star) send(t *testing.T, n int) {
	t.Helper()
	_, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Bytes: uint64(2 * n), Payload: 2, Class: 3, AckEvery: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(s.Now() + dataplane.Time(n)*10*dataplane.Nanosecond + dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
}

// TestTriggers: the packet that makes real switches pause, that which they drop,
// and how many must leave until they let the sender go on.
func TestTriggers(t *testing.T) {
	for _, p := range platforms() {
		t.Run(p.name, func(t *testing.T) {
			s := p.fill(t)
			if got, _ := s.sw.Pool(0); got/int64(p.model.CellBytes)/max(int64(p.model.Slices), 1) != p.shared {
				t.Errorf("%d cells of a slice are shared, want %d", got/int64(p.model.CellBytes), p.shared)
			}
			port := s.sw.Ports()[0]
			s.send(t, p.pause-1-p.margin)
			if port.Stopped() != 0 {
				t.Errorf("paused by %d packets, want %d", p.pause-1-p.margin, p.pause)
			}
			s.send(t, 1+2*p.margin)
			if port.Stopped() != 1<<3 {
				t.Errorf("not paused by %d packets, want %d", p.pause+p.margin, p.pause)
			}
			s.send(t, p.drop-p.pause-1-2*p.margin)
			if port.Stats.InDropped != 0 {
				t.Errorf("%d packets dropped of %d, want none before %d", port.Stats.InDropped, p.drop-1-p.margin, p.drop)
			}
			s.send(t, 1+2*p.margin)
			if port.Stats.InDropped == 0 {
				t.Errorf("no packet dropped of %d, want that at %d", p.drop+p.margin, p.drop)
			}
		})
	}
}

// TestResume: after a pause the sender may go on when so many packets have left.
func TestResume(t *testing.T) {
	for _, p := range platforms() {
		t.Run(p.name, func(t *testing.T) {
			s := p.fill(t)
			s.send(t, p.pause)
			if s.sw.Ports()[0].Stopped() == 0 {
				t.Fatal("not paused")
			}
			before := s.sw.Queue(1, 3).Packets
			s.stopSending(1, false)
			for s.sw.Ports()[0].Stopped() != 0 && s.Pending() {
				if err := s.Run(s.Next()); err != nil {
					t.Fatal(err)
				}
			}
			if n := int(s.sw.Queue(1, 3).Packets - before); n > p.dismiss+2*p.margin {
				t.Errorf("goes on after %d packets have left, want %d at most", n, p.dismiss+2*p.margin)
			} else {
				t.Logf("goes on after %d packets", n)
			}
		})
	}
}
