package bufmgr

import (
	"maps"
	"slices"

	"xon/schema/configdb"
)

// Needs says which rows of CONFIG_DB others can't do without.
type Needs struct {
	rows    *configdb.Config
	removed map[configdb.RowKey]configdb.Row // inputs of headroom
}

// NewNeeds begins with the rows in effect and the ones that are removed from CONFIG_DB, as they were last
// applied; those that are in effect all the same may be in both.
func NewNeeds(rows *configdb.Config, removed map[configdb.RowKey]configdb.Row) *Needs {
	n := &Needs{rows: rows, removed: map[configdb.RowKey]configdb.Row{}}
	for k, row := range removed {
		switch k.Table() {
		case cableTable, parameterTable, patternTable, profileTable:
			n.removed[k] = row
		}
	}
	return n
}

// Of returns the rows that a row can't do without: those that it refers to and, of
// priority groups whose headroom is computed, the pool that it is taken from and the
// removed rows that it is still computed from, which they do not name.
func (n *Needs) Of(row configdb.Row) []configdb.RowKey {
	keys := configdb.References(row)
	pg, ok := row.(*configdb.BufferPG)
	if !ok || !n.computes(pg) {
		return keys
	}
	keys = append(keys, configdb.Key(poolTable, losslessPool))
	for _, k := range slices.Sorted(maps.Keys(n.removed)) {
		if n.feeds(n.removed[k], pg) {
			keys = append(keys, k)
		}
	}
	return keys
}

// computes reports whether a row asks for headroom that is computed.
func (n *Needs) computes(pg *configdb.BufferPG) bool {
	if pg.Profile == configdb.DynamicHeadroom {
		return true
	}
	p := n.rows.BufferProfiles[pg.Profile]
	if was, ok := n.removed[configdb.Key(profileTable, pg.Profile)].(*configdb.BufferProfile); ok {
		p = was
	}
	return p != nil && p.HeadroomType == configdb.Dynamic
}

// feeds reports whether headroom of a row is computed from a removed row, and no other is
// there in its place.
func (n *Needs) feeds(removed configdb.Row, pg *configdb.BufferPG) bool {
	switch row := removed.(type) {
	case *configdb.CableLength:
		return slices.ContainsFunc(pg.Ports, func(port string) bool {
			return hasLength(row, port) && !others(n, n.rows.CableLengths, func(o *configdb.CableLength) bool { return hasLength(o, port) })
		})
	case *configdb.DefaultLosslessBufferParameter:
		return !others(n, n.rows.DefaultLosslessBufferParameters, func(*configdb.DefaultLosslessBufferParameter) bool { return true })
	case *configdb.LosslessTrafficPattern:
		return !others(n, n.rows.LosslessTrafficPatterns, func(*configdb.LosslessTrafficPattern) bool { return true })
	}
	return false
}

func hasLength(row *configdb.CableLength, port string) bool {
	return row.Metres[port] > 0 || row.Kept[port] > 0
}

// others reports whether a row fits that is not removed.
func others[R configdb.Row](n *Needs, rows map[string]R, fits func(R) bool) bool {
	for _, row := range rows {
		if n.removed[row.RowKey()] == nil && fits(row) {
			return true
		}
	}
	return false
}
