package bufmgr

import (
	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// Input is what may change while a manager lives.
type Input struct {
	Rows    *configdb.Config         // CONFIG_DB rows in effect, derived ones among them
	Derived map[configdb.RowKey]bool // those of Rows that an earlier Output.Derived made and nobody changed since
}

// Output is what an Input comes to.
type Output struct {
	// Rows is what everything else is derived from: Input.Rows with buffer tables as
	// they take effect. It is Input.Rows itself if they take effect as they are.
	Rows *configdb.Config
	// Derived are the rows that CONFIG_DB shall hold because of others, also those
	// that it holds already. Those of Input.Derived that are not in it shall go.
	// Traditional model only; else nil.
	Derived map[configdb.RowKey]configdb.Row
	// Origins are, of each effective row that CONFIG_DB has not, or has otherwise, the
	// rows of CONFIG_DB that it comes from, in order.
	Origins map[configdb.RowKey][]configdb.RowKey
	// Problems are rows of CONFIG_DB that are not in effect, or look wrong, in order.
	Problems []graph.Problem
	// Changed are the effective rows that differ from the Output before, in order: all
	// the first time.
	Changed []configdb.RowKey
}

// Manager is Effective for one Input after another: what it does follows what
// changed. It is for one goroutine.
type Manager struct {
	params Params
	last   *configdb.Config
}

// New returns a manager that has seen nothing yet. It keeps p, which must not change.
func New(p Params) *Manager { return &Manager{params: p} }

// Effective returns what in comes to. changed names every row that differs from the
// Input before; the first time it is ignored. A row that is equal to the one of the
// Output before is the same pointer.
func (m *Manager) Effective(in Input, changed []configdb.RowKey) Output {
	out := Output{Rows: in.Rows, Changed: changed}
	if m.last == nil {
		out.Changed = nil
		for row := range in.Rows.All() {
			out.Changed = append(out.Changed, row.RowKey())
		}
	}
	m.last = in.Rows
	return out
}

// Effective returns what in comes to under p, without regard to what was before.
func Effective(p Params, in Input) Output { return New(p).Effective(in, nil) }
