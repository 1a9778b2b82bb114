package scenario

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

// Programmer configures virtual chips by rows, as an agent does on a switch.
type Programmer interface {
	// Read reads a config_db.json.
	Read(path string) (Rows, error)
	// Profile is the chip class of a switch by DEVICE_METADATA's platform and hwsku.
	Profile(platform, hwsku string) *vsai.Profile
	// Chip makes a chip with the ports of PORT rows, and the rules of the SKU.
	Chip(profile *vsai.Profile, rows Rows) (*vsai.Chip, error)
	// Start brings up an agent for the chip, which has followed all rows as far as it
	// can when it returns. Config is the file that they were read from, "" for none.
	Start(ctx context.Context, chip *vsai.Chip, rows Rows, config string) (Program, error)
}

// Program is an agent at work.
type Program interface {
	// Apply changes rows, and returns when the chip has followed as far as it can. A row
	// that is nil is removed; the fields of others are all of the row.
	Apply(ctx context.Context, rows Rows) error
	// Statuses lists rows that are not simply applied, in the order of their keys; a row
	// may have several warnings.
	Statuses() []RowStatus
	// LeftOut lists what of the switch's file was refused before it was a row.
	LeftOut() []string
	// Warnings lists what is to be said of the switch as a whole.
	Warnings() []string
	// Close ends the agent. The chip goes on.
	Close() error
}

// errRowsForward is of routes that would have no effect.
var errRowsForward = errors.New("routes: its rows say where packets go (INTERFACE, VLAN_MEMBER, STATIC_ROUTE); give the route as a row")

// addChip makes a switch of a chip and an agent.
func (w *world) addChip(n *node, o *Options, to hops) (*device, error) {
	d := &device{node: n, ports: make([]*dataplane.Port, len(n.ports))}
	n.fit()
	switch {
	case !n.rows.forwards():
		d.made = true
		n.rows = w.plan.forwardRows(n, to).over(n.rows)
	case len(n.sw.Routes) > 0:
		return nil, errRowsForward
	default:
		n.rows = w.learn(n).over(n.rows)
	}
	profile, err := n.profile(o)
	if err != nil {
		return nil, err
	}
	if d.chip, err = o.Programmer.Chip(profile, n.rows); err != nil {
		return nil, err
	}
	if d.bridge, err = bridge.Attach(w.sim, d.chip, n.name); err != nil {
		return nil, err
	}
	d.sw = d.bridge.Switch()
	if d.agent, err = o.Programmer.Start(w.ctx, d.chip, n.rows, n.config(o)); err != nil {
		return nil, err
	}
	if err := d.bridge.Sync(); err != nil {
		return d, err
	}
	return d, d.find(w)
}

// find finds the ports on the chip, by their lanes.
func (d *device) find(w *world) error {
	for i, name := range d.node.ports {
		switch d.ports[i] = d.onChip(name); {
		case d.ports[i] != nil:
			w.name(d.ports[i], d.node, name)
		case d.node.wire(i) != nil:
			return fmt.Errorf("port %s has a link, but the chip does not have it", name)
		}
	}
	return nil
}

// onChip finds a port on the chip; nil if it is not there.
func (d *device) onChip(name string) *dataplane.Port {
	var lanes []uint32
	for text := range strings.SplitSeq(d.node.rows["PORT"][name]["lanes"], ",") {
		lane, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
		if err != nil {
			return nil
		}
		lanes = append(lanes, uint32(lane))
	}
	return d.bridge.PortByLanes(lanes)
}

// config is the file that a switch's rows were read from.
func (n *node) config(o *Options) string {
	if n.setup.Config == "" {
		return ""
	}
	return o.path(n.setup.Config)
}

// apply changes rows of a switch while packets move.
func (d *device) apply(w *world, rows Rows) error {
	rows = rows.each(d.node.linked())
	next := rows.over(d.node.rows)
	changed := Rows{}
	for table, keys := range rows {
		for key := range keys {
			if changed[table] == nil {
				changed[table] = map[string]map[string]string{}
			}
			changed[table][key] = next[table][key]
		}
	}
	if err := d.agent.Apply(w.ctx, changed); err != nil {
		return err
	}
	d.node.rows, d.node.own = next, rows.over(d.node.own)
	if err := d.bridge.Sync(); err != nil {
		return err
	}
	w.agree()
	return nil
}
