package reconcile_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
	"xon/test/random"
)

var masks = []*sai.AttrMeta{
	sai.PortAttrPriorityFlowControl.AttrMeta, sai.PortAttrPriorityFlowControlTx.AttrMeta, sai.PortAttrPriorityFlowControlRx.AttrMeta,
}

// calm takes priorities out of what a port is to pause and obey.
func calm(g graph.Graph, p *intent.Port, storms uint64) graph.Key {
	k := p.Facet(graph.PFC)
	n := g[k]
	if n == nil {
		return k
	}
	for _, a := range masks {
		n = n.With(graph.Attr{AttrMeta: a, Value: graph.Uint(n.Attr(a).Num() &^ storms)})
	}
	g[k] = n
	if len(n.Attrs) == 0 {
		delete(g, k)
	}
	return k
}

// weather has storms begin while a plan runs.
type weather struct {
	*rig
	rng    *rand.Rand
	g      graph.Graph // what is desired
	odds   int         // one call in so many
	storms map[*intent.Port]uint64
	begun  int
	late   error // the first storm that was still paused or obeyed at the call after the next
}

// urgent is an Options.Urgent.
func (w *weather) urgent() []graph.Key {
	w.check()
	var keys []graph.Key
	for w.rng.IntN(w.odds) == 0 {
		p := w.dev.Ports[w.rng.IntN(len(w.dev.Ports))]
		w.storms[p] |= 1 << w.rng.IntN(8)
		w.begun++
		keys = append(keys, calm(w.g, p, w.storms[p]))
	}
	return keys
}

// check checks that the chip neither sends nor obeys pauses where a storm lasts.
func (w *weather) check() {
	for p, storms := range w.storms {
		id := w.adopted[p.Object]
		for _, a := range w.counting(id) {
			if m := w.num(id, sai.Port{}, a); m&storms != 0 && w.late == nil {
				w.late = fmt.Errorf("%s: storms on %#x, %s is %#x", p.Name, storms, a.Name, m)
			}
		}
	}
}

// counting are the masks of a port that have an effect in the mode that it has: SAI
// has the others valid only in the other mode, and the reconciler leaves them.
func (r *rig) counting(port sai.OID) []*sai.AttrMeta {
	mode := r.num(port, sai.Port{}, sai.PortAttrPriorityFlowControlMode.AttrMeta)
	if mode == uint64(sai.PortPriorityFlowControlModeSeparate) {
		return masks[1:]
	}
	return masks[:1]
}

// TestStormsDuringPlans walks through random configurations in both modes; some
// plans are stopped, some calls fail. At any call a storm may begin. Its priority
// must be off the chip by the next call, no priority may ever be paused without
// headroom, the reconciler must know the truth, a transaction that was undone must
// leave all but the stormed ports as it was, and the configuration must arrive.
func TestStormsDuringPlans(t *testing.T) {
	var sum struct{ storms, undone int }
	walks := 0
	for seed := range random.Seeds(t, 40) {
		walks++
		rng := rand.New(rand.NewPCG(seed, 7))
		chip := chips[seed%uint64(len(chips))]
		w, r := newWorld(t, rng, chip, 2), newRig(t, chip, 2)
		f := &faults{names: r.names, rng: rand.New(rand.NewPCG(seed, 8))}
		r.names = f
		r.rec = r.readback()
		r.chip.OnCall(f.call)
		r.watch()
		asic, last := mirror{}, graph.Graph{}
		for step := range walk {
			at := fmt.Sprintf("seed %d step %d", seed, step)
			g := w.next().graph()
			sky := &weather{rig: r, rng: rng, g: g, odds: 12, storms: map[*intent.Port]uint64{}}
			opt := reconcile.Options{Disruptive: rng.IntN(4) == 0, Touched: share(g, last), Urgent: sky.urgent}
			if rng.IntN(4) == 0 {
				opt.Between = func(int) bool { return rng.IntN(6) > 0 }
			}
			before := r.readback().Actual()
			f.set(seed%2 == 1)
			res := r.apply(g, reconcile.Mode(rng.IntN(2)), opt)
			f.set(false)
			last = g
			sky.check()
			if sky.late != nil && seed%2 == 0 {
				t.Fatalf("%s: %v\nplan\n%s", at, sky.late, res.Plan)
			}
			if err := errors.Join(asic.take(res.Writes), asic.compare(r)); err != nil {
				t.Fatalf("%s: writes of the result: %v", at, err)
			}
			sum.storms += sky.begun
			if res.RolledBack && !res.Dirty {
				sum.undone++
				r.undoneBut(at, before, res)
			}
			r.goesOn(at, g, res)
		}
		g := w.next().graph()
		if r.apply(g, reconcile.Atomic, reconcile.Options{Touched: share(g, last)}).Err() != nil {
			if err := r.apply(g, reconcile.Atomic, reconcile.Options{Disruptive: true}).Err(); err != nil {
				t.Fatalf("seed %d: does not arrive: %v", seed, err)
			}
		}
		r.arrived(fmt.Sprintf("seed %d", seed), g)
	}
	t.Logf("%d storms began during plans; %d transactions were undone", sum.storms, sum.undone)
	if walks > 10 && (sum.storms < 50 || sum.undone < 10) {
		t.Error("too little happened")
	}
}

