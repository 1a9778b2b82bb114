package bufmgr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"xon/schema/configdb"
	"xon/schema/platform"
)

// pausedClass is a traffic class whose priority a port pauses. Class n has priority n.
type pausedClass struct {
	port     string
	row      *configdb.PortQoSMap
	priority uint8
	group    uint8 // that buffers the class
}

// inflow is what the lossless groups of one priority may take of one pool together.
type inflow struct {
	groups   int
	alpha    float64 // sum of the dynamic thresholds, as factors of the free bytes
	static   uint64  // sum of the static ones
	headroom uint64
}

// flowKey names an inflow.
type flowKey struct {
	pool     string
	priority uint8
}

// add adds n groups with a profile; n may be below 0.
func (f *inflow) add(p *configdb.BufferProfile, n int) {
	f.groups += n
	if p.Mode == configdb.Dynamic {
		f.alpha += float64(n) * math.Exp2(float64(p.DynamicTh))
	} else if n > 0 {
		f.static = plus(f.static, p.StaticTh)
	} else {
		f.static -= min(f.static, p.StaticTh)
	}
	if n > 0 {
		f.headroom = plus(f.headroom, p.Xoff)
	} else {
		f.headroom -= min(f.headroom, p.Xoff)
	}
}

// checkClasses finds priorities that ports pause in vain: by their maps, or because the
// queue drops before the groups that fill it have paused their senders.
func (c *limits) checkClasses() {
	if c.in.Rows.PFCOff() {
		return
	}
	flows, classes := map[flowKey]inflow{}, []pausedClass(nil)
	for port := range c.index.ports {
		for x := range c.pausedClasses(port) {
			classes = append(classes, x)
			if g := c.losslessGroup(port, x.group); g != nil {
				k := flowKey{g.profile.Pool, x.priority}
				f := flows[k]
				f.add(g.profile, 1)
				flows[k] = f
			}
		}
	}
	for i := range classes {
		c.checkGroup(&classes[i])
		c.checkQueue(&classes[i], flows)
	}
}

// pausedClasses yields those of a port whose maps are all there.
func (c *limits) pausedClasses(port string) func(yield func(pausedClass) bool) {
	return func(yield func(pausedClass) bool) {
		row := c.index.of(port).pfc()
		if row == nil || c.in.Rows.Ports[port] == nil || !c.mapsThere(row) {
			return
		}
		for p := range uint8(8) {
			if row.PFC>>p&1 != 0 && !yield(pausedClass{port, row, p, c.mapped(row, configdb.TCToPriorityGroup, p)}) {
				return
			}
		}
	}
}

func (c *limits) mapsThere(row *configdb.PortQoSMap) bool {
	for kind, name := range row.Maps {
		if name != "" && c.in.Rows.QoSMaps[kind][name] == nil {
			return false
		}
	}
	return true
}

// mapped is what a port's map makes of n: n itself without an entry.
func (c *limits) mapped(row *configdb.PortQoSMap, kind configdb.MapKind, n uint8) uint8 {
	if m := c.in.Rows.QoSMaps[kind][row.Maps[kind]]; m != nil {
		for _, e := range m.Entries {
			if e.From == n {
				return e.To
			}
		}
	}
	return n
}

// mapRow names a port's map.
func mapRow(row *configdb.PortQoSMap, kind configdb.MapKind) configdb.RowKey {
	return configdb.Key(configdb.MapTables[kind], row.Maps[kind])
}

// losslessGroup is a group of a port that pauses its senders; nil if it does not.
func (c *limits) losslessGroup(port string, index uint8) *group {
	groups := c.book.of(port)
	for i := range groups {
		if g := &groups[i]; g.lo <= int(index) && int(index) <= g.hi && g.profile.HasXoff {
			return g
		}
	}
	return nil
}

// checkGroup warns of maps by which the group of a class does not pause its priority. That
// priority n has no headroom in group n is not for here.
func (c *limits) checkGroup(x *pausedClass) {
	pauses := c.mapped(x.row, configdb.PFCPriorityToPriorityGroup, x.priority)
	down := !c.in.Rows.Ports[x.port].AdminUp && (c.dynamicModel() || c.sw.Vendor != platform.Other)
	switch {
	case down: // then headroom is taken away on purpose
	case x.group != x.priority && c.losslessGroup(x.port, x.group) == nil:
		c.warn(x.row.ID, configdb.MapFields[configdb.TCToPriorityGroup], fmt.Errorf("%s sends class %d to priority group %d of %s, which never pauses: nothing pauses priority %d",
			mapRow(x.row, configdb.TCToPriorityGroup), x.priority, x.group, x.port, x.priority))
	case pauses != x.group:
		c.warn(x.row.ID, configdb.MapFields[configdb.PFCPriorityToPriorityGroup], fmt.Errorf("priority %d of %s is paused by priority group %d, and its packets are in group %d: nothing pauses them",
			x.priority, x.port, pauses, x.group))
	}
	queue, stops := c.mapped(x.row, configdb.TCToQueue, x.priority), c.mapped(x.row, configdb.PFCPriorityToQueue, x.priority)
	if queue != stops {
		c.warn(x.row.ID, configdb.MapFields[configdb.PFCPriorityToQueue], fmt.Errorf("a pause of priority %d stops queue %d of %s, and its packets leave by queue %d: the receiver that pauses them drops them",
			x.priority, stops, x.port, queue))
	}
}

