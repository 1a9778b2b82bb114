package l3orch

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"xon/orchagent/graph"
	"xon/sai"
	"xon/schema/configdb"
)

// addNeighbor makes a neighbour, and the next hop by which routes lead to it.
func (d *derivation) addNeighbor(row *configdb.Neighbor) {
	link := rif(row.Interface)
	k, hop := graph.Neighbor(link, row.Addr), graph.NextHop(link, row.Addr)
	own := graph.Route(netip.PrefixFrom(row.Addr, row.Addr.BitLen()))
	switch {
	case !d.rifs[row.Interface]:
		d.waitFor(row.ID, row.Link())
	case row.MAC == "":
		d.Lack(row.ID, "neigh", graph.Missing("the MAC address of "+row.Addr.String()), errors.New("the row has no MAC address, and xon does not resolve addresses: set neigh"))
	case d.Has(k):
		d.Refuse(row.ID, "", fmt.Errorf("%s is there already in another spelling", k.Name))
	case d.prefixes[own] != "":
		d.Refuse(row.ID, "", fmt.Errorf("%s is an address of this switch (%s)", row.Addr, d.prefixes[own]))
	default:
		if row.Family != "" && (row.Family == "IPv4") != row.Addr.Is4() {
			d.Warn(row.ID, "family", fmt.Errorf("%s is no address of %s", row.Addr, row.Family))
		}
		d.hops[hop] = true
		d.Add(row.ID, k, graph.Of(sai.NeighborEntryAttrDstMACAddress.Is(macOf(row.MAC))))
		d.Add(row.ID, hop, graph.Of(sai.NextHopAttrType.Is(sai.NextHopTypeIP)),
			graph.Of(sai.NextHopAttrIP.Is(row.Addr)), graph.RefTo(sai.NextHopAttrRouterInterfaceID, link))
	}
}

// addRoute makes a static route.
func (d *derivation) addRoute(row *configdb.StaticRoute) {
	id, k := row.ID, graph.Route(row.Prefix)
	hops := row.Hops()
	foreign := func(h configdb.Hop) bool { return h.VRF != "" && h.VRF != configdb.DefaultVRF }
	switch {
	case row.VRF != configdb.DefaultVRF:
		d.Refuse(id, "", errVRF)
		return
	case slices.ContainsFunc(hops, foreign):
		d.Refuse(id, "nexthop-vrf", errVRF)
		return
	case !d.Device.Routes:
		d.Refuse(id, "", errNoRouter)
		return
	}
	drop, to, ok := d.resolve(row, hops)
	if !ok || !d.claim(row.ID, k) {
		return
	}
	switch {
	case drop:
		d.Add(id, k, graph.Of(sai.RouteEntryAttrPacketAction.Is(sai.PacketActionDrop)))
		return
	case len(to) > 1:
		to[0] = d.addGroup(id, k, to)
	}
	d.Add(id, k, graph.Of(sai.RouteEntryAttrPacketAction.Is(sai.PacketActionForward)), graph.RefTo(sai.RouteEntryAttrNextHopID, to[0]))
}

// addGroup makes a group of next hops.
func (d *derivation) addGroup(row configdb.RowKey, route graph.Key, hops []graph.Key) graph.Key {
	g := graph.Group(route, hops)
	d.Add(row, g, graph.Of(sai.NextHopGroupAttrType.Is(sai.NextHopGroupTypeDynamicUnorderedECMP)))
	for _, h := range hops {
		d.Add(row, graph.Member(g, h.Name), graph.RefTo(sai.NextHopGroupMemberAttrNextHopGroupID, g), graph.RefTo(sai.NextHopGroupMemberAttrNextHopID, h))
	}
	return g
}

// need is what a route waits for: a row, or something else.
type need struct {
	row   configdb.RowKey
	thing graph.Missing
}

// String returns what is needed, in words.
func (n need) String() string { return cmp.Or(string(n.row), string(n.thing)) }

// resolve finds where a route leads to: to the next hops of the lowest distance at which
// all are there, or nowhere (drop). ok is false if the row has to wait, or is refused.
func (d *derivation) resolve(row *configdb.StaticRoute, hops []configdb.Hop) (drop bool, to []graph.Key, ok bool) {
	slices.SortStableFunc(hops, func(a, b configdb.Hop) int { return cmp.Compare(a.Distance, b.Distance) })
	var first need // what the best ones wait for
	for len(hops) > 0 {
		n := 1
		for n < len(hops) && hops[n].Distance == hops[0].Distance {
			n++
		}
		drop, to, on := d.resolveAll(hops[:n])
		switch {
		case on == (need{}) && len(to) > 1 && slices.ContainsFunc(to, func(k graph.Key) bool { return k.Type == sai.ObjectTypeRouterInterface }):
			d.Refuse(row.ID, "nexthop", errors.New("of several next hops each needs an address"))
			return false, nil, false
		case on == (need{}):
			return drop, to, true
		}
		first, hops = cmp.Or(first, on), hops[n:]
	}
	err := fmt.Errorf("no next hop is there: the route needs %s", first)
	if first.row != "" {
		d.Wait(row.ID, "nexthop", first.row, err)
	} else {
		d.Lack(row.ID, "nexthop", first.thing, err)
	}
	return false, nil, false
}

// resolveAll finds next hops, each once, in order of their names. on is what one of them
// waits for, the zero need if all are there.
func (d *derivation) resolveAll(hops []configdb.Hop) (drop bool, to []graph.Key, on need) {
	for _, h := range hops {
		if h.Blackhole {
			return true, nil, need{}
		}
		k, missing := d.lookUp(h)
		if missing != (need{}) {
			return false, nil, missing
		}
		to = append(to, k)
	}
	slices.SortFunc(to, graph.Key.Compare)
	return false, slices.Compact(to), need{}
}

// lookUp finds one next hop, or what it waits for.
func (d *derivation) lookUp(h configdb.Hop) (k graph.Key, missing need) {
	if h.Interface == "" {
		name, ok := d.link(h.Addr)
		if !ok {
			return k, need{thing: graph.Missing("an interface in a network that has " + h.Addr.String())}
		}
		h.Interface = name
	}
	link := rif(h.Interface)
	switch {
	case !d.rifs[h.Interface]:
		return k, need{row: configdb.InterfaceRow(h.Interface)}
	case !h.Addr.IsValid():
		return link, need{}
	case !d.hops[graph.NextHop(link, h.Addr)]:
		return k, need{row: configdb.Key("NEIGH", graph.NextHop(link, h.Addr).Name)}
	}
	return graph.NextHop(link, h.Addr), need{}
}
