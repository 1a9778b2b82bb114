package scenario

import (
	"fmt"
	"slices"
	"strings"

	"xon/sai/vsai/dataplane"
)

// scheduledFault is a fault and whether it has happened.
type scheduledFault struct {
	at, until  dataplane.Time
	place      Pos
	text       string
	came, over bool
}

// addFaults schedules all faults.
func (w *world) addFaults() error {
	for i := range w.plan.file.Faults {
		f := &w.plan.file.Faults[i]
		do, undo, text, err := w.fault(f)
		if err == nil && f.Until != nil && undo == nil {
			err = fmt.Errorf("until: this change is permanent")
		}
		if err == nil && f.Until != nil && *f.Until <= f.When {
			err = fmt.Errorf("until: must be after at")
		}
		if err != nil {
			return f.At.errorf("fault: %w", err)
		}
		h := &scheduledFault{at: dataplane.Time(f.When), place: f.At, text: text}
		w.faults = append(w.faults, h)
		w.sim.At(h.at, func() {
			h.came = true
			w.watch.faults = append(w.watch.faults, w.sim.Now())
			w.watch.note(text)
			do()
		})
		if f.Until != nil {
			h.until = dataplane.Time(*f.Until)
			w.sim.At(h.until, func() {
				h.over = true
				w.watch.note(text + " ends")
				undo()
			})
		}
	}
	return nil
}

// fault returns the functions that start and end a fault (nil: it does not end), and
// its description.
func (w *world) fault(f *Fault) (do, undo func(), text string, err error) {
	given := 0
	for _, is := range []bool{f.Storm != "", len(f.LinkDown) > 0, f.Loss != nil, f.TxOff != "", f.Route != nil, f.Set != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, nil, "", fmt.Errorf("want one of storm, link-down, loss, tx-off, route and set")
	}
	if err := f.check(); err != nil {
		return nil, nil, "", err
	}
	switch {
	case f.Storm != "":
		return w.storm(f)
	case len(f.LinkDown) > 0:
		return w.linkDown(f)
	case f.Loss != nil:
		return w.loss(f.Loss)
	case f.TxOff != "":
		return w.txOff(f.TxOff)
	case f.Route != nil:
		return w.detour(f)
	default:
		return w.change(f)
	}
}

// check reports fields that have no effect for a fault of this kind.
func (f *Fault) check() error {
	switch {
	case f.Storm == "" && (len(f.Classes) > 0 || f.Every > 0):
		return fmt.Errorf("classes, every: only for a storm")
	case len(f.LinkDown) == 0 && f.Reroute != nil:
		return fmt.Errorf("reroute: only for link-down")
	case f.Loss != nil && f.Loss.Probability == 0:
		return fmt.Errorf("loss: probability: want more than 0")
	}
	return nil
}

func (w *world) storm(f *Fault) (do, undo func(), text string, err error) {
	n := w.plan.named[f.Storm]
	if n == nil || n.host == nil {
		return nil, nil, "", fmt.Errorf("storm: there is no host %q; there are %s", f.Storm, names(w.plan.hosts))
	}
	classes := f.Classes
	if len(classes) == 0 {
		classes = []uint8{losslessClass}
	}
	var bits uint8
	for _, c := range classes {
		if c >= dataplane.Classes {
			return nil, nil, "", fmt.Errorf("storm: class %d: want 0 to %d", c, dataplane.Classes-1)
		}
		bits |= 1 << c
	}
	h := w.hosts[n]
	return func() {
		if deaf := ignoredClasses(h.Port().Peer(), bits); deaf != 0 {
			w.problem("the storm of %s (%s) has no effect on %s: %s does not react to pauses", n.name, f.At, classList(deaf), w.portName(h.Port().Peer()))
		}
		w.sim.Storm(h, bits, dataplane.Time(f.Every))
	}, func() { w.sim.Storm(h, 0, 0) }, "storm of " + n.name, nil
}

// ignoredClasses returns the classes whose pauses a port ignores.
func ignoredClasses(p *dataplane.Port, classes uint8) uint8 {
	if p == nil {
		return classes
	}
	c := p.Config()
	if c.PauseReceive && c.PFCSend|c.PFCReceive == 0 { // 802.3x, all classes
		return 0
	}
	return classes &^ c.PFCReceive
}

func classList(bits uint8) string {
	var out []string
	for c := range dataplane.Classes {
		if bits&(1<<c) != 0 {
			out = append(out, fmt.Sprint(c))
		}
	}
	return "class " + strings.Join(out, ", ")
}

// link finds the wire between two named nodes.
func (w *world) link(what string, ends []string) (*wire, error) {
	if len(ends) != 2 {
		return nil, fmt.Errorf("%s: %d names: want the two ends of a link", what, len(ends))
	}
	a, b := w.plan.named[ends[0]], w.plan.named[ends[1]]
	if a == nil || b == nil {
		return nil, fmt.Errorf("%s: %q or %q does not exist", what, ends[0], ends[1])
	}
	x := w.plan.between(a, b)
	if x == nil {
		return nil, fmt.Errorf("%s: there is no link between %s and %s", what, ends[0], ends[1])
	}
	return x, nil
}

// relink applies the state of a wire to its link.
func (w *world) relink(x *wire) {
	if err := w.sim.SetLink(w.port(x.ends[0].node, x), x.link()); err != nil {
		w.fail(x.at.errorf("%w", err))
	}
}

