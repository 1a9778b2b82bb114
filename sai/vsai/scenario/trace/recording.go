package trace

import (
	"cmp"
	"slices"

	"xon/sai/vsai/dataplane"
)

// Recording is what a simulation did. Ports are told by their ID, an index of Ports.
type Recording struct {
	Span    dataplane.Time // from 0
	Width   dataplane.Time // of a bucket
	Buckets int
	Wire    int // bytes that a frame takes on the wire beside its own
	Ports   []Port
	// In the order of their ports and numbers, of what anything happened to:
	Queues   []*Queue
	Groups   []*Group
	Controls []*Control
	Pools    []Pool  // of shared headroom
	Flows    []*Flow // by ID
	Drops    []Drop  // most first
	Causes   []Cause // of stops, in the order of the first of each
	Stops    []Stop  // the first ones, in their order
	// Deadlocks are the first ones; DeadlockCount is how many were detected in all.
	Deadlocks     []Deadlock
	DeadlockCount int64
	Notes         []Note
}

// Port is an end of a link.
type Port struct {
	Name  string // as of Options.PortName
	Node  string // switch or host
	Host  bool
	Peer  int    // port at the other end, -1 without one
	Rate  uint64 // bit/s
	Delay dataplane.Time
	Out   uint64 // bytes of frames that it sent
}

// Queue is a queue's length in bytes, and marks.
type Queue struct {
	Port, Queue int
	Length      Series
	Marks       Count
	Curve       *dataplane.Curve // of marking of green packets; nil: none
}

// Group is a priority group's fill in bytes.
type Group struct {
	Port, Group int
	Held        Series // all that it holds
	Headroom    Series // of that
	Threshold   Series // of XOFF
	Buffer      dataplane.Buffer
	RoomMost    int64 // bytes of headroom used in one slice at most, of
	RoomLimit   int64 // what the chip lets the group use there; 0: it is lossy
}

// Pool is headroom that the priority groups of a switch share.
type Pool struct {
	Node    string // switch
	Number  int    // of the pool in the dataplane
	Used    int64  // bytes at most, of all slices
	Size    int64  // bytes
	Slice   int64  // bytes at most of the slice with most
	Limit   int64  // bytes that a slice has
	Dropped int64  // packets for which it had no room
}

// Share is what was used of what there is, in the slice with most.
func (p Pool) Share() float64 { return share(p.Slice, p.Limit) }

// Control is flow control of a class at a port.
type Control struct {
	Port, Class int
	Stops       Strip // it has its peer stop: an XOFF of memory, or PFC frames of a host
	Pauses      Strip // it is paused itself
	Sent        Count // PFC frames
	// Waits is the port that what has filled its memory is to leave by, while it
	// stops its peer for that and the port is paused in turn; else -1.
	Waits   int
	cause   int            // of the last stop, as an origin of others
	counted int            // Cause that it counts for
	stop    int            // index of Recording.Stops
	clearAt dataplane.Time // when what had waited at the end of the last pause can have left
}

// Cause says why a port stopped its peer, and how often for that.
type Cause struct {
	Port, Class int
	Out         int // port of the same switch that the packets were to leave by; -1: nothing of memory, as of a host
	By          int // port that had stopped that one; -1: nobody had, it begins here
	Parent      int // why that one had, an index of Causes; -1: it begins here
	// Circle: the port is among those that it was stopped by, in the end.
	Circle bool
	Times  int64
	First  dataplane.Time
	Total  dataplane.Time
}

// Stop is one time that a port stopped its peer.
type Stop struct {
	At    dataplane.Time
	Cause int            // index of Recording.Causes
	For   dataplane.Time // -1: to the end
}

// Flow is what a flow did. Its rates are in bit/s.
type Flow struct {
	ID, From, To int
	Name         string
	Class        int
	Line         int64 // rate at most
	Path         []int // ports of switches that its data waited at, in the order of the first packet
	Began        dataplane.Time
	Took         dataplane.Time // until the receiver had all; 0: it has not
	Bytes        uint64         // to send, payload; 0: without end
	Packet       int            // payload of a packet
	Headers      int            // its other bytes
	Stats        dataplane.FlowStats
	Dropped      int64  // packets
	Bare         bool   // it has no series, for there are too many flows
	Rate, Target Series // of a sender with congestion control
	CNPs         Count
	Goodput      Count // bytes of payload that the receiver had in order
}

// Drop is packets that were dropped at one place for one reason.
type Drop struct {
	Port, Class int // priority group, or queue
	Why         dataplane.Reason
	Reason      string
	Count       Count
	Bytes       int64 // of frames
}

// Deadlock is detected, or over.
type Deadlock struct {
	At       dataplane.Time
	Port     int
	Queue    int
	Detected bool
}

