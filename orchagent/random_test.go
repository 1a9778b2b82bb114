package orchagent_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
// same graph and the same fates, where the chip has room for all of them: else who came too
// late depends on who came first.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	walks, compared := 0, 0
	for seed := range random.Seeds(t, 40) {
		g := rowsFor(seed, "default")
		g.Apart = true
		batches := shuffled(g.Rand, g.Batch(120))
		fits, err := sameAtOnce(t, batches)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, random.Again(t, seed), cutBatches(t, batches, err))
		}
		if walks++; fits {
			compared++
		}
	}
	t.Logf("%d of %d configurations compared", compared, walks)
	if walks > 10 && compared < walks/2 {
		t.Error("too few")
	}
}

// shuffled splits rows into batches, of which some come twice.
func shuffled(rng *rand.Rand, rows configdb.RawRows) (batches []configdb.RawRows) {
	keys := slices.Sorted(maps.Keys(rows))
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for len(keys) > 0 {
		n := 1 + rng.IntN(min(len(keys), 7))
		batch := configdb.RawRows{}
		for _, k := range keys[:n] {
			batch[k] = rows[k]
		}
		batches = append(batches, batch)
		if rng.IntN(4) == 0 {
			batches = append(batches, batch)
		}
		keys = keys[n:]
	}
	return batches
}

// sameAtOnce checks that batches of rows end as all of them at once do. fits is false if the
// chip has no room for some.
func sameAtOnce(t *testing.T, batches []configdb.RawRows) (fits bool, err error) {
	whole, steps, rows := newRig(t, randomPorts), newRig(t, randomPorts), configdb.RawRows{}
	defer steps.stop()
	defer whole.stop()
	steps.load()
	for _, batch := range batches {
		maps.Copy(rows, batch)
		steps.change(batch)
	}
	whole.load(rows)
	steps.agent.Retry(t.Context()) // there may have been no room on the way
	if len(full(steps.agent)) > 0 || len(full(whole.agent)) > 0 {
		return false, nil
	}
	got, away := steps.agent.Desired(t.Context())
	if len(away) > 0 {
		return true, fmt.Errorf("step by step there is left to do\n%s", away)
	}
	if want, _ := whole.agent.Desired(t.Context()); got != want {
		return true, fmt.Errorf("what the chip is to have, at once (-) and step by step (+)\n%s", lineDiff(want, got))
	}
	if got, want := states(steps.agent.Fates()), states(whole.agent.Fates()); got != want {
		return true, fmt.Errorf("fates, at once (-) and step by step (+)\n%s", lineDiff(want, got))
	}
	return true, nil
}

// cutBatches drops rows for as long as what is left goes wrong in the same way, and prints
// that.
func cutBatches(t *testing.T, batches []configdb.RawRows, last error) string {
	end := time.Now().Add(random.Cutting())
	kind, _, _ := strings.Cut(last.Error(), "\n")
	for i := range batches {
		for _, k := range slices.Sorted(maps.Keys(batches[i])) {
			less := slices.Clone(batches)
			less[i] = maps.Clone(batches[i])
			delete(less[i], k)
			if time.Now().After(end) {
				continue
			}
			if _, err := sameAtOnce(t, less); err != nil && strings.HasPrefix(err.Error(), kind) {
				batches, last = less, err
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cut down: %v\n", last)
	for _, batch := range batches {
		if len(batch) > 0 {
			fmt.Fprintf(&b, "%v\n", batch)
		}
	}
	return b.String()
}

func lineDiff(want, got string) string {
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
}
