package state

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestMap changes maps at random beside ordinary ones: each version stays as it was, and two
// versions differ in just the keys whose values do.
func TestMap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	type version struct {
		m    Map[string, int]
		want map[string]int
	}
	versions := []version{{want: map[string]int{}}}
	for range 60 {
		from := versions[rng.IntN(len(versions))]
		m, want, own := from.m, maps.Clone(from.want), &ownership{}
		for range rng.IntN(40) {
			k := strconv.Itoa(rng.IntN(500))
			if rng.IntN(3) == 0 {
				m.remove(own, k)
				delete(want, k)
			} else {
				v := rng.IntN(4)
				m.put(own, k, v)
				want[k] = v
			}
		}
		versions = append(versions, version{m, want})
	}
	for i, v := range versions {
		if got := maps.Collect(v.m.All()); !maps.Equal(got, v.want) || v.m.Len() != len(v.want) {
			t.Fatalf("version %d has %v, want %v", i, got, v.want)
		}
		o := versions[rng.IntN(len(versions))]
		got := slices.Sorted(v.m.Diff(o.m))
		want := slices.Sorted(maps.Keys(difference(v.want, o.want)))
		if !slices.Equal(got, want) {
			t.Fatalf("version %d differs in %v, want %v", i, got, want)
		}
	}
}

func difference(a, b map[string]int) map[string]bool {
	keys := map[string]bool{}
	for _, m := range []map[string]int{a, b} {
		for k := range m {
			v, one := a[k]
			w, other := b[k]
			if one != other || v != w {
				keys[k] = true
			}
		}
	}
	return keys
}

// TestMapValues: a key that is not there has the zero value, and what is put again as it is
// makes no other map.
func TestMapValues(t *testing.T) {
	t.Parallel()
	var m Map[string, int]
	if m.Get("a") != 0 || m.Has("a") || m.Len() != 0 {
		t.Error("an empty map has something")
	}
	own := &ownership{}
	m.put(own, "a", 0)
	if !m.Has("a") || m.Len() != 1 {
		t.Error("a zero value is no value")
	}
	same := m
	same.put(&ownership{}, "a", 0)
	if same != m {
		t.Error("an equal value makes another map")
	}
}
