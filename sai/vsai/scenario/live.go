package scenario

import (
	"context"
	"math/rand/v2"
	"slices"

	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

// outside is a chip that somebody else's agent configures.
type outside struct {
	chip *vsai.Chip
	rows Rows
}

// Live is a scenario around a chip that an agent elsewhere configures: its first
// switch is that chip. It has no end and no assertions.
type Live struct {
	Sim    *dataplane.Sim
	Device *bridge.Device
}

// lookSpan is how often, in virtual time, it is looked whether ports have come, or run
// at another rate.
const lookSpan = 50 * dataplane.Microsecond

// NewLive makes a scenario around a chip, which no agent may use yet. Rows name its
// ports and its MAC address: PORT and DEVICE_METADATA. Hosts at it are in one network,
// 10.0.0.0/8, if they have no address of their own: what is for each other goes by
// Ethernet. Their links have the rates of the chip's ports.
//
// Failed is told of the first thing that can't go on, as when there are more flows than
// mostFlows; all else does.
func NewLive(name string, text []byte, chip *vsai.Chip, rows Rows, failed func(error)) (*Live, error) {
	o := Options{outside: &outside{chip, rows}}
	f, err := Load(name, text)
	if err != nil {
		return nil, err
	}
	p, err := planned(f, &o)
	if err != nil {
		return nil, err
	}
	w, err := build(context.Background(), p, &o) // no agent of ours is waited for
	if err == nil {
		w.told = failed
		err = w.prepare(&o)
	}
	if err != nil {
		return nil, err
	}
	d := w.devices[p.switches[0]]
	w.sim.Every(lookSpan, func() bool {
		w.look(d)
		return true
	})
	return &Live{w.sim, d.bridge}, nil
}

// adopt takes the ports of somebody else's switch out of its rows.
func (n *node) adopt(x *outside) error {
	n.outside, n.setup, n.rows = true, &Setup{Rows: x.rows}, x.rows
	if !n.rows.laned() {
		n.rows = n.rows.over(strap(x.chip.Profile()))
	}
	n.namePorts()
	if mac, ok := n.rows["DEVICE_METADATA"]["localhost"]["mac"]; ok {
		return n.setMAC(mac)
	}
	return nil
}

func (w *world) addOutside(n *node, x *outside) (*device, error) {
	d := &device{node: n, chip: x.chip, ports: make([]*dataplane.Port, len(n.ports))}
	var err error
	if d.bridge, err = bridge.Attach(w.sim, x.chip, n.name); err != nil {
		return nil, err
	}
	d.sw = d.bridge.Switch()
	return d, nil
}

// look joins ports that have come, and has hosts send at the rates that ports have.
func (w *world) look(d *device) {
	for i, name := range d.node.ports {
		x, p := d.node.wire(i), d.onChip(name)
		if x == nil || p == nil {
			continue
		}
		far := w.port(x.other(d.node).node, x)
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
			w.announce(x.other(d.node).node)
		}
	}
	w.agree()
}

// announce has a host send something, so that bridges know where it is before it is
// sent to.
func (w *world) announce(n *node) {
	i := slices.Index(w.plan.hosts, n)
	if i < 0 {
		return
	}
	to := pair{n, w.plan.hosts[(i+1)%len(w.plan.hosts)]}
	l := &load{Workload: &Workload{Name: "announcement", Class: new(uint8)}, pairs: []pair{to}, dice: rand.New(rand.NewPCG(0, uint64(i)))}
	w.start(l, to, 1, 0)
}
