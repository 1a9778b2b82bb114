package notify

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/translate"
)

// Engine serves plans. It is safe for concurrent use.
type Engine struct {
	dbs translate.Databases
	hub *hub
	log logrus.FieldLogger

	mu     sync.Mutex // guards queues
	queues map[*queue]struct{}
}

// New makes an Engine. The log gets what is a bug; a client's faults are its own.
func New(dbs translate.Databases, log logrus.FieldLogger) *Engine {
	return &Engine{dbs: dbs, hub: newHub(dbs, log), log: log, queues: map[*queue]struct{}{}}
}

// Once sends all values and the mark that these were all. It serves both ONCE and
// one poll.
func (e *Engine) Once(ctx context.Context, p *Plan, send Send) error {
	w := newWriter(send, p.encoding)
	for i := range p.subs {
		if p.updatesOnly {
			break
		}
		if err := e.once(ctx, p.subs[i].query, w); err != nil {
			return err
		}
	}
	return w.sync()
}

func (e *Engine) once(ctx context.Context, q *translate.Query, w *writer) error {
	rows, err := q.Open(e.dbs).All(ctx)
	if err != nil {
		return unavailable(ctx, err)
	}
	now := time.Now()
	for _, r := range rows {
		d := delta{path: q.Whole(r.Elems...), kind: q.Kinds(r.Name), time: now, set: r.Leaves()}
		if err := w.item(&item{delta: d}); err != nil {
			return err
		}
	}
	return nil
}

// unavailable is the status of a database that does not answer.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return status.Error(codes.Unavailable, err.Error())
}

// Stream sends all values, the mark, and then what the plan asks for, until ctx
// ends or send fails. Its error is never nil.
func (e *Engine) Stream(ctx context.Context, p *Plan, send Send) error {
	q := newQueue()
	defer e.register(q)()
	followers := make([]*follower, len(p.subs))
	for i, s := range p.subs {
		followers[i] = &follower{subscription: s, view: s.query.Open(e.dbs), queue: q, rows: map[string]*row{}}
		defer followers[i].leave()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(guarded(e.log, func() error { return drain(ctx, q, newWriter(send, p.encoding)) }))
	g.Go(guarded(e.log, func() error {
		if err := e.begin(ctx, followers, p.updatesOnly); err != nil {
			return err
		}
		q.putSync()
		for _, f := range followers {
			g.Go(guarded(e.log, func() error { return f.follow(ctx) }))
		}
		return nil
	}))
	return stalling(ctx, q, g.Wait)
}

// stalling waits for a stream's end. A subscriber that takes nothing for stallLimit
// has its stream ended, although the send that it holds up goes on until the
// transport knows.
func stalling(ctx context.Context, q *queue, wait func() error) error {
	over := make(chan error, 1)
	go func() { over <- wait() }()
	tick := time.NewTicker(stallGrace)
	defer tick.Stop()
	for {
		select {
		case err := <-over:
			return err
		case <-tick.C:
		}
		if q.stalled() >= stallLimit && ctx.Err() == nil {
			return status.Errorf(codes.ResourceExhausted, "the subscriber read nothing for %v", stallLimit)
		}
	}
}

// register counts a stream in; leave counts it out again.
func (e *Engine) register(q *queue) (leave func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queues[q] = struct{}{}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.queues, q)
	}
}

// Load tells how many streams are open, and how many rows wait to be sent to all of
// them together.
func (e *Engine) Load() (streams, rows int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for q := range e.queues {
		rows += q.length()
	}
	return len(e.queues), rows
}

// drain sends what the queue holds.
func drain(ctx context.Context, q *queue, w *writer) error {
	for {
		it, err := q.take(ctx)
		if err != nil {
			return err
		}
		if err := w.item(it); err != nil {
			return err
		}
	}
}

// begin reads the first values. Each watch begins before, so that no change is
// missed.
func (e *Engine) begin(ctx context.Context, followers []*follower, quiet bool) error {
	for _, f := range followers {
		if f.sample == 0 {
			w, err := e.hub.watch(ctx, f.query.DB, f.view.Touches)
			if err != nil {
				return err
			}
			f.watcher = w
		}
		f.quiet = quiet
		if err := f.readAll(ctx, true); err != nil {
			return unavailable(ctx, err)
		}
		f.quiet = false
	}
	return nil
}

// guarded turns a panic into an error: it is one request's, not the agent's.
func guarded(log logrus.FieldLogger, f func() error) func() error {
	return func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				log.WithFields(logrus.Fields{"panic": fmt.Sprint(r), "stack": string(debug.Stack())}).Error("a subscription met a bug")
				err = status.Error(codes.Internal, fmt.Sprintf("a bug: %v", r))
			}
		}()
		return f()
	}
}
