// Package configdb has one typed row per CONFIG_DB table. A row is parsed,
// checked and formatted here and nowhere else: past this package no code sees a
// field name, or a string that stands for a number.
//
// What is not for here: what a row means for a switch (orchagent), how rows are
// stored (schema/redisdb), and checks that need a second row.
package configdb

import "strings"

// Fields is one hash as it is stored.
type Fields map[string]string

// Row is a parsed row of any table: a pointer to one of the structs of this
// package. It never changes.
type Row interface {
	// RowKey is the row's ID.
	RowKey() RowKey
}

// RowKey names a row: "BUFFER_PG|Ethernet0|3-4".
type RowKey string

// Key builds a RowKey.
func Key(table, key string) RowKey { return RowKey(table + "|" + key) }

// Table is the part before the first separator.
func (k RowKey) Table() string {
	t, _, _ := strings.Cut(string(k), "|")
	return t
}

// Key is the part behind the first separator.
func (k RowKey) Key() string {
	_, key, _ := strings.Cut(string(k), "|")
	return key
}
