// Package orchagent turns configuration into switch state: rows of CONFIG_DB into
// the objects and attributes of a chip, one snapshot after the other.
//
// Agent is the loop that owns the chip. What a row means is for the orchestrators
// (the *orch packages), which it calls through Derive; how the chip gets from one
// state to the next is for package reconcile; where rows come from and where
// reports go is for the feed and the publisher.
package orchagent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"

	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/orchagent/crash"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/reconcile"
	"xon/orchagent/report"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Store is the database that transactions are committed to.
type Store interface {
	// Commit writes rows, nil Fields for those to remove, if all of them still are as
	// in before, where nil stands for a row that is not there. If one is not, the
	// error holds a configdb.Fault of kind Conflict.
	Commit(ctx context.Context, before, after map[configdb.RowKey]configdb.Fields) error
	// Row reads a row as it is by now; nil if it is not there.
	Row(ctx context.Context, k configdb.RowKey) (configdb.Fields, error)
}

// Config is what an agent needs. All fields up to Publisher must be set.
type Config struct {
	Log       logrus.FieldLogger
	Switch    *sai.Switch // as inventory.Open found it
	Names     sai.Names
	Store     Store
	Publisher report.Publisher
	// Accepted are the accepted versions that the agent before this one reported.
	Accepted map[configdb.RowKey]configdb.Fields
	// Refused is what the chip said to that agent, if it is still the same chip.
	Refused map[configdb.RowKey]statedb.Refusal
	// Derived are the digests of the rows that agents before this one put into CONFIG_DB
	// because of others: several of a row that one of them may have left half written.
	Derived  map[configdb.RowKey][]string
	Facts    *intent.Facts  // what is known of the network at the start; nil: nothing
	Buffers  bufmgr.Params  // what the files of the buffer manager say; the rest the agent knows
	Before   *Terms         // of the agent before this one; nil: there was none
	Limits   statedb.Limits // that other programs state; see SetLimits
	Revision uint64         // to go on counting from
	Retry    time.Duration  // before the first retry, doubled up to 64 times it; 1 s if 0
	// Compare is how often the databases are compared with what is published in them, so
	// that a row comes back that somebody removed; 1 min if 0, never if negative.
	Compare time.Duration
	// Audit takes a record of every pass that did or was asked something; nil for one
	// in memory.
	Audit *audit.Log
	// Observe, if not nil, is told of every pass. It is called by the loop, which
	// waits for it.
	Observe func(Stats)
}

// Errors of calls that come at the wrong time.
var (
	ErrNotLoaded = errors.New("the configuration is not loaded yet")
	ErrStopped   = errors.New("the agent has stopped")
)

// errUnreadable says that the chip does not tell what it has; the log has the cause.
var errUnreadable = errors.New("the switch can't be read")

// Agent owns the switch. Its methods may be called from any goroutine; all but
// Abort, Fates, Mark, Progress and Records wait for Run's. A running plan takes up
// urgent news (Inform) itself.
type Agent struct {
	cfg      Config
	log      logrus.FieldLogger
	requests chan request
	stopped  chan struct{}
	outbox   *report.Queue
	commits  atomic.Uint64
	waiting  atomic.Int64 // requests that the loop has not taken yet
	urgent   urgentQueue
	aborter  aborter

	mu    sync.Mutex // guards fates
	fates map[configdb.RowKey]statedb.Fate

	// The rest belongs to Run's goroutine.
	inv       *inventory.Inventory // what the chip has; nil until the first Load
	facts     *intent.Facts        // what is known of the network now
	cur       *resolve.Resolution  // what the chip is being brought to; nil until the first Load
	desired   desired              // its graph
	rec       *reconcile.Reconciler
	bound     *intent.Device // whose names rec knows adopted objects by
	reported  reported       // what the last report was made of
	ledger    ledger
	committed map[configdb.RowKey]uint64 // the commit that last wrote a row
	flights   map[configdb.RowKey]*flight
	asked     asked
	pass      pass
	trace     trace
	limit     changeLimit
	halted    uint64 // the number of the plan that was aborted and stays where it is; 0: none
	backoff   backoff
	waited    map[state.Candidate]bool // what a retry is scheduled for
}

// request is one call that waits for the loop.
type request struct {
	do   func()
	done chan struct{}
}

