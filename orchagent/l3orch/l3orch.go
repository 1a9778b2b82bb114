// Package l3orch derives static forwarding: VLANs and their members, router interfaces
// with their addresses, neighbours, and static routes.
//
// What is not for here: anything that is learned, port channels, and other VRFs than the
// default one.
package l3orch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Feature is what the agent needs of the package.
var Feature = intent.Feature{
	Shared:   deriveShared,
	Reads:    append([]string{"PORT", "DEVICE_METADATA", "VLAN"}, scarce...),
	Fields:   fields,
	Competes: scarce,
}

// fields maps the attributes set here to fields of rows.
var fields = []graph.Field{
	graph.FieldOf(sai.VLANMemberAttrVLANTaggingMode, "tagging_mode"),
	graph.FieldOf(sai.RouterInterfaceAttrSrcMACAddress, "mac_addr"),
	graph.FieldOf(sai.RouterInterfaceAttrMTU, "mtu"),
	graph.FieldOf(sai.NeighborEntryAttrDstMACAddress, "neigh"),
	graph.FieldOf(sai.RouteEntryAttrNextHopID, "nexthop"),
	graph.FieldOf(sai.RouteEntryAttrPacketAction, "blackhole"),
}

// scarce are the tables whose rows are for something that one of them can have alone.
var scarce = []string{"VLAN_MEMBER", "INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE", "NEIGH", "STATIC_ROUTE"}

// errVRF refuses what is in another VRF.
var errVRF = errors.New("xon has the default VRF alone: leave the VRF out")

// deriveShared derives everything. Rows that contradict each other are settled before the first
// object is made: those in force stay, then the first by key, and the others are refused.
//
// Source: SONiC's portsorch, intfsorch, neighorch and routeorch.
func deriveShared(s *intent.Snapshot, b *graph.Builder) {
	d := &derivation{
		Snapshot: s, Builder: b, vlans: map[string]bool{}, ports: map[string]*port{}, rifs: map[string]bool{}, loopbacks: map[string]bool{},
		prefixes: map[graph.Key]configdb.RowKey{}, subnets: map[netip.Prefix]*subnet{}, hops: map[graph.Key]bool{},
	}
	for _, row := range ordered(d, s.Rows.VLANs) {
		d.addVLAN(row)
	}
	d.settlePorts()
	d.addMembers()
	for _, row := range ordered(d, s.Rows.LoopbackInterfaces) {
		if !row.Prefix.IsValid() {
			d.loopbacks[row.Name] = d.routable(row)
		}
	}
	for _, row := range d.addresses() {
		d.addAddress(row)
	}
	d.addSubnets()
	for _, row := range ordered(d, s.Rows.Neighbors) {
		d.addNeighbor(row)
	}
	for _, row := range ordered(d, s.Rows.StaticRoutes) {
		d.addRoute(row)
	}
}

// derivation is what is known of rows that are good.
type derivation struct {
	*intent.Snapshot
	*graph.Builder
	vlans map[string]bool  // that are there
	ports map[string]*port // that are in use here
	rifs  map[string]bool  // interfaces that are routed, by name
	// loopbacks are those that can have addresses, by name.
	loopbacks map[string]bool
	prefixes  map[graph.Key]configdb.RowKey // routes, and the row that each is for
	subnets   map[netip.Prefix]*subnet      // networks that interfaces are in
	hops      map[graph.Key]bool            // next hops that there are
}

// ordered returns rows in the order in which they come first: those in force, then by key.
func ordered[R configdb.Row](d *derivation, rows map[string]R) []R {
	list := slices.SortedFunc(maps.Values(rows), func(a, b R) int {
		return configdb.CompareNatural(string(a.RowKey()), string(b.RowKey()))
	})
	slices.SortStableFunc(list, func(a, b R) int { return cmp.Compare(d.turn(a), d.turn(b)) })
	return list
}

// turn is 0 for a row in force.
func (d *derivation) turn(row configdb.Row) int {
	if d.Accepted != nil && d.Accepted.Get(row.RowKey()) == row {
		return 0
	}
	return 1
}

// waitFor has a row wait for another one.
func (d *derivation) waitFor(row, on configdb.RowKey) {
	why := "does not exist"
	if d.Rows.Get(on) != nil {
		why = "is not in force"
	}
	d.Wait(row, "", on, fmt.Errorf("%s %s", on, why))
}

// claim takes a route for a row, or refuses the row.
func (d *derivation) claim(row configdb.RowKey, k graph.Key) bool {
	if other, taken := d.prefixes[k]; taken {
		d.Refuse(row, "", fmt.Errorf("%s is a route of %s already: remove one of them", k.Name, other))
		return false
	}
	d.prefixes[k] = row
	return true
}

// rif is the key of a router interface.
func rif(name string) graph.Key {
	return graph.Key{Type: sai.ObjectTypeRouterInterface, Name: name}
}
