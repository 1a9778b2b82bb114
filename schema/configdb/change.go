package configdb

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

// Op is one operation of a transaction.
//
//	Delete  Table ""            everything
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
}
