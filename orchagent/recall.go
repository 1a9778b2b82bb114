package orchagent

import (
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// recall takes up what the chip said to an agent before this one, as far as this
// one would ask it the same again. The records must be there.
func (r *resolver) recall(told map[configdb.RowKey]statedb.Refusal) {
	mine := map[candidate]statedb.Refusal{}
	for k, t := range told {
		c, ok := r.versionOf(k, t.Version)
		if !ok {
			continue
		}
		mine[c] = t
		r.refused[c] = &refusal{field: t.Field, reason: t.Reason, retry: t.Retry}
	}
	for forgot := true; forgot; { // which versions others need depends on what was recalled
		forgot = false
		for c, t := range mine {
			if !r.sameDigests(t.Needs) {
				delete(mine, c)
				delete(r.refused, c)
				forgot = true
			}
		}
	}
	for c, t := range mine {
		x := r.refused[c]
		x.needs = make(map[configdb.RowKey]configdb.Row, len(t.Needs))
		for k := range t.Needs {
			x.needs[k] = r.choose(k)
		}
		r.told[c.key] = x
	}
}

// versionOf finds the version of a row that is to be tried, if its digest is the
// given one.
func (r *resolver) versionOf(k configdb.RowKey, digest string) (c candidate, ok bool) {
	rec := r.records[k]
	if rec == nil {
		return candidate{k, nil}, digest == "" && r.accepted[k].row != nil
	}
	return candidate{k, rec.row}, rec.row != nil && rec.fields.Digest() == digest
}

func (r *resolver) sameDigests(needs map[configdb.RowKey]string) bool {
	for k, digest := range needs {
		if r.digest(k, r.choose(k)) != digest {
			return false
		}
	}
	return true
}

// digest is that of one of the two versions of a row; "" for none.
func (r *resolver) digest(k configdb.RowKey, row configdb.Row) string {
	switch rec := r.records[k]; {
	case row == nil:
		return ""
	case rec != nil && rec.row == row:
		return rec.fields.Digest()
	default:
		return r.accepted[k].fields.Digest()
	}
}

// tellRefused returns what of the refusals has to be told anew, nil for rows that have none
// any more. Refused versions that CONFIG_DB does not have are not told: an agent that
// starts has no use for them.
func (r *resolver) tellRefused() map[configdb.RowKey]*statedb.Refusal {
	now := make(map[configdb.RowKey]*refusal, len(r.refused))
	for c, x := range r.refused {
		if rec := r.records[c.key]; rec == nil && c.row == nil || rec != nil && c.row != nil && rec.row == c.row {
			now[c.key] = x
		}
	}
	var news map[configdb.RowKey]*statedb.Refusal
	note := func(k configdb.RowKey, t *statedb.Refusal) {
		if news == nil {
			news = map[configdb.RowKey]*statedb.Refusal{}
		}
		news[k] = t
	}
	for k := range r.told {
		if now[k] == nil {
			note(k, nil)
		}
	}
	for k, x := range now {
		if r.told[k] != x {
			note(k, r.stored(k, x))
		}
	}
	r.told = now
	return news
}

// everyRefusal is what tellRefused would return if nothing had been told.
func (r *resolver) everyRefusal() map[configdb.RowKey]*statedb.Refusal {
	all := make(map[configdb.RowKey]*statedb.Refusal, len(r.told))
	for k, x := range r.told {
		all[k] = r.stored(k, x)
	}
	return all
}

func (r *resolver) stored(k configdb.RowKey, x *refusal) *statedb.Refusal {
	t := &statedb.Refusal{Reason: x.reason, Field: x.field, Retry: x.retry, Needs: make(map[configdb.RowKey]string, len(x.needs))}
	if rec := r.records[k]; rec != nil {
		t.Version = rec.fields.Digest()
	}
	for need, row := range x.needs {
		t.Needs[need] = r.digest(need, row)
	}
	return t
}

// deferAll keeps the versions of CONFIG_DB of some rows from being tried, until it is
// called with none.
func (r *resolver) deferAll(rows map[configdb.RowKey]bool) (changed []configdb.RowKey) {
	for _, m := range []map[configdb.RowKey]bool{r.deferred, rows} {
		for k := range m {
			changed = append(changed, k)
		}
	}
	r.deferred = rows
	return changed
}
