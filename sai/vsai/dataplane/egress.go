package dataplane

import "math/bits"

// egress is the sending side of a port of a switch.
type egress struct {
	queues  []queue
	ready   uint32 // queues that have packets
	strict  uint32 // queues of strict priority
	limited uint32 // queues with a rate of their own
	ignore  uint32 // queues that don't heed pauses, for they recover from a deadlock
	turn    int    // queue of the round robin whose turn it is
	port    bucket
}

// queue is an egress queue.
type queue struct {
	cfg      Queue
	pool     *pool    // the last one, while something lies in it
	use      *portUse // its port's, of that pool
	wred     *WRED    // with thresholds as the chip compares them
	open     bool
	limits   limits
	packets  list
	parts    [maxSlices]usage
	deficit  int64
	fill     bucket // of the greatest rate
	least    bucket // of the smallest rate
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

// SetQueue gives a queue its configuration. What it holds stays.
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
	s.resumeGroups(w) // what is reserved for queues is not shared
	if watched {
		s.setDetector(p, q)
	}
	s.kick(p)
}

// move takes what a queue holds out of the sums of its pool, or puts it in.
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

// classify keeps what the scheduler asks of all queues at once.
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

// weightBytes is what a queue may send in one round for each unit of its weight.
const weightBytes = 256

// admitQueue reports whether a queue has room for n cells, and how they would lie.
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

// fits reports whether a queue's pool has room for n more shared cells, or is no bound.
func (m *mmu) fits(x *queue, slice uint8, n int64) bool {
	over := m.model.StaticOverPool && !x.limits.dynamic && x.limits.static > x.pool.shared*int64(m.model.Slices)
	return over || x.pool.used[slice]+n <= x.pool.shared
}

// push charges a packet to a queue and puts it there.
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
	s.packets.put(&x.packets, i)
	p.egress.ready |= 1 << q
	if s.cfg.Observe != nil {
		s.observeQueue(p, q, s.dataOf(k))
	}
}

// uncharge gives back what a packet takes of its queue.
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

// pick chooses the queue that sends next: strict ones by their index, then those
// that are below their smallest rate, then by deficit round robin.
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

// roundRobin is deficit round robin among queues that may send. A queue keeps its
// turn while its deficit is more than 0; what its last packet takes beyond that
// is taken off its next turns, so that a turn may be less than a packet.
func (e *egress) roundRobin(s *Sim, able uint32) int {
	if able&(able-1) == 0 {
		return bits.TrailingZeros32(able) // alone: nothing to share
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
		x.deficit = min(x.deficit, 0) + quantum // a turn that a pause broke off is not saved up
	}
}

// after is the next queue of able in turn.
func (e *egress) after(able uint32) int {
	if later := able &^ (1<<(e.turn+1) - 1); later != 0 {
		return bits.TrailingZeros32(later)
	}
	return bits.TrailingZeros32(able)
}

// dequeue takes the next packet out of its queue.
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
