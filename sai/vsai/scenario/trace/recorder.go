// Package trace keeps what a simulation of the dataplane did, small enough to
// hold and to draw, whatever its length: lengths and fills over time, pauses and
// who caused them, rates, marks, drops.
//
// A Recorder takes observations as they happen. Time is cut into buckets, whose
// width doubles whenever there would be too many; of what changes within a bucket
// the least and the greatest value are kept. Totals, extremes and the times of
// first and last are exact. A Recording is plain data; what follows from it
// (who paused whom, who suffered, whether headroom sufficed) are functions of it.
package trace

import "xon/sai/vsai/dataplane"

// Options bound a recording.
type Options struct {
	Buckets int // most of any series, at least 2; 0 means 2048
	Flows   int // most that get series of their own, the first ones; 0 means 256
	Stops   int // most that are kept one by one, the first ones; 0 means 4096
	// What ports and flows are called; nil: by the dataplane's names, flows by their ends.
	PortName func(*dataplane.Port) string
	FlowName func(*dataplane.Flow) string
}

// Recorder takes observations. It belongs to the goroutine of its simulation.
type Recorder struct {
	opts  Options
	clock clock
	sim   *dataplane.Sim
	ports []*port // by ID
	flows []*Flow // by ID
	out   Recording
	used  uint8 // classes that anything was sent in, by their queues
	// causeAt finds out.Causes.
	causeAt map[cause]int
}

// port is what is known of one port, of what has been seen of it.
type port struct {
	queues [dataplane.MaxQueues]*Queue
	groups [dataplane.Classes]*Group
	flow   [dataplane.Classes]*Control
}

// firstWidth is that of the first buckets.
const firstWidth = 100 * dataplane.Nanosecond

// New makes a recorder. Its method Observe is a dataplane.Config's Observe; Attach
// has to be called before the simulation runs.
func New(o Options) *Recorder {
	set := func(n *int, d int) {
		if *n <= 0 {
			*n = d
		}
	}
	set(&o.Buckets, 2048)
	set(&o.Flows, 256)
	set(&o.Stops, 4096)
	if o.PortName == nil {
		o.PortName = (*dataplane.Port).Name
	}
	if o.FlowName == nil {
		o.FlowName = func(f *dataplane.Flow) string { return f.Config().From.Name() + " → " + f.Config().To.Name() }
	}
	return &Recorder{opts: o, clock: clock{width: firstWidth, end: firstWidth}, causeAt: map[cause]int{}}
}

// Attach tells which simulation the observations are of.
func (r *Recorder) Attach(s *dataplane.Sim) { r.sim = s }

// Observe takes an observation. They come in the order of their times.
func (r *Recorder) Observe(o dataplane.Observation) {
	if o.At >= r.clock.end {
		r.advance(o.At)
	}
	switch o.Kind {
	case dataplane.SeenQueue:
		r.queueLength(&o)
	case dataplane.SeenGroup:
		g := r.group(o.Port, int(o.Class))
		g.Held.set(&r.clock, o.At, o.Level)
		g.Headroom.set(&r.clock, o.At, o.Headroom)
		if len(g.Threshold.Points) == 0 {
			g.Threshold.Start = o.Threshold
		}
		g.Threshold.set(&r.clock, o.At, o.Threshold)
	case dataplane.SeenMark:
		r.queue(o.Port, int(o.Class)).Marks.add(&r.clock, o.At, 1)
	case dataplane.SeenDrop:
		r.dropped(&o)
	case dataplane.SeenRate, dataplane.SeenCNP, dataplane.SeenArrived, dataplane.SeenDone:
		r.sender(&o)
	case dataplane.SeenDeadlock:
		r.deadlock(&o)
	default:
		r.control(&o)
	}
}

// advance goes on to the bucket of a moment.
func (r *Recorder) advance(t dataplane.Time) {
	r.sample()
	for r.clock.turn(t) >= r.opts.Buckets {
		r.clock.width *= 2
		r.each(func(s folder) { s.fold() })
	}
}

// each calls f with every series.
func (r *Recorder) each(f func(folder)) {
	for _, q := range r.out.Queues {
		f(&q.Length)
		f(&q.Marks)
	}
	for _, g := range r.out.Groups {
		f(&g.Held)
		f(&g.Headroom)
		f(&g.Threshold)
	}
	for _, c := range r.out.Controls {
		f(&c.Stops)
		f(&c.Pauses)
		f(&c.Sent)
	}
	for _, x := range r.out.Flows {
		f(&x.Rate)
		f(&x.Target)
		f(&x.CNPs)
		f(&x.Goodput)
	}
	for i := range r.out.Drops {
		f(&r.out.Drops[i].Count)
	}
}

func (r *Recorder) port(id int) *port {
	for id >= len(r.ports) {
		r.ports = append(r.ports, &port{})
	}
	return r.ports[id]
}

func (r *Recorder) queue(p *dataplane.Port, i int) *Queue {
	x := &r.port(p.ID()).queues[i]
	if *x == nil {
		*x = &Queue{Port: p.ID(), Queue: i}
		r.out.Queues = append(r.out.Queues, *x)
	}
	return *x
}

func (r *Recorder) group(p *dataplane.Port, i int) *Group {
	x := &r.port(p.ID()).groups[i]
	if *x == nil {
		*x = &Group{Port: p.ID(), Group: i}
		r.out.Groups = append(r.out.Groups, *x)
	}
	return *x
}

func (r *Recorder) queueLength(o *dataplane.Observation) {
	q := r.queue(o.Port, int(o.Class))
	q.Length.set(&r.clock, o.At, o.Level)
	r.used |= 1 << (o.Class % dataplane.Classes)
	if o.Flow != nil {
		r.flow(o.Flow).crosses(o.Port.ID())
	}
}

func (r *Recorder) dropped(o *dataplane.Observation) {
	for i := range r.out.Drops {
		if d := &r.out.Drops[i]; d.Port == o.Port.ID() && d.Class == int(o.Class) && d.Why == o.Reason {
			d.add(r, o)
			return
		}
	}
	r.out.Drops = append(r.out.Drops, Drop{Port: o.Port.ID(), Class: int(o.Class), Why: o.Reason, Reason: o.Reason.String()})
	r.out.Drops[len(r.out.Drops)-1].add(r, o)
}

func (d *Drop) add(r *Recorder, o *dataplane.Observation) {
	d.Count.add(&r.clock, o.At, 1)
	d.Bytes += o.Level
	if o.Flow != nil {
		r.flow(o.Flow).Dropped++
	}
}

// Note keeps a word about something that happens now, for a report: a fault that is
// put in, a change of configuration. Of more than Options.Stops the first are kept.
func (r *Recorder) Note(text string) {
	if len(r.out.Notes) < r.opts.Stops {
		r.out.Notes = append(r.out.Notes, Note{At: r.sim.Now(), Text: text})
	}
}

func (r *Recorder) deadlock(o *dataplane.Observation) {
	if o.On {
		r.out.DeadlockCount++
	}
	if len(r.out.Deadlocks) < r.opts.Stops {
		r.out.Deadlocks = append(r.out.Deadlocks, Deadlock{At: o.At, Port: o.Port.ID(), Queue: int(o.Class), Detected: o.On})
	}
}
