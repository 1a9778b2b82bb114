package dataplane

import "math/bits"

// egress is the transmit side of a switch port.
type egress struct {
	queues  []queue
	ready   uint32 // bits of queues with packets
	strict  uint32 // bits of strict-priority queues
	limited uint32 // bits of queues with a rate limit
	ignore  uint32 // bits of queues that ignore pauses while they recover from a deadlock
	turn    int    // queue whose turn it is in round robin
	port    bucket
}

// queue is an egress queue.
type queue struct {
	cfg      Queue
	pool     *pool    // the pool of the held packets while the queue is not empty
	use      *portUse // the port's use of that pool
	wred     *WRED    // thresholds in the unit that the chip compares
	open     bool
	limits   limits
	packets  packetList
	parts    [maxSlices]usage
	deficit  int64
	fill     bucket // shapes to the maximum rate
	least    bucket // measures against the minimum rate
	average  average
	rng      stream
	watchdog watchdog
	stats    QueueStats
}

func newEgress(queues int) egress {
	e := egress{queues: make([]queue, queues)}
	for i := range e.queues {
		e.queues[i].packets = emptyList
		e.queues[i].cfg.Buffer.Pool = -1
		e.queues[i].cfg.Sched.Weight = 1
	}
	return e
}

// SetQueue configures a queue. The queue keeps its packets.
func (w *Switch) SetQueue(port, q int, cfg Queue) {
	s, p := w.sim, w.ports[port]
	m, x := w.mmu, &p.egress.queues[q]
	cfg.Sched.Weight = max(cfg.Sched.Weight, 1)
	x.move(-1)
	watched := x.cfg.Detector != cfg.Detector
	x.cfg, x.wred = cfg, m.wred(cfg.WRED)
	if to := m.pool(cfg.Buffer.Pool); to != nil {
		x.pool, x.use = to, m.use(port, cfg.Buffer.Pool)
	}
	x.open = m.pool(cfg.Buffer.Pool) != nil
	x.limits = m.limits(cfg.Buffer, m.model.QueueRound)
	x.move(1)
	burst := cfg.Sched.minBurst()
	x.fill.set(cfg.Sched.MaxRate, burst, s.now)
	x.least.set(cfg.Sched.MinRate, burst, s.now)
	p.egress.classify()
	m.dirty = true
	s.resumeGroups(w) // the queues' reservations reduce the shared part
	if watched {
		s.setDetector(p, q)
	}
	s.kick(p)
}

// move adds the queue's cells to the sums of its pool, or subtracts them.
func (x *queue) move(sign int64) {
	if x.pool == nil {
		return
	}
	for i := range x.parts {
		u := &x.parts[i]
		x.pool.used[i] += sign * u.shared
		x.use.shared[i] += sign * u.shared
		x.pool.Stats.add(sign*u.own, sign*u.shared, 0)
	}
}

// classify computes the queue bit sets that the scheduler uses.
func (e *egress) classify() {
	e.strict, e.limited = 0, 0
	for i := range e.queues {
		c := &e.queues[i].cfg.Sched
		if c.Strict {
			e.strict |= 1 << i
		}
		if c.MaxRate > 0 || c.MinRate > 0 {
			e.limited |= 1 << i
		}
	}
}

// weightBytes is the number of bytes per round for each unit of a queue's weight.
const weightBytes = 256

// admitQueue reports whether a queue has room for n cells, and how they are charged.
func (m *mmu) admitQueue(x *queue, slice uint8, n int64) (allocation, bool) {
	if !x.open {
		return allocation{}, false
	}
	u := &x.parts[slice]
	own := min(n, max(x.limits.own-u.own, 0))
	rest := n - own
	if rest == 0 || u.shared < m.limit(x.pool, &x.limits, slice) && m.fits(x, slice, rest) && x.use.allows(x.pool, slice, rest) {
		return allocation{own: own, shared: rest}, true
	}
	return allocation{}, false
}

// fits reports whether the pool allows a queue n more shared cells.
func (m *mmu) fits(x *queue, slice uint8, n int64) bool {
	over := m.model.StaticOverPool && !x.limits.dynamic && x.limits.static > x.pool.shared*int64(m.model.Slices)
	return over || x.pool.used[slice]+n <= x.pool.shared
}

