package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"

	"xon/sai/facts"
)

func load(file string) (*facts.Facts, error) {
	r, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := facts.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

// flat lists facts by name in a form that compares.
func flat(f *facts.Facts) map[string]string {
	m := map[string]string{}
	for _, s := range f.Status {
		m["status "+s.Name] = fmt.Sprint(s.Val)
	}
	for _, e := range f.Enums {
		for _, v := range e.Values {
			m["value "+e.Prefix+v.Name] = fmt.Sprint(v.Val)
		}
	}
	for _, s := range f.Structs {
		m["size "+s.Name] = fmt.Sprintf("%d/%d", s.Size, s.Align)
		for _, x := range s.Fields {
			m["field "+s.Name+"."+x.Name] = fmt.Sprintf("%d:%s", x.Off, x.Type)
		}
	}
	for _, x := range f.Funcs {
		m["func "+x.Name] = x.Sig()
	}
	for _, x := range f.FnTypes {
		m["fn "+x.Name] = x.Sig()
	}
	for _, a := range f.APIs {
		m["api "+a.Name] = fmt.Sprint(a.ID)
		for i, s := range a.Slots {
			m["slot "+a.Name+"."+s.Name] = fmt.Sprintf("%d %s", i, s.Call)
		}
	}
	for _, o := range f.Objects {
		m["object "+o.Name] = fmt.Sprint(o.Type)
		for _, a := range o.Attrs {
			m["attr "+o.Prefix+a.Name] = fmt.Sprint(a.ID)
			m["type "+o.Prefix+a.Name] = a.Type
			m["flags "+o.Prefix+a.Name] = a.Flags
			m["rules "+o.Prefix+a.Name] = fmt.Sprintf("obj=%s null=%v def=%s if=%s valid=%s", strings.Join(a.Objects, ","), a.Null, a.Default, a.If, a.Valid)
		}
		for _, v := range o.Stats {
			m["stat "+o.StatPrefix+v.Name] = fmt.Sprint(v.Val)
		}
	}
	return m
}

// diff tells what changed between two facts files: counts by kind, and every
// change and removal.
func diff(args []string) error {
	verbose := false
	if args[0] == "-v" {
		verbose, args = true, args[1:]
	}
	a, err := load(args[0])
	if err != nil {
		return err
	}
	b, err := load(args[1])
	if err != nil {
		return err
	}
	x, y := flat(a), flat(b)
	type cnt struct{ added, removed, changed int }
	counts := map[string]*cnt{}
	var lines []string
	at := func(k string) *cnt {
		k, _, _ = strings.Cut(k, " ")
		if counts[k] == nil {
			counts[k] = &cnt{}
		}
		return counts[k]
	}
	for k, v := range x {
		w, ok := y[k]
		switch {
		case !ok:
			at(k).removed++
			lines = append(lines, fmt.Sprintf("- %s = %s", k, v))
		case v != w:
			at(k).changed++
			lines = append(lines, fmt.Sprintf("! %s: %s -> %s", k, v, w))
		}
	}
	for k, v := range y {
		if _, ok := x[k]; !ok {
			at(k).added++
			if verbose {
				lines = append(lines, fmt.Sprintf("+ %s = %s", k, v))
			}
		}
	}
	sort.Strings(lines)
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		c := counts[k]
		fmt.Printf("%s +%d -%d !%d; ", k, c.added, c.removed, c.changed)
	}
	fmt.Println()
	for _, l := range lines {
		fmt.Println(" ", l)
	}
	return nil
}
