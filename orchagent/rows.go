package orchagent

import (
	"maps"
	"slices"

	"xon/schema/configdb"
)

// record is one row of CONFIG_DB as the agent last heard of it.
type record struct {
	fields  configdb.Fields
	row     configdb.Row    // nil when the row does not parse, or is not for xon
	unknown []string        // fields that the table does not have
	lost    configdb.Faults // fields that do not parse and are left out of row
	idle    configdb.Faults // what has no effect in xon
	err     error           // why the row does not parse
	foreign bool            // a table outside xon's scope
	notes   []string        // what is good but not as it should be written
	// whole is what row was made of: fields, and in tables of which nothing can be
	// taken back those of the accepted version that fields leaves out, named by kept.
	whole configdb.Fields
	kept  []string
}

// newRecord reads a row. was is the version in effect, nil if there is none.
func newRecord(k configdb.RowKey, f, was configdb.Fields) *record {
	if _, ok := configdb.Lookup(k.Table()); !ok {
		return &record{fields: f, foreign: true}
	}
	r := &record{fields: f}
	r.whole, r.kept = configdb.Keep(k, f, was)
	r.row, r.unknown, r.lost, r.err = configdb.Salvage(k, r.whole)
	if r.row != nil {
		r.notes, r.idle = configdb.OldReferences(k, f), configdb.Idle(r.row, r.whole)
	}
	return r
}

// version is a row that was in force: its fields, and what they mean.
type version struct {
	fields configdb.Fields
	row    configdb.Row
}

// content is everything that the agent knows of rows: what CONFIG_DB says, and what
// was last in force of it. It is the input of resolving, together with the device.
type content struct {
	records  map[configdb.RowKey]*record
	fields   configdb.RawRows // of records, as transactions are worked out from it
	accepted map[configdb.RowKey]version
	// removed are the rows that are accepted but no longer in CONFIG_DB.
	removed map[configdb.RowKey]bool
	// derived are the digests of rows that were put into CONFIG_DB because of others, and
	// ours are those of them that nobody changed since.
	derived map[configdb.RowKey][]string
	ours    map[configdb.RowKey]bool
	shown   map[configdb.RowKey]bool // a copy of ours that nobody changes; nil: out of date
	// competing are the accepted rows of tables whose rows compete for something.
	competing *configdb.Config
}

// newContent starts without rows. Accepted versions that no longer parse are left
// out: they could not be in force.
func newContent(accepted map[configdb.RowKey]configdb.Fields, derived map[configdb.RowKey][]string) *content {
	c := &content{
		derived: map[configdb.RowKey][]string{}, ours: map[configdb.RowKey]bool{},
		records: map[configdb.RowKey]*record{}, fields: configdb.RawRows{},
		accepted: map[configdb.RowKey]version{}, removed: map[configdb.RowKey]bool{}, competing: &configdb.Config{},
	}
	maps.Copy(c.derived, derived)
	changes := make(acceptance, len(accepted))
	for k, f := range accepted {
		if r := newRecord(k, f, nil); r.row != nil {
			changes[k] = version{fields: f, row: r.row}
		}
	}
	c.accept(changes)
	return c
}

// put takes up the new content of a row, nil if it is gone. It returns what was
// there before, and whether anything changed.
func (c *content) put(k configdb.RowKey, f configdb.Fields) (before *record, changed bool) {
	before = c.records[k]
	switch {
	case f == nil && before == nil, f != nil && before != nil && maps.Equal(f, before.fields):
		return before, false
	case f == nil:
		c.set(k, nil)
		return before, true
	}
	r := newRecord(k, f, c.accepted[k].fields)
	if a, ok := c.accepted[k]; ok && r.row != nil && maps.Equal(a.fields, r.whole) {
		r.row = a.row // equal rows are the same row
	}
	c.set(k, r)
	return before, true
}

// set puts a record in place, or takes it away.
func (c *content) set(k configdb.RowKey, r *record) {
	if r == nil {
		delete(c.records, k)
		delete(c.fields, k)
	} else {
		c.records[k], c.fields[k] = r, r.fields
	}
	if own, ok := c.derived[k]; ok {
		c.own(k, r != nil && slices.Contains(own, r.fields.Digest()))
	}
	c.note(k)
}

// own takes note of whether a row is as it was derived.
func (c *content) own(k configdb.RowKey, ours bool) {
	if ours == c.ours[k] {
		return
	}
	c.shown = nil
	if ours {
		c.ours[k] = true
	} else {
		delete(c.ours, k)
	}
}

// derivedRows are the rows that are as they were derived. The map does not change.
func (c *content) derivedRows() map[configdb.RowKey]bool {
	if c.shown == nil {
		c.shown = maps.Clone(c.ours)
	}
	return c.shown
}

// note keeps removed right.
func (c *content) note(k configdb.RowKey) {
	if _, ok := c.accepted[k]; ok && c.records[k] == nil {
		c.removed[k] = true
	} else {
		delete(c.removed, k)
	}
}

// acceptance is a change of accepted versions; a zero version says that a row has
// none any more.
type acceptance map[configdb.RowKey]version

// accept takes up accepted versions.
func (c *content) accept(changes acceptance) {
	e := c.competing.Edit()
	for k, v := range changes {
		switch {
		case v.row == nil:
			delete(c.accepted, k)
			e.Remove(k)
		case contested[k.Table()]:
			e.Put(v.row)
			fallthrough
		default:
			c.accepted[k] = v
		}
		c.note(k)
	}
	c.competing = e.Config()
}
