// Package trace records a simulation of the dataplane in bounded memory, whatever its
// length: queue lengths and fills over time, pauses and their causes, rates, marks,
// drops.
//
// A Recorder receives observations as they happen. Time is divided into buckets, whose
// width doubles whenever there are too many; for a value that changes within a bucket,
// minimum and maximum are kept. Totals, extremes and the times of first and last events
// are exact. A Recording is plain data; conclusions (who paused whom, victims, whether
// headroom sufficed) are methods of it.
package trace

import "xon/sai/vsai/dataplane"

// Options limit a recording.
type Options struct {
	Buckets int // maximum per series, at least 2; 0 means 2048
	Flows   int // maximum with their own series, the first ones; 0 means 256
	Stops   int // maximum kept individually, the first ones; 0 means 4096
	// Names of ports and flows; nil: the dataplane's port names, and the ends of flows.
	PortName func(*dataplane.Port) string
	FlowName func(*dataplane.Flow) string
}

// Recorder receives observations. Only the simulation's goroutine may use it.
type Recorder struct {
	opts  Options
	clock clock
	sim   *dataplane.Sim
	ports []*port // by ID
	flows []*Flow // by ID
	out   Recording
	used  uint8 // bits of classes with traffic, by queue
	// causeAt indexes out.Causes.
	causeAt map[cause]int
}

// port is the record of a port with any activity.
type port struct {
	queues [dataplane.MaxQueues]*Queue
	groups [dataplane.Classes]*Group
	flow   [dataplane.Classes]*Control
}

// firstWidth is the initial width of buckets.
const firstWidth = 100 * dataplane.Nanosecond

// New makes a recorder. Set its method Observe as the dataplane.Config's Observe, and
// call Attach before the simulation runs.
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

// Attach sets the simulation that is recorded.
func (r *Recorder) Attach(s *dataplane.Sim) { r.sim = s }

// Observe handles an observation. They must come in order of time.
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

// advance moves to the bucket of a time.
func (r *Recorder) advance(t dataplane.Time) {
	r.sample()
	for r.clock.advance(t) >= r.opts.Buckets {
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
		r.flow(o.Flow).addToPath(o.Port.ID())
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

// Note adds a text at the current time for a report: a fault, a configuration change.
// The first Options.Stops notes are kept.
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
