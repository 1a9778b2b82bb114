package orchagent_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
	"xon/test/random"
)

// faulty makes calls and entries of bulk calls fail at random, some of them again
// and again in a row, so that undoing fails as well.
func faulty(rng *rand.Rand, rate float64) func(vsai.Call) sai.Status {
	statuses := []sai.Status{sai.StatusFailure, sai.StatusInsufficientResources, sai.StatusNotSupported, sai.StatusObjectInUse}
	burst := 0
	return func(c vsai.Call) sai.Status {
		if !c.Op.Write() {
			return 0
		}
		if burst == 0 && rng.Float64() < rate {
			burst = 1 + rng.IntN(3)
		}
		if burst == 0 {
			return 0
		}
		burst--
		return statuses[rng.IntN(len(statuses))]
	}
}

// TestFaults walks through random rows while calls fail at random, by changes and by
// transactions. After every step the agent knows what the chip has (I3), a failed
// transaction changed nothing in the database (I7), and when the chip works again
// everything arrives.
func TestFaults(t *testing.T) {
	t.Parallel()
	for seed := range random.Seeds(t, 40) {
		synctest.Test(t, func(t *testing.T) { walkWithFaults(t, seed) })
	}
}

func walkWithFaults(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 6))
	r := newRig(t, randomPorts)
	defer r.stop()
	r.load(small())
	g := rowsFor(seed, "default")
	for range 30 {
		batch := map[configdb.RowKey]configdb.Fields(g.Batch(1 + rng.IntN(5)))
		for _, k := range slices.Sorted(maps.Keys(r.db.snapshot())) {
			if rng.IntN(10) == 0 {
				batch[k] = nil
			}
		}
		r.chip.OnCall(faulty(rng, 0.05))
		if rng.IntN(2) == 0 {
			r.change(batch)
		} else {
			before := r.db.snapshot()
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(batch)})
			if err != nil && !maps.EqualFunc(before, r.db.snapshot(), maps.Equal[configdb.Fields, configdb.Fields]) {
				t.Fatalf("seed %d: a refused transaction changed the database", seed)
			}
		}
		r.chip.OnCall(nil)
		belief, adopted := r.agent.Belief(t.Context())
		if got, want := r.readback(adopted).String(), belief.String(); got != want {
			t.Fatalf("seed %d: chip has\n%s\nagent believes\n%s", seed, got, want)
		}
		if err := r.agent.CheckResolution(t.Context()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := r.chip.Recount(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	r.empty()
	r.change(small())
	time.Sleep(5 * time.Minute)
	fresh := r.afresh(randomPorts)
	defer fresh.stop()
	fresh.load(small())
	got, away := r.agent.Desired(t.Context())
	if len(away) > 0 {
		t.Fatalf("seed %d: there is left to do\n%s", seed, away)
	}
	if want, _ := fresh.agent.Desired(t.Context()); got != want {
		t.Fatalf("seed %d: the walk ends at\n%s\nwant\n%s\nfates\n%s", seed, got, want, fateLines(r.agent.Fates()))
	}
	if got, want := states(r.agent.Fates()), states(fresh.agent.Fates()); got != want {
		t.Fatalf("seed %d: fates\n%s\nwant\n%s", seed, got, want)
	}
}

// TestLostChipRefusesNothing: what was under way when the chip went away was not
// refused, and is in force as soon as an agent has a chip again.
func TestLostChipRefusesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op.Write() {
			return sai.StatusUninitialized
		}
		return 0
	})
	r.change(rows{"WRED_PROFILE|ecn": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "100001", "green_max_threshold": "200000", "green_drop_probability": "5"}})
	r.stop()
	r.chip.OnCall(nil)
	if len(r.pub.refused) > 0 {
		t.Errorf("refused: %v", r.pub.refused)
	}
	r.start(r.pub)
	r.load()
	if f := r.agent.Fates()["WRED_PROFILE|ecn"]; f.State != statedb.Applied {
		t.Errorf("fate: %+v", f)
	}
}
