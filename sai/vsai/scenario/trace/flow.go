package trace

import (
	"slices"

	"xon/sai/vsai/dataplane"
)

// flow returns the record of a flow. Beyond Options.Flows it has no series.
func (r *Recorder) flow(f *dataplane.Flow) *Flow {
	for id := f.ID(); id >= len(r.flows); {
		r.flows = append(r.flows, nil)
	}
	x := r.flows[f.ID()]
	if x == nil {
		c := f.Config()
		x = &Flow{ID: f.ID(), From: c.From.Port().ID(), To: c.To.Port().ID(), Class: int(c.Class), Line: int64(c.Rate), NoSeries: f.ID() >= r.opts.Flows}
		x.Rate.Start, x.Target.Start = x.Line, x.Line
		r.flows[f.ID()] = x
		r.out.Flows = append(r.out.Flows, x)
	}
	return x
}

// sender handles observations of flows.
func (r *Recorder) sender(o *dataplane.Observation) {
	x := r.flow(o.Flow)
	switch {
	case o.Kind == dataplane.SeenArrived:
		x.Took = o.Span
	case o.Kind == dataplane.SeenCNP && x.NoSeries:
		x.CNPs.count(o.At, 1)
	case o.Kind == dataplane.SeenCNP:
		x.CNPs.add(&r.clock, o.At, 1)
	case o.Kind == dataplane.SeenRate && !x.NoSeries:
		x.Rate.set(&r.clock, o.At, o.Level)
		x.Target.set(&r.clock, o.At, o.Target)
	}
}

// sample adds the data that flows delivered since the last bucket.
func (r *Recorder) sample() {
	if r.sim == nil {
		return
	}
	for _, f := range r.sim.Flows()[:min(len(r.sim.Flows()), r.opts.Flows)] {
		if n := int64(f.Stats.Delivered); n > 0 {
			x := r.flow(f)
			x.Goodput.add(&r.clock, r.clock.at, n-x.Goodput.Total)
		}
	}
}

// addToPath records that data of the flow waited at a port.
func (x *Flow) addToPath(port int) {
	if !slices.Contains(x.Path, port) {
		x.Path = append(x.Path, port)
	}
}
