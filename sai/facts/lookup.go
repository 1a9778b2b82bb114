package facts

import (
	"fmt"
	"slices"
)

// CustomBase is the start of the range for vendors' values.
const CustomBase = 0x10000000

// Object finds an object type by name, or returns nil.
func (f *Facts) Object(name string) *Object {
	return find(f.Objects, func(o *Object) bool { return o.Name == name })
}

// Enum finds an enum by name, or returns nil.
func (f *Facts) Enum(name string) *Enum {
	return find(f.Enums, func(e *Enum) bool { return e.Name == name })
}

// Struct finds a struct or union by name, or returns nil.
func (f *Facts) Struct(name string) *Struct {
	return find(f.Structs, func(s *Struct) bool { return s.Name == name })
}

// FnType finds a function pointer type, or returns nil.
func (f *Facts) FnType(name string) *Func {
	i := slices.IndexFunc(f.FnTypes, func(x Func) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return &f.FnTypes[i]
}

func find[T any](s []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(s, is); i >= 0 {
		return s[i]
	}
	return nil
}

// End is the number after the last attribute: SAI's ATTR_END.
func (o *Object) End() int64 {
	if o.EndID != 0 {
		return o.EndID
	}
	for _, a := range o.Attrs {
		if a.Name == "END" {
			return a.ID
		}
	}
	return o.next()
}

func (o *Object) next() int64 {
	n := int64(0)
	for _, a := range o.Attrs {
		if a.ID < CustomBase && a.Name != "END" && !slices.Contains(a.Opts, "ext") {
			n = a.ID + 1
		}
	}
	return n
}

// marker reports whether a value only marks the start of the vendors' range. SAI gives
// the same number to all of them.
func marker(v Value) bool {
	switch v.Name {
	case "CUSTOM_RANGE_BASE", "CUSTOM_RANGE_START":
		return v.Val == CustomBase
	case "CUSTOM_RANGE_END":
		return v.Val == CustomBase+1
	}
	return false
}

// Count returns the number of facts of each kind.
func (f *Facts) Count() string {
	values, fields, slots, attrs, stats := 0, 0, 0, 0, 0
	for _, e := range f.Enums {
		if e.Attr == "" && e.Stat == "" {
			values += len(e.Values)
		}
	}
	for _, s := range f.Structs {
		fields += len(s.Fields)
	}
	for _, a := range f.APIs {
		slots += len(a.Slots)
	}
	for _, o := range f.Objects {
		attrs += len(o.Attrs)
		stats += len(o.Stats)
	}
	return fmt.Sprintf("%d APIs with %d slots, %d objects with %d attributes and %d counters, %d enums with %d values, %d structs with %d fields, %d functions",
		len(f.APIs), slots, len(f.Objects), attrs, stats, len(f.Enums), values, len(f.Structs), fields, len(f.Funcs)+len(f.FnTypes))
}
