package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// demote replaces versions that can't be applied by the last applied ones, and reports
// whether there were any. Those that only wait for another row which is replaced are
// looked at again after that.
func (w *resolving) demote() bool {
	bad := w.bad()
	demoted := map[configdb.RowKey]bool{}
	for _, k := range slices.Sorted(maps.Keys(bad)) {
		p := w.blamedProblem(k, bad[k])
		blamed := p.Row
		evicted := blamed != k && w.State.Version(blamed).Row == nil // see robber
		if (evicted || w.demotable(blamed)) && !w.waitsForDemotable(bad, p) && !demoted[blamed] {
			demoted[blamed] = true
			w.Verdicts[blamed] = p
		}
	}
	for k := range demoted {
		w.put(k, w.State.Version(k).Row)
		w.Deviant[k] = true
	}
	if len(demoted) > 0 {
		return true
	}
	w.Out = make(map[configdb.RowKey]bool, len(bad))
	for k, p := range bad {
		w.Out[k] = true
		if _, ok := w.Verdicts[k]; !ok {
			w.Verdicts[k] = p
		}
	}
	return false
}

// blamedProblem puts the refusal of an unchanged row down to the row that it does not fit, or
// one that this needs, if that changed: what is applied must not be lost for what changed.
func (r *Resolution) blamedProblem(k configdb.RowKey, p graph.Problem) graph.Problem {
	if by := r.robber(k, p); by != "" {
		return graph.Problem{Row: by, Severity: graph.Refused, Err: fmt.Errorf("%s would lose what it has: %w", k, p.Err)}
	}
	on := r.inEffect(p.On)
	if p.Severity != graph.Refused || !r.unchanged(r.inEffect(k)) {
		return p
	}
	switch {
	case on.Row == nil:
		on = r.changedSource(k)
	case r.unchanged(on):
		on = r.changedNeed(on)
	}
	if on.Key == "" {
		return p
	}
	return graph.Problem{Row: on.Key, Severity: graph.Refused, Err: fmt.Errorf("%s: %w", k, p.Err)}
}

// bad returns the gravest problem of each row that is not applied.
func (r *Resolution) bad() map[configdb.RowKey]graph.Problem {
	bad := map[configdb.RowKey]graph.Problem{}
	for p := range r.Problems {
		if p.Severity == graph.Warned {
			continue
		}
		k := p.Row
		p = r.untried(p)
		if have, ok := bad[k]; !ok || compareProblems(p, have) < 0 {
			bad[k] = p
		}
	}
	return bad
}

// untried is a problem that, if it is about a row which is there but of which no version
// can be tried, says that and not that the row, or what is in it, does not exist.
func (r *Resolution) untried(p graph.Problem) graph.Problem {
	if on := p.On; r.State.Records.Has(on) && r.Rows.Get(on) == nil {
		p.Err = fmt.Errorf("%s is not in force", on)
	}
	return p
}

// compareProblems puts the gravest problem first.
func compareProblems(a, b graph.Problem) int {
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.On, b.On), cmp.Compare(a.Lacks, b.Lacks), cmp.Compare(a.Err.Error(), b.Err.Error()),
	)
}

// waitsForDemotable follows what a row waits for, and reports whether a row on the
// way is about to be replaced.
func (w *resolving) waitsForDemotable(bad map[configdb.RowKey]graph.Problem, p graph.Problem) bool {
	for range len(bad) { // rows may wait for each other
		on := p.On
		next, ok := bad[on]
		switch {
		case p.Severity != graph.Waiting || !ok:
			return false
		case w.demotable(on):
			return true
		}
		p = next
	}
	return false
}
