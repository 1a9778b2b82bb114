package scenario

import (
	"xon/sai/vsai/dataplane"
)

// portMeasures are the measures of switches, ports and classes.
var portMeasures = []Measure{
	{Name: "drops", About: "packets dropped by switches, for any reason or one of those below", of: drops},
	{Name: "lost", About: "packets lost by links", of: lost},
	{Name: "pfc_frames", About: "PFC frames sent by switches, counted per class, to pause and to resume", of: perClass(func(l *portLog, c int) uint64 { return l.pfc[c] })},
	{Name: "pause_frames", About: "802.3x frames sent by switches, which pause or resume a whole port", of: perPort(func(l *portLog) uint64 { return l.pause })},
	{Name: "pauses", About: "pauses that switches requested, per class", of: perClass(func(l *portLog, c int) uint64 { return l.stops[c] })},
	{Name: "marks", About: "packets that were marked", of: perQueue(func(l *portLog, q int) uint64 { return l.marks[q] })},
	{Name: "trimmed", About: "packets trimmed to their headers, counted at the full queue", of: trimmed},
	{Name: "deadlocks", About: "deadlocks detected by queues", of: perQueue(func(l *portLog, q int) uint64 { return l.deadlocks[q] })},
	{Name: "max_queue", Dimension: Bytes, About: "maximum length of a queue", of: maxQueue},
	{Name: "max_group", Dimension: Bytes, About: "maximum fill of a priority group, including headroom", of: maxGroup},
	{Name: "max_headroom", Dimension: Bytes, About: "maximum use of a priority group's headroom", of: maxHeadroom},
	{Name: "headroom_used", Dimension: Ratio, About: "maximum use of a priority group's headroom, relative to what is usable on the chip", of: headroomUsed},
	{Name: "max_headroom_pool", Dimension: Bytes, About: "maximum use of a switch's shared headroom", of: maxHeadroomPool},
	{Name: "headroom_pool_used", Dimension: Ratio, About: "the same relative to its size; on a chip with slices, of the fullest slice", of: headroomPoolUsed},
	{Name: "max_pool", Dimension: Bytes, About: "maximum fill of a switch's ingress pools, including headroom except groups' own headroom beside a pool", of: maxPool},
	{Name: "paused", Dimension: Ratio, About: "share of the run that a class was paused, by PFC or 802.3x, at the port with the longest time", of: paused},
	{Name: "locked", About: "classes of switch ports that were paused for the whole last tenth of the run; a port paused by 802.3x counts once", of: locked},
}

// perClass sums a counter over classes, perQueue over queues.
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

// perPort sums a counter over ports.
func perPort(count func(*portLog) uint64) func(*world, selection) float64 {
	return func(w *world, s selection) (sum float64) {
		w.eachPort(s, func(_ *device, p *dataplane.Port) { sum += float64(count(w.watch.port(p))) })
		return sum
	}
}

func trimmed(w *world, s selection) (sum float64) {
	w.eachPort(s, func(d *device, p *dataplane.Port) {
		for _, q := range s.classes(d.sw.Config().Queues) {
			sum += float64(d.sw.Queue(p.Index(), q).Trimmed)
		}
	})
	return sum
}

func drops(w *world, s selection) float64 {
	return w.drops(s, func(r dataplane.Reason) bool { return r != dataplane.DropLink })
}

func lost(w *world, s selection) float64 {
	sum := w.drops(s, func(r dataplane.Reason) bool { return r == dataplane.DropLink })
	for _, n := range w.plan.hosts { // links to hosts lose frames at either end
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
				if counts(dataplane.Reason(r)) && s.counts(dataplane.Reason(r)) {
					sum += float64(n)
				}
			}
		}
	})
	return sum
}

// counts reports whether a selection contains drops of a reason. Headroom means the
// groups' own and shared headroom.
func (s *selection) counts(r dataplane.Reason) bool {
	return s.reason == "" || s.reason == reasonName(r) ||
		r == dataplane.DropHeadroomPool && s.reason == reasonName(dataplane.DropHeadroom)
}

func maxQueue(w *world, s selection) (most float64) {
	w.eachPort(s, func(d *device, p *dataplane.Port) {
		for _, q := range s.classes(d.sw.Config().Queues) {
			most = max(most, float64(d.sw.Queue(p.Index(), q).LengthMost))
		}
	})
	return most
}

// eachGroup calls f for each selected priority group.
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

// headroomUsed is the maximum share of the usable headroom that a group used.
func headroomUsed(w *world, s selection) (most float64) {
	w.eachPort(s, func(d *device, p *dataplane.Port) {
		for _, c := range s.classes(dataplane.Classes) {
			most = max(most, d.headroomShare(p, c))
		}
	})
	return most
}

func (d *device) headroomShare(p *dataplane.Port, class int) float64 {
	limit := d.sw.HeadroomLimit(p.Index(), class)
	if limit == 0 {
		return 0
	}
	return float64(d.sw.Group(p.Index(), class).SliceHeadroomMost*d.sw.CellBytes()) / float64(limit)
}

// eachHeadroomPool calls f for each shared headroom pool of a switch.
func (w *world) eachHeadroomPool(s selection, f func(d *device, pool int)) {
	for _, n := range w.plan.switches {
		if s.node != nil && s.node != n {
			continue
		}
		d := w.devices[n]
		for i := range d.sw.Config().Pools {
			if cfg := d.sw.PoolConfig(i); !cfg.Egress && cfg.Headroom > 0 {
				f(d, i)
			}
		}
	}
}

func maxHeadroomPool(w *world, s selection) (most float64) {
	w.eachHeadroomPool(s, func(d *device, i int) {
		most = max(most, float64(d.poolStats(i).HeadroomMost*d.sw.CellBytes()))
	})
	return most
}

// headroomPoolUsed is that of the fullest slice: one may be full and lose packets while
// others are empty.
func headroomPoolUsed(w *world, s selection) (most float64) {
	w.eachHeadroomPool(s, func(d *device, i int) {
		if limit := d.sw.PoolHeadroomLimit(i); limit > 0 {
			most = max(most, float64(d.poolStats(i).SliceHeadroomMost*d.sw.CellBytes())/float64(limit))
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

// paused includes ports of switches and of hosts.
func paused(w *world, s selection) (most float64) {
	look := func(p *dataplane.Port) {
		for _, c := range s.classes(dataplane.Classes) {
			most = max(most, w.sim.BlockedFor(p, c).Seconds()/max(w.sim.Now().Seconds(), 1e-12))
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

// locked counts pauses that lasted through the last tenth of the run; an 802.3x pause
// counts once.
func locked(w *world, s selection) (sum float64) {
	w.eachPort(s, func(_ *device, p *dataplane.Port) {
		for _, c := range s.classes(dataplane.Classes) {
			lasts, whole := w.sim.BlockedNow(p, c)
			if lasts > 0 && lasts >= w.sim.Now()/10 {
				sum++
			}
			if whole {
				break
			}
		}
	})
	return sum
}
