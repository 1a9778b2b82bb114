package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xon/sai/facts"
)

// plainTypes are the Go types with the layout of C types that are no structs.
var plainTypes = map[string]string{
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
	"size": "uint64", "char": "byte", "bool": "bool", "object_id_t": "OID", "mac_t": "MAC", "status_t": "Status",
}

// goType is the Go type with the layout of a C type, or empty if it has pointers.
func (m *model) goType(t string) string {
	if i := strings.IndexByte(t, '['); i >= 0 {
		elem := m.goType(t[:i])
		if elem == "" || strings.Count(t, "[") > 1 {
			return ""
		}
		return t[i:] + elem
	}
	if g, ok := plainTypes[t]; ok {
		return g
	}
	for _, s := range m.facts.Scalars {
		if s.Name == t {
			return m.goType(s.Type)
		}
	}
	if m.facts.Enum(t) != nil {
		m.enums[t] = true
		return typeName(t)
	}
	if s := m.facts.Struct(t); s != nil {
		return m.goStruct(s)
	}
	return ""
}

// goStruct is the Go type of a struct or union without pointers.
func (m *model) goStruct(s *facts.Struct) string {
	if g, ok := m.flat[s.Name]; ok {
		return g
	}
	m.flat[s.Name] = ""
	for _, f := range s.Fields {
		if m.goType(f.Type) == "" {
			return ""
		}
	}
	if s.Union { // Go has none: numbers of the same size and alignment
		m.flat[s.Name] = fmt.Sprintf("[%d]uint%d", s.Size/s.Align, 8*s.Align)
		return m.flat[s.Name]
	}
	g := typeName(s.Name)
	if !strings.HasSuffix(s.Name, "_entry_t") && slices.ContainsFunc(m.objects, func(o *object) bool { return o.name == g }) {
		g += "Item" // the plain name stands for the object type
	}
	m.flat[s.Name] = g
	m.structs = append(m.structs, s.Name)
	return g
}

// addStructs takes the structs of capabilities and of entries. Those of
// attributes and notifications are there.
func (m *model) addStructs() {
	for _, name := range []string{"stat_capability_t", "attr_capability_t"} {
		if s := m.facts.Struct(name); s != nil {
			m.goStruct(s)
		}
	}
	for _, o := range m.objects {
		if o.entry != nil {
			m.goStruct(o.entry)
		}
	}
	for _, name := range m.structs { // their enums too
		for _, f := range m.facts.Struct(name).Fields {
			m.goType(f.Type)
		}
	}
}

func writeStructs(m *model, s *source) {
	for _, name := range m.structs {
		m.writeStruct(s, m.facts.Struct(name))
	}
	for _, o := range m.objects {
		if o.entry == nil || m.flat[o.entry.Name] == "" {
			continue
		}
		n := m.flat[o.entry.Name]
		s.line("func (e %s) key(%s) Key {\nreturn Key{Entry: unsafe.Slice((*byte)(unsafe.Pointer(&e)), %d)}\n}\n", n, n, o.entry.Size)
	}
}

// writeStruct writes a struct, and what keeps it from being compiled with
// another layout than C's.
func (m *model) writeStruct(s *source, x *facts.Struct) {
	n := m.flat[x.Name]
	if strings.HasSuffix(x.Name, "_entry_t") {
		s.line("// %s names an object that has no id. It is sai_%s, laid out as in C.", n, x.Name)
	} else {
		s.line("// %s is sai_%s, laid out as in C.", n, x.Name)
	}
	s.line("type %s struct {", n)
	for _, f := range x.Fields {
		s.line("%s %s", camel(f.Name), m.goType(f.Type))
	}
	s.line("}\n\nvar (\n_ [%d]byte = [unsafe.Sizeof(%s{})]byte{}", x.Size, n)
	for _, f := range x.Fields {
		s.line("_ [%d]byte = [unsafe.Offsetof(%s{}.%s)]byte{}", f.Off, n, camel(f.Name))
	}
	s.line(")\n")
}

// addLayout sees to it that the codecs can go through a struct.
func (m *model) addLayout(name string) error {
	if slices.Contains(m.layouts, name) {
		return nil
	}
	for _, f := range m.facts.Struct(name).Fields {
		if s := m.facts.Struct(f.Type); s != nil && !s.Union {
			if err := m.addLayout(f.Type); err != nil {
				return err
			}
		} else if m.memberKind(f.Type) == "" {
			return fmt.Errorf("struct %s: member %s of type %s has no codec", name, f.Name, f.Type)
		}
	}
	m.layouts = append(m.layouts, name)
	return nil
}

// memberKind is the kind of a member that is a number, or empty.
func (m *model) memberKind(t string) string {
	if m.facts.Enum(t) != nil {
		return "Enum"
	}
	g := m.goType(t)
	if g == "OID" {
		return "OID"
	}
	return m.numberKind(g)
}

// jsonNames are the members that ASIC_DB names otherwise than the headers do.
var jsonNames = map[string]string{"queue_index": "qidx"}

// lateMembers are those that SONiC does not write: its QoS maps have the nine
// members of SAI up to 1.18.
var lateMembers = []string{"qos_map_params_t.dei", "qos_map_params_t.vc"}

func (m *model) writeLayout(s *source, x *facts.Struct) {
	fields := slices.Clone(x.Fields)
	pair := ""
	if strings.HasSuffix(x.Name, "_range_t") {
		pair = ", pair: true"
	} else {
		slices.SortFunc(fields, func(a, b facts.Field) int { return cmp.Compare(jsonName(a), jsonName(b)) })
	}
	s.line("var layout%s = layout{name: %q%s, members: []member{", m.flat[x.Name], x.Name, pair)
	for _, f := range fields {
		s.line("{name: %q, off: %d, %s},", jsonName(f), f.Off, m.memberCodec(x, f))
	}
	s.line("}}\n")
}

func jsonName(f facts.Field) string {
	if n, ok := jsonNames[f.Name]; ok {
		return n
	}
	return f.Name
}

func (m *model) memberCodec(x *facts.Struct, f facts.Field) string {
	if m.facts.Struct(f.Type) != nil {
		return "sub: &layout" + m.flat[f.Type]
	}
	c := "kind: Kind" + m.memberKind(f.Type)
	if m.facts.Enum(f.Type) != nil {
		c += ", enum: &enum" + typeName(f.Type)
	}
	if slices.Contains(lateMembers, x.Name+"."+f.Name) {
		c += ", late: true"
	}
	return c
}
