package state

import (
	"maps"
	"slices"

	"xon/schema/configdb"
)

// Editor makes a changed State. The State in it is the result so far. It is for one
// goroutine.
type Editor struct {
	State
	own struct {
		records, applied, refused, dormant, removed, unapplied, derived ownership
		still                                                           bool
		rows                                                            *configdb.Editor // of Contested; nil: not changed yet
	}
}

// Edit begins a copy of s, which stays as it is.
func (s *State) Edit() *Editor { return &Editor{State: *s} }

// Done returns the result. Refusals that no longer matter are dropped, and a buffer model is
// chosen as soon as a row does so. The editor must not go on.
func (e *Editor) Done() *State {
	e.forget()
	if e.Model == nil {
		e.Model = e.Chosen()
	}
	if e.own.rows != nil {
		e.Contested = e.own.rows.Config()
	}
	s := e.State
	return &s
}

// Put takes up the new content of a row, nil if it is gone. It returns what was there
// before, and whether anything changed.
func (e *Editor) Put(k configdb.RowKey, f configdb.Fields) (before *Record, changed bool) {
	before = e.Records.Get(k)
	switch {
	case f == nil && before == nil, f != nil && before != nil && maps.Equal(f, before.Fields):
		return before, false
	case f == nil:
		e.set(k, nil)
		return before, true
	}
	applied := e.Version(k)
	r := newRecord(k, f, applied.Fields)
	if r.Row != nil && applied.Row != nil && maps.Equal(applied.Fields, r.Whole) {
		r.Row = applied.Row // equal rows are the same row
	}
	e.set(k, r)
	return before, true
}

// Derive takes up a row that the agent itself puts into CONFIG_DB because of others; nil
// Fields: the row goes.
func (e *Editor) Derive(k configdb.RowKey, f configdb.Fields, row configdb.Row) {
	if row == nil {
		e.set(k, nil)
		e.Derived.remove(&e.own.derived, k)
		return
	}
	if applied := e.Version(k); applied.Row != nil && maps.Equal(applied.Fields, f) {
		row = applied.Row // as in Put
	}
	e.Derived.put(&e.own.derived, k, &Digests{[]string{f.Digest()}})
	e.set(k, &Record{Fields: f, Whole: f, Row: row})
}

// Disown notes that a row is no longer derived: somebody changed it.
func (e *Editor) Disown(k configdb.RowKey) { e.Derived.remove(&e.own.derived, k) }

// set puts a record in place, or takes it away.
func (e *Editor) set(k configdb.RowKey, r *Record) {
	if r == nil {
		e.Records.remove(&e.own.records, k)
	} else {
		e.Records.put(&e.own.records, k, r)
	}
	if d := e.Derived.Get(k); d != nil {
		e.markDerived(k, r != nil && slices.Contains(d.List, r.Fields.Digest()))
	}
	e.compare(k)
}

// markDerived keeps StillDerived right.
func (e *Editor) markDerived(k configdb.RowKey, still bool) {
	if still == e.StillDerived[k] {
		return
	}
	if !e.own.still {
		e.StillDerived, e.own.still = maps.Clone(e.StillDerived), true
		if e.StillDerived == nil {
			e.StillDerived = map[configdb.RowKey]bool{}
		}
	}
	if still {
		e.StillDerived[k] = true
	} else {
		delete(e.StillDerived, k)
	}
}

// compare keeps Removed and Unapplied right.
func (e *Editor) compare(k configdb.RowKey) {
	rec, applied := e.Records.Get(k), e.Version(k).Row
	mark(&e.Removed, &e.own.removed, k, rec == nil && applied != nil)
	mark(&e.Unapplied, &e.own.unapplied, k, rec != nil && rec.Row != nil && rec.Row != applied)
}

func mark(m *Map[configdb.RowKey, bool], o *ownership, k configdb.RowKey, is bool) {
	if is {
		m.put(o, k, true)
	} else {
		m.remove(o, k)
	}
}

// Apply takes up last applied versions; a zero Version says that a row has none any more.
func (e *Editor) Apply(changes map[configdb.RowKey]Version) {
	for k, v := range changes {
		if v.Row == nil {
			e.Applied.remove(&e.own.applied, k)
		} else {
			e.Applied.put(&e.own.applied, k, &v)
		}
		if e.contested[k.Table()] {
			e.contest(k, v.Row)
		}
		e.compare(k)
	}
}

// contest keeps Contested right.
func (e *Editor) contest(k configdb.RowKey, row configdb.Row) {
	if e.own.rows == nil {
		e.own.rows = e.Contested.Edit()
	}
	if row == nil {
		e.own.rows.Remove(k)
	} else {
		e.own.rows.Put(row)
	}
}

// Withhold keeps the versions of CONFIG_DB of some rows from being tried; nil: of none.
func (e *Editor) Withhold(rows map[configdb.RowKey]bool) { e.Withheld = rows }
