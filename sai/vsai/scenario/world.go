package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
	"xon/sai/vsai/scenario/trace"
)

// world is a scenario that runs.
type world struct {
	findings
	ctx   context.Context // of the run: changes of rows wait for an agent
	plan  *plan
	sim   *dataplane.Sim
	watch *watcher

	devices map[*node]*device
	hosts   map[*node]*dataplane.Host
	names   []string // of ports, by their number
	detours map[*node]map[*node][]*wire

	loads  []*load
	faults []*happening
	flows  []*flow // by number
	open   int     // flows with an end that are not done, and starts that are to come
	err    error
	told   func(error) // of err; nil: who runs it looks
}

// device is a switch of the simulation.
type device struct {
	node   *node
	sw     *dataplane.Switch
	ports  []*dataplane.Port  // as the node's
	tables *forwarding.Tables // of a model
	bridge *bridge.Device     // with an agent, and
	chip   *vsai.Chip
	agent  Program
	made   bool // its forwarding rows are the scenario's
}

// build makes a world of a plan.
func build(ctx context.Context, p *plan, o *Options) (*world, error) {
	w := &world{findings: p.findings, ctx: ctx, plan: p, devices: map[*node]*device{}, hosts: map[*node]*dataplane.Host{}}
	w.watch = &watcher{w: w, moments: map[Event]dataplane.Time{}}
	if o.Record {
		w.watch.rec = trace.New(trace.Options{PortName: w.portName, FlowName: w.flowName})
	}
	w.sim = dataplane.New(dataplane.Config{
		Seed: o.seed(p.file), Tick: dataplane.Time(p.file.Engine.Tick), Overhead: p.file.Engine.wire(), Observe: w.watch.observe,
	})
	if w.watch.rec != nil {
		w.watch.rec.Attach(w.sim)
	}
	var err error
	if w.detours, err = p.detours(); err != nil {
		return nil, err
	}
	routes := p.routes(w.detours)
	for _, n := range p.switches {
		d, err := w.addSwitch(n, o, routes[n])
		if d != nil {
			w.devices[n] = d
		}
		if err != nil {
			return w, n.at.errorf("switch %s: %w", n.name, err)
		}
	}
	for _, n := range p.hosts {
		if err := w.addHost(n); err != nil {
			return w, n.at.errorf("%w", err)
		}
	}
	err = w.connect()
	w.agree()
	return w, err
}

// agree has each host's card do the flow control of the port at the other end of its
// link: PFC of all classes, or 802.3x where that port has it in place of PFC.
func (w *world) agree() {
	for _, n := range w.plan.hosts {
		h := w.hosts[n]
		if h == nil || h.Port().Peer() == nil {
			continue
		}
		c, peer := h.Port().Config(), h.Port().Peer().Config()
		whole := (peer.PauseSend || peer.PauseReceive) && peer.PFCSend|peer.PFCReceive == 0
		deaf := w.card(n).deaf()
		c.PauseSend, c.PauseReceive, c.PFCReceive = whole, whole && !deaf, 0
		if !whole && !deaf {
			c.PFCReceive = everyClass
		}
		if c != h.Port().Config() {
			w.sim.SetPort(h.Port(), c)
		}
	}
}

// card is what a host's card is.
func (w *world) card(n *node) Card { return n.host.over(w.plan.file.Host) }

// deaf reports whether a card ignores pause frames.
func (c Card) deaf() bool { return c.NoPFC != nil && *c.NoPFC }

// wire is what a frame takes on the wire beside itself: preamble, start and gap.
func (e *Engine) wire() int {
	if e.Wire == nil {
		return 20
	}
	return int(*e.Wire)
}

func (w *world) addSwitch(n *node, o *Options, to hops) (*device, error) {
	switch {
	case n.outside:
		return w.addOutside(n, o.outside)
	case n.agent():
		return w.addChip(n, o, to)
	}
	d := &device{node: n}
	var err error
	if d.sw, err = w.sim.AddSwitch(n.setup.Model.config(n)); err != nil {
		return nil, err
	}
	d.ports = d.sw.Ports()
	maps := w.plan.file.maps()
	for i := range n.ports {
		w.name(d.ports[i], n, n.ports[i])
		w.sim.SetPort(d.ports[i], n.setup.Model.port(maps, n.wires[i].rate, i, len(n.ports)))
	}
	n.setup.Model.configure(d.sw)
	d.tables = forwarding.New(d.sw)
	d.tables.SetHash(forwarding.Hash{Seed: uint32(n.number)}, forwarding.Hash{Seed: uint32(n.number)})
	for i, x := range n.wires {
		if x != nil {
			err = errors.Join(err, d.tie(i, x.other(n)))
		}
	}
	for _, h := range w.plan.hosts {
		err = errors.Join(err, d.route(h, to[h]))
	}
	return d, err
}

