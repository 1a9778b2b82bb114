package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"xon/sai/vsai/dataplane"
)

// findings are reported before the numbers of a run. Problems are parts of the scenario
// that did not happen, or not as written; notes look wrong or unintended, and change
// nothing.
type findings struct{ problems, notes []string }

func (f *findings) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

func (f *findings) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// RowState is the status of a row that is not simply applied.
type RowState uint8

// States of rows.
const (
	RowRefused RowState = iota // the agent or the chip rejects it
	RowWaiting                 // it needs something that does not exist
	RowIgnored                 // the agent does not know the table
	RowWarned                  // applied, but it looks wrong or has no effect
)

// RowStatus is the status of a row of a switch.
type RowStatus struct {
	Table, Key string
	State      RowState
	Reason     string // of a waiting row: what it waits for
}

func (s RowStatus) String() string {
	row := s.Table + "|" + s.Key
	switch s.State {
	case RowRefused:
		return row + " is rejected: " + s.Reason
	case RowWaiting:
		return row + " waits for " + s.Reason
	case RowIgnored:
		return row + " has no effect: xon does not know the table " + s.Table
	default:
		return row + ": " + s.Reason
	}
}

// has reports whether a row exists.
func (r Rows) has(table, key string) bool {
	_, ok := r[table][key]
	return ok
}

// collectStatus records the status of a switch's rows. A row that is not applied is a
// problem, whatever its source; so is a row of the scenario that has no effect or looks
// wrong.
func (w *world) collectStatus(r *Result, d *device) {
	n := d.node
	for _, text := range d.agent.LeftOut() {
		r.Unmet = append(r.Unmet, n.name+": rejected and left out: "+text)
		w.problem("not applied: %s: rejected and left out: %s", n.name, text)
	}
	for _, text := range d.agent.Warnings() {
		w.note("%s: %s", n.name, text)
	}
	ignored := map[string]bool{}
	for _, s := range d.agent.Statuses() {
		text := n.name + ": " + s.String()
		mine := n.overrides.has(s.Table, s.Key)
		switch {
		case s.State == RowRefused || s.State == RowWaiting:
			r.Unmet = append(r.Unmet, text)
			w.problem("not applied: %s", text)
		case mine:
			w.problem("%s", text)
		case s.State == RowIgnored:
			ignored[s.Table] = true
		default:
			r.Warnings = append(r.Warnings, text)
		}
	}
	if len(ignored) > 0 { // users must not believe that PFC_WD guards the ports
		r.Warnings = append(r.Warnings, n.name+": no effect, because xon does not know these tables: "+strings.Join(slices.Sorted(maps.Keys(ignored)), ", "))
	}
}

// checkFlowControl finds ports whose flow control does not fit the traffic: a class
// that is paused without headroom loses packets, and so does one that is not paused.
func (w *world) checkFlowControl() {
	for _, n := range w.plan.switches {
		d := w.devices[n]
		for i, x := range n.wires {
			if x == nil || d.ports[i] == nil || n.external {
				continue
			}
			for _, c := range w.classes() {
				w.uncommonClass(d, d.ports[i], c)
			}
			if x.peer(n).node.host != nil {
				w.checkIngress(d, d.ports[i], x.peer(n).node)
			}
		}
	}
}

func (w *world) uncommonClass(d *device, p *dataplane.Port, class uint8) {
	cfg := p.Config()
	switch {
	case cfg.Down:
		return // reported elsewhere
	case d.agent == nil: // a model's classes are as written
	case cfg.PauseSend && cfg.PFCSend|cfg.PFCReceive == 0: // all classes with headroom
	case cfg.PFCSend&(1<<class) == 0 && w.lossless(class):
		w.note("%s does not request pauses for class %d: packets may be lost", w.portName(p), class)
	case cfg.PFCSend&(1<<class) != 0 && d.sw.HeadroomLimit(p.Index(), int(d.group(p, class))) == 0:
		w.problem("%s requests pauses for class %d without headroom: packets may be lost", w.portName(p), class)
	}
}

// sent is traffic of a workload that a host sends.
type sent struct {
	what        string // "packets" or "acknowledgements"
	load        *load
	class, dscp uint8
}

// sentBy returns the traffic of a host: packets of its flows, and acknowledgements of
// flows to it.
func (w *world) sentBy(from *node) (out []sent) {
	for _, l := range w.loads {
		if slices.ContainsFunc(l.pairs, func(x pair) bool { return x.from == from }) {
			out = append(out, sent{"packets", l, l.class(), l.dscp})
		}
		if slices.ContainsFunc(l.pairs, func(x pair) bool { return x.to == from }) {
			a := sent{"acknowledgements", l, l.class(), l.dscp}
			if c := w.hosts[from].Config(); c.AckClass >= 0 {
				a.class, a.dscp = uint8(c.AckClass), *c.AckDSCP
			}
			out = append(out, a)
		}
	}
	return out
}

// checkIngress notes a port whose maps change the class of a host's traffic, and one
// without buffer for it: it drops everything.
func (w *world) checkIngress(d *device, p *dataplane.Port, from *node) {
	bare := map[*load]uint8{} // groups already noted: the number plus one
	for _, s := range w.sentBy(from) {
		tc, g := classified(p.Config().Maps, s)
		stops := p.Config().PFCSend&(1<<s.class) != 0
		text := fmt.Sprintf("%s of workload %s, of class %d with DSCP %d, are of class %d and in priority group %d at %s, by its maps", s.what, s.load.Name, s.class, s.dscp, tc, g, w.portName(p))
		switch {
		case stops && d.group(p, s.class) != g:
			w.note("%s: the group does not pause class %d; packets may be lost", text, s.class)
		case !stops && tc != s.class:
			w.note("%s", text)
		}
		if d.sw.GroupConfig(p.Index(), int(g)).Pool < 0 && bare[s.load] != g+1 {
			bare[s.load] = g + 1
			w.note("%s has no buffer profile for priority group %d, which %s of workload %s use: all are dropped", w.portName(p), g, s.what, s.load.Name)
		}
	}
}

