package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
)

// Phase orders a plan. All steps of one phase precede those of the next.
type Phase uint8

// The phases. Giving up comes first, so that what is freed can be used and so
// that no guarantee outlives what it rests on; within a phase, rank decides.
const (
	Release Phase = iota // clear, shrink, detach, remove: dependents first
	Build                // create, grow, attach: dependencies first
	Cleanup              // give up what moved references left behind: dependents first
)

// String implements fmt.Stringer.
func (p Phase) String() string { return [...]string{"release", "build", "cleanup"}[p] }

// Verb is a kind of SAI call.
type Verb uint8

// The verbs.
const (
	Create Verb = iota
	Set
	Remove
)

// String implements fmt.Stringer.
func (v Verb) String() string { return [...]string{"create", "set", "remove"}[v] }

// firstRank is the rank of nodes that come before all others (graph.Key.First).
const firstRank = -1

// lastRank is the rank of nodes that come after all others (graph.Key.Last). No
// chain of dependencies is nearly as long.
const lastRank = 9

// Step is a change of one object, still in names. It is one SAI call, or one for
// each attribute that it sets.
type Step struct {
	Phase Phase
	Rank  int // dependency depth; 0 depends on nothing, -1 comes before that
	Verb  Verb
	Key   graph.Key
	Attrs []graph.Attr // Create: all of them; Set: new values, in the order to write them
	// Replaces is set on a Create whose key is taken: the object that has it now
	// goes on under this name until everything has moved off it.
	Replaces graph.Key
	// Turn is the step's place among three that belong together; Alone for others.
	Turn Turn
}

// Turn is the place of a step among those that change an object offline: one after the
// other, with nothing in between.
type Turn int8

// The turns.
const (
	Probe Turn = iota - 1 // was refused before, and goes first: see Options.Probe
	Alone
	TakeDown  // takes the object out of use
	Meanwhile // changes it
	BringUp   // puts it into use again
)

// Plan is an ordered list of steps.
type Plan []Step

// String prints one line per step, for golden files and dry runs:
//
//	build   1 create BUFFER_PROFILE lossless POOL_ID=@ingress XOFF_TH=32768
func (p Plan) String() string {
	var b strings.Builder
	for _, s := range p {
		fmt.Fprintf(&b, "%-7s %d %-6s %s", s.Phase, s.Rank, s.Verb, s.Key)
		for _, a := range s.Attrs {
			b.WriteByte(' ')
			b.WriteString(a.String())
		}
		if s.Replaces != (graph.Key{}) {
			fmt.Fprintf(&b, " (old becomes %s)", s.Replaces.Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sort orders the plan. No two steps are equal, so any sort gives the same order.
func (p Plan) sort() {
	slices.SortFunc(p, func(a, b Step) int {
		rank := cmp.Compare(a.Rank, b.Rank)
		if a.Phase != Build {
			rank = -rank
		}
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), rank, cmp.Compare(a.Verb, b.Verb), compareTurns(&a, &b), a.Key.Compare(b.Key))
	})
}

// compareTurns puts steps that belong together side by side, after those that are alone.
func compareTurns(a, b *Step) int {
	if a.Turn == Alone || b.Turn == Alone {
		return cmp.Compare(a.Turn, b.Turn)
	}
	return cmp.Or(a.Key.Object().Compare(b.Key.Object()), cmp.Compare(a.Turn, b.Turn))
}

// sortAttrs puts the attributes of a step in the order to write them: those that
// others are limited by are taken first and given up last.
func sortAttrs(p Phase, attrs []graph.Attr) {
	slices.SortStableFunc(attrs, func(a, b graph.Attr) int {
		order := cmp.Compare(traits.Order(a.AttrMeta), traits.Order(b.AttrMeta))
		if p != Build {
			order = -order
		}
		return order
	})
}
