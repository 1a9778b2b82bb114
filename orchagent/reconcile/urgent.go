package reconcile

import (
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
)

// Release makes nodes of the chip's own objects give up at once what desired no
// longer asks for, whatever rests on what. What they are to take is left to the
// next Reconcile. A storm can't wait for more.
func (r *Reconciler) Release(desired graph.Graph, keys []graph.Key) Result {
	run := run{Reconciler: r, desired: desired}
	run.yield(keys)
	run.leaveOpen(keys)
	return run.res
}

// leaveOpen remembers nodes that the next Reconcile has to look at.
func (r *Reconciler) leaveOpen(keys []graph.Key) { r.open = append(r.open, keys...) }

// urgently looks for urgent work before a call. It reports whether the call is
// still to be made.
func (r *run) urgently() bool {
	if r.urgent == nil {
		return true
	}
	if keys := r.urgent(); len(keys) > 0 {
		for _, s := range r.writing { // what it has done by now counts as done
			r.note(s)
		}
		r.yield(keys)
	}
	return r.undoing || !r.over()
}

// yield has nodes give up at once what desired no longer asks for. It leaves no
// mark in the journal. From then on the run changes these nodes only to give up
// more, and so does an undo: what is taken away because of urgent news stays away,
// and yet no undo can leave a node without what it rests on.
func (r *run) yield(keys []graph.Key) {
	keys = slices.SortedFunc(slices.Values(keys), graph.Key.Compare)
	if r.yielded == nil {
		r.yielded = set{}
	}
	var settings []*setting
	for _, k := range keys {
		r.yielded[k] = true
		attrs := released(asking(r.desired[k]), r.nodes[k])
		if len(attrs) == 0 {
			continue
		}
		s, err := r.newSetting(k, attrs)
		if err != nil {
			r.fail(k, &Failure{Err: err})
			continue
		}
		settings = append(settings, s)
	}
	poll := r.urgent
	r.urgent = nil
	defer func() { r.urgent = poll }()
	for n := 0; len(settings) > 0; settings = settings[n:] {
		for n = 1; n < min(len(settings), maxBatch) && settings[n].key.Type == settings[0].key.Type; n++ {
		}
		r.writeNow(settings[:n])
	}
}

// writeNow writes what is urgent.
func (r *run) writeNow(settings []*setting) {
	r.write(settings, false)
	for _, s := range settings {
		r.note(s)
		if s.failed != nil {
			r.fail(s.key, s.failed)
		}
	}
}

// released returns what a node of the chip's own objects gives up when it becomes
// want, in the order to write it. Either may be nil.
func released(want, have *graph.Node) []graph.Attr {
	var attrs []graph.Attr
	switch {
	case have == nil || !have.Adopted():
	case want == nil:
		attrs = resets(have)
	default:
		for p := range pairs(have, want) {
			if v := lesser(traits.ClassOf(p.AttrMeta), p.old, p.now); v != p.old {
				attrs = append(attrs, graph.Attr{AttrMeta: p.AttrMeta, Value: v})
			}
		}
	}
	sortAttrs(Release, attrs)
	return attrs
}

// limit makes an attribute of a node that yielded give up only. It reports whether
// there is something to write.
func (r *run) limit(s *setting, i int) bool {
	a := s.attrs[i]
	old, _ := graph.Default(a.AttrMeta)
	if n := r.nodes[s.key]; n != nil {
		old = n.Attr(a.AttrMeta)
	}
	v := lesser(traits.ClassOf(a.AttrMeta), old, a.Value)
	if v == old {
		return false
	}
	a.Value = v
	raw, err := r.resolve(a)
	if err != nil { // a reference that is not there gives nothing up
		return false
	}
	s.attrs, s.raw = slices.Clone(s.attrs), slices.Clone(s.raw)
	s.attrs[i], s.raw[i] = a, raw
	return true
}