// checkQueue warns of a queue that drops packets of a class before the groups that fill it
// have paused their senders.
func (c *limits) checkQueue(x *pausedClass, flows map[flowKey]inflow) {
	queue := c.mapped(x.row, configdb.TCToQueue, x.priority)
	row := c.queueRow(x.port, int(queue))
	if row == nil {
		return
	}
	p := c.rows.BufferProfiles[row.Profile]
	if p == nil || p.Trim {
		return
	}
	pool := c.rows.BufferPools[p.Pool]
	if pool == nil || !pool.HasSize {
		return
	}
	room, held := c.queueRoom(p, pool), c.heldFor(x, flows)
	if held > room {
		c.warn(row.ID, "profile", fmt.Errorf("priority %d is paused, and %s lets its queue %d of %s take %d bytes%s, where the priority groups that fill it may hold %d: the queue drops before they pause",
			x.priority, p.ID, queue, x.port, room, c.inParts(), held))
	}
}

// queueRow is the row of CONFIG_DB that gives a queue its profile; nil if there is none.
func (c *limits) queueRow(port string, index int) (row *configdb.BufferQueue) {
	for _, r := range c.index.of(port).queues {
		if r.Lo <= index && index <= r.Hi && (row == nil || cmp.Or(cmp.Compare(spanLen(r), spanLen(row)), cmp.Compare(r.ID, row.ID)) < 0) {
			row = r
		}
	}
	return row
}

func spanLen(r *configdb.BufferQueue) int {
	s, _ := configdb.Place(r)
	return s.Len()
}

// queueRoom is the most that one queue with a profile can hold, in one part of the chip. A
// static threshold above the pool is not bound by it.
func (c *limits) queueRoom(p *configdb.BufferProfile, pool *configdb.BufferPool) uint64 {
	part := pool.Size / c.parts()
	switch {
	case p.Mode == configdb.Dynamic:
		part = shareOf(math.Exp2(float64(p.DynamicTh)), part)
	case p.StaticTh > pool.Size:
		part = p.StaticTh
	case p.StaticTh > 0:
		part = min(p.StaticTh, part)
	}
	return plus(p.Size, part)
}

// shareOf is what groups or queues can hold of a pool that may each take a multiple of its
// free bytes, the sum of which is alpha.
func shareOf(alpha float64, pool uint64) uint64 {
	return uint64(alpha / (1 + alpha) * float64(pool))
}

// heldFor is what the groups of a class at other ports, which fill the queue, may hold
// before they have paused their senders, with what arrives afterwards. Of a switch with
// one port that pauses the class it is that port.
func (c *limits) heldFor(x *pausedClass, flows map[flowKey]inflow) (held uint64) {
	own := c.losslessGroup(x.port, x.group)
	for _, name := range sortedNames(c.rows.BufferPools) {
		f := flows[flowKey{name, x.priority}]
		if own != nil && own.profile.Pool == name && f.groups > 1 {
			f.add(own.profile, -1)
		}
		if f.groups > 0 {
			held = plus(held, c.held(c.rows.BufferPools[name], &f))
		}
	}
	if memory := c.params.MMUBytes; memory > 0 {
		held = min(held, memory/c.parts())
	}
	return held
}

// held is what groups may hold of one part of a pool.
func (c *limits) held(pool *configdb.BufferPool, f *inflow) uint64 {
	size := pool.Size
	if !c.reservesBeside() {
		size -= min(size, plus(c.reserved[pool.Name], pool.Xoff))
	}
	size /= c.parts()
	n := min(plus(shareOf(f.alpha, size), f.static), size)
	if pool.Xoff > 0 {
		return plus(n, min(f.headroom, pool.Xoff/c.parts()))
	}
	return plus(n, f.headroom)
}

// mapTables are the tables that say where a class goes.
var mapTables = []string{
	configdb.MapTables[configdb.TCToQueue], configdb.MapTables[configdb.TCToPriorityGroup],
	configdb.MapTables[configdb.PFCPriorityToQueue], configdb.MapTables[configdb.PFCPriorityToPriorityGroup],
}

// directs reports whether a row decides which classes are paused, or where they go.
func directs(k configdb.RowKey) bool {
	return k == configdb.XonPFCKey || slices.Contains(mapTables, k.Table())
}
