package reconcile

import (
	"fmt"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// Options change how a graph is brought to the chip.
type Options struct {
	// Disruptive takes every changed object out of use before it changes. Such a
	// plan needs no resources beyond those of the two end states, but traffic
	// notices. The default plan is hitless and may need more for a moment.
	Disruptive bool
	// Between, if not nil, is asked before every batch of at most 64 steps but the
	// first, with the reconciler's knowledge up to date, and told how many steps are
	// left. False ends the pass there (Result.Stopped): a best effort leaves the rest
	// to the next pass, a transaction is undone. It is for aborting. It is not asked
	// while an object is out of use for a change of its own.
	Between func(left int) bool
	// Urgent, if not nil, is asked before every call, those of an undo included. It
	// returns nodes of the chip's own objects that can't wait for their place in the
	// plan, usually none; desired must have by then what they are to become, and may
	// be changed for that in no other way. They give up at once what it no longer
	// asks for, and take nothing any more in this pass (Result.Urgent).
	Urgent func() []graph.Key
	// Check, if not nil, is shown the plan before its first call. False ends the pass
	// there, with nothing done (Result.Held).
	Check func(Plan) bool
	// Probe has nodes wait for another one that the chip refused before: that is tried
	// first, and unless the chip takes it they are not touched.
	Probe map[graph.Key]graph.Key
	// Touched, if not nil, are the keys of all nodes that are not the same, by
	// pointer, as in the graph of the last Reconcile. Only they are compared, and
	// what that one left undone, so that a change costs what it touches. The first
	// Reconcile after a Readback or Rebind compares everything all the same.
	Touched []graph.Key
}

// Diff plans the way from actual to desired. It calls nothing and changes
// neither graph; equal inputs give equal plans.
func Diff(desired, actual graph.Graph, opt Options) Plan {
	b := &belief{nodes: actual}
	return b.diff(desired, b.changed(desired), opt)
}

// changed returns the keys whose nodes differ, in no order.
func (b *belief) changed(desired graph.Graph) []graph.Key {
	var keys []graph.Key
	matched := 0
	for k, want := range desired {
		have := b.nodes[k]
		if have != nil {
			matched++
		}
		if want != have && b.unlike(k, want, have) {
			keys = append(keys, k)
		}
	}
	if matched == len(b.nodes) {
		return keys
	}
	for k, have := range b.nodes {
		if desired[k] == nil && !leftAlone(have) {
			keys = append(keys, k)
		}
	}
	return keys
}

// among is changed for some keys, which may come more than once.
func (b *belief) among(desired graph.Graph, some []graph.Key) []graph.Key {
	var keys []graph.Key
	for _, k := range some {
		if want, have := desired[k], b.nodes[k]; want != have && b.unlike(k, want, have) {
			keys = append(keys, k)
		}
	}
	return keys
}

// unlike reports whether have, which may be nil as want may, is not what want asks
// for. With share, a node that is equal but not the same is exchanged for want: the
// next time their pointers tell.
func (b *belief) unlike(k graph.Key, want, have *graph.Node) bool {
	want = asking(want)
	switch {
	case want == nil:
		return have != nil && !leftAlone(have)
	case have == nil:
		return true
	case !slices.Equal(want.Attrs, have.Attrs):
		return differs(want, have)
	case b.share:
		b.nodes[k] = want
	}
	return false
}

// asking returns a node that is wanted; nil for a part of the chip's own objects that asks
// for defaults alone, which is brought about as if nobody asked for anything.
func asking(want *graph.Node) *graph.Node {
	if want != nil && want.Adopted() && len(want.Attrs) == 0 {
		return nil
	}
	return want
}

// diff plans for the nodes that differ.
func (b *belief) diff(desired graph.Graph, changed []graph.Key, opt Options) Plan {
	if len(changed) == 0 {
		return nil
	}
	d := differ{
		desired: desired, actual: b, rebuild: set{}, replace: set{}, repoint: set{},
		phases: map[graph.Key]Phase{}, emitted: make(set, len(changed)), plan: make(Plan, 0, len(changed)),
	}
	d.markReplaced(changed, opt)
	for _, k := range opt.Probe {
		d.probed = add(d.probed, k)
	}
	for _, k := range changed {
		d.emit(k)
	}
	for k := range d.rebuild {
		d.emit(k)
	}
	for k := range d.repoint {
		d.emit(k)
	}
	d.plan.sort()
	return d.plan
}

type set map[graph.Key]bool

func add(s set, k graph.Key) set {
	if s == nil {
		s = set{}
	}
	s[k] = true
	return s
}

type differ struct {
	desired     graph.Graph
	actual      *belief
	replace     set                 // create anew, move references, remove the old
	rebuild     set                 // release fully, then build
	repoint     set                 // unchanged but refers to a replaced object
	phases      map[graph.Key]Phase // see givingUpPhase
	rankDesired map[graph.Key]int
	rankActual  map[graph.Key]int
	freed       set // names given to replaced objects
	emitted     set // nodes whose steps are in plan
	probed      set // nodes that are tried first
	plan        Plan
}

// markReplaced finds objects that can't be changed in place, and what that means
// for the objects that depend on them.
func (d *differ) markReplaced(changed []graph.Key, opt Options) {
	for _, k := range changed {
		want, have := asking(d.desired[k]), d.actual.nodes[k]
		switch {
		case want == nil || have == nil:
		case opt.Disruptive:
			d.markRebuild(k)
		case createOnlyDiffers(want, have):
			d.markReplace(k)
		}
	}
}

// markReplace decides how k is replaced, and carries that on to its dependents:
// one that refers to k by a create-only attribute has to be replaced too.
func (d *differ) markReplace(k graph.Key) {
	if d.replace[k] || d.rebuild[k] {
		return
	}
	if traits.ReplaceOf(k.Type) == traits.BreakBeforeMake {
		d.markRebuild(k)
		return
	}
	d.replace[k] = true
	for dep := range d.actual.dependents(k) {
		want := asking(d.desired[dep])
		switch {
		case want == nil:
		case refersCreateOnly(want, k):
			d.markReplace(dep)
		default:
			d.repoint[dep] = true
		}
	}
}

// markRebuild takes k out of use in Release and, if it stays wanted, makes it
// again in Build. Whatever depends on k has to let go of it first, including
// objects that are on their way out and would otherwise wait for Cleanup.
func (d *differ) markRebuild(k graph.Key) {
	if d.rebuild[k] {
		return
	}
	d.rebuild[k] = true
	delete(d.replace, k)
	for dep := range d.actual.dependents(k) {
		d.markRebuild(dep)
	}
	if gate, ok := d.gateOf(k); ok {
		d.markRebuild(gate)
	}
}

// gateOf returns the node to take back before k is, if k has something that is changed
// offline.
func (d *differ) gateOf(k graph.Key) (gate graph.Key, ok bool) {
	gate, _, ok = k.Gate()
	return gate, ok && d.actual.nodes[gate] != nil && (hasOffline(d.actual.nodes[k]) || hasOffline(d.desired[k]))
}

func hasOffline(n *graph.Node) bool {
	return n != nil && slices.ContainsFunc(n.Attrs, func(a graph.Attr) bool { return traits.Offline(a.AttrMeta) })
}

// emit adds the steps of one changed node, unless they are there already.
func (d *differ) emit(k graph.Key) {
	if d.emitted[k] {
		return
	}
	d.emitted[k] = true
	want, have := asking(d.desired[k]), d.actual.nodes[k]
	switch {
	case d.rebuild[k]:
		d.tearDown(have)
		if want != nil {
			d.setUp(want, graph.Key{})
		}
	case have == nil:
		d.setUp(want, graph.Key{})
	case want == nil:
		d.tearDown(have)
	case d.replace[k]:
		old := d.freeName(k)
		d.setUp(want, old)
		d.plan = append(d.plan, Step{Phase: Cleanup, Rank: d.rank(Cleanup, k), Verb: Remove, Key: old})
	default:
		d.change(want, have)
	}
}

// freeName returns a name for a replaced object. It is not the name of a row, so
// nothing will ever want it, and the next Diff removes what Cleanup could not.
func (d *differ) freeName(k graph.Key) graph.Key {
	for i := 1; ; i++ {
		old := graph.Key{Type: k.Type, Name: fmt.Sprintf("%s~%d", k.Name, i)}
		if d.actual.nodes[old] == nil && d.desired[old] == nil && !d.freed[old] {
			if d.freed == nil {
				d.freed = set{}
			}
			d.freed[old] = true
			return old
		}
	}
}

func (d *differ) setUp(want *graph.Node, replaces graph.Key) {
	if want.Adopted() {
		attrs := want.Attrs
		if len(attrs) > 1 { // add puts them in order
			attrs = slices.Clone(attrs)
		}
		d.add(Step{Phase: Build, Verb: Set, Key: want.Key, Attrs: attrs})
		return
	}
	d.add(Step{Phase: Build, Verb: Create, Key: want.Key, Attrs: creation(d.desired, want), Replaces: replaces})
}

func (d *differ) tearDown(have *graph.Node) {
	if !have.Adopted() {
		d.add(Step{Phase: d.givingUpPhase(have.Key), Verb: Remove, Key: have.Key})
		return
	}
	d.add(Step{Phase: Release, Verb: Set, Key: have.Key, Attrs: resets(have)})
}

// resets returns the attributes of an adopted node at their defaults.
func resets(have *graph.Node) []graph.Attr {
	var attrs []graph.Attr
	for _, a := range have.Attrs {
		if v, ok := resetValue(a); ok {
			attrs = append(attrs, graph.Attr{AttrMeta: a.AttrMeta, Value: v})
		}
	}
	return attrs
}

// add adds a step, unless it has nothing to do.
func (d *differ) add(s Step) {
	if s.Verb == Set && len(s.Attrs) == 0 {
		return
	}
	if s.Verb == Create {
		slices.SortFunc(s.Attrs, func(a, b graph.Attr) int { return int(a.ID) - int(b.ID) })
	} else {
		sortAttrs(s.Phase, s.Attrs)
	}
	s.Rank = d.rank(s.Phase, s.Key)
	if gate, attr, ok := d.inUse(&s); ok {
		s.Turn = Meanwhile
		off, on := s, s
		off.Key, off.Turn, off.Attrs = gate, TakeDown, []graph.Attr{{AttrMeta: attr, Value: graph.Bool(false)}}
		on.Key, on.Turn, on.Attrs = gate, BringUp, []graph.Attr{{AttrMeta: attr, Value: graph.Bool(true)}}
		d.plan = append(d.plan, off, on)
	}
	if s.Turn == Alone && d.probed[s.Key] {
		s.Turn = Probe
	}
	d.plan = append(d.plan, s)
}

// inUse reports whether a step changes something offline of an object that is in use, and
// stays so. It returns what says so.
func (d *differ) inUse(s *Step) (gate graph.Key, attr *sai.AttrMeta, ok bool) {
	gate, attr, ok = s.Key.Gate()
	if !ok || s.Verb != Set || d.rebuild[gate] || !slices.ContainsFunc(s.Attrs, func(a graph.Attr) bool { return traits.Offline(a.AttrMeta) }) {
		return gate, attr, false
	}
	want, have := d.desired[gate], d.actual.nodes[gate]
	return gate, attr, want != nil && have != nil && want.Attr(attr).Num() != 0 && have.Attr(attr).Num() != 0
}

// rank returns the depth of k in the graph that a phase works on: the old one
// when giving up, the new one when building.
func (d *differ) rank(p Phase, k graph.Key) int {
	switch {
	case k.First():
		return firstRank
	case k.Last():
		return lastRank
	}
	if p == Build {
		return depth(d.desired, &d.rankDesired, k)
	}
	return depth(d.actual.nodes, &d.rankActual, k)
}

// depth returns how deep k stands in g. Orchestrators can't make a cycle: SAI
// references between the types used here have none, and what a node rests on
// without reference only points down.
func depth(g graph.Graph, memo *map[graph.Key]int, k graph.Key) int {
	if r, ok := (*memo)[k]; ok {
		return r
	}
	r := 0
	if n := g[k]; n != nil {
		port, _ := k.Port() // it comes first anyhow
		for dep := range n.Deps {
			if dep == port {
				continue
			}
			r = max(r, depth(g, memo, dep)+1)
		}
	}
	if *memo == nil {
		*memo = map[graph.Key]int{}
	}
	(*memo)[k] = r
	return r
}

func createOnlyDiffers(want, have *graph.Node) bool {
	if want.Adopted() {
		return false
	}
	for p := range pairs(have, want) {
		if p.Has(sai.CreateOnly) && p.old != p.now {
			return true
		}
	}
	return false
}

func refersCreateOnly(n *graph.Node, k graph.Key) bool {
	return slices.ContainsFunc(n.Attrs, func(a graph.Attr) bool { return a.Has(sai.CreateOnly) && a.Value.Refers(k) })
}
