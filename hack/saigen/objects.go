package main

import (
	"fmt"
	"strings"
)

func writeObjects(m *model, s *source) {
	for _, o := range m.objects {
		if o.entry == nil {
			s.line("// %s stands for SAI_OBJECT_TYPE_%s in type arguments.\ntype %s struct{}\n", o.name, strings.ToUpper(o.Name), o.name)
		}
		s.line("// Meta describes SAI_OBJECT_TYPE_%s.\nfunc (%s) Meta() *ObjectMeta { return &meta%s }\n", strings.ToUpper(o.Name), o.name, o.name)
		s.line("// Attributes of %s.\nvar (", o.name)
		for i := range o.attrs {
			m.writeAttr(s, o, &o.attrs[i])
		}
		s.line(")\n")
		m.writeMeta(s, o)
	}
	s.line("// Objects lists the object types in scope, in the order of SAI's headers.\nvar Objects = []*ObjectMeta{")
	for _, o := range m.objects {
		s.line("&meta%s,", o.name)
	}
	s.line("}\n\nvar byType = [...]*ObjectMeta{")
	for _, o := range m.objects {
		s.line("ObjectType%s: &meta%s,", camel(o.Name), o.name)
	}
	s.line("}")
}

// writeAttr writes an attribute in one line.
func (m *model) writeAttr(s *source, o *object, a *attr) {
	f := []string{fmt.Sprintf("ID: %d, Kind: Kind%s, Flags: %s", a.ID, a.kind.name, flags(a))}
	add := func(text string, args ...any) { f = append(f, fmt.Sprintf(text, args...)) }
	if v := version(option(a.Attr, "since")); v != 0 {
		add("Since: %d", v)
	}
	add("Name: %q, full: %q", a.Name, a.full)
	if a.enum != "" {
		add("Enum: &enum%s", typeName(a.enum))
	}
	if len(a.Objects) > 0 {
		add("Objects: []ObjectType{ObjectType%s}", strings.Join(camels(a.Objects), ", ObjectType"))
	}
	if a.Default != "" {
		add("Default: %q", a.Default)
	}
	if a.def != "" {
		add("hasDef: true")
	}
	if a.def != "" && a.def != "0" {
		add("def: %s", a.def)
	}
	if a.If != "" {
		add("If: %q, when: %s", a.If, stepList(a.when))
	}
	if a.Valid != "" {
		add("Valid: %q, valid: %s", a.Valid, stepList(a.valid))
	}
	if a.doc != "" {
		s.line("// %s", strings.ReplaceAll(a.doc, "\n", "\n// "))
	}
	s.line("%s = Attr[%s, %s]{&AttrMeta{%s}}", a.name, o.name, a.kind.typ, strings.Join(f, ", "))
}

func camels(names []string) []string {
	out := make([]string, len(names))
	for i := range names {
		out[i] = camel(names[i])
	}
	return out
}

var flagNames = map[rune]string{'M': "Mandatory", 'C': "CreateOnly", 'S': "Settable", 'R': "ReadOnly", 'K': "KeyAttr"}

var optionFlags = map[string]string{"vlan": "VlanID", "res": "Resource", "relaxed": "Relaxed", "old": "Deprecated"}

func flags(a *attr) string {
	var out []string
	for _, c := range a.Flags {
		if n := flagNames[c]; n != "" {
			out = append(out, n)
		}
	}
	if a.Null {
		out = append(out, "NullOK")
	}
	for _, o := range a.Opts {
		if n := optionFlags[o]; n != "" {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return "0"
	}
	return strings.Join(out, "|")
}

// writeMeta writes the description of an object type.
func (m *model) writeMeta(s *source, o *object) {
	s.line("var meta%s = ObjectMeta{", o.name)
	s.line("Type: ObjectType%s, Name: %q, API: 0x%x,", camel(o.Name), o.Name, o.api.ID)
	if o.entry != nil {
		s.line("Entry: %d,", o.entry.Size)
	}
	s.line("Ops: [OpCount]Op{%s},", strings.Join(o.ops(), ", "))
	var refs, names []string
	for i := range o.attrs {
		refs = append(refs, o.attrs[i].name+".AttrMeta")
		names = append(names, o.attrs[i].Name)
	}
	s.line("Attrs: []*AttrMeta{\n%s,\n},", strings.Join(refs, ",\n"))
	s.line("attrNames: []uint16{%s},", numbers(byName(names)))
	if len(o.stats) > 0 {
		s.line("Stats: stats%s, statNames: []uint16{%s},", o.name, numbers(byName(valueNames(o.stats))))
	}
	s.line("}\n")
}

// ops says for each of the Op constants which slot of the API's table has it,
// and since which version.
func (o *object) ops() []string {
	var out []string
	one := func(format string) { out = append(out, o.slot([]string{o.Name}, format)) }
	all := func(format string) { out = append(out, o.slot(plurals(o.Name), format)) }
	one("create_%s")
	one("remove_%s")
	one("set_%s_attribute")
	one("get_%s_attribute")
	one("get_%s_stats")
	one("get_%s_stats_ext")
	one("clear_%s_stats")
	all("create_%s")
	all("remove_%s")
	all("set_%s_attribute")
	all("get_%s_attribute")
	return out
}

func (o *object) slot(names []string, format string) string {
	for i, x := range o.api.Slots {
		for _, n := range names {
			if x.Name == fmt.Sprintf(format, n) {
				return fmt.Sprintf("{%d, %d}", i, version(x.Since))
			}
		}
	}
	return "{-1, 0}"
}

// plurals are what the bulk methods may call an object type.
func plurals(name string) []string {
	out := []string{name + "s"}
	if base, ok := strings.CutSuffix(name, "y"); ok {
		out = append(out, base+"ies")
	}
	if strings.HasSuffix(name, "s") {
		out = append(out, name+"es", name)
	}
	return out
}
