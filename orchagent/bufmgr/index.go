package bufmgr

import (
	"maps"
	"slices"

	"xon/schema/configdb"
)

// index finds the rows that concern a port.
type index struct {
	ports  map[string]*portRows
	cables map[string]cable
	kept   map[string]cable // last applied lengths of ports that have none any more
}

// portRows are the rows that name a port, each table in natural order of keys.
type portRows struct {
	pgs     []*configdb.BufferPG
	queues  []*configdb.BufferQueue
	ingress []*configdb.BufferProfileList
	egress  []*configdb.BufferProfileList
	qos     []*configdb.PortQoSMap
}

// cable is the cable of a port, and the row that tells its length.
type cable struct {
	metres uint32
	row    configdb.RowKey
}

// known reports whether the length is one to compute headroom from.
func (c cable) known() bool { return c.metres > 0 }

func newIndex() *index {
	return &index{ports: map[string]*portRows{}, cables: map[string]cable{}, kept: map[string]cable{}}
}

// clone is a copy to change.
func (x *index) clone() *index {
	return &index{ports: maps.Clone(x.ports), cables: maps.Clone(x.cables), kept: maps.Clone(x.kept)}
}

var noRows portRows

// of returns the rows that name a port.
func (x *index) of(port string) *portRows {
	if r := x.ports[port]; r != nil {
		return r
	}
	return &noRows
}

// replace takes a row, before, out of the index and puts another, after, in; either
// may be nil. It calls each with every port that one of them names.
func (x *index) replace(before, after configdb.Row, each func(port string)) {
	for _, port := range placesOf(before) {
		x.put(port, before, false)
		each(port)
	}
	for _, port := range placesOf(after) {
		x.put(port, after, true)
		each(port)
	}
}

// put has a row name a port or not.
func (x *index) put(port string, row configdb.Row, there bool) {
	r := *x.of(port)
	r.put(row, there)
	x.ports[port] = &r
}

// placesOf are the ports that a row names; none of no row.
func placesOf(row configdb.Row) []string {
	if row == nil {
		return nil
	}
	return configdb.PortsOf(row)
}

// put has a row be there or not.
func (r *portRows) put(row configdb.Row, there bool) {
	switch row := row.(type) {
	case *configdb.BufferPG:
		r.pgs = put(r.pgs, row, there)
	case *configdb.BufferQueue:
		r.queues = put(r.queues, row, there)
	case *configdb.BufferProfileList:
		l := r.list(row.Direction)
		*l = put(*l, row, there)
	case *configdb.PortQoSMap:
		r.qos = put(r.qos, row, there)
	}
}

func (r *portRows) list(direction string) *[]*configdb.BufferProfileList {
	if direction == configdb.Ingress {
		return &r.ingress
	}
	return &r.egress
}

// put returns a list, which is in order of keys, with a row or without it. The list itself
// stays as it is.
func put[R configdb.Row](rows []R, row R, there bool) []R {
	i, was := slices.BinarySearchFunc(rows, row.RowKey(), compareRow)
	switch {
	case there:
		return slices.Insert(slices.Clip(rows), i, row)
	case was:
		return slices.Delete(slices.Clone(rows), i, i+1)
	}
	return rows
}

func compareRow[R configdb.Row](row R, key configdb.RowKey) int {
	return configdb.CompareNatural(string(row.RowKey()), string(key))
}

// pfc is the row that says which priorities of the port are lossless: of several the
// one that names the fewest ports, and of those the first. It is nil for none.
func (r *portRows) pfc() *configdb.PortQoSMap {
	if len(r.qos) == 0 {
		return nil
	}
	return slices.MinFunc(r.qos, func(a, b *configdb.PortQoSMap) int { return configdb.ComparePlaced(a, b) })
}

// lay takes up new lengths of cables: before and after are versions of one row, all
// is every row. It calls each with the ports whose cable changed.
func (x *index) lay(before, after *configdb.CableLength, all map[string]*configdb.CableLength, each func(port string)) {
	names := sortedNames(all)
	for _, row := range []*configdb.CableLength{before, after} {
		if row == nil {
			continue
		}
		for _, lengths := range []map[string]uint32{row.Metres, row.Kept} {
			for port := range lengths {
				if before != nil && after != nil && sameLength(before, after, port) {
					continue
				}
				if x.layOne(names, all, port) {
					each(port)
				}
			}
		}
	}
}

func sameLength(a, b *configdb.CableLength, port string) bool {
	same := func(a, b map[string]uint32) bool {
		m, ok := a[port]
		n, has := b[port]
		return ok == has && m == n
	}
	return same(a.Metres, b.Metres) && same(a.Kept, b.Kept)
}

// layOne puts the cable of a port right, by the first row that has a length for it.
func (x *index) layOne(names []string, all map[string]*configdb.CableLength, port string) (changed bool) {
	length := layIn(x.cables, names, all, port, func(r *configdb.CableLength) map[string]uint32 { return r.Metres })
	kept := layIn(x.kept, names, all, port, func(r *configdb.CableLength) map[string]uint32 { return r.Kept })
	return length || kept
}

// layIn is layOne for one of the two lengths that rows have.
func layIn(in map[string]cable, names []string, all map[string]*configdb.CableLength, port string, of func(*configdb.CableLength) map[string]uint32) (changed bool) {
	before, had := in[port]
	for _, name := range names {
		if m, ok := of(all[name])[port]; ok {
			in[port] = cable{metres: m, row: all[name].ID}
			return in[port] != before || !had
		}
	}
	delete(in, port)
	return had
}

// cableRows are the rows that the length of a port's cable comes from, or may.
func (x *index) cableRows(port string) []configdb.RowKey {
	var keys []configdb.RowKey
	for _, lengths := range []map[string]cable{x.cables, x.kept} {
		if c, ok := lengths[port]; ok {
			keys = append(keys, c.row)
		}
	}
	return keys
}

// first is the first row of a table by name; nil if there is none.
func first[R any](rows map[string]*R) *R {
	if len(rows) == 0 {
		return nil
	}
	if len(rows) == 1 {
		for _, r := range rows {
			return r
		}
	}
	return rows[sortedNames(rows)[0]]
}

func sortedNames[R any](rows map[string]R) []string {
	names := make([]string, 0, len(rows))
	for name := range rows {
		names = append(names, name)
	}
	slices.SortFunc(names, configdb.CompareNatural)
	return names
}
