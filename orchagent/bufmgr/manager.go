package bufmgr

import (
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// Input is what may change while a manager lives.
type Input struct {
	Rows    *configdb.Config         // CONFIG_DB rows in effect, derived ones among them
	Derived map[configdb.RowKey]bool // those of Rows that an earlier Output.Derived made and nobody changed since
	// Accepted are the BUFFER_PG rows in force, those of Rows among them by the same
	// pointer: what a port can reserve is theirs before it is others'. nil: none.
	Accepted *configdb.Config
}

// Output is what an Input comes to. It does not change once given.
type Output struct {
	// Rows is what everything else is derived from: Input.Rows with buffer tables as
	// they take effect. It is Input.Rows itself if they take effect as they are.
	Rows *configdb.Config
	// Derived are the rows that CONFIG_DB shall hold because of others, also those
	// that it holds already. Those of Input.Derived that are not in it shall go.
	// Traditional model only; else nil.
	Derived map[configdb.RowKey]configdb.Row
	// Origins are, of each effective row that CONFIG_DB has not, or has otherwise, and
	// of each derived one, the rows of CONFIG_DB that it comes from, in order. Of what
	// several ports share it names those of the first one.
	Origins map[configdb.RowKey][]configdb.RowKey
	// Problems are in order of rows. A row that waits is right in itself and takes
	// effect once On is there, which is a row, a file or a property of the chip: it can
	// be stored. A refused one has to change, or what its message names. Both are of rows
	// of CONFIG_DB and of those that would be derived if they could (traditional model).
	// Equal problems are the same slice as in the Output before.
	Problems []graph.Problem
	// Shared says how the pools with shared headroom are shared, in order of their names.
	Shared []Shared
	// Changed are the effective rows that differ from the Output before, in order, also
	// those that are gone: all rows the first time.
	Changed []configdb.RowKey
}

// Manager is what one Input comes to, with a memo by which Next works out the next one in
// the size of what changed. It does not change once given: several may follow one, and any
// of them can be dropped.
type Manager struct {
	params Params
	sw     platform.Switch
	asic   *ASIC // nil: unknown

	in     Input
	out    Output
	begun  bool
	common common
	index  *index
	ports  map[string]*result
	made   map[string]*generated // profiles that ports need, by name
	totals totals
	over   overlay
	ledger *ledger // nil before the first output
}

// New returns the manager of no rows. It keeps p, which must not change.
func New(p Params) *Manager {
	m := &Manager{
		params: p, sw: platform.Of(p.Platform, ""), asic: p.ASIC,
		in: Input{Rows: &configdb.Config{}}, out: Output{Rows: &configdb.Config{}},
		index: newIndex(), ports: map[string]*result{}, made: map[string]*generated{},
		totals: totals{uses: map[use]int{}}, over: newOverlay(),
	}
	if m.asic == nil {
		m.asic = BuiltinASIC(p.Platform)
	}
	return m
}

// Effective returns what in comes to under p, without regard to what was before.
func Effective(p Params, in Input) Output { return New(p).Next(in, nil).Output() }

// Input is what the manager has worked out.
func (m *Manager) Input() Input { return m.in }

// Output is what the Input comes to.
func (m *Manager) Output() Output { return m.out }

// Next is the manager of the next Input. changed names every row that differs from the one of m
// in content, in being derived or in being accepted; after New it is ignored. A row that is
// equal to the one of m's Output is the same pointer.
func (m *Manager) Next(in Input, changed []configdb.RowKey) *Manager {
	if !m.begun {
		changed = changed[:0:0]
		for row := range in.Rows.All() {
			changed = append(changed, row.RowKey())
		}
	}
	changed = slices.Compact(slices.Sorted(slices.Values(changed)))
	next := *m
	next.in = in
	if m.begun && !slices.ContainsFunc(changed, m.concerns) {
		next.out.Rows = m.over.onto(in.Rows, m.out.Rows)
		next.out.Changed = differ(m.in.Rows, in.Rows, changed)
		return &next
	}
	next.detach()
	u := update{
		Manager: &next, before: m.in.Rows, dirty: map[string]bool{}, names: map[string]bool{},
		fresh: map[string]*generated{}, sources: map[configdb.RowKey]*source{},
	}
	u.take(changed)
	u.evaluate()
	u.generate()
	if m.dynamicModel() {
		u.zero()
		u.size()
	}
	next.begun = true
	next.out = next.over.apply(&u, changed)
	return &next
}

// detach copies what a manager shares with the one before and is about to change. What the
// maps lead to is replaced, never changed.
func (m *Manager) detach() {
	m.index = m.index.clone()
	m.ports, m.made, m.totals.uses = maps.Clone(m.ports), maps.Clone(m.made), maps.Clone(m.totals.uses)
	m.over = m.over.clone()
	if m.ledger != nil {
		m.ledger = m.ledger.clone()
	}
}

func (m *Manager) dynamicModel() bool { return m.params.Model == configdb.Dynamic }

// concerns reports whether a row plays a part in buffers.
func (m *Manager) concerns(k configdb.RowKey) bool {
	table := k.Table()
	switch table {
	case portTable, cableTable, poolTable, profileTable, pgTable, queueTable, ingressListTable, egressListTable, qosTable:
		return true
	case parameterTable, patternTable:
		return m.dynamicModel()
	}
	return table == pfcTable || mapTables[table]
}

// differ are the rows among changed that are not the same in both, in order.
func differ(before, after *configdb.Config, changed []configdb.RowKey) []configdb.RowKey {
	var keys []configdb.RowKey
	for _, k := range changed {
		if before.Get(k) != after.Get(k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