// undoneBut checks that an undo left nothing but what was urgent.
func (r *rig) undoneBut(at string, before graph.Graph, res reconcile.Result) {
	r.t.Helper()
	after := r.readback().Actual()
	for _, k := range res.Urgent {
		delete(before, k)
		delete(after, k)
	}
	if got, want := after.String(), before.String(); got != want {
		r.t.Fatalf("%s: rollback left\n%s\nwanted\n%s\nplan\n%s", at, got, want, res.Plan)
	}
}

// goesOn checks that the reconciler knows the truth, and what is left to do.
func (r *rig) goesOn(at string, g graph.Graph, res reconcile.Result) {
	r.t.Helper()
	if res.Dirty {
		r.rec = r.readback()
	}
	r.believes(at)
	r.samePlans(at, g, reconcile.Options{Touched: []graph.Key{}})
}

// TestStormAtEveryCall: a plan that pauses asymmetrically writes three attributes
// of each port. A storm may begin before each of the calls.
func TestStormAtEveryCall(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t, "default", 2)
		r.watch()
		o := objects{}
		lossless := o.profile("lossless", o.pool("in", sai.BufferPoolTypeIngress, 1<<20, 0), 8*kb, 16*kb, -3)
		for _, p := range r.dev.Ports {
			o.pg(p, 3, lossless)
			o.pauseApart(p, 0x08)
		}
		g, polls := maps.Clone(o.graph()), 0
		sky := &weather{rig: r, g: g, storms: map[*intent.Port]uint64{r.dev.Ports[1]: 0}}
		res := r.apply(g, reconcile.BestEffort, reconcile.Options{Urgent: func() []graph.Key {
			sky.check()
			if polls++; polls != n {
				return nil
			}
			sky.storms[r.dev.Ports[1]] = 0x08
			return []graph.Key{calm(g, r.dev.Ports[1], 0x08)}
		}})
		sky.check()
		if sky.late != nil || res.Err() != nil {
			t.Fatalf("storm before call %d: %v, %v", n, sky.late, res.Err())
		}
		r.believes(fmt.Sprintf("storm before call %d", n))
		r.mustApply(g)
		r.arrived(fmt.Sprintf("storm before call %d", n), g)
		if polls < n {
			if n < 7 {
				t.Errorf("only %d calls", polls)
			}
			return
		}
	}
}

// TestRelease: without a plan, what is stormed goes at once and nothing else does.
func TestRelease(t *testing.T) {
	r := newRig(t, "default", 2)
	r.watch()
	o := objects{}
	lossless := o.profile("lossless", o.pool("in", sai.BufferPoolTypeIngress, 1<<20, 0), 8*kb, 16*kb, -3)
	for _, p := range r.dev.Ports {
		o.pg(p, 3, lossless)
		o.pg(p, 4, lossless)
		o.pause(p, 0x18)
	}
	r.mustApply(o.graph())
	g := maps.Clone(o.graph())
	p := r.dev.Ports[0]
	k := calm(g, p, 0x08)
	delete(g, r.dev.Ports[1].Facet(graph.PFC)) // wanted too, but not urgent
	r.chip.ResetCalls()
	res := r.rec.Release(r.whole(g), []graph.Key{k})
	if err := res.Err(); err != nil || len(res.Writes) != 1 || r.chip.Writes() != 1 {
		t.Fatalf("%v, %d writes", err, r.chip.Writes())
	}
	if m := r.num(r.adopted[p.Object], sai.Port{}, masks[0]); m != 0x10 {
		t.Errorf("mask is %#x", m)
	}
	r.believes("after the release")
	again := r.rec.Release(r.whole(g), []graph.Key{k})
	if len(again.Writes) > 0 {
		t.Errorf("again: %v", again.Writes)
	}
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op.Write() {
			return sai.StatusFailure
		}
		return 0
	})
	calm(g, p, 0x10)
	if res := r.rec.Release(r.whole(g), []graph.Key{k}); !slices.Contains(slices.Collect(maps.Keys(res.Failed)), k) {
		t.Errorf("the chip refuses, and the result is %+v", res)
	}
	r.chip.OnCall(nil)
	r.mustApply(g)
	r.believes("in the end")
}