// New returns an agent that has not started. It touches nothing.
func New(cfg Config) *Agent {
	if cfg.Retry == 0 {
		cfg.Retry = time.Second
	}
	if cfg.Compare == 0 {
		cfg.Compare = time.Minute
	}
	if cfg.Audit == nil {
		cfg.Audit, _ = audit.New(audit.Config{}) // can't fail without a file
	}
	log := cfg.Log.WithField("component", "orchagent")
	a := &Agent{
		cfg: cfg, log: log, requests: make(chan request), stopped: make(chan struct{}),
		fates: map[configdb.RowKey]statedb.Fate{}, ledger: ledger{}, committed: map[configdb.RowKey]uint64{}, flights: map[configdb.RowKey]*flight{},
		backoff: newBackoff(cfg.Retry), urgent: urgentQueue{wake: make(chan struct{}, 1)}, desired: desired{nodes: graph.Graph{}},
	}
	a.outbox = report.NewQueue(cfg.Publisher, log, cfg.Retry, &a.commits)
	return a
}

// Run works until ctx ends. It must be called once. What the chip has stays. The
// only error is a *crash.Panic, after which calls that wait get ErrStopped.
func (a *Agent) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(crash.Func(a.log, "publishing", func() error { a.outbox.Run(ctx); return nil }))
	g.Go(crash.Func(a.log, "the agent's loop", func() error { a.loop(ctx); return nil }))
	return g.Wait()
}

// loop does what is asked for until ctx ends.
func (a *Agent) loop(ctx context.Context) {
	defer close(a.stopped)
	defer a.backoff.stop()
	compare := time.NewTicker(max(a.cfg.Compare, 1))
	defer compare.Stop()
	if a.cfg.Compare < 0 {
		compare.Stop()
	}
	for {
		select {
		case <-a.urgent.wake: // before anything else that waits
			a.hearUrgent()
			continue
		default:
		}
		select {
		case <-ctx.Done():
			return
		case <-a.urgent.wake:
			a.hearUrgent()
		case r := <-a.requests:
			r.do()
			close(r.done)
		case <-a.outbox.Failed():
			a.traced(audit.Retry, "", a.republish)
		case <-a.backoff.due():
			a.traced(audit.Retry, "", a.retry)
		case <-compare.C:
			a.compare()
		}
	}
}

// do has the loop run f, and waits for it. ctx ends the wait for the loop only:
// once f has begun, it is waited for.
func (a *Agent) do(ctx context.Context, f func()) error {
	r := request{do: f, done: make(chan struct{})}
	a.waiting.Add(1)
	defer a.waiting.Add(-1)
	select {
	case a.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-a.stopped:
		return ErrStopped
	}
	select {
	case <-r.done:
		return nil
	case <-a.stopped: // by f itself, unless it was done just before
	}
	select {
	case <-r.done:
		return nil
	default:
		return ErrStopped
	}
}

// Ping returns when the loop has answered: nil if it did before ctx ended.
func (a *Agent) Ping(ctx context.Context) error { return a.do(ctx, func() {}) }

// Load takes up the whole content of CONFIG_DB: rows that are not listed are gone.
// Nothing is written to the chip before the first Load. It is called again when the
// database was out of reach, and then everything is published afresh.
func (a *Agent) Load(ctx context.Context, rows []configdb.Change) error {
	_, err := a.LoadAsOf(ctx, a.Mark(), rows)
	return err
}

// LoadAsOf is Load for rows that were read after mark: see ChangeAsOf.
func (a *Agent) LoadAsOf(ctx context.Context, mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error) {
	var failed error
	err = a.do(ctx, func() {
		a.traced(audit.Start, "", func() { again, failed = a.load(mark, rows) })
	})
	return again, errors.Join(err, failed)
}

// Change takes up rows that changed, and returns when the chip has followed as far
// as it could: Fates tell how far that is.
func (a *Agent) Change(ctx context.Context, rows []configdb.Change) error {
	_, err := a.ChangeAsOf(ctx, a.Mark(), rows)
	return err
}

// Mark returns a number to pass to ChangeAsOf: take it before rows are read.
func (a *Agent) Mark() uint64 { return a.commits.Load() }

// ChangeAsOf is Change for rows that were read after mark. A row that a transaction
// committed since then is left out and returned: what was read may be what the
// transaction replaced, so it has to be read again.
func (a *Agent) ChangeAsOf(ctx context.Context, mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error) {
	var failed error
	err = a.do(ctx, func() {
		a.traced(audit.Redis, "", func() { again, failed = a.change(mark, rows) })
	})
	return again, errors.Join(err, failed)
}
