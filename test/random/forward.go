package random

import (
	"fmt"
	"strconv"
	"strings"

	"xon/schema/configdb"
	"xon/test/scale"
)

// forwardKey makes a key of the tables of VLANs, interfaces, neighbours and routes. There
// are few of each, so that rows meet and contradict each other. With Apart the first port
// is in VLANs and the others are routed, and each interface has a network of its own.
func (g *Rows) forwardKey(form string) (key string, ok bool) {
	switch form {
	case "<vlan>":
		return g.vlan(), true
	case "<vlan>|<port>":
		if g.Apart {
			return g.vlan() + "|" + scale.PortName(0), true
		}
		return g.vlan() + "|" + g.port(), true
	case "<port> or <port>|<address>/<length>":
		if g.Apart {
			return g.addressed(scale.PortName(1 + g.Rand.IntN(g.Ports-1))), true
		}
		return g.addressed(g.port()), true
	case "<vlan> or <vlan>|<address>/<length>":
		return g.addressed(g.vlan()), true
	case "<loopback> or <loopback>|<address>/<length>":
		return g.addressed("Loopback" + strconv.Itoa(g.Rand.IntN(2))), true
	case "<interface>|<address>":
		return g.link() + "|" + g.address(), true
	case "<prefix> or <vrf>|<prefix>":
		return g.network(), true
	}
	return "", false
}

func (g *Rows) vlan() string {
	if g.odd() {
		return pick(g, []string{"Vlan1", "Vlan4095", "vlan10", "Vlan010"})
	}
	return pick(g, []string{"Vlan10", "Vlan20", "Vlan30"})
}

// link is an interface.
func (g *Rows) link() string {
	if g.one(3) {
		return g.vlan()
	}
	return g.port()
}

// address is one of those of addressed, or of their neighbours.
func (g *Rows) address() string {
	if g.odd() {
		return pick(g, []string{"10.0.0", "224.0.0.1", "::ffff:10.0.0.1", "fc00::1%eth0", "0.0.0.0"})
	}
	n := g.Rand.IntN(8)
	if g.one(3) {
		return fmt.Sprintf("fc00::%d", n)
	}
	return fmt.Sprintf("10.0.0.%d", n)
}

// addressed is an interface by itself, or with an address.
func (g *Rows) addressed(name string) string {
	if g.one(2) {
		return name
	}
	if g.Apart {
		n := strings.TrimLeft(strings.Replace(name, "Vlan", "1", 1), "EthrnLopback")
		return name + "|" + pick(g, []string{"10." + n + ".0.1/29", "10." + n + ".0.2/29", "fc00:" + n + "::1/126"})
	}
	a := g.address()
	if strings.Contains(a, ":") {
		return name + "|" + a + pick(g, []string{"/126", "/127", "/128"})
	}
	return name + "|" + a + pick(g, []string{"/29", "/31", "/32"})
}

// network is the key of a route, now and then in another VRF.
func (g *Rows) network() string {
	p := pick(g, []string{"0.0.0.0/0", "10.1.0.0/16", "10.0.0.0/31", "10.0.0.1/32", "::/0", "fc00:1::/64"})
	switch {
	case g.odd():
		return pick(g, []string{"10.1.0.1/16", "Vrf1|" + p, "10.1.0.0", "224.0.0.0/4"})
	case !g.Apart && g.one(3):
		return "default|" + p
	}
	return p
}

// hops are the next hops of a route, of the family that its key has.
func (g *Rows) hops(key string) string {
	list := make([]string, 1+g.Rand.IntN(3))
	for i := range list {
		list[i] = fmt.Sprintf("10.0.0.%d", g.Rand.IntN(8))
		if strings.Contains(key, ":") != g.odd() {
			list[i] = fmt.Sprintf("fc00::%d", g.Rand.IntN(8))
		}
	}
	return commas(list)
}

// tagging is untagged in one VLAN with Apart.
func (g *Rows) tagging(key string) string {
	if g.Apart && !strings.HasPrefix(key, "Vlan10|") {
		return configdb.Tagged
	}
	return pick(g, []string{configdb.Untagged, configdb.Tagged, configdb.PriorityTagged})
}

// links are the interfaces of next hops.
func (g *Rows) links(string) string {
	list := make([]string, 1+g.Rand.IntN(2))
	for i := range list {
		if !g.one(3) {
			list[i] = g.link()
		}
	}
	return commas(list)
}

// repairForward makes fields of interfaces and routes agree with each other and the key.
func (g *Rows) repairForward(table, key string, f configdb.Fields) {
	switch {
	case strings.HasSuffix(table, "INTERFACE") && strings.Contains(key, "|"):
		delete(f, "vrf_name")
		delete(f, "mac_addr")
	case table == "STATIC_ROUTE":
		if f["nexthop"] == "" {
			f["nexthop"] = g.hops(key)
		}
		n := 1 + strings.Count(f["nexthop"], ",")
		for _, name := range []string{"ifname", "distance", "nexthop-vrf"} {
			if list := strings.Split(f[name], ","); len(list) > n {
				f[name] = commas(list[:n])
			}
		}
	}
}
