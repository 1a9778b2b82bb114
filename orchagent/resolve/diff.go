package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/state"
	"xon/schema/configdb"
)

// Nodes makes g, which is the graph of was, that of r. It returns the keys of the nodes that
// are not the same by pointer, and whether any asks for something else. was may be nil:
// then g is empty.
func (r *Resolution) Nodes(g graph.Graph, was *Resolution) (keys []graph.Key, differs bool) {
	had := graph.Graph{}
	r.d.diff(was.derivation(), func(was, _ *part) {
		for _, o := range was.origins() {
			had[o.Key] = o.Node
			delete(g, o.Key)
			keys = append(keys, o.Key)
		}
	})
	stay := 0
	r.d.diff(was.derivation(), func(_, is *part) {
		for _, o := range is.origins() {
			if g[o.Key] != nil {
				panic(fmt.Sprintf("resolve: %s is derived twice", o.Key))
			}
			g[o.Key] = o.Node
			if before := had[o.Key]; before == nil {
				keys, differs = append(keys, o.Key), true
			} else {
				stay++
				differs = differs || !slices.Equal(before.Attrs, o.Node.Attrs)
			}
		}
	})
	return keys, differs || stay < len(had)
}

// NodeKeysDiff are the keys of the nodes that may differ from those of another resolution;
// was may be nil.
func (r *Resolution) NodeKeysDiff(was *Resolution) []graph.Key {
	var keys []graph.Key
	r.d.diff(was.derivation(), func(was, is *part) {
		for _, p := range []*part{was, is} {
			for _, o := range p.origins() {
				keys = append(keys, o.Key)
			}
		}
	})
	return keys
}

// derivation is that of a resolution, which may be nil.
func (r *Resolution) derivation() *derivation {
	if r == nil {
		return &derivation{}
	}
	return r.d
}

func (p *part) origins() []graph.Origin {
	if p == nil {
		return nil
	}
	return p.nodes
}

// NodesDiff are the keys of the nodes of some ports that another resolution has otherwise.
func (r *Resolution) NodesDiff(was *Resolution, ports []*intent.Port) []graph.Key {
	var keys []graph.Key
	for _, port := range ports {
		before, after := was.d.port(port.Name), r.d.port(port.Name)
		for _, o := range after.origins() {
			if b := before.find(o.Key); b == nil || !slices.Equal(b.Node.Attrs, o.Node.Attrs) {
				keys = append(keys, o.Key)
			}
		}
		for _, o := range before.origins() {
			if after.find(o.Key) == nil {
				keys = append(keys, o.Key)
			}
		}
	}
	return keys
}

// StatusDiff are the rows of which there may be something else to say than by another
// resolution; by nil: all rows.
func (r *Resolution) StatusDiff(was *Resolution) map[configdb.RowKey]bool {
	rows := map[configdb.RowKey]bool{}
	if was == nil {
		for k := range r.State.Records.All() {
			rows[k] = true
		}
		for k := range r.State.Applied.All() {
			rows[k] = true
		}
		return rows
	}
	r.stateDiff(was, rows)
	mapDiff(was.Verdicts, r.Verdicts, sameProblem, rows)
	mapDiff(was.Out, r.Out, func(a, b bool) bool { return a == b }, rows)
	retained := map[configdb.RowKey]bool{}
	mapDiff(was.Retained, r.Retained, func(a, b Referrers) bool { return a == b }, retained)
	for k := range retained { // the first row that refers to it is warned
		rows[k], rows[was.Retained[k].First], rows[r.Retained[k].First] = true, true, true
	}
	r.problemsDiff(was, rows)
	r.managerDiff(was, rows)
	r.addSources(rows)
	delete(rows, "")
	return rows
}

// stateDiff adds the rows of which the States have something else.
func (r *Resolution) stateDiff(was *Resolution, rows map[configdb.RowKey]bool) {
	a, b := was.State, r.State
	for k := range a.Records.Diff(b.Records) {
		rows[k] = true
	}
	for k := range a.Applied.Diff(b.Applied) {
		rows[k] = true
	}
	for c := range a.Refused.Diff(b.Refused) {
		rows[c.Key] = true
	}
	derivedDiff(a.Withheld, b.Withheld, rows)
}

// problemsDiff adds the rows with other problems, but for those of the buffer manager.
func (r *Resolution) problemsDiff(was *Resolution, rows map[configdb.RowKey]bool) {
	if !sameMap(was.d.index.Problems, r.d.index.Problems) {
		mapDiff(was.d.index.Problems, r.d.index.Problems, sameProblem, rows)
	}
	r.d.diff(was.d, func(was, is *part) {
		for _, p := range []*part{was, is} {
			for _, problem := range p.faults() {
				rows[problem.Row] = true
			}
		}
	})
}

func (p *part) faults() []graph.Problem {
	if p == nil {
		return nil
	}
	return p.problems
}

// managerDiff adds the rows of which the buffer manager says something else.
func (r *Resolution) managerDiff(was *Resolution, rows map[configdb.RowKey]bool) {
	add := func(by *Resolution, p graph.Problem) {
		k := p.Row
		rows[k] = true
		if by.Rows.Get(k) == nil || by.State.StillDerived[k] {
			rows[by.unmade(p).Row] = true
		}
	}
	onlyIn(was.Effective.Problems, r.Effective.Problems, func(p graph.Problem) { add(was, p) })
	onlyIn(r.Effective.Problems, was.Effective.Problems, func(p graph.Problem) { add(r, p) })
	if was.State.Files == r.State.Files && was.State.Model == r.State.Model && was.State.ModelKept == r.State.ModelKept {
		return
	}
	rows[state.Metadata] = true
	for row := range r.Rows.Unread() { // what is said of them depends on the model
		rows[row.RowKey()] = true
	}
}

