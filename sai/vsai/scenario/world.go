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

// world is a running scenario.
type world struct {
	findings
	ctx   context.Context // of the run: agents apply changes of rows under it
	plan  *plan
	sim   *dataplane.Sim
	watch *watcher

	devices map[*node]*device
	hosts   map[*node]*dataplane.Host
	names   []string // of ports, by ID
	detours map[*node]map[*node][]*wire

	loads   []*load
	faults  []*scheduledFault
	flows   []*flow // by ID
	pending int     // finite flows that are not done, and scheduled starts
	err     error
	onError func(error) // called with err; nil: the caller of the run checks err
}

// device is a switch of the simulation.
type device struct {
	node      *node
	sw        *dataplane.Switch
	ports     []*dataplane.Port  // as in node
	tables    *forwarding.Tables // of a model
	bridge    *bridge.Device     // of a switch with an agent
	chip      *vsai.Chip
	agent     Program
	generated bool // the scenario generated its forwarding rows
}

// build makes the world of a plan.
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
	w.matchFlowControl()
	return w, err
}

// matchFlowControl sets each host's flow control to that of the switch port: PFC for
// all classes, or 802.3x if the port uses that instead.
func (w *world) matchFlowControl() {
	for _, n := range w.plan.hosts {
		h := w.hosts[n]
		if h == nil || h.Port().Peer() == nil {
			continue
		}
		c, peer := h.Port().Config(), h.Port().Peer().Config()
		whole := (peer.PauseSend || peer.PauseReceive) && peer.PFCSend|peer.PFCReceive == 0
		deaf := w.nic(n).ignoresPause()
		c.PauseSend, c.PauseReceive, c.PFCReceive = whole, whole && !deaf, 0
		if !whole && !deaf {
			c.PFCReceive = everyClass
		}
		if c != h.Port().Config() {
			w.sim.SetPort(h.Port(), c)
		}
	}
}

// nic returns the NIC configuration of a host.
func (w *world) nic(n *node) NIC { return n.host.over(w.plan.file.Host) }

// ignoresPause reports whether a NIC ignores pause frames.
func (c NIC) ignoresPause() bool { return c.NoPFC != nil && *c.NoPFC }

// wire is the wire overhead of a frame: preamble, start delimiter and gap.
func (e *Engine) wire() int {
	if e.Wire == nil {
		return 20
	}
	return int(*e.Wire)
}

func (w *world) addSwitch(n *node, o *Options, to nextHops) (*device, error) {
	switch {
	case n.external:
		return w.addOutside(n, o.external)
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
			err = errors.Join(err, d.addNeighbour(i, x.peer(n)))
		}
	}
	for _, h := range w.plan.hosts {
		err = errors.Join(err, d.route(h, to[h]))
	}
	return d, err
}

// addNeighbour makes a port of a model a router interface with its neighbour as next
// hop; all IDs follow from the port's number.
func (d *device) addNeighbour(port int, peer *end) error {
	id := hopID(port)
	return errors.Join(
		d.tables.SetInterface(id, forwarding.Interface{Port: port}),
		d.tables.SetNeighbour(id, peer.addr, peer.node.mac),
		d.tables.SetNextHop(id, forwarding.NextHop{Interface: id, Addr: peer.addr}),
	)
}

// route routes packets for a host to wires of a model. IDs of next hop groups follow
// those of ports.
func (d *device) route(h *node, wires []*wire) error {
	prefix := netip.PrefixFrom(h.addr, h.addr.BitLen())
	if len(wires) == 0 {
		d.tables.RemoveRoute(0, prefix)
		return nil
	}
	var members []forwarding.Member
	for _, x := range wires {
		members = append(members, forwarding.Member{NextHop: hopID(d.portIndex(x)), Weight: 1})
	}
	id := hopID(maxPorts + h.number)
	return errors.Join(
		d.tables.SetGroup(id, members),
		d.tables.SetRoute(0, prefix, forwarding.Target{Action: forwarding.ToGroup, ID: id}),
	)
}

// portIndex returns the index of a wire's port.
func (d *device) portIndex(x *wire) int {
	for i := range d.node.wires {
		if d.node.wires[i] == x {
			return i
		}
	}
	return -1
}

// port returns the end of a wire at a node.
func (w *world) port(n *node, x *wire) *dataplane.Port {
	if n.host != nil {
		return w.hosts[n].Port()
	}
	d := w.devices[n]
	return d.ports[d.portIndex(x)]
}

// over returns a NIC with missing fields taken from another.
func (c NIC) over(of NIC) NIC {
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

// check reports invalid NIC settings.
func (c *NIC) check(at Pos) error {
	if c.AckClass != nil && *c.AckClass >= dataplane.Classes {
		return at.errorf("ack-class %d: want 0 to %d", *c.AckClass, dataplane.Classes-1)
	}
	return nil
}

// everyClass is the bits of all priorities.
const everyClass = 0xFF

func (w *world) addHost(n *node) error {
	gate, rate := n.wires[0].peer(n).node.mac, n.wires[0].rate
	nic := w.nic(n)
	c := dataplane.HostConfig{
		Name: n.name, MAC: n.mac, Gateway: gate, Addr: n.net, AckClass: -1,
		Port: dataplane.PortConfig{Rate: rate, Response: responseOf(nic.Response, rate)}, // flow control: see matchFlowControl
	}
	if nic.AckClass != nil {
		dscp := w.dscpOfClass(*nic.AckClass) // for switches that trust DSCP
		c.AckClass, c.AckDSCP = int(*nic.AckClass), &dscp
	}
	if m := n.wires[0].peer(n).node.setup.Model; m != nil {
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

// name records the name of a port.
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
			continue // of an external chip, where it may be created later
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
	if w.onError != nil {
		w.onError(err)
	}
}

// close stops the agents.
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

// hopID is the ID of a model's objects for a port; 0 is none.
func hopID(port int) forwarding.ID { return forwarding.ID(port) + 1 }
