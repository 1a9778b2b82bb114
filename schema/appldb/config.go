package appldb

import (
	"maps"
	"slices"
	"strings"

	"xon/schema/configdb"
)

// SwitchTable has one row, "SWITCH_TABLE:switch", with settings of the whole switch
// that SONiC's swssconfig writes at its start and that CONFIG_DB has no table for.
const SwitchTable = "SWITCH_TABLE"

// StagedTable keeps what other programs have said of rows that they staged for tables
// of this database, which the agent publishes rows in too: the key is that of the
// row, "XON_STAGED:BUFFER_PG_TABLE:Ethernet0:3-4". A row that has one here is not to be
// removed because the agent knows nothing to publish by its key.
const StagedTable = "XON_STAGED"

// twins are tables whose rows are in force as if they were in a table of CONFIG_DB.
var twins = map[string]string{
	SwitchTable: "SWITCH_TABLE", BufferPoolTable: "BUFFER_POOL", BufferProfileTable: "BUFFER_PROFILE",
	BufferPGTable: "BUFFER_PG", BufferQueueTable: "BUFFER_QUEUE",
	BufferIngressListTable: "BUFFER_PORT_INGRESS_PROFILE_LIST", BufferEgressListTable: "BUFFER_PORT_EGRESS_PROFILE_LIST",
}

// Inputs lists the tables that other programs may write rows of, in order of names.
// They stand for rows of CONFIG_DB (ConfigKey).
func Inputs() []string { return slices.Sorted(maps.Keys(twins)) }

// ConfigTable is the table of CONFIG_DB that an input table stands for, "" for another
// table.
func ConfigTable(table string) string { return twins[table] }

// ConfigKey is the key of the row of CONFIG_DB that a row of an input table stands
// for: "BUFFER_PG|Ethernet0|3-4" for the key "Ethernet0:3-4" of BufferPGTable.
func ConfigKey(table, key string) configdb.RowKey {
	return configdb.RowKey(twins[table] + "|" + strings.ReplaceAll(key, ":", "|"))
}

// InputOf is the inverse of ConfigKey; ok is false for rows that no input table stands
// for.
func InputOf(row configdb.RowKey) (table, key string, ok bool) {
	name, rest, _ := strings.Cut(string(row), "|")
	for table, twin := range twins {
		if twin == name {
			return table, strings.ReplaceAll(rest, "|", ":"), true
		}
	}
	return "", "", false
}
