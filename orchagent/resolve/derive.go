package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/bufferorch"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/l3orch"
	"xon/orchagent/pfcorch"
	"xon/orchagent/portorch"
	"xon/orchagent/qosorch"
	"xon/orchagent/switchorch"
	"xon/sai"
	"xon/schema/configdb"
)

// features are all orchestrators. What a port has is derived in this order.
var features = [...]*intent.Feature{
	&portorch.Feature,
	&portorch.HostInterfaces,
	&qosorch.Maps,
	&pfcorch.Feature,
	&qosorch.Schedulers,
	&bufferorch.Feature,
	&qosorch.WRED,
	&switchorch.Feature,
	&l3orch.Feature,
}

// fields names the row's field behind each attribute, for messages.
var fields = func() map[*sai.AttrMeta]string {
	all := map[*sai.AttrMeta]string{}
	for _, f := range features {
		for _, field := range f.Fields {
			all[field.Attr] = field.Name
		}
	}
	return all
}()

// Contested are the tables whose rows compete for something scarce, and Measured those
// whose rows are checked against limits of the chip that may change.
var (
	Contested = tablesOf(func(f *intent.Feature) []string { return f.Competes })
	Measured  = tablesOf(func(f *intent.Feature) []string { return f.Measured })
)

func tablesOf(list func(*intent.Feature) []string) map[string]bool {
	all := map[string]bool{}
	for _, f := range features {
		for _, table := range list(f) {
			all[table] = true
		}
	}
	return all
}

// Derive returns everything that a snapshot asks for. It is a function of the snapshot:
// equal rows give equal graphs, whatever happened before.
func Derive(s *intent.Snapshot) graph.Result {
	d := (&derivation{}).next(s, nil)
	n := 0
	for p := range d.parts {
		n += len(p.nodes)
	}
	r := graph.Result{Nodes: make(graph.Graph, n), Rows: make(map[graph.Key][]configdb.RowKey, n), Problems: slices.Collect(d.problems)}
	for p := range d.parts {
		for _, o := range p.nodes {
			r.Nodes[o.Key], r.Rows[o.Key] = o.Node, o.Rows
		}
	}
	slices.SortStableFunc(r.Problems, func(x, y graph.Problem) int {
		return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Err.Error(), y.Err.Error()))
	})
	return r
}

// derivation is what a snapshot comes to, in parts. It does not change: the next one
// shares the parts that depend on nothing that changed. The zero derivation is that of no
// snapshot.
type derivation struct {
	device *intent.Device
	shared [len(features)]*part // what a feature has for several ports
	index  *intent.Index
	ports  []*part        // by place in index.Views
	places map[string]int // in ports, by the port's name
	out    intent.Out     // the shared rows that are not in force
	short  intent.Shortages
}

// part is the derivation of one feature's shared objects, or of one port. It does not
// change.
type part struct {
	view     *intent.PortView // of a port
	nodes    []graph.Origin
	problems []graph.Problem
}

// find returns a node of the part, with its rows; nil if it has none of that key.
func (p *part) find(k graph.Key) *graph.Origin {
	if p == nil {
		return nil
	}
	for i := range p.nodes {
		if p.nodes[i].Key == k {
			return &p.nodes[i]
		}
	}
	return nil
}

// next is the derivation of another snapshot. changed must name every row that differs
// from the snapshot before, and those that competed for something scarce and whose
// applied version differs; it is ignored when there was no snapshot before, or one of
// another device.
func (d *derivation) next(s *intent.Snapshot, changed []configdb.RowKey) *derivation {
	n := &derivation{device: s.Device, short: s.Short}
	anew, scarcer := d.device != s.Device, !maps.Equal(d.short, s.Short)
	for i, f := range features {
		if n.shared[i] = d.shared[i]; anew || scarcer && f.Scarce || slices.ContainsFunc(changed, f.DependsOn) {
			n.shared[i] = deriveShared(f, s, d.shared[i])
		}
	}
	if n.out = d.out; n.shared != d.shared {
		n.out = outOf(n.shared[:])
	}
	if anew {
		n.index = intent.Bind(s, n.out)
	} else {
		n.index = d.index.Rebind(s, n.out, changed)
	}
	n.derivePorts(d)
	return n
}

