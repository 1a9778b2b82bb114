package reconcile

import (
	"iter"
	"maps"

	"xon/orchagent/graph"
)

// belief is what the chip is known to have.
type belief struct {
	nodes graph.Graph
	// users are the nodes that need a key. The index is built on first use, as
	// most plans give nothing up, and kept from then on.
	users map[graph.Key]map[graph.Key]struct{}
	share bool // see unlike
}

// dependents yields the keys of the nodes that need k, in no order.
func (b *belief) dependents(k graph.Key) iter.Seq[graph.Key] {
	if b.users == nil {
		b.users = make(map[graph.Key]map[graph.Key]struct{})
		for _, n := range b.nodes {
			b.link(n)
		}
	}
	return maps.Keys(b.users[k])
}

func (b *belief) link(n *graph.Node) {
	for to := range n.Deps {
		if b.users[to] == nil {
			b.users[to] = map[graph.Key]struct{}{}
		}
		b.users[to][n.Key] = struct{}{}
	}
}

// put stores a node; a facet with nothing set is absent.
func (b *belief) put(n *graph.Node) {
	b.drop(n.Key)
	if len(n.Attrs) == 0 && n.Adopted() {
		return
	}
	b.nodes[n.Key] = n
	if b.users != nil {
		b.link(n)
	}
}

// drop forgets a node.
func (b *belief) drop(k graph.Key) {
	old := b.nodes[k]
	if old == nil {
		return
	}
	delete(b.nodes, k)
	if b.users == nil {
		return
	}
	for to := range old.Deps {
		delete(b.users[to], k)
	}
}

// rename gives objects other names, in their nodes and wherever they are referred
// to.
func (b *belief) rename(to map[graph.Key]graph.Key) {
	if len(to) == 0 {
		return
	}
	b.users = nil
	moved := map[graph.Key]*graph.Node{} // by their key before
	for k, n := range b.nodes {
		next := n.Renamed(to)
		if next.Key != k {
			moved[k] = next
		} else if next != n {
			b.nodes[k] = next
		}
	}
	for k := range moved { // all go before any comes: names may be exchanged
		delete(b.nodes, k)
	}
	for _, n := range moved {
		b.nodes[n.Key] = n
	}
}
