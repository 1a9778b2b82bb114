package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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
		e := (&configdb.Config{}).Edit()
		for _, v := range r.State.Applied.All() {
			e.Put(v.Row)
		}
		out := bufmgr.Effective(r.params.Params, bufmgr.Input{Rows: e.Config(), Derived: r.State.StillDerived, Accepted: r.State.Contested})
		*m = appliedMemo{of: r.State.Applied, derived: r.State.StillDerived, params: r.params, out: &out}
	}
	return r.applied.out
}

// Robbing is an error if the buffer manager would take headroom from applied priority
// groups, or all memory from a pool, once it goes by another State: by other files, another
// model or other limits. No row is to blame then, and none could be kept as it was. Headroom
// that is looked up stays by itself.
//
// Another model may take what no lossless priority uses. by says what is other.
func (r *Resolution) Robbing(s *state.State, by string) error {
	next := Resolve(r, s)
	was := r.LastApplied().Rows
	for _, name := range slices.Sorted(maps.Keys(r.Rows.BufferPools)) {
		pool := r.Effective.Rows.BufferPools[name]
		if was.BufferPools[name] == nil || pool == nil || r.Out[pool.ID] || next.Rows.BufferPools[name] == nil {
			continue
		}
		if next.Effective.Rows.BufferPools[name] == nil || next.Out[pool.ID] {
			return fmt.Errorf("%s there would be nothing left for %s%s", by, pool.ID, next.because(pool.ID))
		}
	}
	if lost := r.robbed(next); len(lost) > 0 {
		const most = 8
		if more := len(lost) - most; more > 1 {
			lost = append(lost[:most], fmt.Sprintf("%d more", more))
		}
		return fmt.Errorf("%s lossless traffic would lose its headroom: %s", by, strings.Join(lost, "; "))
	}
	return nil
}

// robbed says of each row of priority groups that loses headroom in another resolution what
// it lacks there.
func (r *Resolution) robbed(next *Resolution) []string {
	had, have, would := groupsWithHeadroom(r.LastApplied().Rows, nil), groupsWithHeadroom(r.Effective.Rows, r.Out), groupsWithHeadroom(next.Effective.Rows, next.Out)
	lost := map[string]string{}
	for g, pg := range had {
		if have[g] == nil || r.State.ModelName() != next.State.ModelName() && !pauses(next.Rows, g.port) {
			continue
		}
		if lack := next.lack(g, would[g]); lack != "" {
			lost[string(pg.ID)] = lack
		}
	}
	var out []string
	for _, k := range slices.SortedFunc(maps.Keys(lost), configdb.CompareNatural) {
		out = append(out, k+" "+lost[k])
	}
	return out
}

// priorityGroup is one of a port.
type priorityGroup struct {
	port string
	n    int
}

// groupsWithHeadroom are the priority groups with headroom, and their rows. What rests on rows
// that are out has none.
func groupsWithHeadroom(rows *configdb.Config, out map[configdb.RowKey]bool) map[priorityGroup]*configdb.BufferPG {
	groups := map[priorityGroup]*configdb.BufferPG{}
	for _, row := range rows.BufferPGs {
		p := rows.BufferProfiles[row.Profile]
		if p == nil || p.Xoff == 0 || out[row.ID] || out[p.ID] {
			continue
		}
		if pool := rows.BufferPools[p.Pool]; pool == nil || out[pool.ID] {
			continue
		}
		for _, port := range row.Ports {
			for n := row.Lo; n <= row.Hi; n++ {
				groups[priorityGroup{port, n}] = row
			}
		}
	}
	return groups
}

// lack says what a priority group lacks to have headroom; "" if it has. row is the effective
// row by which it has some; nil: there is none.
func (r *Resolution) lack(g priorityGroup, row *configdb.BufferPG) string {
	if row != nil {
		p, chip := r.Effective.Rows.BufferProfiles[row.Profile], r.Params().MMUBytes
		if need := max(p.Size, p.Xon, p.Xoff); chip > 0 && need > chip {
			return fmt.Sprintf("would need %d bytes, of which the chip has %d", need, chip)
		}
		return ""
	}
	for _, pg := range r.Rows.BufferPGs {
		if pg.Profile == configdb.DynamicHeadroom && covers(pg, g) && r.State.ModelName() == configdb.Traditional {
			return "names no profile: give it one with xoff, as only the dynamic model computes headroom"
		}
	}
	for _, pg := range r.Rows.BufferPGs {
		if covers(pg, g) && r.Out[pg.ID] {
			return "would have none" + r.because(pg.ID)
		}
	}
	for _, p := range r.Effective.Problems {
		if id, ok := strings.CutPrefix(string(p.Row), "BUFFER_PG|"+g.port+"|"); ok && p.Severity != graph.Warned && spans(id, g.n) {
			return "would have none: " + p.Err.Error()
		}
	}
	return "would have none"
}

// covers reports whether a row is for a priority group.
func covers(pg *configdb.BufferPG, g priorityGroup) bool {
	return pg.Lo <= g.n && g.n <= pg.Hi && slices.Contains(pg.Ports, g.port)
}

// spans reports whether the end of a key, "3-4", is for a priority group.
func spans(key string, n int) bool {
	var lo, hi int
	if k, _ := fmt.Sscanf(key, "%d-%d", &lo, &hi); k == 1 {
		hi = lo
	}
	return lo <= n && n <= hi
}

// because adds why no version of a row can be applied, if it is known.
func (r *Resolution) because(k configdb.RowKey) string {
	for _, p := range append(slices.Clone(r.modelProblems(k)), r.Verdicts[k]) {
		if p.Severity != graph.Warned && p.Err != nil {
			return ": " + p.Err.Error()
		}
	}
	return ""
}

// pauses reports whether a port has lossless priorities, whichever groups those go to.
func pauses(rows *configdb.Config, port string) bool {
	for _, m := range rows.PortQoSMaps {
		if m.PFC != 0 && slices.Contains(m.Ports, port) {
			return true
		}
	}
	return false
}
