package orchagent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/bufferorch"
	"xon/orchagent/fwdorch"
	"xon/orchagent/graph"
	"xon/orchagent/hostiforch"
	"xon/orchagent/intent"
	"xon/orchagent/lborch"
	"xon/orchagent/pfcorch"
	"xon/orchagent/portorch"
	"xon/orchagent/qosmaporch"
	"xon/orchagent/schedorch"
	"xon/orchagent/wredorch"
	"xon/sai"
	"xon/schema/configdb"
)

// features are all orchestrators. A port's attributes are derived in this order.
var features = [...]*intent.Feature{
	&portorch.Feature,
	&hostiforch.Feature,
	&qosmaporch.Feature,
	&pfcorch.Feature,
	&schedorch.Feature,
	&bufferorch.Feature,
	&wredorch.Feature,
	&lborch.Feature,
	&fwdorch.Feature,
}

// fields names the row's field behind each attribute, for messages.
var fields = func() map[*sai.AttrMeta]string {
	all := map[*sai.AttrMeta]string{}
	for _, f := range features {
		maps.Copy(all, f.Fields)
	}
	return all
}()

// contested are the tables whose rows compete for something scarce, and measured those
// whose rows are compared with limits of the chip that may change.
var (
	contested = tablesOf(func(f *intent.Feature) []string { return f.Competes })
	measured  = tablesOf(func(f *intent.Feature) []string { return f.Measured })
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

// Derive returns everything that a snapshot asks for. It is a function of the
// snapshot: equal rows give equal graphs, whatever happened before.
func Derive(s *intent.Snapshot) graph.Result {
	d := newDeriver()
	d.derive(s, nil)
	r := graph.Result{Nodes: d.nodes, Rows: make(map[graph.Key][]string, len(d.nodes)), Problems: slices.Collect(d.problems)}
	for p := range d.parts {
		for _, o := range p.origins {
			r.Rows[o.Key] = o.Rows
		}
	}
	slices.SortStableFunc(r.Problems, func(x, y graph.Problem) int {
		return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Err.Error(), y.Err.Error()))
	})
	return r
}

// deriver derives snapshot after snapshot and works out anew only what depends on
// a row that changed. What it returns equals what Derive does.
type deriver struct {
	device *intent.Device
	shared [len(features)]*part
	index  *intent.Index
	ports  map[string]*part // by name
	nodes  graph.Graph      // all of them; changed in place
	// gone remembers where nodes came from that are no longer wanted, until the
	// caller clears it: removing them can fail, and then somebody has to be told.
	gone map[graph.Key][]string
	// touched are the nodes that were derived anew or went, until the caller clears it;
	// anyTouched says that this may be all nodes.
	touched    []graph.Key
	anyTouched bool
	// unreported are the same, until reportAsked clears it.
	unreported nodeSet
	// judged are the rows about which something may have been said that was not said
	// before, or no longer is, until the caller clears it. anyJudged says that this is
	// all rows.
	judged    map[configdb.RowKey]bool
	anyJudged bool
}

// nodeSet is some nodes, or all.
type nodeSet struct {
	keys []graph.Key
	all  bool
}

// part is the derivation of one feature's shared objects, or of one port.
type part struct {
	view     *intent.PortView // of a port
	origins  []graph.Origin
	problems []graph.Problem
}

// rows returns the rows that a node of the part comes from, or nil.
func (p *part) rows(k graph.Key) []string {
	for _, o := range p.origins {
		if o.Key == k {
			return o.Rows
		}
	}
	return nil
}

func newDeriver() *deriver {
	return &deriver{ports: map[string]*part{}, nodes: graph.Graph{}, gone: map[graph.Key][]string{}, judged: map[configdb.RowKey]bool{}}
}

// derive makes nodes and problems those of s. changed must name every row that
// differs from the snapshot before, and those that competed for something scarce
// and whose accepted version differs; it is ignored when there was no snapshot
// before, or one of another device.
func (d *deriver) derive(s *intent.Snapshot, changed []configdb.RowKey) {
	anew := d.device != s.Device
	d.device = s.Device
	if anew {
		d.forget()
		d.anyTouched, d.unreported.all = true, true
	}
	for i, f := range features {
		if anew || slices.ContainsFunc(changed, f.DependsOn) {
			d.shared[i] = d.replace(d.shared[i], func() *part { return d.deriveShared(f, s) })
		}
	}
	out := d.out()
	if anew {
		d.index = intent.Bind(s, out)
	} else {
		d.index = d.index.Rebind(s, out, changed)
	}
	maps.Copy(d.judged, d.index.Rebound)
	d.anyJudged = d.anyJudged || d.index.Rebound == nil
	d.derivePorts()
}

// nodesPerPort is what a port with all its queues and priority groups set up has, with
// its share of the rest: room for it is made at once.
const nodesPerPort = 40

// forget starts over, for another device.
func (d *deriver) forget() {
	for _, p := range d.shared {
		d.remove(p)
	}
	for _, p := range d.ports {
		d.remove(p)
	}
	d.shared, d.ports = [len(features)]*part{}, map[string]*part{}
	d.nodes = make(graph.Graph, nodesPerPort*len(d.device.Ports))
}

