package resolve

import (
	"slices"
	"strings"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/state"
	"xon/sai"
	"xon/schema/configdb"
)

// inEffect is the version of a row in effect.
func (r *Resolution) inEffect(k configdb.RowKey) state.Candidate {
	return state.Candidate{Key: k, Row: r.Rows.Get(k)}
}

// unchanged reports whether a version is the last applied one; none is if none was applied.
func (r *Resolution) unchanged(c state.Candidate) bool { return r.State.Version(c.Key).Row == c.Row }

// RowsOf returns the effective rows that a node comes from, or came from if it is gone: what
// the switch still has of it is theirs.
func (r *Resolution) RowsOf(k graph.Key) []configdb.RowKey {
	for at := r; at != nil; at = at.past {
		if o := at.d.find(k); o != nil {
			return o.Rows
		}
	}
	if !k.First() || k.Spare() || strings.HasPrefix(k.Name, "~") {
		return nil
	}
	return []configdb.RowKey{configdb.Key("PORT", k.Name)} // a port's removal is caused by its row; its presence is not
}

// sourcesOf are the rows of CONFIG_DB that an effective row comes from, or came from if it
// is gone; nil if it is one of them and nothing else plays a part.
func (r *Resolution) sourcesOf(k configdb.RowKey) []configdb.RowKey {
	if o := r.Effective.Origins[k]; o != nil {
		return o
	}
	if r.Effective.Rows.Get(k) != nil {
		return nil
	}
	for at := r.past; at != nil; at = at.past {
		if o := at.Effective.Origins[k]; o != nil {
			return o
		}
	}
	return nil
}

// attributeTo is the row of CONFIG_DB at which to report what concerns an effective row:
// itself if somebody wrote it, else the one of its sources that is to blame.
func (r *Resolution) attributeTo(k configdb.RowKey) configdb.RowKey {
	return r.mostToBlame(k, r.Effective.Origins[k])
}

// mostToBlame is attributeTo for a row that comes, or came, from the given rows.
func (r *Resolution) mostToBlame(k configdb.RowKey, sources []configdb.RowKey) configdb.RowKey {
	if len(sources) == 0 || r.Rows.Get(k) != nil && !r.State.StillDerived[k] {
		return k
	}
	return slices.MinFunc(sources, func(a, b configdb.RowKey) int { return r.blameOrder(a) - r.blameOrder(b) })
}

// blameOrder is the lower the more a row is to blame for what is made of it and others: what
// changed comes before what did not, as that was applied, and of it first what has an
// applied version to go back to.
func (r *Resolution) blameOrder(k configdb.RowKey) int {
	n := len(bufmgr.Inputs)
	place := slices.Index(bufmgr.Inputs, k.Table())
	if place < 0 {
		place = n
	}
	switch now, applied := r.Rows.Get(k), r.State.Version(k).Row; {
	case now == applied || now == nil:
		return place + 2*n + 2
	case applied == nil:
		return place + n + 1
	}
	return place
}

// Owners are the rows of CONFIG_DB behind a node, or behind one that is gone.
func (r *Resolution) Owners(k graph.Key) []configdb.RowKey {
	var all []configdb.RowKey
	for _, row := range r.RowsOf(k) {
		sources := r.sourcesOf(row)
		if o := r.mostToBlame(row, sources); o != row {
			all = append(all, o)
		}
		if r.State.Records.Has(row) || len(sources) == 0 {
			all = append(all, row)
		}
	}
	return all
}

// Blamed is the version of a row that a failure is put down to.
type Blamed struct {
	state.Candidate
	Field string
	// By is the row whose node failed, if that row is unchanged and it is another one,
	// which it refers to, that changed.
	By configdb.RowKey
}

// Blame finds the version behind a node and the field behind an attribute of it: of
// several rows the one that has the field. The key is "" if no row is to blame.
func (r *Resolution) Blame(k graph.Key, a *sai.AttrMeta) Blamed {
	rows := r.RowsOf(k)
	if len(rows) == 0 {
		return Blamed{}
	}
	field, row := fields[a], rows[0]
	if c := r.pfcSwitch(k, row); c.Key != "" {
		return Blamed{Candidate: c, By: row}
	}
	if o := r.mostToBlame(row, r.sourcesOf(row)); o != row {
		return Blamed{Candidate: r.inEffect(o), By: row}
	}
	for _, k := range rows {
		if hasField(r.State.Fields(k), field) {
			row = k
			break
		}
	}
	c := r.inEffect(row)
	if changed := r.changedNeed(c); changed.Key != "" {
		return Blamed{Candidate: changed, By: row}
	}
	return Blamed{Candidate: c, Field: field}
}

