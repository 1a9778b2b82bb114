package reconcile_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
)

// seeds is how many random walks each test makes. A walk is a dozen transitions.
var seeds = flag.Int("seeds", 40, "random walks of each property test")

const walk = 12

// chips are the kinds of chip that the walks alternate between: their rules of
// packet memory differ.
var chips = []string{"default", "th", "th3", "spc3"}

// TestRandomTransitions walks through random configurations without faults. After
// every write the lossless invariant must hold. A plan that does not fit for a
// moment must be undone exactly, and then fit disruptively. At the end of every
// step the chip must hold what was asked.
func TestRandomTransitions(t *testing.T) {
	var moved, tight, steps int
	for seed := range *seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		chip := chips[seed%len(chips)]
		w, r := newWorld(t, rng, chip, 2), newRig(t, chip, 2)
		r.watch()
		for step := range walk {
			at := fmt.Sprintf("seed %d step %d", seed, step)
			g := w.next().graph()
			before := r.actual()
			res := r.apply(g, reconcile.Atomic, reconcile.Options{})
			moved, steps = moved+1, steps+len(res.Plan)
			if err := res.Err(); err != nil {
				tight++
				if !errors.Is(err, sai.StatusInsufficientResources) || !res.RolledBack || res.Dirty {
					t.Fatalf("%s: undone %v, dirty %v: %v\n%s", at, res.RolledBack, res.Dirty, err, res.Plan)
				}
				if got := r.actual(); got != before {
					t.Fatalf("%s: rollback left\n%s\nwanted\n%s", at, got, before)
				}
				res = r.apply(g, reconcile.Atomic, reconcile.Options{Disruptive: true})
				if err := res.Err(); err != nil {
					t.Fatalf("%s: disruptive: %v\n%s", at, err, res.Plan)
				}
			}
			r.arrived(at, g)
		}
	}
	t.Logf("%d transitions of %d steps; %d hitless plans did not fit and were done disruptively", moved, steps, tight)
}

// arrived checks that the chip holds what was asked, and that asking again makes
// no call.
func (r *rig) arrived(at string, g graph.Graph) {
	r.t.Helper()
	r.believes(at)
	if plan := r.readback().Plan(g, reconcile.Options{}); len(plan) > 0 {
		r.t.Fatalf("%s: a fresh agent would still do\n%s", at, plan)
	}
	r.chip.ResetCalls()
	if res := r.mustApply(g); len(res.Plan) > 0 || r.chip.Writes() > 0 {
		r.t.Fatalf("%s: asking again does\n%s", at, res.Plan)
	}
}

// faults makes calls of a chip, entries of bulk calls and its name store fail at
// random, while on.
type faults struct {
	names sai.Names
	rng   *rand.Rand
	on    bool
	n     int
	last  string
}

var statuses = []sai.Status{
	sai.StatusFailure, sai.StatusInsufficientResources, sai.StatusObjectInUse, sai.StatusNotSupported,
	sai.StatusNotImplemented, sai.StatusNoMemory, sai.StatusInvalidAttrValue0, sai.StatusAttrNotSupported0,
}

func (f *faults) call(c vsai.Call) sai.Status {
	if !f.on || !c.Op.Write() || f.rng.IntN(20) > 0 {
		return 0
	}
	f.n++
	f.last = fmt.Sprint(c.Op, " ", c.Object.Name, " ", c.Entry, " of ", c.Bulk)
	return statuses[f.rng.IntN(len(statuses))]
}

func (f *faults) Names() (map[string]sai.OID, error) { return f.names.Names() }

func (f *faults) SetNames(put map[string]sai.OID, gone []string) error {
	if f.on && f.rng.IntN(50) == 0 {
		f.n++
		return errors.New("name store is away")
	}
	return f.names.SetNames(put, gone)
}

// TestRandomFailures walks through random configurations while calls fail at
// random, without stopping to repair, in both modes. The lossless invariant must
// hold after every write, the reconciler must know the truth after every step, a
// transaction that was undone must have left no trace, and once calls work again
// the configuration must arrive.
func TestRandomFailures(t *testing.T) {
	var moved, failed, undone, dirty, blocked, injected int
	for seed := range *seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		chip := chips[seed%len(chips)]
		w, r := newWorld(t, rng, chip, 2), newRig(t, chip, 2)
		f := &faults{names: r.chip, rng: rng}
		r.names, r.rec = f, nil
		r.rec = r.readback()
		r.chip.OnCall(f.call)
		r.watch()
		for step := range walk {
			at := fmt.Sprintf("seed %d step %d", seed, step)
			g := w.next().graph()
			before := r.actual()
			f.on = true
			res := r.apply(g, reconcile.Mode(rng.IntN(2)), reconcile.Options{Disruptive: rng.IntN(4) == 0})
			f.on = false
			moved++
			if res.Err() != nil {
				failed++
			}
			for _, fail := range res.Failed {
				if errors.Is(fail.Err, reconcile.ErrBlocked) {
					blocked++
				}
			}
			switch {
			case res.Dirty: // as the agent does: read back, go on
				dirty++
				r.rec = r.readback()
			case res.RolledBack:
				undone++
				if got := r.actual(); got != before {
					t.Fatalf("%s: rollback left\n%s\nwanted\n%s\nplan\n%s", at, got, before, res.Plan)
				}
			}
			r.believes(at)
		}
		injected += f.n
		g := w.next().graph()
		if r.apply(g, reconcile.Atomic, reconcile.Options{}).Err() != nil {
			if err := r.apply(g, reconcile.Atomic, reconcile.Options{Disruptive: true}).Err(); err != nil {
				t.Fatalf("seed %d: does not arrive: %v", seed, err)
			}
		}
		r.arrived(fmt.Sprintf("seed %d", seed), g)
	}
	t.Logf("%d transitions, %d faults: %d failed, %d undone exactly, %d undone in vain, %d nodes blocked",
		moved, injected, failed, undone, dirty, blocked)
}
