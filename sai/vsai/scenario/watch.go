package scenario

import (
	"xon/sai/vsai/dataplane"
)

// watcher sees all that happens in a run: it counts, notes moments, and records if
// it is asked to.
type watcher struct {
	w       *world
	ports   []*portLog // by dataplane's number
	flows   []*flowLog
	moments map[Event]dataplane.Time
	faults  []dataplane.Time // when each began
	rec     *Recording       // nil: nothing is recorded
}

// portLog is what was seen at a port.
type portLog struct {
	name      string
	drops     [dataplane.MaxQueues][dataplane.DropDeadlock + 1]uint64
	marks     [dataplane.MaxQueues]uint64
	pfc       [dataplane.Classes]uint64 // frames that pause or resume
	stops     [dataplane.Classes]uint64
	deadlocks [dataplane.MaxQueues]uint64

	queues               [dataplane.MaxQueues]*Series
	fill, room, limit    [dataplane.Classes]*Series
	markSeries           [dataplane.MaxQueues]*Series
	pfcSeries            [dataplane.Classes]*Series
	dropSeries           map[dropKey]*Series
	xoff, paused, locked [dataplane.MaxQueues]int // open intervals, by index + 1
}

type dropKey struct {
	class  uint8
	reason dataplane.Reason
}

// flowLog is what was seen of a flow.
type flowLog struct{ rate, target *Series }

// mostSpans of a recording.
const mostSpans = 50_000

// observe implements dataplane.Config.Observe.
func (r *watcher) observe(o dataplane.Observation) {
	switch o.Kind {
	case dataplane.SeenQueue, dataplane.SeenGroup, dataplane.SeenRate:
		if r.rec != nil {
			r.level(o)
		}
	case dataplane.SeenArrived:
		r.w.arrived(o.Flow)
	case dataplane.SeenDone:
		r.w.done(o.Flow)
	case dataplane.SeenCNP:
		r.first(FirstCNP, o.At)
	case dataplane.SeenMark:
		r.marked(o)
	case dataplane.SeenDrop:
		r.dropped(o)
	case dataplane.SeenPFCSent:
		r.sent(o)
	case dataplane.SeenXoff, dataplane.SeenXon:
		r.stop(o)
	case dataplane.SeenPaused, dataplane.SeenResumed:
		r.pause(o)
	case dataplane.SeenDeadlock:
		r.deadlock(o)
	default: // 802.3x frames, which stops tell of too
	}
}

func (r *watcher) first(e Event, at dataplane.Time) {
	if _, ok := r.moments[e]; !ok {
		r.moments[e] = at
	}
}

func (r *watcher) port(p *dataplane.Port) *portLog {
	for len(r.ports) <= p.ID() {
		r.ports = append(r.ports, nil)
	}
	if r.ports[p.ID()] == nil {
		r.ports[p.ID()] = &portLog{name: r.w.portName(p), dropSeries: map[dropKey]*Series{}}
	}
	return r.ports[p.ID()]
}

func (r *watcher) flow(f *dataplane.Flow) *flowLog {
	for len(r.flows) <= f.ID() {
		r.flows = append(r.flows, &flowLog{})
	}
	return r.flows[f.ID()]
}

// series notes a change of a series, which is made at its first.
func (r *watcher) series(s **Series, what Series, at dataplane.Time, v int64) {
	if r.rec == nil {
		return
	}
	if *s == nil {
		*s = &what
		r.rec.Levels = append(r.rec.Levels, *s)
	}
	(*s).add(at, v)
}

func (r *watcher) level(o dataplane.Observation) {
	if o.Kind == dataplane.SeenRate {
		f, name := r.flow(o.Flow), r.w.flowName(o.Flow)
		r.series(&f.rate, Series{Level: FlowRate, Flow: name}, o.At, o.Level)
		r.series(&f.target, Series{Level: FlowTarget, Flow: name}, o.At, o.Target)
		return
	}
	p := r.port(o.Port)
	if o.Kind == dataplane.SeenQueue {
		if p.queues[o.Class] == nil {
			r.series(&p.queues[o.Class], Series{Level: QueueDepth, Port: p.name, Class: o.Class, Lines: r.w.curve(o.Port, o.Class)}, o.At, o.Level)
			return
		}
		p.queues[o.Class].add(o.At, o.Level)
		return
	}
	if p.fill[o.Class] == nil {
		p.fill[o.Class] = &Series{Level: GroupFill, Port: p.name, Class: o.Class, Lines: r.w.headroom(o.Port, o.Class)}
		p.room[o.Class] = &Series{Level: GroupHeadroom, Port: p.name, Class: o.Class}
		p.limit[o.Class] = &Series{Level: GroupThreshold, Port: p.name, Class: o.Class}
		r.rec.Levels = append(r.rec.Levels, p.fill[o.Class], p.room[o.Class], p.limit[o.Class])
	}
	p.fill[o.Class].add(o.At, o.Level)
	p.room[o.Class].add(o.At, o.Headroom)
	p.limit[o.Class].add(o.At, o.Threshold)
}

