package graph

import (
	"iter"
	"strings"

	"xon/sai"
)

// separator stands between the names of a reference list.
const separator = "\x00"

// Value is an attribute's symbolic value. Values compare with ==. The zero Value
// is the SAI default of most attributes: 0, false, null object, empty list.
type Value struct {
	num  uint64
	typ  sai.ObjectType // of the objects named by text; 0 when text is plain
	text string         // canonical text, or object names between separators
}

// Uint returns a number: a bool, enum, integer or bitmap.
func Uint(n uint64) Value { return Value{num: n} }

// Bool returns 1 for true.
func Bool(b bool) Value {
	if b {
		return Value{num: 1}
	}
	return Value{}
}

// Text returns any other value in SAI's canonical text (sai.AttrMeta.Format). The
// text of an empty list gives the zero Value.
func Text(s string) Value {
	if s == "0:null" {
		return Value{}
	}
	return Value{text: s}
}

// Ref returns a reference to one object.
func Ref(k Key) Value { return Value{typ: k.Type, text: k.Name} }

// Refs returns a reference list. The keys must be of one type.
func Refs(keys ...Key) Value {
	switch len(keys) {
	case 0:
		return Value{}
	case 1:
		return Ref(keys[0])
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return Value{typ: keys[0].Type, text: strings.Join(names, separator)}
}

// Num returns the number of a numeric value.
func (v Value) Num() uint64 { return v.num }

// Plain returns the text of a value that is not a reference.
func (v Value) Plain() string {
	if v.typ != 0 {
		return ""
	}
	return v.text
}

// IsNull reports whether v names no object. It is meant for references.
func (v Value) IsNull() bool { return v.typ == 0 }

// Targets yields the keys that v refers to, in order.
func (v Value) Targets() iter.Seq[Key] {
	return func(yield func(Key) bool) { v.eachTarget(yield) }
}

// eachTarget is Targets that reports whether it was not stopped.
func (v Value) eachTarget(yield func(Key) bool) bool {
	if v.typ == 0 {
		return true
	}
	for rest, more := v.text, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, separator)
		if !yield(Key{Type: v.typ, Name: name}) {
			return false
		}
	}
	return true
}

// Refers reports whether k is among the targets.
func (v Value) Refers(k Key) bool {
	if v.typ != k.Type || v.typ == 0 {
		return false
	}
	return !v.eachTarget(func(t Key) bool { return t != k })
}

// renamed returns v with other names for the objects it refers to. moved is false
// if there are none.
func (v Value) renamed(to map[Key]Key) (out Value, moved bool) {
	if v.typ == 0 || !v.refersAny(to) {
		return v, false
	}
	var keys []Key
	v.eachTarget(func(k Key) bool {
		if t, ok := to[k]; ok {
			k = t
		}
		keys = append(keys, k)
		return true
	})
	return Refs(keys...), true
}

func (v Value) refersAny(to map[Key]Key) bool {
	return !v.eachTarget(func(k Key) bool {
		_, ok := to[k]
		return !ok
	})
}

// format prints the value as a plan shows it: references by name behind "@",
// enums by name, QoS maps as from>to, other lists as SAI's canonical text.
func (v Value) format(m *sai.AttrMeta) string {
	switch {
	case v.typ != 0:
		return "@" + strings.ReplaceAll(v.text, separator, ",@")
	case v.text != "" && m.Kind == sai.KindQoSMapList:
		return formatMap(m, v.text)
	case v.text != "":
		return v.text
	case m.Kind == sai.KindOID || m.Kind == sai.KindOIDList:
		return "none"
	case m.Kind == sai.KindChars:
		return `""`
	case isList(m.Kind):
		return "0:null"
	}
	return m.FormatNum(v.num)
}

// isList reports whether the zero Value stands for an empty list.
func isList(k sai.Kind) bool {
	switch k {
	case sai.KindEnumList, sai.KindMapList, sai.KindS8List, sai.KindS32List, sai.KindU8List, sai.KindU16List, sai.KindU32List:
		return true
	default:
		return false
	}
}
