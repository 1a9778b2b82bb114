package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"xon/gnmi/server"
	"xon/gnmi/web"
	"xon/orchagent"
	"xon/orchagent/crash"
	"xon/orchagent/feed"
	"xon/sai/observe"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// monitor gathers how the parts of the agent fare, for /metrics and /healthz.
type monitor struct {
	k       *keeper
	metrics *web.Metrics
	server  *server.Server // set before anybody looks

	mu         sync.Mutex // guards the rest
	inSync     bool
	behind     time.Time // when the oldest report that is not published yet was first tried; zero: none
	publishErr error
	last       orchagent.Stats
	lastEnd    time.Time          // zero before the first pass
	plan       orchagent.Progress // as health saw it last
	planSince  time.Time          // when it first saw it so far and no further
}

func newMonitor(k *keeper) *monitor {
	m := &monitor{k: k}
	m.metrics = web.NewMetrics(version(), m.live)
	return m
}

// live is asked on a goroutine of Prometheus's library, which knows no guard.
func (m *monitor) live() (l web.Live) {
	_ = crash.Call(m.k.log, "a look at the metrics", func() error { // the log has it
		sessions, _ := m.k.db.Session()
		l = web.Live{
			ChipConnected: m.k.current() != nil, RedisReconnects: max(sessions, 1) - 1,
			AuditLost: m.k.audit.Lost(), PublishBehind: m.publishBehind(),
		}
		l.Subscriptions, l.QueuedRows = m.server.Load()
		return nil
	})
	return l
}

// called is for observe.Config.
func (m *monitor) called(c observe.Call) {
	entries := 0
	if c.Bulk {
		entries = c.Entries
	}
	class, _ := c.Status.Attr() // an attribute's place in a call says nothing to a metric
	m.metrics.Call(c.Verb.String(), c.Object.Name, class.Name(), entries, c.Took)
}

// passed is for orchagent.Config.
func (m *monitor) passed(s *orchagent.Stats) {
	m.mu.Lock()
	m.last, m.lastEnd = *s, time.Now()
	end := m.lastEnd
	m.mu.Unlock()
	p := web.Pass{
		Source: s.Source, Outcome: s.Outcome, Took: s.Took, Derive: s.Derive, Diff: s.Diff, Apply: s.Apply,
		Steps: map[web.Step]int{}, Writes: s.Writes, Failures: s.Failures, Requests: s.Requests,
		Fates: map[string]int{}, RetryIn: s.RetryIn, End: end,
		Warned: s.Warned, Losing: s.Losing,
	}
	for k, n := range s.Steps {
		p.Steps[web.Step{Phase: k.Phase.String(), Verb: k.Verb.String()}] = n
	}
	for _, state := range []statedb.State{statedb.Applied, statedb.Waiting, statedb.Refused, statedb.Ignored} {
		p.Fates[string(state)] = s.Fates[state]
	}
	m.metrics.Pass(&p)
}

// fed is for feed.Config.
func (m *monitor) fed(p feed.Progress) {
	m.setInSync(p.InSync)
	if p.Rows > 0 {
		m.metrics.Taken(p.Rows, p.Lag)
	}
}

func (m *monitor) setInSync(ok bool) {
	m.mu.Lock()
	m.inSync = ok
	m.mu.Unlock()
	m.metrics.InSync(ok)
}

// syncTime is how long a transaction waits for the feed, which after a lost connection
// is back in a moment.
const syncTime = 2 * time.Second

// awaitSync waits for the agent to have taken up the database, and reports whether it
// has.
func (m *monitor) awaitSync(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		m.mu.Lock()
		ok := m.inSync
		m.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// publishing runs one attempt to write a report to the databases.
func (m *monitor) publishing(write func() error) error {
	start := time.Now()
	m.mu.Lock()
	if m.behind.IsZero() {
		m.behind = start
	}
	m.mu.Unlock()
	err := write()
	m.metrics.Published(time.Since(start), err)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.publishErr = err; err == nil {
		m.behind = time.Time{}
	}
	return err
}

func (m *monitor) publishBehind() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.behind.IsZero() {
		return 0
	}
	return time.Since(m.behind)
}

