package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/state"
	"xon/schema/configdb"
)

// robber returns the changed row for which an unchanged one would lose what the dynamic
// buffer model gave it: a priority group its headroom, a pool its size; "" if there is
// none, or nothing to lose. What is paused must not lose its headroom because a cable, a
// speed or another input is bad. p is the problem that the row has.
func (r *Resolution) robber(k configdb.RowKey, p graph.Problem) configdb.RowKey {
	row := r.Rows.Get(k)
	if r.State.ModelName() != configdb.Dynamic || row == nil || !r.State.IsApplied(row) || !r.hadBuffer(row) {
		return ""
	}
	if on := p.On; r.changedInput(on) {
		return on
	}
	var worst configdb.RowKey
	for other := range r.Rows.All() {
		if o := other.RowKey(); r.changedInput(o) && sharePort(row, other) &&
			(worst == "" || cmp.Or(r.blameOrder(o)-r.blameOrder(worst), configdb.CompareNatural(string(o), string(worst))) < 0) {
			worst = o
		}
	}
	return worst
}

// changedInput reports whether a row is one that buffers are computed from, and is not as
// it was last applied.
func (r *Resolution) changedInput(k configdb.RowKey) bool {
	row := r.Rows.Get(k)
	return row != nil && !r.State.IsApplied(row) && !r.State.StillDerived[k] && isInput(k)
}

// sharePort reports whether two rows may matter to each other: unless both are for
// ports, and for other ones.
func sharePort(a, b configdb.Row) bool {
	of := func(row configdb.Row) []configdb.RowKey {
		if _, ok := row.(*configdb.Port); ok {
			return []configdb.RowKey{row.RowKey()}
		}
		return slices.DeleteFunc(configdb.References(row), func(k configdb.RowKey) bool { return k.Table() != "PORT" })
	}
	p, q := of(a), of(b)
	return len(p) == 0 || len(q) == 0 || slices.ContainsFunc(p, func(k configdb.RowKey) bool { return slices.Contains(q, k) })
}

// hadBuffer reports whether the dynamic buffer model gave a row what it asks for, with all
// rows as they were last applied.
func (r *Resolution) hadBuffer(row configdb.Row) bool {
	switch row := row.(type) {
	case *configdb.BufferPool:
		return r.LastApplied().Rows.BufferPools[row.Name] != nil
	case *configdb.BufferPG:
		return r.hadHeadroom(row)
	}
	return false
}

func (r *Resolution) hadHeadroom(row *configdb.BufferPG) bool {
	was := r.LastApplied()
	for _, pg := range was.Rows.BufferPGs {
		if pg.ID != row.ID && !slices.Contains(was.Origins[pg.ID], row.ID) {
			continue
		}
		if p := was.Rows.BufferProfiles[pg.Profile]; p != nil && p.Xoff > 0 {
			return true
		}
	}
	return false
}

// appliedMemo keeps what the last applied versions come to.
type appliedMemo struct {
	of      state.Map[configdb.RowKey, *state.Version]
	derived map[configdb.RowKey]bool
	params  *parameters
	out     *bufmgr.Output
}

// LastApplied is what the last applied versions of all rows come to.
func (r *Resolution) LastApplied() *bufmgr.Output {
	if m := r.applied; m.out == nil || m.of != r.State.Applied || !sameMap(m.derived, r.State.StillDerived) || m.params != r.params {
		out := r.appliedBy(r.params.Params)
		*m = appliedMemo{of: r.State.Applied, derived: r.State.StillDerived, params: r.params, out: &out}
	}
	return r.applied.out
}

// appliedBy is what the last applied versions of all rows come to by other parameters.
func (r *Resolution) appliedBy(p bufmgr.Params) bufmgr.Output {
	e := (&configdb.Config{}).Edit()
	for _, v := range r.State.Applied.All() {
		e.Put(v.Row)
	}
	return bufmgr.Effective(p, bufmgr.Input{Rows: e.Config(), Derived: r.State.StillDerived, Accepted: r.State.Contested})
}

// Robbing is an error if the buffer manager would compute no headroom by other files, or
// more than the chip has, for a priority group that has some, or would leave nothing for a
// pool: no row is to blame then, and none could be kept as it was. Headroom that is looked
// up stays by itself.
func (r *Resolution) Robbing(files bufmgr.Params) error {
	if m := r.State.Chosen(); r.State.ModelName() != configdb.Dynamic || m == nil || m.BufferModel != configdb.Dynamic {
		return nil
	}
	p := Parameters(r.State, r.Device, files)
	was, would := r.LastApplied().Rows, r.appliedBy(p).Rows
	for _, k := range slices.Sorted(maps.Keys(was.BufferPools)) {
		if would.BufferPools[k] == nil {
			return fmt.Errorf("by these files there would be nothing left for BUFFER_POOL|%s; the buffer manager goes on with what it had", k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(was.BufferPGs)) {
		if had := profileOf(was, k); had == nil || had.Xoff == 0 {
			continue
		}
		got := profileOf(would, k)
		switch {
		case got == nil || got.Xoff == 0:
			return fmt.Errorf("BUFFER_PG|%s has headroom, and by these files it would have none; the buffer manager goes on with what it had", k)
		case p.MMUBytes > 0 && max(got.Size, got.Xon, got.Xoff) > p.MMUBytes:
			return fmt.Errorf("BUFFER_PG|%s has headroom, and by these files it would need %d bytes, of which the chip has %d; the buffer manager goes on with what it had",
				k, max(got.Size, got.Xon, got.Xoff), p.MMUBytes)
		}
	}
	return nil
}

// profileOf is the profile of a priority group, by its key; nil if it has none.
func profileOf(rows *configdb.Config, pg string) *configdb.BufferProfile {
	row := rows.BufferPGs[pg]
	if row == nil {
		return nil
	}
	return rows.BufferProfiles[row.Profile]
}
