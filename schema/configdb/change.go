package configdb

import (
	"fmt"
	"strings"
)

// Change is the new content of one row, as a feed reports it.
type Change struct {
	Row    RowKey
	Fields Fields // nil: the row is gone
}

// OpKind is what an Op does.
type OpKind uint8

// The kinds, with the meaning that gNMI gives them.
const (
	Delete  OpKind = iota // the table, the row, or the one field
	Replace               // the row is what Fields says, or the table what its Replaces say
	Update                // Fields are merged into the row
)

// RowCount is how many rows a transaction makes, changes and removes.
type RowCount struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
	// Kept are the rows, of tables that are none of Tables, that a delete or replace of
	// everything, or a delete by a wildcard for tables, passed over.
	Kept int `json:"kept"`
}

// String is the count for people: "2 rows added, 1 changed, 0 removed".
func (n RowCount) String() string {
	s := fmt.Sprintf("%d rows added, %d changed, %d removed", n.Added, n.Changed, n.Removed)
	if n.Added == 1 {
		s = strings.Replace(s, "rows", "row", 1)
	}
	if n.Kept > 0 {
		s += fmt.Sprintf("; %d of tables that xon does not manage kept", n.Kept)
	}
	return s
}

// Op is one operation of a transaction.
//
//	Delete  Table ""            all rows of Tables; those of other tables stay
//	Delete  Table, Key ""       all rows of a table
//	Delete  Table, Key          one row
//	Delete  Table, Key, Field   one field; a row without fields left is gone
//	Replace Table, Key, Fields  the whole row
//	Update  Table, Key, Fields  these fields
type Op struct {
	Kind       OpKind
	Table, Key string
	Field      string
	Fields     Fields
	// Matched says of a Delete that its table is not named, only matched by a wildcard:
	// if it is none of Tables, its rows stay.
	Matched bool
}

// Passes reports whether an operation passes over what it is about: a delete of rows of
// another program that only a wildcard matched.
func (op *Op) Passes() bool {
	if op.Kind != Delete || !op.Matched {
		return false
	}
	_, managed := Lookup(op.Table)
	return !managed
}

// Row is the row that an operation is about, or the name of the table if it is about all
// of its rows.
func (op *Op) Row() RowKey {
	if op.Key == "" {
		return RowKey(op.Table)
	}
	return Key(op.Table, op.Key)
}
