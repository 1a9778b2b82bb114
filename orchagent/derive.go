package orchagent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/bufferorch"
	"xon/orchagent/graph"
	"xon/orchagent/hostiforch"
	"xon/orchagent/intent"
	"xon/orchagent/pfcorch"
	"xon/orchagent/portorch"
	"xon/orchagent/qosmaporch"
	"xon/orchagent/schedorch"
	"xon/orchagent/wredorch"
	"xon/sai"
	"xon/schema/configdb"
)

// shared derives what several ports may use, one function for each feature. None
// sees what another derived; reads tells which rows its output depends on.
var shared = [...]struct {
	derive func(*intent.Snapshot, *graph.Builder)
	reads  func(configdb.RowKey) bool
}{
	{portorch.Shared, tables("PORT")},
	{hostiforch.Shared, tables("PORT")},
	{qosmaporch.Shared, func(k configdb.RowKey) bool { return isMap(k) || k == "PORT_QOS_MAP|global" }},
	{schedorch.Shared, tables("SCHEDULER")},
	{wredorch.Shared, tables("WRED_PROFILE")},
	{bufferorch.Shared, tables("BUFFER_POOL", "BUFFER_PROFILE", "CABLE_LENGTH", "DEVICE_METADATA")},
}

// perPort derives one port, from its view alone.
var perPort = [...]func(*intent.Device, *intent.PortView, *graph.Builder){
	portorch.Port,
	hostiforch.Port,
	qosmaporch.Port,
	pfcorch.Port,
	schedorch.Port,
	bufferorch.Port,
	wredorch.Port,
}

// fields names the row's field behind each attribute, for messages.
var fields = func() map[*sai.AttrMeta]string {
	all := map[*sai.AttrMeta]string{}
	for _, f := range []map[*sai.AttrMeta]string{
		portorch.Fields, hostiforch.Fields, qosmaporch.Fields, pfcorch.Fields,
		schedorch.Fields, bufferorch.Fields, wredorch.Fields,
	} {
		maps.Copy(all, f)
	}
	return all
}()

func tables(names ...string) func(configdb.RowKey) bool {
	return func(k configdb.RowKey) bool { return slices.Contains(names, k.Table()) }
}

func isMap(k configdb.RowKey) bool { return slices.Contains(configdb.MapTables[:], k.Table()) }

// Derive returns everything that a snapshot asks for. It is a function of the
// snapshot: equal rows give equal graphs, whatever happened before.
func Derive(s *intent.Snapshot) graph.Result {
	d := newDeriver()
	d.derive(s, nil)
	r := graph.Result{Nodes: d.nodes, Rows: make(map[graph.Key][]string, len(d.nodes)), Problems: slices.Collect(d.problems)}
	for p := range d.parts {
		maps.Copy(r.Rows, p.rows)
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
	shared [len(shared)]*part
	index  *intent.Index
	ports  map[string]*part // by name
	nodes  graph.Graph      // all of them; changed in place
	// gone remembers where nodes came from that are no longer wanted, until the
	// caller clears it: removing them can fail, and then somebody has to be told.
	gone map[graph.Key][]string
	// judged are the rows about which something may have been said that was not said
	// before, or no longer is, until the caller clears it. anyJudged says that this is
	// all rows.
	judged    map[configdb.RowKey]bool
	anyJudged bool
}

// part is the derivation of one feature's shared objects, or of one port.
type part struct {
	view     *intent.PortView // of a port
	nodes    graph.Graph
	rows     map[graph.Key][]string
	problems []graph.Problem
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
		d.nodes = make(graph.Graph, 40*len(s.Device.Ports))
	}
	for i, f := range shared {
		if anew || slices.ContainsFunc(changed, f.reads) {
			b := graph.NewBuilder(16)
			f.derive(s, b)
			d.shared[i] = d.replace(d.shared[i], finish(b))
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
	d.derivePorts(anew)
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

func (d *deriver) derivePorts(anew bool) {
	before := d.ports
	same := !anew && len(before) == len(d.index.Views)
	if !same {
		d.ports = make(map[string]*part, len(d.index.Views))
	}
	for _, v := range d.index.Views {
		p := before[v.Name]
		if p == nil || p.view != v || anew {
			p = d.replace(p, derivePort(d.device, v))
		}
		d.ports[v.Name] = p
	}
	if same {
		return
	}
	for name, p := range before {
		if d.ports[name] == nil {
			d.replace(p, &part{})
		}
	}
}

func derivePort(dev *intent.Device, v *intent.PortView) *part {
	b := graph.NewBuilder(40)
	for _, f := range perPort {
		f(dev, v, b)
	}
	for _, l := range v.Losses {
		b.Warn(string(l.Row), "", fmt.Errorf("%s has no effect on %s: %s names fewer objects or comes first", l.Row, l.What, l.Winner))
	}
	p := finish(b)
	p.view = v
	return p
}

func finish(b *graph.Builder) *part {
	r := b.Finish()
	return &part{nodes: r.Nodes, rows: r.Rows, problems: r.Problems}
}

// replace puts the nodes of one part in the place of another's.
func (d *deriver) replace(old, p *part) *part {
	d.judge(p)
	if old != nil {
		d.judge(old)
		for k := range old.nodes {
			if p.nodes[k] == nil {
				delete(d.nodes, k)
				d.gone[k] = old.rows[k]
			}
		}
	}
	maps.Copy(d.nodes, p.nodes)
	return p
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
	if p := d.ports[port]; p != nil && p.rows[k] != nil {
		return p.rows[k]
	}
	for _, p := range d.shared {
		if p.rows[k] != nil {
			return p.rows[k]
		}
	}
	return d.gone[k]
}
