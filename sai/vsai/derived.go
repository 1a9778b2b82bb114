package vsai

import (
	"slices"

	"xon/sai"
)

// derived computes attributes that depend on the chip or on other objects. ok is false
// if the chip has no value.
var derived map[*sai.AttrMeta]func(*Chip, *object) (v sai.Value, ok bool)

// The functions read other attributes, so the table cannot be a plain initialiser: it
// would refer to itself.
func init() {
	derived = map[*sai.AttrMeta]func(*Chip, *object) (sai.Value, bool){}
	for _, t := range []map[*sai.AttrMeta]func(*Chip, *object) (sai.Value, bool){switchValues, portValues, otherValues} {
		for a, f := range t {
			derived[a] = f
		}
	}
}

type derive = func(*Chip, *object) (sai.Value, bool)

// count returns a number of the profile.
func count(f func(*Profile) int) derive {
	return func(c *Chip, _ *object) (sai.Value, bool) { return sai.Value{Num: uint64(f(c.limits))}, true }
}

// constant returns a number that is the same on all chips.
func constant(n uint64) derive {
	return func(*Chip, *object) (sai.Value, bool) { return sai.Value{Num: n}, true }
}

// builtinObject returns an object that the chip created, if it has one.
func builtinObject(f func(*Chip) sai.OID) derive {
	return func(c *Chip, _ *object) (sai.Value, bool) {
		id := f(c)
		return sai.Value{Num: uint64(id)}, id != 0
	}
}

// available returns how many more objects of a type fit.
func available(o sai.Object) derive {
	return func(c *Chip, _ *object) (sai.Value, bool) {
		n := c.limits.limit(o.Meta().Type) - len(c.list(o.Meta()))
		return sai.Value{Num: uint64(max(n, 0))}, true
	}
}

// limitOf returns the maximum number of objects of a type.
func limitOf(o sai.Object) derive {
	return func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Num: uint64(c.limits.limit(o.Meta().Type))}, true
	}
}

