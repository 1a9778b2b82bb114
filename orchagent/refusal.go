package orchagent

import (
	"errors"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
)

// refusal is what the chip said to one version of a row.
type refusal struct {
	attr   *sai.AttrMeta // the attribute at fault; nil if it is not known
	field  string        // the field behind attr
	status sai.Status
	err    error
	retry  bool // the same may succeed later
	// needs are the versions to try of the rows that this one refers to. With others
	// the chip may answer otherwise.
	needs map[configdb.RowKey]configdb.Row
}

// candidate is one version of a row; row is nil for its removal.
type candidate struct {
	key configdb.RowKey
	row configdb.Row
}

// refusals are the versions that the chip refused.
type refusals map[candidate]*refusal

// refuse takes up the failures of a pass, each against the version of the row that
// was tried. It returns the rows concerned; those refused before in the same way
// are not among them.
func (r *resolver) refuse(failed map[graph.Key]*reconcile.Failure) []configdb.RowKey {
	var rows []configdb.RowKey
	for _, k := range sortedKeys(failed) {
		f := failed[k]
		if errors.Is(f.Err, reconcile.ErrBlocked) {
			continue
		}
		row, field := r.blame(k, f.Attr)
		c := candidate{row, r.rows.Get(row)}
		if row == "" || r.refused[c] != nil || c.row == nil && (r.records[row] != nil || r.accepted[row].row == nil) {
			continue // nobody to blame, or nothing to go back to
		}
		x := &refusal{attr: f.Attr, field: field, err: f.Err, retry: sai.Retriable(f.Err), needs: r.needs(c.row)}
		errors.As(f.Err, &x.status)
		r.refused[c] = x
		rows = append(rows, row)
		r.d.judged[row] = true
	}
	return rows
}

func sortedKeys(failed map[graph.Key]*reconcile.Failure) []graph.Key {
	keys := make([]graph.Key, 0, len(failed))
	for k := range failed {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}

// blame returns the row behind a node and the field behind an attribute of it: of
// several rows the one that has the field.
func (r *resolver) blame(k graph.Key, a *sai.AttrMeta) (row configdb.RowKey, field string) {
	rows := r.d.rows(k)
	if len(rows) == 0 {
		return "", ""
	}
	field = fields[a]
	for _, name := range rows {
		if rec := r.records[configdb.RowKey(name)]; rec != nil && hasField(rec.fields, field) {
			return configdb.RowKey(name), field
		}
	}
	return configdb.RowKey(rows[0]), field
}

func hasField(f configdb.Fields, name string) bool {
	_, plain := f[name]
	_, list := f[name+"@"]
	return plain || list
}

// needs are the versions to try of the rows that a row refers to.
func (r *resolver) needs(row configdb.Row) map[configdb.RowKey]configdb.Row {
	if row == nil {
		return nil
	}
	needs := map[configdb.RowKey]configdb.Row{}
	for _, k := range configdb.References(row) {
		needs[k] = r.choose(k)
	}
	return needs
}

// forget drops what the chip said where it no longer matters: of versions that are
// gone, and of those whose needs changed. It returns the rows concerned.
func (r *resolver) forget() []configdb.RowKey {
	var rows []configdb.RowKey
	for c, x := range r.refused {
		if !r.current(c) || !r.sameNeeds(x) {
			delete(r.refused, c)
			rows = append(rows, c.key)
		}
	}
	return rows
}

// current reports whether a version is still one that may be tried.
func (r *resolver) current(c candidate) bool {
	rec, acc := r.records[c.key], r.accepted[c.key]
	switch {
	case c.row == nil:
		return rec == nil
	case acc.row == c.row:
		return true
	}
	return rec != nil && rec.row == c.row
}

func (r *resolver) sameNeeds(x *refusal) bool {
	for k, row := range x.needs {
		if r.choose(k) != row {
			return false
		}
	}
	return true
}

// retriable drops refusals that are worth a retry and returns their rows.
func (r *resolver) retriable() []configdb.RowKey {
	var rows []configdb.RowKey
	for c, x := range r.refused {
		if x.retry {
			delete(r.refused, c)
			rows = append(rows, c.key)
		}
	}
	return rows
}
