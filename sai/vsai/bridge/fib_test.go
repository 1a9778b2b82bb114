package bridge_test

import (
	"net/netip"
	"testing"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// unbridge takes a port out of the VLAN that it is in from the start.
func (r *rig) unbridge(p *dataplane.Port) {
	r.t.Helper()
	b := r.bridgePort(p)
	vlan := get(r, r.sw.ID, sai.SwitchAttrDefaultVLANID)
	for _, m := range get(r, vlan, sai.VLANAttrMemberList) {
		if get(r, m, sai.VLANMemberAttrBridgePortID) == b {
			remove(r, m)
		}
	}
	for _, h := range r.hosts {
		if h.Port().Peer() == p {
			remove(r, sai.FDBEntry{SwitchID: r.sw.ID.OID(), MACAddress: sai.MAC(h.Config().MAC), BvID: vlan.OID()})
		}
	}
	remove(r, b)
}

func remove[O sai.Object](r *rig, at sai.Ref[O]) {
	r.t.Helper()
	if err := sai.Remove(r.sw, at); err != nil {
		r.t.Fatal(err)
	}
}

// TestLearning: packets to an unknown address are flooded in their VLAN until it is
// learned; nothing leaves the VLAN.
func TestLearning(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 4)
	vlan := get(r, r.sw.ID, sai.SwitchAttrDefaultVLANID)
	for _, h := range r.hosts {
		remove(r, sai.FDBEntry{SwitchID: r.sw.ID.OID(), MACAddress: sai.MAC(h.Config().MAC), BvID: vlan.OID()})
	}
	f := r.flow(dataplane.FlowConfig{Bytes: 1024 * 1024, Rate: 10e9}, 0, 1)
	r.run(2 * dataplane.Millisecond)
	flooded, there := stat(r, r.ports[2], sai.PortStatIfOutUcastPkts), stat(r, r.ports[1], sai.PortStatIfOutUcastPkts)
	if !f.Done() || there != 1024 || flooded == 0 || flooded > 8 {
		t.Errorf("done %v: %d packets to where they were to go, %d elsewhere", f.Done(), there, flooded)
	}
	set(r, vlan, sai.VLANAttrUnknownUnicastFloodControlType.Is(sai.VLANFloodControlTypeNone))
	r.flow(dataplane.FlowConfig{Bytes: 1024}, 0, 3)
	r.run(dataplane.Millisecond)
	if n := stat(r, r.ports[3], sai.PortStatIfOutUcastPkts); n != flooded {
		t.Errorf("%d packets went to a station that nobody has heard of, though it may not be flooded to", n-flooded)
	}
}

// router is hosts in networks of their own behind one address of the router each.
func router(t *testing.T, hosts int) (*rig, []sai.ID[sai.RouterInterface]) {
	t.Helper()
	r := newRig(t, "default", hosts)
	vr := get(r, r.sw.ID, sai.SwitchAttrDefaultVirtualRouterID)
	var rifs []sai.ID[sai.RouterInterface]
	for i := range hosts {
		r.unbridge(r.hosts[i].Port().Peer())
		rifs = append(rifs, create(r, sai.RouterInterfaceAttrVirtualRouterID.Is(vr),
			sai.RouterInterfaceAttrType.Is(sai.RouterInterfaceTypePort), sai.RouterInterfaceAttrPortID.Is(r.ports[i].OID())))
	}
	return r, rifs
}

func (r *rig) neighbour(rif sai.ID[sai.RouterInterface], addr string, mac dataplane.MAC) {
	r.t.Helper()
	at := sai.NeighborEntry{SwitchID: r.sw.ID.OID(), RifID: rif.OID(), IPAddress: sai.AddressOf(netip.MustParseAddr(addr))}
	if err := sai.CreateEntry(r.sw, at, sai.NeighborEntryAttrDstMACAddress.Is(sai.MAC(mac))); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) route(prefix string, with ...sai.Setting[sai.RouteEntry]) {
	r.t.Helper()
	vr := get(r, r.sw.ID, sai.SwitchAttrDefaultVirtualRouterID)
	at := sai.RouteEntry{SwitchID: r.sw.ID.OID(), VrID: vr.OID(), Destination: sai.PrefixOf(netip.MustParsePrefix(prefix))}
	if err := sai.CreateEntry(r.sw, at, with...); err != nil {
		r.t.Fatal(err)
	}
}

// TestRoutes: packets follow routes to neighbours, are spread over the next hops of a
// group, and are dropped where a route says so; changes apply at once.
func TestRoutes(t *testing.T) {
	t.Parallel()
	r, rifs := router(t, 3)
	mac := func(i int) dataplane.MAC { return r.hosts[i].Config().MAC }
	for i, addr := range []string{"10.0.0.1", "10.0.1.1", "10.0.2.1"} {
		r.neighbour(rifs[i], addr, mac(i))
	}
	group := create(r, sai.NextHopGroupAttrType.Is(sai.NextHopGroupTypeDynamicUnorderedECMP))
	for i, addr := range []string{"10.0.1.1", "10.0.2.1"} {
		hop := create(r, sai.NextHopAttrType.Is(sai.NextHopTypeIP), sai.NextHopAttrIP.Is(netip.MustParseAddr(addr)), sai.NextHopAttrRouterInterfaceID.Is(rifs[i+1]))
		create(r, sai.NextHopGroupMemberAttrNextHopGroupID.Is(group), sai.NextHopGroupMemberAttrNextHopID.Is(hop.OID()))
	}
	r.route("20.0.0.0/8", sai.RouteEntryAttrNextHopID.Is(group.OID()))
	r.route("20.1.0.0/16", sai.RouteEntryAttrPacketAction.Is(sai.PacketActionDrop))
	r.route("20.2.0.0/16", sai.RouteEntryAttrNextHopID.Is(rifs[1].OID()))
	set(r, get(r, r.sw.ID, sai.SwitchAttrECMPHash), sai.HashAttrNativeHashFieldList.Is([]sai.NativeHashField{sai.NativeHashFieldRdmaBthDestQp}))
	routerMAC := dataplane.MAC(get(r, r.sw.ID, sai.SwitchAttrSrcMACAddress))
	send := func(to string, qp uint32) {
		r.flow(dataplane.FlowConfig{Bytes: 1024, Header: &dataplane.Header{
			SrcMAC: mac(0), DstMAC: routerMAC, Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr(to),
			Protocol: dataplane.UDP, DstPort: dataplane.RoCE, QP: qp,
		}}, 0, 1)
	}
	out := func(i int) uint64 { return stat(r, r.ports[i], sai.PortStatIfOutUcastPkts) }
	for qp := range uint32(200) {
		send("20.9.9.9", qp)
	}
	r.run(dataplane.Millisecond)
	if a, b := out(1), out(2); a+b != 200 || a < 70 || b < 70 {
		t.Errorf("%d and %d packets by two next hops", a, b)
	}
	before := stat(r, r.ports[0], sai.PortStatIfInDiscards)
	send("20.1.0.1", 1) // to nowhere
	send("20.2.0.1", 1) // to a neighbour that is not there
	send("30.0.0.1", 1) // no route
	r.run(dataplane.Millisecond)
	if n := stat(r, r.ports[0], sai.PortStatIfInDiscards) - before; n != 3 {
		t.Errorf("%d discards, want 3", n)
	}
	r.neighbour(rifs[1], "20.2.0.1", mac(1))
	was := out(1)
	send("20.2.0.1", 1)
	r.run(dataplane.Millisecond)
	if out(1) != was+1 {
		t.Error("a neighbour that has come does not hear")
	}
}
