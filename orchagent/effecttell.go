package orchagent

import (
	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// inert are the effective rows that are not in force.
func (a *Agent) inert() map[configdb.RowKey]bool {
	out := map[configdb.RowKey]bool{}
	for p := range a.d.problems {
		if p.Severity != graph.Warned {
			out[configdb.RowKey(p.Row)] = true
		}
	}
	for k := range a.pass.failed {
		for _, row := range a.d.rows(k) {
			out[configdb.RowKey(row)] = true
		}
	}
	return out
}

// tellEffects returns the effective buffer rows that are not as they were told, nil for
// those that are not in force; with all set every one that is in force.
func (a *Agent) tellEffects(all bool) map[configdb.RowKey]configdb.Fields {
	inert := a.inert()
	if all {
		clear(a.fresh)
		for row := range a.eff.Rows.All() {
			if k := row.RowKey(); bufmgr.Makes(k) && !inert[k] {
				a.fresh[k] = true
			}
		}
	} else {
		a.freshen(inert)
	}
	a.lame = inert
	if len(a.fresh) == 0 {
		return nil
	}
	tell := make(map[configdb.RowKey]configdb.Fields, len(a.fresh))
	for k := range a.fresh {
		tell[k] = nil
		if row := a.eff.Rows.Get(k); row != nil && !inert[k] {
			tell[k] = a.fieldsOf(row)
		}
	}
	a.fresh = map[configdb.RowKey]bool{}
	return tell
}

// freshen adds the rows that went out of force, or came into it.
func (a *Agent) freshen(inert map[configdb.RowKey]bool) {
	for _, m := range []map[configdb.RowKey]bool{inert, a.lame} {
		for k := range m {
			if bufmgr.Makes(k) && inert[k] != a.lame[k] {
				a.fresh[k] = true
			}
		}
	}
}

// fieldsOf are the fields of an effective row: those that somebody wrote, plainly
// spelled, or as few as mean it.
func (r *resolver) fieldsOf(row configdb.Row) configdb.Fields {
	k := row.RowKey()
	if rec := r.records[k]; rec != nil && rec.row == row {
		return configdb.Plain(row, rec.fields)
	}
	if acc := r.accepted[k]; acc.row == row {
		return configdb.Plain(row, acc.fields)
	}
	return configdb.Format(row)
}

// behind adds the rows to which it may be put down what is said of those that nobody
// wrote.
func (a *Agent) behind(rows map[configdb.RowKey]bool) {
	var origins []configdb.RowKey
	for k := range rows {
		if a.records[k] == nil || a.ours[k] {
			origins = append(origins, a.origins(k)...)
		}
	}
	for _, k := range origins {
		rows[k] = true
	}
}
