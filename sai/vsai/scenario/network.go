package scenario

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// network is an IP interface of a switch: its name and its address with its network.
type network struct {
	iface  string
	router netip.Prefix
}

// networks are those that rows give a port: of its own, and of its VLANs; those of IPv4
// come first.
func (n *node) networks(port string) (out []network) {
	add := func(table, name string) {
		for _, key := range slices.Sorted(maps.Keys(n.rows[table])) {
			iface, text, _ := strings.Cut(key, "|")
			if p, err := netip.ParsePrefix(text); err == nil && iface == name {
				out = append(out, network{name, p})
			}
		}
	}
	add("INTERFACE", port)
	for _, key := range slices.Sorted(maps.Keys(n.rows["VLAN_MEMBER"])) {
		if vlan, member, _ := strings.Cut(key, "|"); member == port {
			add("VLAN_INTERFACE", vlan)
		}
	}
	slices.SortStableFunc(out, func(a, b network) int { return a.router.Addr().BitLen() - b.router.Addr().BitLen() })
	return out
}

// mostTaken is how many addresses of a network are looked at for a free one.
const mostTaken = 2 * mostHosts

// free finds an address of a network that nobody has; invalid: there is none.
func (p *plan) free(router netip.Prefix) netip.Prefix {
	a := router.Masked().Addr()
	if router.Bits() < router.Addr().BitLen()-1 {
		a = a.Next() // the first is the network's own
	}
	for range mostTaken {
		if !router.Contains(a) {
			break
		}
		if a != router.Addr() && !slices.ContainsFunc(p.hosts, func(h *node) bool { return h.addr == a || h.net.Addr() == a }) {
			return netip.PrefixFrom(a, router.Bits())
		}
		a = a.Next()
	}
	return netip.Prefix{}
}

// gateway is the address of the router in the network of a host: the first that is not
// the host's. Of a network without room for a router it is invalid.
func gateway(host netip.Prefix) netip.Prefix {
	bits := host.Addr().BitLen()
	if host.Bits() == bits {
		return netip.Prefix{}
	}
	a := host.Masked().Addr()
	if host.Bits() < bits-1 {
		a = a.Next()
	}
	if a == host.Addr() {
		a = a.Next()
	}
	return netip.PrefixFrom(a, host.Bits())
}

func family(a netip.Addr) string {
	if a.Is4() {
		return "IPv4"
	}
	return "IPv6"
}

// checkNetworks reports hosts that the rows which a scenario makes can't reach: they
// route, so that each host is in a network of its own.
func (p *plan) checkNetworks() error {
	for i, h := range p.hosts {
		sw := h.wires[0].other(h).node
		if sw.outside || !sw.agent() || sw.rows.forwards() {
			continue
		}
		if !gateway(h.net).IsValid() {
			return h.at.errorf("host %s: address %s: want a network with room for its router, as in /24 or /64", h.name, h.net)
		}
		for _, x := range p.hosts[:i] {
			if x.net.Overlaps(h.net) && x.wires[0].other(x).node == sw {
				return h.at.errorf("hosts %s and %s are in one network, %s and %s, at routed ports of %s; give them networks of their own, or rows with a VLAN", x.name, h.name, x.net, h.net, sw.name)
			}
		}
	}
	return nil
}

// learn gives a switch whose rows say where packets go the neighbours that ARP would
// find: its hosts, in the networks of their ports, that have no row.
func (w *world) learn(n *node) Rows {
	out := Rows{}
	for _, x := range n.wires {
		if x == nil || x.other(n).node.host == nil {
			continue
		}
		h, port := x.other(n).node, x.mine(n).port
		nets := n.networks(port)
		at := slices.IndexFunc(nets, func(net network) bool { return net.router.Contains(h.addr) })
		switch {
		case n.neighbour(h.addr):
		case at < 0:
			w.note("%s: its rows give %s no network with %s, the address of %s: nothing reaches it unless a route does", n.name, port, h.addr, h.name)
		default:
			out.set("NEIGH", fmt.Sprintf("%s|%s", nets[at].iface, h.addr), map[string]string{"neigh": macText(h.mac), "family": family(h.addr)})
		}
	}
	return out
}

// neighbour reports whether rows have an address for a neighbour.
func (n *node) neighbour(a netip.Addr) bool {
	for key := range n.rows["NEIGH"] {
		if _, text, _ := strings.Cut(key, "|"); text == a.String() {
			return true
		}
	}
	return false
}
