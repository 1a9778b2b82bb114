package forwarding

import (
	"fmt"
	"net/netip"

	"xon/sai/vsai/dataplane"
)

// Interface is a router interface: of a port, of one VLAN of a port, or of a VLAN.
type Interface struct {
	Port int           // -1: interface of the VLAN
	VLAN uint16        // 0: untagged frames of the port
	VRF  ID            // routes for packets that arrive by the interface
	MAC  dataplane.MAC // zero: the switch's
}

// ifaceKey is the place of an interface: port and VLAN.
type ifaceKey struct {
	port int
	vlan uint16
}

// neighbour is the key of a neighbour: an interface and an address.
type neighbour struct {
	at   ID
	addr netip.Addr
}

// NextHop is a neighbour that forwards packets.
type NextHop struct {
	Interface ID
	Addr      netip.Addr
}

// Member of a group of next hops.
type Member struct {
	NextHop ID
	Weight  int // relative weight; 1 or more
}

// Action is the type of a target.
type Action uint8

// Actions.
const (
	ToDrop      Action = iota
	ToCPU              // the address is the switch's own
	ToInterface        // ID: the destination is a neighbour at this interface
	ToNextHop          // ID
	ToGroup            // ID: hash selects one of several next hops
	ToPort             // Port: forwards unchanged; only in access lists
)

// Target is the destination of a route or of a redirect.
type Target struct {
	Action Action
	ID     ID
	Port   int
}

// SetInterface creates or changes a router interface.
func (t *Tables) SetInterface(id ID, i Interface) error {
	if i.Port >= 0 || i.VLAN == 0 {
		if err := t.checkPorts(i.Port); err != nil {
			return fmt.Errorf("interface %#x: %w", id, err)
		}
	}
	if i.VLAN > maxVLAN {
		return fmt.Errorf("interface %#x: VLAN %d: want 1 to %d, or 0 for untagged frames of a port", id, i.VLAN, maxVLAN)
	}
	if i.MAC == (dataplane.MAC{}) {
		i.MAC = t.sw.Config().MAC
	}
	at := ifaceKey{max(i.Port, -1), i.VLAN}
	if other, ok := t.ifaces[at]; ok && other != id {
		return fmt.Errorf("interface %#x: port %d, VLAN %d is already interface %#x", id, i.Port, i.VLAN, other)
	}
	t.RemoveInterface(id)
	t.interfaces[id], t.ifaces[at] = i, id
	return nil
}

// RemoveInterface removes a router interface. Its neighbours are kept in case it is
// created again.
func (t *Tables) RemoveInterface(id ID) {
	if i, ok := t.interfaces[id]; ok {
		delete(t.interfaces, id)
		delete(t.ifaces, ifaceKey{max(i.Port, -1), i.VLAN})
	}
	t.sw.InvalidateDecisions()
}

// SetNeighbour sets the MAC address of a neighbour. It does not create a route: packets
// reach the neighbour by a route to its interface, or by a next hop.
func (t *Tables) SetNeighbour(at ID, addr netip.Addr, mac dataplane.MAC) error {
	if !addr.IsValid() || group(mac) {
		return fmt.Errorf("neighbour %v of interface %#x: %x: want an address of IP, and an individual one of Ethernet", addr, at, mac)
	}
	t.neighbours[neighbour{at, addr.Unmap()}] = mac
	t.sw.InvalidateDecisions()
	return nil
}

// RemoveNeighbour removes a neighbour.
func (t *Tables) RemoveNeighbour(at ID, addr netip.Addr) {
	delete(t.neighbours, neighbour{at, addr.Unmap()})
	t.sw.InvalidateDecisions()
}

// SetNextHop creates or changes a next hop.
func (t *Tables) SetNextHop(id ID, n NextHop) error {
	if id == 0 || !n.Addr.IsValid() {
		return fmt.Errorf("next hop %#x: want an ID, and an address", id)
	}
	n.Addr = n.Addr.Unmap()
	t.nextHops[id] = n
	t.sw.InvalidateDecisions()
	return nil
}

// RemoveNextHop removes a next hop.
func (t *Tables) RemoveNextHop(id ID) {
	delete(t.nextHops, id)
	t.sw.InvalidateDecisions()
}

