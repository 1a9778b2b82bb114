package scenario

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"xon/sai/vsai"
)

// over writes rows over others; a row or table without fields goes.
func (r Rows) over(base Rows) Rows {
	out := Rows{}
	for _, rows := range []Rows{base, r} {
		for table, keys := range rows {
			for key, fields := range keys {
				out.set(table, key, fields)
			}
		}
	}
	return out
}

// set gives a row more fields; without any it is removed.
func (r Rows) set(table, key string, fields map[string]string) {
	if fields == nil {
		delete(r[table], key)
		return
	}
	if r[table] == nil {
		r[table] = map[string]map[string]string{}
	}
	row := maps.Clone(r[table][key])
	if row == nil {
		row = map[string]string{}
	}
	maps.Copy(row, fields)
	r[table][key] = row
}

// add is set, but that a row that is removed stays as one.
func (r Rows) add(table, key string, fields map[string]string) {
	r.set(table, key, fields)
	if fields == nil {
		if r[table] == nil {
			r[table] = map[string]map[string]string{}
		}
		r[table][key] = nil
	}
}

// read finds the rows of a switch with an agent, and the ports that they name.
func (n *node) read(o *Options) error {
	if o.Programmer == nil {
		return n.at.errorf("switch %s: there is no agent to configure it by rows here; give it a model", n.name)
	}
	n.base = Rows{}
	if file := n.config(o); file != "" {
		var err error
		if n.base, err = o.Programmer.Read(file); err != nil {
			return n.at.errorf("switch %s: %w", n.name, err)
		}
	}
	n.rows = n.setup.Rows.each(nil).over(n.base)
	profile, err := n.profile(o)
	if err != nil {
		return n.at.errorf("switch %s: chip: %w", n.name, err)
	}
	if n.strapped = !n.rows.laned(); n.strapped {
		n.base = n.base.over(strap(profile))
		n.rows = n.rows.over(n.base)
	}
	n.namePorts()
	if mac, ok := n.rows["DEVICE_METADATA"]["localhost"]["mac"]; ok {
		return n.setMAC(mac)
	}
	n.base.set("DEVICE_METADATA", "localhost", map[string]string{"mac": macText(n.mac)})
	return nil
}

func (n *node) profile(o *Options) (*vsai.Profile, error) {
	if n.setup.Chip == "" {
		f := n.rows["DEVICE_METADATA"]["localhost"]
		return o.Programmer.Profile(f["platform"], f["hwsku"]), nil
	}
	return vsai.ProfileByName(n.setup.Chip)
}

// namePorts finds the names of the ports, in order.
func (n *node) namePorts() {
	n.ports = slices.SortedFunc(maps.Keys(n.rows["PORT"]), natural)
}

// laned reports whether rows say which ports there are.
func (r Rows) laned() bool {
	for _, f := range r["PORT"] {
		if _, ok := f["lanes"]; ok {
			return true
		}
	}
	return false
}

// strap is rows of the ports that a chip is strapped with, named by their first lanes.
func strap(p *vsai.Profile) Rows {
	out := Rows{}
	layout := vsai.SortPorts(p.Layout())
	for _, l := range layout {
		var lanes []string
		for _, lane := range l.Lanes {
			lanes = append(lanes, strconv.Itoa(int(lane)))
		}
		out.set("PORT", fmt.Sprintf("Ethernet%d", l.Lanes[0]-layout[0].Lanes[0]), map[string]string{
			"lanes": strings.Join(lanes, ","), "speed": strconv.Itoa(int(l.SpeedMbps)), "mtu": "9100", "admin_status": "up",
		})
	}
	return out
}

// fit makes the rows of a switch whose links are known: the scenario's over those of
// the file. Ports that the scenario made get the rates of their links, those without a
// link go. Rows of "*" are written out, the same for each port with a link, and go
// before the file's rows of single ports.
func (n *node) fit() {
	for i, port := range n.ports {
		switch w := n.wire(i); {
		case !n.strapped:
		case w != nil:
			n.base.set("PORT", port, map[string]string{"speed": strconv.FormatUint(w.rate/1e6, 10)})
		default:
			delete(n.base["PORT"], port)
		}
	}
	n.own = n.setup.Rows.each(n.linked())
	n.rows = n.own.over(n.base)
}

// linked are the ports that have a link.
func (n *node) linked() (out []string) {
	for i, port := range n.ports {
		if n.wire(i) != nil {
			out = append(out, port)
		}
	}
	return out
}

// wire is that of a port; nil if it has none.
func (n *node) wire(port int) *wire {
	if port >= len(n.wires) {
		return nil
	}
	return n.wires[port]
}

