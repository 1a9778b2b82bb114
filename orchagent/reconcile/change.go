package reconcile

import (
	"iter"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// pair is an attribute of one object before and after.
type pair struct {
	*sai.AttrMeta
	old, now graph.Value
}

// pairs yields, in order, every attribute that have or want sets, but for those
// that want leaves alone.
func pairs(have, want *graph.Node) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		old, now := have.Attrs, want.Attrs
		for len(old) > 0 || len(now) > 0 {
			var p pair
			switch {
			case len(now) == 0 || len(old) > 0 && old[0].ID < now[0].ID: // given up
				v, ok := givenUp(have, want, old[0])
				p = pair{old[0].AttrMeta, old[0].Value, v}
				old = old[1:]
				if !ok {
					continue
				}
			case len(old) == 0 || now[0].ID < old[0].ID: // new
				v, _ := graph.Default(now[0].AttrMeta)
				p = pair{now[0].AttrMeta, v, now[0].Value}
				now = now[1:]
			default:
				p = pair{now[0].AttrMeta, old[0].Value, now[0].Value}
				old, now = old[1:], now[1:]
			}
			if !yield(p) {
				return
			}
		}
	}
}

// resetValue returns what an attribute of the chip's own objects goes back to when
// nobody wants it any more. ok is false if it is left as it is: SAI states no default for it, or it is
// in the state that the chip itself put it in.
func resetValue(a graph.Attr) (v graph.Value, ok bool) {
	v, ok = graph.Default(a.AttrMeta)
	return v, ok && !refersOwn(a.Value)
}

// moot reports whether an attribute of one of the chip's own objects has no meaning in
// the state of a node, such as the mask of both directions while they are apart.
func moot(n *graph.Node, a *sai.AttrMeta) bool {
	return n.Adopted() && !sai.ByType(n.Key.Type).Matters(a, func(m *sai.AttrMeta) (sai.Value, bool) {
		return sai.Value{Num: n.Attr(m).Num()}, true
	})
}

// givenUp returns what an attribute becomes that want does not have. ok is false if it
// stays as it is.
func givenUp(have, want *graph.Node, a graph.Attr) (v graph.Value, ok bool) {
	if !have.Adopted() {
		return graph.Default(a.AttrMeta)
	}
	v, ok = resetValue(a)
	if ok && moot(want, a.AttrMeta) {
		return lapsed(have, want, a)
	}
	return v, ok
}

// lapsed returns what an attribute gives up that is moot in want: nothing if it is moot
// already, or else what the attribute in its place will not have. All else of it stays,
// which SONiC does not touch either. ok is false if there is nothing to write.
func lapsed(have, want *graph.Node, a graph.Attr) (now graph.Value, ok bool) {
	next := traits.Successor(a.AttrMeta)
	if next == nil || moot(have, a.AttrMeta) {
		return a.Value, false
	}
	now = graph.Uint(a.Value.Num() & want.Attr(next).Num())
	return now, now != a.Value
}

// leftAlone reports whether n has nothing that could be given up.
func leftAlone(n *graph.Node) bool {
	return n.Key.Spare() || n.Adopted() && !slices.ContainsFunc(n.Attrs, func(a graph.Attr) bool { _, ok := resetValue(a); return ok })
}

// differs reports whether have, whose attributes are other ones, is not what want
// asks for.
func differs(want, have *graph.Node) bool {
	for p := range pairs(have, want) {
		if p.old != p.now {
			return true
		}
	}
	// An attribute without default may be set to what looks like one.
	return slices.ContainsFunc(want.Attrs, func(a graph.Attr) bool { return !have.Has(a.AttrMeta) })
}