func (r *watcher) marked(o dataplane.Observation) {
	r.first(FirstMark, o.At)
	p := r.port(o.Port)
	p.marks[o.Class]++
	r.series(&p.markSeries[o.Class], Series{Level: MarksSent, Port: p.name, Class: o.Class}, o.At, int64(p.marks[o.Class]))
}

func (r *watcher) dropped(o dataplane.Observation) {
	p := r.port(o.Port)
	if o.Reason != dataplane.DropLink {
		r.first(FirstDrop, o.At)
	}
	p.drops[o.Class][o.Reason]++
	key := dropKey{o.Class, o.Reason}
	s := p.dropSeries[key]
	r.series(&s, Series{Level: DropsSeen, Port: p.name, Class: o.Class, Reason: o.Reason}, o.At, int64(p.drops[o.Class][o.Reason]))
	p.dropSeries[key] = s
}

func (r *watcher) sent(o dataplane.Observation) {
	p := r.port(o.Port)
	p.pfc[o.Class]++
	r.series(&p.pfcSeries[o.Class], Series{Level: PFCSent, Port: p.name, Class: o.Class}, o.At, int64(p.pfc[o.Class]))
}

// stop notes that a port has its peer stop, and whose fault that is.
func (r *watcher) stop(o dataplane.Observation) {
	p := r.port(o.Port)
	if o.Kind == dataplane.SeenXon {
		r.end(&p.xoff[o.Class], o.At)
		return
	}
	r.first(FirstPause, o.At)
	r.moments[LastPause] = o.At
	p.stops[o.Class]++
	if r.rec == nil {
		return
	}
	s := Interval{What: Xoff, Port: p.name, Class: o.Class, From: o.At, Cause: -1}
	if o.Out != nil {
		out := r.port(o.Out)
		s.Toward = out.name
		if peer := o.Out.Peer(); out.paused[o.Class] != 0 && peer != nil {
			from := r.port(peer)
			s.StoppedBy, s.Cause = from.name, from.xoff[o.Class]-1
		}
	}
	p.xoff[o.Class] = r.begin(s)
}

func (r *watcher) pause(o dataplane.Observation) {
	p := r.port(o.Port)
	if o.Kind == dataplane.SeenResumed {
		r.end(&p.paused[o.Class], o.At)
		return
	}
	p.paused[o.Class] = r.begin(Interval{What: Paused, Port: p.name, Class: o.Class, From: o.At, Cause: -1})
}

func (r *watcher) deadlock(o dataplane.Observation) {
	p := r.port(o.Port)
	if !o.On {
		r.first(Recovered, o.At)
		r.note(o.At, p.name+": a queue has recovered from its deadlock")
		r.end(&p.locked[o.Class], o.At)
		return
	}
	r.first(Detected, o.At)
	p.deadlocks[o.Class]++
	r.note(o.At, p.name+": a queue is deadlocked")
	p.locked[o.Class] = r.begin(Interval{What: Deadlock, Port: p.name, Class: o.Class, From: o.At, Cause: -1})
}

// begin opens an interval and returns its index + 1, 0 if there are too many.
func (r *watcher) begin(s Interval) int {
	switch {
	case r.rec == nil:
		return 0
	case len(r.rec.Spans) >= mostSpans:
		r.rec.Lost++
		return 0
	}
	r.rec.Spans = append(r.rec.Spans, s)
	return len(r.rec.Spans)
}

func (r *watcher) end(open *int, at dataplane.Time) {
	if *open > 0 {
		r.rec.Spans[*open-1].To = at
	}
	*open = 0
}

func (r *watcher) note(at dataplane.Time, text string) {
	if r.rec != nil {
		r.rec.Notes = append(r.rec.Notes, Note{at, text})
	}
}

// close ends what lasts to the end.
func (r *watcher) close(at dataplane.Time) {
	if r.rec == nil {
		return
	}
	r.rec.Ended = at
	for i := range r.rec.Spans {
		if s := &r.rec.Spans[i]; s.To == 0 {
			s.To = at
		}
	}
}
