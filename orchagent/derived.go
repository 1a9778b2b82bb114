package orchagent

import (
	"maps"
	"slices"

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

// flight is a derived row on its way to CONFIG_DB. Until its report is published, the
// feed may read any version of Before.
type flight struct {
	Derived
	report uint64 // the number of the last report that has it; 0: none yet
}

// owe has a row of CONFIG_DB become what was derived; nil: it goes.
func (a *Agent) owe(k configdb.RowKey, f configdb.Fields, row configdb.Row) {
	a.land()
	d := Derived{After: f}
	add := func(digest string) {
		if !slices.Contains(d.Before, digest) {
			d.Before = append(d.Before, digest)
		}
	}
	if was := a.flights[k]; was != nil {
		d.Before = slices.Clone(was.Before)
		add(was.After.Digest())
	}
	var now configdb.Fields
	if rec := a.records[k]; rec != nil {
		now = rec.fields
	}
	add(now.Digest())
	a.flights[k] = &flight{Derived: d}
	if row == nil {
		a.set(k, nil)
		delete(a.derived, k)
		return
	}
	a.derived[k] = []string{f.Digest()}
	a.set(k, &record{fields: f, whole: f, row: row})
}

// land ends the flights whose reports are published. What the feed read before that has
// to be read again, as if a transaction had committed the row then.
func (a *Agent) land() {
	if len(a.flights) == 0 {
		return
	}
	sent, mark := a.outbox.published()
	for k, f := range a.flights {
		if f.report > 0 && f.report <= sent {
			a.committed[k] = max(a.committed[k], mark)
			delete(a.flights, k)
		}
	}
}

// late reports whether the feed read an earlier version of a row on its way: the one
// of now follows. Any other content is somebody's, and the row with it.
func (a *Agent) late(c configdb.Change) bool {
	f := a.flights[c.Row]
	return f != nil && !maps.Equal(c.Fields, f.After) && f.Replaces(c.Fields)
}

// tellDerived returns what is to become of derived rows, and which are no longer taken
// for derived as somebody changed them; with all set the others too.
func (a *Agent) tellDerived(all bool) map[configdb.RowKey]*Derived {
	a.land()
	tell := map[configdb.RowKey]*Derived{}
	if len(a.derived) != len(a.ours) {
		for k := range a.derived {
			if !a.ours[k] {
				delete(a.derived, k)
				delete(a.flights, k)
				tell[k] = nil
			}
		}
	}
	for k, f := range a.flights {
		if all || f.report == 0 {
			tell[k] = &f.Derived
		}
	}
	if all {
		for k := range a.ours {
			if f := a.records[k].fields; tell[k] == nil {
				tell[k] = &Derived{Before: []string{f.Digest()}, After: f}
			}
		}
	}
	return tell
}

// reported takes note of the report that has rows.
func (a *Agent) reported(rows map[configdb.RowKey]*Derived, n uint64) {
	for k := range rows {
		if f := a.flights[k]; f != nil {
			f.report = n
		}
	}
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
