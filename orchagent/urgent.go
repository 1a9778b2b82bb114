package orchagent

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
)

// Inform reports what was found out about the network: change gets a copy of the
// facts to change, which it must not keep. name says what it is about, for the
// record: "storm on Ethernet0 queue 3".
//
// An urgent change is applied between two calls of whatever plan runs: what has to be
// taken away is, at once, and no undo brings it back. What can be given back follows
// after the plan, as everything does that is not urgent. Inform then returns when the
// chip has taken away; without urgency, when it has followed as far as it could. ctx
// ends the wait only: an urgent change is applied all the same.
//
// Facts are not kept: an agent that starts knows those of Config.Facts. Before the
// first Load there is nothing to do about them: the error is ErrNotLoaded, and the
// caller has to report them again.
func (a *Agent) Inform(ctx context.Context, name string, urgent bool, change func(*intent.Facts)) error {
	if !urgent {
		var failed error
		err := a.do(ctx, func() {
			a.traced(audit.Facts, name, func() { failed = a.hear([]*urgentItem{{change: change}}) })
		})
		if err == nil {
			err = failed
		}
		return err
	}
	i := &urgentItem{name: name, change: change, done: make(chan error, 1)}
	a.urgent.put(i)
	select {
	case err := <-i.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-a.stopped:
		return ErrStopped
	}
}

// urgentItem is one change of the facts.
type urgentItem struct {
	name   string
	change func(*intent.Facts)
	done   chan error // gets the outcome; nil if nobody waits. Has room for it
}

// urgentQueue is the urgent changes that the loop has not applied yet.
type urgentQueue struct {
	wake  chan struct{} // has an element while there may be something
	any   atomic.Bool   // there is something
	mu    sync.Mutex
	items []*urgentItem
	// applied are those that the running plan has applied. The loop's own.
	applied []*urgentItem
}

func (q *urgentQueue) put(i *urgentItem) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, i)
	q.any.Store(true)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *urgentQueue) takeAll() []*urgentItem {
	if !q.any.Load() { // asked before every call of a plan
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	q.any.Store(false)
	return items
}

// answer returns the outcome to the callers that wait.
func answer(items []*urgentItem, err error) {
	for _, i := range items {
		if i.done != nil {
			i.done <- err
		}
	}
}

// answerApplied answers those whose changes the plan has applied.
func (q *urgentQueue) answerApplied() {
	answer(q.applied, nil)
	q.applied = nil
}

// hearUrgent applies urgent changes while no plan runs.
func (a *Agent) hearUrgent() {
	items := a.urgent.takeAll()
	if len(items) == 0 { // a plan took them
		return
	}
	a.traced(audit.Urgent, items[0].name, func() { answer(items, a.hear(items)) })
}

// hear applies changes of the facts: what has to be taken away first, then the rest.
func (a *Agent) hear(items []*urgentItem) error {
	if a.rec == nil {
		return ErrNotLoaded
	}
	a.begin()
	if a.pass.stateUnknown && !a.readback() {
		a.learn(items)
		a.conclude(nil)
		return errUnreadable
	}
	a.rebind()
	keys := a.learn(items)
	to := a.desiredWithinLimit()
	res := a.rec.Release(to.nodes, a.overlay(to, keys))
	a.record(res)
	a.trace.did(&res)
	a.converge()
	a.conclude(nil)
	return nil
}

// hearBetween applies urgent changes while a plan runs, and returns the nodes that become
// something else because of them.
func (a *Agent) hearBetween() []graph.Key {
	a.urgent.answerApplied()
	items := a.urgent.takeAll()
	if len(items) == 0 {
		return nil
	}
	for _, i := range items {
		a.log.WithField("fact", i.name).Info("applied while a plan runs")
	}
	a.urgent.applied = items
	return a.learn(items)
}

// learn changes the facts, derives the ports concerned, and returns the nodes that
// now become something else. What a port pauses is always among them when storms
// changed: the chip may have what is no longer asked for, and an undo could bring it back.
func (a *Agent) learn(items []*urgentItem) []graph.Key {
	facts, before := a.facts.Clone(), a.cur
	for _, i := range items {
		i.change(facts)
	}
	ports, known := facts.Changed(a.facts, before.Device), a.facts
	a.facts = facts
	e := before.State.Edit() // the ports of a running plan keep their names
	e.Facts = facts
	a.resolve(e)
	keys := a.cur.NodesDiff(before, ports)
	for _, p := range ports {
		if k := p.Facet(graph.PFC); facts.Stormed(p.Name) != known.Stormed(p.Name) && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}
