package vsai

import (
	"slices"

	"xon/sai"
)

// maxLanes is the maximum number of lanes of a port, as 800GBASE-R8 has.
const maxLanes = 8

// createPort creates a front-panel port from checked attributes, with queues, priority
// groups and scheduler groups like any other. It has no host interface.
func (c *Chip) createPort(o *sai.ObjectMeta, attrs []sai.Attribute) (sai.OID, sai.Status) {
	lanes := lanesOf(candidate{o: o, attrs: attrs})
	for _, p := range c.ports {
		if c.collide(p.lanes, lanes) {
			return 0, sai.StatusObjectInUse
		}
	}
	if len(c.ports) > c.limits.MaxPorts { // the CPU port counts too
		return 0, sai.StatusInsufficientResources
	}
	x := c.add(o, nil, attrs)
	p := &port{x: x, lanes: slices.Clone(lanes), speeds: c.speeds(lanes), link: true}
	c.ports[x.id] = p
	c.bootPort(p)
	c.applySideEffects(x, sai.PortAttrAdminState.AttrMeta, sai.Value{})
	return x.id, 0
}

// collide reports whether two ports exclude each other: they share a lane, and are not
// both in the initial layout.
func (c *Chip) collide(a, b []uint32) bool {
	if !slices.ContainsFunc(a, func(l uint32) bool { return slices.Contains(b, l) }) {
		return false
	}
	a, b = sorted(a), sorted(b)
	return slices.Equal(a, b) || c.layoutIndex(a) < 0 || c.layoutIndex(b) < 0
}

// layoutIndex returns the index of the initial port with exactly these sorted lanes; -1
// if there is none.
func (c *Chip) layoutIndex(lanes []uint32) int {
	return slices.IndexFunc(c.layout, func(l PortLayout) bool { return slices.Equal(sorted(l.Lanes), lanes) })
}

// removePort removes a port with its built-in objects. No other object may refer to it
// or to them; their own references are released.
func (c *Chip) removePort(x *object) sai.Status {
	p := c.ports[x.id]
	parts := make(map[sai.OID]*object, len(p.queues)+len(p.pgs)+len(p.groups)+1)
	for _, id := range slices.Concat(p.queues, p.pgs, p.groups, []sai.OID{x.id}) {
		parts[id] = c.byID(id)
	}
	outside := map[sai.OID]int32{}
	for id, part := range parts {
		outside[id] += part.refs
		for _, cell := range part.cells {
			a := part.t.meta.Attr(cell.id)
			if holdsRefs(a.Kind) && !cell.ro {
				eachRef(a.Kind, part.load(cell), func(to sai.OID) { outside[to]-- })
			}
		}
	}
	for id := range parts {
		if outside[id] > 0 {
			return sai.StatusObjectInUse
		}
	}
	for _, part := range parts {
		c.delete(part)
	}
	delete(c.ports, x.id)
	return 0
}

// maxPorts is the maximum number of front-panel ports: the profile's limit, or the size
// of the initial layout if larger.
func (c *Chip) maxPorts() int { return max(c.profile.MaxPorts, len(c.layout)) }

// speeds lists the speeds of a port with these lanes, in Mb/s: those of the profile and
// of the initial layout.
func (c *Chip) speeds(lanes []uint32) []uint32 {
	list := c.profile.Speeds(len(lanes))
	i := c.layoutIndex(sorted(lanes))
	if i >= 0 && !slices.Contains(list, c.layout[i].SpeedMbps) {
		list = append(list, c.layout[i].SpeedMbps)
		slices.Sort(list)
	}
	return list
}

// runsAt reports whether a new or existing port supports the given speed.
func (c *Chip) runsAt(v candidate) bool {
	speed := uint32(v.num(sai.PortAttrSpeed.AttrMeta))
	if v.x == nil {
		return slices.Contains(c.speeds(lanesOf(v)), speed)
	}
	return v.x.id == c.cpu || slices.Contains(c.ports[v.x.id].speeds, speed)
}

// hasLanes reports whether lanes exist on the chip, without duplicates, and in a valid
// number: a power of two.
func (c *Chip) hasLanes(lanes []uint32) bool {
	n := len(lanes)
	if n == 0 || n > maxLanes || n&(n-1) != 0 {
		return false
	}
	for i, l := range lanes {
		if !c.lanes[l] || slices.Contains(lanes[:i], l) {
			return false
		}
	}
	return true
}

func lanesOf(v candidate) []uint32 {
	val, _ := v.value(sai.PortAttrHwLaneList.AttrMeta)
	lanes, _ := val.Ref.([]uint32)
	return lanes
}
