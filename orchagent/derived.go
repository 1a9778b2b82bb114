package orchagent

import (
	"maps"

	"xon/schema/configdb"
)

// writeBack makes the rows that others ask for part of what is known of CONFIG_DB, and
// has the publisher write them there: what the feed reads back is no news then. Rows
// that somebody made or changed are theirs. It returns the rows that changed.
func (a *Agent) writeBack() []configdb.RowKey {
	var changed []configdb.RowKey
	for k := range a.unsure {
		row, rec := a.eff.Derived[k], a.records[k]
		switch {
		case rec != nil && !a.ours[k]: // somebody's
		case row == nil && rec != nil:
			a.owe(k, nil, nil)
			changed = append(changed, k)
		case row != nil && (rec == nil || rec.row != row):
			if f := configdb.Format(row); rec == nil || !maps.Equal(f, rec.fields) {
				a.owe(k, f, row)
				changed = append(changed, k)
			}
		}
	}
	clear(a.unsure)
	return changed
}

// owe has a row of CONFIG_DB become what was derived; nil: it goes.
func (a *Agent) owe(k configdb.RowKey, f configdb.Fields, row configdb.Row) {
	d := &Derived{After: f}
	if rec := a.records[k]; rec != nil {
		d.Before = rec.fields
	}
	if was := a.owed[k]; was != nil {
		d.Before = was.Before
	}
	if a.owed == nil {
		a.owed = map[configdb.RowKey]*Derived{}
	}
	a.owed[k] = d
	if row == nil {
		a.set(k, nil)
		delete(a.derived, k)
		return
	}
	a.derived[k] = f.Digest()
	a.set(k, &record{fields: f, whole: f, row: row})
}

// tellDerived returns what is to become of derived rows, and which are no longer taken
// for derived as somebody changed them; with all set the others too.
func (a *Agent) tellDerived(all bool) map[configdb.RowKey]*Derived {
	tell := a.owed
	a.owed = nil
	if tell == nil && (all || len(a.derived) != len(a.ours)) {
		tell = map[configdb.RowKey]*Derived{}
	}
	if len(a.derived) != len(a.ours) {
		for k := range a.derived {
			if !a.ours[k] {
				delete(a.derived, k)
				tell[k] = nil
			}
		}
	}
	if all {
		for k := range a.ours {
			if f := a.records[k].fields; tell[k] == nil {
				tell[k] = &Derived{Before: f, After: f}
			}
		}
	}
	return tell
}

// spare takes derived rows out of the removals of a request: they go when nothing asks
// for them any more, and would only come back until then.
func (a *Agent) spare(changes map[configdb.RowKey]configdb.Fields) {
	maps.DeleteFunc(changes, func(k configdb.RowKey, f configdb.Fields) bool { return f == nil && a.ours[k] })
}

// sparedBy are the derived rows that operations remove by name.
func (a *Agent) sparedBy(ops []configdb.Op) []configdb.RowKey {
	var rows []configdb.RowKey
	for _, op := range ops {
		if k := configdb.Key(op.Table, op.Key); op.Kind == configdb.Delete && a.ours[k] {
			rows = append(rows, k)
		}
	}
	return rows
}
