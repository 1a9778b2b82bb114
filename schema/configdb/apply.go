package configdb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// RawRows is the content of a database as it is stored, with the tables that xon
// does not know.
type RawRows map[RowKey]Fields

// Stored is rows to read from. RawRows implements it.
type Stored interface {
	Get(key RowKey) Fields        // nil if the row is not there
	Keys(yield func(RowKey) bool) // in no order
}

// Get implements Stored.
func (r RawRows) Get(key RowKey) Fields { return r[key] }

// Keys implements Stored.
func (r RawRows) Keys(yield func(RowKey) bool) { maps.Keys(r)(yield) }

// Apply works out what a list of operations makes of rows: each acts on what those
// before it left. It returns the rows that end up different, with nil Fields for
// those that are gone. rows and ops stay as they are.
//
// What is deleted need not be there. A field and its list spelling ("x" and "x@")
// are the same field: a new value takes the other's place. A row that loses its
// last field is gone; a row that is written without fields has the placeholder
// NULL=NULL. err, of type Faults, names every operation that makes no sense or
// brings text that is not UTF-8; whether rows are good is for Parse.
//
// Its time grows with what the operations name, and with all rows if whole tables
// are deleted, but not with the product of the two.
func Apply(rows Stored, ops []Op) (changed map[RowKey]Fields, err error) {
	var faults Faults
	ops = slices.DeleteFunc(slices.Clone(ops), func(op Op) bool { return op.Passes() })
	for _, op := range ops {
		if err := op.check(); err != nil {
			faults = append(faults, &Fault{Row: op.row(), Field: op.faultField(), Err: err})
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	d := draft{rows: rows, changed: map[RowKey]Fields{}}
	for _, op := range ops {
		if op.edits() && d.get(Key(op.Table, op.Key)).IsNotHash() {
			faults = append(faults, &Fault{Row: op.row(), Err: ErrNotHash})
			continue
		}
		d.apply(op)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	maps.DeleteFunc(d.changed, func(k RowKey, f Fields) bool { return sameRow(rows.Get(k), f) })
	return d.changed, nil
}

// row is the row that an operation names, or the table, as far as it can be said.
func (op *Op) row() RowKey {
	if op.Key == "" {
		return RowKey(printable(op.Table))
	}
	return RowKey(printable(string(Key(op.Table, op.Key))))
}

// edits reports whether an operation leaves a part of the row as it was.
func (op *Op) edits() bool { return op.Kind == Update || op.Field != "" }

func (op *Op) faultField() string { return printable(op.Field) }

// printable keeps text that is UTF-8 and escapes other.
func printable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.Trim(quote(s), `"`)
}

func (op *Op) check() error {
	switch {
	case strings.Contains(op.Table, "|"):
		return fmt.Errorf("table %s has a bar, which separates a table from its keys", quote(op.Table))
	case op.Table == "" && (op.Kind != Delete || op.Key != ""):
		return errors.New("the table is missing")
	case op.Key == "" && (op.Kind != Delete || op.Field != ""):
		return errors.New("the row's key is missing")
	case op.Kind > Update:
		return fmt.Errorf("operation %d is none of delete, replace and update", op.Kind)
	case !utf8.ValidString(op.Table) || !utf8.ValidString(op.Key) || !utf8.ValidString(op.Field):
		return errors.New("the name is not UTF-8")
	case op.Kind != Delete && op.Field != "":
		return errors.New("replace and update take fields with their values, not one field's name")
	}
	return op.checkFields()
}

func (op *Op) checkFields() error {
	for name, value := range op.Fields {
		switch {
		case name == "":
			return errors.New("a field has no name")
		case !utf8.ValidString(name):
			return fmt.Errorf("field %s: the name is not UTF-8", quote(name))
		case !utf8.ValidString(value):
			return fmt.Errorf("field %q: %s is not UTF-8", name, quote(value))
		}
		if _, twice := op.Fields[name+"@"]; twice {
			return fmt.Errorf("field %q is there twice, as %q too", name, name+"@")
		}
	}
	return nil
}

// draft is rows with changes laid over them.
type draft struct {
	rows    Stored
	changed map[RowKey]Fields // each the draft's own; nil: gone
	// live are the rows that are there by now, by table. It is made when a table is
	// deleted for the first time, and kept up from then on.
	live map[string]map[RowKey]struct{}
}

func (d *draft) apply(op Op) {
	key := Key(op.Table, op.Key)
	switch {
	case op.Kind == Replace:
		d.put(key, merged(Fields{}, op.Fields))
	case op.Kind == Update:
		d.put(key, merged(d.edit(key), op.Fields))
	case op.Table == "":
		for table := range d.tables() {
			if _, ok := Lookup(table); ok { // others are not xon's to take away unasked
				d.deleteTable(table)
			}
		}
	case op.Key == "":
		d.deleteTable(op.Table)
	case op.Field == "":
		d.remove(key)
	default:
		d.deleteField(key, op.Field)
	}
}

// get returns a row as it is by now; nil if it is gone.
func (d *draft) get(key RowKey) Fields {
	if f, ok := d.changed[key]; ok {
		return f
	}
	return d.rows.Get(key)
}

// edit returns fields that may be written to.
func (d *draft) edit(key RowKey) Fields {
	if f, ok := d.changed[key]; ok && f != nil {
		return f
	}
	if f := maps.Clone(d.get(key)); f != nil {
		return f
	}
	return Fields{}
}

func (d *draft) put(key RowKey, f Fields) {
	d.changed[key] = f
	if d.live == nil {
		return
	}
	table := key.Table()
	if d.live[table] == nil {
		d.live[table] = map[RowKey]struct{}{}
	}
	d.live[table][key] = struct{}{}
}

func (d *draft) remove(key RowKey) {
	if d.get(key) == nil {
		return
	}
	d.changed[key] = nil
	if d.live != nil {
		delete(d.live[key.Table()], key)
	}
}

func (d *draft) deleteField(key RowKey, field string) {
	row := d.get(key)
	name, _ := plain(field)
	if row == nil || !has(row, name) {
		return
	}
	row = d.edit(key)
	delete(row, name)
	delete(row, name+"@")
	if len(row) == 0 || isPlaceholder(row) {
		d.remove(key)
		return
	}
	d.put(key, row)
}

// deleteTable looks at each row once, however often its table is deleted.
func (d *draft) deleteTable(table string) {
	for key := range d.tables()[table] {
		d.changed[key] = nil
	}
	delete(d.live, table)
}

func (d *draft) tables() map[string]map[RowKey]struct{} {
	if d.live != nil {
		return d.live
	}
	d.live = map[string]map[RowKey]struct{}{}
	add := func(key RowKey) {
		table := key.Table()
		if d.live[table] == nil {
			d.live[table] = map[RowKey]struct{}{}
		}
		d.live[table][key] = struct{}{}
	}
	for key := range d.rows.Keys {
		if d.get(key) != nil {
			add(key)
		}
	}
	for key, f := range d.changed {
		if f != nil {
			add(key)
		}
	}
	return d.live
}

// merged writes fields into row, in place, and puts the placeholder right.
func merged(row, fields Fields) Fields {
	for name, value := range fields {
		base, list := plain(name)
		if list {
			delete(row, base)
		} else {
			delete(row, base+"@")
		}
		row[name] = value
	}
	switch {
	case len(row) == 0:
		row[nullName] = nullName
	case len(row) > 1 && row[nullName] == nullName:
		delete(row, nullName)
	}
	return row
}

// isPlaceholder reports whether a stored row stands for one without fields.
func isPlaceholder(f Fields) bool { return len(f) == 1 && f[nullName] == nullName }

// sameRow compares rows; a row that is not there equals nil alone.
func sameRow(a, b Fields) bool {
	return (a == nil) == (b == nil) && maps.Equal(a, b)
}
