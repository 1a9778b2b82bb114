package statedb

import (
	"maps"

	"xon/schema/configdb"
)

// DerivedTable has a row for each row of CONFIG_DB that xon put there because other
// rows ask for it, and that nobody else wrote: "XON_DERIVED|BUFFER_PG|Ethernet0|3-4",
// with the field DerivedHash alone. A row whose digest is another one by now was changed
// by somebody and is theirs.
const (
	DerivedTable = "XON_DERIVED"
	DerivedHash  = "hash" // Digest of the row's fields
)

// DerivedKey names the hash that says of a row that it was derived.
func DerivedKey(row configdb.RowKey) string { return DerivedTable + "|" + string(row) }

// ParseDerivedKey is the inverse of DerivedKey; ok is false for the key of anything
// else.
func ParseDerivedKey(key string) (row configdb.RowKey, ok bool) { return rowOf(key, DerivedTable) }

// DeleteDerived removes from rows of CONFIG_DB those that are as they were derived.
// hashes are DerivedHash by row.
func DeleteDerived(rows configdb.RawRows, hashes map[configdb.RowKey]string) {
	maps.DeleteFunc(rows, func(k configdb.RowKey, f configdb.Fields) bool {
		hash, ok := hashes[k]
		return ok && f.Digest() == hash
	})
}
