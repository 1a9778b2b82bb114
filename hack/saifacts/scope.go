package main

import (
	"fmt"
	"os"
	"strings"

	"xon/sai/facts"
)

// since merges facts of versions in order: the last one's facts, each marked
// with the first version that has it. What the first version has stays unmarked.
func since(args []string) error {
	var all []*facts.Facts
	for _, a := range args {
		f, err := load(a)
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	last := all[len(all)-1]
	// The first version from which on every one has the fact as the last has it.
	flats := make([]map[string]string, len(all))
	for i, f := range all {
		flats[i] = flat(f)
	}
	first := map[string]string{}
	for k, v := range flats[len(all)-1] {
		i := len(all) - 1
		for i > 0 {
			if w, ok := flats[i-1][k]; !ok || w != v {
				break
			}
			i--
		}
		ver := all[i].Version
		if i == 0 {
			ver = "-"
		}
		if i == len(all)-1 && i > 0 && all[i-1].Version == ver {
			ver += "+" // on top of the last release
		}
		first[k] = ver
	}
	at := func(k string) string {
		if v := first[k]; v != "-" {
			return v
		}
		return ""
	}
	for _, e := range last.Enums {
		for i := range e.Values {
			e.Values[i].Since = at("value " + e.Prefix + e.Values[i].Name)
		}
	}
	for _, s := range last.Structs {
		whole := at("size " + s.Name)
		for i := range s.Fields {
			if v := at("field " + s.Name + "." + s.Fields[i].Name); v != whole {
				s.Fields[i].Since = v
			}
		}
	}
	for i := range last.Funcs {
		last.Funcs[i].Since = at("func " + last.Funcs[i].Name)
	}
	for _, a := range last.APIs {
		for i := range a.Slots {
			a.Slots[i].Since = at("slot " + a.Name + "." + a.Slots[i].Name)
		}
	}
	for _, o := range last.Objects {
		for i := range o.Attrs {
			if v := at("attr " + o.Prefix + o.Attrs[i].Name); v != "" {
				o.Attrs[i].Opts = append(o.Attrs[i].Opts, "since="+v)
			}
		}
		for i := range o.Stats {
			o.Stats[i].Since = at("stat " + o.StatPrefix + o.Stats[i].Name)
		}
	}
	return last.Write(os.Stdout)
}

// scope keeps the named APIs and what they use.
func scope(args []string) error {
	f, err := load(args[0])
	if err != nil {
		return err
	}
	Scope(f, args[1:])
	fmt.Fprintln(os.Stderr, f.Count())
	return f.Write(os.Stdout)
}

// Scope drops everything that the named APIs do not use. An API may be cut to
// some of its objects: "acl:acl_table,acl_entry".
func Scope(f *facts.Facts, apis []string) {
	want := map[string][]string{}
	for _, a := range apis {
		n, objs, _ := strings.Cut(a, ":")
		want[n] = nil
		if objs != "" {
			want[n] = strings.Split(objs, ",")
		}
	}
	used := map[string]bool{"object_type_t": true, "api_t": true, "log_level_t": true, "stats_mode_t": true, "bulk_op_error_mode_t": true, "attribute_t": true,
		"object_id_t": true, "status_t": true, "stat_id_t": true, "attr_id_t": true, "service_method_table_t": true, "api_version_t": true, "common_api_t": true}
	var mark func(t string)
	mark = func(t string) {
		t = strings.TrimPrefix(t, "const ")
		t = strings.TrimRight(t, "*")
		if i := strings.IndexByte(t, '['); i >= 0 {
			t = t[:i]
		}
		if t == "attribute_value_t" || t == "object_key_entry_t" || t == "acl_field_data_data_t" {
			used[t] = true
			return
		}
		if used[t] && f.Struct(t) == nil {
			return
		}
		done := used[t]
		used[t] = true
		if done && t != "attribute_t" && t != "service_method_table_t" {
			return
		}
		if s := f.Struct(t); s != nil && !strings.HasPrefix(t, "\x00") {
			for _, m := range s.Fields {
				if strings.TrimRight(m.Type, "*") != t {
					mark(m.Type)
				}
			}
		}
	}
	markFn := func(x *facts.Func) {
		for _, p := range x.Params {
			mark(p.Type)
		}
		mark(x.Ret)
	}
	usedMember := map[string]bool{}
	var objs []*facts.Object
	entries := map[string]bool{}
	for _, o := range f.Objects {
		list, ok := want[o.API]
		if !ok {
			continue
		}
		if list != nil {
			ok = false
			for _, x := range list {
				ok = ok || x == o.Name
			}
			if !ok {
				continue
			}
		}
		objs = append(objs, o)
		var attrs []facts.Attr
		for _, a := range o.Attrs {
			w := strings.Fields(a.Type)
			if len(w) > 1 && w[0] == "pointer_t" {
				// A notification of an API out of scope goes with it.
				x := f.FnType(w[1])
				if x == nil || out(f, x, want) {
					continue
				}
			}
			attrs = append(attrs, a)
			for _, t := range w {
				mark(t)
				usedMember[t] = true
				if x := f.FnType(t); x != nil {
					markFn(x)
				}
			}
		}
		o.Attrs = attrs
	}
	f.Objects = objs
	var keep []*facts.API
	for _, a := range f.APIs {
		if _, ok := want[a.Name]; !ok {
			continue
		}
		keep = append(keep, a)
		for _, s := range a.Slots {
			if x, ok := f.Proto(s); ok {
				markFn(&x)
				if _, e, ok := strings.Cut(s.Call, ":"); ok {
					entries[e] = true
				}
			}
		}
	}
	f.APIs = keep
	var funcs []facts.Func
	for _, x := range f.Funcs {
		if strings.HasPrefix(x.Name, "tam_") {
			if _, ok := want["tam"]; !ok {
				continue
			}
		}
		funcs = append(funcs, x)
		markFn(&x)
	}
	f.Funcs = funcs
	var fns []facts.Func
	for _, x := range f.FnTypes {
		if used[x.Name] {
			fns = append(fns, x)
		}
		for _, a := range f.APIs {
			for _, s := range a.Slots {
				if s.FnType == x.Name {
					fns = append(fns, x)
				}
			}
		}
	}
	f.FnTypes = fns
	var structs []*facts.Struct
	for _, s := range f.Structs {
		if !used[s.Name] {
			continue
		}
		if s.Union {
			var m []facts.Field
			for _, x := range s.Fields {
				ok := used[x.Type]
				if s.Name == "object_key_entry_t" {
					ok = entries[x.Type] || x.Type == "object_id_t"
				}
				if s.Name == "attribute_value_t" {
					ok = usedMember[x.Type] || strings.HasPrefix(x.Type, "char") || x.Type == "s32"
				}
				if s.Name == "acl_field_data_mask_t" || s.Name == "acl_field_data_data_t" || s.Name == "acl_action_parameter_t" || s.Name == "ip_addr_t" {
					ok = true
				}
				if ok {
					m = append(m, x)
				}
			}
			s.Fields = m
		}
		structs = append(structs, s)
	}
	f.Structs = structs
	var enums []*facts.Enum
	for _, e := range f.Enums {
		if used[e.Name] {
			enums = append(enums, e)
		}
	}
	f.Enums = enums
	var sc []facts.Scalar
	for _, s := range f.Scalars {
		if used[s.Name] {
			sc = append(sc, s)
		}
	}
	f.Scalars = sc
}

// out tells whether a notification carries data of an object out of scope.
func out(f *facts.Facts, x *facts.Func, want map[string][]string) bool {
	for _, p := range x.Params {
		s := f.Struct(strings.TrimRight(strings.TrimPrefix(p.Type, "const "), "*"))
		if s == nil {
			continue
		}
		for _, m := range s.Fields {
			for _, n := range m.Objects {
				if o := f.Object(strings.ToLower(n)); o != nil {
					if _, ok := want[o.API]; !ok {
						return true
					}
				}
			}
		}
	}
	for _, n := range []string{"macsec", "ipsec", "bfd", "twamp", "icmp", "nat_", "ha_", "flow_bulk", "fdb"} {
		if strings.HasPrefix(x.Name, n) || strings.Contains(x.Name, "_"+n) {
			if _, ok := want[strings.TrimRight(n, "_")]; !ok {
				return true
			}
		}
	}
	return false
}
