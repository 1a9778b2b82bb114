package reconcile_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
	"xon/test/random"
)

// walk is how many transitions a random walk has.
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
	for seed := range random.Seeds(t, 40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		chip := chips[seed%uint64(len(chips))]
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
	if plan := r.readback().Plan(r.whole(g), reconcile.Options{}); len(plan) > 0 {
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

	mu  sync.Mutex // a chip behind a socket has goroutines of its own
	rng *rand.Rand
	on  bool
	n   int
}

// hit decides about a fault, one in odds.
func (f *faults) hit(odds int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on || f.rng.IntN(odds) > 0 {
		return false
	}
	f.n++
	return true
}

func (f *faults) set(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on = on
}

var statuses = []sai.Status{
	sai.StatusFailure, sai.StatusInsufficientResources, sai.StatusObjectInUse, sai.StatusNotSupported,
	sai.StatusNotImplemented, sai.StatusNoMemory, sai.StatusInvalidAttrValue0, sai.StatusAttrNotSupported0,
}

func (f *faults) call(c vsai.Call) sai.Status {
	if !c.Op.Write() || !f.hit(20) {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return statuses[f.rng.IntN(len(statuses))]
}

func (f *faults) Names() (map[string]sai.OID, error) { return f.names.Names() }

func (f *faults) SetNames(put map[string]sai.OID, gone []string) error {
	if f.hit(50) {
		return errors.New("name store is away")
	}
	return f.names.SetNames(put, gone)
}

// share gives nodes of g the pointers of equal nodes of before, as a derivation
// does that only works out what changed, and returns the keys of all others.
func share(g, before graph.Graph) []graph.Key {
	touched := []graph.Key{}
	for k, n := range g {
		if old := before[k]; old != nil && slices.Equal(old.Attrs, n.Attrs) {
			g[k] = old
		} else {
			touched = append(touched, k)
		}
	}
	for k := range before {
		if g[k] == nil {
			touched = append(touched, k)
		}
	}
	return touched
}

// tally counts what random walks did.
type tally struct{ moved, failed, undone, dirty, stopped, blocked, injected int }

// TestRandomFailures walks through random configurations while calls fail at
// random, without stopping to repair, in both modes. The lossless invariant must
// hold after every write, the reconciler must know the truth after every step, a
// transaction that was undone must have left no trace, the writes that were
// reported must be those that were made, and once calls work again the
// configuration must arrive.
func TestRandomFailures(t *testing.T) {
	var sum tally
	for seed := range random.Seeds(t, 40) {
		walkThroughFailures(t, direct, seed, &sum)
	}
	sum.log(t)
}

// TestRandomFailuresThroughSocket is TestRandomFailures with the chip behind a
// socket.
func TestRandomFailuresThroughSocket(t *testing.T) {
	var sum tally
	for seed := range random.Seeds(t, 10) {
		walkThroughFailures(t, socket, seed, &sum)
	}
	sum.log(t)
}

func (s *tally) log(t *testing.T) {
	t.Logf("%d transitions, %d faults: %d failed, %d undone exactly, %d undone in vain, %d stopped, %d nodes blocked",
		s.moved, s.injected, s.failed, s.undone, s.dirty, s.stopped, s.blocked)
}

func walkThroughFailures(t *testing.T, over link, seed uint64, sum *tally) {
	rng := rand.New(rand.NewPCG(seed, 2))
	chip := chips[seed%uint64(len(chips))]
	w, r := newWorld(t, rng, chip, 2), newRigOver(t, over, chip, 2)
	f := &faults{names: r.names, rng: rand.New(rand.NewPCG(seed, 3))}
	r.names = f
	r.rec = r.readback()
	r.chip.OnCall(f.call)
	r.watch()
	asic, last := mirror{}, graph.Graph{}
	for step := range walk {
		at := fmt.Sprintf("seed %d step %d", seed, step)
		g := w.next().graph()
		opt := reconcile.Options{Disruptive: rng.IntN(4) == 0, Touched: share(g, last)}
		last = g
		if rng.IntN(8) == 0 {
			opt.Between = func(int) bool { return rng.IntN(8) > 0 }
		}
		r.samePlans(at, g, opt)
		before := r.actual()
		f.set(true)
		mode := reconcile.Mode(rng.IntN(2))
		res := r.apply(g, mode, opt)
		f.set(false)
		sum.add(res)
		if err := errors.Join(asic.take(res.Writes), asic.compare(r)); err != nil {
			t.Fatalf("%s: writes of the result: %v\nplan\n%s", at, err, res.Plan)
		}
		switch {
		case res.Dirty: // as the agent does: read back, go on
			r.rec = r.readback()
		case res.RolledBack:
			if got := r.actual(); got != before {
				t.Fatalf("%s: rollback left\n%s\nwanted\n%s\nplan\n%s", at, got, before, res.Plan)
			}
		case mode == reconcile.Atomic && rng.IntN(4) == 0: // fails elsewhere
			r.takesBack(at, before, asic, f, rng.IntN(2) == 0, sum)
		case res.Err() == nil && !res.Stopped:
			if plan := r.rec.Plan(r.whole(g), reconcile.Options{}); len(plan) > len(res.Leftover) {
				t.Fatalf("%s: no error, but there is more to do\n%s\nleftover %v\nplan was\n%s", at, plan, res.Leftover, res.Plan)
			}
		}
		r.believes(at)
	}
	sum.injected += f.n
	g := w.next().graph()
	opt := reconcile.Options{Touched: share(g, last)}
	if r.apply(g, reconcile.Atomic, opt).Err() != nil {
		opt.Disruptive = true
		if err := r.apply(g, reconcile.Atomic, opt).Err(); err != nil {
			t.Fatalf("seed %d: does not arrive: %v", seed, err)
		}
	}
	r.arrived(fmt.Sprintf("seed %d", seed), g)
}

// takesBack has the last transition undone, now and then while calls fail.
func (r *rig) takesBack(at, before string, asic mirror, f *faults, trouble bool, sum *tally) {
	r.t.Helper()
	f.set(trouble)
	res := r.rec.Undo()
	f.set(false)
	if err := errors.Join(r.broken, asic.take(res.Writes), asic.compare(r)); err != nil {
		r.t.Fatalf("%s: undone: %v", at, err)
	}
	if res.Dirty {
		sum.dirty++
		r.rec = r.readback()
		return
	}
	sum.undone++
	if got := r.actual(); got != before {
		r.t.Fatalf("%s: undoing left\n%s\nwanted\n%s", at, got, before)
	}
}

// samePlans checks that equal input gives equal plans, and that comparing what was
// touched gives the plan that comparing everything does.
func (r *rig) samePlans(at string, g graph.Graph, opt reconcile.Options) {
	r.t.Helper()
	whole := opt
	whole.Touched = nil
	want := r.rec.Plan(r.whole(g), whole).String()
	if got := reconcile.Diff(r.whole(g), r.rec.Actual(), whole).String(); got != want {
		r.t.Fatalf("%s: one plan is\n%s\nand another\n%s", at, got, want)
	}
	if got := r.rec.Plan(r.whole(g), opt).String(); got != want {
		r.t.Fatalf("%s: plan of what was touched\n%s\nplan of everything\n%s", at, got, want)
	}
}

func (s *tally) add(res reconcile.Result) {
	s.moved++
	if res.Err() != nil {
		s.failed++
	}
	if res.RolledBack && !res.Dirty {
		s.undone++
	}
	if res.Dirty {
		s.dirty++
	}
	if res.Stopped {
		s.stopped++
	}
	for _, f := range res.Failed {
		if errors.Is(f.Err, reconcile.ErrBlocked) {
			s.blocked++
		}
	}
}