// Note is something that happened, in words.
type Note struct {
	At   dataplane.Time
	Text string
}

// Recording ends the recording at the simulation's now. What the recorder takes
// afterwards may or may not be in it.
func (r *Recorder) Recording() *Recording {
	now := r.sim.Now()
	if now >= r.clock.end {
		r.advance(now)
	} else {
		r.sample()
	}
	for _, c := range r.out.Controls {
		r.close(c, now)
	}
	out := &r.out
	out.Span, out.Width, out.Buckets = now, r.clock.width, r.clock.bucket+1
	out.Wire = r.sim.Config().Overhead
	r.describe()
	slices.SortFunc(out.Queues, func(a, b *Queue) int { return cmp.Or(a.Port-b.Port, a.Queue-b.Queue) })
	slices.SortFunc(out.Groups, func(a, b *Group) int { return cmp.Or(a.Port-b.Port, a.Group-b.Group) })
	slices.SortFunc(out.Controls, func(a, b *Control) int { return cmp.Or(a.Port-b.Port, a.Class-b.Class) })
	slices.SortStableFunc(out.Drops, func(a, b Drop) int { return cmp.Compare(b.Count.Total, a.Count.Total) })
	return out
}

// close counts what still lasts.
func (r *Recorder) close(c *Control, now dataplane.Time) {
	c.Waits = none
	if c.Pauses.On {
		c.Pauses.paint(&r.clock, now)
	}
	if !c.Stops.On {
		return
	}
	c.Stops.paint(&r.clock, now)
	r.out.Causes[c.counted].Total += now - c.Stops.since
	p := r.sim.Ports()[c.Port]
	if out := r.waits(p, c.Class, nil); out != nil && r.port(out.ID()).flow[c.Class] != nil && r.port(out.ID()).flow[c.Class].Pauses.On {
		c.Waits = out.ID()
	}
}

// describe takes up what configuration and counters say at the end.
func (r *Recorder) describe() {
	r.out.Ports = nil
	ports := r.sim.Ports()
	for _, p := range ports {
		x := Port{Name: r.opts.PortName(p), Peer: none, Rate: p.Config().Rate, Delay: p.Link().Delay, Out: p.Stats.OutBytes}
		if p.Peer() != nil {
			x.Peer = p.Peer().ID()
		}
		if x.Host = p.Host() != nil; x.Host {
			x.Node = p.Host().Name()
		} else {
			x.Node = p.Switch().Name()
		}
		r.out.Ports = append(r.out.Ports, x)
	}
	for _, q := range r.out.Queues {
		p := ports[q.Port]
		if w := p.Switch().QueueConfig(p.Index(), q.Queue).WRED; w != nil && w.Mark[dataplane.Green].On {
			q.Curve = &w.Mark[dataplane.Green]
		}
	}
	for _, g := range r.out.Groups {
		p := ports[g.Port]
		g.Buffer = p.Switch().GroupConfig(p.Index(), g.Group)
		g.RoomMost = p.Switch().Group(p.Index(), g.Group).SliceHeadroomMost * p.Switch().CellBytes()
		g.RoomLimit = p.Switch().HeadroomLimit(p.Index(), g.Group)
	}
	r.describePools()
	r.out.Flows = nil
	for _, f := range r.sim.Flows() {
		x := r.flow(f)
		c := f.Config()
		x.Name = r.opts.FlowName(f)
		x.Began, x.Stats, x.Packet, x.Headers = f.Stats.Began, f.Stats, c.Payload, c.Headers
		if c.Bytes < 1<<62 {
			x.Bytes = c.Bytes
		}
		x.Goodput.Total = int64(f.Stats.Delivered)
		r.out.Flows = append(r.out.Flows, x)
	}
}

// describePools takes up the headroom that groups share.
func (r *Recorder) describePools() {
	r.out.Pools = nil
	for _, w := range r.sim.Switches() {
		for i := range w.Config().Pools {
			cfg := w.PoolConfig(i)
			if cfg.Egress || cfg.Headroom == 0 {
				continue
			}
			_, levels := w.Pool(i)
			x := Pool{Node: w.Name(), Number: i, Used: levels.HeadroomMost * w.CellBytes(), Size: cfg.Headroom}
			x.Slice, x.Limit = levels.SliceHeadroomMost*w.CellBytes(), w.PoolHeadroomLimit(i)
			for _, d := range r.out.Drops {
				p := r.sim.Ports()[d.Port]
				if d.Why == dataplane.DropHeadroomPool && p.Switch() == w && w.GroupConfig(p.Index(), d.Class).Pool == i {
					x.Dropped += d.Count.Total
				}
			}
			r.out.Pools = append(r.out.Pools, x)
		}
	}
}
