package scenario

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"xon/sai/vsai/dataplane"
)

// plan is a scenario with resolved names and defaults.
type plan struct {
	findings
	file     *File
	switches []*node
	hosts    []*node
	wires    []*wire
	named    map[string]*node
}

// node is a switch or a host.
type node struct {
	name   string
	at     Pos
	number int // among all nodes
	mac    dataplane.MAC
	wires  []*wire // by port, of a switch

	host *Host
	addr netip.Addr   // of a host
	net  netip.Prefix // its network

	sw           *Switch
	setup        *Setup
	base         Rows     // of a switch with an agent: rows of its file, or of the chip's layout
	overrides    Rows     // rows of the scenario
	rows         Rows     // overrides over base
	external     bool     // an external agent configures it
	defaultPorts bool     // its PORT rows are the chip's default layout
	ports        []string // names, in order
}

// wire is a link, with a network of two addresses.
type wire struct {
	at    Pos
	ends  [2]end
	rate  uint64
	delay dataplane.Time
	loss  float64
	cut   bool
}

type end struct {
	node  *node
	port  string // of a switch
	addr  netip.Addr
	addr6 netip.Addr // of a switch: next hop of routes of IPv6
}

// peer returns the far end, seen from a node.
func (w *wire) peer(n *node) *end {
	if w.ends[0].node == n {
		return &w.ends[1]
	}
	return &w.ends[0]
}

func (w *wire) mine(n *node) *end {
	if w.ends[0].node == n {
		return &w.ends[0]
	}
	return &w.ends[1]
}

// agent reports whether a switch is configured by an agent.
func (n *node) agent() bool { return n.sw != nil && n.setup.Model == nil }

// nanosecondsPerMetre is the propagation delay in a cable.
const nanosecondsPerMetre = 5

func (w *Wires) delay() dataplane.Time {
	if w.Length > 0 {
		return dataplane.Time(float64(w.Length) * float64(nanosecondsPerMetre*dataplane.Nanosecond))
	}
	return dataplane.Time(w.Delay)
}

