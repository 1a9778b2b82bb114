package random_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"xon/schema/configdb"
	"xon/test/random"
)

func rows(seed uint64, odd int) *random.Rows {
	return &random.Rows{Rand: rand.New(rand.NewPCG(seed, 0)), Ports: 4, Memory: 1 << 24, Odd: odd}
}

// TestEveryTable: rows of every table come up, most of them parse, and every field
// that is described is there now and then.
func TestEveryTable(t *testing.T) {
	t.Parallel()
	g := rows(1, 0)
	for _, table := range configdb.Tables() {
		seen, good := map[string]bool{}, 0
		const n = 2000
		for range n {
			k, f := g.RowOf(table)
			if _, unknown, err := configdb.Parse(k, f); err == nil && len(unknown) == 0 {
				good++
			}
			for name := range f {
				if d, ok := table.Field(name); ok {
					seen[d.Name] = true
				}
			}
		}
		if good < n*9/10 {
			t.Errorf("%s: %d of %d rows parse", table.Name, good, n)
		}
		for _, d := range table.Fields {
			if !seen[d.Name] {
				t.Errorf("%s: field %s never comes up", table.Name, d.Name)
			}
		}
	}
}

// TestOdd: rows that do not parse come up when they are asked for, beside good ones.
func TestOdd(t *testing.T) {
	t.Parallel()
	g := rows(1, 20)
	bad := 0
	const n = 5000
	for range n {
		k, f := g.Row()
		if _, _, err := configdb.Parse(k, f); err != nil {
			bad++
		}
	}
	if bad < n/20 || bad > n/2 {
		t.Errorf("%d of %d rows do not parse", bad, n)
	}
}

// TestRepeatable: equal seeds give equal rows.
func TestRepeatable(t *testing.T) {
	t.Parallel()
	a, b := rows(7, 10).Batch(500), rows(7, 10).Batch(500)
	if !maps.EqualFunc(a, b, maps.Equal[configdb.Fields, configdb.Fields]) {
		t.Error("the same seed gives other rows")
	}
}
