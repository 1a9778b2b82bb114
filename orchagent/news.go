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

// Inform tells what was found out about the network: change gets a copy of the
// facts to change, which it must not keep. name says what it is about, for the
// record: "storm on Ethernet0 queue 3".
//
// Urgent news is taken up between two calls of whatever plan runs: what has to be
// taken away is, at once, and no undo brings it back. What is to be given back
// follows after the plan, as everything does that is not urgent. Inform then
// returns when the chip was told to take away; without urgency, when it has
// followed as far as it could. ctx ends the wait only: urgent news is taken up all
// the same.
//
// Facts are not kept: an agent that starts knows those of Config.Facts. Before the
// first Load there is nothing to do about news: the error is ErrNotLoaded, and it has
// to be told again.
func (a *Agent) Inform(ctx context.Context, name string, urgent bool, change func(*intent.Facts)) error {
	if !urgent {
		var failed error
		err := a.do(ctx, func() {
			a.traced(audit.Facts, name, func() { failed = a.heard([]*item{{change: change}}) })
		})
		if err == nil {
			err = failed
		}
		return err
	}
	i := &item{name: name, change: change, done: make(chan error, 1)}
	a.news.put(i)
	select {
	case err := <-i.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-a.stopped:
		return ErrStopped
	}
}

// item is one piece of news.
type item struct {
	name   string
	change func(*intent.Facts)
	done   chan error // gets the outcome; nil if nobody waits. Has room for it
}

// news is what is urgent and was not taken up yet.
type news struct {
	bell  chan struct{} // has an element while there may be something
	fresh atomic.Bool   // there is something
	mu    sync.Mutex
	list  []*item
	// told were taken up by the plan that runs. The loop's own.
	told []*item
}

func (n *news) put(i *item) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, i)
	n.fresh.Store(true)
	select {
	case n.bell <- struct{}{}:
	default:
	}
}

func (n *news) take() []*item {
	if !n.fresh.Load() { // asked before every call of a plan
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.list
	n.list = nil
	n.fresh.Store(false)
	return list
}

// answer tells those who wait.
func answer(list []*item, err error) {
	for _, i := range list {
		if i.done != nil {
			i.done <- err
		}
	}
}

// hear takes up urgent news while no plan runs.
func (a *Agent) hear() {
	list := a.news.take()
	if len(list) == 0 { // a plan took it up
		return
	}
	a.traced(audit.Urgent, list[0].name, func() { answer(list, a.heard(list)) })
}

// heard takes up news: what is to be taken away first, then the rest.
func (a *Agent) heard(list []*item) error {
	if a.rec == nil {
		return ErrNotLoaded
	}
	a.begin()
	if a.pass.dirty && !a.readback() {
		a.learn(list)
		a.conclude(nil)
		return errUnreadable
	}
	a.rebind()
	keys := a.learn(list)
	to := a.restrain()
	res := a.rec.Release(to.nodes, a.overlay(to, keys))
	a.took(res)
	a.trace.did(&res)
	a.bestEffort()
	a.conclude(nil)
	return nil
}

// urgent takes up urgent news while a plan runs, and returns the nodes that are to
// become something else because of it.
func (a *Agent) urgent() []graph.Key {
	answer(a.news.told, nil)
	a.news.told = nil
	list := a.news.take()
	if len(list) == 0 {
		return nil
	}
	for _, i := range list {
		a.log.WithField("news", i.name).Info("taken up while a plan runs")
	}
	a.news.told = list
	return a.learn(list)
}

// learn changes the facts, derives the ports concerned, and returns the nodes that
// are now to become something else. What a port pauses is always among them when storms
// changed: the chip may have what is no longer asked for, and an undo could bring it back.
func (a *Agent) learn(list []*item) []graph.Key {
	facts := a.facts.Clone()
	for _, i := range list {
		i.change(facts)
	}
	ports, known := facts.Changed(a.facts, a.device), a.facts
	a.facts = facts
	before := a.d.nodesOf(ports)
	a.derive(a.rows, nil)
	after := a.d.nodesOf(ports)
	var keys []graph.Key
	for k, n := range after {
		if was := before[k]; was == nil || !slices.Equal(was.Attrs, n.Attrs) {
			keys = append(keys, k)
		}
	}
	for k := range before {
		if after[k] == nil {
			keys = append(keys, k)
		}
	}
	for _, p := range ports {
		if k := p.Facet(graph.PFC); facts.Stormed(p.Name) != known.Stormed(p.Name) && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// nodesOf returns the nodes of some ports.
func (d *deriver) nodesOf(ports []*intent.Port) graph.Graph {
	g := graph.Graph{}
	for _, port := range ports {
		if p := d.ports[port.Name]; p != nil {
			for _, o := range p.origins {
				g[o.Key] = d.nodes[o.Key]
			}
		}
	}
	return g
}
