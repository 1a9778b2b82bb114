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

// write adds the rows that differ from values to a batch, which must be written before
// values change: of each of them the fields that differ in any.
func (s *sheet) write(b *redisdb.Batch, life redisdb.Life, values []uint64, skip func(i int) bool) {
	n := len(s.of.stats)
	rows, columns := s.differ(values, skip)
	fields := make([]redisdb.Name, len(columns))
	for k, j := range columns {
		fields[k] = s.of.fields[j]
	}
	b.Rows(life, fields...)
	for _, i := range rows {
		now := values[i*n : i*n+n]
		b.Row(s.keys[i])
		for _, j := range columns {
			b.Number(&now[j])
		}
		copy(s.shown[i*n:], now)
		s.known[i] = true
	}
}

// differ finds the objects of which something differs from values, and the statistics
// that do in any of them.
func (s *sheet) differ(values []uint64, skip func(i int) bool) (rows, columns []int) {
	n := len(s.of.stats)
	other := make([]bool, n)
	for i, known := range s.known {
		now, was := values[i*n:i*n+n], s.shown[i*n:i*n+n]
		if known && slices.Equal(now, was) || skip(i) {
			continue
		}
		rows = append(rows, i)
		for j := range now {
			other[j] = other[j] || !known || now[j] != was[j]
		}
	}
	for j, is := range other {
		if is {
			columns = append(columns, j)
		}
	}
	return rows, columns
}
