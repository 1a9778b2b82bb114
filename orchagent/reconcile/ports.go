package reconcile

import (
	"maps"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// Ports knows what the chip makes along with a port.
type Ports interface {
	// Made finds out what was made along with ports that were created, given by key.
	// named are the handles of what has a name, the ports among them; parts are all that
	// came with each port.
	Made(ports map[graph.Key]sai.OID) (named map[graph.Key]sai.OID, parts map[graph.Key][]graph.Part, err error)
	// Gone is told of a port that was removed. It returns what went with it.
	Gone(id sai.OID) []graph.Part
}

// Follow has p find out what comes along with ports. Without it the reconciler knows of
// a port that it creates no more than the port itself.
func (r *Reconciler) Follow(p Ports) { r.ports = p }

// creation returns what an object is created with: its own attributes, those merely
// stated, and of its facets' attributes those that SAI wants on creation, such as a
// port's speed.
func creation(g graph.Graph, n *graph.Node) []graph.Attr {
	attrs := slices.Concat(n.Attrs, n.Stated)
	if !traits.Adopted(n.Key.Type) {
		return attrs
	}
	for _, a := range sai.ByType(n.Key.Type).Attrs {
		f, ok := graph.FacetOf(a)
		if !ok || f == "" || !a.Has(sai.Mandatory) {
			continue
		}
		k := n.Key
		k.Facet = f
		if facet := g[k]; facet != nil && facet.Has(a) {
			attrs = append(attrs, graph.Attr{AttrMeta: a, Value: facet.Attr(a)})
		}
	}
	return attrs
}

// populate takes up what the chip made along with new ports, and reads what is set of
// that. It reports whether that went well; if not, what the chip has is not known.
func (r *run) populate(batch []done) bool {
	if len(batch) == 0 || r.ports == nil {
		return true
	}
	ports := make(map[graph.Key]sai.OID, len(batch))
	for _, d := range batch {
		ports[d.Key] = d.id.OID
	}
	named, parts, err := r.ports.Made(ports)
	if err == nil {
		maps.Copy(r.handles, named)
		r.shared = nil
		err = r.readNew(named)
	}
	if err != nil {
		r.res.Dirty = true
		r.fail(batch[0].Key, &Failure{Err: err})
		return false
	}
	for i := range r.res.Writes {
		w := &r.res.Writes[i]
		if id, ok := ports[w.Key]; ok && w.Verb == Create && w.ID.OID == id {
			w.Parts = parts[w.Key]
		}
	}
	return true
}

// readNew reads objects that the chip just made.
func (r *run) readNew(named map[graph.Key]sai.OID) error {
	b := readback{Reconciler: r.Reconciler, keys: make(map[sai.OID]graph.Key, len(r.handles))}
	for k, id := range r.handles {
		b.keys[id] = k
	}
	byType := map[sai.ObjectType][]graph.Key{}
	for k := range named {
		byType[k.Type] = append(byType[k.Type], k)
	}
	for _, t := range slices.Sorted(maps.Keys(byType)) {
		if err := b.read(t, byType[t]); err != nil {
			return err
		}
	}
	return nil
}

// depopulate forgets all that went with a port.
func (r *run) depopulate(port graph.Key, id sai.OID) []graph.Part {
	for k := range r.handles {
		if k == port || strings.HasPrefix(k.Name, port.Name+"|") && traits.Adopted(k.Type) {
			r.forget(k)
			delete(r.handles, k)
		}
	}
	if r.ports == nil {
		return nil
	}
	return r.ports.Gone(id)
}

// lanesTaken returns the lanes of all ports, with the port that has each.
func (r *run) lanesTaken() map[string]graph.Key {
	taken := map[string]graph.Key{}
	for k := range r.handles {
		if n := r.nodes[k]; k.First() && n != nil {
			for _, l := range lanesOf(n.Attrs) {
				taken[l] = k
			}
		}
	}
	return taken
}

// inTheWay returns a port that has a lane of the port that a step creates: its removal
// failed, or it has to stay.
func (r *run) inTheWay(s *Step) (on graph.Key, found bool) {
	for _, l := range lanesOf(s.Attrs) {
		if on, found = r.lanes[l]; found {
			return on, true
		}
	}
	return graph.Key{}, false
}

// lanesOf returns the lanes of a port.
func lanesOf(attrs []graph.Attr) []string {
	for _, a := range attrs {
		if a.AttrMeta == sai.PortAttrHwLaneList.AttrMeta {
			_, list, _ := strings.Cut(a.Value.Plain(), ":")
			return strings.Split(list, ",")
		}
	}
	return nil
}
