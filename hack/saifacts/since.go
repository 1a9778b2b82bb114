package main

import (
	"io"
	"slices"

	"xon/sai/facts"
)

// since records in the facts of the last version which version was the first to have
// each.
func since(files []string, out io.Writer) error {
	var all []*facts.Facts
	for _, a := range files {
		f, err := load(a)
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	last := all[len(all)-1]
	mark(last, firsts(all))
	return last.Write(out)
}

// firsts returns, for each fact of the last version, the first version from which on it
// is unchanged; empty for the oldest.
func firsts(all []*facts.Facts) map[string]string {
	flats := make([]map[string]string, len(all))
	for i, f := range all {
		flats[i] = flat(f)
	}
	last := len(all) - 1
	out := map[string]string{}
	for k, v := range flats[last] {
		i := last
		for i > 0 {
			if w, ok := flats[i-1][k]; !ok || w != v {
				break
			}
			i--
		}
		switch {
		case i == 0:
			out[k] = ""
		case i == last && all[i-1].Version == all[i].Version: // unreleased changes after that release
			out[k] = all[i].Version + "+"
		default:
			out[k] = all[i].Version
		}
	}
	return out
}

// mark writes the versions into the facts.
func mark(f *facts.Facts, first map[string]string) {
	for _, e := range f.Enums {
		markValues(e.Values, "value "+e.Prefix, first)
	}
	for _, s := range f.Structs {
		whole := first["struct "+s.Name]
		for i := range s.Fields {
			if v := first["field "+s.Name+"."+s.Fields[i].Name]; v != whole {
				s.Fields[i].Since = v
			}
		}
	}
	for i := range f.Funcs {
		f.Funcs[i].Since = first["func "+f.Funcs[i].Name]
	}
	for _, a := range f.APIs {
		for i := range a.Slots {
			a.Slots[i].Since = first["slot "+a.Name+"."+a.Slots[i].Name]
		}
	}
	for _, o := range f.Objects {
		markObject(o, first)
	}
}

func markObject(o *facts.Object, first map[string]string) {
	for i := range o.Attrs {
		a := &o.Attrs[i]
		if v := first["attr "+o.Prefix+a.Name]; v != "" && !slices.Contains(a.Opts, "since="+v) {
			a.Opts = append(a.Opts, "since="+v)
		}
	}
	markValues(o.Stats, "stat "+o.StatPrefix, first)
}

func markValues(vs []facts.Value, prefix string, first map[string]string) {
	for i := range vs {
		vs[i].Since = first[prefix+vs[i].Name]
	}
}
