package scenario

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// network is an IP interface of a switch: its name and its address with prefix length.
type network struct {
	iface  string
	router netip.Prefix
}

// networks are the networks that rows give a port: its own, and those of its VLANs;
// IPv4 first.
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

// maxProbes limits the search for a free address of a network.
const maxProbes = 2 * maxHosts

// free finds an unused address of a network; invalid: there is none.
func (p *plan) free(router netip.Prefix) netip.Prefix {
	a := router.Masked().Addr()
	if router.Bits() < router.Addr().BitLen()-1 {
		a = a.Next() // the first is the network address
	}
	for range maxProbes {
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

// gateway is the router's address in the network of a host: the first that is not the
// host's. It is invalid if the network has no room for a router.
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

// checkNetworks reports hosts that the generated rows cannot reach: they route, so each
// host must have a network of its own.
func (p *plan) checkNetworks() error {
	for i, h := range p.hosts {
		sw := h.wires[0].peer(h).node
		if sw.external || !sw.agent() || sw.rows.forwards() {
			continue
		}
		if !gateway(h.net).IsValid() {
			return h.at.errorf("host %s: address %s: want a network with room for its router, as in /24 or /64", h.name, h.net)
		}
		for _, x := range p.hosts[:i] {
			if x.net.Overlaps(h.net) && x.wires[0].peer(x).node == sw {
				return h.at.errorf("hosts %s and %s are in one network, %s and %s, at routed ports of %s; give them networks of their own, or rows with a VLAN", x.name, h.name, x.net, h.net, sw.name)
			}
		}
	}
	return nil
}

// learn adds the neighbours that ARP would find to a switch with its own forwarding
// rows: hosts in the networks of their ports that have no row.
func (w *world) learn(n *node) Rows {
	out := Rows{}
	for _, x := range n.wires {
		if x == nil || x.peer(n).node.host == nil {
			continue
		}
		h, port := x.peer(n).node, x.mine(n).port
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

// neighbour reports whether rows contain a neighbour's address.
func (n *node) neighbour(a netip.Addr) bool {
	for key := range n.rows["NEIGH"] {
		if _, text, _ := strings.Cut(key, "|"); text == a.String() {
			return true
		}
	}
	return false
}
