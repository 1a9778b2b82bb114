package reconcile

import (
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// setting is the attributes to write to one object, and what became of them.
type setting struct {
	key    graph.Key
	id     sai.Key
	before *graph.Node // nil if there is none
	attrs  []graph.Attr
	raw    []sai.Attribute // attrs, resolved
	fate   []fate          // by attribute
	failed *Failure        // the first one
}

// fate is what becomes of one attribute of a setting.
type fate struct {
	call  int // the call that carries it, counted from 0
	ok    bool
	noted bool // it is in the result and in what the node is known to have
}

func (r *run) newSetting(k graph.Key, attrs []graph.Attr) (*setting, error) {
	id, err := r.id(k.Object())
	if err != nil {
		return nil, err
	}
	raw, err := r.resolveAll(attrs)
	s := &setting{key: k, id: id, before: r.nodes[k], attrs: attrs, raw: raw, fate: make([]fate, len(attrs))}
	for i := range s.fate {
		s.fate[i].call = i
	}
	return s, err
}

func (r *run) resolveAll(attrs []graph.Attr) ([]sai.Attribute, error) {
	out := make([]sai.Attribute, len(attrs))
	for i, a := range attrs {
		var err error
		if out[i], err = r.resolve(a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write writes settings of one type, in as few calls as may be. A call carries at
// most one attribute of each object: the order of an object's attributes matters,
// and no library promises to keep it within a bulk call. It reports whether all
// succeeded. With stop it ends at the first failure.
func (r *run) write(settings []*setting, stop bool) bool {
	defer func(was []*setting) { r.writing = was }(r.writing)
	r.writing = settings
	calls, size := 0, len(settings)
	for _, s := range settings {
		for _, f := range s.fate {
			calls = max(calls, 1+f.call)
		}
	}
	if size > 1 && r.single[call{Set, settings[0].key.Type}] { // urgent work fits in between
		size = 1
	}
	good := true
	for n := range calls {
		for some := range slices.Chunk(settings, size) {
			if !r.urgently() {
				return false
			}
			good = r.writePart(some, n, stop) && good
			if stop && !good {
				return false
			}
		}
	}
	return good
}

// writePart makes the n-th call. It reports whether all of it succeeded.
func (r *run) writePart(settings []*setting, n int, stop bool) bool {
	part, ids, attrs := make([]place, 0, len(settings)), make([]sai.Key, 0, len(settings)), make([]sai.Attribute, 0, len(settings))
	for _, s := range settings {
		at := slices.IndexFunc(s.fate, func(f fate) bool { return f.call == n })
		if at >= 0 && !r.barred(s, at) && (!r.yielded[s.key] || r.limit(s, at)) {
			part, ids, attrs = append(part, place{s, at}), append(ids, s.id), append(attrs, s.raw[at])
		}
	}
	if len(part) == 0 {
		return true
	}
	good := true
	for i, st := range r.callSet(settings[0].key.Type, ids, attrs, stop) {
		good = part[i].settle(st, stop) && good
	}
	return good
}

// barred reports whether an attribute must not be written because the write of another
// one before it, which it needs, failed.
func (r *run) barred(s *setting, i int) bool {
	for j, f := range s.fate {
		if !f.ok && f.call < s.fate[i].call && r.needs(s.key, s.attrs[i], s.attrs[j]) {
			return true
		}
	}
	return false
}

// needs reports whether a may change only after another attribute of its object: one
// that a brings into effect, as the mode of pausing does with a mask that is left from
// before, or one that a must not pass.
func (r *run) needs(k graph.Key, a, before graph.Attr) bool {
	n := r.nodes[k]
	if n == nil {
		n = &graph.Node{Key: k}
	}
	return traits.Limits(a.AttrMeta, before.AttrMeta) || moot(n, before.AttrMeta) && !moot(n.With(a), before.AttrMeta)
}

// place is one attribute of a setting.
type place struct {
	*setting
	i int
}

// settle takes note of what became of the attribute. It reports success.
func (p place) settle(st sai.Status, stop bool) bool {
	p.fate[p.i].ok = st == 0
	if st != 0 && p.failed == nil && (!stop || st != sai.StatusNotExecuted) {
		p.failed = refused(Set, p.key, p.attrs[p.i].AttrMeta, st)
	}
	return st == 0
}

// wrote returns the attributes that were written, and their fates.
func (s *setting) wrote() (attrs []graph.Attr, fates []fate) {
	if !slices.ContainsFunc(s.fate, func(f fate) bool { return !f.ok }) {
		return s.attrs, s.fate
	}
	for i, f := range s.fate {
		if f.ok {
			attrs, fates = append(attrs, s.attrs[i]), append(fates, f)
		}
	}
	return attrs, fates
}

// fresh returns the attributes that were written and not yet noted, in both forms,
// and takes them for noted.
func (s *setting) fresh() (attrs []graph.Attr, raw []sai.Attribute) {
	all := true
	for _, f := range s.fate {
		all = all && f.ok && !f.noted
	}
	for i, f := range s.fate {
		if f.ok && !f.noted && !all {
			attrs, raw = append(attrs, s.attrs[i]), append(raw, s.raw[i])
		}
		s.fate[i].noted = f.ok
	}
	if all {
		return s.attrs, s.raw
	}
	return attrs, raw
}

// note takes up in the result, and in what the node is known to have, what was
// written.
func (r *run) note(s *setting) {
	if attrs, raw := s.fresh(); len(attrs) > 0 {
		r.record(Write{Verb: Set, Key: s.key, ID: s.id, Attrs: raw})
		r.wrote(s.key, r.nodes[s.key], attrs)
	}
}

// set writes the attributes of several objects.
func (r *run) set(steps []*Step) {
	settings := make([]*setting, 0, len(steps))
	of := make([]*Step, 0, len(steps))
	for _, s := range steps {
		w, err := r.newSetting(s.Key, s.Attrs)
		if err != nil {
			r.fail(s.Key, &Failure{Err: err})
			continue
		}
		settings, of = append(settings, w), append(of, s)
	}
	if r.over() || len(settings) == 0 {
		return
	}
	r.write(settings, r.atomic)
	batch := make([]done, 0, len(settings))
	for i, s := range settings {
		r.note(s)
		if attrs, fates := s.wrote(); len(attrs) > 0 {
			batch = append(batch, done{Step: of[i], id: s.id, before: s.before, wrote: attrs, fates: fates})
		}
		if s.failed != nil {
			r.fail(s.key, s.failed)
		}
	}
	r.journal = append(r.journal, batch)
}

// wrote updates what a node is known to have. A node that has become what is
// desired is shared with it, which makes the next Diff cheap.
func (r *run) wrote(k graph.Key, before *graph.Node, attrs []graph.Attr) {
	want := r.desired[k]
	if before == nil {
		before = &graph.Node{Key: k}
		if want != nil && slices.Equal(attrs, want.Attrs) { // all of it, as at a cold start
			r.put(want)
			return
		}
	}
	n := before.With(attrs...)
	if want != nil && slices.Equal(n.Attrs, want.Attrs) {
		n = want
	}
	r.put(n)
}

func (r *run) record(w Write) { r.res.Writes = append(r.res.Writes, w) }

// create makes several objects.
func (r *run) create(steps []*Step) {
	ids, attrs := make([]sai.Key, 0, len(steps)), make([][]sai.Attribute, 0, len(steps))
	of := make([]*Step, 0, len(steps))
	for _, s := range steps {
		id, raw, err := r.resolveNew(s.Key, s.Attrs)
		if err != nil {
			r.fail(s.Key, &Failure{Err: err})
			continue
		}
		ids, attrs, of = append(ids, id), append(attrs, raw), append(of, s)
	}
	if len(of) == 0 || r.over() || !r.urgently() {
		return
	}
	st := r.callCreate(of[0].Key.Type, ids, attrs, r.atomic)
	var batch []done
	moved := map[graph.Key]graph.Key{}
	for i, s := range of {
		switch {
		case st[i] == 0:
			r.record(Write{Verb: Create, Key: s.Key, ID: ids[i], Attrs: attrs[i]})
			batch = append(batch, done{Step: s, id: ids[i]})
			if s.Replaces != (graph.Key{}) {
				moved[s.Key] = s.Replaces
			}
		case !r.atomic || st[i] != sai.StatusNotExecuted:
			r.fail(s.Key, refused(Create, s.Key, at(st[i], attrs[i]), st[i]))
		}
	}
	r.journal = append(r.journal, batch)
	r.move(moved)
	for _, d := range batch {
		r.made(d.Key, d.id, r.desired[d.Key])
	}
	if of[0].Key.First() {
		r.populate(batch)
		return
	}
	r.saveNames(batch, moved)
}

// made records a new object.
func (r *run) made(k graph.Key, id sai.Key, n *graph.Node) {
	if !k.Entry() {
		r.handles[k], r.shared = id.OID, nil
	}
	r.put(n)
}

// move gives objects other names.
func (r *run) move(to map[graph.Key]graph.Key) {
	if len(to) == 0 {
		return
	}
	r.rename(to)
	ids := make(map[graph.Key]sai.OID, len(to))
	for from, k := range to {
		ids[k] = r.handles[from]
		delete(r.handles, from)
	}
	for k, id := range ids {
		r.handles[k] = id
	}
	r.shared = nil
}

// saveNames keeps the names of objects that were made, and of those that had the
// names before. Entries need none: what they are found by follows from their name.
func (r *run) saveNames(batch []done, moved map[graph.Key]graph.Key) {
	if len(moved) == 0 && (len(batch) == 0 || batch[0].Key.Entry()) {
		return
	}
	put := make(map[string]sai.OID, len(batch)+len(moved))
	var gone []string
	for from, to := range moved {
		put[to.String()] = r.handles[to]
		gone = append(gone, from.String())
	}
	for _, d := range batch {
		put[d.Key.String()] = r.handles[d.Key]
	}
	gone = slices.DeleteFunc(gone, func(n string) bool { _, kept := put[n]; return kept })
	if err := r.names.SetNames(put, gone); err != nil {
		r.res.Names, r.res.Dirty = err, true
	}
}

// remove removes several objects. Leftovers go apart: that one can't be removed
// ends no transaction, and so must not end a call.
func (r *run) remove(steps []*Step) {
	var wanted, leftover []*Step
	for _, s := range steps {
		switch {
		case r.nodes[s.Key] == nil: // the Create that was to rename it failed
		case r.leftover(s.Key):
			leftover = append(leftover, s)
		default:
			wanted = append(wanted, s)
		}
	}
	r.removeAll(wanted, r.atomic)
	if !r.over() {
		r.removeAll(leftover, false)
	}
}

func (r *run) removeAll(steps []*Step, stop bool) {
	if len(steps) == 0 || !r.urgently() {
		return
	}
	ids, of := make([]sai.Key, 0, len(steps)), make([]*Step, 0, len(steps))
	for _, s := range steps {
		id, err := r.id(s.Key)
		if err != nil {
			r.fail(s.Key, &Failure{Err: err})
			continue
		}
		ids, of = append(ids, id), append(of, s)
	}
	var batch []done
	for i, st := range r.callRemove(steps[0].Key.Type, ids, stop) {
		s := of[i]
		switch {
		case st == 0:
			before := r.nodes[s.Key]
			batch = append(batch, done{Step: s, id: ids[i], before: before, wrote: creation(r.nodes, before)})
			r.removed(s.Key, ids[i])
		case !stop || st != sai.StatusNotExecuted:
			r.fail(s.Key, refused(Remove, s.Key, nil, st))
		}
	}
	r.journal = append(r.journal, batch)
}

// removed records that an object is gone.
func (r *run) removed(k graph.Key, id sai.Key) {
	w := Write{Verb: Remove, Key: k, ID: id}
	if k.First() {
		w.Parts = r.depopulate(k, id.OID)
	}
	r.record(w)
	r.drop(k)
	delete(r.handles, k)
	r.shared = nil
}
