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
	field  string // at fault; "" if it is not known
	reason string
	retry  bool // the same may succeed later
	// node is what the chip refused of it; zero if it was refused to an agent before this one.
	node graph.Key
	// needs are the versions to try of the rows that this one refers to, by way of
	// others too. With other versions the chip may answer otherwise.
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
		if errors.Is(f.Err, reconcile.ErrBlocked) || chipLost(f) {
			continue // the chip was not asked, or went away
		}
		b := r.blame(k, f.Attr)
		if b.key == "" || r.refused[b.candidate] != nil || b.row == nil && (r.records[b.key] != nil || r.accepted[b.key].row == nil) {
			continue // nobody to blame, or nothing to go back to
		}
		if b = r.spareInput(b); b.key == "" {
			continue // nobody new asks for it: what failed is tried again
		}
		x := &refusal{field: b.field, reason: r.reason(k, b, f), retry: sai.Retriable(f.Err), node: k, needs: map[configdb.RowKey]configdb.Row{}}
		r.need(x.needs, b.row)
		if b.by != "" {
			if by := r.rows.Get(b.by); by != nil {
				x.needs[b.by] = r.choose(b.by)
				r.need(x.needs, x.needs[b.by])
			}
			r.needOrigins(x.needs, b.by)
		}
		r.needOrigins(x.needs, b.key)
		delete(x.needs, b.key)
		r.refused[b.candidate] = x
		rows = append(rows, b.key)
		r.d.judged[b.key] = true
	}
	return rows
}

// spareInput is what a failure is put down to without harm to others: an unchanged row
// that computed headroom comes from is not refused, as what is applied would lose its
// headroom, but a new row that asks for it is. The key is "" if there is none.
func (r *resolver) spareInput(b blamed) blamed {
	if b.by == "" || r.model() != configdb.Dynamic || r.accepted[b.key].row != b.row || !isInput(b.key) {
		return b
	}
	user := configdb.RowKey("")
	for _, pg := range r.eff.Rows.BufferPGs {
		k := r.written(pg.ID)
		if row := r.rows.Get(k); configdb.Key("BUFFER_PROFILE", pg.Profile) == b.by && row != nil && r.accepted[k].row != row && (user == "" || k < user) {
			user = k
		}
	}
	return blamed{candidate: candidate{user, r.rows.Get(user)}, by: b.by}
}

// written is the row of CONFIG_DB of the same table behind an effective row.
func (r *resolver) written(k configdb.RowKey) configdb.RowKey {
	for _, o := range r.origins(k) {
		if o.Table() == k.Table() {
			return o
		}
	}
	return k
}

// chipLost reports whether a step failed because the chip went away in the middle of
// it, which says nothing of any row.
func chipLost(f *reconcile.Failure) bool { return errors.Is(f.Err, sai.StatusUninitialized) }

// reason says what the chip said.
func (r *resolver) reason(k graph.Key, b blamed, f *reconcile.Failure) string {
	text := f.Err.Error()
	if f.Attr != nil {
		var st sai.Status
		errors.As(f.Err, &st)
		text = f.Attr.FullName() + ": " + st.Name() + r.limit(k, f.Attr, f.Err)
	}
	if b.by != "" {
		text = string(b.by) + ": " + text
	}
	return text
}

