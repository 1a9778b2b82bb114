package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pos is a position in a file, for errors.
type Pos struct {
	File string
	Line int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// errorf returns an error with the position.
func (p Pos) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", p, fmt.Errorf(format, args...))
}

// decoder decodes YAML into structs. Field names come from the tag "yaml". It reports
// all errors, each with its line. It adds to the YAML library: units, lines, and
// ordered mappings (a slice of structs with a field "Name").
type decoder struct {
	file   string
	faults []error
}

// scalar is a type that parses its own text.
type scalar interface{ parse(text string) error }

// decode decodes a file's text into v, a pointer.
func decode(file string, text []byte, v any) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return fmt.Errorf("%s: it is empty; xonctl simulate --example prints a complete one", file)
	}
	d := &decoder{file: file}
	d.value(doc.Content[0], reflect.ValueOf(v).Elem(), "")
	return errors.Join(d.faults...)
}

func (d *decoder) fault(n *yaml.Node, what, format string, args ...any) {
	if what != "" {
		format = strings.ReplaceAll(what, "%", "%%") + ": " + format
	}
	d.faults = append(d.faults, d.at(n).errorf(format, args...))
}

func (d *decoder) at(n *yaml.Node) Pos { return Pos{d.file, n.Line} }

func (d *decoder) value(n *yaml.Node, v reflect.Value, what string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if s, ok := v.Addr().Interface().(scalar); ok {
		d.place(n, v)
		d.scalar(n, what, s.parse)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), what)
	case reflect.Struct:
		d.fields(n, v, what)
	case reflect.Slice:
		d.list(n, v, what)
	case reflect.Map:
		d.table(n, v, what)
	default:
		d.scalar(n, what, func(text string) error { return basic(text, v) })
	}
}

// scalar parses a text.
func (d *decoder) scalar(n *yaml.Node, what string, parse func(string) error) {
	if n.Kind != yaml.ScalarNode {
		d.fault(n, what, "want one value here")
		return
	}
	if err := parse(n.Value); err != nil {
		d.fault(n, what, "%w", err)
	}
}

// basic parses a value of a basic type.
func basic(text string, v reflect.Value) (err error) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q: want true or false", text)
		}
		v.SetBool(b)
	default:
		i, err := strconv.ParseInt(text, 0, 64)
		if err != nil || overflows(i, v) {
			return fmt.Errorf("%q: want a whole number that fits %s", text, limits(v))
		}
		if v.CanInt() {
			v.SetInt(i)
		} else {
			v.SetUint(uint64(i))
		}
	}
	return nil
}

func overflows(i int64, v reflect.Value) bool {
	if v.CanInt() {
		return v.OverflowInt(i)
	}
	return i < 0 || v.OverflowUint(uint64(i))
}

func limits(v reflect.Value) string {
	if bits := v.Type().Bits(); bits < 64 {
		if v.CanInt() {
			return fmt.Sprintf("%d..%d", -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1)
		}
		return fmt.Sprintf("0..%d", int64(1)<<bits-1)
	}
	if v.CanInt() {
		return fmt.Sprintf("%d..%d", math.MinInt64, math.MaxInt64)
	}
	return fmt.Sprintf("0..%d", math.MaxInt64)
}

// fields decodes a struct.
func (d *decoder) fields(n *yaml.Node, v reflect.Value, what string) {
	d.place(n, v)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // everything at its default
	}
	if n.Kind != yaml.MappingNode {
		d.fault(n, what, "want fields here: %s", strings.Join(fieldNames(v.Type()), ", "))
		return
	}
	d.each(n, what, func(key, value *yaml.Node) {
		if f, ok := fieldOf(v, key.Value); ok {
			d.value(value, f, join(what, key.Value))
			return
		}
		d.fault(key, what, "there is no field %q; there are %s", key.Value, strings.Join(fieldNames(v.Type()), ", "))
	})
}

// place sets the position of a struct with a field "At".
func (d *decoder) place(n *yaml.Node, v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	if at := v.FieldByName("At"); at.IsValid() && at.Type() == reflect.TypeFor[Pos]() {
		at.Set(reflect.ValueOf(d.at(n)))
	}
}

// each iterates over a mapping, whose keys must be unique.
func (d *decoder) each(n *yaml.Node, what string, f func(key, value *yaml.Node)) {
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if slices.Contains(seen, key.Value) {
			d.fault(key, what, "%q stands twice", key.Value)
			continue
		}
		seen = append(seen, key.Value)
		f(key, n.Content[i+1])
	}
}

// list decodes a slice from a sequence, a single value, or a mapping of names.
func (d *decoder) list(n *yaml.Node, v reflect.Value, what string) {
	elem := v.Type().Elem()
	grow := func() reflect.Value {
		v.Set(reflect.Append(v, reflect.Zero(elem)))
		return v.Index(v.Len() - 1)
	}
	named := elem.Kind() == reflect.Struct && hasName(elem)
	switch {
	case n.Kind == yaml.MappingNode && named:
		d.each(n, what, func(key, value *yaml.Node) {
			e := grow()
			e.FieldByName("Name").SetString(key.Value)
			d.value(value, e, join(what, key.Value))
		})
	case n.Kind == yaml.SequenceNode && !named:
		for i, c := range n.Content {
			d.value(c, grow(), fmt.Sprintf("%s[%d]", what, i))
		}
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
	case n.Kind == yaml.ScalarNode && elem.Kind() != reflect.Struct:
		d.value(n, grow(), what)
	case named:
		d.fault(n, what, "want names, each with its fields")
	default:
		d.fault(n, what, "want a list")
	}
}

func hasName(t reflect.Type) bool {
	f, ok := t.FieldByName("Name")
	return ok && f.Tag.Get("yaml") == "-"
}

// table decodes a map with string keys.
func (d *decoder) table(n *yaml.Node, v reflect.Value, what string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.fault(n, what, "want names with values")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	d.each(n, what, func(key, value *yaml.Node) {
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		before := len(d.faults)
		d.value(key, k, what)
		d.value(value, e, join(what, key.Value))
		if len(d.faults) == before {
			v.SetMapIndex(k, e)
		}
	})
}

// fieldOf finds a field by its YAML name, also in embedded structs.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous && f.Tag.Get("yaml") == name && name != "-" {
			return v.FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

func fieldNames(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func join(what, name string) string {
	if what == "" {
		return name
	}
	return what + "." + name
}
