// Package graph models the state of a switch as symbolic SAI objects: what the
// configuration wants and what the switch has, in the same form.
//
// Objects are named, never numbered: a reference is the Key of another object,
// not its handle. That makes graphs comparable, printable, and valid across
// restarts. Package reconcile turns names into handles at the last moment.
//
// What is not for here: what a row means for the switch (the orchestrators), and
// the order of operations beyond the few facts in facets.go (package reconcile).
package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/graph/traits"
	"xon/sai"
)

// Facet names one orchestrator's share of the attributes of an object that the
// switch itself made. An object that the agent creates has the empty facet, and so has
// a port as a whole: its lanes, which are what it is created with.
type Facet string

// Key identifies a node. Name is the object's natural name: the row's key, with
// its table where several tables make objects of one type ("DSCP_TO_TC_MAP|AZURE"),
// or the port and index of an adopted object ("Ethernet0|3"). A name holds no NUL.
type Key struct {
	Type  sai.ObjectType
	Name  string
	Facet Facet
}

// Object returns the key of the whole object, which is what handles belong to.
func (k Key) Object() Key { k.Facet = ""; return k }

// Adopted reports whether a node of that key is set and reset, never created or
// removed. A port comes with its lanes, like the objects that agents make, while what is
// set of it is in facets, like that of the objects that the chip makes.
func (k Key) Adopted() bool { return k.Native() && k.Facet != "" }

// Native reports whether k is, or is a part of, an object of a type that the chip makes.
func (k Key) Native() bool { return traits.Adopted(k.Type) }

// String implements fmt.Stringer: "QUEUE Ethernet0|3", "PORT Ethernet0#pfc".
func (k Key) String() string {
	s := k.Type.String() + " " + k.Name
	if k.Facet != "" {
		s += "#" + string(k.Facet)
	}
	return s
}

// ParseKey is the inverse of Key.String. A "#" that no facet of an adopted object
// follows is part of the name.
func ParseKey(s string) (Key, error) {
	typ, name, ok := strings.Cut(s, " ")
	if !ok || name == "" {
		return Key{}, fmt.Errorf("object name %q: want a type and a name", s)
	}
	t, ok := sai.ObjectTypeByName(typ)
	if !ok {
		return Key{}, fmt.Errorf("object name %q: no such type", s)
	}
	if strings.Contains(name, separator) {
		return Key{}, fmt.Errorf("object name %q: contains NUL", s)
	}
	k := Key{Type: t, Name: name}
	if i := strings.LastIndexByte(name, '#'); i > 0 && traits.Adopted(t) && slices.Contains(Facets, Facet(name[i+1:])) {
		k.Name, k.Facet = name[:i], Facet(name[i+1:])
	}
	return k, nil
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
	// Stated are attributes that were given although they equal their default, ordered
	// by ID. They are written when an object is created and make no difference to a
	// plan; ASIC_DB shows them, as its readers expect what a row says.
	Stated []Attr
}

// NewNode returns a node. Attributes may come in any order, each once; those equal
// to their default leave Attrs, so that "absent" has one form. It keeps attrs.
func NewNode(k Key, attrs []Attr) *Node {
	if len(attrs) > 1 {
		slices.SortFunc(attrs, func(x, y Attr) int { return cmp.Compare(x.ID, y.ID) })
	}
	n := &Node{Key: k}
	kept := attrs[:0]
	for _, a := range attrs {
		if isDefault(a) {
			n.Stated = append(n.Stated, a)
		} else {
			kept = append(kept, a)
		}
	}
	n.Attrs = kept
	return n
}

// With returns a copy of n with attributes written, each given once.
func (n *Node) With(written ...Attr) *Node {
	attrs := make([]Attr, 0, len(n.Attrs)+len(written))
	for _, have := range n.Attrs {
		if !slices.ContainsFunc(written, func(a Attr) bool { return a.ID == have.ID }) {
			attrs = append(attrs, have)
		}
	}
	next := NewNode(n.Key, append(attrs, written...))
	next.Stated = nil
	return next
}

// Renamed returns n with other keys for itself and for the objects that it refers
// to, both by object key, or n itself if to says nothing about any of them.
func (n *Node) Renamed(to map[Key]Key) *Node {
	self, changed := to[n.Key.Object()]
	var attrs []Attr
	for i, a := range n.Attrs {
		v, moved := a.Value.renamed(to)
		if moved && attrs == nil {
			attrs = slices.Clone(n.Attrs)
		}
		if moved {
			attrs[i].Value, changed = v, true
		}
	}
	if !changed {
		return n
	}
	out := &Node{Key: n.Key, Attrs: n.Attrs, Stated: n.Stated}
	if attrs != nil {
		out.Attrs = attrs
	}
	if self.Name != "" {
		out.Key.Name = self.Name
	}
	return out
}

// Attr returns the value of an attribute, or its default.
func (n *Node) Attr(m *sai.AttrMeta) Value {
	if i, ok := n.find(m); ok {
		return n.Attrs[i].Value
	}
	v, _ := Default(m)
	return v
}

// Has reports whether the attribute is there, in a value other than its default.
func (n *Node) Has(m *sai.AttrMeta) bool {
	_, ok := n.find(m)
	return ok
}

func (n *Node) find(m *sai.AttrMeta) (i int, ok bool) {
	return slices.BinarySearchFunc(n.Attrs, m.ID, func(a Attr, id uint32) int { return cmp.Compare(a.ID, id) })
}

// Deps yields everything the node needs: what its attributes refer to, then what
// it rests on without reference. A node may need one that does not exist.
func (n *Node) Deps(yield func(Key) bool) {
	for _, a := range n.Attrs {
		if !a.Value.eachTarget(yield) {
			return
		}
	}
	restsOn(n.Key, n.Attrs, yield)
}

// Adopted is that of the node's key.
func (n *Node) Adopted() bool { return n.Key.Adopted() }

// Default returns the value that an attribute has when nobody set it. ok is false
// where SAI gives none: then absent means that the agent leaves it alone.
func Default(m *sai.AttrMeta) (v Value, ok bool) {
	if m.Kind == sai.KindChars {
		return Value{}, m.Default == `""`
	}
	n, ok := m.DefaultNum()
	return Uint(n), ok
}

func isDefault(a Attr) bool {
	if a.Value.text != "" || a.Has(sai.Mandatory) {
		return false // no default is a text or a reference
	}
	v, ok := Default(a.AttrMeta)
	return ok && a.Value == v
}

// Part is an object that the chip makes along with another.
type Part struct {
	Type sai.ObjectType
	ID   sai.OID
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

// String prints the graph in a stable form for golden files, without what is
// merely stated: two graphs that print alike don't differ.
func (g Graph) String() string {
	var b strings.Builder
	for _, k := range g.Keys() {
		fmt.Fprintf(&b, "%s\n", k)
		for _, a := range g[k].Attrs {
			fmt.Fprintf(&b, "\t%s = %s\n", a.Name, a.Value.format(a.AttrMeta))
		}
		port, part := k.Port()
		restsOn(k, g[k].Attrs, func(d Key) bool {
			if !part || d != port { // that goes without saying
				fmt.Fprintf(&b, "\tafter %s\n", d)
			}
			return true
		})
	}
	return b.String()
}
