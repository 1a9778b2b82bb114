package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/server"
	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/orchagent/counters"
	"xon/orchagent/crash"
	"xon/orchagent/feed"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/notifications"
	"xon/orchagent/publish"
	"xon/orchagent/report"
	"xon/orchagent/vstest"
	"xon/sai"
	"xon/sai/observe"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// keeper keeps an agent on the chip. When the chip process is lost it waits for it,
// or starts another, and begins again with what is there then.
type keeper struct {
	o     *options
	db    *redisdb.Client
	log   logrus.FieldLogger
	ready func() // called once
	audit *audit.Log
	calls *observe.Observer
	mon   *monitor

	mu      sync.Mutex  // guards the rest
	buffers bufferFiles // of the buffer manager
	agent   *orchagent.Agent
	fates   map[configdb.RowKey]statedb.Fate // when the last agent ended
	retry   time.Time                        // the agent's next; zero if none is due
	paused  uint64                           // the number of the agent's plan that waits to be confirmed; 0 if none does
}

func newKeeper(o *options, db *redisdb.Client, history *audit.Log, log logrus.FieldLogger, ready func()) *keeper {
	k := &keeper{o: o, db: db, audit: history, log: log, ready: sync.OnceFunc(ready)}
	k.mon = newMonitor(k)
	k.calls = observe.New(observe.Config{OnCall: k.mon.called})
	return k
}

// errNoChip is what a transaction gets while there is no chip.
var errNoChip = status.Error(codes.Unavailable, "the chip process is not connected; xond's log says why")

// Transact implements server.Transactor.
func (k *keeper) Transact(ctx context.Context, req server.Request) (server.Outcome, error) {
	agent := k.current()
	if agent == nil {
		return server.Outcome{}, errNoChip
	}
	if !k.mon.awaitSync(ctx) {
		return server.Outcome{}, errOutOfStep
	}
	out, err := agent.Transact(ctx, orchagent.Request(req))
	return server.Outcome{Revision: out.Revision, Rows: out.Rows, Warnings: out.Warnings}, forClient(err)
}

// errOutOfStep is what a transaction gets that could only end in a conflict.
var errOutOfStep = status.Error(codes.Unavailable,
	"the configuration in the database is not taken up, so nothing can be added to it; xonctl status says why. One that was emptied counts once its key CONFIG_DB_INITIALIZED is 1")

// forClient puts the agent's errors that are about people's decisions into the
// server's terms.
func forClient(err error) error {
	var held *orchagent.Held
	switch {
	case errors.As(err, &held):
		return &server.Held{ID: held.ID, Why: held.Why}
	case errors.Is(err, orchagent.ErrChipLost):
		return status.Error(codes.Unavailable, err.Error())
	case errors.Is(err, orchagent.ErrAborted):
		return server.ErrAborted
	}
	return err
}

// How long to pause between sessions: twice as long each time, until one has lasted.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
	lasting    = time.Second
)

// run goes from session to session until ctx ends. A first one that can't begin is
// an error: somebody is there to read it.
func (k *keeper) run(ctx context.Context) error {
	start, pause := time.Now(), firstRetry
	begun, err := k.guardedSession(ctx)
	if !begun && ctx.Err() == nil && !k.comes(err) {
		return err
	}
	for ctx.Err() == nil {
		if time.Since(start) > lasting {
			pause = firstRetry
		}
		k.log.WithError(err).WithField("again_in", pause).Warn(sessionEnd(begun))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		start, pause = time.Now(), min(2*pause, lastRetry)
		begun, err = k.guardedSession(ctx)
	}
	return nil
}

// sessionEnd says that there is no session with the chip now, and what comes next.
func sessionEnd(begun bool) string {
	if begun {
		return "the session with the chip ended; another will begin"
	}
	return "no session with the chip could begin; xond tries again until one does"
}

// comes reports whether a session could not begin because nobody listens on the socket
// that --chip names: the process that serves the chip may be about to start.
func (k *keeper) comes(err error) bool {
	return strings.HasPrefix(k.o.Chip, "unix:") && (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED))
}

// guardedSession is session, but for bugs: one that met a bug has begun.
func (k *keeper) guardedSession(ctx context.Context) (begun bool, err error) {
	err = crash.Call(k.log, "the session", func() (err error) {
		begun, err = k.session(ctx)
		return err
	})
	k.mon.ended(ctx.Err() == nil)
	var bug *crash.Panic
	return begun || errors.As(err, &bug), err
}

// chip is a connection to whatever holds the chip.
type chip struct {
	sai.Driver
	names sai.Names
	tests sai.Injector
	lost  <-chan struct{} // nil for a chip that can't be lost
	why   func() error
}

// connect reaches the chip: in this process, or in one of its own.
func (k *keeper) connect(ctx context.Context, rows configdb.RawRows) (*chip, error) {
	if k.o.Chip == "inproc" {
		warnDiffers(k.o.Profile, rows, k.log)
		c, err := newChip(k.o.Profile, rows)
		if err == nil {
			err = k.o.start(ctx, c, rows, k.log)
		}
		if err != nil {
			return nil, err
		}
		return &chip{Driver: k.calls.Wrap(c), names: c, tests: c}, nil
	}
	c, err := connectChip(ctx, k.o, rows, k.log)
	if err != nil {
		return nil, err
	}
	return &chip{Driver: k.calls.Wrap(c), names: c, tests: c, lost: c.Done(), why: c.Err}, nil
}

