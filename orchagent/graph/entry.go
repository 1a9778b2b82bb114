package graph

import (
	"fmt"
	"net/netip"
	"strings"

	"xon/sai"
)

// Own is what the name of an object begins with that the chip made itself and that
// nobody changes or removes. No row can have such a name.
const Own = "~chip:"

// Own reports whether k is an object of the chip that is left alone.
func (k Key) Own() bool { return strings.HasPrefix(k.Name, Own) }

// RouterKey is the chip's own virtual router, the one that all routes are in.
var RouterKey = Key{Type: sai.ObjectTypeVirtualRouter, Name: Own + "router"}

// Route returns the key of a route. Its name is the prefix, "10.0.0.0/31".
func Route(p netip.Prefix) Key {
	return Key{Type: sai.ObjectTypeRouteEntry, Name: p.Masked().String()}
}

// Neighbor returns the key of a neighbour on a router interface. Its name is that of
// the interface and the address: "Ethernet0|10.0.0.1".
func Neighbor(rif Key, ip netip.Addr) Key {
	return Key{Type: sai.ObjectTypeNeighborEntry, Name: rif.Name + "|" + ip.String()}
}

// NextHop returns the key of a neighbour as where routes lead to. Its name is that of the
// neighbour.
func NextHop(rif Key, ip netip.Addr) Key {
	return Key{Type: sai.ObjectTypeNextHop, Name: Neighbor(rif, ip).Name}
}

// Group returns the key of the next hops that a route leads to by turns. Its name is the
// route's with theirs, so that a route with other next hops gets another group, and goes
// over to that when it is complete: "10.0.0.0/8|Ethernet0|10.0.0.1,Ethernet4|10.0.0.3".
func Group(route Key, hops []Key) Key {
	names := make([]string, len(hops))
	for i, h := range hops {
		names[i] = h.Name
	}
	return Key{Type: sai.ObjectTypeNextHopGroup, Name: route.Name + "|" + strings.Join(names, ",")}
}

// Member returns the key of one next hop, by its name, in a group.
func Member(group Key, hop string) Key {
	return Key{Type: sai.ObjectTypeNextHopGroupMember, Name: group.Name + " " + hop}
}

// eachMember yields the members of k if it is a group, and reports whether it was not
// stopped.
func (k Key) eachMember(yield func(Key) bool) bool {
	if k.Type != sai.ObjectTypeNextHopGroup {
		return true
	}
	_, hops, _ := strings.Cut(k.Name, "|")
	for hop := range strings.SplitSeq(hops, ",") {
		if !yield(Member(k, hop)) {
			return false
		}
	}
	return true
}

// Entry reports whether k is an object without handle: what it is found by is a struct
// (sai.Key.Entry), which follows from its name.
func (k Key) Entry() bool {
	return k.Type == sai.ObjectTypeRouteEntry || k.Type == sai.ObjectTypeNeighborEntry
}

// neighborParts takes the name of a neighbour apart.
func (k Key) neighborParts() (rif Key, ip string) {
	i := strings.LastIndexByte(k.Name, '|')
	return Key{Type: sai.ObjectTypeRouterInterface, Name: k.Name[:max(i, 0)]}, k.Name[i+1:]
}

// EntryBytes returns the struct that an object without handle is found by. handle tells
// the handles of what it names; an object that has none is the error absent(it).
func (k Key) EntryBytes(sw sai.OID, handle map[Key]sai.OID, absent func(Key) error) ([]byte, error) {
	if k.Type == sai.ObjectTypeRouteEntry {
		p, err := netip.ParsePrefix(k.Name)
		if err != nil {
			return nil, fmt.Errorf("name of %s: %w", k, err)
		}
		vr, ok := handle[RouterKey]
		if !ok {
			return nil, absent(RouterKey)
		}
		return sai.Bytes(sai.RouteEntry{SwitchID: sw, VrID: vr, Destination: sai.PrefixOf(p)}), nil
	}
	rif, text := k.neighborParts()
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return nil, fmt.Errorf("name of %s: %w", k, err)
	}
	id, ok := handle[rif]
	if !ok {
		return nil, absent(rif)
	}
	return sai.Bytes(sai.NeighborEntry{SwitchID: sw, RifID: id, IPAddress: sai.AddressOf(ip)}), nil
}

// EntryKey is the inverse of EntryBytes for an entry of type t; keys has the objects by
// their handles. ok is false for one that names what no agent knows, or that no row
// can ask for: such an entry is somebody else's.
func EntryKey(t sai.ObjectType, entry []byte, keys map[sai.OID]Key) (k Key, ok bool) {
	if t == sai.ObjectTypeRouteEntry {
		e, ok := sai.EntryOf[sai.RouteEntry](entry)
		p := e.Destination.Netip()
		return Route(p), ok && keys[e.VrID] == RouterKey && !p.Addr().Is4In6()
	}
	e, ok := sai.EntryOf[sai.NeighborEntry](entry)
	rif := keys[e.RifID]
	return Neighbor(rif, e.IPAddress.Netip()), ok && rif.Type == sai.ObjectTypeRouterInterface && !rif.Own()
}

// PartOf returns the object that a node is a part of and goes with, if it is one: the
// group of a next hop in it. Until nobody uses the group its parts stay.
func (n *Node) PartOf() (whole Key, ok bool) {
	if n.Key.Type == sai.ObjectTypeNextHopGroupMember {
		for k := range n.Attr(sai.NextHopGroupMemberAttrNextHopGroupID.AttrMeta).Targets() {
			return k, true
		}
	}
	return Key{}, false
}
