package configdb

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Table describes one table and reads and writes its rows.
type Table struct {
	Name   string
	Doc    string // what a row is for
	Key    string // the form of a key, without the table: "<port>[,<port>...]|<index>[-<index>]"
	Source string // the YANG module whose names, ranges and defaults these are
	Fields []Field

	apart bool // each field stands for something of its own
	rows  rows
}

// rows is what a Table does with its rows; spec implements it for each type.
type rows interface {
	parse(key RowKey, f Fields) (Row, []string, Faults)
	format(row Row) Fields
	target() Target
	span(row Row) Span
	withPorts(row Row, key RowKey, ports []string) Row
	required(row Row) []RowKey
	refs(row Row, yield func(Ref) bool)
	field(name string) (Field, bool)
	withoutEffect(row Row) (field string, err error)
	keeps() bool
	kept(now, was Fields) Fields

	get(c *Config, key string) Row
	put(c *Config, row Row)
	remove(c *Config, key string)
	own(c *Config)
	all(c *Config) []Row
	take(c, from *Config)
	diff(c, other *Config, yield func(RowKey) bool) bool
	each(c *Config) iter.Seq[Row]
}

// tables in the order in which people set a switch up; a row refers to tables
// further up, but for PORT_QOS_MAP's scheduler.
var tables = slices.Concat(
	[]*Table{deviceMetadataTable, portTable, cableLengthTable},
	qosMapTables[:],
	[]*Table{
		schedulerTable, wredProfileTable, queueTable, portQoSMapTable,
		bufferPoolTable, bufferProfileTable, bufferPGTable, bufferQueueTable,
		bufferIngressListTable, bufferEgressListTable,
		defaultLosslessBufferParameterTable, losslessTrafficPatternTable,
		flexCounterTable, watermarkTable,
		switchHashTable, switchTrimmingTable, switchTable,
		xonPFCTable, xonPortTable, xonWREDTable,
		vlanTable, vlanMemberTable, interfaceTable, vlanInterfaceTable, loopbackInterfaceTable, neighborTable, staticRouteTable,
	},
)

var tableByName = func() map[string]int {
	m := make(map[string]int, len(tables))
	for i, t := range tables {
		m[t.Name] = i
	}
	return m
}()

// Tables returns the tables that xon acts on.
func Tables() []*Table { return slices.Clone(tables) }

// Lookup finds a table by its name. Rows of other tables concern other programs;
// their fate is "ignored".
func Lookup(table string) (*Table, bool) {
	i, ok := tableByName[table]
	if !ok {
		return nil, false
	}
	return tables[i], true
}

// ErrUnknownTable is the fault of a row whose table is none of Tables.
var ErrUnknownTable = errors.New("the table is none of xon's")

// Parse reads one row. Faults of the key and all fields are reported at once, in
// order of the fields' names; err is then of type Faults and row is nil. A field
// that stands for a list may be called "x" or "x@". unknown are the names of
// fields that the table does not have, sorted; they are no error here, as other
// tools write more than is documented: gNMI refuses them, the feed warns. Text
// that is not UTF-8 is a fault wherever it is.
//
// What one row alone can't tell is not checked: that references lead somewhere,
// that indexes are below the chip's counts, that rows do not overlap.
func Parse(key RowKey, f Fields) (row Row, unknown []string, err error) {
	t, ok := Lookup(key.Table())
	if !ok {
		return nil, nil, Faults{{Row: key, Err: ErrUnknownTable}}
	}
	if f.IsNotHash() {
		return nil, nil, Faults{{Row: key, Err: ErrNotHash}}
	}
	row, unknown, faults := t.rows.parse(key, f)
	if len(faults) > 0 {
		return nil, unknown, faults
	}
	return row, unknown, nil
}

// Salvage is Parse for what is stored already, so that nobody can be asked for
// better: where each field of a table stands for something of its own, as the ports
// of CABLE_LENGTH do, a bad one is left out, and lost says so. Other faults are err,
// as with Parse.
func Salvage(key RowKey, f Fields) (row Row, unknown []string, lost Faults, err error) {
	row, unknown, err = Parse(key, f)
	t, ok := Lookup(key.Table())
	var faults Faults
	if !ok || !t.apart || !errors.As(err, &faults) {
		return row, unknown, nil, err
	}
	good := maps.Clone(f)
	for _, fault := range faults {
		delete(good, fault.Field)
	}
	if row, _, e := Parse(key, good); e == nil {
		return row, unknown, faults, nil
	}
	return nil, unknown, nil, err
}

// Format is the inverse of Parse: the fewest fields that mean the row, each in one
// spelling. A row without fields gets the placeholder NULL=NULL, as a hash in
// Redis has at least one field.
func Format(row Row) Fields {
	f := tableOf(row).rows.format(row)
	if len(f) == 0 {
		f[nullName] = nullName
	}
	return f
}

// References returns the rows that a row refers to, each once, in order of the
// fields: the row can't be in force before they are, and they can't be removed
// while it is there. CABLE_LENGTH refers to none: it names ports, but means
// something without them.
func References(row Row) []RowKey {
	t := tableOf(row)
	var keys []RowKey
	for _, port := range PortsOf(row) {
		keys = append(keys, Key("PORT", port))
	}
	keys = append(keys, t.rows.required(row)...)
	for ref := range Refs(row) {
		keys = append(keys, ref.Key())
	}
	return keys
}

// Ref is a reference that a field of a row makes to another row.
type Ref struct {
	Field       string // that makes it
	Table, Name string // of the row referred to
}

// Key is the key of the row referred to.
func (r Ref) Key() RowKey { return Key(r.Table, r.Name) }

// Refs yields the references that the fields of a row make, in order of the fields.
func Refs(row Row) iter.Seq[Ref] {
	return func(yield func(Ref) bool) { tableOf(row).rows.refs(row, yield) }
}

// Idle returns what of a row, read from f, has no effect in xon although SONiC acts on it, in
// order of the fields, and what lies in several of them, or in the row as a whole, last. Fields that only describe something, or
// that are for other programs, are not among that.
func Idle(row Row, f Fields) Faults {
	t := tableOf(row)
	var list Faults
	for _, stored := range slices.SortedFunc(maps.Keys(f), CompareNatural) {
		if field, ok := t.Field(stored); ok && field.Unlike && strings.TrimSpace(f[stored]) != field.AsIs {
			list = append(list, &Fault{Row: row.RowKey(), Field: field.Name, Err: errors.New("xon does not act on it")})
		}
	}
	if field, err := t.rows.withoutEffect(row); err != nil {
		list = append(list, &Fault{Row: row.RowKey(), Field: field, Err: err})
	}
	return list
}

// Field finds the description of a stored field, with or without "@".
func (t *Table) Field(stored string) (Field, bool) { return t.rows.field(stored) }

// tableOf returns the table of a row. A row's ID is set by whoever made the row,
// so an unknown table is a bug there.
func tableOf(row Row) *Table {
	t, ok := Lookup(row.RowKey().Table())
	if !ok {
		panic(fmt.Sprintf("configdb: row of type %T has the ID %q", row, row.RowKey()))
	}
	return t
}
