package bufmgr

import (
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// update is one step of a manager, from one input to the next.
type update struct {
	*Manager
	before  *configdb.Config      // rows of the input before
	dirty   map[string]bool       // ports to look at
	all     bool                  // all ports are
	names   map[string]bool       // profiles that are made, or were, or may have to be
	fresh   map[string]*generated // of made, those that the manager before does not have
	sources map[configdb.RowKey]*source
}

// source is what has effective rows made, named like a row: the row itself, the PORT
// row of what a port has besides, or the row of a profile that is made. It holds what
// it makes now.
type source struct {
	entries  []entry
	problems []graph.Problem
}

// Sources that are no rows.
const (
	zeroSource configdb.RowKey = "zero profiles"
	poolSource configdb.RowKey = "pools"
)

// take takes up changed rows and finds out what depends on them.
func (u *update) take(changed []configdb.RowKey) {
	port := func(name string) { u.dirty[name] = true }
	for _, k := range changed {
		if !u.concerns(k) {
			continue // nor was it taken up alone
		}
		switch k.Table() {
		case portTable:
			port(k.Key())
			u.countPort(k)
		case cableTable:
			old, now := u.before.CableLengths[k.Key()], u.in.Rows.CableLengths[k.Key()]
			u.index.lay(old, now, u.in.Rows.CableLengths, port)
		case qosTable, pgTable, queueTable, ingressListTable, egressListTable:
			u.index.replace(u.before.Get(k), u.in.Rows.Get(k), port)
			u.drop(k)
		case profileTable:
			u.names[k.Key()] = true
			u.takeProfile(k)
		}
	}
	c := commonOf(u.in.Rows)
	c.zero = u.zeroInEffect()
	if c != u.common || !u.begun {
		u.common, u.all = c, true
		for name := range u.made {
			u.names[name] = true
		}
	}
}

// countPort keeps the number of ports.
func (u *update) countPort(k configdb.RowKey) {
	old, now := u.before.Ports[k.Key()], u.in.Rows.Ports[k.Key()]
	switch {
	case old == nil && now != nil:
		u.totals.ports++
	case old != nil && now == nil:
		u.totals.ports--
	}
}

// drop begins a source anew for a row that is gone, or may have other ports now.
func (u *update) drop(k configdb.RowKey) { u.sources[k] = &source{} }

// takeProfile has the ports looked at that use a profile.
func (u *update) takeProfile(k configdb.RowKey) {
	if u.in.Derived[k] || u.over.derived(k) {
		return
	}
	name := k.Key()
	for port, r := range u.ports {
		if r.refers(name) {
			u.dirty[port] = true
		}
	}
}

// refers reports whether a port uses a profile, or has a row that asks for it.
func (r *result) refers(profile string) bool {
	for by := byPG; by <= byList; by++ {
		if _, ok := r.uses[use{profile, by}]; ok {
			return true
		}
	}
	return slices.Contains(r.sought, profile) || slices.ContainsFunc(r.outcomes, func(o outcome) bool { return o.asksFor(profile) })
}

func (o *outcome) asksFor(profile string) bool {
	user, ok := o.row.(configdb.BufferUser)
	return ok && slices.Contains(user.BufferProfiles(), profile)
}

// evaluate works out what comes of the ports to look at, and of the rows that name
// them.
func (u *update) evaluate() {
	if u.all {
		for name := range u.in.Rows.Ports {
			u.dirty[name] = true
		}
		for name := range u.index.ports {
			u.dirty[name] = true
		}
	}
	rows := map[configdb.RowKey]configdb.Row{}
	for name := range u.dirty {
		u.evaluatePort(name, rows)
	}
	for k, row := range rows {
		u.sources[k] = u.assemble(row)
	}
}

func (u *update) evaluatePort(name string, rows map[configdb.RowKey]configdb.Row) {
	old := u.ports[name]
	v := u.view(name)
	var now *result
	if u.dynamicModel() {
		now = u.dynamic(v)
	} else {
		now = u.traditional(v)
	}
	u.totals.add(old, -1)
	u.totals.add(now, 1)
	u.note(name, old, now)
	u.ports[name] = now
	if v.row == nil && len(v.pgs)+len(v.queues)+len(v.ingress)+len(v.egress) == 0 {
		delete(u.ports, name)
	}
	u.collect(rows, v, old, now)
	u.sources[configdb.Key(portTable, name)] = &source{entries: now.extra, problems: now.problems}
}

// collect adds the rows that come to something else because a port does: those that
// had or have a fate of their own there, and those that other ports share.
func (u *update) collect(rows map[configdb.RowKey]configdb.Row, v *view, old, now *result) {
	if old != nil {
		for _, o := range old.outcomes {
			if row := u.in.Rows.Get(o.row.RowKey()); row != nil {
				rows[row.RowKey()] = row
			}
		}
	}
	for _, o := range now.outcomes {
		rows[o.row.RowKey()] = o.row
	}
	for row := range v.rows {
		if len(configdb.PortsOf(row)) > 1 {
			rows[row.RowKey()] = row
		}
	}
}

// view gathers what concerns a port.
func (m *Manager) view(name string) *view {
	v := &view{portRows: m.index.of(name), name: name, row: m.in.Rows.Ports[name], limits: m.params.Ports[name]}
	v.cable, v.cabled = m.index.cables[name]
	v.kept = m.index.kept[name]
	var ok bool
	if v.gearbox, ok = m.params.PortGearbox[name]; !ok {
		v.gearbox = m.params.PortGearbox[EveryPort]
	}
	return v
}

// assemble makes effective rows of a row by its fate at each port: one row if it is
// the same at all of them, else one for each port.
func (u *update) assemble(row configdb.Row) *source {
	ports := configdb.PortsOf(row)
	fates := make([]outcome, len(ports))
	same := true
	for i, port := range ports {
		fates[i] = u.fate(row, port)
		same = same && fates[i].fate == fates[0].fate && slices.Equal(fates[i].profiles, fates[0].profiles)
	}
	s := &source{}
	k := row.RowKey()
	if same {
		switch fates[0].fate {
		case replaced:
			s.entries = append(s.entries, u.rowEntry(k, row, nil, &fates[0]))
		case hidden:
			s.entries = append(s.entries, entry{key: k})
		case kept, covered:
		}
		return s
	}
	s.entries = append(s.entries, entry{key: k})
	for i, port := range ports {
		one := configdb.KeyFor(row, port)
		if fates[i].fate == hidden || fates[i].fate == covered || u.in.Rows.Get(one) != nil || u.yields(row, one, port) {
			continue
		}
		s.entries = append(s.entries, u.rowEntry(one, row, []string{port}, &fates[i]))
	}
	return s
}

// yields reports whether another row, of several ports too, comes before row for the
// same objects of a port: one that names fewer ports, or the first.
func (u *update) yields(row configdb.Row, one configdb.RowKey, port string) bool {
	for o := range u.view(port).rows {
		if configdb.KeyFor(o, port) == one && configdb.ComparePlaced(o, row) < 0 {
			return true
		}
	}
	return false
}

// fate is what becomes of a row at a port.
func (u *update) fate(row configdb.Row, port string) outcome {
	if r := u.ports[port]; r != nil {
		for _, o := range r.outcomes {
			if o.row.RowKey() == row.RowKey() {
				return o
			}
		}
	}
	return outcome{row: row}
}

// rowEntry is a row with another key, other ports and other profiles; nil ports are
// those that it has.
func (u *update) rowEntry(k configdb.RowKey, row configdb.Row, ports []string, o *outcome) entry {
	e := entry{key: k, origins: []configdb.RowKey{row.RowKey()}}
	for _, port := range configdb.PortsOf(row) {
		if ports == nil || port == ports[0] {
			e.origins = append(e.origins, u.inputs(port)...)
		}
	}
	slices.Sort(e.origins)
	e.origins = slices.Compact(e.origins)
	e.row = row
	if ports != nil {
		e.row = configdb.WithPorts(row, ports...)
	}
	if user, ok := e.row.(configdb.BufferUser); ok && len(o.profiles) > 0 {
		e.row = user.WithBufferProfiles(o.profiles)
	}
	return e
}

// inputs are the rows that a port's rows depend on.
func (u *update) inputs(port string) []configdb.RowKey {
	keys := []configdb.RowKey{configdb.Key(portTable, port)}
	if u.up(port) {
		keys = append(keys, u.index.cableRows(port)...)
	}
	if u.up(port) {
		keys = append(keys, u.models()...)
	}
	return keys
}

func (u *update) up(port string) bool { return u.ports[port] != nil && u.ports[port].up }

// models are the rows of the model itself.
func (m *Manager) models() []configdb.RowKey {
	var keys []configdb.RowKey
	if m.common.parameter != nil {
		keys = append(keys, m.common.parameter.ID)
	}
	if m.common.pattern != nil {
		keys = append(keys, m.common.pattern.ID)
	}
	return keys
}
