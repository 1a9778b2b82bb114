// Package redisdb keeps rows in Redis. It is the only package that knows the
// client library, and shows none of its types: rows are plain maps, and what can
// be lost with a connection is said in words (Watch, Session).
//
// It also runs a private redis-server (StartServer) for a switch that has none.
//
// What is not for here: what a row means, which tables there are and how values
// are written (schema/configdb and its neighbours).
package redisdb

import (
	"slices"
	"strconv"
	"strings"
)

// Fields is one hash. A row that has a key and nothing else is an empty Fields;
// a row that does not exist is nil. How Redis keeps the former, which has no
// empty hashes, is between this package and SONiC: as NULL=NULL.
type Fields = map[string]string

// null is the field, and its value, of a row without fields.
const null = "NULL"

// ID is the number of a database on SONiC's server.
type ID int

// The databases. Source: database_config.json of SONiC.
const (
	ApplDB        ID = 0
	ASICDB        ID = 1
	CountersDB    ID = 2
	LogLevelDB    ID = 3
	ConfigDB      ID = 4
	FlexCounterDB ID = 5
	StateDB       ID = 6
	ApplStateDB   ID = 14
)

var databases = []struct{ name, separator string }{
	0:  {"APPL_DB", ":"},
	1:  {"ASIC_DB", ":"},
	2:  {"COUNTERS_DB", ":"},
	3:  {"LOGLEVEL_DB", ":"},
	4:  {"CONFIG_DB", "|"},
	5:  {"FLEX_COUNTER_DB", ":"},
	6:  {"STATE_DB", "|"},
	7:  {"SNMP_OVERLAY_DB", "|"},
	8:  {"RESTAPI_DB", "|"},
	9:  {"GB_ASIC_DB", ":"},
	10: {"GB_COUNTERS_DB", ":"},
	11: {"GB_FLEX_COUNTER_DB", ":"},
	12: {"CHASSIS_APP_DB", "|"},
	13: {"CHASSIS_STATE_DB", "|"},
	14: {"APPL_STATE_DB", ":"},
	15: {"DPU_APPL_DB", ":"},
	16: {"DPU_APPL_STATE_DB", "|"},
	17: {"DPU_STATE_DB", "|"},
	18: {"DPU_COUNTERS_DB", ":"},
	19: {"EVENT_DB", "|"},
	20: {"BMP_STATE_DB", "|"},
}

// IDs returns every database that SONiC names, in order.
func IDs() []ID {
	ids := make([]ID, len(databases))
	for i := range ids {
		ids[i] = ID(i)
	}
	return ids
}

// ByName finds a database by its name, "CONFIG_DB".
func ByName(name string) (ID, bool) {
	for i := range databases {
		if databases[i].name == name {
			return ID(i), true
		}
	}
	return 0, false
}

func (id ID) known() bool { return id >= 0 && int(id) < len(databases) }

// String is SONiC's name of the database, "CONFIG_DB".
func (id ID) String() string {
	if id.known() {
		return databases[id].name
	}
	return "database " + strconv.Itoa(int(id))
}

// Separator stands between a table's name and the key of a row: ":" or "|".
func (id ID) Separator() string {
	if id.known() {
		return databases[id].separator
	}
	return ":"
}

// Key names a row's hash. A table with a single row has the empty key, and its
// hash is named as the table is.
func (id ID) Key(table, key string) string {
	if key == "" {
		return table
	}
	return table + id.Separator() + key
}

// Split is the inverse of Key.
func (id ID) Split(key string) (table, row string) {
	table, row, _ = strings.Cut(key, id.Separator())
	return table, row
}

// Pattern matches all rows of a table, for Keys, All and Watch. It does not
// match the row with the empty key.
func (id ID) Pattern(table string) string { return escape(table+id.Separator()) + "*" }

// Everything is the pattern that matches all rows of a database.
const Everything = "*"

// escape takes the meaning from the characters that patterns give one.
func escape(s string) string {
	if !strings.ContainsAny(s, `*?[]\^`) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if slices.Contains([]byte(`*?[]\^`), c) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