// each writes "*" out for ports, as the first part of a key or as the name of a field.
// What the same rows say of a port by its name goes before.
func (r Rows) each(ports []string) Rows {
	out := Rows{}
	for table, keys := range r {
		for key, fields := range keys {
			if rest, all := strings.CutPrefix(key, "*"); all {
				for _, p := range ports {
					out.add(table, p+rest, fields)
				}
			}
		}
	}
	for table, keys := range r {
		for key, fields := range keys {
			if !strings.HasPrefix(key, "*") {
				out.add(table, key, everyField(fields, ports))
			}
		}
	}
	return out
}

func everyField(fields map[string]string, ports []string) map[string]string {
	v, ok := fields["*"]
	if !ok {
		return fields
	}
	out := map[string]string{}
	for _, p := range ports {
		out[p] = v
	}
	maps.Copy(out, fields)
	delete(out, "*")
	return out
}

// natural orders names by what they end in as a number.
func natural(a, b string) int {
	x, y := strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")
	if c := strings.Compare(x, y); c != 0 || x != y {
		return c
	}
	i, _ := strconv.Atoi(a[len(x):]) // "" is 0
	j, _ := strconv.Atoi(b[len(y):])
	return i - j
}

// forwards reports whether rows say where packets go.
func (r Rows) forwards() bool {
	return len(r["VLAN_MEMBER"]) > 0 || len(r["INTERFACE"]) > 0 || len(r["VLAN_INTERFACE"]) > 0 || len(r["STATIC_ROUTE"]) > 0
}

// forwardRows are interfaces, neighbours and routes of a switch in the topology: each
// link is a network of two addresses, or that of a host with an address of its own;
// each host has a route.
func (p *plan) forwardRows(n *node, to hops) Rows {
	out := Rows{}
	for _, w := range n.wires {
		if w == nil {
			continue
		}
		me, peer := w.mine(n), w.other(n)
		out.set("INTERFACE", me.port, map[string]string{"NULL": "NULL"})
		switch h := peer.node; {
		case h.host != nil && h.host.Address != "":
			out.adjoin(me.port, gateway(h.net), h.addr, h)
		default:
			out.adjoin(me.port, netip.PrefixFrom(me.addr, 31), peer.addr, h)
			if h.sw != nil && p.has6() {
				out.adjoin(me.port, netip.PrefixFrom(me.addr6, 127), peer.addr6, h)
			}
		}
	}
	for _, h := range p.hosts {
		out.route(n, h, to[h])
	}
	return out
}

// has6 reports whether a host has an address of IPv6.
func (p *plan) has6() bool {
	return slices.ContainsFunc(p.hosts, func(h *node) bool { return h.addr.Is6() })
}

// adjoin gives a port an address, and a neighbour.
func (r Rows) adjoin(port string, router netip.Prefix, addr netip.Addr, peer *node) {
	r.set("INTERFACE", port+"|"+router.String(), map[string]string{"NULL": "NULL"})
	r.set("NEIGH", fmt.Sprintf("%s|%s", port, addr), map[string]string{"neigh": macText(peer.mac), "family": family(addr)})
}

// reroute notes a host's route if it is not that of the switch's rows.
func (r Rows) reroute(n, h *node, wires []*wire) {
	now := Rows{}
	now.route(n, h, wires)
	key := routeKey(h)
	if maps.Equal(now["STATIC_ROUTE"][key], n.rows["STATIC_ROUTE"][key]) {
		return
	}
	if r["STATIC_ROUTE"] == nil {
		r["STATIC_ROUTE"] = map[string]map[string]string{}
	}
	r["STATIC_ROUTE"][key] = now["STATIC_ROUTE"][key]
}

func routeKey(h *node) string {
	return "default|" + netip.PrefixFrom(h.addr, h.addr.BitLen()).String()
}

// route is the row of a host's route; a host at this switch has none, for its address
// lies in its link's network.
func (r Rows) route(n, h *node, wires []*wire) {
	if len(wires) == 0 || len(wires) == 1 && wires[0].other(n).node == h {
		return
	}
	var hops, ports []string
	for _, w := range wires {
		next := w.other(n).addr
		if h.addr.Is6() {
			next = w.other(n).addr6
		}
		hops = append(hops, next.String())
		ports = append(ports, w.mine(n).port)
	}
	r.set("STATIC_ROUTE", routeKey(h), map[string]string{"nexthop": strings.Join(hops, ","), "ifname": strings.Join(ports, ",")})
}
