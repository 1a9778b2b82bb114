package counters

import (
	"slices"

	"xon/schema/redisdb"
)

// sheet is one table's rows of the objects of a group, as they were written last.
type sheet struct {
	of    *polled
	key   func(oid string) string // the row of an object
	keys  []redisdb.Name
	shown []uint64
	known []bool // by object: shown holds for it
}

// newSheet makes the sheet of a list of objects. What before, which may be nil, knows of
// them holds still.
func newSheet(of *polled, key func(oid string) string, before *sheet) *sheet {
	s := &sheet{of: of, key: key, keys: make([]redisdb.Name, len(of.objects)), known: make([]bool, len(of.objects))}
	at := map[string]int{}
	if before != nil && slices.Equal(before.of.stats, of.stats) {
		s.shown = carry(before.of, before.shown, of)
		for i, known := range before.known {
			if known {
				at[before.of.objects[i].oid] = i
			}
		}
	} else {
		s.shown = make([]uint64, len(of.objects)*len(of.stats))
	}
	for i, o := range of.objects {
		if old, ok := at[o.oid]; ok {
			s.keys[i], s.known[i] = before.keys[old], true
		} else {
			s.keys[i] = redisdb.NameOf(key(o.oid))
		}
	}
	return s
}

// write adds what differs from values to a batch, which must be written before values
// change.
func (s *sheet) write(b *redisdb.Batch, values []uint64, skip func(i int) bool) {
	n := len(s.of.stats)
	if !slices.Contains(s.known, true) {
		b.Grow(len(s.keys), len(s.keys)*(2+2*n))
	}
	for i := range s.keys {
		now, was := values[i*n:i*n+n], s.shown[i*n:i*n+n]
		if s.known[i] && slices.Equal(now, was) || skip(i) {
			continue
		}
		b.Begin(s.keys[i])
		for j := range now {
			if !s.known[i] || now[j] != was[j] {
				b.Number(s.of.fields[j], &now[j])
			}
		}
		copy(was, now)
		s.known[i] = true
	}
}
