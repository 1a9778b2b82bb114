package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xon/sai/facts"
)

// kind is the representation and codec of an attribute's values.
type kind struct {
	name  string // Go constant without Kind
	typ   string // Go type of the value in the typed API
	codec string // Go expression of the codec; empty for a number
	desc  string // comment of the constant
}

// numberKinds are the kinds whose values are numbers, in the order of their
// constants.
var numberKinds = []kind{
	{name: "Bool", typ: "bool", desc: "0 or 1"},
	{name: "U8", typ: "uint8"},
	{name: "U16", typ: "uint16"},
	{name: "U32", typ: "uint32"},
	{name: "U64", typ: "uint64"},
	{name: "S8", typ: "int8", desc: "all signed numbers are extended to 64 bits"},
	{name: "S16", typ: "int16"},
	{name: "S32", typ: "int32"},
	{name: "S64", typ: "int64"},
	{name: "Enum", desc: "int32"},
	{name: "OID"},
	{name: "Pointer", typ: "uintptr", desc: "a function of the caller"},
}

// basicKinds are the kinds of basic C types by type name. OID and OIDList also depend
// on the object types that they may refer to.
var basicKinds = map[string]kind{
	"bool": numberKinds[0], "u8": numberKinds[1], "u16": numberKinds[2], "u32": numberKinds[3], "u64": numberKinds[4],
	"s8": numberKinds[5], "s16": numberKinds[6], "s32": numberKinds[7], "s64": numberKinds[8], "pointer_t": numberKinds[11],

	"char":             {name: "Chars", typ: "string", codec: "stringCodec{}", desc: "string of at most CharsMax bytes"},
	"json_t":           {name: "JSON", typ: "string", codec: "jsonCodec{}", desc: "string"},
	"mac_t":            {name: "MAC", typ: "MAC", codec: "macCodec{}", desc: "MAC"},
	"ip4_t":            {name: "IP4", typ: "netip.Addr", codec: "addrCodec{4}", desc: "netip.Addr"},
	"ip6_t":            {name: "IP6", typ: "netip.Addr", codec: "addrCodec{16}", desc: "netip.Addr"},
	"ip_address_t":     {name: "IPAddr", typ: "netip.Addr", codec: "addrCodec{}", desc: "netip.Addr of either family"},
	"ip_prefix_t":      {name: "IPPrefix", typ: "netip.Prefix", codec: "prefixCodec{}", desc: "netip.Prefix"},
	"taps_list_t":      {name: "Taps", typ: "[][]int32", codec: "s32ListListCodec{}", desc: "[][]int32"},
	"acl_capability_t": {name: "ACLCapability", typ: "ACLCapability", codec: "aclCapabilityCodec{}", desc: "ACLCapability"},
}

// kindOf returns the kind of an attribute, or an error for a type without one.
func (m *model) kindOf(a facts.Attr) (kind, error) {
	outer, inner, _ := strings.Cut(a.Type, " ")
	a.Type = inner
	switch outer {
	case "object_id_t":
		return kind{name: "OID", typ: m.idType(a)}, nil
	case "object_list_t":
		return kind{name: "OIDList", typ: "[]" + m.idType(a), codec: "listCodec[OID]{KindOID}", desc: "[]OID"}, nil
	case "s32_list_t":
		if m.facts.Enum(inner) != nil {
			return enumList(inner), nil
		}
	case "acl_field_data_t":
		k, err := m.kindOf(a)
		return kind{name: "Field" + k.name, typ: "Match[" + k.typ + "]", codec: "aclFieldCodec{Kind" + k.name + "}", desc: "FieldValue"}, err
	case "acl_action_data_t":
		k, err := m.kindOf(a)
		return kind{name: "Action" + k.name, typ: k.typ, codec: "aclParamCodec{Kind" + k.name + "}", desc: "ParamValue"}, err
	case "acl_field_data_mask_t": // a mask alone has the layout of its value
		return m.kindOf(a)
	}
	if k, ok := basicKinds[outer]; ok {
		return k, nil
	}
	if m.facts.Enum(outer) != nil {
		return kind{name: "Enum", typ: typeName(outer)}, nil
	}
	return m.structKind(outer)
}

