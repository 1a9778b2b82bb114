package scenario

import (
	"context"
	"math/rand/v2"
	"slices"

	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

// externalChip is a chip that an agent outside the scenario configures.
type externalChip struct {
	chip *vsai.Chip
	rows Rows
}

// Live is a scenario around a chip that an external agent configures: its first switch
// is that chip. It has no end and no assertions.
type Live struct {
	Sim    *dataplane.Sim
	Device *bridge.Device
}

// pollInterval is the virtual time between checks for new ports and changed rates.
const pollInterval = 50 * dataplane.Microsecond

// NewLive makes a scenario around a chip, which no agent may use yet. Rows contain its
// ports and MAC address: PORT and DEVICE_METADATA. Hosts without addresses of their own
// are in one network, 10.0.0.0/8, and reach each other by Ethernet. Their links have
// the rates of the chip's ports.
//
// failed is called with the first error after which something stops, such as more flows
// than maxFlows; the rest continues.
func NewLive(name string, text []byte, chip *vsai.Chip, rows Rows, failed func(error)) (*Live, error) {
	o := Options{external: &externalChip{chip, rows}}
	f, err := Load(name, text)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(f, &o)
	if err != nil {
		return nil, err
	}
	w, err := build(context.Background(), p, &o) // no agent of the scenario to wait for
	if err == nil {
		w.onError = failed
		err = w.prepare(&o)
	}
	if err != nil {
		return nil, err
	}
	d := w.devices[p.switches[0]]
	w.sim.Every(pollInterval, func() bool {
		w.updatePorts(d)
		return true
	})
	return &Live{w.sim, d.bridge}, nil
}

// adopt takes the ports of an external switch from its rows.
func (n *node) adopt(x *externalChip) error {
	n.external, n.setup, n.rows = true, &Setup{Rows: x.rows}, x.rows
	if !n.rows.hasPorts() {
		n.rows = n.rows.over(layoutRows(x.chip.Profile()))
	}
	n.namePorts()
	if mac, ok := n.rows["DEVICE_METADATA"]["localhost"]["mac"]; ok {
		return n.setMAC(mac)
	}
	return nil
}

func (w *world) addOutside(n *node, x *externalChip) (*device, error) {
	d := &device{node: n, chip: x.chip, ports: make([]*dataplane.Port, len(n.ports))}
	var err error
	if d.bridge, err = bridge.Attach(w.sim, x.chip, n.name); err != nil {
		return nil, err
	}
	d.sw = d.bridge.Switch()
	return d, nil
}

// updatePorts connects new ports, and adapts hosts to the rates of ports.
func (w *world) updatePorts(d *device) {
	for i, name := range d.node.ports {
		x, p := d.node.wire(i), d.onChip(name)
		if x == nil || p == nil {
			continue
		}
		far := w.port(x.peer(d.node).node, x)
		if c := far.Config(); c.Rate != p.Config().Rate {
			c.Rate = p.Config().Rate
			w.sim.SetPort(far, c)
		}
		if p.Peer() == nil && far.Peer() == nil {
			d.ports[i] = p
			w.name(p, d.node, name)
			if err := w.sim.Connect(p, far, x.link()); err != nil {
				w.fail(err)
			}
			w.announce(x.peer(d.node).node)
		}
	}
	w.matchFlowControl()
}

// announce makes a host send a packet, so that bridges learn its address.
func (w *world) announce(n *node) {
	i := slices.Index(w.plan.hosts, n)
	if i < 0 {
		return
	}
	to := pair{n, w.plan.hosts[(i+1)%len(w.plan.hosts)]}
	l := &load{Workload: &Workload{Name: "announcement", Class: new(uint8)}, pairs: []pair{to}, rng: rand.New(rand.NewPCG(0, uint64(i)))}
	w.start(l, to, 1, 0)
}