// classified returns the traffic class and priority group that a port's maps give a
// host's traffic.
func classified(m *dataplane.Maps, s sent) (tc, group uint8) {
	if m == nil {
		m = dataplane.DefaultMaps()
	}
	tc = m.PCPToTC[s.class]
	if m.TrustDSCP {
		tc = m.DSCPToTC[s.dscp]
	}
	return tc, m.TCToGroup[tc]
}

// lossless reports whether a class should lose nothing: it is lossless at some port, or
// it is that of a workload without a class.
func (w *world) lossless(class uint8) bool {
	for _, l := range w.loads {
		if l.Class == nil && class == losslessClass {
			return true
		}
	}
	for _, n := range w.plan.switches {
		for i, x := range n.wires {
			if p := w.devices[n].ports[i]; x != nil && p != nil && p.Config().PFCSend&(1<<class) != 0 {
				return true
			}
		}
	}
	return false
}

// group returns the priority group that stops a class at a port.
func (d *device) group(p *dataplane.Port, class uint8) uint8 {
	if m := p.Config().Maps; m != nil {
		return m.ClassToGroup[class]
	}
	return class
}

// classes returns the classes of the workloads, in order.
func (w *world) classes() (out []uint8) {
	for _, l := range w.loads {
		if !slices.Contains(out, l.class()) {
			out = append(out, l.class())
		}
	}
	slices.Sort(out)
	return out
}

// checkIdleHosts finds hosts that neither send nor receive.
func (w *world) checkIdleHosts() {
	busy := map[*node]bool{}
	for _, l := range w.loads {
		for _, x := range l.pairs {
			busy[x.from], busy[x.to] = true, true
		}
	}
	for i := range w.plan.file.Faults {
		busy[w.plan.named[w.plan.file.Faults[i].Storm]] = true
	}
	idle := slices.DeleteFunc(slices.Clone(w.plan.hosts), func(n *node) bool { return busy[n] })
	if len(idle) > 0 {
		w.note("hosts without flows: %s", names(idle))
	}
}

// checkMinRates finds workloads whose minimum rate is not below that of a sender's
// link: marks cannot slow them down.
func (w *world) checkMinRates() {
	for _, l := range w.loads {
		if l.DCQCN == nil || l.DCQCN.MinRate == nil {
			continue
		}
		for _, x := range l.pairs {
			if rate := x.from.wires[0].rate; uint64(*l.DCQCN.MinRate) >= rate {
				w.problem("workload %s: dcqcn: least %s: %s has %s, which marks cannot lower (%s)", l.Name, Rate.Format(float64(*l.DCQCN.MinRate)), x.from.name, Rate.Format(float64(rate)), l.At)
			}
		}
	}
}

// checkOccurred finds faults and workloads that did not happen.
func (w *world) checkOccurred() {
	end := dataplane.Time(w.plan.file.Duration)
	for _, l := range w.loads {
		last := dataplane.Time(l.Start)
		if n := dataplane.Time(l.Times); n > 1 { // capped one run after the end, to avoid an overflow
			last += dataplane.Time(l.Every) * min(n-1, end/dataplane.Time(l.Every)+1)
		}
		switch {
		case l.runs == 0 || dataplane.Time(l.Start) >= end:
			w.problem("workload %s never began: it starts at %v, the run ends at %v (%s)", l.Name, dataplane.Time(l.Start), end, l.At)
		case l.Stop > 0 && last >= dataplane.Time(l.Stop):
			w.problem("workload %s did not begin %d times: it stops at %v (%s)", l.Name, l.Times, dataplane.Time(l.Stop), l.At)
		case last >= end:
			w.problem("workload %s did not begin %d times: the run ends at %v (%s)", l.Name, l.Times, end, l.At)
		}
	}
	for _, f := range w.faults {
		why := "all flows were done earlier; with whole: true a run continues to its duration"
		if f.at >= end {
			why = "the run ends at " + end.String()
		}
		switch {
		case !f.came || f.at >= end:
			w.problem("the fault at %v never happened: %s (%s): %s", f.at, f.text, f.place, why)
		case f.until > 0 && !f.over:
			w.note("the fault at %v ends at %v, after the end of the run: %s (%s)", f.at, f.until, f.text, f.place)
		}
	}
}

// numbered matches what differs between similar lines: names with numbers.
var numbered = regexp.MustCompile(`[A-Za-z]+\d+(/\d+)*`)

// grouped merges lines that differ only in names with numbers, such as ports: the first
// one, and the number of others.
func grouped(lines []string) []string {
	var order []string
	of := map[string][]string{}
	for _, l := range lines {
		key := numbered.ReplaceAllString(l, "#")
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], l)
	}
	out := make([]string, 0, len(order))
	for _, key := range order {
		all := of[key]
		line := all[0]
		switch n := len(all); {
		case n > 1 && all[0] == all[n-1]:
			line += fmt.Sprintf(" (%d times)", n)
		case n > 1:
			line += fmt.Sprintf(" (and %d similar, to %s)", n-1, differs(all[0], all[n-1]))
		}
		out = append(out, line)
	}
	return out
}

// differs returns the first name of a line that another line does not have at its
// position.
func differs(other, line string) string {
	a, b := numbered.FindAllString(other, -1), numbered.FindAllString(line, -1)
	for i := range b {
		if a[i] != b[i] {
			return b[i]
		}
	}
	return ""
}
