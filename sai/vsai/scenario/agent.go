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

// Programmer configures virtual chips from rows, as an agent does on a switch.
type Programmer interface {
	// Read parses a config_db.json.
	Read(path string) (Rows, error)
	// Profile returns the chip profile for DEVICE_METADATA's platform and hwsku.
	Profile(platform, hwsku string) *vsai.Profile
	// Chip creates a chip with the ports of the PORT rows, and the rules of the SKU.
	Chip(profile *vsai.Profile, rows Rows) (*vsai.Chip, error)
	// Start starts an agent for the chip. It returns when the chip has all rows that
	// can be applied. Config is the file of the rows, "" for none.
	Start(ctx context.Context, chip *vsai.Chip, rows Rows, config string) (Program, error)
}

// Program is a running agent.
type Program interface {
	// Apply changes rows. It returns when the chip has all rows that can be applied. A
	// nil row is removed; other rows are complete.
	Apply(ctx context.Context, rows Rows) error
	// Statuses lists rows with a status other than applied, sorted by key; a row may
	// have several warnings.
	Statuses() []RowStatus
	// LeftOut lists the parts of the switch's file that could not be parsed as rows.
	LeftOut() []string
	// Warnings lists warnings about the switch as a whole.
	Warnings() []string
	// Close stops the agent. The chip keeps running.
	Close() error
}

// errRowsForward is the error for routes that would have no effect.
var errRowsForward = errors.New("routes: its rows define forwarding (INTERFACE, VLAN_MEMBER, STATIC_ROUTE); give the route as a row")

// addChip adds a switch with a chip and an agent.
func (w *world) addChip(n *node, o *Options, to nextHops) (*device, error) {
	d := &device{node: n, ports: make([]*dataplane.Port, len(n.ports))}
	n.fit()
	switch {
	case !n.rows.forwards():
		d.generated = true
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

// find finds the ports on the chip by their lanes.
func (d *device) find(w *world) error {
	for i, name := range d.node.ports {
		switch d.ports[i] = d.onChip(name); {
		case d.ports[i] != nil:
			w.name(d.ports[i], d.node, name)
		case d.node.wire(i) != nil:
			return fmt.Errorf("port %s has a link, but does not exist on the chip", name)
		}
	}
	return nil
}

// onChip finds a port on the chip; nil if it does not exist.
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

// config returns the file of a switch's rows.
func (n *node) config(o *Options) string {
	if n.setup.Config == "" {
		return ""
	}
	return o.path(n.setup.Config)
}

// apply changes rows of a switch while the simulation runs.
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
	d.node.rows, d.node.overrides = next, rows.over(d.node.overrides)
	if err := d.bridge.Sync(); err != nil {
		return err
	}
	w.matchFlowControl()
	return nil
}
