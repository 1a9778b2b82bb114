package dataplane

import "math/bits"

// bucket is a token bucket, kept as a debt of time instead of tokens, so that nothing
// has to refill it.
type bucket struct {
	rate  int64 // bytes or packets per second; 0: no limit
	burst Time  // credit that may accumulate
	at    Time  // when the debt is paid
	asked Time  // when the port is scheduled to retry
}

// set sets the rate of a bucket. The debt stays if the rate does not change.
func (b *bucket) set(rate, burst int64, now Time) {
	if rate != b.rate {
		*b = bucket{rate: rate, at: now}
	}
	if rate > 0 {
		b.burst = Time(min(float64(burst)/float64(rate)*float64(Second), float64(never/4)))
	}
}

// open returns when the bucket allows the next frame or packet.
func (b *bucket) open() Time { return b.at - b.burst }

// spend charges n bytes or packets.
func (b *bucket) spend(n int64, now Time) {
	if b.rate > 0 {
		b.at = max(b.at, now) + Time(float64(n)*float64(Second)/float64(b.rate))
	}
}

// minBurst is the burst of a queue, at least enough to make up for waiting for other
// queues' frames.
func (c *Scheduling) minBurst() int64 {
	if c.Packets {
		return max(c.Burst, 16)
	}
	return max(c.Burst, minBurst)
}

// minBurst is two maximum-size frames.
const minBurst = 2 * 9216

// mayNow reports whether a bucket allows sending now. If not it schedules a retry for
// the port.
func (s *Sim) mayNow(p *Port, b *bucket) bool {
	t := b.open()
	if t <= s.now {
		return true
	}
	if b.asked != t {
		b.asked = t
		s.schedule(event{at: t, kind: evWake, a: p.id})
	}
	return false
}

// unlimited returns the queues whose maximum rate allows them to send now.
func (s *Sim) unlimited(p *Port, able uint32) uint32 {
	e := &p.egress
	for m := able & e.limited; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		if b := &e.queues[q].fill; b.rate > 0 && !s.mayNow(p, b) {
			able &^= 1 << q
		}
	}
	return able
}

// belowMinRate finds a queue below its minimum rate.
func (e *egress) belowMinRate(s *Sim, able uint32) (int, bool) {
	for m := able & e.limited; m != 0; {
		q := bits.Len32(m) - 1
		m &^= 1 << q
		if b := &e.queues[q].least; b.rate > 0 && b.open() <= s.now {
			return q, true
		}
	}
	return 0, false
}

// spend charges a packet to the buckets that it passes.
func (s *Sim) spend(p *Port, x *queue, k *packet) {
	if x.cfg.Sched.MaxRate > 0 || x.cfg.Sched.MinRate > 0 {
		n := int64(k.bytes)
		if x.cfg.Sched.Packets {
			n = 1
		}
		x.fill.spend(n, s.now)
		x.least.spend(n, s.now)
	}
	p.egress.port.spend(int64(k.bytes), s.now)
}
