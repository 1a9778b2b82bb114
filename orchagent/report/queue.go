package report

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
)

// Queue hands reports to the publisher, beside the agent's loop: databases that
// answer slowly hold up neither the chip nor the next change. Reports that wait
// are merged.
type Queue struct {
	publisher Publisher
	log       logrus.FieldLogger
	retry     time.Duration
	full      chan struct{} // has an element while there may be something to send
	over      chan struct{} // closed when nothing is sent any more
	failed    chan struct{} // see Failed
	commits   *atomic.Uint64

	mu      sync.Mutex
	pending *Report
	taken   uint64                   // reports taken in
	sent    uint64                   // reports handed on
	sentAt  uint64                   // the mark from which on the databases have them
	waiters map[uint64]chan struct{} // closed when sent reaches the number
	failing bool                     // the last try failed
}

// NewQueue returns a queue that nothing was put into. retry is how long it waits after a
// failure, and commits counts what the marks of Published are taken from.
func NewQueue(p Publisher, log logrus.FieldLogger, retry time.Duration, commits *atomic.Uint64) *Queue {
	return &Queue{
		publisher: p, log: log, retry: retry, full: make(chan struct{}, 1), over: make(chan struct{}), failed: make(chan struct{}, 1),
		waiters: map[uint64]chan struct{}{}, commits: commits,
	}
}

// Add takes in a report and returns its number.
func (q *Queue) Add(r Report) uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.pending == nil {
		q.pending = &r
	} else {
		q.pending.merge(r)
	}
	q.taken++
	select {
	case q.full <- struct{}{}:
	default:
	}
	return q.taken
}

// Published returns the number of the last report that was handed on, and a mark that
// is taken after that (see ChangeAsOf).
func (q *Queue) Published() (n, mark uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sent, q.sentAt
}

// publishWait bounds Wait. The rows are applied and committed by then, so that nothing is
// gained by waiting for databases that are out of reach.
const publishWait = 5 * time.Second

// Wait returns when report n was published, when that will not happen, or when it
// takes too long.
func (q *Queue) Wait(ctx context.Context, n uint64) {
	q.mu.Lock()
	done := q.waiters[n]
	if done == nil {
		done = make(chan struct{})
		if q.sent >= n {
			close(done)
		} else {
			q.waiters[n] = done
		}
	}
	q.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	select {
	case <-done:
	case <-q.over:
	case <-ctx.Done():
	}
}

// Run publishes until ctx ends. What is left then gets one more try.
func (q *Queue) Run(ctx context.Context) {
	defer close(q.over)
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.retry)
			q.send(last)
			cancel()
			return
		case <-q.full:
		}
		for delay := q.retry; !q.send(ctx); delay = min(2*delay, 8*q.retry) {
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
func (q *Queue) send(ctx context.Context) bool {
	q.mu.Lock()
	r, n := q.pending, q.taken
	q.pending = nil
	q.mu.Unlock()
	if r == nil {
		return true
	}
	err := q.publisher.Publish(ctx, *r)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.log.WithError(err).WithField("revision", r.Revision).Warn("publish; will try again")
		if q.pending != nil {
			r.merge(*q.pending)
		}
		q.pending = r
		q.fail()
		return false
	}
	q.sent, q.sentAt, q.failing = n, q.commits.Add(1), false
	for k, done := range q.waiters {
		if k <= n {
			close(done)
			delete(q.waiters, k)
		}
	}
	return true
}

// Failed gets an element at the first of failures in a row.
func (q *Queue) Failed() <-chan struct{} { return q.failed }

// Taken is the number of the last report that was taken in.
func (q *Queue) Taken() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken
}

// fail notes a failure. Another try of the same differences can fail for ever, if what
// is stored is not what they start from: somebody wrote a string where a row was.
func (q *Queue) fail() {
	if q.failing {
		return
	}
	q.failing = true
	select {
	case q.failed <- struct{}{}:
	default:
	}
}