func sortedKeys(failed map[graph.Key]*reconcile.Failure) []graph.Key {
	keys := make([]graph.Key, 0, len(failed))
	for k := range failed {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}

// blamed is the version of a row that a failure is put down to.
type blamed struct {
	candidate
	field string
	// by is the row whose node failed, if that row is unchanged and it is another one,
	// which it refers to, that changed.
	by configdb.RowKey
}

// blame finds the version behind a node and the field behind an attribute of it: of
// several rows the one that has the field.
func (r *resolver) blame(k graph.Key, a *sai.AttrMeta) blamed {
	rows := r.d.rows(k)
	if len(rows) == 0 {
		return blamed{}
	}
	field, row := fields[a], configdb.RowKey(rows[0])
	if c := r.pfcSwitch(k, row); c.key != "" {
		return blamed{candidate: c, by: row}
	}
	if o := r.ownerOf(row, r.origins(row)); o != row {
		return blamed{candidate: candidate{o, r.rows.Get(o)}, by: row}
	}
	for _, name := range rows {
		if rec := r.records[configdb.RowKey(name)]; rec != nil && hasField(rec.fields, field) {
			row = configdb.RowKey(name)
			break
		}
	}
	c := candidate{row, r.rows.Get(row)}
	if changed := r.changedNeed(c); changed.key != "" {
		return blamed{candidate: changed, by: row}
	}
	return blamed{candidate: c, field: field}
}

// pfcSwitch returns the version of XON_PFC that changes what a port pauses, if an
// unchanged row has that port pause: the others of its settings must not be lost for it.
func (r *resolver) pfcSwitch(k graph.Key, row configdb.RowKey) candidate {
	c := candidate{configdb.XonPFCKey, r.rows.Get(configdb.XonPFCKey)}
	if k.Facet != graph.PFC || r.accepted[c.key].row == c.row || r.accepted[row].row != r.rows.Get(row) {
		return candidate{}
	}
	return c
}

// changedNeed returns a version that replaces an accepted one, among those that an
// unchanged row refers to: what was in force must not be lost for what changed.
func (r *resolver) changedNeed(c candidate) candidate {
	if c.row == nil || r.accepted[c.key].row != c.row {
		return candidate{}
	}
	if o := r.changedOrigin(c.key); o.key != "" {
		return o
	}
	row := c.row
	if e := r.eff.Rows.Get(c.key); e != nil {
		row = e
	}
	for _, k := range configdb.References(row) {
		need, acc := candidate{k, r.rows.Get(k)}, r.accepted[k].row
		if need.row != nil && acc != nil && acc != need.row {
			return need
		}
		if deeper := r.changedNeed(need); deeper.key != "" {
			return deeper
		}
		if o := r.changedOrigin(k); o.key != "" {
			return o
		}
	}
	return candidate{}
}

// changedOrigin returns a version that replaces an accepted one, among those that an
// effective row comes from.
func (r *resolver) changedOrigin(k configdb.RowKey) candidate {
	for _, o := range r.origins(k) {
		if now, acc := r.rows.Get(o), r.accepted[o].row; o != k && now != nil && acc != nil && acc != now {
			return candidate{o, now}
		}
	}
	return candidate{}
}

func hasField(f configdb.Fields, name string) bool {
	_, plain := f[name]
	_, list := f[name+"@"]
	return plain || list
}

// need adds the versions to try of everything that a row refers to, however
// indirectly.
func (r *resolver) need(needs map[configdb.RowKey]configdb.Row, row configdb.Row) {
	if row == nil {
		return
	}
	for _, k := range configdb.References(row) {
		if _, seen := needs[k]; !seen {
			needs[k] = r.choose(k)
			r.need(needs, needs[k])
		}
	}
}

// needOrigins adds the versions to try of what an effective row comes from.
func (r *resolver) needOrigins(needs map[configdb.RowKey]configdb.Row, k configdb.RowKey) {
	for _, o := range r.origins(k) {
		needs[o] = r.choose(o)
	}
}

// forget drops what the chip said where it no longer matters: of versions that are
// gone, and of those whose needs changed. It returns the rows concerned.
func (r *resolver) forget() []configdb.RowKey {
	var rows []configdb.RowKey
	for c, x := range r.refused {
		if !r.matters(c, x) {
			delete(r.refused, c)
			rows = append(rows, c.key)
		}
	}
	return rows
}

// outdated reports whether there is something to forget: a refusal may no longer
// matter because of a later one.
func (r *resolver) outdated() bool {
	for c, x := range r.refused {
		if !r.matters(c, x) {
			return true
		}
	}
	return false
}

// matters reports whether the chip would be asked the same again.
func (r *resolver) matters(c candidate, x *refusal) bool { return r.current(c) && r.sameNeeds(x) }

// current reports whether a version is still one that may be tried.
func (r *resolver) current(c candidate) bool {
	rec, acc := r.records[c.key], r.accepted[c.key]
	switch {
	case c.row == nil:
		return rec == nil && acc.row != nil
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

// retriable drops refusals that are worth a retry. It returns their rows, with what was
// refused of each.
func (r *resolver) retriable() map[configdb.RowKey]graph.Key {
	rows := map[configdb.RowKey]graph.Key{}
	for c, x := range r.refused {
		if x.retry {
			delete(r.refused, c)
			rows[c.key] = x.node
		}
	}
	return rows
}

// probes has all nodes of rows that are tried again wait for the one that was refused: one
// queue of a range that finds no room must not have the others set and reset each time.
func (r *resolver) probes(rows map[configdb.RowKey]graph.Key) map[graph.Key]graph.Key {
	probes := map[graph.Key]graph.Key{}
	if len(rows) == 0 {
		return nil
	}
	for k := range r.d.nodes {
		for _, row := range r.d.rows(k) {
			if first := rows[configdb.RowKey(row)]; first.Name != "" {
				probes[k] = first
			}
		}
	}
	return probes
}