var switchValues = map[*sai.AttrMeta]derive{
	sai.SwitchAttrPortList.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Ref: c.portList()}, true
	},
	sai.SwitchAttrNumberOfActivePorts.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Num: uint64(len(c.ports) - 1)}, true // without the CPU port
	},
	sai.SwitchAttrMaxNumberOfSupportedPorts.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Num: uint64(c.maxPorts())}, true
	},
	sai.SwitchAttrXonHwLaneList.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Ref: c.Lanes()}, true
	},
	sai.SwitchAttrSrcMACAddress.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Ref: c.mac()}, true
	},
	sai.SwitchAttrCPUPort.AttrMeta:                builtinObject(func(c *Chip) sai.OID { return c.cpu }),
	sai.SwitchAttrDefaultVLANID.AttrMeta:          builtinObject(func(c *Chip) sai.OID { return c.made.vlan }),
	sai.SwitchAttrDefaultVirtualRouterID.AttrMeta: builtinObject(func(c *Chip) sai.OID { return c.made.vr }),
	sai.SwitchAttrDefault1qBridgeID.AttrMeta:      builtinObject(func(c *Chip) sai.OID { return c.made.bridge }),
	sai.SwitchAttrDefaultStpInstID.AttrMeta:       builtinObject(func(c *Chip) sai.OID { return c.made.stp }),
	sai.SwitchAttrDefaultTrapGroup.AttrMeta:       builtinObject(func(c *Chip) sai.OID { return c.made.trapGroup }),
	sai.SwitchAttrECMPHash.AttrMeta:               builtinObject(func(c *Chip) sai.OID { return c.made.ecmp }),
	sai.SwitchAttrLAGHash.AttrMeta:                builtinObject(func(c *Chip) sai.OID { return c.made.lag }),

	sai.SwitchAttrNumberOfUnicastQueues.AttrMeta:                       count(func(p *Profile) int { return p.UnicastQueues }),
	sai.SwitchAttrNumberOfMulticastQueues.AttrMeta:                     count(func(p *Profile) int { return p.MulticastQueues }),
	sai.SwitchAttrNumberOfQueues.AttrMeta:                              count((*Profile).Queues),
	sai.SwitchAttrNumberOfCPUQueues.AttrMeta:                           count(func(p *Profile) int { return p.CPUQueues }),
	sai.SwitchAttrQoSMaxNumberOfTrafficClasses.AttrMeta:                count(func(p *Profile) int { return p.TrafficClasses }),
	sai.SwitchAttrIngressBufferPoolNum.AttrMeta:                        count(func(p *Profile) int { return p.IngressPools }),
	sai.SwitchAttrEgressBufferPoolNum.AttrMeta:                         count(func(p *Profile) int { return p.EgressPools }),
	sai.SwitchAttrSharedBufferCellSize.AttrMeta:                        count(func(p *Profile) int { return int(p.CellBytes) }),
	sai.SwitchAttrPortMaxMTU.AttrMeta:                                  count(func(p *Profile) int { return int(p.MaxMTU) }),
	sai.SwitchAttrMaxNumberOfForwardingClasses.AttrMeta:                count((*Profile).forwardingClasses),
	sai.SwitchAttrQoSNumLosslessQueues.AttrMeta:                        count(func(p *Profile) int { return p.PriorityGroups }),
	sai.SwitchAttrQoSMaxNumberOfSchedulerGroupHierarchyLevels.AttrMeta: constant(3),
	sai.SwitchAttrQoSMaxNumberOfChildsPerSchedulerGroup.AttrMeta:       constant(8),
	sai.SwitchAttrTotalBufferSize.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Num: c.profile.BufferBytes / kib}, !c.profile.HideBuffer
	},
	sai.SwitchAttrOperStatus.AttrMeta: constant(uint64(sai.SwitchOperStatusUp)),

	sai.SwitchAttrACLTableMinimumPriority.AttrMeta:      constant(0),
	sai.SwitchAttrACLTableMaximumPriority.AttrMeta:      constant(64),
	sai.SwitchAttrACLTableGroupMinimumPriority.AttrMeta: constant(0),
	sai.SwitchAttrACLTableGroupMaximumPriority.AttrMeta: constant(64),
	sai.SwitchAttrACLEntryMinimumPriority.AttrMeta:      constant(0),
	sai.SwitchAttrACLEntryMaximumPriority.AttrMeta:      constant(16000),
	sai.SwitchAttrECMPMembers.AttrMeta:                  constant(512),
	sai.SwitchAttrMaxECMPMemberCount.AttrMeta:           constant(512),
	sai.SwitchAttrLAGMembers.AttrMeta:                   constant(64),

	sai.SwitchAttrNumberOfECMPGroups.AttrMeta:               limitOf(sai.NextHopGroup{}),
	sai.SwitchAttrNumberOfLags.AttrMeta:                     limitOf(sai.LAG{}),
	sai.SwitchAttrMaxVirtualRouters.AttrMeta:                limitOf(sai.VirtualRouter{}),
	sai.SwitchAttrFDBTableSize.AttrMeta:                     limitOf(sai.FDBEntry{}),
	sai.SwitchAttrL3NeighborTableSize.AttrMeta:              limitOf(sai.NeighborEntry{}),
	sai.SwitchAttrL3RouteTableSize.AttrMeta:                 limitOf(sai.RouteEntry{}),
	sai.SwitchAttrMaxMirrorSession.AttrMeta:                 limitOf(sai.MirrorSession{}),
	sai.SwitchAttrAvailableIPv4RouteEntry.AttrMeta:          available(sai.RouteEntry{}),
	sai.SwitchAttrAvailableIPv6RouteEntry.AttrMeta:          available(sai.RouteEntry{}),
	sai.SwitchAttrAvailableIPv4NexthopEntry.AttrMeta:        available(sai.NextHop{}),
	sai.SwitchAttrAvailableIPv6NexthopEntry.AttrMeta:        available(sai.NextHop{}),
	sai.SwitchAttrAvailableIPv4NeighborEntry.AttrMeta:       available(sai.NeighborEntry{}),
	sai.SwitchAttrAvailableIPv6NeighborEntry.AttrMeta:       available(sai.NeighborEntry{}),
	sai.SwitchAttrAvailableNextHopGroupEntry.AttrMeta:       available(sai.NextHopGroup{}),
	sai.SwitchAttrAvailableNextHopGroupMemberEntry.AttrMeta: available(sai.NextHopGroupMember{}),
	sai.SwitchAttrAvailableFDBEntry.AttrMeta:                available(sai.FDBEntry{}),
}

func (c *Chip) portList() []sai.OID {
	var out []sai.OID
	for _, x := range c.list(sai.Port{}.Meta()) {
		if x.id != c.cpu {
			out = append(out, x.id)
		}
	}
	return out
}

// ofPort derives an attribute of ports.
func ofPort(f func(*Chip, *port) sai.Value) derive {
	return func(c *Chip, x *object) (sai.Value, bool) { return f(c, c.ports[x.id]), true }
}