func (m *model) idType(a facts.Attr) string {
	if len(a.Objects) == 1 && m.inScope(a.Objects[0]) {
		return "ID[" + objectName(strings.ToLower(a.Objects[0])) + "]"
	}
	return "OID"
}

func enumList(enum string) kind {
	return kind{name: "EnumList", typ: "[]" + typeName(enum), codec: "listCodec[int32]{KindEnum}", desc: "[]int32"}
}

// structKind is the kind of a struct, of a list, or of another name for a number.
func (m *model) structKind(t string) (kind, error) {
	name := typeName(t)
	elem, isList := m.list(t)
	if !isList {
		elem = t
	}
	if m.facts.Enum(elem) != nil {
		return enumList(elem), nil
	}
	typ := m.goType(elem)
	switch c := m.numberKind(typ); {
	case typ == "":
		return kind{}, fmt.Errorf("type %s has no codec", t)
	case c != "" && isList:
		return kind{name: name, typ: "[]" + typ, codec: fmt.Sprintf("listCodec[%s]{Kind%s}", typ, c), desc: "[]" + typ}, nil
	case c != "":
		return kind{}, fmt.Errorf("type %s has no kind", t)
	case m.facts.Struct(elem) == nil:
		return kind{}, fmt.Errorf("type %s is no struct", t)
	}
	if err := m.addLayout(elem); err != nil {
		return kind{}, err
	}
	if isList {
		return kind{name: name, typ: "[]" + typ, codec: fmt.Sprintf("structListCodec[%s]{&layout%s}", typ, typ), desc: "[]" + typ}, nil
	}
	return kind{name: name, typ: typ, codec: fmt.Sprintf("structCodec[%s]{&layout%s}", typ, typ), desc: typ}, nil
}

// numberKind returns the kind of a Go number, or "".
func (m *model) numberKind(typ string) string {
	for _, k := range numberKinds {
		if k.typ == typ && typ != "" {
			return k.name
		}
	}
	return ""
}

// list returns the element type of a {count, list} struct.
func (m *model) list(t string) (elem string, ok bool) {
	s := m.facts.Struct(t)
	if s == nil || len(s.Fields) != 2 || s.Fields[0].Name != "count" || s.Fields[1].Name != "list" {
		return "", false
	}
	return strings.CutSuffix(s.Fields[1].Type, "*")
}

// addKinds collects the kinds in use: numbers first, then the others by name.
func (m *model) addKinds() error {
	m.kinds = slices.Clone(numberKinds)
	for _, k := range basicKinds {
		if k.codec != "" {
			m.kinds = append(m.kinds, k)
		}
	}
	for _, o := range m.objects {
		for _, a := range o.attrs {
			if a.kind.codec != "" {
				m.kinds = append(m.kinds, a.kind)
			}
		}
	}
	others := m.kinds[len(numberKinds):]
	slices.SortStableFunc(others, func(a, b kind) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(others); i++ {
		if a, b := others[i-1], others[i]; a.name == b.name && a.codec != b.codec {
			return fmt.Errorf("kind %s is both %s and %s", a.name, a.codec, b.codec)
		}
	}
	m.kinds = slices.CompactFunc(m.kinds, func(a, b kind) bool { return a.name == b.name })
	return nil
}

func writeKinds(m *model, s *source) {
	s.line("// Kind is how the value of an attribute is held: in Value.Num up to KindPointer,")
	s.line("// in Value.Ref from there on, as the type that the comment names.")
	s.line("type Kind uint8\n")
	s.line("// The kinds.\nconst (\nKindNone Kind = iota")
	for _, k := range m.kinds {
		if k.desc != "" {
			s.line("Kind%s // %s", k.name, k.desc)
		} else {
			s.line("Kind%s", k.name)
		}
	}
	s.line("kindCount\n)\n")
	s.line("// KindCount is the number of kinds.\nconst KindCount = int(kindCount)")
}

// writeCodecs writes the codec of each kind, and the layouts of the structs that codecs
// need.
func writeCodecs(m *model, s *source) {
	s.line("var codecs = [kindCount]valueCodec{")
	for _, k := range m.kinds {
		if k.codec != "" {
			s.line("Kind%s: %s,", k.name, k.codec)
		}
	}
	s.line("}\n")
	for _, name := range m.layouts {
		m.writeLayout(s, m.facts.Struct(name))
	}
}
