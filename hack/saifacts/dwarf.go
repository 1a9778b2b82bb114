package main

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"regexp"
	"strings"

	"xon/sai/facts"
)

// audit compares debug information with the facts.
type audit struct {
	have    map[string]string // name → number
	missing []string
	seen    int
}

// missingFacts lists SAI names in a program's debug information that the facts lack.
func missingFacts(bin string, f *facts.Facts) (missing []string, seen int, err error) {
	file, err := elf.Open(bin)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	d, err := file.DWARF()
	if err != nil {
		return nil, 0, err
	}
	a := &audit{have: numbers(f)}
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil || e == nil {
			return a.missing, a.seen, err
		}
		switch e.Tag {
		case dwarf.TagEnumerationType, dwarf.TagStructType, dwarf.TagUnionType:
			if err := a.entry(d, e); err != nil {
				return nil, 0, err
			}
			r.SkipChildren()
		default:
		}
	}
}

// numbers returns the numbers in the facts for everything that debug information names:
// values, offsets, sizes.
func numbers(f *facts.Facts) map[string]string {
	have := map[string]string{}
	add := func(name string, v any) { have[name] = fmt.Sprint(v) }
	for _, e := range f.Enums {
		for _, v := range e.Values {
			add(e.Prefix+v.Name, v.Val)
		}
	}
	for _, o := range f.Objects {
		for _, a := range o.Attrs {
			add(o.Prefix+a.Name, a.ID)
		}
		for _, v := range o.Stats {
			add(o.StatPrefix+v.Name, v.Val)
		}
	}
	for _, s := range f.Structs {
		for _, m := range s.Fields {
			add("sai_"+s.Name+"."+m.Name, m.Off)
		}
		add("sizeof sai_"+s.Name, s.Size)
	}
	for _, a := range f.APIs {
		for i, s := range a.Slots {
			add("sai_"+a.Name+"_api_t."+s.Name, 8*i)
		}
		add("sizeof sai_"+a.Name+"_api_t", 8*len(a.Slots))
	}
	return have
}

// entry compares a type if it is one of SAI's.
func (a *audit) entry(d *dwarf.Data, e *dwarf.Entry) error {
	name, _ := e.Val(dwarf.AttrName).(string)
	if !strings.HasPrefix(name, "_sai") {
		return nil
	}
	typ, err := d.Type(e.Offset)
	if err != nil {
		return err
	}
	switch t := typ.(type) {
	case *dwarf.EnumType:
		for _, v := range t.Val {
			a.value(v)
		}
	case *dwarf.StructType:
		a.see("sizeof "+name[1:], fmt.Sprint(t.ByteSize))
		for _, m := range t.Field {
			a.see(name[1:]+"."+m.Name, fmt.Sprint(m.ByteOffset))
		}
	}
	return nil
}

func (a *audit) see(name, val string) {
	a.seen++
	switch got, ok := a.have[name]; {
	case !ok:
		a.missing = append(a.missing, name+" = "+val)
	case got != val:
		a.missing = append(a.missing, name+" = "+val+", facts say "+got)
	}
}

var markerName = regexp.MustCompile(`(_ATTR_START|_ATTR_END|_CUSTOM_RANGE_(START|BASE|END))$`)

// value compares a value of an enum. Markers are not in the facts: their values must
// follow the rule.
func (a *audit) value(v *dwarf.EnumValue) {
	m := markerName.FindString(v.Name)
	if m == "" || a.have[v.Name] != "" {
		a.see(v.Name, fmt.Sprint(int64(int32(v.Val))))
		return
	}
	a.seen++
	if strings.Contains(m, "CUSTOM") && v.Val>>8 != facts.CustomBase>>8 {
		a.missing = append(a.missing, fmt.Sprintf("%s = %d, not where the rule puts it", v.Name, v.Val))
	}
}
