package scenario

import (
	"xon/sai/vsai/dataplane"
)

// portMeasures are those of switches, ports and classes.
var portMeasures = []Measure{
	{Name: "drops", About: "packets that switches dropped, for any reason or one of those below", of: drops},
	{Name: "lost", About: "packets that links lost", of: lost},
	{Name: "pfc_frames", About: "PFC frames that switches sent, a class each, to pause and to resume", of: perClass(func(l *portLog, c int) uint64 { return l.pfc[c] })},
	{Name: "pauses", About: "times that a switch stopped a class of a sender", of: perClass(func(l *portLog, c int) uint64 { return l.stops[c] })},
	{Name: "marks", About: "packets that were marked", of: perQueue(func(l *portLog, q int) uint64 { return l.marks[q] })},
	{Name: "deadlocks", About: "deadlocks that detectors of queues found", of: perQueue(func(l *portLog, q int) uint64 { return l.deadlocks[q] })},
	{Name: "max_queue", Dimension: Bytes, About: "greatest length of a queue", of: maxQueue},
	{Name: "max_group", Dimension: Bytes, About: "greatest fill of a priority group, headroom included", of: maxGroup},
	{Name: "max_headroom", Dimension: Bytes, About: "greatest use of a priority group's headroom", of: maxHeadroom},
	{Name: "headroom_used", Dimension: Ratio, About: "greatest use of a priority group's headroom, of what it has", of: headroomUsed},
	{Name: "max_pool", Dimension: Bytes, About: "greatest fill of a switch's ingress pools, headroom included", of: maxPool},
	{Name: "paused", Dimension: Ratio, About: "share of the run that a class was paused, of the port where it was longest", of: paused},
	{Name: "locked", About: "classes of ports of switches that stood still for the last tenth of the run", of: locked},
}

// perClass adds up a count of classes, perQueue one of queues.
func perClass(count func(*portLog, int) uint64) func(*world, selection) float64 {
	return sumUp(dataplane.Classes, count)
}

func perQueue(count func(*portLog, int) uint64) func(*world, selection) float64 {
	return sumUp(dataplane.MaxQueues, count)
}

func sumUp(n int, count func(*portLog, int) uint64) func(*world, selection) float64 {
	return func(w *world, s selection) (sum float64) {
		w.eachPort(s, func(_ *device, p *dataplane.Port) {
			for _, c := range s.classes(n) {
				sum += float64(count(w.watch.port(p), c))
			}
		})
		return sum
	}
}

func drops(w *world, s selection) float64 {
	return w.drops(s, func(r dataplane.Reason) bool { return r != dataplane.DropLink })
}

func lost(w *world, s selection) float64 {
	sum := w.drops(s, func(r dataplane.Reason) bool { return r == dataplane.DropLink })
	for _, n := range w.plan.hosts { // links to hosts lose at either end
		if s.takes(n, "") {
			for _, c := range s.classes(dataplane.MaxQueues) {
				sum += float64(w.watch.port(w.hosts[n].Port()).drops[c][dataplane.DropLink])
			}
		}
	}
	return sum
}

func (w *world) drops(s selection, counts func(dataplane.Reason) bool) (sum float64) {
	w.eachPort(s, func(_ *device, p *dataplane.Port) {
		for _, c := range s.classes(dataplane.MaxQueues) {
			for r, n := range w.watch.port(p).drops[c] {
				if counts(dataplane.Reason(r)) && (s.reason == "" || s.reason == reasonName(dataplane.Reason(r))) {
					sum += float64(n)
				}
			}
		}
	})
	return sum
}

func maxQueue(w *world, s selection) (most float64) {
	w.eachPort(s, func(d *device, p *dataplane.Port) {
		for _, q := range s.classes(d.sw.Config().Queues) {
			most = max(most, float64(d.sw.Queue(p.Index(), q).LengthMost))
		}
	})
	return most
}

// eachGroup calls f with each priority group that a selection has.
func (w *world) eachGroup(s selection, f func(d *device, g dataplane.GroupStats, b dataplane.Buffer)) {
	w.eachPort(s, func(d *device, p *dataplane.Port) {
		for _, c := range s.classes(dataplane.Classes) {
			f(d, d.sw.Group(p.Index(), c), d.sw.GroupConfig(p.Index(), c))
		}
	})
}

func maxGroup(w *world, s selection) (most float64) {
	w.eachGroup(s, func(d *device, g dataplane.GroupStats, _ dataplane.Buffer) {
		most = max(most, float64(g.HeldMost*d.sw.CellBytes()))
	})
	return most
}

func maxHeadroom(w *world, s selection) (most float64) {
	w.eachGroup(s, func(d *device, g dataplane.GroupStats, _ dataplane.Buffer) {
		most = max(most, float64(g.HeadroomMost*d.sw.CellBytes()))
	})
	return most
}

func headroomUsed(w *world, s selection) (most float64) {
	w.eachGroup(s, func(d *device, g dataplane.GroupStats, b dataplane.Buffer) {
		if b.Xoff > 0 {
			most = max(most, float64(g.HeadroomMost*d.sw.CellBytes())/float64(b.Xoff))
		}
	})
	return most
}

func maxPool(w *world, s selection) (most float64) {
	for _, n := range w.plan.switches {
		if s.node != nil && s.node != n {
			continue
		}
		d := w.devices[n]
		for i := range d.sw.Config().Pools {
			if cfg, levels := d.sw.PoolConfig(i), d.poolStats(i); !cfg.Egress && cfg.Size > 0 {
				most = max(most, float64((levels.HeldMost+levels.HeadroomMost)*d.sw.CellBytes()))
			}
		}
	}
	return most
}

func (d *device) poolStats(i int) dataplane.PoolStats {
	_, s := d.sw.Pool(i)
	return s
}

// paused is of ports of switches and of hosts.
func paused(w *world, s selection) (most float64) {
	look := func(p *dataplane.Port) {
		for _, c := range s.classes(dataplane.Classes) {
			most = max(most, w.sim.PausedFor(p, c).Seconds()/max(w.sim.Now().Seconds(), 1e-12))
		}
	}
	w.eachPort(s, func(_ *device, p *dataplane.Port) { look(p) })
	for _, n := range w.plan.hosts {
		if s.takes(n, "") {
			look(w.hosts[n].Port())
		}
	}
	return most
}

// locked counts pauses that have lasted for the last tenth.
func locked(w *world, s selection) (sum float64) {
	w.eachPort(s, func(_ *device, p *dataplane.Port) {
		for _, c := range s.classes(dataplane.Classes) {
			if lasts := w.sim.PausedFor(p, c) - p.Stats.PausedFor[c]; lasts > 0 && lasts >= w.sim.Now()/10 {
				sum++
			}
		}
	})
	return sum
}