var portValues = map[*sai.AttrMeta]derive{
	sai.PortAttrType.AttrMeta: ofPort(func(c *Chip, p *port) sai.Value {
		if p.x.id == c.cpu {
			return sai.Value{Num: uint64(sai.PortTypeCPU)}
		}
		return sai.Value{Num: uint64(sai.PortTypeLogical)}
	}),
	sai.PortAttrOperStatus.AttrMeta: ofPort(func(c *Chip, p *port) sai.Value {
		return sai.Value{Num: uint64(c.operStatus(p))}
	}),
	sai.PortAttrOperSpeed.AttrMeta: ofPort(func(_ *Chip, p *port) sai.Value {
		return sai.Value{Num: p.x.num(sai.PortAttrSpeed.AttrMeta)}
	}),
	sai.PortAttrSupportedSpeed.AttrMeta: ofPort(func(_ *Chip, p *port) sai.Value {
		return sai.Value{Ref: slices.Clone(p.speeds)}
	}),
	sai.PortAttrSupportedAutoNegMode.AttrMeta: constant(1),
	sai.PortAttrSupportedFECMode.AttrMeta: ofPort(func(*Chip, *port) sai.Value {
		return sai.Value{Ref: []int32{int32(sai.PortFECModeNone), int32(sai.PortFECModeRs), int32(sai.PortFECModeFc)}}
	}),
	sai.PortAttrHostTxReadyStatus.AttrMeta: constant(uint64(sai.PortHostTxReadyStatusReady)),

	sai.PortAttrQoSNumberOfQueues.AttrMeta:             ofPort(func(_ *Chip, p *port) sai.Value { return sai.Value{Num: uint64(len(p.queues))} }),
	sai.PortAttrQoSQueueList.AttrMeta:                  ofPort(func(_ *Chip, p *port) sai.Value { return sai.Value{Ref: slices.Clone(p.queues)} }),
	sai.PortAttrQoSNumberOfSchedulerGroups.AttrMeta:    ofPort(func(_ *Chip, p *port) sai.Value { return sai.Value{Num: uint64(len(p.groups))} }),
	sai.PortAttrQoSSchedulerGroupList.AttrMeta:         ofPort(func(_ *Chip, p *port) sai.Value { return sai.Value{Ref: slices.Clone(p.groups)} }),
	sai.PortAttrNumberOfIngressPriorityGroups.AttrMeta: ofPort(func(_ *Chip, p *port) sai.Value { return sai.Value{Num: uint64(len(p.pgs))} }),
	sai.PortAttrIngressPriorityGroupList.AttrMeta:      ofPort(func(_ *Chip, p *port) sai.Value { return sai.Value{Ref: slices.Clone(p.pgs)} }),
	sai.PortAttrQoSMaximumHeadroomSize.AttrMeta: func(c *Chip, _ *object) (sai.Value, bool) {
		return sai.Value{Num: uint64(c.profile.PortHeadroomBytes)}, c.profile.PortHeadroomBytes > 0
	},
}

// linked reports whether the peer is up.
func (p *port) linked() bool { return p.link && !p.planeDown }

// operStatus is up if the port and its peer are up.
func (c *Chip) operStatus(p *port) sai.PortOperStatus {
	if p.x.id == c.cpu || p.linked() && p.x.num(sai.PortAttrAdminState.AttrMeta) != 0 {
		return sai.PortOperStatusUp
	}
	return sai.PortOperStatusDown
}

// members lists the objects that refer to this one by an attribute.
func members(by ...*sai.AttrMeta) derive {
	return func(c *Chip, x *object) (sai.Value, bool) {
		var out []sai.OID
		for _, a := range by {
			for _, m := range c.list(ownerOf[a]) {
				if v, ok := m.value(a.ID); ok && sai.OID(v.Num) == x.id {
					out = append(out, m.id)
				}
			}
		}
		slices.SortFunc(out, func(a, b sai.OID) int { return int(a&indexMask) - int(b&indexMask) })
		return sai.Value{Ref: out}, true
	}
}

// ownerOf maps an attribute to its object type.
var ownerOf = func() map[*sai.AttrMeta]*sai.ObjectMeta {
	out := map[*sai.AttrMeta]*sai.ObjectMeta{}
	for _, o := range sai.Objects {
		for _, a := range o.Attrs {
			out[a] = o
		}
	}
	return out
}()

var otherValues = map[*sai.AttrMeta]derive{
	sai.SchedulerGroupAttrChildList.AttrMeta: children,
	sai.SchedulerGroupAttrChildCount.AttrMeta: func(c *Chip, x *object) (sai.Value, bool) {
		v, ok := children(c, x)
		ids, _ := v.Ref.([]sai.OID)
		return sai.Value{Num: uint64(len(ids))}, ok
	},
	sai.BufferPoolAttrSharedSize.AttrMeta:          sharedSize,
	sai.VLANAttrMemberList.AttrMeta:                members(sai.VLANMemberAttrVLANID.AttrMeta),
	sai.LAGAttrPortList.AttrMeta:                   members(sai.LAGMemberAttrLAGID.AttrMeta),
	sai.BridgeAttrPortList.AttrMeta:                bridgePorts,
	sai.NextHopGroupAttrNextHopMemberList.AttrMeta: members(sai.NextHopGroupMemberAttrNextHopGroupID.AttrMeta),
	sai.ACLTableGroupAttrMemberList.AttrMeta:       members(sai.ACLTableGroupMemberAttrACLTableGroupID.AttrMeta),
	sai.ACLTableAttrEntryList.AttrMeta:             members(sai.ACLEntryAttrTableID.AttrMeta),
}

// children lists the queues and groups below a scheduler group. It searches only the
// group's port, which keeps discovery of a large switch fast.
func children(c *Chip, x *object) (sai.Value, bool) {
	p := c.ports[sai.OID(x.num(sai.SchedulerGroupAttrPortID.AttrMeta))]
	var out []sai.OID
	for _, id := range p.queues {
		if c.byID(id).num(sai.QueueAttrParentSchedulerNode.AttrMeta) == uint64(x.id) {
			out = append(out, id)
		}
	}
	for _, id := range p.groups {
		if c.byID(id).num(sai.SchedulerGroupAttrParentNode.AttrMeta) == uint64(x.id) {
			out = append(out, id)
		}
	}
	return sai.Value{Ref: out}, true
}
