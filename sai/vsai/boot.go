package vsai

import (
	"encoding/binary"
	"slices"

	"xon/sai"
)

// port is the state of a port besides its attributes.
type port struct {
	x                   *object
	lanes               []uint32
	speeds              []uint32
	queues, pgs, groups []sai.OID
	link                bool // the peer is up
	planeDown           bool // the plane reports no carrier
}

// createSwitch initialises the chip: it creates all objects that a switch has from the
// start. A second switch is refused.
func (c *Chip) createSwitch(o *sai.ObjectMeta, attrs []sai.Attribute) (sai.OID, sai.Status) {
	if c.sw != nil {
		return 0, sai.StatusItemAlreadyExists
	}
	if st := c.checkCreate(o, attrs); st != 0 {
		return 0, st
	}
	if i := slices.IndexFunc(attrs, func(a sai.Attribute) bool { return a.AttrMeta == sai.SwitchAttrInitSwitch.AttrMeta }); attrs[i].Num == 0 {
		// Attaching to a switch that another process initialised is not supported.
		return 0, sai.StatusInvalidAttrValue0 - sai.Status(i)
	}
	c.sw = c.add(o, nil, attrs)
	c.sw.builtin = true
	c.bootPorts()
	c.bootRest()
	return c.sw.id, 0
}

// bootPorts creates the ports and their objects. Ports come first, so that their IDs
// are consecutive as on SONiC's virtual switch.
func (c *Chip) bootPorts() {
	cpu := c.builtinObjects(sai.Port{}, 1)
	c.cpu = cpu[0].id
	c.ports[c.cpu] = &port{x: cpu[0]}
	front := c.builtinObjects(sai.Port{}, len(c.layout))
	for i, l := range c.layout {
		p := &port{x: front[i], lanes: slices.Clone(l.Lanes), speeds: c.speeds(l.Lanes), link: true}
		front[i].preset(sai.PortAttrHwLaneList.Is(l.Lanes).Attribute, sai.PortAttrSpeed.Is(l.SpeedMbps).Attribute)
		c.ports[front[i].id] = p
	}
	c.bootCPU(c.ports[c.cpu])
	for _, x := range front {
		c.bootPort(c.ports[x.id])
	}
}

func (c *Chip) bootCPU(p *port) {
	for i, q := range c.builtinObjects(sai.Queue{}, c.profile.CPUQueues) {
		c.bootQueue(q, sai.QueueTypeAll, p.x.id, i, p.x.id)
		p.queues = append(p.queues, q.id)
	}
}

func (c *Chip) bootPort(p *port) {
	queues := c.builtinObjects(sai.Queue{}, c.profile.Queues())
	pgs := c.builtinObjects(sai.IngressPriorityGroup{}, c.profile.PriorityGroups)
	leaves := c.bootGroups(p)
	for i, q := range queues {
		kind, n := sai.QueueTypeUnicast, i
		if i >= c.profile.UnicastQueues {
			kind, n = sai.QueueTypeMulticast, i-c.profile.UnicastQueues
		}
		c.bootQueue(q, kind, p.x.id, i, leaves[n].id)
		p.queues = append(p.queues, q.id)
	}
	for i, g := range pgs {
		c.preset(g, sai.IngressPriorityGroupAttrPort.Is(sai.ID[sai.Port](p.x.id)).Attribute,
			sai.IngressPriorityGroupAttrIndex.Is(uint8(i)).Attribute)
		p.pgs = append(p.pgs, g.id)
	}
}

func (c *Chip) bootQueue(q *object, kind sai.QueueType, port sai.OID, index int, parent sai.OID) {
	c.preset(q, sai.QueueAttrType.Is(kind).Attribute, sai.QueueAttrPort.Is(sai.ID[sai.Port](port)).Attribute,
		sai.QueueAttrIndex.Is(uint8(index)).Attribute, sai.QueueAttrParentSchedulerNode.Is(parent).Attribute)
}

// bootGroups creates the scheduler groups of a port: below a root, one leaf for each
// unicast queue, which also holds the multicast queue of that number. If there are more
// than eight leaves, two groups in between hold them. The port's list starts with the
// leaves, so that group i holds queue i.
func (c *Chip) bootGroups(p *port) (leaves []*object) {
	const width = 8
	n := max(c.profile.UnicastQueues, c.profile.MulticastQueues)
	mids := 0
	if n > width {
		mids = (n + width - 1) / width
	}
	all := c.builtinObjects(sai.SchedulerGroup{}, n+mids+1)
	root := all[n+mids]
	c.bootGroup(root, p.x.id, p.x.id, 0)
	for _, g := range all[n : n+mids] {
		c.bootGroup(g, p.x.id, root.id, 1)
	}
	for i, g := range all[:n] {
		parent, level := root, 1
		if mids > 0 {
			parent, level = all[n+i/width], 2
		}
		c.bootGroup(g, p.x.id, parent.id, level)
	}
	for _, g := range all {
		p.groups = append(p.groups, g.id)
	}
	return all[:n]
}