// outOf are the rows of parts that are not in force.
func outOf(parts []*part) intent.Out {
	out := intent.Out{}
	for _, p := range parts {
		for _, problem := range p.problems {
			if problem.Severity != graph.Warned {
				out[problem.Row] = true
			}
		}
	}
	return out
}

// deriveShared derives what a feature has for several ports: before itself, if it is the same.
func deriveShared(f *intent.Feature, s *intent.Snapshot, before *part) *part {
	b := graph.NewBuilder(16)
	if f.Shared != nil {
		f.Shared(s, b)
	}
	p := &part{}
	p.nodes, p.problems = b.Take()
	if before != nil && p.equal(before) {
		return before
	}
	return p
}

// equal reports whether two parts ask for the same and have the same problems.
func (p *part) equal(o *part) bool {
	return slices.EqualFunc(p.nodes, o.nodes, func(a, b graph.Origin) bool {
		return a.Key == b.Key && slices.Equal(a.Node.Attrs, b.Node.Attrs) && slices.Equal(a.Node.Stated, b.Node.Stated) && slices.Equal(a.Rows, b.Rows)
	}) && slices.EqualFunc(p.problems, o.problems, sameProblem)
}

// nodesPerPort is what a port with all its queues and priority groups set up has: room for
// it is made at once.
const nodesPerPort = 40

// derivePorts derives the ports whose views are not those of the derivation before.
func (d *derivation) derivePorts(before *derivation) {
	views := d.index.Views
	d.ports, d.places = make([]*part, len(views)), before.places
	if !slices.EqualFunc(views, before.ports, func(v *intent.PortView, p *part) bool { return v.Name == p.view.Name }) {
		d.places = make(map[string]int, len(views))
		for i, v := range views {
			d.places[v.Name] = i
		}
	}
	b := graph.NewBuilder(nodesPerPort)
	for i, v := range views {
		if p := before.port(v.Name); p != nil && p.view == v {
			d.ports[i] = p
		} else {
			d.ports[i] = derivePort(d.device, v, b)
		}
	}
}

// derivePort derives one port. What a port's row asks for can only be warned of
// here: whether it can be in force at all was settled before.
func derivePort(dev *intent.Device, v *intent.PortView, b *graph.Builder) *part {
	for _, f := range features {
		if f.Port != nil {
			f.Port(dev, v, b)
		}
	}
	for _, l := range v.Losses {
		b.Warn(l.Row, "", fmt.Errorf("%s has no effect on %s: %s names fewer objects or comes first", l.Row, l.What, l.Winner))
	}
	p := &part{view: v}
	p.nodes, p.problems = b.Take()
	return p
}

// port returns the part of a port; nil if there is none.
func (d *derivation) port(name string) *part {
	if i, ok := d.places[name]; ok {
		return d.ports[i]
	}
	return nil
}

// parts yields all parts, shared ones first, then ports in the chip's order.
func (d *derivation) parts(yield func(*part) bool) {
	for _, p := range d.shared {
		if p != nil && !yield(p) {
			return
		}
	}
	for _, p := range d.ports {
		if !yield(p) {
			return
		}
	}
}

// problems yields what is wrong with rows, in no order.
func (d *derivation) problems(yield func(graph.Problem) bool) {
	for _, p := range d.index.Problems {
		if !yield(p) {
			return
		}
	}
	for p := range d.parts {
		for _, problem := range p.problems {
			if !yield(problem) {
				return
			}
		}
	}
}

// find returns a node with the rows that it comes from; nil if there is none.
func (d *derivation) find(k graph.Key) *graph.Origin {
	port, _, _ := strings.Cut(k.Name, "|")
	if o := d.port(port).find(k); o != nil {
		return o
	}
	for _, p := range d.shared {
		if o := p.find(k); o != nil {
			return o
		}
	}
	return nil
}

// diff calls f with each pair of parts that differ; one of them may be nil.
func (d *derivation) diff(before *derivation, f func(was, is *part)) {
	for i, p := range d.shared {
		if was := before.shared[i]; was != p {
			f(was, p)
		}
	}
	for _, p := range d.ports {
		if was := before.port(p.view.Name); was != p {
			f(was, p)
		}
	}
	for _, was := range before.ports {
		if d.port(was.view.Name) == nil {
			f(was, nil)
		}
	}
}
