package dataplane

import "math"

// average is the moving average of a queue's length that WRED uses.
type average struct {
	level float64
	empty Time // when the queue became empty; never: it is not empty
}

// update adds the current length and returns the length for WRED.
func (a *average) update(w *WRED, length int64, now, packet Time) int64 {
	if w.Weight == 0 {
		return length
	}
	part := math.Ldexp(1, -int(w.Weight))
	if a.empty != never {
		idle := float64(now-a.empty) / float64(max(packet, 1))
		a.level *= math.Pow(1-part, idle)
		a.empty = never
	}
	a.level += (float64(length) - a.level) * part
	return int64(a.level)
}

// setIdle records that the queue is empty from now on.
func (a *average) setIdle(now Time) { a.empty = now }

// takes decides randomly whether the curve marks or drops a packet.
func (c *Curve) takes(length int64, rng *stream) bool {
	switch {
	case !c.On || length <= c.Min:
		return false
	case length > c.Max:
		return true
	}
	p := float64(c.Percent) / 100 * float64(length-c.Min) / float64(c.Max-c.Min)
	return rng.chance(p)
}

// marks reports whether WRED marks a packet rather than dropping it.
func (w *WRED) marks(k *packet) bool { return k.ecn != notECT && w.Mark[k.colour].On }

// verdict is what WRED does with a packet.
type verdict uint8

const (
	pass verdict = iota
	mark
	discard
)

// decide applies WRED to a packet, for a length in bytes.
func (w *WRED) decide(k *packet, length int64, rng *stream) verdict {
	if w.marks(k) {
		if k.ecn != ce && w.Mark[k.colour].takes(length, rng) {
			return mark
		}
		return pass
	}
	if w.Drop[k.colour].takes(length, rng) {
		return discard
	}
	return pass
}

// wredOnEnqueue applies WRED to a packet that is about to enter a queue; false: it is
// dropped.
func (s *Sim) wredOnEnqueue(p *Port, q int, k *packet) bool {
	x := &p.egress.queues[q]
	if w := x.wred; w != nil && (!w.Dequeue || !w.marks(k)) {
		if !s.apply(p, x, k, w.decide(k, x.average.update(w, p.sw.mmu.length(x), s.now, s.frameTime(p, k.bytes)), &x.rng)) {
			return false
		}
	}
	pool := x.pool
	if pool == nil || pool.wred == nil {
		return true
	}
	w, held := pool.wred, pool.Stats.Held*int64(p.sw.mmu.model.CellBytes)
	return s.apply(p, x, k, w.decide(k, pool.average.update(w, held, s.now, s.frameTime(p, k.bytes)), &x.rng))
}

// length returns the queue length that WRED compares, in bytes.
func (m *mmu) length(x *queue) int64 {
	if m.model.WREDCells {
		return x.stats.Held * int64(m.model.CellBytes)
	}
	return x.stats.Length
}

// wred returns the curves in the unit that the chip compares.
func (m *mmu) wred(w *WRED) *WRED {
	if w == nil || !m.model.WREDCells {
		return w
	}
	out := *w
	for c := range Colours {
		for _, curve := range []*Curve{&out.Drop[c], &out.Mark[c]} {
			curve.Min, curve.Max = m.wholeCells(curve.Min), m.wholeCells(curve.Max)
		}
	}
	return &out
}

// wholeCells rounds a threshold in bytes up to whole cells.
func (m *mmu) wholeCells(bytes int64) int64 {
	if bytes > noThreshold {
		return bytes
	}
	return m.thresholdCells(bytes) * int64(m.model.CellBytes)
}

// noThreshold is far beyond any memory size, and means no threshold.
const noThreshold = 1 << 50

// wredOnDequeue applies WRED to a leaving packet, for the length that remains.
func (s *Sim) wredOnDequeue(p *Port, x *queue, k *packet) {
	w := x.wred
	if w == nil || !w.Dequeue || !w.marks(k) {
		return
	}
	behind := x.stats.Length - int64(k.bytes)
	if m := p.sw.mmu; m.model.WREDCells {
		behind = (x.stats.Held - int64(k.cells)) * int64(m.model.CellBytes)
	}
	s.apply(p, x, k, w.decide(k, x.average.update(w, behind, s.now, s.frameTime(p, k.bytes)), &x.rng))
}

func (s *Sim) apply(p *Port, x *queue, k *packet, v verdict) (kept bool) {
	switch v {
	case mark:
		k.ecn = ce
		x.stats.Marked[k.colour]++
		x.stats.MarkedBytes[k.colour] += uint64(k.bytes)
		p.Stats.Marked++
		if s.cfg.Observe != nil {
			s.observe(Observation{Kind: SeenMark, Port: p, Class: k.queue, Flow: s.flowOf(k)})
		}
	case discard:
		x.stats.WREDDropped[k.colour]++
		x.stats.WREDDroppedBytes[k.colour] += uint64(k.bytes)
		return false
	case pass:
	}
	return true
}
