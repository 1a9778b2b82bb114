package statedb

import (
	"strings"

	"xon/schema/configdb"
)

// FateKey names the hash with the fate of a row: "XON_ROW|BUFFER_PG|Ethernet0|3-4".
func FateKey(row configdb.RowKey) string { return FateTable + "|" + string(row) }

// AcceptedKey names the hash with the accepted version of a row:
// "XON_ACCEPTED|BUFFER_PG|Ethernet0|3-4".
func AcceptedKey(row configdb.RowKey) string { return AcceptedTable + "|" + string(row) }

// ParseFateKey is the inverse of FateKey; ok is false for the key of anything else.
func ParseFateKey(key string) (row configdb.RowKey, ok bool) { return rowOf(key, FateTable) }

// ParseAcceptedKey is the inverse of AcceptedKey; ok is false for the key of
// anything else.
func ParseAcceptedKey(key string) (row configdb.RowKey, ok bool) { return rowOf(key, AcceptedTable) }

func rowOf(key, table string) (configdb.RowKey, bool) {
	row, ok := strings.CutPrefix(key, table+"|")
	return configdb.RowKey(row), ok && row != ""
}
