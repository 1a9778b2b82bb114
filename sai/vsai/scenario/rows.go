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

// over merges rows over base; a row or table without fields is removed.
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

// set adds fields to a row; without any the row is removed.
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

// add is set, but does not restore a removed row.
func (r Rows) add(table, key string, fields map[string]string) {
	r.set(table, key, fields)
	if fields == nil {
		if r[table] == nil {
			r[table] = map[string]map[string]string{}
		}
		r[table][key] = nil
	}
}

// read reads the rows of a switch with an agent, and its ports.
func (n *node) read(o *Options) error {
	if o.Programmer == nil {
		return n.at.errorf("switch %s: there is no agent here to apply rows; give it a model", n.name)
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
	if n.defaultPorts = !n.rows.hasPorts(); n.defaultPorts {
		n.base = n.base.over(layoutRows(profile))
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

// namePorts lists the port names in order.
func (n *node) namePorts() {
	n.ports = slices.SortedFunc(maps.Keys(n.rows["PORT"]), natural)
}

// hasPorts reports whether rows define the ports.
func (r Rows) hasPorts() bool {
	for _, f := range r["PORT"] {
		if _, ok := f["lanes"]; ok {
			return true
		}
	}
	return false
}

// layoutRows returns PORT rows for a chip's default layout, named by their first lanes.
func layoutRows(p *vsai.Profile) Rows {
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
// the file. Generated ports get the rates of their links; those without a link are
// removed. Rows of "*" are expanded, the same for each port with a link, and override
// the file's rows of single ports.
func (n *node) fit() {
	for i, port := range n.ports {
		switch w := n.wire(i); {
		case !n.defaultPorts:
		case w != nil:
			n.base.set("PORT", port, map[string]string{"speed": strconv.FormatUint(w.rate/1e6, 10)})
		default:
			delete(n.base["PORT"], port)
		}
	}
	n.overrides = n.setup.Rows.each(n.linked())
	n.rows = n.overrides.over(n.base)
}

// linked returns the ports that have a link.
func (n *node) linked() (out []string) {
	for i, port := range n.ports {
		if n.wire(i) != nil {
			out = append(out, port)
		}
	}
	return out
}

// wire returns the wire of a port; nil if it has none.
func (n *node) wire(port int) *wire {
	if port >= len(n.wires) {
		return nil
	}
	return n.wires[port]
}

// each expands "*" for ports, as the first part of a key or as a field name. An
// explicit row of a port overrides it.
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

// natural compares names by their numeric suffix.
func natural(a, b string) int {
	x, y := strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")
	if c := strings.Compare(x, y); c != 0 || x != y {
		return c
	}
	i, _ := strconv.Atoi(a[len(x):]) // "" gives 0
	j, _ := strconv.Atoi(b[len(y):])
	return i - j
}

// forwards reports whether rows define forwarding.
func (r Rows) forwards() bool {
	return len(r["VLAN_MEMBER"]) > 0 || len(r["INTERFACE"]) > 0 || len(r["VLAN_INTERFACE"]) > 0 || len(r["STATIC_ROUTE"]) > 0
}

// forwardRows generates interfaces, neighbours and routes of a switch: each link is a
// network of two addresses, or that of a host with its own address; each host has a
// route.
func (p *plan) forwardRows(n *node, to nextHops) Rows {
	out := Rows{}
	for _, w := range n.wires {
		if w == nil {
			continue
		}
		me, peer := w.mine(n), w.peer(n)
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

// has6 reports whether a host has an IPv6 address.
func (p *plan) has6() bool {
	return slices.ContainsFunc(p.hosts, func(h *node) bool { return h.addr.Is6() })
}

// adjoin adds an interface address and a neighbour to a port.
func (r Rows) adjoin(port string, router netip.Prefix, addr netip.Addr, peer *node) {
	r.set("INTERFACE", port+"|"+router.String(), map[string]string{"NULL": "NULL"})
	r.set("NEIGH", fmt.Sprintf("%s|%s", port, addr), map[string]string{"neigh": macText(peer.mac), "family": family(addr)})
}

// reroute adds a host's route if it differs from that of the switch's rows.
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

// route adds the row of a host's route. A host at this switch has none, because its
// address is in the network of its link.
func (r Rows) route(n, h *node, wires []*wire) {
	if len(wires) == 0 || len(wires) == 1 && wires[0].peer(n).node == h {
		return
	}
	var hops, ports []string
	for _, w := range wires {
		next := w.peer(n).addr
		if h.addr.Is6() {
			next = w.peer(n).addr6
		}
		hops = append(hops, next.String())
		ports = append(ports, w.mine(n).port)
	}
	r.set("STATIC_ROUTE", routeKey(h), map[string]string{"nexthop": strings.Join(hops, ","), "ifname": strings.Join(ports, ",")})
}
