package orchagent

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
)

// outbox hands reports to the publisher, beside the agent's loop: databases that
// answer slowly hold up neither the chip nor the next change. Reports that wait
// are merged.
type outbox struct {
	publisher Publisher
	log       logrus.FieldLogger
	retry     time.Duration
	full      chan struct{} // has an element while there may be something to send
	over      chan struct{} // closed when nothing is sent any more
	failed    chan struct{} // gets an element at the first of failures in a row
	commits   *atomic.Uint64

	mu      sync.Mutex
	pending *Report
	put     uint64                   // reports taken in
	sent    uint64                   // reports handed on
	sentAt  uint64                   // the mark from which on the databases have them
	waiters map[uint64]chan struct{} // closed when sent reaches the number
	failing bool                     // the last try failed
}

func newOutbox(p Publisher, log logrus.FieldLogger, retry time.Duration, commits *atomic.Uint64) *outbox {
	return &outbox{
		publisher: p, log: log, retry: retry, full: make(chan struct{}, 1), over: make(chan struct{}), failed: make(chan struct{}, 1),
		waiters: map[uint64]chan struct{}{}, commits: commits,
	}
}

// add takes in a report and returns its number.
func (o *outbox) add(r Report) uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pending == nil {
		o.pending = &r
	} else {
		o.pending.merge(r)
	}
	o.put++
	select {
	case o.full <- struct{}{}:
	default:
	}
	return o.put
}

// published returns the number of the last report that was handed on, and a mark that
// is taken after that (see ChangeAsOf).
func (o *outbox) published() (n, mark uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent, o.sentAt
}

// patience is how long wait waits at most. The rows are in force and committed by
// then, so that nothing is gained by waiting for databases that are out of reach.
const patience = 5 * time.Second

// wait returns when report n was published, when that will not happen, or when it
// takes too long.
func (o *outbox) wait(ctx context.Context, n uint64) {
	o.mu.Lock()
	done := o.waiters[n]
	if done == nil {
		done = make(chan struct{})
		if o.sent >= n {
			close(done)
		} else {
			o.waiters[n] = done
		}
	}
	o.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-done:
	case <-o.over:
	case <-ctx.Done():
	}
}

// run publishes until ctx ends. What is left then gets one more try.
func (o *outbox) run(ctx context.Context) {
	defer close(o.over)
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.retry)
			o.send(last)
			cancel()
			return
		case <-o.full:
		}
		for delay := o.retry; !o.send(ctx); delay = min(2*delay, 8*o.retry) {
			select {
			case <-ctx.Done():
			case <-time.After(delay):
				continue
			}
			break
		}
	}
}

// send publishes what is there. It reports whether that went well.
func (o *outbox) send(ctx context.Context) bool {
	o.mu.Lock()
	r, n := o.pending, o.put
	o.pending = nil
	o.mu.Unlock()
	if r == nil {
		return true
	}
	err := o.publisher.Publish(ctx, *r)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.log.WithError(err).WithField("revision", r.Revision).Warn("publish; will try again")
		if o.pending != nil {
			r.merge(*o.pending)
		}
		o.pending = r
		o.fail()
		return false
	}
	o.sent, o.sentAt, o.failing = n, o.commits.Add(1), false
	for k, done := range o.waiters {
		if k <= n {
			close(done)
			delete(o.waiters, k)
		}
	}
	return true
}

// fail tells of a failure. Another try of the same differences can fail for ever, if what
// is stored is not what they start from: somebody wrote a string where a row was.
func (o *outbox) fail() {
	if o.failing {
		return
	}
	o.failing = true
	select {
	case o.failed <- struct{}{}:
	default:
	}
}