func (w *world) linkDown(f *Fault) (do, undo func(), text string, err error) {
	x, err := w.link("link-down", f.LinkDown)
	if err != nil {
		return nil, nil, "", err
	}
	set := func(cut bool) func() {
		return func() {
			x.cut = cut
			w.relink(x)
			if f.Reroute != nil {
				w.sim.At(w.sim.Now()+dataplane.Time(*f.Reroute), w.reroute)
			}
		}
	}
	return set(true), set(false), "the link of " + strings.Join(f.LinkDown, " and ") + " is down", nil
}

func (w *world) loss(l *Loss) (do, undo func(), text string, err error) {
	x, err := w.link("loss", l.Link)
	if err != nil {
		return nil, nil, "", err
	}
	before := x.loss
	set := func(p float64) func() {
		return func() {
			x.loss = p
			w.relink(x)
		}
	}
	return set(float64(l.Probability)), set(before), "the link of " + strings.Join(l.Link, " and ") + " loses frames", nil
}

func (w *world) txOff(at string) (do, undo func(), text string, err error) {
	port, err := w.portOf(at)
	if err != nil {
		return nil, nil, "", fmt.Errorf("tx-off: %w", err)
	}
	set := func(off bool) func() { return func() { w.sim.Block(port, off) } }
	return set(true), set(false), at + " sends nothing", nil
}

// portOf finds SWITCH/PORT, or the port of a host.
func (w *world) portOf(text string) (*dataplane.Port, error) {
	name, port, _ := strings.Cut(text, "/")
	n := w.plan.named[name]
	switch {
	case n == nil:
		return nil, fmt.Errorf("there is no %q", name)
	case n.host != nil:
		return w.hosts[n].Port(), nil
	}
	if i := slices.Index(n.ports, w.plan.portTowards(n, port)); i >= 0 && w.devices[n].ports[i] != nil {
		if n.wire(i) == nil {
			return nil, fmt.Errorf("port %s of %s has no link", port, name)
		}
		return w.devices[n].ports[i], nil
	}
	return nil, fmt.Errorf("switch %s has no port %q; it has %s", name, port, abbreviate(n.ports))
}

// detour changes a route.
func (w *world) detour(f *Fault) (do, undo func(), text string, err error) {
	trial := map[*node]map[*node][]*wire{}
	if err := w.plan.detour(trial, f.At, *f.Route); err != nil {
		return nil, nil, "", err
	}
	s, h := w.plan.named[f.Route.Switch], w.plan.named[f.Route.To]
	if d := w.devices[s]; d.tables == nil && !d.generated {
		return nil, nil, "", errRowsForward
	}
	set := func(wires []*wire) func() {
		return func() {
			if w.detours[s] == nil {
				w.detours[s] = map[*node][]*wire{}
			}
			w.detours[s][h] = wires
			w.reroute()
		}
	}
	before := w.detours[s][h]
	return set(trial[s][h]), set(before), fmt.Sprintf("%s sends packets for %s to %s", s.name, h.name, strings.Join(f.Route.Via, ", ")), nil
}

// reroute recomputes the routes of all switches.
func (w *world) reroute() {
	routes := w.plan.routes(w.detours)
	for _, n := range w.plan.switches {
		d := w.devices[n]
		if d.tables != nil {
			for _, h := range w.plan.hosts {
				if err := d.route(h, routes[n][h]); err != nil {
					w.fail(fmt.Errorf("routes of %s: %w", n.name, err))
				}
			}
			continue
		}
		if !d.generated {
			continue // its own rows define forwarding
		}
		rows := Rows{}
		for _, h := range w.plan.hosts {
			rows.reroute(n, h, routes[n][h])
		}
		if err := d.apply(w, rows); err != nil {
			w.fail(fmt.Errorf("routes of %s: %w", n.name, err))
		}
	}
}

func (w *world) change(f *Fault) (do, undo func(), text string, err error) {
	name := f.Set.Switch
	if name == "" {
		name = w.plan.switches[0].name
	}
	n := w.plan.named[name]
	switch {
	case n == nil || n.sw == nil:
		return nil, nil, "", fmt.Errorf("set: there is no switch %q; there are %s", name, names(w.plan.switches))
	case n.external:
		return nil, nil, "", fmt.Errorf("set: %s is configured by an external agent", name)
	case !n.agent():
		return nil, nil, "", fmt.Errorf("set: switch %s is a model, which has no rows", name)
	case len(f.Set.Rows) == 0:
		return nil, nil, "", fmt.Errorf("set: want rows")
	}
	if err := n.wrongRows(f.Set.Rows, f.At); err != nil {
		return nil, nil, "", err
	}
	return func() {
		for _, text := range n.rowsWithoutEffect(f.Set.Rows, n.rows) {
			w.problem("at %v: %s (%s)", w.sim.Now(), text, f.At)
		}
		if err := w.devices[n].apply(w, f.Set.Rows); err != nil {
			w.fail(f.At.errorf("set: %w", err))
			return
		}
		w.noteRefused(w.devices[n], f)
	}, nil, "rows of " + name + " are written", nil
}

// noteRefused notes rows of a change that the agent did not apply or warned about: they
// may be written again before the run ends.
func (w *world) noteRefused(d *device, f *Fault) {
	set := f.Set.Rows.each(d.node.linked())
	for _, s := range d.agent.Statuses() {
		if set.has(s.Table, s.Key) {
			w.problem("at %v: %s: %s (%s)", w.sim.Now(), d.node.name, s, f.At)
		}
	}
}
