package configdb

import "strings"

// Type is what sort of text a field holds.
type Type string

// The types.
const (
	Text      Type = "text"      // anything that is UTF-8
	Integer   Type = "integer"   // decimal digits, within Field.Range
	Choice    Type = "choice"    // one of Field.Values
	Boolean   Type = "boolean"   // "true" or "false"
	Reference Type = "reference" // the name of a row of Field.Refers; "" is none
	Length    Type = "length"    // decimal digits and an "m" for metres
	MAC       Type = "mac"       // six octets, "02:00:00:00:10:00"
)

// Field describes one field of a table for people and for those who complete or
// check input. The parser is built of the same descriptions.
type Field struct {
	// Name is the field's name without "@". In angle brackets it stands for many
	// names, those of Names: "<dscp>" for "0" to "63".
	Name  string
	Names string
	Type  Type
	// Range says which values are good, in words: "68 to 9216".
	Range   string
	Unit    string   // "octets", "Mb/s"; "" for none
	Values  []string // with Choice and Boolean: all of them
	Refers  string   // with Reference: the table
	Default string   // what an absent field means; "" if that is no value at all
	// List says that the field holds any number of values, separated by commas. Its
	// name may end in "@".
	List bool
	// At says that xon itself writes the name with "@", as SONiC does for what is a
	// leaf-list in its YANG.
	At       bool
	Required bool
	// Passive says that SONiC knows the field and xon does not act on it: it is kept
	// as it is.
	Passive bool
	// Unlike says that SONiC acts on a passive field, so that a row that has it is applied
	// with a warning, unless the value is AsIs, which is what xon does.
	Unlike  bool
	AsIs    string
	Example string // a good value; of the field, not of its name
	Doc     string
}

// Stored is the name under which xon writes the field.
func (f *Field) Stored() string {
	if f.At {
		return f.Name + "@"
	}
	return f.Name
}

// plain cuts the "@" of a list off a stored name; list says that there was one.
func plain(stored string) (name string, list bool) {
	return strings.CutSuffix(stored, "@")
}