// push charges a packet to a queue and appends it.
func (s *Sim) push(p *Port, q int, i uint32, at allocation) {
	k := &s.packets.all[i]
	x := &p.egress.queues[q]
	u := &x.parts[k.slice]
	u.own += at.own
	u.shared += at.shared
	x.pool.used[k.slice] += at.shared
	x.use.shared[k.slice] += at.shared
	x.pool.Stats.add(at.own, at.shared, 0)
	c := &x.stats
	c.Length += int64(k.bytes)
	c.Held += at.own + at.shared
	c.Shared += at.shared
	c.LengthMost = max(c.LengthMost, c.Length)
	c.HeldMost = max(c.HeldMost, c.Held)
	c.SharedMost = max(c.SharedMost, c.Shared)
	s.packets.append(&x.packets, i)
	p.egress.ready |= 1 << q
	if s.cfg.Observe != nil {
		s.observeQueue(p, q, s.dataOf(k))
	}
}

// uncharge removes a packet's charge from its queue.
func (s *Sim) uncharge(p *Port, k *packet) {
	x := &p.egress.queues[k.queue]
	u := &x.parts[k.slice]
	shared := min(u.shared, int64(k.cells))
	own := int64(k.cells) - shared
	u.shared -= shared
	u.own -= own
	x.pool.used[k.slice] -= shared
	x.use.shared[k.slice] -= shared
	x.pool.Stats.add(-own, -shared, 0)
	x.stats.Length -= int64(k.bytes)
	x.stats.Held -= int64(k.cells)
	x.stats.Shared -= shared
	if x.stats.Length == 0 {
		x.average.setIdle(s.now)
	}
	if x.pool.Stats.Held == 0 {
		x.pool.average.setIdle(s.now)
	}
	if s.cfg.Observe != nil {
		s.observeQueue(p, int(k.queue), nil)
	}
}

func (s *Sim) observeQueue(p *Port, q int, f *Flow) {
	s.observe(Observation{Kind: SeenQueue, Port: p, Class: uint8(q), Level: p.egress.queues[q].stats.Length, Flow: f})
}

// pick chooses the queue to send from: strict queues by index, then queues below their
// minimum rate, then deficit round robin.
func (s *Sim) pick(p *Port) (q int, ok bool) {
	e := &p.egress
	able := e.ready &^ (p.blocked &^ e.ignore)
	if able&e.limited != 0 {
		able = s.unlimited(p, able)
	}
	if able == 0 {
		return 0, false
	}
	if strict := able & e.strict; strict != 0 {
		return bits.Len32(strict) - 1, true
	}
	if able&e.limited != 0 {
		if q, ok := e.belowMinRate(s, able); ok {
			return q, true
		}
	}
	return e.roundRobin(s, able), true
}

// roundRobin is deficit round robin among eligible queues. A queue keeps its turn while
// its deficit is positive. What its last packet takes beyond that is subtracted from
// its next turns, so a turn may be shorter than a packet.
func (e *egress) roundRobin(s *Sim, able uint32) int {
	if able&(able-1) == 0 {
		return bits.TrailingZeros32(able) // only one queue: nothing to share
	}
	for {
		x := &e.queues[e.turn]
		if able&(1<<e.turn) != 0 && x.deficit > 0 {
			x.deficit -= int64(s.packets.all[x.packets.head].bytes)
			return e.turn
		}
		e.turn = e.after(able)
		x = &e.queues[e.turn]
		quantum := int64(x.cfg.Sched.Weight) * weightBytes
		x.deficit = min(x.deficit, 0) + quantum // credit of a turn that a pause interrupted is not kept
	}
}

// after returns the next queue of able in round-robin order.
func (e *egress) after(able uint32) int {
	if later := able &^ (1<<(e.turn+1) - 1); later != 0 {
		return bits.TrailingZeros32(later)
	}
	return bits.TrailingZeros32(able)
}

// dequeue removes the next packet from its queue.
func (s *Sim) dequeue(p *Port) uint32 {
	if p.egress.port.rate > 0 && !s.mayNow(p, &p.egress.port) {
		return noPacket
	}
	q, ok := s.pick(p)
	if !ok {
		return noPacket
	}
	x := &p.egress.queues[q]
	i := s.packets.shift(&x.packets)
	k := &s.packets.all[i]
	if x.packets.empty() {
		p.egress.ready &^= 1 << q
		x.deficit = min(x.deficit, 0)
	}
	x.stats.Packets++
	x.stats.Bytes += uint64(k.bytes)
	s.spend(p, x, k)
	s.depart(p, x, i)
	return i
}

// Queue returns the statistics of a queue.
func (w *Switch) Queue(port, q int) QueueStats { return w.ports[port].egress.queues[q].stats }
