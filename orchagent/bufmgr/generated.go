package bufmgr

import (
	"maps"
	"slices"
	"strings"

	"xon/schema/configdb"
)

// generated is a profile that ports need and nobody wrote.
type generated struct {
	row     *configdb.BufferProfile // nil: what CONFIG_DB has of that name stands for it
	users   map[string]made         // ports
	first   string                  // of users, by name
	origins []configdb.RowKey
}

// note takes note of the profiles that a port no longer needs, and those it needs now.
func (u *update) note(port string, old, now *result) {
	if old != nil {
		for _, n := range old.made {
			if u.made[n.name] != nil && !slices.ContainsFunc(now.made, func(o made) bool { return o.name == n.name }) {
				delete(u.writable(n.name).users, port)
				u.names[n.name] = true
			}
		}
	}
	for _, n := range now.made {
		if g := u.made[n.name]; g == nil || g.users[port] != n || g.first == port {
			u.writable(n.name).users[port] = n
			u.names[n.name] = true
		}
	}
}

// writable returns a profile that ports need, to change it: one that the manager before
// does not have.
func (u *update) writable(name string) *generated {
	if g := u.fresh[name]; g != nil {
		return g
	}
	g := &generated{users: map[string]made{}}
	if was := u.made[name]; was != nil {
		*g = *was
		g.users = maps.Clone(was.users)
	}
	u.fresh[name], u.made[name] = g, g
	return g
}

// generate makes the profiles anew that may be other ones now.
func (u *update) generate() {
	for name := range u.names {
		k := configdb.Key(profileTable, name)
		s := &source{}
		u.sources[k] = s
		if u.made[name] != nil {
			g := u.writable(name)
			u.renew(name, g)
			if len(g.users) == 0 {
				delete(u.made, name)
			} else if g.row != nil {
				s.entries = append(s.entries, entry{key: k, row: g.row, origins: g.origins, derived: !u.dynamicModel()})
				continue
			}
		}
		if p := u.in.Rows.BufferProfiles[name]; p != nil && (u.in.Derived[k] || u.dynamicModel() && p.HeadroomType == configdb.Dynamic) {
			s.entries = append(s.entries, entry{key: k})
		}
	}
}

// renew works out what a profile is.
func (u *update) renew(name string, g *generated) {
	written := u.in.Rows.BufferProfiles[name]
	k := configdb.Key(profileTable, name)
	g.row = nil
	if len(g.users) == 0 || written != nil && !u.in.Derived[k] {
		return
	}
	g.first = ""
	for port, n := range g.users {
		better := g.first == "" || g.users[g.first].old && !n.old ||
			g.users[g.first].old == n.old && configdb.CompareNatural(port, g.first) < 0
		if better {
			g.first = port
		}
	}
	switch n := g.users[g.first]; {
	case n.old:
		g.row = written
	case n.entry != nil:
		g.row = lookedUpProfile(name, n.entry, u.common.poolMode)
	default:
		g.row = u.madeProfile(name, n.link)
	}
	g.origins = u.madeOrigins(g.first)
}

// madeOrigins are the rows behind a profile that is made for a port.
func (u *update) madeOrigins(port string) []configdb.RowKey {
	keys := []configdb.RowKey{configdb.Key(poolTable, losslessPool), configdb.Key(portTable, port)}
	keys = append(keys, u.index.cableRows(port)...)
	if u.dynamicModel() {
		keys = append(keys, u.models()...)
	} else if qos := u.index.of(port).pfc(); qos != nil {
		keys = append(keys, qos.ID)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// zero puts the zero pools and profiles into effect while there are pools at all:
// before the first port that is down needs them.
func (u *update) zero() {
	s := &source{}
	u.sources[zeroSource] = s
	z, rows := u.params.Zero, u.in.Rows
	if z == nil || len(rows.BufferPools) == 0 {
		return
	}
	for _, p := range z.Pools {
		if rows.BufferPools[p.Name] == nil {
			s.entries = append(s.entries, entry{key: p.ID, row: p, origins: []configdb.RowKey{metadataKey}})
		}
	}
	for _, p := range z.Profiles {
		if rows.BufferProfiles[p.Name] != nil || !u.common.hasZero(p.Name) {
			continue
		}
		origins := []configdb.RowKey{metadataKey}
		if pool := rows.BufferPools[p.Pool]; pool != nil {
			origins = []configdb.RowKey{pool.ID}
		}
		s.entries = append(s.entries, entry{key: p.ID, row: p, origins: origins})
	}
}

// zeroInEffect names the zero profiles whose pool is there, each before a comma.
func (u *update) zeroInEffect() string {
	z, rows := u.params.Zero, u.in.Rows
	if z == nil || len(rows.BufferPools) == 0 {
		return ""
	}
	var names strings.Builder
	for _, p := range z.Profiles {
		if u.pool(p.Pool) != nil {
			names.WriteString(p.Name + ",")
		}
	}
	return names.String()
}

// hasZero reports whether a zero profile is in effect.
func (c *common) hasZero(profile string) bool {
	for name := range strings.SplitSeq(c.zero, ",") {
		if name == profile {
			return profile != ""
		}
	}
	return false
}

// metadataKey is the row that chooses the model.
const metadataKey configdb.RowKey = "DEVICE_METADATA|localhost"

// size has pools take effect with their sizes.
func (u *update) size() {
	s := &source{}
	s.entries, s.problems = u.pools(&u.totals)
	u.sources[poolSource] = s
}
