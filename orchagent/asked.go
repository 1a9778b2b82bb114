package orchagent

import (
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/resolve"
	"xon/sai"
)

// asked keeps what was reported of attributes that rows ask for and that no call is made
// for, because the chip has them so: readers of ASIC_DB expect what a row says. That
// depends on rows and chip alone, and not on what was set before.
type asked struct {
	of       *resolve.Resolution // that was reported last; nil: none
	reported map[graph.Key]statement
	open     map[graph.Key]bool // of nodes that are not yet as they are asked for
}

// statement is what was reported of one node.
type statement struct {
	id    sai.OID
	attrs []graph.Attr
}

// reportAsked returns, of nodes that may not be what they were at the last report, the
// attributes that ASIC_DB shows although they may never have been written: empty for nodes
// that have none any more. full returns those of all nodes.
func (a *Agent) reportAsked(full bool) map[graph.Key][]graph.Attr {
	if full || a.asked.reported == nil {
		a.asked = asked{reported: map[graph.Key]statement{}, open: map[graph.Key]bool{}}
	}
	out := map[graph.Key][]graph.Attr{}
	for _, k := range a.cur.NodeKeysDiff(a.asked.of) {
		a.reportNode(k, out)
	}
	for k := range a.asked.open {
		a.reportNode(k, out)
	}
	a.asked.of = a.cur
	return out
}

// reportNode adds one node to out if what is to be said of it is not what was.
func (a *Agent) reportNode(k graph.Key, out map[graph.Key][]graph.Attr) {
	now, complete := a.stated(k)
	if a.asked.open[k] = !complete; complete {
		delete(a.asked.open, k)
	}
	was := a.asked.reported[k]
	if was.id == now.id && slices.Equal(was.attrs, now.attrs) {
		return
	}
	out[k] = now.attrs
	if a.asked.reported[k] = now; len(now.attrs) == 0 {
		delete(a.asked.reported, k)
	}
}

// stated returns the attributes of a node that equal their default, and those of a part of
// the chip's own that have none, as far as the chip has them so. complete is false if it
// may have more of them later, without a change of the node.
func (a *Agent) stated(k graph.Key) (s statement, complete bool) {
	want := a.desired.nodes[k]
	if want == nil {
		return statement{}, true
	}
	have := a.rec.Node(k)
	id, there := a.rec.Handle(k)
	if s.id = id; !there || !k.Adopted() && have == nil {
		return statement{}, len(want.Stated) == 0
	}
	complete = true
	add := func(attr graph.Attr) {
		now, _ := graph.Default(attr.AttrMeta)
		if have != nil {
			now = have.Attr(attr.AttrMeta)
		}
		if now == attr.Value {
			s.attrs = append(s.attrs, attr)
		} else {
			complete = false
		}
	}
	for _, attr := range want.Stated {
		add(attr)
	}
	for _, attr := range want.Attrs {
		if _, hasDefault := graph.Default(attr.AttrMeta); !hasDefault && k.Adopted() {
			add(attr)
		}
	}
	return s, complete
}
