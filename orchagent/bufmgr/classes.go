package bufmgr

import (
	"fmt"
	"math"

	"xon/schema/configdb"
	"xon/schema/platform"
)

// pausedClass is a traffic class whose priority a port pauses. Class n has priority n.
type pausedClass struct {
	classKind
	index uint8           // of the queue that the class leaves by
	row   configdb.RowKey // that gives the queue its profile; "" for none
}

// classKind is what classes have in common that can be judged together: most ports have
// the same.
type classKind struct {
	priority uint8
	group    *configdb.BufferProfile // of the group that buffers the class; nil if it never pauses
	queue    string                  // the profile of its queue
}

// portClasses are the paused classes of one port.
type portClasses struct {
	classes []pausedClass
	losses  []loss
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

// with is f and n groups with a profile more.
func (f inflow) with(p *configdb.BufferProfile, n int) inflow {
	f.groups += n
	f.headroom = plus(f.headroom, times(p.Xoff, n))
	if p.Mode == configdb.Dynamic {
		f.alpha += float64(n) * math.Exp2(float64(p.DynamicTh))
	} else {
		f.static = plus(f.static, times(p.StaticTh, n))
	}
	return f
}

// without is f without one of its groups.
func (f inflow) without(p *configdb.BufferProfile) inflow {
	f.groups--
	f.headroom -= min(f.headroom, p.Xoff)
	if p.Mode == configdb.Dynamic {
		f.alpha -= math.Exp2(float64(p.DynamicTh))
	} else {
		f.static -= min(f.static, p.StaticTh)
	}
	return f
}

// classify finds out which classes ports pause, and where they go; of all ports if nil. The
// groups of those ports are known.
func (c *limits) classify(only map[string]bool) {
	if only == nil {
		only = map[string]bool{}
		for port := range c.index.ports {
			only[port] = true
		}
	}
	for port := range only {
		c.book.count(c.book.classes[port], -1)
		delete(c.book.classes, port)
		if x := c.classesOf(port); x != nil {
			c.book.classes[port] = x
			c.book.count(x, 1)
		}
	}
}

// count keeps how many classes there are of each kind.
func (l *ledger) count(x *portClasses, sign int) {
	if x == nil {
		return
	}
	for _, class := range x.classes {
		if l.kinds[class.classKind] += sign; l.kinds[class.classKind] == 0 {
			delete(l.kinds, class.classKind)
		}
	}
}

// directions are the maps of one port, by kind; nil for none.
type directions [configdb.NumMapKinds]*configdb.QoSMap

// of is what a map makes of n: n itself without an entry.
func (d *directions) of(kind configdb.MapKind, n uint8) uint8 {
	if m := d[kind]; m != nil {
		for _, e := range m.Entries {
			if e.From == n {
				return e.To
			}
		}
	}
	return n
}

// directionsOf are the maps that a row names; false if one is not there.
func (c *limits) directionsOf(row *configdb.PortQoSMap) (d directions, ok bool) {
	for kind, name := range row.Maps {
		if name == "" {
			continue
		}
		if d[kind] = c.in.Rows.QoSMaps[kind][name]; d[kind] == nil {
			return d, false
		}
	}
	return d, true
}

// classesOf are the paused classes of a port; nil if there are none, or a map is missing.
func (c *limits) classesOf(port string) *portClasses {
	row := c.index.of(port).pfc()
	if row == nil || row.PFC == 0 || c.in.Rows.Ports[port] == nil {
		return nil
	}
	d, ok := c.directionsOf(row)
	if !ok {
		return nil
	}
	x := &portClasses{}
	for p := range uint8(8) {
		if row.PFC>>p&1 == 0 {
			continue
		}
		class := pausedClass{classKind: classKind{priority: p}, index: d.of(configdb.TCToQueue, p)}
		group := d.of(configdb.TCToPriorityGroup, p)
		if g := c.losslessGroup(port, group); g != nil {
			class.group = g.profile
		}
		if q := c.queueRow(port, int(class.index)); q != nil {
			class.row, class.queue = q.ID, q.Profile
		}
		x.classes = append(x.classes, class)
		x.losses = c.appendVain(x.losses, inVain{port, row, d, p, group, class.group != nil})
	}
	return x
}

// checkClasses finds priorities that ports pause in vain: by their maps, or because the
// queue drops before the groups that fill it have paused their senders.
func (c *limits) checkClasses() {
	if c.in.Rows.PFCOff() {
		return
	}
	short := c.shortQueues()
	for port, x := range c.book.classes {
		for _, l := range x.losses {
			c.warn(l.row, l.field, l.err)
		}
		if len(short) == 0 {
			continue
		}
		for _, class := range x.classes {
			if s, ok := short[class.classKind]; ok {
				c.warn(class.row, "profile", fmt.Errorf("priority %d is paused, and %s lets its queue %d of %s take %d bytes%s, where the priority groups that fill it may hold %d: the queue drops before they pause",
					class.priority, configdb.Key(profileTable, class.queue), class.index, port, s.room, c.inParts(), s.held))
			}
		}
	}
}

// shortQueue is a queue that can hold less than the groups that fill it.
type shortQueue struct{ room, held uint64 }

// shortQueues are the kinds of classes whose queue drops before the groups that fill it have
// paused their senders.
func (c *limits) shortQueues() map[classKind]shortQueue {
	flows := map[flowKey]inflow{}
	for kind, n := range c.book.kinds {
		if kind.group != nil {
			k := flowKey{kind.group.Pool, kind.priority}
			flows[k] = flows[k].with(kind.group, n)
		}
	}
	short := map[classKind]shortQueue{}
	for kind := range c.book.kinds {
		p := c.rows.BufferProfiles[kind.queue]
		if p == nil || p.Trim {
			continue
		}
		if pool := c.rows.BufferPools[p.Pool]; pool != nil && pool.HasSize {
			if s := (shortQueue{c.queueRoom(p, pool), c.heldFor(kind, flows)}); s.held > s.room {
				short[kind] = s
			}
		}
	}
	return short
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

// inVain is a priority that may be paused in vain at a port.
type inVain struct {
	port     string
	row      *configdb.PortQoSMap
	maps     directions
	priority uint8
	group    uint8 // that buffers its class
	lossless bool  // group pauses
}

// appendVain adds why a pause of a priority is in vain by the maps of a port. That priority n
// has no headroom in group n is not for here.
func (c *limits) appendVain(to []loss, x inVain) []loss {
	p := x.priority
	add := func(kind configdb.MapKind, format string, args ...any) {
		to = append(to, loss{x.row.ID, configdb.MapFields[kind], fmt.Errorf(format, args...)})
	}
	pauses := x.maps.of(configdb.PFCPriorityToPriorityGroup, p)
	switch {
	case !c.in.Rows.Ports[x.port].AdminUp && (c.dynamicModel() || c.sw.Vendor != platform.Other): // then headroom is taken away on purpose
	case x.group != p && !x.lossless:
		add(configdb.TCToPriorityGroup, "%s sends class %d to priority group %d of %s, which never pauses: nothing pauses priority %d",
			mapRow(x.row, configdb.TCToPriorityGroup), p, x.group, x.port, p)
	case pauses != x.group:
		add(configdb.PFCPriorityToPriorityGroup, "priority %d of %s is paused by priority group %d, and its packets are in group %d: nothing pauses them", p, x.port, pauses, x.group)
	}
	queue, stops := x.maps.of(configdb.TCToQueue, p), x.maps.of(configdb.PFCPriorityToQueue, p)
	if queue != stops {
		add(configdb.PFCPriorityToQueue, "a pause of priority %d stops queue %d of %s, and its packets leave by queue %d: the receiver that pauses them drops them", p, stops, x.port, queue)
	}
	return to
}

// queueRow is the row of CONFIG_DB that gives a queue its profile; nil if there is none.
func (c *limits) queueRow(port string, index int) (row *configdb.BufferQueue) {
	for _, r := range c.index.of(port).queues {
		if r.Lo <= index && index <= r.Hi && (row == nil || configdb.ComparePlaced(r, row) < 0) {
			row = r
		}
	}
	return row
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
func (c *limits) heldFor(kind classKind, flows map[flowKey]inflow) (held uint64) {
	for name, pool := range c.rows.BufferPools {
		f := flows[flowKey{name, kind.priority}]
		if kind.group != nil && kind.group.Pool == name && f.groups > 1 {
			f = f.without(kind.group)
		}
		if f.groups > 0 {
			held = plus(held, c.held(pool, &f))
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

// mapTables are the tables of maps: without one of its maps a row of PORT_QOS_MAP waits.
var mapTables = func() map[string]bool {
	all := map[string]bool{}
	for _, table := range configdb.MapTables {
		all[table] = true
	}
	return all
}()
