package trace

import (
	"cmp"
	"slices"

	"xon/sai/vsai/dataplane"
)

// Recording is the record of a simulation. Ports are identified by ID, an index of
// Ports.
type Recording struct {
	Span    dataplane.Time // from 0
	Width   dataplane.Time // of a bucket
	Buckets int
	Wire    int // wire overhead of a frame, bytes
	Ports   []Port
	// In order of ports and numbers, only those with any activity:
	Queues   []*Queue
	Groups   []*Group
	Controls []*Control
	Pools    []Pool  // of shared headroom
	Flows    []*Flow // by ID
	Drops    []Drop  // most first
	Causes   []Cause // in order of the first stop of each
	Stops    []Stop  // the first ones, in order
	// Deadlocks are the first ones; DeadlockCount is the total number detected.
	Deadlocks     []Deadlock
	DeadlockCount int64
	Notes         []Note
}

// Port is an end of a link.
type Port struct {
	Name  string // by Options.PortName
	Node  string // switch or host
	Host  bool
	Peer  int    // peer port, -1 without one
	Rate  uint64 // bit/s
	Delay dataplane.Time
	Out   uint64 // bytes of frames sent
}

// Queue is a queue's length in bytes, and its marks.
type Queue struct {
	Port, Queue int
	Length      Series
	Marks       Count
	Curve       *dataplane.Curve // marking curve of green packets; nil: none
}

// Group is a priority group's fill in bytes.
type Group struct {
	Port, Group   int
	Held          Series // all bytes held
	Headroom      Series // part of Held
	Threshold     Series // XOFF threshold
	Buffer        dataplane.Buffer
	HeadroomMax   int64 // maximum bytes of headroom used in one slice
	HeadroomLimit int64 // usable on the chip in one slice; 0: lossy
}

// Pool is a shared headroom pool of a switch.
type Pool struct {
	Node    string // switch
	Number  int    // number of the dataplane pool
	Used    int64  // maximum bytes over all slices
	Size    int64  // bytes
	Slice   int64  // maximum bytes in the slice with the most
	Limit   int64  // bytes per slice
	Dropped int64  // packets that did not fit
}

// Share is the used share in the slice with the most.
func (p Pool) Share() float64 { return share(p.Slice, p.Limit) }

// Control is flow control of a class at a port.
type Control struct {
	Port, Class int
	Stops       Strip // it stops its peer: XOFF of a group, or PFC frames of a host
	Pauses      Strip // it is paused
	Sent        Count // PFC frames
	// Waits is the egress port of the packets that fill its memory, while it stops its
	// peer for that and the port is paused in turn; otherwise -1.
	Waits   int
	cause   int            // of the last stop, as an origin of others
	counted int            // index of its Cause
	stop    int            // index of Recording.Stops
	clearAt dataplane.Time // when everything that waited at the end of the last pause can have left
}

// Cause is a reason why a port stopped its peer, and how often.
type Cause struct {
	Port, Class int
	Out         int // egress port of the waiting packets; -1: no memory is full, as for a host
	By          int // port that had stopped that one; -1: none, the pause starts here
	Parent      int // its cause, an index of Causes; -1: the pause starts here
	// Circle: the port is among its own transitive causes.
	Circle bool
	Times  int64
	First  dataplane.Time
	Total  dataplane.Time
}

// Stop is one stop of a peer.
type Stop struct {
	At    dataplane.Time
	Cause int            // index of Recording.Causes
	For   dataplane.Time // -1: until the end
}

// Flow is the record of a flow. Rates are in bit/s.
type Flow struct {
	ID, From, To int
	Name         string
	Class        int
	Line         int64 // maximum rate
	Path         []int // switch ports where its data waited, in order of the first packet
	Began        dataplane.Time
	Took         dataplane.Time // completion time; 0: not complete
	Bytes        uint64         // payload to send; 0: endless
	Packet       int            // payload per packet
	Headers      int            // header bytes per packet
	Stats        dataplane.FlowStats
	Dropped      int64  // packets
	NoSeries     bool   // it has no series, because there are too many flows
	Rate, Target Series // of a sender with congestion control
	CNPs         Count
	Goodput      Count // payload bytes received in order
}

// Drop counts packets dropped at one place for one reason.
type Drop struct {
	Port, Class int // Class is a priority group or a queue
	Why         dataplane.Reason
	Reason      string
	Count       Count
	Bytes       int64 // of frames
}

// Deadlock is the detection or the end of a deadlock.
type Deadlock struct {
	At       dataplane.Time
	Port     int
	Queue    int
	Detected bool
}

// Note is a text with a time.
type Note struct {
	At   dataplane.Time
	Text string
}

// Recording ends the recording at the current time. Later observations may or may not
// change it.
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

// close adds pauses and stops that have not ended.
func (r *Recorder) close(c *Control, now dataplane.Time) {
	c.Waits = none
	if c.Pauses.On {
		c.Pauses.accumulate(&r.clock, now)
	}
	if !c.Stops.On {
		return
	}
	c.Stops.accumulate(&r.clock, now)
	r.out.Causes[c.counted].Total += now - c.Stops.since
	p := r.sim.Ports()[c.Port]
	if out := r.egressPort(p, c.Class, nil); out != nil && r.port(out.ID()).flow[c.Class] != nil && r.port(out.ID()).flow[c.Class].Pauses.On {
		c.Waits = out.ID()
	}
}

// describe adds configuration and counters at the end.
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
		g.HeadroomMax = p.Switch().Group(p.Index(), g.Group).SliceHeadroomMost * p.Switch().CellBytes()
		g.HeadroomLimit = p.Switch().HeadroomLimit(p.Index(), g.Group)
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

// describePools adds shared headroom pools.
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
