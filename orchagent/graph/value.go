package graph

import (
	"iter"
	"slices"
	"strings"

	"xon/sai"
)

// Value is an attribute's symbolic value. Values compare with ==. The zero Value
// is the SAI default of most attributes: 0, false, null object, empty list.
type Value struct {
	num  uint64
	typ  sai.ObjectType // of the objects named by text; 0 when text is plain
	text string         // canonical text, or object names separated by NUL
}

// Uint returns a number: a bool, enum, integer or bitmap.
func Uint(n uint64) Value { return Value{num: n} }

// Int returns a signed number.
func Int(n int64) Value { return Value{num: uint64(n)} }

// Bool returns 1 for true.
func Bool(b bool) Value {
	if b {
		return Value{num: 1}
	}
	return Value{}
}

// Text returns any other value in SAI's canonical text (sai.AttrMeta.Format).
func Text(s string) Value { return Value{text: s} }

// Ref returns a reference to one object.
func Ref(k Key) Value { return Value{typ: k.Type, text: k.Name} }

// Refs returns a reference list. The keys must be of one type.
func Refs(keys ...Key) Value {
	if len(keys) == 0 {
		return Value{}
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return Value{typ: keys[0].Type, text: strings.Join(names, "\x00")}
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
	return func(yield func(Key) bool) {
		if v.typ == 0 {
			return
		}
		for name := range strings.SplitSeq(v.text, "\x00") {
			if !yield(Key{Type: v.typ, Name: name}) {
				return
			}
		}
	}
}

// Refers reports whether k is among the targets.
func (v Value) Refers(k Key) bool {
	if v.typ != k.Type || v.typ == 0 {
		return false
	}
	for t := range v.Targets() {
		if t == k {
			return true
		}
	}
	return false
}

func (v Value) renamed(from, to Key) Value {
	if !v.Refers(from) {
		return v
	}
	keys := slices.Collect(v.Targets())
	for i := range keys {
		if keys[i] == from {
			keys[i] = to
		}
	}
	return Refs(keys...)
}

// format prints the value as a plan shows it: references by name behind "@",
// enums by name, lists as SAI's canonical text.
func (v Value) format(m *sai.AttrMeta) string {
	switch {
	case v.typ != 0:
		return "@" + strings.ReplaceAll(v.text, "\x00", ",@")
	case v.text != "":
		return v.text
	case m.Kind == sai.KindOID || m.Kind == sai.KindOIDList:
		return "none"
	}
	return m.FormatNum(v.num)
}
