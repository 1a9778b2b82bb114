package orchagent

import (
	"maps"
	"time"

	"xon/orchagent/state"
)

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

// schedule has what is unfinished tried again. It reports whether the time of the next try
// is another one.
func (a *Agent) schedule(again func()) bool {
	before := a.backoff.at
	if a.unfinished() {
		again()
	} else {
		a.backoff.stop()
	}
	a.waited = a.retries()
	return !a.backoff.at.Equal(before)
}

// unfinished reports whether something may come right without a change of rows.
func (a *Agent) unfinished() bool {
	if a.halted > 0 {
		return false
	}
	if len(a.pass.blocked) > len(a.pass.waits) || a.pass.leftover || a.pass.stateUnknown || a.pass.unsettled {
		return true
	}
	for range a.cur.State.Retriable {
		return true
	}
	return false
}

// soon schedules a retry of what is new. What waits already has its time: a change of
// other rows does not begin its delays again.
func (a *Agent) soon() {
	is := a.retries()
	maps.DeleteFunc(is, func(c state.Candidate, _ bool) bool { return a.waited[c] })
	if a.backoff.at.IsZero() || len(is) > 0 || a.pass.leftover || a.pass.stateUnknown || a.pass.unsettled {
		a.backoff.soon()
	}
}

// retries are the versions that the chip is to be asked about again, and the rows that
// have nodes to be tried again.
func (a *Agent) retries() map[state.Candidate]bool {
	all := map[state.Candidate]bool{}
	for c := range a.cur.State.Retriable {
		all[c] = true
	}
	for k := range a.pass.blocked {
		if a.pass.waits[k] == nil {
			all[state.Candidate{Key: k}] = true
		}
	}
	return all
}
