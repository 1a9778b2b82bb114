package configdb

import (
	"fmt"
	"strings"
)

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

// String returns the name that clients see: "INVALID", "IN_USE".
func (k FaultKind) String() string {
	return [...]string{"INVALID", "MISSING", "IN_USE", "LIMIT", "CHIP", "CONFLICT"}[k]
}

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

// Unwrap returns what is wrong, without the place.
func (f *Fault) Unwrap() error { return f.Err }

// Faults is why a row or a transaction was refused. It is an error that holds
// every Fault; errors.As finds a *Fault in it, and Faults itself.
type Faults []*Fault

// Error implements error; one fault a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.Is and errors.As look at every fault.
func (fs Faults) Unwrap() []error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errs
}
