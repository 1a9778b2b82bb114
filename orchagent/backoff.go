package orchagent

import "time"

// backoff says when to try again what the chip did not take: after the base delay,
// then after twice that, up to 64 times.
type backoff struct {
	base, delay time.Duration
	timer       *time.Timer
	at          time.Time // when the timer fires; zero if it does not
}

func newBackoff(base time.Duration) backoff { return backoff{base: base, delay: base} }

// due has an element when the time has come; it is nil if nothing waits.
func (b *backoff) due() <-chan time.Time {
	if b.at.IsZero() {
		return nil
	}
	return b.timer.C
}

// again schedules a retry after one that failed, or the first one.
func (b *backoff) again() {
	b.schedule(b.delay)
	b.delay = min(2*b.delay, 64*b.base)
}

// soon schedules a retry because things changed: one that is due earlier stays.
func (b *backoff) soon() {
	b.delay = b.base
	if b.at.IsZero() || time.Until(b.at) > b.base {
		b.again()
	}
}

// in returns how long it is until the retry; 0 if none is due.
func (b *backoff) in() time.Duration {
	if b.at.IsZero() {
		return 0
	}
	return max(time.Until(b.at), 1)
}

func (b *backoff) schedule(d time.Duration) {
	b.at = time.Now().Add(d)
	if b.timer == nil {
		b.timer = time.NewTimer(d)
		return
	}
	b.timer.Reset(d)
}

// stop forgets about retries: nothing waits any more.
func (b *backoff) stop() {
	b.delay, b.at = b.base, time.Time{}
	if b.timer != nil {
		b.timer.Stop()
	}
}
