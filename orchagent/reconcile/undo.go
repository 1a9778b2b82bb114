package reconcile

import (
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/sai"
)

// Undo takes the last Reconcile back if it was Atomic and went well, in the way in
// which one is undone that does not: for a transaction that fails elsewhere after
// the chip took it. Like that, and unlike another Reconcile of what was desired
// before, it leaves no trace: attributes that SAI states no default for get back
// what they had. It tells what it wrote, and Dirty if the chip refused; if there is
// nothing to undo any more it does nothing.
func (r *Reconciler) Undo() Result {
	last := r.last
	if last == nil {
		return Result{}
	}
	r.last, r.whole = nil, true
	last.res = Result{RolledBack: true}
	last.res.Dirty = !last.rollback() || last.res.Dirty
	last.res.Urgent = slices.SortedFunc(maps.Keys(last.yielded), graph.Key.Compare)
	return last.res
}

// rollback undoes everything done so far, in exactly the opposite order down to
// the entries of a bulk call: the chip then goes back through states that it has
// been in, so that what fitted on the way fits on the way back. It stops where the
// chip refuses: what comes before may rest on what could not be undone. An
// attribute without default whose value was not known before keeps the new one.
func (r *run) rollback() bool {
	r.undoing = true
	for _, batch := range slices.Backward(r.journal) {
		slices.Reverse(batch)
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
	calls := 0
	for _, d := range batch {
		for _, f := range d.fates {
			calls = max(calls, 1+f.call)
		}
	}
	settings := make([]*setting, len(batch))
	for i := range batch {
		s, err := r.inverse(&batch[i], calls)
		if err != nil {
			return false
		}
		settings[i] = s
	}
	good := r.write(settings, true)
	for i, s := range settings {
		r.note(s)
		if good && !r.yielded[s.key] {
			r.restore(s.key, batch[i].before)
		}
	}
	return good
}

// inverse returns what undoes a Set that was a part of so many calls.
func (r *run) inverse(d *done, calls int) (*setting, error) {
	before := d.before
	if before == nil {
		before = &graph.Node{Key: d.Key}
	}
	var attrs []graph.Attr
	var at []fate
	for i, a := range slices.Backward(d.wrote) {
		if _, ok := graph.Default(a.AttrMeta); ok || before.Has(a.AttrMeta) {
			attrs = append(attrs, graph.Attr{AttrMeta: a.AttrMeta, Value: before.Attr(a.AttrMeta)})
			at = append(at, fate{call: calls - 1 - d.fates[i].call})
		}
	}
	s, err := r.newSetting(d.Key, attrs)
	if err == nil {
		s.fate = at
	}
	return s, err
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
	ids := make([]sai.Key, len(batch))
	for i, d := range batch {
		ids[i] = d.id
	}
	r.urgently()
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
	ids, attrs := make([]sai.Key, len(batch)), make([][]sai.Attribute, len(batch))
	for i, d := range batch {
		var err error
		if ids[i], attrs[i], err = r.resolveNew(d.Key, d.wrote); err != nil {
			return false
		}
	}
	r.urgently()
	st := r.callCreate(batch[0].Key.Type, ids, attrs, true)
	good := true
	var back []done
	for i, d := range batch {
		if st[i] != 0 {
			good = false
			continue
		}
		r.record(Write{Verb: Create, Key: d.Key, ID: ids[i], Attrs: attrs[i]})
		r.made(d.Key, ids[i], d.before)
		d.id = ids[i]
		back = append(back, d)
	}
	if batch[0].Key.First() {
		return r.populate(back) && good
	}
	r.saveNames(back, nil)
	return good && r.res.Names == nil
}
