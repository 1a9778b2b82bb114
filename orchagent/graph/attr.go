package graph

import (
	"fmt"
	"slices"

	"xon/sai"
)

// Of returns the attribute of a setting: graph.Of(sai.PortAttrMTU.Is(9122)). A setting
// that names an object by its id is a bug and panics: see RefTo.
func Of[O sai.Object](s sai.Setting[O]) Attr {
	if k := s.Kind; k == sai.KindOID || k == sai.KindOIDList {
		panic("graph: " + s.FullName() + " names objects by their ids: use RefTo or RefsTo")
	}
	return Attr{s.AttrMeta, valueOf(s.Attribute)}
}

// AppendIf appends the attribute of a setting if its row has it.
func AppendIf[O sai.Object](attrs []Attr, has bool, s sai.Setting[O]) []Attr {
	if has {
		return append(attrs, Of(s))
	}
	return attrs
}

// valueOf is the value of an attribute that names no object.
func valueOf(a sai.Attribute) Value {
	if a.Kind <= sai.KindPointer {
		return Uint(a.Num)
	}
	return Text(a.Format(a.Value))
}

// handle is a sai.OID or a sai.ID of any object: the value of an attribute that names one.
type handle interface {
	~uint64
	fmt.Stringer
}

// RefTo returns an attribute that names one object. That of a type which the attribute
// cannot name is a bug and panics.
func RefTo[O sai.Object, V handle](a sai.Attr[O, V], k Key) Attr {
	checkTarget(a.AttrMeta, k)
	return Attr{a.AttrMeta, Ref(k)}
}

// RefsTo is RefTo for an attribute that names a list of objects.
func RefsTo[O sai.Object, V handle](a sai.Attr[O, []V], keys ...Key) Attr {
	for _, k := range keys {
		checkTarget(a.AttrMeta, k)
	}
	return Attr{a.AttrMeta, Refs(keys...)}
}

func checkTarget(a *sai.AttrMeta, k Key) {
	if !slices.Contains(a.Objects, k.Type) {
		panic(fmt.Sprintf("graph: %s cannot name %s", a.FullName(), k))
	}
}

// Field says which field of a row an attribute comes from, for messages.
type Field struct {
	Attr *sai.AttrMeta
	Name string
}

// FieldOf returns the Field of an attribute: graph.FieldOf(sai.PortAttrMTU, "mtu").
func FieldOf[O sai.Object, V any](a sai.Attr[O, V], name string) Field {
	return Field{a.AttrMeta, name}
}

// Num returns a number that a node has, or the default of its attribute.
func Num[O sai.Object, V ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32](n *Node, a sai.Attr[O, V]) V {
	return V(n.Attr(a.AttrMeta).Num())
}
