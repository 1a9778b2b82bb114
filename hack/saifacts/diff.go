package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"xon/sai/facts"
)

// flat lists facts by kind and name in a comparable form. All that a version states
// about a fact is one text, so that every change shows.
func flat(f *facts.Facts) map[string]string {
	m := map[string]string{}
	for _, s := range f.Scalars {
		m["scalar "+s.Name] = s.Type
	}
	for _, c := range f.Consts {
		m["const "+c.Name] = c.Text
	}
	for _, s := range f.Status {
		m["status "+s.Name] = fmt.Sprint(s.Val)
	}
	for _, e := range f.Enums {
		for _, v := range e.Values {
			m["value "+e.Prefix+v.Name] = fmt.Sprint(v.Val)
		}
	}
	for _, x := range f.Funcs {
		m["func "+x.Name] = x.Sig()
	}
	for _, x := range f.FnTypes {
		if f.Shape(x.Name) == "" {
			m["fn "+x.Name] = x.Sig()
		}
	}
	for _, o := range f.Objects {
		flatObject(m, o)
	}
	flatLayouts(m, f)
	return m
}

// flatLayouts lists memory layouts: structs and API tables.
func flatLayouts(m map[string]string, f *facts.Facts) {
	for _, s := range f.Structs {
		m["struct "+s.Name] = map[bool]string{false: "struct", true: "union"}[s.Union]
		m["size "+s.Name] = fmt.Sprintf("%d bytes, aligned to %d", s.Size, s.Align)
		for _, x := range s.Fields {
			m["field "+s.Name+"."+x.Name] = fmt.Sprintf("%s at %d", x.Type, x.Off)
		}
	}
	for _, a := range f.APIs {
		m["api "+a.Name] = fmt.Sprint(a.ID)
		for i, s := range a.Slots {
			m["slot "+a.Name+"."+s.Name] = fmt.Sprintf("%d, %s", i, strings.Trim(s.Call+" "+s.FnType, " "))
		}
	}
}

func flatObject(m map[string]string, o *facts.Object) {
	m["object "+o.Name] = fmt.Sprint(o.Type)
	for _, a := range o.Attrs {
		n := o.Prefix + a.Name
		m["attr "+n] = fmt.Sprint(a.ID)
		m["type "+n] = a.Type
		m["flags "+n] = a.Flags
		m["rules "+n] = rules(a)
	}
	for _, v := range o.Stats {
		m["stat "+o.StatPrefix+v.Name] = fmt.Sprint(v.Val)
	}
}

// rules is everything about an attribute that defines how it may be used, except its
// layout.
func rules(a facts.Attr) string {
	var w []string
	add := func(k, v string) {
		if v != "" {
			w = append(w, k+v)
		}
	}
	add("obj=", strings.Join(a.Objects, ","))
	if a.Null {
		add("null", " ")
	}
	for _, o := range a.Opts {
		if !strings.HasPrefix(o, "since=") {
			add("", o)
		}
	}
	add("def=", a.Default)
	add("if=", a.If)
	add("valid=", a.Valid)
	return strings.Join(w, " ")
}

// tally counts the changes of one kind of facts.
type tally struct{ added, gone, changed int }

func diff(args []string, out io.Writer) error {
	was, err := load(args[0])
	if err != nil {
		return err
	}
	is, err := load(args[1])
	if err != nil {
		return err
	}
	lines, counts := compare(flat(was), flat(is))
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		c := counts[k]
		fmt.Fprintf(out, "%-7s +%d -%d !%d\n", k, c.added, c.gone, c.changed)
	}
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	return nil
}

// compare lists the differences in order, and counts them by kind.
func compare(was, is map[string]string) (lines []string, counts map[string]tally) {
	counts = map[string]tally{}
	note := func(key, line string, t tally) {
		kind, _, _ := strings.Cut(key, " ")
		c := counts[kind]
		counts[kind] = tally{c.added + t.added, c.gone + t.gone, c.changed + t.changed}
		lines = append(lines, line)
	}
	for k, v := range was {
		switch w, ok := is[k]; {
		case !ok && !implied(k, is):
			note(k, "- "+k+": "+v, tally{gone: 1})
		case ok && v != w:
			note(k, "! "+k+": "+v+" → "+w, tally{changed: 1})
		}
	}
	for k, v := range is {
		if _, ok := was[k]; !ok && !implied(k, was) {
			note(k, "+ "+k+": "+v, tally{added: 1})
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return lines, counts
}

// implied reports whether a fact was added or removed only because its attribute or
// struct was: then one line is enough.
func implied(key string, other map[string]string) bool {
	kind, name, _ := strings.Cut(key, " ")
	whole := ""
	switch kind {
	case "type", "flags", "rules":
		whole = "attr " + name
	case "size":
		whole = "struct " + name
	case "field":
		name, _, _ = strings.Cut(name, ".")
		whole = "struct " + name
	default:
		return false
	}
	_, ok := other[whole]
	return !ok
}
