package counters

import (
	"maps"
	"slices"
	"strconv"

	"xon/schema/countersdb"
	"xon/schema/flexcounterdb"
	"xon/schema/redisdb"
)

// shape is what the databases hold beside readings.
type shape struct {
	// names are the hashes by which SONiC's tools find objects. One that is not there yet
	// is nil, and so is one that would be empty: Redis has no empty hashes.
	names map[string]redisdb.Fields
	flex  map[string]redisdb.Fields // FLEX_COUNTER_DB, by key
	of    map[string]*polled        // by group, what flex has rows of
	rates setting
}

// shapeOf is the shape for groups that follow a scene. A group that was never enabled
// has no rows of objects, and what no group that was enabled is about has no names.
func shapeOf(s *scene, groups []*group) *shape {
	begun := map[countersdb.Object]bool{countersdb.Port: true}
	out := &shape{flex: map[string]redisdb.Fields{}, of: map[string]*polled{}, rates: ratesSetting(s.rows)}
	for _, g := range groups {
		out.group(g)
		begun[g.Object] = begun[g.Object] || g.begun
	}
	for _, g := range []countersdb.Group{countersdb.RatesGroup, countersdb.WatchdogGroup} {
		set := settingOf(s.rows, g)
		if g.Name == countersdb.RatesGroup.Name {
			set = out.rates
		}
		out.flex[flexcounterdb.GroupKey(g.Name)] = set.format(g)
	}
	out.names = nameMaps(s, begun)
	return out
}

func (s setting) format(g countersdb.Group) redisdb.Fields {
	return flexcounterdb.Group{Interval: s.interval, Clear: g.Clear, Enabled: s.enabled, ChunkSize: s.chunk}.Format()
}

// group adds the rows of a group, and of its objects.
func (s *shape) group(g *group) {
	t := g.target.Load()
	s.of[g.Name] = t.polled
	s.flex[flexcounterdb.GroupKey(g.Name)] = t.format(g.Group)
	if len(t.objects) == 0 {
		return
	}
	row := redisdb.Fields{flexcounterdb.ListField(g.Object): flexcounterdb.FormatStats(t.stats)}
	read := maps.Clone(row)
	read[flexcounterdb.StatsMode] = flexcounterdb.ModeRead
	for i, o := range t.objects {
		f := row
		if g.Clear && i >= t.clearable {
			f = read
		}
		s.flex[flexcounterdb.ObjectKey(g.Name, o.oid)] = f
	}
}

// nameMaps are the names of the objects of some kinds.
func nameMaps(s *scene, begun map[countersdb.Object]bool) map[string]redisdb.Fields {
	m := map[string]redisdb.Fields{}
	for _, table := range allNames {
		m[table] = nil
	}
	if begun[countersdb.Port] {
		addNames(m, countersdb.PortNameMap, s.objects[countersdb.Port])
	}
	if begun[countersdb.Switch] {
		addNames(m, countersdb.SwitchNameMap, s.objects[countersdb.Switch])
	}
	if queues := s.objects[countersdb.Queue]; begun[countersdb.Queue] && len(queues.list) > 0 {
		addNames(m, countersdb.QueueNameMap, queues)
		m[countersdb.QueuePortMap], m[countersdb.QueueIndexMap] = parents(queues)
		types := redisdb.Fields{}
		for _, o := range queues.list {
			types[o.oid] = o.kind
		}
		m[countersdb.QueueTypeMap] = types
	}
	if pgs := s.objects[countersdb.PriorityGroup]; begun[countersdb.PriorityGroup] && len(pgs.list) > 0 {
		addNames(m, countersdb.PGNameMap, pgs)
		m[countersdb.PGPortMap], m[countersdb.PGIndexMap] = parents(pgs)
	}
	return m
}

// allNames are the hashes of names, but for those of buffer pools: they come and go
// with the pools, which package publish sees to.
var allNames = []string{
	countersdb.PortNameMap, countersdb.SwitchNameMap,
	countersdb.QueueNameMap, countersdb.QueuePortMap, countersdb.QueueIndexMap, countersdb.QueueTypeMap,
	countersdb.PGNameMap, countersdb.PGPortMap, countersdb.PGIndexMap,
}

func addNames(m map[string]redisdb.Fields, table string, of *objects) {
	if len(of.list) == 0 {
		return
	}
	names := make(redisdb.Fields, len(of.list))
	for _, o := range of.list {
		names[o.name] = o.oid
	}
	m[table] = names
}

// parents are the maps from what belongs to ports.
func parents(of *objects) (ports, indices redisdb.Fields) {
	ports, indices = make(redisdb.Fields, len(of.list)), make(redisdb.Fields, len(of.list))
	for _, o := range of.list {
		ports[o.oid], indices[o.oid] = o.port, strconv.Itoa(o.index)
	}
	return ports, indices
}

// turn adds to batches what turns one shape into another; what was read of objects that
// are no longer polled goes with them.
func turn(from, to *shape, flex, counters *redisdb.Batch) {
	for _, table := range allNames {
		if !maps.Equal(from.names[table], to.names[table]) {
			counters.Change(table, from.names[table], to.names[table])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(from.flex)) {
		if to.flex[key] == nil {
			flex.Delete(key)
			retire(key, from.flex[key], counters)
		}
	}
	for key, f := range to.flex {
		if have := from.flex[key]; have == nil || !maps.Equal(have, f) {
			flex.Change(key, have, f)
		}
	}
}

// retire takes away what a row of an object stood for. Other fields of the object's
// row, other groups' and the watchdog's, are theirs to remove.
func retire(key string, f redisdb.Fields, b *redisdb.Batch) {
	group, oid, ok := flexcounterdb.ParseObjectKey(key)
	if !ok {
		return
	}
	b.DeleteFields(countersdb.CountersKey(oid), flexcounterdb.ParseStats(f)...)
	for _, s := range specs {
		switch {
		case s.Name != group:
		case s.Clear:
			for _, w := range countersdb.Watermarks {
				b.Delete(w.Key(oid))
			}
		case group == countersdb.PortGroup:
			b.Delete(countersdb.RatesKey(oid), countersdb.RateStateKey(oid))
		}
	}
}
