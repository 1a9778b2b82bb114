package orchagent

import (
	"xon/orchagent/graph"
	"xon/orchagent/resolve"
)

// desired is the graph of a resolution, changed in place from one to the next in the size
// of their difference.
type desired struct {
	nodes graph.Graph
	of    *resolve.Resolution // nil: of none
	// touched are the nodes that may differ from those that the reconciler saw last;
	// everything says that all may.
	touched    []graph.Key
	everything bool
}

// become makes the graph that of another resolution. It reports whether that asks for
// something else.
func (d *desired) become(r *resolve.Resolution) bool {
	keys, differs := r.Nodes(d.nodes, d.of)
	d.of = r
	d.touch(keys)
	return differs
}

// touch notes nodes that may differ from those that the reconciler saw last. Beyond as many
// as there are, to look at all is cheaper.
func (d *desired) touch(keys []graph.Key) {
	if d.touched = append(d.touched, keys...); len(d.touched) > len(d.nodes) {
		d.touched, d.everything = d.touched[:0], true
	}
}

// takeTouched returns the nodes to compare, nil for all, and begins again.
func (d *desired) takeTouched() []graph.Key {
	keys := append([]graph.Key{}, d.touched...)
	if d.everything {
		keys = nil
	}
	d.touched, d.everything = d.touched[:0], false
	return keys
}
