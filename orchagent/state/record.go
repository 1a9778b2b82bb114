package state

import (
	"xon/schema/configdb"
)

// Record is one row of CONFIG_DB as the agent last heard of it. It does not change.
type Record struct {
	Fields  configdb.Fields
	Row     configdb.Row    // nil when the row does not parse, or its table is not xon's
	Unknown []string        // fields that the table does not have
	Lost    configdb.Faults // fields that do not parse and are left out of Row
	Idle    configdb.Faults // what has no effect in xon
	Err     error           // why the row does not parse
	Foreign bool            // its table is not managed by xon
	Notes   []string        // what is good but not as it should be written
	// Whole is what Row was made of: Fields, and in tables of which nothing can be taken
	// back those of the last applied version that Fields leaves out, named by Kept.
	Whole configdb.Fields
	Kept  []string
}

// newRecord reads a row. was is the last applied version, nil if there is none.
func newRecord(k configdb.RowKey, f, was configdb.Fields) *Record {
	if _, ok := configdb.Lookup(k.Table()); !ok {
		return &Record{Fields: f, Foreign: true}
	}
	r := &Record{Fields: f}
	r.Whole, r.Kept = configdb.Keep(k, f, was)
	r.Row, r.Unknown, r.Lost, r.Err = configdb.Salvage(k, r.Whole)
	if r.Row != nil {
		r.Notes, r.Idle = configdb.OldReferences(k, f), configdb.Idle(r.Row, r.Whole)
	}
	return r
}

// Version is a row as the chip had it: its fields, and what they mean. It does not change.
type Version struct {
	Fields configdb.Fields
	Row    configdb.Row
}

// Candidate is one version of a row; Row is nil for its removal.
type Candidate struct {
	Key configdb.RowKey
	Row configdb.Row
}
