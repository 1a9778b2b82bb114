package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xon/sai/vsai/dataplane"
)

// Event is a named point in time of a run.
type Event string

// Events.
const (
	FirstMark  Event = "first_mark"
	FirstCNP   Event = "first_cnp"
	FirstPause Event = "first_pause"
	LastPause  Event = "last_pause"
	FirstDrop  Event = "first_drop"
	Detected   Event = "detected"
	Recovered  Event = "recovered"
	Done       Event = "done"
)

// Events lists the events with descriptions.
var Events = []struct {
	Event Event
	About string
}{
	{FirstMark, "a packet is marked for the first time"},
	{FirstCNP, "a sender hears of marks for the first time"},
	{FirstPause, "a switch stops a sender for the first time"},
	{LastPause, "a switch stops a sender for the last time"},
	{FirstDrop, "a switch drops a packet for the first time"},
	{Detected, "a queue's detector finds a deadlock for the first time"},
	{Recovered, "a queue has recovered from one for the first time"},
	{Done, "all flows are complete"},
}

func eventNames() (out []string) {
	for _, e := range Events {
		out = append(out, string(e.Event))
	}
	return out
}

// Measure is a number that assertions and reports get from a run.
type Measure struct {
	Name      string
	Dimension Dimension
	About     string
	OfFlows   bool // of workloads and flows; otherwise of switches, hosts, ports and classes
	of        func(*world, selection) float64
}

// Measures lists all measures.
func Measures() []Measure { return slices.Clone(measures) }

var measures []Measure

func init() { // the functions refer to code that refers to the list
	measures = slices.Concat(portMeasures, flowMeasures)
}

func measureNames() (out []string) {
	for _, m := range measures {
		out = append(out, m.Name)
	}
	return out
}

// selection is the set of objects of a measure; the zero value selects everything.
type selection struct {
	node   *node
	port   string
	class  int // plus 1; 0: all
	reason string
	load   string
	flow   string
}

func (s *selection) flows() bool { return s.load != "" || s.flow != "" }
func (s *selection) ports() bool { return s.port != "" || s.class > 0 || s.reason != "" }

// choose adds the object that a word names to a selection.
func (w *world) choose(s *selection, word string) error {
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		if n >= dataplane.MaxQueues {
			return fmt.Errorf("class or queue %d: want 0 to %d", n, dataplane.MaxQueues-1)
		}
		s.class = int(n) + 1
		return nil
	}
	node, port, has := strings.Cut(word, "/")
	switch n := w.plan.named[node]; {
	case n != nil && n.sw != nil && has:
		s.node, s.port = n, w.plan.portTowards(n, port)
		return w.hasPort(n, s.port)
	case n != nil && !has:
		s.node = n
		return nil
	}
	if slices.ContainsFunc(w.loads, func(l *load) bool { return l.Name == word }) {
		s.load = word
		return nil
	}
	if name, _, ok := strings.Cut(word, ":"); ok && slices.ContainsFunc(w.loads, func(l *load) bool { return l.Name == name }) {
		s.flow = word
		return nil
	}
	if slices.Contains(reasonNames(), word) {
		s.reason = word
		return nil
	}
	for _, n := range w.plan.switches {
		if (s.node == nil || s.node == n) && slices.Contains(n.ports, word) {
			s.port = word
			return nil
		}
	}
	return fmt.Errorf("%q is not a switch, host, port, class, workload or reason: there are %s; %s; %s; %s", word,
		names(w.plan.switches), names(w.plan.hosts), abbreviate(loadNames(w.loads)), strings.Join(reasonNames(), ", "))
}

func (w *world) hasPort(n *node, port string) error {
	if slices.Contains(n.ports, port) {
		return nil
	}
	return fmt.Errorf("switch %s has no port %q; it has %s", n.name, port, abbreviate(n.ports))
}

func loadNames(loads []*load) (out []string) {
	for _, l := range loads {
		out = append(out, l.Name)
	}
	return out
}

// reasonNames returns the drop reasons as single words.
func reasonNames() (out []string) {
	for r := dataplane.DropLink; r <= dataplane.DropDeadlock; r++ {
		out = append(out, reasonName(r))
	}
	return out
}

// Reasons lists the drop reasons as in measures, with descriptions.
func Reasons() (out [][2]string) {
	for _, x := range []struct {
		reason dataplane.Reason
		about  string
	}{
		{dataplane.DropGroup, "its priority group is full, or has no buffer profile"},
		{dataplane.DropHeadroom, "what came after the pause did not fit into headroom, that of its group or port or that which groups share"},
		{dataplane.DropHeadroomPool, "of those: the headroom that groups share was full, though the group might have used more"},
		{dataplane.DropQueue, "its queue is full, or has no buffer profile"},
		{dataplane.DropWRED, "by chance, from a queue's minimum threshold on"},
		{dataplane.DropForward, "there is no route to its destination"},
		{dataplane.DropNeighbour, "the next hop's address is unknown"},
		{dataplane.DropVLAN, "its port is not in its VLAN"},
		{dataplane.DropFlood, "its destination is unknown, and it may not be flooded"},
		{dataplane.DropTTL, "it went by too many switches, as in a loop"},
		{dataplane.DropACL, "an ACL entry says so"},
		{dataplane.DropSize, "it is greater than the port's MTU"},
		{dataplane.DropDeadlock, "its queue recovers from a deadlock"},
	} {
		out = append(out, [2]string{reasonName(x.reason), x.about})
	}
	return out
}

func reasonName(r dataplane.Reason) string { return strings.ReplaceAll(r.String(), " ", "_") }

// takes reports whether a selection contains a port of a node.
func (s *selection) takes(n *node, port string) bool {
	return (s.node == nil || s.node == n) && (s.port == "" || s.port == port)
}

// classes returns the classes of a selection out of n.
func (s *selection) classes(n int) []int {
	if s.class > 0 {
		return []int{s.class - 1}[:min(1, max(n-s.class+1, 0))]
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// eachPort calls f for each selected port of switches.
func (w *world) eachPort(s selection, f func(d *device, p *dataplane.Port)) {
	for _, n := range w.plan.switches {
		d := w.devices[n]
		for i, p := range d.ports {
			if p != nil && i < len(n.ports) && s.takes(n, n.ports[i]) {
				f(d, p)
			}
		}
	}
}

// eachFlow calls f for each selected flow.
func (w *world) eachFlow(s selection, f func(*flow)) {
	for _, x := range w.flows {
		if (s.load == "" || x.load.Name == s.load) && (s.flow == "" || x.name == s.flow) &&
			(s.node == nil || x.pair.from == s.node || x.pair.to == s.node) {
			f(x)
		}
	}
}
