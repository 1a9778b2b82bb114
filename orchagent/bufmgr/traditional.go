package bufmgr

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// traditional derives the priority groups of a port from its pfc_enable, with
// headroom that is looked up.
//
// A priority group that the operator wrote a row for is left to the operator. What
// was derived before stays as it is while the cable has 0 m, and while headroom is not
// known: taking it away would lose packets.
//
// Source: SONiC's buffermgrd.
func (m *Manager) traditional(v *view) *result {
	r := &result{}
	bits, keep := m.wanted(v)
	var profile string
	if bits != 0 && !keep {
		var p *graph.Problem
		if profile, p = m.lookUp(v, r); p != nil {
			keep = true
			for _, s := range runs(bits) {
				r.complain(pgKey(v.name, s), *p)
			}
		}
	}
	if !keep && profile != "" {
		for _, s := range runs(bits) {
			r.extra = append(r.extra, m.pgEntry(v, s, profile))
		}
	}
	for _, row := range v.pgs {
		m.settle(r, row, keep)
	}
	return r
}

// wanted are the priority groups to derive: those of pfc_enable that no row of the
// operator is for. keep says that what was derived before is to stay.
func (m *Manager) wanted(v *view) (bits uint8, keep bool) {
	qos := v.pfc()
	switch {
	case v.row == nil || qos == nil:
		return 0, false
	case v.cabled && v.cable.metres == 0:
		return 0, true
	case !v.row.AdminUp && m.sw.Vendor != platform.Other:
		return 0, false
	}
	bits = qos.PFC
	for _, row := range v.pgs {
		if m.in.Derived[row.ID] {
			continue
		}
		for i := row.Lo; i <= row.Hi; i++ {
			bits &^= 1 << i
		}
	}
	return bits, false
}

// lookUp finds the headroom of a port and notes the profile that it makes.
func (m *Manager) lookUp(v *view, r *result) (profile string, p *graph.Problem) {
	if m.common.poolMode == "" {
		on := configdb.Key(poolTable, losslessPool)
		return "", waiting(on, fmt.Errorf("%s does not exist", on))
	}
	l, p := v.link(&m.common)
	if p != nil {
		return "", p
	}
	e, err := m.params.Lookup.entry(l, m.common.poolMode, m.params.MMUBytes)
	if err != nil {
		p := &graph.Problem{Severity: graph.Refused, Err: fmt.Errorf("no headroom for %s: %w", v.name, err)}
		if m.params.Lookup == nil {
			p.Severity, p.Lacks = graph.Waiting, lookupFile
		}
		return "", p
	}
	name := lookedUpName(l)
	r.made = append(r.made, made{name: name, entry: e})
	return name, nil
}

// lookupFile is what a lookup is read from.
const lookupFile graph.Missing = "pg_profile_lookup.ini"

func lookedUpName(l link) string { return fmt.Sprintf("pg_lossless_%d_%dm_profile", l.speed, l.metres) }

// entry finds the line for a link whose pool has a mode, in a chip with memory bytes (0:
// unknown). A line that can't be applied, or has no headroom, counts as none: what is
// applied stays then. The error says what there is instead.
func (l *Lookup) entry(k link, mode string, memory uint64) (*LookupEntry, error) {
	if l == nil {
		return nil, fmt.Errorf("there is no %s", lookupFile)
	}
	e := l.Find(k.speed, k.metres)
	if e == nil {
		return nil, fmt.Errorf("%s has no line for %d Mb/s with %dm; %s", l.Source, k.speed, k.metres, l.has(k.speed))
	}
	if mode == configdb.Dynamic && (e.Threshold < minTh || e.Threshold > maxTh) {
		return nil, fmt.Errorf("%s:%d: threshold %d is none of a dynamic pool (%d to %d)", l.Source, e.Line, e.Threshold, minTh, maxTh)
	}
	if mode == configdb.Static && e.Threshold < 0 {
		return nil, fmt.Errorf("%s:%d: threshold %d is none of a static pool (0 to %d bytes)", l.Source, e.Line, e.Threshold, math.MaxInt64)
	}
	if err := e.check(memory); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", l.Source, e.Line, err)
	}
	return e, nil
}

