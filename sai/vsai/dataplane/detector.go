package dataplane

import "math/bits"

// watchdog is the state of a queue's deadlock detector.
type watchdog struct {
	round      uint32 // generation of the running timer
	recovering bool
	dropping   bool
	stopped    Time   // when a pause stopped the queue
	xoffs      []Time // times of the last Detector.Xoffs pause frames, a ring
	at         int    // index of the oldest
	heard      int    // number of valid times
}

// QueueState is the detector's view of a queue, as
// SAI_QUEUE_ATTR_PFC_CONTINUOUS_DEADLOCK_STATE.
type QueueState uint8

// States of a queue.
const (
	NotPaused   QueueState = iota
	PausedLong             // for Detector.Detect or longer, or recovering from that
	PausedShort            // for less than Detector.Detect
)

// setDetector applies a new configuration of a queue's detector, and restarts it.
func (s *Sim) setDetector(p *Port, q int) {
	x := &p.egress.queues[q]
	d, w := &x.cfg.Detector, &x.watchdog
	if !d.On {
		s.recovered(p, q)
	}
	w.xoffs, w.at, w.heard = make([]Time, max(d.Xoffs, 0)), 0, 0
	s.startDetection(p, q)
}

// watch updates the detectors of queues that a pause has just stopped or released.
func (s *Sim) watch(p *Port, before uint32) {
	for m := before ^ p.blocked; m != 0; m &= m - 1 {
		if q := bits.TrailingZeros32(m); q < len(p.egress.queues) {
			p.egress.queues[q].watchdog.stopped = s.now
			s.startDetection(p, q)
		}
	}
}

// startDetection restarts the detector's timer if the queue is stopped.
func (s *Sim) startDetection(p *Port, q int) {
	x := &p.egress.queues[q]
	d, w := &x.cfg.Detector, &x.watchdog
	if w.recovering {
		return
	}
	w.round++
	if d.On && d.Xoffs == 0 && p.blocked&(1<<q) != 0 {
		s.schedule(event{at: s.now + d.Detect, kind: evDetector, a: p.id, b: w.round, c: uint8(q)})
	}
}

// detect handles the end of the detection or recovery time.
func (s *Sim) detect(p *Port, q int, round uint32) {
	x := &p.egress.queues[q]
	switch w := &x.watchdog; {
	case round != w.round:
	case w.recovering:
		s.EndRecovery(p, q)
	case x.packets.empty():
		s.startDetection(p, q) // nothing is stuck
	default:
		s.deadlock(p, q)
	}
}

// deadlock reports a deadlock and starts recovery, unless software does that: then the
// detector is silent until the pause or the recovery ends.
func (s *Sim) deadlock(p *Port, q int) {
	x := &p.egress.queues[q]
	d, w := &x.cfg.Detector, &x.watchdog
	x.stats.Deadlocks++
	s.observe(Observation{Kind: SeenDeadlock, Port: p, Class: uint8(q), On: true})
	w.heard = 0
	if d.AppOwned {
		return
	}
	s.BeginRecovery(p, q, d.Drop)
	s.schedule(event{at: s.now + d.Recover, kind: evDetector, a: p.id, b: w.round, c: uint8(q)})
}

// BeginRecovery makes a queue of a switch ignore pauses, as
// SAI_QUEUE_ATTR_PFC_DLR_INIT: it sends its packets, or drops them and all that arrive
// for it. Software calls it if Detector.AppOwned, and ends it with EndRecovery. It has
// no effect on a queue that is already recovering.
func (s *Sim) BeginRecovery(p *Port, q int, drop bool) {
	w := &p.egress.queues[q].watchdog
	if w.recovering {
		return
	}
	w.recovering, w.dropping = true, drop
	w.round++
	if drop {
		s.discardQueue(p, q, DropDeadlock)
		return
	}
	p.egress.ignore |= 1 << q
	s.kick(p)
}

// EndRecovery makes a queue react to pauses again and restarts its detector. It has no
// effect on a queue that is not recovering.
func (s *Sim) EndRecovery(p *Port, q int) {
	if s.recovered(p, q) {
		s.startDetection(p, q)
		s.kick(p)
	}
}

// recovered makes the queue react to pauses again, and reports whether it was
// recovering.
func (s *Sim) recovered(p *Port, q int) bool {
	w := &p.egress.queues[q].watchdog
	if !w.recovering {
		return false
	}
	w.recovering, w.dropping = false, false
	p.egress.ignore &^= 1 << q
	s.observe(Observation{Kind: SeenDeadlock, Port: p, Class: uint8(q)})
	return true
}

// discardQueue drops all packets of a queue.
func (s *Sim) discardQueue(p *Port, q int, why Reason) {
	x := &p.egress.queues[q]
	p.egress.ready &^= 1 << q
	x.deficit = 0
	for !x.packets.empty() {
		i := s.packets.shift(&x.packets)
		s.free(p, &s.packets.all[i])
		s.drop(p, i, why)
	}
}

// countXoff counts a pause frame for detectors that count frames.
func (s *Sim) countXoff(p *Port, class int) {
	if p.sw == nil {
		return
	}
	for m := p.maps.ClassToQueue[class]; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		if q >= len(p.egress.queues) {
			return
		}
		x := &p.egress.queues[q]
		d, w := &x.cfg.Detector, &x.watchdog
		if d.On && len(w.xoffs) > 0 && !w.recovering && w.many(s.now, d.Detect) && !x.packets.empty() {
			s.deadlock(p, q)
		}
	}
}

// many records a pause frame, and reports whether the span holds enough of them for a
// deadlock.
func (w *watchdog) many(now, span Time) bool {
	w.xoffs[w.at] = now
	w.at = (w.at + 1) % len(w.xoffs)
	w.heard = min(w.heard+1, len(w.xoffs))
	return w.heard == len(w.xoffs) && now-w.xoffs[w.at] <= span
}

// QueueState returns the state of a queue as its detector sees it.
func (s *Sim) QueueState(p *Port, q int) QueueState {
	x := &p.egress.queues[q]
	d, w := &x.cfg.Detector, &x.watchdog
	switch {
	case w.recovering:
		return PausedLong
	case p.blocked&(1<<q) == 0:
		return NotPaused
	case d.On && s.now-w.stopped >= d.Detect:
		return PausedLong
	}
	return PausedShort
}