// pfcSwitch returns the version of XON_PFC that changes what a port pauses, if an
// unchanged row has that port pause: the others of its settings must not be lost for it.
func (r *Resolution) pfcSwitch(k graph.Key, row configdb.RowKey) state.Candidate {
	c := r.inEffect(configdb.XonPFCKey)
	if k.Facet != graph.PFC || r.unchanged(c) || !r.unchanged(r.inEffect(row)) {
		return state.Candidate{}
	}
	return c
}

// changedNeed returns a version that replaces an applied one, among those that an
// unchanged row refers to: what is applied must not be lost for what changed.
func (r *Resolution) changedNeed(c state.Candidate) state.Candidate {
	if c.Row == nil || !r.unchanged(c) {
		return state.Candidate{}
	}
	if o := r.changedSource(c.Key); o.Key != "" {
		return o
	}
	row := c.Row
	if e := r.Effective.Rows.Get(c.Key); e != nil {
		row = e
	}
	for _, k := range configdb.References(row) {
		need := r.inEffect(k)
		if r.replaces(need) {
			return need
		}
		if deeper := r.changedNeed(need); deeper.Key != "" {
			return deeper
		}
		if o := r.changedSource(k); o.Key != "" {
			return o
		}
	}
	return state.Candidate{}
}

// changedSource returns a version that replaces an applied one, among those that an
// effective row comes from.
func (r *Resolution) changedSource(k configdb.RowKey) state.Candidate {
	for _, o := range r.sourcesOf(k) {
		if c := r.inEffect(o); o != k && r.replaces(c) {
			return c
		}
	}
	return state.Candidate{}
}

// replaces reports whether a version takes the place of an applied one.
func (r *Resolution) replaces(c state.Candidate) bool {
	applied := r.State.Version(c.Key).Row
	return c.Row != nil && applied != nil && applied != c.Row
}

func hasField(f configdb.Fields, name string) bool {
	_, plain := f[name]
	_, list := f[name+"@"]
	return plain || list
}

// Refusal is what a failure says of a version, with what that version needs.
func (r *Resolution) Refusal(k graph.Key, b Blamed, reason string, retry bool) *state.Refusal {
	x := &state.Refusal{Field: b.Field, Reason: reason, Retry: retry, Node: k, Needs: map[configdb.RowKey]configdb.Row{}}
	r.need(x.Needs, b.Row)
	if b.By != "" {
		if by := r.Rows.Get(b.By); by != nil {
			x.Needs[b.By] = r.State.Choose(b.By)
			r.need(x.Needs, x.Needs[b.By])
		}
		r.needSources(x.Needs, b.By)
	}
	r.needSources(x.Needs, b.Key)
	delete(x.Needs, b.Key)
	return x
}

// need adds the versions to try of everything that a row refers to, however indirectly.
func (r *Resolution) need(needs map[configdb.RowKey]configdb.Row, row configdb.Row) {
	if row == nil {
		return
	}
	for _, k := range configdb.References(row) {
		if _, seen := needs[k]; !seen {
			needs[k] = r.State.Choose(k)
			r.need(needs, needs[k])
		}
	}
}

// needSources adds the versions to try of what an effective row comes from.
func (r *Resolution) needSources(needs map[configdb.RowKey]configdb.Row, k configdb.RowKey) {
	for _, o := range r.sourcesOf(k) {
		needs[o] = r.State.Choose(o)
	}
}

// SpareInput is what a failure is put down to without harm to others: an unchanged row
// that computed headroom comes from is not refused, as what is applied would lose its
// headroom, but a new row that asks for it is. The key is "" if there is none.
func (r *Resolution) SpareInput(b Blamed) Blamed {
	if b.By == "" || r.State.ModelName() != configdb.Dynamic || !r.unchanged(b.Candidate) || !isInput(b.Key) {
		return b
	}
	user := configdb.RowKey("")
	for _, pg := range r.Effective.Rows.BufferPGs {
		k := r.written(pg.ID)
		if c := r.inEffect(k); configdb.Key("BUFFER_PROFILE", pg.Profile) == b.By && c.Row != nil && !r.unchanged(c) && (user == "" || k < user) {
			user = k
		}
	}
	return Blamed{Candidate: r.inEffect(user), By: b.By}
}

// written is the row of CONFIG_DB of the same table behind an effective row.
func (r *Resolution) written(k configdb.RowKey) configdb.RowKey {
	for _, o := range r.sourcesOf(k) {
		if o.Table() == k.Table() {
			return o
		}
	}
	return k
}

// isInput reports whether a row is of a table that buffers are computed from.
func isInput(k configdb.RowKey) bool { return slices.Contains(bufmgr.Inputs, k.Table()) }
