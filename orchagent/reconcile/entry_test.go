package reconcile_test

import (
	"maps"
	"net/netip"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
)

// rif makes a port a router interface.
func (o objects) rif(p *intent.Port) graph.Key {
	return o.add(
		key(sai.ObjectTypeRouterInterface, p.Name),
		ref(sai.RouterInterfaceAttrVirtualRouterID, graph.RouterKey),
		num(sai.RouterInterfaceAttrType, uint64(sai.RouterInterfaceTypePort)),
		ref(sai.RouterInterfaceAttrPortID, p.Object),
	)
}

// neighbor adds a neighbour and the next hop that leads to it.
func (o objects) neighbor(rif graph.Key, addr, mac string) graph.Key {
	ip := netip.MustParseAddr(addr)
	o.add(graph.Neighbor(rif, ip), text(sai.NeighborEntryAttrDstMACAddress, mac))
	return o.add(graph.NextHop(rif, ip), num(sai.NextHopAttrType, uint64(sai.NextHopTypeIP)),
		text(sai.NextHopAttrIP, addr), ref(sai.NextHopAttrRouterInterfaceID, rif))
}

// route leads to one next hop, or to a group of several.
func (o objects) route(prefix string, to ...graph.Key) {
	k := graph.Route(netip.MustParsePrefix(prefix))
	g := to[0]
	if len(to) > 1 {
		g = o.add(graph.Group(k, to), num(sai.NextHopGroupAttrType, uint64(sai.NextHopGroupTypeDynamicUnorderedECMP)))
		for _, h := range to {
			o.add(graph.Member(g, h.Name), ref(sai.NextHopGroupMemberAttrNextHopGroupID, g), ref(sai.NextHopGroupMemberAttrNextHopID, h))
		}
	}
	o.add(k, ref(sai.RouteEntryAttrNextHopID, g))
}

// routed has two ports with a neighbour each, and routes to them.
func routed(r *rig) objects {
	o := objects{}
	a, b := o.rif(r.dev.Ports[0]), o.rif(r.dev.Ports[1])
	one, two := o.neighbor(a, "10.0.0.1", "02:00:00:00:00:01"), o.neighbor(b, "fc00::2", "02:00:00:00:00:02")
	o.route("10.0.0.0/31", a)
	o.route("10.0.0.0/32", intent.CPUKey)
	o.route("192.168.0.0/16", one)
	o.route("::/0", one, two)
	return o
}

// TestForwardPlans has the plans of what routes, neighbours and their references need.
func TestForwardPlans(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(objects, *rig) objects{
		"all": nil,
		"one-path-left": func(o objects, r *rig) objects { // the group goes with all of it, after the route left it
			for k := range o {
				if strings.HasPrefix(k.Name, "::/0") || strings.HasSuffix(k.Name, "|fc00::2") {
					delete(o, k)
				}
			}
			o.route("::/0", graph.NextHop(key(sai.ObjectTypeRouterInterface, r.dev.Ports[0].Name), netip.MustParseAddr("10.0.0.1")))
			return o
		},
		"another-path": func(o objects, r *rig) objects { // a complete group takes the place of the other
			maps.DeleteFunc(o, func(k graph.Key, _ *graph.Node) bool { return strings.HasPrefix(k.Name, "::/0") })
			rif := key(sai.ObjectTypeRouterInterface, r.dev.Ports[0].Name)
			o.route("::/0", graph.NextHop(rif, netip.MustParseAddr("10.0.0.1")), o.neighbor(rif, "10.0.0.9", "02:00:00:00:00:09"))
			return o
		},
		"neighbor-moves": func(o objects, r *rig) objects {
			o.neighbor(key(sai.ObjectTypeRouterInterface, r.dev.Ports[0].Name), "10.0.0.1", "02:00:00:00:00:AA")
			return o
		},
		"local-becomes-dropped": func(o objects, _ *rig) objects {
			o.add(graph.Route(netip.MustParsePrefix("10.0.0.0/32")), num(sai.RouteEntryAttrPacketAction, uint64(sai.PacketActionDrop)))
			return o
		},
		"nothing": func(objects, *rig) objects { return objects{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "default", 2)
			plan := r.mustApply(routed(r).graph()).Plan
			want := routed(r)
			if change != nil {
				want = change(want, r)
				plan = r.mustApply(want.graph()).Plan
			}
			golden(t, "forward-"+name+".plan", plan.String())
			r.believes("after the plan")
			r.arrived("after a restart", want.graph())
		})
	}
}

