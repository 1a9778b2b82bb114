package reconcile

import (
	"slices"

	"xon/orchagent/graph"
	"xon/sai"
)

// rollback undoes everything done so far, last first. It stops where the chip
// refuses: what comes before may rest on what could not be undone. An attribute
// without default whose value was not known before keeps the new one.
func (r *run) rollback() bool {
	for _, batch := range slices.Backward(r.journal) {
		if len(batch) > 0 && !r.undo(batch) {
			return false
		}
	}
	return true
}

func (r *run) undo(batch []done) bool {
	switch batch[0].Verb {
	case Create:
		return r.undoCreate(batch)
	case Set:
		return r.undoSet(batch)
	default:
		return r.undoRemove(batch)
	}
}

func (r *run) undoSet(batch []done) bool {
	settings := make([]*setting, len(batch))
	for i, d := range batch {
		var err error
		if settings[i], err = r.newSetting(d.Key, d.inverse()); err != nil {
			return false
		}
	}
	good := r.write(settings, true)
	for i, s := range settings {
		attrs, raw := s.wrote()
		if len(attrs) > 0 {
			r.record(Write{Set, s.key, s.oid, raw})
		}
		if good {
			r.restore(s.key, batch[i].before)
		} else {
			r.wrote(s.key, r.nodes[s.key], attrs)
		}
	}
	return good
}

// inverse returns the attributes that undo a Set, in the order to write them.
func (d *done) inverse() []graph.Attr {
	before := d.before
	if before == nil {
		before = &graph.Node{Key: d.Key}
	}
	var attrs []graph.Attr
	for _, a := range slices.Backward(d.wrote) {
		if _, ok := graph.Default(a.AttrMeta); ok || before.Has(a.AttrMeta) {
			attrs = append(attrs, graph.Attr{AttrMeta: a.AttrMeta, Value: before.Attr(a.AttrMeta)})
		}
	}
	return attrs
}

// restore puts a node back; before is nil if there was none.
func (r *run) restore(k graph.Key, before *graph.Node) {
	if before == nil {
		r.drop(k)
		return
	}
	r.put(before)
}

func (r *run) undoCreate(batch []done) bool {
	ids := make([]sai.OID, len(batch))
	for i, d := range batch {
		ids[i] = d.oid
	}
	good, moved := true, map[graph.Key]graph.Key{}
	for i, st := range r.callRemove(batch[0].Key.Type, ids, true) {
		if st != 0 {
			good = false
			continue
		}
		r.removed(batch[i].Key, ids[i])
		if old := batch[i].Replaces; old != (graph.Key{}) {
			moved[old] = batch[i].Key
		}
	}
	r.move(moved)
	r.saveNames(nil, moved)
	return good && r.res.Names == nil
}

func (r *run) undoRemove(batch []done) bool {
	attrs := make([][]sai.Attribute, len(batch))
	for i, d := range batch {
		var err error
		if attrs[i], err = r.resolveAll(d.before.Attrs); err != nil {
			return false
		}
	}
	ids, st := r.callCreate(batch[0].Key.Type, attrs, true)
	good := true
	var back []done
	for i, d := range batch {
		if st[i] != 0 {
			good = false
			continue
		}
		r.record(Write{Create, d.Key, ids[i], attrs[i]})
		r.made(d.Key, ids[i], d.before)
		back = append(back, d)
	}
	r.saveNames(back, nil)
	return good && r.res.Names == nil
}
