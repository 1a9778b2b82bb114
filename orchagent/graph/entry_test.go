package graph_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/sai"
)

// TestEntryNames: what an object without handle is found by follows from its name, and
// its name from that.
func TestEntryNames(t *testing.T) {
	t.Parallel()
	rif := graph.Key{Type: sai.ObjectTypeRouterInterface, Name: "Ethernet0"}
	handles := map[graph.Key]sai.OID{graph.RouterKey: 3, rif: 6}
	keys := map[sai.OID]graph.Key{3: graph.RouterKey, 6: rif}
	absent := func(k graph.Key) error { return fmt.Errorf("no %s", k) }
	for text, k := range map[string]graph.Key{
		"ROUTE_ENTRY 10.0.0.0/31":           graph.Route(netip.MustParsePrefix("10.0.0.1/31")),
		"ROUTE_ENTRY ::/0":                  graph.Route(netip.MustParsePrefix("::/0")),
		"NEIGHBOR_ENTRY Ethernet0|10.0.0.1": graph.Neighbor(rif, netip.MustParseAddr("10.0.0.1")),
		"NEIGHBOR_ENTRY Ethernet0|fc00::2":  graph.Neighbor(rif, netip.MustParseAddr("fc00::2")),
	} {
		b, err := k.EntryBytes(0x21, handles, absent)
		if back, ok := graph.EntryKey(k.Type, b, keys); err != nil || k.String() != text || !k.Entry() || !ok || back != k {
			t.Errorf("%s: %s, %v, back %s, %v", text, k, err, back, ok)
		}
		if back, ok := graph.EntryKey(k.Type, b, nil); ok {
			t.Errorf("%s names what nobody knows, and yet it is %s", text, back)
		}
		if _, err := k.EntryBytes(0x21, nil, absent); err == nil || !strings.HasPrefix(err.Error(), "no ") {
			t.Errorf("%s without handles: %v", text, err)
		}
	}
	for _, k := range []graph.Key{{Type: sai.ObjectTypeRouteEntry, Name: "x"}, {Type: sai.ObjectTypeNeighborEntry, Name: "Ethernet0"}, {Type: sai.ObjectTypeNeighborEntry, Name: "Ethernet0|x"}} {
		if _, err := k.EntryBytes(0x21, handles, absent); err == nil {
			t.Errorf("%s has an entry", k)
		}
	}
}

// TestForwardDeps: neighbours rest on interfaces, next hops on neighbours, and routes on
// all of their group.
func TestForwardDeps(t *testing.T) {
	t.Parallel()
	rif := graph.Key{Type: sai.ObjectTypeRouterInterface, Name: "Ethernet0"}
	one, two := graph.NextHop(rif, netip.MustParseAddr("10.0.0.1")), graph.NextHop(rif, netip.MustParseAddr("10.0.0.3"))
	route := graph.Route(netip.MustParsePrefix("::/0"))
	group := graph.Group(route, []graph.Key{one, two})
	member := graph.NewNode(graph.Member(group, one.Name), []graph.Attr{ref(sai.NextHopGroupMemberAttrNextHopGroupID, group)})
	if whole, ok := member.PartOf(); !ok || whole != group {
		t.Errorf("%s is a part of %s, %v", member.Key, whole, ok)
	}
	for k, want := range map[graph.Key]string{
		graph.Neighbor(rif, netip.MustParseAddr("10.0.0.1")): "ROUTER_INTERFACE Ethernet0",
		one: "NEIGHBOR_ENTRY Ethernet0|10.0.0.1",
		route: "NEXT_HOP_GROUP ::/0|Ethernet0|10.0.0.1,Ethernet0|10.0.0.3; " +
			"NEXT_HOP_GROUP_MEMBER ::/0|Ethernet0|10.0.0.1,Ethernet0|10.0.0.3 Ethernet0|10.0.0.1; " +
			"NEXT_HOP_GROUP_MEMBER ::/0|Ethernet0|10.0.0.1,Ethernet0|10.0.0.3 Ethernet0|10.0.0.3",
	} {
		n := graph.NewNode(k, nil)
		if k == route {
			n = graph.NewNode(k, []graph.Attr{ref(sai.RouteEntryAttrNextHopID, group)})
		}
		var deps []string
		for d := range n.Deps {
			deps = append(deps, d.String())
		}
		if got := strings.Join(deps, "; "); got != want {
			t.Errorf("%s rests on %s, want %s", k, got, want)
		}
		if whole, ok := n.PartOf(); ok {
			t.Errorf("%s is a part of %s", k, whole)
		}
	}
}
