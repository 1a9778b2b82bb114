// Package reconcile moves a switch from the state it has to the state the
// configuration wants, in an order that is safe at every step.
//
// It knows names, attributes and what they rest on, and nothing of what any of
// them means: that is for the orchestrators. It keeps no time and does not retry
// by itself: to retry is to call Reconcile again.
package reconcile

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// Mode says what a failed step means for the rest of its plan.
type Mode uint8

// The modes.
const (
	// BestEffort goes on with everything that does not need what failed. Used at
	// start and for retries: one bad row must not keep 511 ports down.
	BestEffort Mode = iota
	// Atomic undoes the plan. Used for a transaction, whose caller can be told.
	Atomic
)

// ErrBlocked is the cause of a step that was skipped because another one that it
// needs failed.
var ErrBlocked = errors.New("blocked by a failed step")

// Failure is why a node is not as it should be.
type Failure struct {
	Attr *sai.AttrMeta // the attribute at fault; nil if it is not known
	On   graph.Key     // with ErrBlocked: the node that failed; zero if none did
	// Err matches the sai.Status of the call, without the index of an attribute, by
	// errors.As; or it matches ErrBlocked.
	Err error
}

// Write is one write that the chip executed.
type Write struct {
	Verb  Verb
	Key   graph.Key
	ID    sai.Key
	Attrs []sai.Attribute // Create: all given; Set: those that succeeded; not to be changed
	Parts []graph.Part    // of a port: what the chip made along with it, or took away
}

// Result is the outcome of one reconciliation.
type Result struct {
	Plan   Plan
	Failed map[graph.Key]*Failure // by node; nil when all went well
	// Leftover are replaced objects that could not be removed yet. They harm
	// nothing but their own space, and every later pass tries again.
	Leftover map[graph.Key]*Failure
	// Writes are what the chip executed, in order, those of an undo included.
	Writes []Write
	// Urgent are the nodes that Options.Urgent returned. What they are to take is
	// left to the next pass.
	Urgent     []graph.Key
	RolledBack bool // nothing of the plan is in force, unless Dirty
	Stopped    bool // Options.Between ended the pass
	Held       bool // Options.Check did, before anything was done
	// Dirty says that what the switch has is no longer known, because undoing or
	// keeping the names of objects failed, or the chip went away: the caller must
	// Readback before it goes on.
	Dirty bool
	Names error // the error of the name store, if it failed; then Dirty is set

	Calls, Bulk int // writing calls made, and those of them for several objects
}

// Err returns the failures as one error, or nil.
func (r Result) Err() error {
	var errs []error
	for _, k := range slices.SortedFunc(maps.Keys(r.Failed), graph.Key.Compare) {
		errs = append(errs, fmt.Errorf("%s: %w", k, r.Failed[k].Err))
	}
	return errors.Join(append(errs, r.Names)...)
}

// Reconciler owns the agent's knowledge of one switch. It is not safe for
// concurrent use: one goroutine, the agent's loop, holds it.
type Reconciler struct {
	belief
	sw      *sai.Switch
	names   sai.Names
	handles map[graph.Key]sai.OID // by Key.Object
	shared  map[graph.Key]sai.OID // a copy of handles that was given out
	single  map[call]bool         // calls that the library has no bulk form of
	ports   Ports
	// open are the keys that the last Reconcile left unlike what was desired; whole
	// says that it is not known, and so everything has to be compared.
	open  []graph.Key
	whole bool
	last  *run // that can still be undone; nil if none
}

// call is a kind of bulk call.
type call struct {
	verb Verb
	typ  sai.ObjectType
}

// Actual returns a copy of what the switch is known to have.
func (r *Reconciler) Actual() graph.Graph { return maps.Clone(r.nodes) }

// Node returns what the switch is known to have of a node; nil if that is nothing.
func (r *Reconciler) Node(k graph.Key) *graph.Node { return r.nodes[k] }

// Handle returns the handle of the object that k is, or is a part of: sai.Null for one
// without handles. ok is false if it is not there.
func (r *Reconciler) Handle(k graph.Key) (id sai.OID, ok bool) {
	if k.Entry() {
		return sai.Null, r.nodes[k] != nil
	}
	id, ok = r.handles[k.Object()]
	return id, ok
}

