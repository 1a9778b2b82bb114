package vsai

import (
	"net/netip"

	"xon/sai"
)

// checkBridgePort requires that a front-panel port has at most one bridge port, and no
// router interface.
func checkBridgePort(c *Chip, v candidate) *sai.AttrMeta {
	a := sai.BridgePortAttrPortID.AttrMeta
	id := v.num(a)
	if !v.inCall(a) || v.num(sai.BridgePortAttrType.AttrMeta) != uint64(sai.BridgePortTypePort) {
		return nil
	}
	if sai.OID(id) == c.cpu || c.inBridge(id) || c.hasRouterInterface(sai.RouterInterfaceTypePort, sai.RouterInterfaceAttrPortID.AttrMeta, id) {
		return a
	}
	return nil
}

// inBridge reports whether a port has a bridge port.
func (c *Chip) inBridge(port uint64) bool {
	return c.some(sai.BridgePort{}.Meta(), func(x *object) bool {
		return x.num(sai.BridgePortAttrType.AttrMeta) == uint64(sai.BridgePortTypePort) && x.num(sai.BridgePortAttrPortID.AttrMeta) == port
	})
}

// hasRouterInterface reports whether a port or a VLAN has a router interface.
func (c *Chip) hasRouterInterface(t sai.RouterInterfaceType, a *sai.AttrMeta, id uint64) bool {
	return c.some(sai.RouterInterface{}.Meta(), func(x *object) bool {
		return x.num(sai.RouterInterfaceAttrType.AttrMeta) == uint64(t) && x.num(a) == id
	})
}

func (c *Chip) some(o *sai.ObjectMeta, is func(*object) bool) bool {
	for _, x := range c.list(o) {
		if is(x) {
			return true
		}
	}
	return false
}

// checkRouterInterface requires that a port or a VLAN has at most one router interface,
// and that the port has no bridge port.
func checkRouterInterface(c *Chip, v candidate) *sai.AttrMeta {
	port, vlan := sai.RouterInterfaceAttrPortID.AttrMeta, sai.RouterInterfaceAttrVLANID.AttrMeta
	switch t := sai.RouterInterfaceType(v.num(sai.RouterInterfaceAttrType.AttrMeta)); {
	case t == sai.RouterInterfaceTypePort && v.inCall(port):
		if id := v.num(port); sai.OID(id) == c.cpu || c.inBridge(id) || c.hasRouterInterface(t, port, id) {
			return port
		}
	case t == sai.RouterInterfaceTypeVLAN && v.inCall(vlan):
		if c.hasRouterInterface(t, vlan, v.num(vlan)) {
			return vlan
		}
	}
	return nil
}

// checkRoute requires that a route to a port is to the CPU port: other ports need a
// next hop.
//
// Source: sairoute.h.
func checkRoute(c *Chip, v candidate) *sai.AttrMeta {
	a := sai.RouteEntryAttrNextHopID.AttrMeta
	if id := sai.OID(v.num(a)); v.inCall(a) && c.ports[id] != nil && id != c.cpu {
		return a
	}
	return nil
}

// usedByNextHop reports whether a next hop needs a neighbour's address.
func (c *Chip) usedByNextHop(neighbor *object) bool {
	e, ok := sai.EntryOf[sai.NeighborEntry]([]byte(neighbor.entry))
	return ok && c.some(sai.NextHop{}.Meta(), func(x *object) bool {
		ip, _ := x.value(sai.NextHopAttrIP.AttrMeta.ID)
		addr, _ := ip.Ref.(netip.Addr)
		return sai.OID(x.num(sai.NextHopAttrRouterInterfaceID.AttrMeta)) == e.RifID && addr == e.IPAddress.Netip()
	})
}

// bridgePorts lists the ports of a bridge: those that refer to it, and for the default
// bridge those in VLANs, which do not refer to it.
func bridgePorts(c *Chip, x *object) (sai.Value, bool) {
	v, ok := members(sai.BridgePortAttrBridgeID.AttrMeta)(c, x)
	if x.id != c.made.bridge {
		return v, ok
	}
	ids, _ := v.Ref.([]sai.OID)
	for _, p := range c.list(sai.BridgePort{}.Meta()) {
		if p.num(sai.BridgePortAttrType.AttrMeta) == uint64(sai.BridgePortTypePort) {
			ids = append(ids, p.id)
		}
	}
	return sai.Value{Ref: ids}, ok
}