// out are the shared rows that are not in force.
func (d *deriver) out() intent.Out {
	out := intent.Out{}
	for _, p := range d.shared {
		for _, problem := range p.problems {
			if problem.Severity != graph.Warned {
				out[configdb.RowKey(problem.Row)] = true
			}
		}
	}
	return out
}

func (d *deriver) deriveShared(f *intent.Feature, s *intent.Snapshot) *part {
	b := graph.NewBuilder(16)
	if f.Shared != nil {
		f.Shared(s, b)
	}
	r := b.Finish()
	p := &part{problems: r.Problems, origins: make([]graph.Origin, 0, len(r.Rows))}
	for k, rows := range r.Rows {
		p.origins = append(p.origins, graph.Origin{Key: k, Rows: rows})
	}
	maps.Copy(d.nodes, r.Nodes)
	return p
}

// derivePorts derives the ports whose views are not those of before.
func (d *deriver) derivePorts() {
	before := d.ports
	if len(before) != len(d.index.Views) {
		d.ports = make(map[string]*part, len(d.index.Views))
	}
	b := graph.Extend(d.nodes)
	for _, v := range d.index.Views {
		p := before[v.Name]
		if p == nil || p.view != v {
			p = d.replace(p, func() *part { return d.derivePort(v, b) })
		}
		d.ports[v.Name] = p
	}
	for name, p := range before {
		if d.ports[name] == nil {
			d.remove(p)
		}
	}
}

// derivePort derives one port. What a port's row asks for can only be warned of
// here: whether it can be in force at all was settled before.
func (d *deriver) derivePort(v *intent.PortView, b *graph.Builder) *part {
	for _, f := range features {
		if f.Port != nil {
			f.Port(d.device, v, b)
		}
	}
	for _, l := range v.Losses {
		b.Warn(string(l.Row), "", fmt.Errorf("%s has no effect on %s: %s names fewer objects or comes first", l.Row, l.What, l.Winner))
	}
	p := &part{view: v}
	p.origins, p.problems = b.Take()
	return p
}

// replace puts what derive makes in the place of an old part.
func (d *deriver) replace(old *part, derive func() *part) *part {
	d.remove(old)
	p := derive()
	d.judge(p)
	for _, o := range p.origins {
		delete(d.gone, o.Key)
	}
	d.touch(p)
	return p
}

// remove takes the nodes of a part away.
func (d *deriver) remove(p *part) {
	if p == nil {
		return
	}
	d.judge(p)
	for _, o := range p.origins {
		delete(d.nodes, o.Key)
		d.gone[o.Key] = o.Rows
	}
	d.touch(p)
}

// touch takes note that the nodes of a part may not be what they were.
func (d *deriver) touch(p *part) {
	d.unreported.add(p, len(d.nodes))
	if d.anyTouched || len(d.touched) > len(d.nodes) { // then looking at all is cheaper
		d.touched, d.anyTouched = nil, true
		return
	}
	for _, o := range p.origins {
		d.touched = append(d.touched, o.Key)
	}
}

// add adds the nodes of a part. Beyond as many as there are, all is cheaper.
func (s *nodeSet) add(p *part, most int) {
	if s.all || len(s.keys) > most {
		s.keys, s.all = nil, true
		return
	}
	for _, o := range p.origins {
		s.keys = append(s.keys, o.Key)
	}
}

// touches returns the nodes to compare, nil for all, and begins anew.
func (d *deriver) touches() []graph.Key {
	keys := append([]graph.Key{}, d.touched...)
	if d.anyTouched {
		keys = nil
	}
	d.touched, d.anyTouched = d.touched[:0], false
	return keys
}

func (d *deriver) judge(p *part) {
	for _, problem := range p.problems {
		d.judged[configdb.RowKey(problem.Row)] = true
	}
}

// parts yields all parts, shared ones first, then ports in the chip's order.
func (d *deriver) parts(yield func(*part) bool) {
	for _, p := range d.shared {
		if !yield(p) {
			return
		}
	}
	for _, v := range d.index.Views {
		if !yield(d.ports[v.Name]) {
			return
		}
	}
}

// problems yields what is wrong with rows, in no order.
func (d *deriver) problems(yield func(graph.Problem) bool) {
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

// rows returns the rows that a node comes from, or came from if it is gone.
func (d *deriver) rows(k graph.Key) []string {
	port, _, _ := strings.Cut(k.Name, "|")
	if p := d.ports[port]; p != nil {
		if rows := p.rows(k); rows != nil {
			return rows
		}
	}
	for _, p := range d.shared {
		if rows := p.rows(k); rows != nil {
			return rows
		}
	}
	if rows := d.gone[k]; rows != nil || !k.First() || k.Spare() || strings.HasPrefix(k.Name, "~") {
		return rows
	}
	return []string{"PORT|" + k.Name} // that a port stays is no row's doing, that it goes is
}