// change splits a change in place in two steps, so that what is given up and what
// is taken each happen in their own phase.
func (d *differ) change(want, have *graph.Node) {
	first, last, between := Release, Build, lesser
	if givesUp(want, have) && d.givingUpPhase(want.Key) == Cleanup {
		first, last, between = Build, Cleanup, greater
	}
	var attrs [Cleanup + 1][]graph.Attr
	for p := range pairs(have, want) {
		mid := between(traits.ClassOf(p.AttrMeta), p.old, p.now)
		if mid != p.old {
			attrs[first] = append(attrs[first], graph.Attr{AttrMeta: p.AttrMeta, Value: mid})
		}
		if p.now != mid {
			attrs[last] = append(attrs[last], graph.Attr{AttrMeta: p.AttrMeta, Value: p.now})
		}
		if p.old == p.now && (refersAny(p.now, d.replace) || !have.Has(p.AttrMeta)) {
			attrs[Build] = append(attrs[Build], graph.Attr{AttrMeta: p.AttrMeta, Value: p.now})
		}
	}
	for phase, list := range attrs {
		d.add(Step{Phase: Phase(phase), Verb: Set, Key: want.Key, Attrs: list})
	}
}

// lesser returns the value that gives up what now gives up and takes nothing yet.
func lesser(c traits.Class, old, now graph.Value) graph.Value {
	switch {
	case c == traits.Restriction:
		return graph.Uint(max(old.Num(), now.Num()))
	case c == traits.Capacity:
		return graph.Uint(min(old.Num(), now.Num()))
	case c == traits.Bitmap:
		return graph.Uint(old.Num() & now.Num())
	case c == traits.Reference && now.IsNull():
		return now
	}
	return old
}

// greater returns the value that takes what now takes and gives up nothing yet.
func greater(c traits.Class, old, now graph.Value) graph.Value {
	switch {
	case c == traits.Restriction:
		return graph.Uint(min(old.Num(), now.Num()))
	case c == traits.Capacity:
		return graph.Uint(max(old.Num(), now.Num()))
	case c == traits.Bitmap:
		return graph.Uint(old.Num() | now.Num())
	case c == traits.Reference && now.IsNull():
		return old
	}
	return now
}

// givesUp reports whether a change in place has anything to do in Release.
func givesUp(want, have *graph.Node) bool {
	for p := range pairs(have, want) {
		if lesser(traits.ClassOf(p.AttrMeta), p.old, p.now) != p.old {
			return true
		}
	}
	return false
}

// givingUpPhase returns when k may shrink or go away: in Release, where what it
// frees serves Build, unless something that uses k now moves elsewhere in Build.
// Until it has moved it must find k unchanged, so k then waits for Cleanup.
func (d *differ) givingUpPhase(k graph.Key) Phase {
	if p, ok := d.phases[k]; ok {
		return p
	}
	phase := Release
	if whole, ok := d.goesWith(k); ok {
		phase = d.givingUpPhase(whole)
		d.phases[k] = phase
		return phase
	}
	for dep := range d.actual.dependents(k) {
		if whole, ok := d.goesWith(dep); ok && whole == k {
			continue
		}
		if d.usesUntilCleanup(dep, k) {
			phase = Cleanup
			break
		}
	}
	d.phases[k] = phase
	return phase
}

// goesWith returns the object that k is a part of, if both are removed.
func (d *differ) goesWith(k graph.Key) (whole graph.Key, ok bool) {
	have := d.actual.nodes[k]
	if have == nil || asking(d.desired[k]) != nil || d.rebuild[k] {
		return graph.Key{}, false
	}
	whole, ok = have.PartOf()
	return whole, ok && d.desired[whole] == nil && d.actual.nodes[whole] != nil
}

func (d *differ) usesUntilCleanup(dep, k graph.Key) bool {
	want, have := asking(d.desired[dep]), d.actual.nodes[dep]
	switch {
	case d.rebuild[dep]:
		return false
	case d.replace[dep], want != nil && movesAway(want, have, k):
		return true
	}
	return (want == nil || givesUp(want, have)) && d.givingUpPhase(dep) == Cleanup
}

// movesAway reports whether an attribute that refers to k will refer to something
// else instead.
func movesAway(want, have *graph.Node, k graph.Key) bool {
	for _, a := range have.Attrs {
		if now := want.Attr(a.AttrMeta); a.Value.Refers(k) && !now.IsNull() && !now.Refers(k) {
			return true
		}
	}
	return false
}

func refersAny(v graph.Value, objects set) bool {
	for k := range v.Targets() {
		if objects[k] {
			return true
		}
	}
	return false
}
