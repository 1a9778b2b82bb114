package orchagent

import (
	"maps"
	"slices"

	"xon/orchagent/report"
	"xon/orchagent/state"
	"xon/schema/configdb"
)

// writeBack makes the rows that others ask for part of what is known of CONFIG_DB, and
// has the publisher write them there: what the feed reads back is no change then.
func (a *Agent) writeBack(e *state.Editor) {
	for k, row := range a.cur.WriteBack() {
		a.owe(e, k, row)
	}
}

// flight is a derived row on its way to CONFIG_DB. Until its report is published, the
// feed may read any version of Before.
type flight struct {
	report.Derived
	report uint64 // the number of the last report that has it; 0: none yet
}

// owe makes a row of CONFIG_DB what was derived; nil: it goes.
func (a *Agent) owe(e *state.Editor, k configdb.RowKey, row configdb.Row) {
	a.land()
	var d report.Derived
	if row != nil {
		d.After = configdb.Format(row)
	}
	add := func(digest string) {
		if !slices.Contains(d.Before, digest) {
			d.Before = append(d.Before, digest)
		}
	}
	if was := a.flights[k]; was != nil {
		d.Before = slices.Clone(was.Before)
		add(was.After.Digest())
	}
	add(e.Fields(k).Digest())
	a.flights[k] = &flight{Derived: d}
	e.Derive(k, d.After, row)
}

// land ends the flights whose reports are published. What the feed read before that has
// to be read again, as if a transaction had committed the row then.
func (a *Agent) land() {
	if len(a.flights) == 0 {
		return
	}
	sent, mark := a.outbox.Published()
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

// derivedDiff returns what is to become of derived rows, and which are no longer taken
// for derived as somebody changed them; with full the others too.
func (a *Agent) derivedDiff(full bool) map[configdb.RowKey]*report.Derived {
	a.land()
	out := map[configdb.RowKey]*report.Derived{}
	for _, k := range a.disown() {
		delete(a.flights, k)
		out[k] = nil
	}
	for k, f := range a.flights {
		if full || f.report == 0 {
			out[k] = &f.Derived
		}
	}
	if full {
		for k := range a.cur.State.StillDerived {
			if f := a.cur.State.Fields(k); out[k] == nil {
				out[k] = &report.Derived{Before: []string{f.Digest()}, After: f}
			}
		}
	}
	return out
}

// disown forgets the digests of derived rows that somebody changed, and returns those rows.
func (a *Agent) disown() (rows []configdb.RowKey) {
	s := a.cur.State
	if s.Derived.Len() == len(s.StillDerived) {
		return nil
	}
	e := a.edit()
	for k := range s.Derived.All() {
		if !s.StillDerived[k] {
			e.Disown(k)
			rows = append(rows, k)
		}
	}
	a.resolve(e)
	return rows
}

// noteReported notes the report that has rows.
func (a *Agent) noteReported(rows map[configdb.RowKey]*report.Derived, n uint64) {
	for k := range rows {
		if f := a.flights[k]; f != nil {
			f.report = n
		}
	}
}

// keepDerived takes derived rows out of the removals of a request: they go when nothing asks
// for them any more, and would only come back until then.
func keepDerived(s *state.State, changes map[configdb.RowKey]configdb.Fields) {
	maps.DeleteFunc(changes, func(k configdb.RowKey, f configdb.Fields) bool { return f == nil && s.StillDerived[k] })
}

// keptDerived are the derived rows that operations remove by name.
func keptDerived(s *state.State, ops []configdb.Op) []configdb.RowKey {
	var rows []configdb.RowKey
	for _, op := range ops {
		if k := configdb.Key(op.Table, op.Key); op.Kind == configdb.Delete && s.StillDerived[k] {
			rows = append(rows, k)
		}
	}
	return rows
}
