package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/bufferorch"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Switch is what the switch has of a node; nil for nothing.
type Switch func(graph.Key) *graph.Node

// Shortage is what it means that the chip did not take a node, for a reason that can pass: a
// priority group, or a profile that only groups are to have. Then no row is refused, as
// others may have what it asks for. nil: it is something else.
func (r *Resolution) Shortage(k graph.Key, attr *sai.AttrMeta, has Switch) *intent.Shortage {
	o := r.d.find(k)
	if o == nil || r.State.Short[k] != nil {
		return nil
	}
	x := &intent.Shortage{Row: o.Rows[0]}
	switch {
	case k.Type == sai.ObjectTypeIngressPriorityGroup && k.Facet == graph.Buffer:
		for p := range o.Node.Attr(sai.IngressPriorityGroupAttrBufferProfile.AttrMeta).Targets() {
			x.Profile = p.Name
		}
		port, _ := k.Port()
		x.Port = r.Device.ByName[port.Name].ID
	case k.Type == sai.ObjectTypeBufferProfile && r.forGroups(k.Name, has) && !r.revertible(k, attr, has):
		x.Profile = k.Name
	}
	if x.Wanted = r.Effective.Rows.BufferProfiles[x.Profile]; x.Wanted == nil {
		return nil
	}
	x.Pool = r.Rows.BufferPools[x.Wanted.Pool]
	noteWhatIs(x, k, has)
	return x
}

// forGroups reports whether a profile is one that nobody wrote, or that is to be made and
// is headroom: priority groups alone use it.
func (r *Resolution) forGroups(profile string, has Switch) bool {
	row := r.Effective.Rows.BufferProfiles[profile]
	switch {
	case row == nil:
		return false
	case r.Rows.Get(row.ID) == nil || r.State.StillDerived[row.ID]:
		return true
	}
	return row.Xoff > 0 && has(bufferorch.ProfileKey(profile)) == nil && !r.listed(profile)
}

// listed reports whether a profile is one of a port as a whole.
func (r *Resolution) listed(profile string) bool {
	rows := r.Effective.Rows
	for _, lists := range []map[string]*configdb.BufferProfileList{rows.BufferIngressLists, rows.BufferEgressLists} {
		for _, row := range lists {
			if slices.Contains(row.Profiles, profile) {
				return true
			}
		}
	}
	return false
}

// revertible reports whether the switch has a profile, and would leave it as it is if the row
// that changes it were what it was.
func (r *Resolution) revertible(k graph.Key, attr *sai.AttrMeta, has Switch) bool {
	b := r.Blame(k, attr)
	return has(k) != nil && b.Key != "" && r.State.Applied.Has(b.Key) && !r.unchanged(b.Candidate)
}

// noteWhatIs notes what the switch has of something that is short.
func noteWhatIs(x *intent.Shortage, k graph.Key, has Switch) {
	if n := has(k); n != nil && len(n.Attrs) > 0 {
		x.Has = n
		addRests(x, n, has)
	}
}

// addRests adds what a node rests on.
func addRests(x *intent.Shortage, n *graph.Node, has Switch) {
	for k := range n.Deps {
		if k.Type != sai.ObjectTypeBufferProfile && k.Type != sai.ObjectTypeBufferPool {
			continue
		}
		on := has(k)
		if on == nil || slices.Contains(x.Rests, on) {
			continue
		}
		x.Rests = append(x.Rests, on)
		x.Lossless = x.Lossless || on.Attr(sai.BufferProfileAttrXoffTH.AttrMeta).Num() > 0
		addRests(x, on, has)
	}
}

// Shortages are those of the State without those of what no row asks for any more, and with
// those of groups that are to have a profile for which there is no room.
func (r *Resolution) Shortages(has Switch) intent.Shortages {
	if len(r.State.Short) == 0 {
		return r.State.Short
	}
	now := intent.Shortages{}
	for k, x := range r.State.Short {
		if k.Type == sai.ObjectTypeBufferProfile && r.forGroups(x.Profile, has) {
			now[k] = x
		}
	}
	for _, v := range r.d.index.Views {
		for i, row := range v.PGs {
			if row == nil {
				continue
			}
			if x := groupShortage(now, v, i, row, has); x != nil {
				now[v.Port.PGs[i]] = x
			}
		}
	}
	if maps.Equal(now, r.State.Short) {
		return r.State.Short
	}
	return now
}

