// Package graph models the state of a switch as symbolic SAI objects: what the
// configuration wants and what the switch has, in the same form.
//
// Objects are named, never numbered: a reference is the Key of another object,
// not its handle. That makes graphs comparable, printable, and valid across
// restarts. Package reconcile turns names into handles at the last moment.
package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xon/sai"
	"xon/sai/meta"
)

// Facet names one orchestrator's share of the attributes of an object that the
// switch itself made. An object that the agent creates has the empty facet.
type Facet string

// Key identifies a node. Name is the object's natural name: the row's key, with
// its table where several tables make objects of one type ("DSCP_TO_TC_MAP|AZURE"),
// or the port and index of an adopted object ("Ethernet0|3").
type Key struct {
	Type  sai.ObjectType
	Name  string
	Facet Facet
}

// Object returns the key of the whole object, which is what handles belong to.
func (k Key) Object() Key { k.Facet = ""; return k }

// String implements fmt.Stringer: "QUEUE Ethernet0|3", "PORT Ethernet0#pfc".
func (k Key) String() string {
	s := k.Type.String() + " " + k.Name
	if k.Facet != "" {
		s += "#" + string(k.Facet)
	}
	return s
}

// ParseKey is the inverse of Key.String.
func ParseKey(s string) (Key, error) {
	typ, rest, ok := strings.Cut(s, " ")
	if !ok {
		return Key{}, fmt.Errorf("object name %q: want a type and a name", s)
	}
	t, ok := sai.ObjectTypeByName(typ)
	if !ok {
		return Key{}, fmt.Errorf("object name %q: no such type", s)
	}
	name, facet, _ := strings.Cut(rest, "#")
	return Key{Type: t, Name: name, Facet: Facet(facet)}, nil
}

// Compare orders keys for output.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Type, o.Type), cmp.Compare(k.Name, o.Name), cmp.Compare(k.Facet, o.Facet))
}

// Attr is one attribute of a node.
type Attr struct {
	*sai.AttrMeta
	Value Value
}

// String implements fmt.Stringer: "SHARED_DYNAMIC_TH=-3", "POOL_ID=@lossless".
func (a Attr) String() string { return a.Name + "=" + a.Value.format(a.AttrMeta) }

// Node is one object, or one facet of one adopted object. Nodes are not changed
// once made: With and Renamed return copies.
type Node struct {
	Key   Key
	Attrs []Attr // ordered by ID, no duplicates, no defaults
	after []Key  // see restsOn
}

// NewNode returns a node. Attributes may come in any order; those equal to their
// default are dropped, so that "absent" has one form. It keeps attrs.
func NewNode(k Key, attrs []Attr) *Node {
	attrs = slices.DeleteFunc(attrs, isDefault)
	slices.SortFunc(attrs, func(x, y Attr) int { return cmp.Compare(x.ID, y.ID) })
	return &Node{Key: k, Attrs: attrs, after: restsOn(k, attrs)}
}

// With returns a copy of n with one attribute written.
func (n *Node) With(a Attr) *Node {
	attrs := slices.DeleteFunc(slices.Clone(n.Attrs), func(have Attr) bool { return have.ID == a.ID })
	return NewNode(n.Key, append(attrs, a))
}

// WithKey returns a copy of n under another key.
func (n *Node) WithKey(k Key) *Node { return NewNode(k, slices.Clone(n.Attrs)) }

// Renamed returns n with references to one object pointing at another, or n
// itself if it has none.
func (n *Node) Renamed(from, to Key) *Node {
	i := slices.IndexFunc(n.Attrs, func(a Attr) bool { return a.Value.Refers(from) })
	if i < 0 {
		return n
	}
	attrs := slices.Clone(n.Attrs)
	for ; i < len(attrs); i++ {
		attrs[i].Value = attrs[i].Value.renamed(from, to)
	}
	return NewNode(n.Key, attrs)
}

// Attr returns the value of an attribute, or its default.
func (n *Node) Attr(m *sai.AttrMeta) Value {
	i, ok := slices.BinarySearchFunc(n.Attrs, m.ID, func(a Attr, id uint32) int { return cmp.Compare(a.ID, id) })
	if ok {
		return n.Attrs[i].Value
	}
	v, _ := Default(m)
	return v
}

// Has reports whether the attribute is there, in a value other than its default.
func (n *Node) Has(m *sai.AttrMeta) bool {
	return slices.ContainsFunc(n.Attrs, func(a Attr) bool { return a.ID == m.ID })
}

// Deps yields everything the node needs: what its attributes refer to, then what
// it rests on without reference.
func (n *Node) Deps(yield func(Key) bool) {
	for _, a := range n.Attrs {
		for k := range a.Value.Targets() {
			if !yield(k) {
				return
			}
		}
	}
	for _, k := range n.after {
		if !yield(k) {
			return
		}
	}
}

// Adopted reports whether the switch, not the agent, owns the object's life.
func (n *Node) Adopted() bool { return meta.Adopted(n.Key.Type) }

// Default returns the value that an attribute has when nobody set it. ok is false
// where SAI gives none: then absent means that the agent leaves it alone.
func Default(m *sai.AttrMeta) (v Value, ok bool) {
	n, ok := m.DefaultNum()
	return Uint(n), ok
}

func isDefault(a Attr) bool {
	if a.Has(sai.Mandatory) {
		return false
	}
	v, ok := Default(a.AttrMeta)
	return ok && a.Value == v
}

// Graph is a set of nodes. A Graph handed to another package is not changed
// after.
type Graph map[Key]*Node

// Keys returns the graph's keys in order.
func (g Graph) Keys() []Key {
	keys := make([]Key, 0, len(g))
	for k := range g {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, Key.Compare)
	return keys
}

// String prints the graph in a stable form for golden files.
func (g Graph) String() string {
	var b strings.Builder
	for _, k := range g.Keys() {
		fmt.Fprintf(&b, "%s\n", k)
		for _, a := range g[k].Attrs {
			fmt.Fprintf(&b, "\t%s = %s\n", a.Name, a.Value.format(a.AttrMeta))
		}
		for _, d := range g[k].after {
			fmt.Fprintf(&b, "\tafter %s\n", d)
		}
	}
	return b.String()
}
