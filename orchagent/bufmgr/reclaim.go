package bufmgr

import (
	"slices"
	"strings"

	"xon/schema/configdb"
)

// reclaim takes the buffers of a port that is down: it gets zero profiles where the
// platform has them, else its priority groups and queues lose theirs.
//
// Source: SONiC's buffermgrd, zero_profiles.json.
func (m *Manager) reclaim(v *view, r *result) {
	z := m.params.Zero
	for _, row := range v.pgs {
		r.hide(row)
	}
	if z == nil {
		for _, row := range v.queues {
			r.hide(row)
		}
		return
	}
	pgs := z.PGs
	if !m.common.hasZero(z.Ingress) {
		pgs = nil
	}
	for _, s := range ranges(pgs) {
		row := &configdb.BufferPG{ID: pgKey(v.name, s), Span: s, Profile: z.Ingress}
		row.Ports = []string{v.name}
		m.addZero(v, r, row)
		r.count(z.Ingress, byPG, s.Hi-s.Lo+1)
	}
	m.reclaimQueues(v, r)
	for _, lists := range [][]*configdb.BufferProfileList{v.ingress, v.egress} {
		for _, row := range lists {
			m.reclaimList(r, row)
		}
	}
}

// addZero adds a row of a port that is down, in the place of one of the same key.
func (m *Manager) addZero(v *view, r *result, row configdb.Row) {
	key := row.RowKey()
	origins := []configdb.RowKey{configdb.Key(portTable, v.name)}
	for i := range r.outcomes {
		if o := &r.outcomes[i]; o.row.RowKey() == key {
			o.fate = covered
			origins = append([]configdb.RowKey{key}, origins...)
		}
	}
	slices.Sort(origins)
	r.extra = append(r.extra, entry{key: key, row: row, origins: origins})
}

// reclaimQueues gives the configured queues the zero profile of their pool and all
// others that of lossy queues, or, where the platform says which queues get one, those
// alone.
func (m *Manager) reclaimQueues(v *view, r *result) {
	z := m.params.Zero
	if len(z.Queues) > 0 {
		for _, row := range v.queues {
			r.hide(row)
		}
		m.addZeroQueues(v, r, z.Queues, z.Egress)
		return
	}
	free := make([]bool, v.limits.Queues)
	for i := range free {
		free[i] = true
	}
	for _, row := range v.queues {
		for i := row.Lo; i <= row.Hi && i < len(free); i++ {
			free[i] = false
		}
		zero := m.zeroOf(row.Profile)
		if zero == "" {
			r.hide(row)
			continue
		}
		r.replace(row, zero)
		r.count(zero, byQueue, row.Hi-row.Lo+1)
	}
	var rest []int
	for i, f := range free {
		if f {
			rest = append(rest, i)
		}
	}
	m.addZeroQueues(v, r, rest, z.lossyQueue())
}

func (m *Manager) addZeroQueues(v *view, r *result, queues []int, profile string) {
	if !m.common.hasZero(profile) {
		return
	}
	for _, s := range ranges(queues) {
		s.Ports = []string{v.name}
		m.addZero(v, r, &configdb.BufferQueue{ID: configdb.Key(queueTable, s.Key()), Span: s, Profile: profile})
		r.count(profile, byQueue, s.Hi-s.Lo+1)
	}
}

// reclaimList replaces each profile of a list by the zero profile of its pool.
func (m *Manager) reclaimList(r *result, row *configdb.BufferProfileList) {
	var names []string
	for _, name := range row.Profiles {
		if zero := m.zeroOf(name); zero != "" {
			name = zero
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
			r.count(name, byList, 1)
		}
	}
	if slices.Equal(names, row.Profiles) {
		r.keep(row)
		return
	}
	r.replace(row, names...)
}

// zeroOf is the zero profile in place of a profile: of those of its pool the one that
// is called like it, else the last. "": there is none.
func (m *Manager) zeroOf(profile string) (zero string) {
	p := m.in.Rows.BufferProfiles[profile]
	if p == nil {
		return ""
	}
	alike := strings.TrimSuffix(profile, "_profile") + "_zero_profile"
	for _, z := range m.params.Zero.Profiles {
		if z.Pool == p.Pool && m.common.hasZero(z.Name) && (z.Name == alike || zero != alike) {
			zero = z.Name
		}
	}
	return zero
}

// lossyQueue is the zero profile of queues that nobody configured; "": there is none.
func (z *ZeroProfiles) lossyQueue() string {
	if z.Egress != "" {
		return z.Egress
	}
	for _, pool := range []string{egressLossy, egressLossless} {
		for _, p := range z.Profiles {
			if p.Pool == pool {
				return p.Name
			}
		}
	}
	return ""
}

// ranges are the maximal ranges of indexes in order.
func ranges(indexes []int) []configdb.Span {
	var spans []configdb.Span
	for _, i := range indexes {
		if n := len(spans); n > 0 && spans[n-1].Hi == i-1 {
			spans[n-1].Hi = i
		} else {
			spans = append(spans, configdb.Span{Lo: i, Hi: i})
		}
	}
	return spans
}
