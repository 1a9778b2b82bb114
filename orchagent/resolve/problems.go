package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/state"
	"xon/schema/configdb"
)

// Problems yields what is wrong with rows of CONFIG_DB, in no order. What is wrong with
// an effective row that nobody wrote is reported at the row that made it so.
func (r *Resolution) Problems(yield func(graph.Problem) bool) {
	for _, p := range r.Effective.Problems {
		if k := p.Row; r.Rows.Get(k) == nil || r.State.StillDerived[k] {
			p = r.unmade(p)
		}
		if !yield(p) {
			return
		}
	}
	if !r.yieldManager(yield) {
		return
	}
	for p := range r.d.problems {
		if !r.attribute(p, yield) {
			return
		}
	}
}

// yieldManager warns, at the row that chooses the model, of a model and of files that are
// not those that the next restart of the buffer manager would take.
func (r *Resolution) yieldManager(yield func(graph.Problem) bool) bool {
	model := r.State.ModelName()
	if model == configdb.Traditional && !r.yieldUnread(yield) {
		return false
	}
	m := r.Rows.DeviceMetadata["localhost"]
	if m == nil {
		return true
	}
	warn := func(field string, err error) bool {
		return yield(graph.Problem{Row: state.Metadata, Severity: graph.Warned, Field: field, Err: err})
	}
	if err := r.State.Files.Stale; err != nil && !warn("", err) {
		return false
	}
	if why := r.State.ModelKept; why != "" && m.BufferModel != model {
		return warn("buffer_model", errors.New(why))
	}
	return m.BufferModel == model ||
		warn("buffer_model", fmt.Errorf("the %s model stays in use until the buffer manager is restarted: xonctl restart buffers", model))
}

// yieldUnread warns of rows that the traditional model does not read.
func (r *Resolution) yieldUnread(yield func(graph.Problem) bool) bool {
	for row := range r.Rows.Unread() {
		err := errors.New("the row has no effect: only the dynamic buffer model reads it, and the traditional one is in use")
		if !yield(graph.Problem{Row: row.RowKey(), Severity: graph.Warned, Err: err}) {
			return false
		}
	}
	return true
}

// modelProblems are those that the buffer manager has with a row.
func (r *Resolution) modelProblems(k configdb.RowKey) []graph.Problem {
	all := r.Effective.Problems
	byRow := func(p graph.Problem, k configdb.RowKey) int { return cmp.Compare(p.Row, k) }
	i, _ := slices.BinarySearchFunc(all, k, byRow)
	n := slices.IndexFunc(all[i:], func(p graph.Problem) bool { return p.Row != k })
	if n < 0 {
		return all[i:]
	}
	return all[i : i+n]
}

// modelWaits reports whether the buffer manager has a row wait for what it needs.
func (r *Resolution) modelWaits(k configdb.RowKey) bool {
	return slices.ContainsFunc(r.modelProblems(k), func(p graph.Problem) bool { return p.Severity == graph.Waiting })
}

// WaitsForModel reports whether the buffer manager, or something that it needs, is all that
// a row waits for, directly or by way of other rows.
func (r *Resolution) WaitsForModel(p graph.Problem) bool {
	for range len(r.Verdicts) + 1 { // rows may wait for each other
		if p.Severity != graph.Waiting {
			return false
		}
		if p.Lacks == intent.DynamicModel || r.modelWaits(p.Row) {
			return true
		}
		next, ok := r.Verdicts[p.On]
		if !ok {
			return false
		}
		p = next
	}
	return false
}

// withheld says why a row has no effect although it is there; nil if it has, or is not.
// A pool has none for want of a size that can be computed.
func (r *Resolution) withheld(k configdb.RowKey) error {
	if r.Rows.Get(k) == nil || r.Effective.Rows.Get(k) != nil {
		return nil
	}
	for _, p := range r.modelProblems(k) {
		if p.Severity != graph.Warned {
			return fmt.Errorf("%s is not in force: %w", k, p.Err)
		}
	}
	return nil
}

// notMade is what becomes of a row that others ask for and that can't be made.
const notMade = "is not made"

// unmade is a problem of a row that others ask for and that is not made, or not made
// again: a warning of the row that asks for it.
func (r *Resolution) unmade(p graph.Problem) graph.Problem {
	k := p.Row
	port, _, _ := strings.Cut(k.Key(), "|")
	asks := configdb.Key("PORT", port)
	var by *configdb.PortQoSMap
	for _, row := range r.Rows.PortQoSMaps {
		if slices.Contains(row.Ports, port) && row.PFC != 0 && (by == nil || configdb.ComparePlaced(row, by) < 0) {
			by, asks = row, row.ID
		}
	}
	what := notMade
	if r.State.StillDerived[k] {
		what = "stays as it was"
	}
	err := fmt.Errorf("%s %s: %w", k, what, r.untried(p).Err)
	if what == notMade {
		err = &graph.Loss{Err: err}
	}
	return graph.Problem{Row: asks, Severity: graph.Warned, Field: p.Field, Err: err}
}

// attribute yields a problem of an effective row as one of CONFIG_DB.
func (r *Resolution) attribute(p graph.Problem, yield func(graph.Problem) bool) bool {
	k := p.Row
	row, on := r.attributeTo(k), r.attributeTo(p.On)
	if p.Severity == graph.Waiting && on == row {
		return true // the row behind both has a problem for what is waited for
	}
	if why := r.withheld(on); why != nil {
		p.Err = why
	}
	p.On = on
	if row == k {
		return yield(p)
	}
	if p.Severity == graph.Waiting && !bufmgr.Makes(row) { // it is right, and means more than this
		p.Severity, p.On, p.Lacks = graph.Warned, "", ""
	}
	if r.Rows.Get(k) != nil && p.Severity != graph.Warned {
		waits := graph.Problem{Row: p.Row, Severity: graph.Waiting, On: row, Err: p.Err}
		if !yield(waits) {
			return false
		}
	}
	p.Row, p.Field, p.Err = row, "", fmt.Errorf("%s: %w", k, p.Err)
	return yield(p)
}