// check refuses a line that leaves no room after a pause, or more than a chip has.
func (e *LookupEntry) check(memory uint64) error {
	if e.Xoff == 0 {
		return errors.New("xoff 0 is no headroom")
	}
	for _, f := range []struct {
		name  string
		bytes uint64
	}{{"size", e.Size}, {"xon", e.Xon}, {"xoff", e.Xoff}, {"xon_offset", e.XonOffset}} {
		if memory > 0 && f.bytes > memory {
			return fmt.Errorf("%s: %d bytes: the chip has %d", f.name, f.bytes, memory)
		}
	}
	return nil
}

// The bounds of dynamic_th.
const (
	minTh = -8
	maxTh = 8
)

// pgEntry is a derived row of priority groups.
func (m *Manager) pgEntry(v *view, s configdb.Span, profile string) entry {
	s.Ports = []string{v.name}
	row := &configdb.BufferPG{ID: pgKey(v.name, s), Span: s, Profile: profile}
	return entry{key: row.ID, row: row, derived: true, origins: m.portOrigins(v, v.pfc().ID)}
}

// portOrigins are the rows that a port's headroom comes from, and one besides, in
// order.
func (m *Manager) portOrigins(v *view, row configdb.RowKey) []configdb.RowKey {
	keys := []configdb.RowKey{row, configdb.Key(portTable, v.name)}
	if v.cabled {
		keys = append(keys, v.cable.row)
	}
	slices.Sort(keys)
	return keys
}

// settle says what becomes of a row that there is: the operator's stays and, once it is
// applied, has a derived profile that it names stay; one that was derived before stays
// only if keep says so or it is derived again.
func (m *Manager) settle(r *result, row *configdb.BufferPG, keep bool) {
	switch {
	case !m.in.Derived[row.ID]:
		if m.applied(row) && m.in.Derived[configdb.Key(profileTable, row.Profile)] {
			r.made = append(r.made, made{name: row.Profile, old: true})
		}
	case keep:
		r.made = append(r.made, made{name: row.Profile, old: true})
		r.outcomes = append(r.outcomes, outcome{row: row, fate: covered})
		r.extra = append(r.extra, entry{key: row.ID, row: row, derived: true, origins: []configdb.RowKey{configdb.Key(portTable, row.Ports[0])}})
	case slices.ContainsFunc(r.extra, func(e entry) bool { return e.key == row.ID }):
		r.outcomes = append(r.outcomes, outcome{row: row, fate: covered})
	default:
		r.hide(row)
	}
}

// runs are the maximal ranges of bits that are set.
func runs(bits uint8) []configdb.Span {
	var spans []configdb.Span
	for i := 0; i < 8; i++ {
		if bits>>i&1 == 0 {
			continue
		}
		lo := i
		for i < 7 && bits>>(i+1)&1 != 0 {
			i++
		}
		spans = append(spans, configdb.Span{Lo: lo, Hi: i})
	}
	return spans
}

func pgKey(port string, s configdb.Span) configdb.RowKey {
	s.Ports = []string{port}
	return configdb.Key(pgTable, s.Key())
}

// lookedUpProfile is the profile of a line of the lookup file.
func lookedUpProfile(name string, e *LookupEntry, mode string) *configdb.BufferProfile {
	p := &configdb.BufferProfile{
		ID: configdb.Key(profileTable, name), Name: name, Pool: losslessPool, HeadroomType: configdb.Static, Mode: mode,
		Size: e.Size, HasSize: true, Xon: e.Xon, HasXon: true, Xoff: e.Xoff, HasXoff: true,
		XonOffset: e.XonOffset, HasXonOffset: e.HasXonOffset,
	}
	if mode == configdb.Dynamic {
		p.DynamicTh = int8(e.Threshold)
	} else {
		p.StaticTh = uint64(e.Threshold)
	}
	return p
}