// SetGroup sets the members of a next hop group. A packet keeps its member as long as
// the set of usable members is the same.
func (t *Tables) SetGroup(id ID, members []Member) error {
	for _, m := range members {
		if m.Weight < 1 {
			return fmt.Errorf("group %#x: next hop %#x has weight %d: want 1 or more", id, m.NextHop, m.Weight)
		}
	}
	t.groups[id] = append([]Member(nil), members...)
	t.sw.InvalidateDecisions()
	return nil
}

// RemoveGroup removes a next hop group.
func (t *Tables) RemoveGroup(id ID) {
	delete(t.groups, id)
	t.sw.InvalidateDecisions()
}

// SetRoute creates or changes a route.
func (t *Tables) SetRoute(vrf ID, prefix netip.Prefix, to Target) error {
	if !prefix.IsValid() || to.Action > ToGroup {
		return fmt.Errorf("route %v: want a prefix, and to drop, the CPU, an interface, a next hop or a group", prefix)
	}
	r := t.vrfs[vrf]
	if r == nil {
		r = &routes{to: map[netip.Prefix]Target{}}
		t.vrfs[vrf] = r
	}
	r.set(prefix, to)
	t.sw.InvalidateDecisions()
	return nil
}

// RemoveRoute removes a route.
func (t *Tables) RemoveRoute(vrf ID, prefix netip.Prefix) {
	if r := t.vrfs[vrf]; r != nil {
		r.remove(prefix)
	}
	t.sw.InvalidateDecisions()
}

// resolve forwards a packet to a target.
func (t *Tables) resolve(p *packet, x Target) decision {
	h := *p.header
	switch x.Action {
	case ToCPU:
		return decision{cpu: true}
	case ToPort:
		if !t.up(x.Port) {
			return dropFor(dataplane.DropLink)
		}
		return decision{exits: []dataplane.Exit{exit(x.Port, h)}}
	case ToInterface:
		return t.deliver(p, NextHop{x.ID, h.Dst.Unmap()})
	case ToNextHop:
		return t.nextHop(p, x.ID)
	case ToGroup:
		return t.nextHop(p, t.pickMember(p, t.groups[x.ID]))
	case ToDrop:
	}
	return dropFor(dataplane.DropForward)
}

// nextHop forwards a packet to a next hop.
func (t *Tables) nextHop(p *packet, id ID) decision {
	n, ok := t.nextHops[id]
	if !ok {
		return dropFor(dataplane.DropForward)
	}
	return t.deliver(p, n)
}

// deliver forwards a packet to a neighbour.
func (t *Tables) deliver(p *packet, n NextHop) decision {
	i, ok := t.interfaces[n.Interface]
	if !ok {
		return dropFor(dataplane.DropForward)
	}
	mac := t.neighbours[neighbour{n.Interface, n.Addr}]
	if mac == (dataplane.MAC{}) {
		return dropFor(dataplane.DropNeighbour)
	}
	h := *p.header
	h.SrcMAC, h.DstMAC = i.MAC, mac
	p.routed = true
	if i.Port < 0 {
		o := t.bridge(p, i.VLAN, h)
		o.route = true
		return o
	}
	if !t.up(i.Port) {
		return dropFor(dataplane.DropLink)
	}
	h.Tagged, h.VLAN = i.VLAN != 0, i.VLAN
	return decision{route: true, exits: []dataplane.Exit{exit(i.Port, h)}}
}

// pickMember selects a usable member by hash; 0: there is none.
func (t *Tables) pickMember(p *packet, members []Member) ID {
	h := &t.hash4
	if p.header.Type() == dataplane.IPv6 {
		h = &t.hash6
	}
	total := 0
	for _, m := range members {
		if t.usable(m.NextHop) {
			total += m.Weight
		}
	}
	at := int(h.sum(p.in, p.header) % uint32(max(total, 1)))
	for _, m := range members {
		if !t.usable(m.NextHop) {
			continue
		}
		if at -= m.Weight; at < 0 {
			return m.NextHop
		}
	}
	return 0
}

// usable reports whether the port of a next hop is up: that of its interface, or the
// one where its MAC address was learned.
func (t *Tables) usable(id ID) bool {
	n, ok := t.nextHops[id]
	i, is := t.interfaces[n.Interface]
	if !ok || !is {
		return false
	}
	if i.Port >= 0 {
		return t.up(i.Port)
	}
	s := t.fdb[fdbKey{i.VLAN, t.neighbours[neighbour{n.Interface, n.Addr}]}]
	return s == nil || t.up(s.Port)
}
