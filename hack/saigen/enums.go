package main

import (
	"strings"

	"xon/sai/facts"
)

func writeEnums(m *model, s *source) {
	for _, e := range m.facts.Enums {
		if m.enums[e.Name] {
			writeEnum(s, e)
		}
	}
}

func writeEnum(s *source, e *facts.Enum) {
	n := typeName(e.Name)
	s.line("// %s is sai_%s.\ntype %s int32\n\n// Values of %s.\nconst (", n, e.Name, n, n)
	for _, v := range e.Values {
		s.line("%s%s %s = %d", n, camel(v.Name), n, v.Val)
	}
	s.line(")\n")
	var nums []int64
	var full []string
	vs := proper(e.Values)
	for _, v := range vs {
		nums = append(nums, v.Val)
		full = append(full, e.Prefix+v.Name)
	}
	names := valueNames(vs)
	s.line("var enum%s = EnumMeta{\nName: %q,\nValues: []int32{%s},\nNames: []string{%s},\nFull: []string{%s},\nbyName: []uint16{%s},\n}\n",
		n, e.Name, numbers(nums), quoted(names), quoted(full), numbers(byName(names)))
	s.line("// String is the short name of the value.\nfunc (v %s) String() string { return enum%s.Text(int32(v)) }\n", n, n)
}

func valueNames(vs []facts.Value) []string {
	out := make([]string, len(vs))
	for i := range vs {
		out[i] = vs[i].Name
	}
	return out
}

func writeStatuses(m *model, s *source) {
	s.line("// FactsVersion is the SAI version that the package was made for.\nconst FactsVersion Version = %d\n", version(m.facts.Version))
	s.line("// Statuses. Those that end in 0 name the first attribute of the call; the next\n// one is one less.\nconst (")
	for _, x := range m.facts.Status {
		s.line("Status%s Status = %d", camel(x.Name), x.Val)
	}
	s.line(")\n\nvar statusNames = map[Status]string{")
	seen := map[int64]bool{}
	for _, x := range m.facts.Status {
		if !seen[x.Val] && !strings.HasSuffix(x.Name, "_MAX") {
			s.line("Status%s: %q,", camel(x.Name), x.Name)
		}
		seen[x.Val] = true
	}
	s.line("}")
}

func writeStats(m *model, s *source) {
	for _, o := range m.objects {
		if len(o.stats) == 0 {
			continue
		}
		s.line("// Counters of %s.\nconst (", o.name)
		for _, v := range o.Stats {
			if !isMarker(v.Name) {
				s.line("%sStat%s Stat[%s] = %d", camel(o.Name), camel(v.Name), o.name, v.Val)
			}
		}
		s.line(")\n\nvar stats%s = []StatMeta{", o.name)
		for _, v := range o.stats {
			s.line("{%d, %d, %q, %q},", v.Val, version(v.Since), v.Name, o.StatPrefix+v.Name)
		}
		s.line("}\n")
	}
}
