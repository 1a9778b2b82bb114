package reconcile

import (
	"maps"
	"slices"

	"xon/orchagent/graph"
)

// Size is how many nodes the switch is known to have.
func (r *Reconciler) Size() int { return len(r.nodes) }

// Lost returns the nodes that would go if the switch were brought to desired, in
// order: objects that would be removed for good, and those of the chip's own of
// which nothing would stay set. Replaced objects that wait to be removed are none.
func (r *Reconciler) Lost(desired graph.Graph) []graph.Key {
	var lost []graph.Key
	for k, have := range r.nodes {
		if asking(desired[k]) == nil && !leftAlone(have) && !isLeftover(k) {
			lost = append(lost, k)
		}
	}
	slices.SortFunc(lost, graph.Key.Compare)
	return lost
}

// Remade returns the ports that desired has with other lanes than the switch, with
// all that the switch has of them: such a port goes before another can be made.
func (r *Reconciler) Remade(desired graph.Graph) []graph.Key {
	ports := map[graph.Key]bool{}
	for k, want := range desired {
		if have := r.nodes[k]; have != nil && !slices.Equal(lanesOf(have.Attrs), lanesOf(want.Attrs)) {
			ports[k] = true
		}
	}
	if len(ports) == 0 {
		return nil
	}
	var keys []graph.Key
	for k, have := range r.nodes {
		on := ports[k]
		for dep := range have.Deps {
			on = on || ports[dep]
		}
		if on {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}

// Keep returns desired with some nodes as the switch has them, and all that they
// rest on, so that nothing of that changes under them. kept are these nodes.
func (r *Reconciler) Keep(desired graph.Graph, some []graph.Key) (g, kept graph.Graph) {
	g, kept = maps.Clone(desired), graph.Graph{}
	var keep func(graph.Key)
	keep = func(k graph.Key) {
		have := r.nodes[k]
		if have == nil || kept[k] != nil {
			return
		}
		g[k], kept[k] = have, have
		for dep := range have.Deps {
			keep(dep)
		}
	}
	for _, k := range some {
		keep(k)
	}
	return g, kept
}
