package bufmgr

import "xon/schema/configdb"

// Needs returns the rows that a row of CONFIG_DB can't do without: those that it refers
// to and, of priority groups whose headroom is computed, the pool that it is taken from,
// which they do not name.
func Needs(row configdb.Row) []configdb.RowKey {
	if pg, ok := row.(*configdb.BufferPG); ok && pg.Profile == configdb.DynamicHeadroom {
		return append(configdb.References(row), configdb.Key(poolTable, losslessPool))
	}
	return configdb.References(row)
}
