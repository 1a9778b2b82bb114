package bufmgr

import (
	"maps"
	"reflect"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// overlay is the effective rows that are not those of CONFIG_DB, with where each
// comes from.
type overlay struct {
	entries  map[configdb.RowKey]*entry
	made     map[configdb.RowKey][]configdb.RowKey // by source: the keys of its entries
	problems map[configdb.RowKey][]graph.Problem   // by source
	warnings []graph.Problem                       // of limits
	// diverging counts, by table, the entries whose row is not CONFIG_DB's.
	diverging map[string]int
	diverges  map[configdb.RowKey]bool
}

func newOverlay() overlay {
	return overlay{
		entries: map[configdb.RowKey]*entry{}, made: map[configdb.RowKey][]configdb.RowKey{},
		problems: map[configdb.RowKey][]graph.Problem{}, diverging: map[string]int{}, diverges: map[configdb.RowKey]bool{},
	}
}

// clone is a copy to change.
func (o *overlay) clone() overlay {
	return overlay{
		entries: maps.Clone(o.entries), made: maps.Clone(o.made), problems: maps.Clone(o.problems), warnings: o.warnings,
		diverging: maps.Clone(o.diverging), diverges: maps.Clone(o.diverges),
	}
}

// derived reports whether a row is one that CONFIG_DB shall hold.
func (o *overlay) derived(k configdb.RowKey) bool {
	e := o.entries[k]
	return e != nil && e.derived
}

// onto is rows with the tables that take effect otherwise, which effective has.
func (o *overlay) onto(rows, effective *configdb.Config) *configdb.Config {
	if len(o.diverges) == 0 {
		return rows
	}
	c := *rows
	for _, name := range tables {
		if o.diverging[name] > 0 {
			c.TakeTable(name, effective)
		}
	}
	return &c
}

// apply puts what sources make now in the place of what they made before, and returns
// the output. changed are the changed rows of the input.
func (o *overlay) apply(u *update, changed []configdb.RowKey) Output {
	out := u.out
	touched := map[configdb.RowKey]bool{}
	for _, k := range changed {
		touched[k] = true
	}
	was := maps.Clone(o.diverging)
	origins, derived := o.replace(u, &out, touched)
	out.Origins, out.Derived = origins, derived
	for k := range touched {
		o.mark(u, k)
	}
	complained := o.complain(u)
	old := u.out.Rows
	out.Rows = o.rows(u, was, touched)
	out.Changed = differ(old, out.Rows, slices.Collect(maps.Keys(touched)))
	c := u.recheck(old, &out, touched)
	out.Shared = c.shared
	if !slices.EqualFunc(o.warnings, c.problems, sameProblem) {
		o.warnings, complained = c.problems, true
	}
	if complained {
		out.Problems = o.sorted()
	}
	return out
}

// replace takes up the entries of sources. It adds their keys to touched, and returns
// origins and derived rows.
func (o *overlay) replace(u *update, out *Output, touched map[configdb.RowKey]bool) (map[configdb.RowKey][]configdb.RowKey, map[configdb.RowKey]configdb.Row) {
	next := map[configdb.RowKey]*entry{}
	gone := map[configdb.RowKey]bool{}
	for src, s := range u.sources {
		for _, k := range o.made[src] {
			gone[k] = true
		}
		o.remember(src, s)
		for i := range s.entries {
			next[s.entries[i].key] = &s.entries[i]
		}
	}
	a := annex{origins: out.Origins, derived: out.Derived}
	if a.derived == nil && !u.dynamicModel() {
		a.derived = map[configdb.RowKey]configdb.Row{}
	}
	for k := range gone {
		if next[k] == nil {
			delete(o.entries, k)
			touched[k] = true
			a.put(k, &entry{})
		}
	}
	for k, e := range next {
		e.row = equalRow(u.out.Rows.Get(k), e.row)
		o.entries[k] = e
		touched[k] = true
		a.put(k, e)
	}
	return a.origins, a.derived
}

// remember notes the keys that a source makes.
func (o *overlay) remember(src configdb.RowKey, s *source) {
	if len(s.entries) == 0 {
		delete(o.made, src)
		return
	}
	keys := make([]configdb.RowKey, len(s.entries))
	for i := range s.entries {
		keys[i] = s.entries[i].key
	}
	o.made[src] = keys
}

// equalRow returns old if row is equal to it, else row.
func equalRow(old, row configdb.Row) configdb.Row {
	if old != nil && row != nil && reflect.DeepEqual(old, row) {
		return old
	}
	return row
}

// mark notes whether a row takes effect otherwise than CONFIG_DB has it.
func (o *overlay) mark(u *update, k configdb.RowKey) {
	e := o.entries[k]
	diverges := e != nil && e.row != u.in.Rows.Get(k)
	if diverges == o.diverges[k] {
		return
	}
	if diverges {
		o.diverges[k] = true
		o.diverging[k.Table()]++
		return
	}
	delete(o.diverges, k)
	o.diverging[k.Table()]--
}

// rows makes the effective rows, of those before and the ones that were touched. was
// says of which tables there were effective rows.
func (o *overlay) rows(u *update, was map[string]int, touched map[configdb.RowKey]bool) *configdb.Config {
	if len(o.diverges) == 0 {
		return u.in.Rows
	}
	c := *u.in.Rows
	for _, name := range tables {
		if was[name] > 0 && o.diverging[name] > 0 {
			c.TakeTable(name, u.out.Rows)
		}
	}
	e := c.Edit()
	for k := range touched {
		if o.diverging[k.Table()] == 0 {
			continue
		}
		row := u.in.Rows.Get(k)
		if over := o.entries[k]; over != nil {
			row = over.row
		}
		switch {
		case row == e.Get(k):
		case row == nil:
			e.Remove(k)
		default:
			e.Put(row)
		}
	}
	return e.Config()
}

// complain takes up problems, and reports whether any are new or gone.
func (o *overlay) complain(u *update) (changed bool) {
	for src, s := range u.sources {
		if slices.EqualFunc(o.problems[src], s.problems, sameProblem) {
			continue
		}
		changed = true
		if len(s.problems) == 0 {
			delete(o.problems, src)
		} else {
			o.problems[src] = s.problems
		}
	}
	return changed
}

func sameProblem(a, b graph.Problem) bool {
	return a.Row == b.Row && a.Severity == b.Severity && a.On == b.On && a.Lacks == b.Lacks && a.Field == b.Field && a.Err.Error() == b.Err.Error()
}

// sorted are all problems in order.
func (o *overlay) sorted() []graph.Problem {
	all := slices.Clone(o.warnings)
	for _, list := range o.problems {
		all = append(all, list...)
	}
	slices.SortFunc(all, compareProblems)
	return all
}

// annex are the maps of an output; they are copied when they are first changed.
type annex struct {
	origins                map[configdb.RowKey][]configdb.RowKey
	derived                map[configdb.RowKey]configdb.Row
	ownOrigins, ownDerived bool
}

// put takes up where an entry comes from, and whether it is derived.
func (a *annex) put(k configdb.RowKey, e *entry) {
	origins := e.origins
	if e.row == nil {
		origins = nil
	}
	if !slices.Equal(a.origins[k], origins) {
		if !a.ownOrigins {
			a.origins, a.ownOrigins = cloned(a.origins), true
		}
		if origins == nil {
			delete(a.origins, k)
		} else {
			a.origins[k] = origins
		}
	}
	row, has := a.derived[k]
	if e.derived == has && (!has || row == e.row) {
		return
	}
	if !a.ownDerived {
		a.derived, a.ownDerived = cloned(a.derived), true
	}
	if e.derived {
		a.derived[k] = e.row
	} else {
		delete(a.derived, k)
	}
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}