// newPlan resolves a file. read parses a config_db.json.
func newPlan(f *File, o *Options) (*plan, error) {
	faults := []error{f.Topology.check(), f.Host.check(f.At)}
	if err := errors.Join(append(faults, f.Topology.expand())...); err != nil {
		return nil, err
	}
	p := &plan{file: f, named: map[string]*node{}}
	for i := range f.Topology.Switches {
		faults = append(faults, p.addSwitch(&f.Topology.Switches[i], o))
	}
	faults = append(faults, p.defaulted())
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	for i := range f.Topology.Hosts {
		faults = append(faults, p.addHost(&f.Topology.Hosts[i]))
	}
	for i := range f.Topology.Links {
		faults = append(faults, p.addLink(&f.Topology.Links[i]))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	p.rates(o)
	p.checkCables()
	p.numberLinks()
	return p, errors.Join(p.checkRoutes(), p.checkRows(), p.checkNetworks())
}

func (p *plan) add(n *node) error {
	if p.named[n.name] != nil {
		return n.at.errorf("name %q is already used at %s", n.name, p.named[n.name].at)
	}
	if strings.ContainsAny(n.name, "/(), ") || n.name == "" {
		return n.at.errorf("name %q: want one without / ( ) , or spaces", n.name)
	}
	n.number = len(p.named)
	n.mac = dataplane.MAC{2, 'x', 'o', 'n', byte(n.number >> 8), byte(n.number)}
	p.named[n.name] = n
	return nil
}

func (p *plan) addSwitch(s *Switch, o *Options) error {
	n := &node{name: s.Name, at: s.At, sw: s, setup: &s.Setup}
	if s.empty() && p.file.Switch != nil {
		n.setup = p.file.Switch
	}
	if o.Config != "" && (n.setup.Model == nil || p.file.Models()) {
		n.setup = p.effectiveSetup(n, o.Config)
	}
	if err := p.add(n); err != nil {
		return err
	}
	p.switches = append(p.switches, n)
	switch {
	case o.external != nil && len(p.switches) == 1:
		return n.adopt(o.external)
	case n.setup.empty():
		return n.at.errorf("switch %s: it has no configuration; give it config, rows or model, set switch: for all switches, or use --config", n.name)
	case n.setup.Model != nil && (n.setup.Config != "" || n.setup.Rows != nil || n.setup.Chip != ""):
		return n.at.errorf("switch %s: want either a model, or chip, config and rows", n.name)
	case n.setup.Model != nil:
		return n.setup.Model.check()
	}
	return n.read(o)
}

func (p *plan) addHost(h *Host) error {
	n := &node{name: h.Name, at: h.At, host: h}
	if err := p.add(n); err != nil {
		return err
	}
	p.hosts = append(p.hosts, n)
	if h.MAC != "" {
		if err := n.setMAC(h.MAC); err != nil {
			return err
		}
	}
	if h.Address != "" {
		a, err := netip.ParsePrefix(h.Address)
		if err != nil {
			return n.at.errorf("host %s: address %q: want one of IP with the length of its network, as in 10.0.0.1/24", n.name, h.Address)
		}
		n.net = a
	}
	if h.Attach == "" {
		h.Attach = p.switches[0].name
	}
	at, err := p.findPort(h.Attach)
	if err != nil {
		return n.at.errorf("host %s: attach: %w", n.name, err)
	}
	w := &wire{at: h.At, rate: uint64(h.Rate), delay: h.delay(), loss: float64(h.Loss), ends: [2]end{at, {node: n}}}
	return p.join(w)
}

func (p *plan) addLink(l *Link) error {
	if len(l.Ends) != 2 {
		return l.At.errorf("link %s: ends: %d names: want two", l.Name, len(l.Ends))
	}
	w := &wire{at: l.At, rate: uint64(l.Rate), delay: l.delay(), loss: float64(l.Loss)}
	for i, name := range l.Ends {
		at, err := p.findPort(name)
		if err != nil {
			return l.At.errorf("link %s: ends: %w", l.Name, err)
		}
		w.ends[i] = at
	}
	if w.ends[0].node == w.ends[1].node {
		return l.At.errorf("link %s: both ends are at %s", l.Name, w.ends[0].node.name)
	}
	return p.join(w)
}

// join connects a wire to the ports of its ends.
func (p *plan) join(w *wire) error {
	for i := range w.ends {
		if e := &w.ends[i]; e.node.sw != nil {
			at, err := e.node.takePort(e.port, w.rate)
			if err != nil {
				return w.at.errorf("link of %s and %s: %w", w.ends[0].node.name, w.ends[1].node.name, err)
			}
			e.port = e.node.ports[at]
			for len(e.node.wires) < len(e.node.ports) {
				e.node.wires = append(e.node.wires, nil)
			}
			e.node.wires[at] = w
		} else {
			e.node.wires = append(e.node.wires, w)
		}
	}
	p.wires = append(p.wires, w)
	return nil
}

func (n *node) setMAC(text string) error {
	mac, err := net.ParseMAC(text)
	if err != nil || len(mac) != len(n.mac) || mac[0]&1 != 0 {
		return n.at.errorf("%s: mac %q: want an individual address, as in 02:00:00:00:00:01", n.name, text)
	}
	n.mac = dataplane.MAC(mac)
	return nil
}

func macText(m dataplane.MAC) string { return net.HardwareAddr(m[:]).String() }

// findPort resolves SWITCH or SWITCH/PORT.
func (p *plan) findPort(text string) (end, error) {
	name, port, _ := strings.Cut(text, "/")
	n := p.named[name]
	if n == nil || n.sw == nil {
		return end{}, fmt.Errorf("there is no switch %q; there are %s", name, names(p.switches))
	}
	return end{node: n, port: port}, nil
}

// maxPorts of a model.
const maxPorts = 1024

// takePort reserves a port of a switch by name, or the next free one, and returns its
// index. It prefers a port that is up and has the link's rate.
func (n *node) takePort(port string, rate uint64) (int, error) {
	free := func(i int) bool { return i >= len(n.wires) || n.wires[i] == nil }
	if port != "" {
		i := slices.Index(n.ports, port)
		switch {
		case i >= 0 && !free(i):
			return 0, fmt.Errorf("port %s of %s has two links", port, n.name)
		case i < 0 && n.agent():
			return 0, fmt.Errorf("switch %s has no port %q; it has %s", n.name, port, abbreviate(n.ports))
		case i < 0:
			n.ports = append(n.ports, port)
			i = len(n.ports) - 1
		}
		return i, nil
	}
	for _, fits := range []func(port string) bool{
		func(port string) bool { return n.up(port) && n.speed(port) == rate },
		n.up,
		func(string) bool { return true },
	} {
		for i, name := range n.ports {
			if free(i) && fits(name) {
				return i, nil
			}
		}
	}
	if n.agent() {
		return 0, fmt.Errorf("switch %s has %d ports, all of which already have a link", n.name, len(n.ports))
	}
	if len(n.ports) >= maxPorts {
		return 0, fmt.Errorf("switch %s: more than %d ports", n.name, maxPorts)
	}
	for i := 0; ; i += 4 {
		if name := fmt.Sprintf("Ethernet%d", i); !slices.Contains(n.ports, name) {
			n.ports = append(n.ports, name)
			return len(n.ports) - 1, nil
		}
	}
}

// numberLinks assigns networks to links: 10.x.y.z/31, and /127 for IPv6.
func (p *plan) numberLinks() {
	for i, w := range p.wires {
		net := uint32(10)<<24 | uint32(2*i)
		for j := range w.ends {
			a := net | uint32(j)
			e := &w.ends[j]
			e.addr = netip.AddrFrom4([4]byte{byte(a >> 24), byte(a >> 16), byte(a >> 8), byte(a)})
			e.addr6 = netip.AddrFrom16([16]byte{0xfd, 'x', 'o', 'n', 12: byte(a >> 24), byte(a >> 16), byte(a >> 8), byte(a)})
			if e.node.host == nil {
				continue
			}
			p.assignAddress(e)
		}
	}
}

// assignAddress gives a host the address of its end of a link, unless it has its own.
// At an external switch hosts are in one network; otherwise there is a router between
// them, in the network that the switch's rows give the port, or in the link's.
func (p *plan) assignAddress(e *end) {
	n := e.node
	sw := n.wires[0].peer(n)
	if nets := sw.node.networks(sw.port); !n.net.IsValid() && !sw.node.external && len(nets) > 0 {
		n.net = p.free(nets[0].router)
	}
	switch {
	case n.net.IsValid():
		e.addr = n.net.Addr()
	case sw.node.external:
		n.net = netip.PrefixFrom(e.addr, 8)
	default:
		n.net = netip.PrefixFrom(e.addr, 31)
	}
	n.addr = e.addr
}

// portTowards returns the port of a switch that leads to a named node; any other name
// is a port name.
func (p *plan) portTowards(n *node, name string) string {
	if peer := p.named[name]; peer != nil && !slices.Contains(n.ports, name) {
		if w := p.between(n, peer); w != nil {
			return w.mine(n).port
		}
	}
	return name
}

func names(nodes []*node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.name)
	}
	return abbreviate(out)
}

// abbreviate joins names; of a long list only the ends.
func abbreviate(names []string) string {
	if len(names) > 12 {
		names = slices.Concat(names[:5], []string{"…"}, names[len(names)-2:])
	}
	return strings.Join(names, ", ")
}
