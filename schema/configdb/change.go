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

// FaultKind says what sort of thing is wrong with a row, for those who have to
// translate it, as gNMI does.
type FaultKind uint8

// The kinds of fault.
const (
	Invalid  FaultKind = iota // a value, a field or a table is wrong in itself
	Missing                   // something that the row refers to does not exist
	InUse                     // the row is referred to and can't go
	Limit                     // more than the chip has
	Chip                      // the chip refused; Attr and Status say what
	Conflict                  // somebody else changed the row meanwhile
)

// Fault is what is wrong with one row.
type Fault struct {
	Kind   FaultKind
	Row    RowKey
	Field  string // "" when it concerns the row as a whole
	Attr   string // of SAI, e.g. "SAI_BUFFER_PROFILE_ATTR_XOFF_TH"; only with Chip
	Status string // of SAI, e.g. "SAI_STATUS_INSUFFICIENT_RESOURCES"; only with Chip
	Err    error
}

// Error implements error.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(string(f.Row))
	if f.Field != "" {
		fmt.Fprintf(&b, ": field %q", f.Field)
	}
	if f.Attr != "" {
		fmt.Fprintf(&b, ": %s", f.Attr)
	}
	if f.Status != "" {
		fmt.Fprintf(&b, ": %s", f.Status)
	}
	if f.Err != nil {
		fmt.Fprintf(&b, ": %v", f.Err)
	}
	return b.String()
}

func (f *Fault) Unwrap() error { return f.Err }

// Faults is why a transaction was refused. It is an error that holds every Fault.
type Faults []*Fault

// Error implements error; one fault a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}
