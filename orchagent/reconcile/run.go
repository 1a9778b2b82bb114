package reconcile

import (
	"fmt"
	"regexp"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// run is the execution of one plan.
type run struct {
	*Reconciler
	desired graph.Graph
	atomic  bool
	res     Result
	held    set                     // must stay as they are, since a dependent failed to let go
	unready map[graph.Key]graph.Key // what comes last, and what it waits for in vain
	journal [][]done                // what was done, by batch, in order
	undoing bool
	lanes   map[string]graph.Key // see lanesTaken; while ports are being created

	probe   map[graph.Key]graph.Key // Options.Probe
	urgent  func() []graph.Key      // Options.Urgent
	yielded set                     // what it returned
	writing []*setting              // what the write at hand is about
}

// done is one step that was done, as far as it was.
type done struct {
	*Step
	id     sai.Key
	before *graph.Node  // Set, Remove: the node before; nil if there was none
	wrote  []graph.Attr // Set: what succeeded, in order; Remove: what to make it of again
	fates  []fate       // Set: of each of wrote
}

// over reports whether the rest of the plan is not to be tried.
func (r *run) over() bool { return r.res.Dirty || r.atomic && len(r.res.Failed) > 0 }

// batch returns how many leading steps belong together: those that are equal but
// for their object, and those that change one offline.
func batch(p Plan) int {
	if p[0].Turn == TakeDown {
		return 3
	}
	n := 1
	for n < len(p) && n < maxBatch && sameBatch(&p[0], &p[n]) {
		n++
	}
	return n
}

func sameBatch(a, b *Step) bool {
	return a.Phase == b.Phase && a.Rank == b.Rank && a.Verb == b.Verb && a.Key.Type == b.Key.Type && a.Turn == b.Turn
}

// steps executes the steps of one batch.
func (r *run) steps(steps []Step) {
	if steps[0].Turn == TakeDown {
		r.offline(&steps[0], &steps[1], &steps[2])
		return
	}
	if steps[0].Verb == Create && steps[0].Key.First() {
		r.lanes = r.lanesTaken()
	}
	todo := make([]*Step, 0, len(steps))
	for i := range steps {
		s := &steps[i]
		if f := r.blocked(s); f != nil {
			r.fail(s.Key, f)
			continue
		}
		todo = append(todo, s)
	}
	switch steps[0].Verb {
	case Create:
		r.create(todo)
	case Set:
		r.set(todo)
	case Remove:
		r.remove(todo)
	}
}

// offline changes an object while it is out of use. It is not taken out of use for a
// change that can't be tried, whatever else of it failed does not keep it out of use, and
// it stays so if the change fails: the next pass, or the undo, puts it back as it was before
// it is used again.
func (r *run) offline(down, change, up *Step) {
	f := r.blocked(change)
	if f == nil {
		if r.res.Failed[down.Key] == nil {
			r.set([]*Step{down})
		}
		if r.res.Failed[down.Key] != nil {
			f = &Failure{On: down.Key, Err: fmt.Errorf("needs %s to be down: %w", down.Key.Object(), ErrBlocked)}
		}
	}
	if f != nil {
		r.fail(change.Key, f)
		return
	}
	if r.over() {
		return
	}
	if r.set([]*Step{change}); r.res.Failed[change.Key] != nil {
		r.fail(up.Key, &Failure{On: change.Key, Err: fmt.Errorf("needs %s: %w", change.Key, ErrBlocked)})
		return
	}
	if !r.over() {
		r.set([]*Step{up})
	}
}

// blocked returns why a step must not be tried, or nil.
func (r *run) blocked(s *Step) *Failure {
	if s.Verb == Create && s.Key.First() {
		if on, ok := r.inTheWay(s); ok {
			return &Failure{On: on, Err: fmt.Errorf("%s has one of its lanes: %w", on, ErrBlocked)}
		}
	}
	if len(r.res.Failed) == 0 && len(r.held) == 0 {
		return nil
	}
	if r.res.Failed[s.Key] != nil {
		return &Failure{On: s.Key, Err: ErrBlocked}
	}
	if first, ok := r.probe[s.Key]; ok && first != s.Key && r.res.Failed[first] != nil {
		return &Failure{On: first, Err: fmt.Errorf("%s was refused again: %w", first, ErrBlocked)}
	}
	if r.held[s.Key] {
		return &Failure{Err: fmt.Errorf("still in use: %w", ErrBlocked)}
	}
	if s.Phase != Build {
		return nil
	}
	on, ok := r.unready[s.Key]
	if !ok {
		on, ok = r.unmet(s.Key)
	}
	if !ok {
		return nil
	}
	return &Failure{On: on, Err: fmt.Errorf("needs %s: %w", on, ErrBlocked)}
}

// unmet returns what failed of all that k needs, however indirectly.
func (r *run) unmet(k graph.Key) (on graph.Key, found bool) {
	n := r.desired[k]
	if n == nil {
		return graph.Key{}, false
	}
	for dep := range n.Deps {
		if r.res.Failed[dep] != nil {
			return dep, true
		}
		if on, found = r.unmet(dep); found {
			return on, true
		}
	}
	return graph.Key{}, false
}

// fail records a failed step. What the node still rests on must not change under
// it any more.
func (r *run) fail(k graph.Key, f *Failure) {
	to := &r.res.Failed
	if r.leftover(k) && !r.res.Dirty { // of a chip that went away nothing is known
		to = &r.res.Leftover
	}
	if *to == nil {
		*to = map[graph.Key]*Failure{}
	}
	if (*to)[k] == nil {
		(*to)[k] = f
	}
	if admin, ok := k.Readies(); ok {
		if r.unready == nil {
			r.unready = map[graph.Key]graph.Key{}
		}
		r.unready[admin] = k
	}
	if r.held == nil {
		r.held = set{}
	}
	r.hold(k)
}

func (r *run) hold(k graph.Key) {
	n := r.nodes[k]
	if n == nil {
		return
	}
	for dep := range n.Deps {
		if !r.held[dep] {
			r.held[dep] = true
			r.hold(dep)
		}
	}
}

// leftoverName is the name of a replaced object (see freeName).
var leftoverName = regexp.MustCompile(`~[0-9]+$`)

// leftover reports whether an object only waits to be removed under a name that it
// did not have to begin with.
func (r *run) leftover(k graph.Key) bool {
	return r.desired[k] == nil && isLeftover(k)
}

func isLeftover(k graph.Key) bool {
	return !traits.Adopted(k.Type) && (strings.HasPrefix(k.Name, unnamedPrefix) || leftoverName.MatchString(k.Name))
}

// refused makes a Failure of a status.
func refused(verb Verb, k graph.Key, attr *sai.AttrMeta, st sai.Status) *Failure {
	class, _ := st.Attr()
	what := fmt.Sprintf("%s %s", verb, k)
	if attr != nil {
		what += " " + attr.FullName()
	}
	return &Failure{Attr: attr, Err: fmt.Errorf("%s: %w", what, class)}
}

// at returns the attribute that a status names, or nil.
func at(st sai.Status, attrs []sai.Attribute) *sai.AttrMeta {
	if _, i := st.Attr(); i >= 0 && i < len(attrs) {
		return attrs[i].AttrMeta
	}
	return nil
}
