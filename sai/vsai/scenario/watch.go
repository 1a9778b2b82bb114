package scenario

import (
	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// watcher observes a run: it counts, notes event times, and records if requested.
type watcher struct {
	w       *world
	ports   []*portLog // by dataplane port ID
	moments map[Event]dataplane.Time
	faults  []dataplane.Time // start times
	rec     *trace.Recorder  // nil: no recording
}

// portLog counts events at a port.
type portLog struct {
	name      string
	drops     [dataplane.MaxQueues][dataplane.DropDeadlock + 1]uint64
	marks     [dataplane.MaxQueues]uint64
	pfc       [dataplane.Classes]uint64 // frames that pause or resume
	stops     [dataplane.Classes]uint64
	pause     uint64 // 802.3x frames that pause or resume
	deadlocks [dataplane.MaxQueues]uint64
}

// observe implements dataplane.Config.Observe.
func (r *watcher) observe(o dataplane.Observation) {
	if r.rec != nil {
		r.rec.Observe(o)
	}
	switch o.Kind {
	case dataplane.SeenArrived:
		r.w.arrived(o.Flow)
	case dataplane.SeenDone:
		r.w.completed()
	case dataplane.SeenCNP:
		r.first(FirstCNP, o.At)
	case dataplane.SeenMark:
		r.marked(o)
	case dataplane.SeenDrop:
		r.dropped(o)
	case dataplane.SeenPFCSent:
		r.port(o.Port).pfc[o.Class]++
	case dataplane.SeenPauseSent:
		r.port(o.Port).pause++
	case dataplane.SeenXoff:
		r.first(FirstPause, o.At)
		r.moments[LastPause] = o.At
		r.port(o.Port).stops[o.Class]++
	case dataplane.SeenDeadlock:
		r.deadlock(o)
	default: // only for recordings
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
		r.ports[p.ID()] = &portLog{name: r.w.portName(p)}
	}
	return r.ports[p.ID()]
}

func (r *watcher) marked(o dataplane.Observation) {
	r.first(FirstMark, o.At)
	r.port(o.Port).marks[o.Class]++
}

func (r *watcher) dropped(o dataplane.Observation) {
	if o.Reason != dataplane.DropLink {
		r.first(FirstDrop, o.At)
	}
	r.port(o.Port).drops[o.Class][o.Reason]++
}

func (r *watcher) deadlock(o dataplane.Observation) {
	p := r.port(o.Port)
	if !o.On {
		r.first(Recovered, o.At)
		r.note(p.name + ": a queue has recovered from its deadlock")
		return
	}
	r.first(Detected, o.At)
	p.deadlocks[o.Class]++
	r.note(p.name + ": a queue is deadlocked")
}

func (r *watcher) note(text string) {
	if r.rec != nil {
		r.rec.Note(text)
	}
}