func (c *Chip) bootGroup(g *object, port, parent sai.OID, level int) {
	c.preset(g, sai.SchedulerGroupAttrPortID.Is(sai.ID[sai.Port](port)).Attribute,
		sai.SchedulerGroupAttrLevel.Is(uint8(level)).Attribute,
		sai.SchedulerGroupAttrMaxChilds.Is(uint8(8)).Attribute,
		sai.SchedulerGroupAttrParentNode.Is(parent).Attribute)
}

// bootRest creates the single objects. The ECMP hash comes before the LAG hash: SONiC's
// tests distinguish them by ID.
func (c *Chip) bootRest() {
	one := func(o sai.Object, attrs ...sai.Attribute) sai.OID {
		x := c.builtinObjects(o, 1)[0]
		c.preset(x, attrs...)
		return x.id
	}
	c.made = builtins{
		vlan:      one(sai.VLAN{}, sai.VLANAttrVLANID.Is(1).Attribute),
		vr:        one(sai.VirtualRouter{}),
		bridge:    one(sai.Bridge{}, sai.BridgeAttrType.Is(sai.BridgeType1q).Attribute),
		ecmp:      one(sai.Hash{}),
		lag:       one(sai.Hash{}),
		trapGroup: one(sai.HostifTrapGroup{}),
	}
	if o := sai.ByType(sai.ObjectTypeStp); o != nil {
		c.made.stp = c.builtinObjectsOf(o, 1)[0].id
	}
	c.bootVLAN()
}

// bootVLAN adds the initial ports to the default VLAN, untagged, each with a bridge
// port. Unlike other initial objects an agent may remove these.
//
// Source: saivlan.h, saibridge.h.
func (c *Chip) bootVLAN() {
	ports := c.list(sai.Port{}.Meta())[1:] // the first port is the CPU port
	bridged, members := c.builtinObjects(sai.BridgePort{}, len(ports)), c.builtinObjects(sai.VLANMember{}, len(ports))
	for i, p := range ports {
		b, m := bridged[i], members[i]
		b.builtin, m.builtin = false, false
		c.preset(b, sai.BridgePortAttrType.Is(sai.BridgePortTypePort).Attribute, sai.BridgePortAttrPortID.Is(p.id).Attribute,
			sai.BridgePortAttrAdminState.Is(true).Attribute)
		c.preset(m, sai.VLANMemberAttrVLANID.Is(sai.ID[sai.VLAN](c.made.vlan)).Attribute,
			sai.VLANMemberAttrBridgePortID.Is(sai.ID[sai.BridgePort](b.id)).Attribute,
			sai.VLANMemberAttrVLANTaggingMode.Is(sai.VLANTaggingModeUntagged).Attribute)
	}
}

// builtinObjects creates built-in objects in one allocation.
func (c *Chip) builtinObjects(o sai.Object, n int) []*object { return c.builtinObjectsOf(o.Meta(), n) }

func (c *Chip) builtinObjectsOf(o *sai.ObjectMeta, n int) []*object {
	mem := make([]object, n)
	out := make([]*object, n)
	for i := range mem {
		out[i] = &mem[i]
		out[i].builtin = true
		c.register(out[i], o, nil)
	}
	return out
}

// preset stores attributes of built-in objects.
func (c *Chip) preset(x *object, attrs ...sai.Attribute) {
	x.cells = make([]cell, 0, len(attrs)+1) // most objects get one more later
	for _, a := range attrs {
		c.replace(x, a.AttrMeta, a.Value)
	}
}

// preset stores attributes without object references.
func (x *object) preset(attrs ...sai.Attribute) {
	for _, a := range attrs {
		x.store(a.AttrMeta, clone(a.Value))
	}
}

// mac returns the chip's base address: locally administered, derived from the number of
// ports.
func (c *Chip) mac() sai.MAC {
	m := sai.MAC{0x02, 0x58, 0x4f, 0x4e}
	binary.BigEndian.PutUint16(m[4:], uint16(len(c.layout)))
	return m
}
