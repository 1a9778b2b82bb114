package vsai_test

import (
	"net/netip"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// TestForwarding: a port is in the bridge or a router interface, once; routes lead to the
// CPU or to next hops; and a neighbour stays while a next hop needs it.
func TestForwarding(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{}) // whose port is a router interface
	sw, second := b.sw, sai.ID[sai.Port](b.c.Ports()[1])
	cpu := must[sai.ID[sai.Port]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrCPUPort))
	svi := []sai.Setting[sai.RouterInterface]{
		sai.RouterInterfaceAttrVirtualRouterID.Is(b.vr), sai.RouterInterfaceAttrType.Is(sai.RouterInterfaceTypeVLAN),
		sai.RouterInterfaceAttrVLANID.Is(b.vlan),
	}
	must[sai.ID[sai.RouterInterface]](t)(sai.Create(sw, svi...))
	bridge := func(p sai.ID[sai.Port]) error {
		_, err := sai.Create(sw, sai.BridgePortAttrType.Is(sai.BridgePortTypePort), sai.BridgePortAttrPortID.Is(p.OID()))
		return err
	}
	route := func(p sai.ID[sai.Port]) error {
		_, err := sai.Create(sw, sai.RouterInterfaceAttrVirtualRouterID.Is(b.vr), sai.RouterInterfaceAttrType.Is(sai.RouterInterfaceTypePort),
			sai.RouterInterfaceAttrPortID.Is(p.OID()))
		return err
	}
	_, again := sai.Create(sw, svi...)
	to := func(id sai.OID) error {
		return sai.CreateEntry(sw, sai.RouteEntry{SwitchID: sw.ID.OID(), VrID: b.vr.OID(), Destination: sai.PrefixOf(netip.MustParsePrefix("::/0"))},
			sai.RouteEntryAttrNextHopID.Is(id))
	}
	for name, err := range map[string]error{
		"VLAN routed twice": again, "port routed twice": route(b.port), "routed port bridged": bridge(b.port),
		"port bridged twice": bridge(second), "bridged port routed": route(second),
		"CPU bridged": bridge(cpu), "CPU routed": route(cpu), "route to a port": to(second.OID()),
	} {
		if !errorIs(err, sai.StatusInvalidAttrValue0) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := to(cpu.OID()); err != nil {
		t.Error("route to the CPU:", err)
	}
	members := objects(t, sw, sai.VLANMember{})
	bridged := must[sai.ID[sai.BridgePort]](t)(sai.Get(sw, sai.ID[sai.VLANMember](members[0].OID), sai.VLANMemberAttrBridgePortID))
	one := must[sai.ID[sai.VLAN]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrDefaultVLANID))
	if _, err := sai.Create(sw, sai.VLANMemberAttrVLANID.Is(one), sai.VLANMemberAttrBridgePortID.Is(bridged)); !errorIs(err, sai.StatusItemAlreadyExists) {
		t.Error("twice in a VLAN:", err)
	}
	own := must[sai.ID[sai.Bridge]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrDefault1qBridgeID))
	if ports := must[[]sai.ID[sai.BridgePort]](t)(sai.Get(sw, own, sai.BridgeAttrPortList)); len(ports) != 1 || ports[0] != bridged {
		t.Error("the bridge has", ports)
	}
}

func TestNeighborInUse(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	ip := netip.MustParseAddr("10.0.0.1")
	n := sai.NeighborEntry{SwitchID: b.sw.ID.OID(), RifID: b.rif.OID(), IPAddress: sai.AddressOf(ip)}
	if err := sai.CreateEntry(b.sw, n, sai.NeighborEntryAttrDstMACAddress.Is(sai.MAC{2})); err != nil {
		t.Fatal(err)
	}
	hop := must[sai.ID[sai.NextHop]](t)(sai.Create(b.sw, sai.NextHopAttrType.Is(sai.NextHopTypeIP),
		sai.NextHopAttrIP.Is(ip), sai.NextHopAttrRouterInterfaceID.Is(b.rif)))
	if err := sai.Remove(b.sw, n); !errorIs(err, sai.StatusObjectInUse) {
		t.Error(err)
	}
	for _, err := range []error{sai.Remove(b.sw, hop), sai.Remove(b.sw, n)} {
		if err != nil {
			t.Error(err)
		}
	}
}
