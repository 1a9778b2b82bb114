package dataplane

import "math/bits"

// watchdog is the state of a queue's deadlock detector.
type watchdog struct {
	round      uint32 // of the timer that counts
	recovering bool
	dropping   bool
	heard      int  // pause frames
	since      Time // of the first of them
}

// QueueState is what a queue's detector sees, as SAI_QUEUE_ATTR_PFC_CONTINUOUS_DEADLOCK_STATE.
type QueueState uint8

// States of a queue.
const (
	NotPaused QueueState = iota
	PausedLong
	PausedShort
)

// setDetector takes up a new configuration of a queue's detector.
func (s *Sim) setDetector(p *Port, q int) {
	x := &p.egress.queues[q]
	if !x.cfg.Detector.On {
		s.recovered(p, q)
	}
	s.suspect(p, q)
}

// watch follows the queues that have been stopped, or may go on.
func (s *Sim) watch(p *Port, before uint32) {
	for m := before ^ p.blocked; m != 0; m &= m - 1 {
		if q := bits.TrailingZeros32(m); q < len(p.egress.queues) {
			s.suspect(p, q)
		}
	}
}

// suspect starts the detector's timer anew, if the queue is stopped.
func (s *Sim) suspect(p *Port, q int) {
	x := &p.egress.queues[q]
	d, w := &x.cfg.Detector, &x.watchdog
	if w.recovering {
		return
	}
	w.round++
	if d.On && d.Xoffs == 0 && p.blocked&(1<<q) != 0 {
		s.cause(event{at: s.now + d.Detect, kind: evDetector, a: p.id, b: w.round, c: uint8(q)})
	}
}

// detect is when a queue has been stopped for long, or has recovered for long.
func (s *Sim) detect(p *Port, q int, round uint32) {
	x := &p.egress.queues[q]
	switch w := &x.watchdog; {
	case round != w.round:
	case w.recovering:
		s.recovered(p, q)
		s.suspect(p, q)
		s.kick(p)
	case x.packets.empty():
		s.suspect(p, q) // nothing is locked up
	default:
		s.deadlock(p, q)
	}
}

// deadlock tells of one, and begins to recover.
func (s *Sim) deadlock(p *Port, q int) {
	x := &p.egress.queues[q]
	d, w := &x.cfg.Detector, &x.watchdog
	x.stats.Deadlocks++
	s.observe(Observation{Kind: SeenDeadlock, Port: p, Class: uint8(q), On: true})
	w.heard = 0
	if d.AppOwned {
		s.suspect(p, q)
		return
	}
	w.recovering = true
	w.round++
	s.cause(event{at: s.now + d.Recover, kind: evDetector, a: p.id, b: w.round, c: uint8(q)})
	if d.Drop {
		w.dropping = true
		s.discardQueue(p, q)
		return
	}
	p.egress.ignore |= 1 << q
	s.kick(p)
}

// recovered has the queue heed pauses again.
func (s *Sim) recovered(p *Port, q int) {
	w := &p.egress.queues[q].watchdog
	if !w.recovering {
		return
	}
	w.recovering, w.dropping = false, false
	p.egress.ignore &^= 1 << q
	s.observe(Observation{Kind: SeenDeadlock, Port: p, Class: uint8(q)})
}

// discardQueue drops all that a queue holds.
func (s *Sim) discardQueue(p *Port, q int) {
	x := &p.egress.queues[q]
	for !x.packets.empty() {
		i := s.packets.shift(&x.packets)
		s.free(p, &s.packets.all[i])
		s.drop(p, i, DropDeadlock)
	}
	p.egress.ready &^= 1 << q
}

// countXoff counts a pause frame of a class for detectors that go by the number.
func (s *Sim) countXoff(p *Port, class int) {
	for m := p.maps.ClassToQueue[class]; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		if q >= len(p.egress.queues) {
			return
		}
		x := &p.egress.queues[q]
		d, w := &x.cfg.Detector, &x.watchdog
		if !d.On || d.Xoffs == 0 || w.recovering {
			continue
		}
		if w.heard == 0 || s.now-w.since > d.Detect {
			w.heard, w.since = 0, s.now
		}
		if w.heard++; w.heard >= d.Xoffs && !x.packets.empty() {
			s.deadlock(p, q)
		}
	}
}

// QueueState tells what a queue's detector sees now.
func (s *Sim) QueueState(p *Port, q int) QueueState {
	x := &p.egress.queues[q]
	switch {
	case x.watchdog.recovering:
		return PausedLong
	case p.blocked&(1<<q) != 0:
		return PausedShort
	}
	return NotPaused
}