// Handles returns the handle of every object by its key, which has no facet. The
// map must not be changed; it stays as it is when the reconciler goes on.
func (r *Reconciler) Handles() map[graph.Key]sai.OID {
	if r.shared == nil {
		r.shared = maps.Clone(r.handles)
	}
	return r.shared
}

// Open returns the nodes that the last Reconcile left unlike what was desired.
func (r *Reconciler) Open() []graph.Key { return slices.Clone(r.open) }

// Plan returns what Reconcile would do.
func (r *Reconciler) Plan(desired graph.Graph, opt Options) Plan {
	return r.diff(desired, r.unsettled(desired, opt), opt)
}

// unsettled returns the keys whose nodes differ.
func (r *Reconciler) unsettled(desired graph.Graph, opt Options) []graph.Key {
	if opt.Touched == nil || r.whole {
		return r.changed(desired)
	}
	return r.among(desired, slices.Concat(opt.Touched, r.open))
}

// Rebind tells the names that adopted objects have now, as when a port gets
// another name. What the chip has does not change. Objects that are not in adopted
// any more are forgotten.
func (r *Reconciler) Rebind(adopted map[graph.Key]sai.OID) {
	now := make(map[sai.OID]graph.Key, len(adopted))
	for k, id := range adopted {
		now[id] = k
	}
	to := map[graph.Key]graph.Key{}
	for k, id := range r.handles {
		if !traits.Adopted(k.Type) {
			continue
		}
		next, ok := now[id]
		switch {
		case !ok:
			r.forget(k)
		case next != k:
			to[k] = next
		}
		delete(r.handles, k)
	}
	r.rename(to)
	maps.Copy(r.handles, adopted)
	r.shared, r.whole, r.last = nil, true, nil
}

// forget drops all nodes of an object.
func (r *Reconciler) forget(object graph.Key) {
	r.drop(object)
	for _, f := range graph.Facets {
		k := object
		k.Facet = f
		r.drop(k)
	}
}

// Reconcile makes the switch match desired and returns what happened. On return
// Actual tells the truth, whatever failed, so calling Reconcile again is a retry.
func (r *Reconciler) Reconcile(desired graph.Graph, mode Mode, opt Options) Result {
	r.last = nil
	changed := r.unsettled(desired, opt)
	plan := r.diff(desired, changed, opt)
	if opt.Check != nil && !opt.Check(plan) {
		res := Result{Plan: plan, Held: true}
		r.settle(desired, changed, &res)
		return res
	}
	run := run{
		Reconciler: r, desired: desired, atomic: mode == Atomic, urgent: opt.Urgent, probe: opt.Probe,
		res: Result{Plan: plan, Writes: make([]Write, 0, len(plan))},
	}
	for n := 0; len(plan) > 0 && !run.over(); plan = plan[n:] {
		if n > 0 && opt.Between != nil && !opt.Between(len(plan)) {
			run.res.Stopped = true
			break
		}
		n = batch(plan)
		run.steps(plan[:n])
	}
	if mode == Atomic && (run.over() || run.res.Stopped) {
		run.res.RolledBack = true
		run.res.Dirty = !run.rollback() || run.res.Dirty
	} else if mode == Atomic {
		r.last = &run
	}
	run.res.Urgent = slices.SortedFunc(maps.Keys(run.yielded), graph.Key.Compare)
	r.settle(desired, append(changed, run.res.Urgent...), &run.res)
	return run.res
}

// settle remembers what is still not as desired.
func (r *Reconciler) settle(desired graph.Graph, changed []graph.Key, res *Result) {
	r.open, r.whole = nil, false
	if res.complete() {
		return
	}
	for i := range res.Plan {
		changed = append(changed, res.Plan[i].Key, res.Plan[i].Replaces)
	}
	r.open = r.among(desired, changed)
	slices.SortFunc(r.open, graph.Key.Compare)
	r.open = slices.Compact(r.open)
}

// complete reports whether all of the plan was done.
func (r *Result) complete() bool {
	return len(r.Failed) == 0 && len(r.Leftover) == 0 && len(r.Urgent) == 0 && !r.RolledBack && !r.Stopped && !r.Held && !r.Dirty
}