// ended is told of the end of a session with the chip.
func (m *monitor) ended(lost bool) {
	m.setInSync(false)
	m.mu.Lock()
	m.behind, m.publishErr = time.Time{}, nil
	m.mu.Unlock()
	if lost {
		m.metrics.ChipLost()
	}
}

// tooLate is how long the databases may be behind, and a plan without a step done,
// before that is a fault.
const tooLate = 10 * time.Second

// health examines the agent for /healthz. What a row is refused for, and what is
// tried again, is no fault of the agent's: those checks inform.
func (m *monitor) health(ctx context.Context) []web.Check {
	agent := m.k.current()
	checks := []web.Check{{Name: "chip", OK: agent != nil}, {Name: "agent", Detail: "waits for the chip"}, m.checkDatabase(ctx)}
	if agent == nil {
		checks[0].Detail = "not connected; xond's log says why"
	} else {
		checks[1] = m.checkAgent(ctx, agent)
	}
	return append(checks, m.states()...)
}

// checkAgent asks the loop, which answers nobody while it carries out a plan: that is
// well as long as the plan gets on.
func (m *monitor) checkAgent(ctx context.Context, agent *orchagent.Agent) web.Check {
	err := agent.Ping(ctx)
	if err == nil {
		return web.Check{Name: "agent", OK: true}
	}
	p, running := agent.Progress()
	if !running {
		return web.Check{Name: "agent", Detail: "the loop does not answer: " + err.Error()}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p != m.plan {
		m.plan, m.planSince = p, time.Now()
	}
	stuck := time.Since(m.planSince)
	c := web.Check{Name: "agent", OK: stuck < tooLate, Detail: fmt.Sprintf("a plan runs: %d of %d steps", p.Done, p.Steps)}
	if !c.OK {
		c.Detail += fmt.Sprintf(", for %v", stuck.Round(time.Second))
	}
	return c
}

func (m *monitor) checkDatabase(ctx context.Context) web.Check {
	c := web.Check{Name: "database", OK: true}
	if _, err := m.k.db.DB(redisdb.ConfigDB).Text(ctx, feed.Initialized); err != nil {
		c.OK, c.Detail = false, err.Error()
	}
	return c
}

// states are the checks that ask nobody.
func (m *monitor) states() []web.Check {
	behind := m.publishBehind()
	m.mu.Lock()
	defer m.mu.Unlock()
	sync := web.Check{Name: "feed", OK: m.inSync}
	if !m.inSync {
		sync.Detail = "the configuration in the database is not taken up yet"
	}
	publisher := web.Check{Name: "publisher", OK: behind < tooLate}
	if behind > 0 {
		publisher.Detail = fmt.Sprintf("behind for %v", behind.Round(time.Millisecond))
	}
	if m.publishErr != nil {
		publisher.Detail += ": " + m.publishErr.Error()
	}
	pass := web.Check{Name: "last pass", OK: !m.lastEnd.IsZero(), Detail: "there was none yet"}
	if pass.OK {
		pass.Detail = fmt.Sprintf("%v ago, by %s, took %v", time.Since(m.lastEnd).Round(time.Second), m.last.Source, m.last.Took.Round(time.Microsecond))
	}
	retries := web.Check{Name: "retries", OK: true}
	if due := m.last.RetryIn - time.Since(m.lastEnd); m.last.RetryIn > 0 {
		retries.Detail = fmt.Sprintf("the next in %v", max(due, 0).Round(time.Millisecond))
	}
	warnings := web.Check{Name: "warnings", OK: true} // of rows, which are no fault of the agent's
	if n := m.last.Warned; n > 0 {
		warnings.Detail = fmt.Sprintf("rows warned of: %d, %d of them as lossless packets may be dropped; xonctl status rows --warnings lists them", n, m.last.Losing)
	}
	return []web.Check{sync, publisher, pass, retries, warnings}
}