// tie makes a port of a model a router interface with its neighbour as next hop, all
// by the port's number.
func (d *device) tie(port int, peer *end) error {
	id := hopID(port)
	return errors.Join(
		d.tables.SetInterface(id, forwarding.Interface{Port: port}),
		d.tables.SetNeighbour(id, peer.addr, peer.node.mac),
		d.tables.SetNextHop(id, forwarding.NextHop{Interface: id, Addr: peer.addr}),
	)
}

// route sends packets to a host to wires of a model. Its group has the number of the
// host, after those of ports.
func (d *device) route(h *node, wires []*wire) error {
	prefix := netip.PrefixFrom(h.addr, h.addr.BitLen())
	if len(wires) == 0 {
		d.tables.RemoveRoute(0, prefix)
		return nil
	}
	var members []forwarding.Member
	for _, x := range wires {
		members = append(members, forwarding.Member{NextHop: hopID(d.place(x)), Weight: 1})
	}
	id := hopID(mostPorts + h.number)
	return errors.Join(
		d.tables.SetGroup(id, members),
		d.tables.SetRoute(0, prefix, forwarding.Target{Action: forwarding.ToGroup, ID: id}),
	)
}

// place is the place of a wire's port.
func (d *device) place(x *wire) int {
	for i := range d.node.wires {
		if d.node.wires[i] == x {
			return i
		}
	}
	return -1
}

// port finds the end of a wire at a node.
func (w *world) port(n *node, x *wire) *dataplane.Port {
	if n.host != nil {
		return w.hosts[n].Port()
	}
	d := w.devices[n]
	return d.ports[d.place(x)]
}

// over is a card with what is not said of it from another.
func (c Card) over(of Card) Card {
	if c.AckClass == nil {
		c.AckClass = of.AckClass
	}
	if c.Response == nil {
		c.Response = of.Response
	}
	if c.NoPFC == nil {
		c.NoPFC = of.NoPFC
	}
	return c
}

// check reports what a card can't do.
func (c *Card) check(at Pos) error {
	if c.AckClass != nil && *c.AckClass >= dataplane.Classes {
		return at.errorf("ack-class %d: want 0 to %d", *c.AckClass, dataplane.Classes-1)
	}
	return nil
}

// everyClass is the bits of all priorities.
const everyClass = 0xFF

func (w *world) addHost(n *node) error {
	gate, rate := n.wires[0].other(n).node.mac, n.wires[0].rate
	card := w.card(n)
	c := dataplane.HostConfig{
		Name: n.name, MAC: n.mac, Gateway: gate, Addr: n.net, AckClass: -1,
		Port: dataplane.PortConfig{Rate: rate, Response: responseOf(card.Response, rate)}, // flow control: see agree
	}
	if card.AckClass != nil {
		dscp := w.dscpOfClass(*card.AckClass) // switches that trust DSCP go by it
		c.AckClass, c.AckDSCP = int(*card.AckClass), &dscp
	}
	if m := n.wires[0].other(n).node.setup.Model; m != nil {
		c.Port.NoExpiry, c.Port.PFCBytes = m.NoExpiry, int(m.PauseBytes)
	}
	h, err := w.sim.AddHost(c)
	if err != nil {
		return err
	}
	w.hosts[n] = h
	w.name(h.Port(), n, "")
	return nil
}

// name gives a port the name that people know it by.
func (w *world) name(p *dataplane.Port, n *node, port string) {
	for len(w.names) <= p.ID() {
		w.names = append(w.names, "")
	}
	w.names[p.ID()] = n.name
	if port != "" {
		w.names[p.ID()] += "/" + port
	}
}

func (w *world) portName(p *dataplane.Port) string {
	if p.ID() < len(w.names) && w.names[p.ID()] != "" {
		return w.names[p.ID()]
	}
	return p.Name()
}

func (w *world) connect() error {
	for _, x := range w.plan.wires {
		a, b := w.port(x.ends[0].node, x), w.port(x.ends[1].node, x)
		if a == nil || b == nil {
			continue // of somebody else's chip, where it may come later
		}
		if r := a.Config().Rate; r != b.Config().Rate {
			return x.at.errorf("link of %s (%s) and %s (%s): both ends want the same rate", w.portName(a), Rate.Format(float64(r)), w.portName(b), Rate.Format(float64(b.Config().Rate)))
		}
		if err := w.sim.Connect(a, b, x.link()); err != nil {
			return x.at.errorf("%w", err)
		}
	}
	return nil
}

func (x *wire) link() dataplane.Link { return dataplane.Link{Delay: x.delay, Loss: x.loss, Cut: x.cut} }

// fail ends the run with an error.
func (w *world) fail(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	if w.told != nil {
		w.told(err)
	}
}

// close ends the agents.
func (w *world) close() error {
	var faults []error
	for _, n := range w.plan.switches {
		if d := w.devices[n]; d != nil && d.agent != nil {
			if err := d.agent.Close(); err != nil {
				faults = append(faults, fmt.Errorf("the agent of %s: %w", n.name, err))
			}
		}
	}
	return errors.Join(faults...)
}

// hopID is the number of what a model's tables have for a port; none is 0.
func hopID(port int) forwarding.ID { return forwarding.ID(port) + 1 }