// groupShortage is the shortage of a priority group that is to have what a row asks for;
// nil if it has none. profiles are those for which there is no room.
func groupShortage(profiles intent.Shortages, v *intent.PortView, group int, row *configdb.BufferPG, has Switch) *intent.Shortage {
	if x := v.Shortage(group); x != nil {
		if x.Row == row.ID {
			return x
		}
		moved := *x
		moved.Row = row.ID
		return &moved
	}
	p := profiles[bufferorch.ProfileKey(row.Profile)]
	if p == nil || p.Has != nil {
		return nil
	}
	x := &intent.Shortage{Row: row.ID, Profile: p.Profile, Port: v.ID, Wanted: p.Wanted, Pool: p.Pool, Status: p.Status, Said: string(p.Row) + ": " + p.Said}
	noteWhatIs(x, v.Port.PGs[group], has)
	return x
}

// Outgrown are the shortages of profiles that changed, or whose pool did: there may be room
// for them now.
func (r *Resolution) Outgrown() []graph.Key {
	var keys []graph.Key
	for k, x := range r.State.Short {
		now := r.Effective.Rows.BufferProfiles[x.Profile]
		if now == nil || now != x.Wanted && !maps.Equal(configdb.Format(now), configdb.Format(x.Wanted)) || r.Rows.BufferPools[now.Pool] != x.Pool {
			keys = append(keys, k)
		}
	}
	return keys
}

// Scarce is why a row waits that asks for more than there is room for.
type Scarce struct {
	short  *intent.Shortage
	groups []string // that are without what the row asks for; none if it is for a profile
	of     int      // how many groups the row is for
	keeps  bool     // one of the groups has headroom all the same
}

// Partly reports whether a row is in force for some of its priority groups.
func (s *Scarce) Partly() bool { return s.keeps || len(s.groups) < s.of }

// maxGroups is how many groups without room are named.
const maxGroups = 16

// Error implements error.
func (s *Scarce) Error() string {
	what := "it"
	if n := len(s.groups); n > 0 {
		what = "the buffer of priority group "
		if n > 1 {
			what = "the buffers of priority groups "
		}
		what += strings.Join(s.groups[:min(n, maxGroups)], ", ")
		if n > maxGroups {
			what += fmt.Sprintf(" and %d more", n-maxGroups)
		}
	}
	return fmt.Sprintf("%s %s: %s; it is tried again", s.short.Why(), what, s.short.Said)
}

// Scarce are the rows of CONFIG_DB that wait for room.
func (r *Resolution) Scarce() map[configdb.RowKey]*Scarce { return r.scarce(r.Rows, r.written) }

// Asks is the row of CONFIG_DB that asks for what is short.
func (r *Resolution) Asks(x *intent.Shortage) configdb.RowKey {
	return r.written(x.Row)
}

// scarce are the rows, of a configuration, that wait for room. rowOf is the one for an
// effective row.
func (r *Resolution) scarce(of *configdb.Config, rowOf func(configdb.RowKey) configdb.RowKey) map[configdb.RowKey]*Scarce {
	rows := map[configdb.RowKey]*Scarce{}
	for _, k := range SortedKeys(r.State.Short) {
		x := r.State.Short[k]
		row := rowOf(x.Row)
		s := rows[row]
		if s == nil {
			s = &Scarce{short: x, of: groupsOf(of.Get(row))}
			rows[row] = s
		}
		if k.Type == sai.ObjectTypeIngressPriorityGroup {
			s.groups = append(s.groups, k.Name)
			s.keeps = s.keeps || x.Lossless
		}
	}
	for _, s := range rows {
		slices.SortFunc(s.groups, configdb.CompareNatural)
	}
	return rows
}

// SortedKeys are the keys of nodes in order.
func SortedKeys[V any](nodes map[graph.Key]V) []graph.Key {
	return slices.SortedFunc(maps.Keys(nodes), graph.Key.Compare)
}

// groupsOf is how many priority groups a row is for.
func groupsOf(row configdb.Row) int {
	pg, ok := row.(*configdb.BufferPG)
	if !ok {
		return 0
	}
	return len(pg.Ports) * (pg.Hi - pg.Lo + 1)
}