// TestForwardUndo: whichever call fails, all is as before.
func TestForwardUndo(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		r := newRig(t, "default", 2)
		r.mustApply(routed(r).graph())
		before, calls := r.actual(), 0
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if c.Op.Write() && !c.IsBulk() {
				if calls++; calls == n+1 {
					return sai.StatusInsufficientResources
				}
			}
			return 0
		})
		res := r.apply(objects{}.graph(), reconcile.Atomic, reconcile.Options{})
		r.chip.OnCall(nil)
		if !res.RolledBack {
			if n < 10 {
				t.Errorf("only %d calls", n)
			}
			return
		}
		if got := r.actual(); res.Dirty || got != before {
			t.Fatalf("call %d: dirty %v, chip has\n%s", n, res.Dirty, got)
		}
		r.believes("after the undo")
	}
}

// TestForeignEntries: a route that somebody left in the router goes, one in another
// router is nobody's business.
func TestForeignEntries(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	other := must[sai.VirtualRouter](t)(sai.Create[sai.VirtualRouter](r.sw))
	for _, vr := range []sai.OID{r.adopted[graph.RouterKey], other.OID()} {
		e := sai.RouteEntry{SwitchID: r.sw.ID.OID(), VrID: vr, Destination: sai.PrefixOf(netip.MustParsePrefix("10.0.0.0/8"))}
		if err := sai.CreateEntry(r.sw, e, sai.RouteEntryAttrPacketAction.Is(sai.PacketActionDrop)); err != nil {
			t.Fatal(err)
		}
	}
	r.rec = r.readback()
	if plan := r.mustApply(graph.Graph{}).Plan.String(); plan != "release 0 remove ROUTE_ENTRY 10.0.0.0/8\n" {
		t.Errorf("plan:\n%s", plan)
	}
	r.arrived("without it", graph.Graph{})
}

// TestFirstStart: the ports leave the VLAN that the chip puts them in, and the VLAN
// stays.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	if err := r.chip.SetNames(nil, []string{"SWITCH switch"}); err != nil {
		t.Fatal(err)
	}
	b := must[sai.BridgePort](t)(sai.Create(r.sw, sai.BridgePortAttrType.Is(sai.BridgePortTypePort), sai.BridgePortAttrPortID.Is(r.adopted[r.dev.Ports[0].Object])))
	one, err := sai.Get(r.sw, r.sw.ID, sai.SwitchAttrDefaultVLANID)
	if err != nil {
		t.Fatal(err)
	}
	must[sai.VLANMember](t)(sai.Create(r.sw, sai.VLANMemberAttrVLANID.Is(one), sai.VLANMemberAttrBridgePortID.Is(b)))
	r.rec = r.readback()
	o := objects{}
	o.rif(r.dev.Ports[0])
	var plan []string
	for _, s := range r.mustApply(o.graph()).Plan {
		plan = append(plan, s.Phase.String()+" "+s.Verb.String()+" "+s.Key.Type.String())
	}
	if got := strings.Join(plan, ", "); got != "release remove VLAN_MEMBER, release remove BRIDGE_PORT, build create ROUTER_INTERFACE" {
		t.Errorf("plan: %s", got)
	}
	r.believes("after the first pass")
	if id, err := sai.Get(r.sw, one, sai.VLANAttrVLANID); err != nil || id != 1 {
		t.Errorf("VLAN %d, %v", id, err)
	}
}