// UnmadeDiff are the problems of rows that others ask for and that can't be made, without
// those that another resolution has too; was may be nil.
func (r *Resolution) UnmadeDiff(was *Resolution) []graph.Problem {
	var before, fresh []graph.Problem
	if was != nil {
		before = was.Effective.Problems
	}
	onlyIn(r.Effective.Problems, before, func(p graph.Problem) {
		if k := p.Row; p.Severity == graph.Refused && (r.Rows.Get(k) == nil || r.State.StillDerived[k]) {
			fresh = append(fresh, p)
		}
	})
	return fresh
}

// onlyIn calls f with the problems of a that b does not have. Both are in order of rows.
func onlyIn(a, b []graph.Problem, f func(graph.Problem)) {
	if len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) {
		return
	}
	for _, p := range a {
		for len(b) > 0 && b[0].Row < p.Row {
			b = b[1:]
		}
		same := false
		for i := 0; i < len(b) && b[i].Row == p.Row; i++ {
			same = same || sameProblem(p, b[i])
		}
		if !same {
			f(p)
		}
	}
}

func sameProblem(a, b graph.Problem) bool {
	return a.Row == b.Row && a.Severity == b.Severity && a.On == b.On && a.Lacks == b.Lacks && a.Field == b.Field && a.Err.Error() == b.Err.Error()
}

// mapDiff adds the keys whose values differ.
func mapDiff[V any](a, b map[configdb.RowKey]V, same func(a, b V) bool, to map[configdb.RowKey]bool) {
	for k, v := range a {
		if w, ok := b[k]; !ok || !same(v, w) {
			to[k] = true
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			to[k] = true
		}
	}
}

// addSources adds the configured rows that a generated row's status is reported on.
func (r *Resolution) addSources(rows map[configdb.RowKey]bool) {
	var sources []configdb.RowKey
	for k := range rows {
		if !r.State.Records.Has(k) || r.State.StillDerived[k] {
			sources = append(sources, r.sourcesOf(k)...)
		}
	}
	for _, k := range sources {
		rows[k] = true
	}
}

// Inert are the effective rows that are not applied. failed are nodes that the switch does
// not have as they should be.
func (r *Resolution) Inert(failed []graph.Key) map[configdb.RowKey]bool {
	out := map[configdb.RowKey]bool{}
	for p := range r.d.problems {
		if p.Severity != graph.Warned {
			out[p.Row] = true
		}
	}
	for _, k := range failed {
		for _, row := range r.RowsOf(k) {
			out[row] = true
		}
	}
	self := func(k configdb.RowKey) configdb.RowKey { return k }
	for k, s := range r.scarce(r.Effective.Rows, self) {
		if !s.Partly() {
			out[k] = true
		}
	}
	return out
}

// BufferRowsDiff are the effective buffer rows that another resolution has otherwise; all
// of r if was is nil.
func (r *Resolution) BufferRowsDiff(was *Resolution) []configdb.RowKey {
	before := &configdb.Config{}
	if was != nil {
		before = was.Effective.Rows
	}
	var keys []configdb.RowKey
	for k := range before.Diff(r.Effective.Rows) {
		if bufmgr.Makes(k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// FieldsOf are the fields of an effective row: those that somebody wrote, plainly spelled,
// or as few as mean it.
func (r *Resolution) FieldsOf(row configdb.Row) configdb.Fields {
	k := row.RowKey()
	if rec := r.State.Records.Get(k); rec != nil && rec.Row == row {
		return configdb.Plain(row, rec.Fields)
	}
	if v := r.State.Version(k); v.Row == row {
		return configdb.Plain(row, v.Fields)
	}
	return configdb.Format(row)
}

// Swept counts the buffer rows that take effect otherwise than by another resolution, of
// ports whose own rows differ: those of a port that is taken down give back their buffers.
func (r *Resolution) Swept(was *Resolution) int {
	ports := map[string]bool{}
	for k := range was.Rows.Diff(r.Rows) {
		if k.Table() == "PORT" {
			ports[k.Key()] = true
		}
	}
	n := 0
	for _, k := range r.BufferRowsDiff(was) {
		if port, _, _ := strings.Cut(k.Key(), "|"); ports[port] {
			n++
		}
	}
	return n
}

// WriteBack are the rows of CONFIG_DB that are otherwise than others ask for, in order: nil
// for those that are to go. Rows that somebody wrote or changed are left alone.
func (r *Resolution) WriteBack() map[configdb.RowKey]configdb.Row {
	changes := map[configdb.RowKey]configdb.Row{}
	for k := range r.State.StillDerived {
		if r.Effective.Derived[k] == nil {
			changes[k] = nil
		}
	}
	for k, row := range r.Effective.Derived {
		rec := r.State.Records.Get(k)
		switch {
		case rec != nil && (rec.Row == row || !r.State.StillDerived[k]):
		case rec == nil || !maps.Equal(configdb.Format(row), rec.Fields):
			changes[k] = row
		}
	}
	return changes
}