// session runs an agent on the chip until ctx ends or the chip is lost. begun is
// false if there is no chip to reach, which is for a person to mend; what was lost on
// the way, a chip or a database, may be back the next time.
func (k *keeper) session(ctx context.Context) (begun bool, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end() // of what a chip in this process has of its own
	rows, err := k.layout(ctx)
	if err != nil {
		return true, err
	}
	c, err := k.connect(ctx, rows)
	if err != nil {
		return false, err
	}
	defer c.Close()
	sw, cold, err := inventory.Open(c)
	if err != nil {
		return c.why != nil && c.why() != nil, err
	}
	k.log.WithField("cold", cold).Info("switch found")
	before, err := publish.Restore(ctx, k.db)
	if err != nil {
		return true, err
	}
	about := k.about(cold)
	if cold || before.About["version"] != about["version"] {
		before.Refused = nil // another chip, or another program, may do better
	}
	return true, k.work(ctx, c, sw, before, about)
}

// about is what xonctl status shows. cold says that the chip had to be set up anew.
func (k *keeper) about(cold bool) map[string]string {
	f := map[string]string{"version": version(), "database": k.db.Addr(), "chip": k.o.Chip, "start": "warm"}
	switch k.o.Chip {
	case "inproc":
		f["chip"] = "in process"
	case "process":
		f["chip"] = "unix:" + k.o.chipSocket()
	}
	if cold {
		f["start"] = "cold"
	}
	if k.o.Port != 0 {
		f["database_port"] = strconv.Itoa(k.o.Port)
	}
	return f
}

// work runs the parts of an agent.
func (k *keeper) work(ctx context.Context, c *chip, sw *sai.Switch, before publish.State, about map[string]string) error {
	tally := counters.New(counters.Config{Log: k.log, Switch: sw, Client: k.db, Observe: k.mon.metrics.Poll})
	pub := publish.New(publish.Config{Client: k.db, Switch: sw, Log: k.log, About: about})
	hub, links := notifications.New(notifications.Config{Switch: sw, Client: k.db, Log: k.log}), notifications.NewLinks()
	hub.On(sai.OnPortStateChange, pub.Links)
	hub.On(sai.OnPortStateChange, links.Hear)
	up, err := hub.Listen()
	if err != nil {
		return err
	}
	buffers, terms := k.bufferParams(&before)
	agent := orchagent.New(orchagent.Config{
		Log: k.log, Switch: sw, Names: c.names, Store: feed.Store{Client: k.db},
		Publisher: &fanout{pub, tally, k.mon, k.ready, k.acceptedBuffers}, Accepted: before.Accepted, Refused: before.Refused, Derived: before.Derived,
		Revision: before.Revision, Limits: before.Limits, Facts: &intent.Facts{Links: up},
		Audit: k.audit, Observe: k.observed, Buffers: buffers, Before: terms,
	})
	k.set(agent)
	defer k.set(nil)
	g, ctx := errgroup.WithContext(ctx)
	parts := map[string]func() error{
		"the agent":              func() error { return agent.Run(ctx) },
		"the counters":           func() error { return tally.Run(ctx) },
		"links in the databases": func() error { return pub.Run(ctx) },
		"links in the agent":     func() error { return links.Run(ctx, informer(agent)) },
		"the feed": func() error {
			return feed.Run(ctx, feed.Config{Client: k.db, Sink: agent, Log: k.log, Observe: k.mon.fed})
		},
		"limits of others":  func() error { return publish.RunLimits(ctx, k.db, k.log, agent.SetLimits) },
		"the chip's watch":  func() error { return c.watch(ctx) },
		"the chip's events": func() error { return hub.Run(ctx) },
		"tests": func() error {
			return vstest.Run(ctx, vstest.Config{Client: k.db, Chip: c.tests, Changed: agent.LimitsChanged, Log: k.log})
		},
	}
	for name, run := range parts {
		g.Go(crash.Func(k.log, name, run))
	}
	return g.Wait()
}

// informer tells an agent of links. Before the agent has a configuration the news has to
// wait; later it knows the news whatever comes of it.
func informer(agent *orchagent.Agent) func(context.Context, map[sai.OID]bool) error {
	return func(ctx context.Context, up map[sai.OID]bool) error {
		err := agent.Inform(ctx, "links", false, func(f *intent.Facts) { f.SetLinks(up) })
		if errors.Is(err, orchagent.ErrNotLoaded) {
			return err
		}
		return nil
	}
}

// bufferParams are what the buffer manager is to go by, and what the one before went by; nil
// if that is unknown.
func (k *keeper) bufferParams(before *publish.State) (bufmgr.Params, *orchagent.Terms) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before.Model == "" {
		return k.buffers.params, nil
	}
	return k.buffers.params, &orchagent.Terms{Model: before.Model, StatedMMU: before.StatedMMU, Files: k.buffers.kept}
}

// watch returns why the chip is lost, or nil when ctx ends.
func (c *chip) watch(ctx context.Context) error {
	select {
	case <-c.lost:
		return c.why()
	case <-ctx.Done():
		return nil
	}
}

func (k *keeper) set(a *orchagent.Agent) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a == nil && k.agent != nil {
		k.fates = k.agent.Fates()
	}
	k.agent, k.retry, k.paused = a, time.Time{}, 0
}

// current is the agent, nil while there is no chip.
func (k *keeper) current() *orchagent.Agent {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.agent
}

// fanout tells both the databases and the counters of a report.
type fanout struct {
	*publish.Publisher
	counters *counters.Collector
	mon      *monitor
	ready    func()
	accepted func(*bufmgr.Params) // what the buffer manager goes by
}

// Publish implements report.Publisher.
func (f *fanout) Publish(ctx context.Context, r report.Report) error {
	f.counters.Follow(r.Rows, r.Device, r.Handles)
	if r.Full {
		f.counters.Rewrite()
	}
	if err := f.mon.publishing(func() error { return f.Publisher.Publish(ctx, r) }); err != nil {
		return err
	}
	f.accepted(r.Buffers)
	f.ready()
	return nil
}
