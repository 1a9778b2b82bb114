package statedb

import (
	"maps"
	"slices"
	"strings"

	"xon/schema/configdb"
)

// DerivedTable has a row for each row of CONFIG_DB that xon put there because other
// rows ask for it, and that nobody else wrote: "XON_DERIVED|BUFFER_PG|Ethernet0|3-4",
// with the field DerivedHash, and DerivedBefore while a change of the row is under way. A row
// with another digest was changed by somebody and is theirs.
const (
	DerivedTable = "XON_DERIVED"
	DerivedHash  = "hash" // Digest of the row's fields
	// DerivedBefore are digests of earlier versions that may still be there, separated by
	// commas: xon, or Redis, may end between the write of the hash and that of the row.
	DerivedBefore = "before"
)

// DerivedKey names the hash that says of a row that it was derived.
func DerivedKey(row configdb.RowKey) string { return DerivedTable + "|" + string(row) }

// ParseDerivedKey is the inverse of DerivedKey; ok is false for the key of anything
// else.
func ParseDerivedKey(key string) (row configdb.RowKey, ok bool) { return rowOf(key, DerivedTable) }

// DerivedDigests are the digests of all versions that a row of DerivedTable names.
func DerivedDigests(mark map[string]string) []string {
	digests := []string{mark[DerivedHash]}
	if before := mark[DerivedBefore]; before != "" {
		digests = append(digests, strings.Split(before, ",")...)
	}
	return digests
}

// DeleteDerived removes from rows of CONFIG_DB those that are as they were derived.
// digests are DerivedDigests by row.
func DeleteDerived(rows configdb.RawRows, digests map[configdb.RowKey][]string) {
	maps.DeleteFunc(rows, func(k configdb.RowKey, f configdb.Fields) bool {
		return slices.Contains(digests[k], f.Digest())
	})
}
