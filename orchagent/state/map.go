package state

import (
	"hash/maphash"
	"iter"
	"maps"
)

// shards is how many parts a Map has: a change copies one of them.
const shards = 256

// Map is an immutable map. A changed copy shares with the original all that did not
// change, so that it costs little, and the two can be compared in the size of their
// difference. The zero Map is empty.
type Map[K comparable, V comparable] struct {
	shards *[shards]*shard[K, V]
	size   int
}

type shard[K comparable, V comparable] struct{ entries map[K]V }

var seed = maphash.MakeSeed()

func place[K comparable](k K) int { return int(maphash.Comparable(seed, k) % shards) }

func (m Map[K, V]) entries(i int) map[K]V {
	if m.shards == nil || m.shards[i] == nil {
		return nil
	}
	return m.shards[i].entries
}

// Get returns the value of a key; the zero value if there is none.
func (m Map[K, V]) Get(k K) V { return m.entries(place(k))[k] }

// Has reports whether there is a value for a key.
func (m Map[K, V]) Has(k K) bool { _, ok := m.entries(place(k))[k]; return ok }

// Len is the number of keys.
func (m Map[K, V]) Len() int { return m.size }

// All yields all entries in no order.
func (m Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i := range shards {
			for k, v := range m.entries(i) {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// Keys yields all keys in no order.
func (m Map[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range m.All() {
			if !yield(k) {
				return
			}
		}
	}
}

// Diff yields the keys whose values differ, those that only one of the maps has among
// them, in no order. Of maps of which one was made from the other it takes time in the
// size of the difference.
func (m Map[K, V]) Diff(o Map[K, V]) iter.Seq[K] {
	return func(yield func(K) bool) {
		if m.shards == o.shards {
			return
		}
		for i := range shards {
			a, b := m.at(i), o.at(i)
			if a != b && !diff(m.entries(i), o.entries(i), yield) {
				return
			}
		}
	}
}

func (m Map[K, V]) at(i int) *shard[K, V] {
	if m.shards == nil {
		return nil
	}
	return m.shards[i]
}

func diff[K comparable, V comparable](a, b map[K]V, yield func(K) bool) bool {
	for k, v := range a {
		if w, ok := b[k]; (!ok || v != w) && !yield(k) {
			return false
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && !yield(k) {
			return false
		}
	}
	return true
}

// ownership is which parts of a Map an editor has copied already, and may write to.
type ownership struct {
	all   bool
	shard [shards]bool
}

// put makes a Map another one, in which a key has a value.
func (m *Map[K, V]) put(o *ownership, k K, v V) {
	if was, ok := m.entries(place(k))[k]; ok && was == v {
		return
	}
	entries := m.writable(o, place(k))
	before := len(entries)
	entries[k] = v
	m.size += len(entries) - before
}

// remove makes a Map another one, in which a key has no value.
func (m *Map[K, V]) remove(o *ownership, k K) {
	if !m.Has(k) {
		return
	}
	delete(m.writable(o, place(k)), k)
	m.size--
}

// writable returns the entries of a shard that no other Map has.
func (m *Map[K, V]) writable(o *ownership, i int) map[K]V {
	if !o.all {
		var all [shards]*shard[K, V]
		if m.shards != nil {
			all = *m.shards
		}
		m.shards, o.all = &all, true
	}
	if !o.shard[i] {
		s := &shard[K, V]{entries: maps.Clone(m.entries(i))}
		if s.entries == nil {
			s.entries = map[K]V{}
		}
		m.shards[i], o.shard[i] = s, true
	}
	return m.shards[i].entries
}
