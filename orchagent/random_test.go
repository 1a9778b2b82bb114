package orchagent_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/schema/configdb"
	"xon/schema/statedb"
	"xon/test/random"
)

const randomPorts = 3

// states prints what became of every row, without the moment.
func states(fates map[configdb.RowKey]statedb.Fate) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(fates)) {
		f := fates[k]
		fmt.Fprintf(&b, "%s %v %q %q %q %q\n", k, f.State, f.On, f.Field, f.Reason, f.Warnings)
	}
	return b.String()
}

// TestAnyOrder (I4): the same rows in any order, batching and repetition end in the
// same graph and the same fates.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range random.Seeds(t, 40) {
		g := rowsFor(seed, "default")
		g.Apart = true
		rng := g.Rand
		rows := g.Batch(120)
		whole := newRig(t, randomPorts)
		whole.load(rows)

		steps := newRig(t, randomPorts)
		steps.load()
		keys := slices.Sorted(maps.Keys(rows))
		rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for len(keys) > 0 {
			n := 1 + rng.IntN(min(len(keys), 7))
			batch := configdb.RawRows{}
			for _, k := range keys[:n] {
				batch[k] = rows[k]
			}
			steps.change(batch)
			if rng.IntN(4) == 0 {
				steps.change(batch)
			}
			keys = keys[n:]
		}
		steps.agent.Retry(t.Context()) // there may have been no room on the way
		got, away := steps.agent.Desired(t.Context())
		if len(away) > 0 {
			t.Fatalf("seed %d: step by step there is left to do\n%s\n%s", seed, away, random.Again(t, seed))
		}
		if want, _ := whole.agent.Desired(t.Context()); got != want {
			t.Fatalf("seed %d: step by step the chip has\n%s\nat once\n%s\n%s", seed, got, want, random.Again(t, seed))
		}
		if got, want := states(steps.agent.Fates()), states(whole.agent.Fates()); got != want {
			t.Fatalf("seed %d: step by step\n%s\nat once\n%s\n%s", seed, got, want, random.Again(t, seed))
		}
		whole.stop()
		steps.stop()
	}
}
