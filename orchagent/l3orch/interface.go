package l3orch

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// addInterface makes a router interface of a port or of a VLAN.
func (d *derivation) addInterface(row *configdb.Interface) {
	if !d.routable(row) {
		return
	}
	if row.ID.Table() == "VLAN_INTERFACE" {
		vlan := d.Rows.VLANs[row.Name]
		if vlan == nil {
			d.waitFor(row.ID, configdb.Key("VLAN", row.Name))
			return
		}
		d.addRIF(row, vlan.MTU, graph.Of(sai.RouterInterfaceAttrType.Is(sai.RouterInterfaceTypeVLAN)),
			graph.RefTo(sai.RouterInterfaceAttrVLANID, vlanKey(row.Name)))
		return
	}
	p := d.port(row.ID, row.Name)
	switch {
	case p == nil:
	case len(p.members) > 0:
		d.Refuse(row.ID, "", fmt.Errorf("%s is in a VLAN: remove %s first", row.Name, p.members[0].ID))
	default:
		p.routed = row
		d.addRIF(row, d.Rows.Ports[row.Name].MTU, graph.Of(sai.RouterInterfaceAttrType.Is(sai.RouterInterfaceTypePort)),
			graph.RefTo(sai.RouterInterfaceAttrPortID, p.Object))
	}
}

// routable reports whether there can be an interface for a row, or refuses the row.
func (d *derivation) routable(row *configdb.Interface) bool {
	switch {
	case row.VRF != "" && row.VRF != configdb.DefaultVRF:
		d.Refuse(row.ID, "vrf_name", errVRF)
	case !d.Device.Routes:
		d.Refuse(row.ID, "", errNoRouter)
	default:
		return true
	}
	return false
}

var errNoRouter = fmt.Errorf("the chip does not route")

func (d *derivation) addRIF(row *configdb.Interface, mtu uint32, attrs ...graph.Attr) {
	attrs = append(attrs, graph.RefTo(sai.RouterInterfaceAttrVirtualRouterID, graph.RouterKey), graph.Of(sai.RouterInterfaceAttrMTU.Is(mtu)))
	mac, ok := d.mac(row)
	attrs = graph.AppendIf(attrs, ok, sai.RouterInterfaceAttrSrcMACAddress.Is(mac))
	d.rifs[row.Name] = true
	d.Add(row.ID, rif(row.Name), attrs...)
}

// mac is the address of an interface: its own, that of the row about the switch, or the
// chip's. ok is false if there is none.
func (d *derivation) mac(row *configdb.Interface) (mac sai.MAC, ok bool) {
	own := row.MAC
	for _, device := range d.Rows.DeviceMetadata {
		own = cmp.Or(own, device.MAC)
	}
	own = cmp.Or(own, d.Device.MAC)
	return macOf(own), own != ""
}

// macOf is a MAC address that was checked, or that of zeros for "".
func macOf(s string) (mac sai.MAC) {
	hw, _ := net.ParseMAC(s)
	copy(mac[:], hw)
	return mac
}

// subnet is a network that an interface is in.
type subnet struct {
	rif  string
	rows []configdb.RowKey
}

// addresses are the rows of addresses of all interfaces.
func (d *derivation) addresses() []*configdb.Interface {
	var all []*configdb.Interface
	for _, rows := range []map[string]*configdb.Interface{d.Rows.Interfaces, d.Rows.VLANInterfaces, d.Rows.LoopbackInterfaces} {
		all = append(all, ordered(d, rows)...)
	}
	all = slices.DeleteFunc(all, func(r *configdb.Interface) bool { return !r.Prefix.IsValid() })
	slices.SortStableFunc(all, func(a, b *configdb.Interface) int { return d.turn(a) - d.turn(b) })
	return all
}

// addAddress makes the route to an address of the switch, and takes note of the network
// that it is in. Loopback interfaces are in none.
func (d *derivation) addAddress(row *configdb.Interface) {
	loopback := row.ID.Table() == "LOOPBACK_INTERFACE"
	if loopback && !d.loopbacks[row.Name] || !loopback && !d.rifs[row.Name] {
		d.waitFor(row.ID, row.Parent())
		return
	}
	network, host := row.Prefix.Masked(), netip.PrefixFrom(row.Prefix.Addr(), row.Prefix.Addr().BitLen())
	if n := d.subnets[network]; !loopback && n != nil && n.rif != row.Name {
		d.Refuse(row.ID, "", fmt.Errorf("%s is the network of %s already: an interface is in a network of its own", network, n.rif))
		return
	}
	if !d.claim(row.ID, graph.Route(host)) {
		return
	}
	d.Add(row.ID, graph.Route(host), graph.Of(sai.RouteEntryAttrPacketAction.Is(sai.PacketActionForward)), graph.RefTo(sai.RouteEntryAttrNextHopID, intent.CPUKey))
	if loopback || network == host {
		return
	}
	if d.subnets[network] == nil {
		d.subnets[network] = &subnet{rif: row.Name}
	}
	d.subnets[network].rows = append(d.subnets[network].rows, row.ID)
}

// addSubnets makes the routes to what is on the links of interfaces.
func (d *derivation) addSubnets() {
	for network, n := range d.subnets {
		slices.Sort(n.rows)
		d.prefixes[graph.Route(network)] = n.rows[0]
		d.AddFrom(n.rows, graph.Route(network),
			graph.Of(sai.RouteEntryAttrPacketAction.Is(sai.PacketActionForward)), graph.RefTo(sai.RouteEntryAttrNextHopID, rif(n.rif)))
	}
}

// link is the interface that an address is on, by the longest network that it is in.
func (d *derivation) link(a netip.Addr) (name string, ok bool) {
	bits := -1
	for network, n := range d.subnets {
		if network.Contains(a) && network.Bits() > bits {
			name, bits = n.rif, network.Bits()
		}
	}
	return name, bits >= 0
}
