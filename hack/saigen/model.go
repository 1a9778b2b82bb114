package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xon/sai/facts"
)

// model is the content of the generated files, with all names and kinds resolved.
type model struct {
	facts   *facts.Facts
	objects []*object
	kinds   []kind
	notes   []notification

	flat    map[string]string // C struct → the Go type of its layout, "" if it has none
	structs []string          // C names of those that get a Go type, in order of use
	enums   map[string]bool   // C names of used enums
	layouts []string          // C names of structs that codecs need, inner ones first
}

// object is an object type in scope.
type object struct {
	*facts.Object
	name  string // Go type
	api   *facts.API
	entry *facts.Struct // struct of the key; nil for an object with an ID
	attrs []attr        // in order of id
	stats []facts.Value // in order of id, no id twice
}

// attr is an attribute in scope.
type attr struct {
	facts.Attr
	name  string // of the Go variable
	doc   string // its comment, if it has one
	full  string // SAI_QUEUE_ATTR_TYPE
	kind  kind
	enum  string // C name of the enum of its values, if any
	def   string // its default as a number, if it is one
	when  []step // condition If
	valid []step
}

func newModel(f *facts.Facts, apis []string) (*model, error) {
	m := &model{facts: f, flat: map[string]string{}, enums: map[string]bool{}}
	for _, e := range alwaysUsed {
		m.enums[e] = true
	}
	if err := m.addObjects(apis); err != nil {
		return nil, err
	}
	for _, o := range m.objects {
		if err := m.addAttrs(o); err != nil {
			return nil, fmt.Errorf("object %s: %w", o.Name, err)
		}
	}
	m.addNotifications()
	m.addStructs()
	return m, m.addKinds()
}

// alwaysUsed are the enums that the hand-written code uses.
var alwaysUsed = []string{
	"object_type_t", "api_t", "stats_mode_t", "log_level_t", "bulk_op_error_mode_t", "acl_action_type_t", "acl_table_supported_match_type_t",
}

// addObjects adds the objects of the named APIs.
func (m *model) addObjects(apis []string) error {
	missing := slices.Clone(apis)
	for _, o := range m.facts.Objects {
		if !slices.Contains(apis, o.API) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(a string) bool { return a == o.API })
		i := slices.IndexFunc(m.facts.APIs, func(a *facts.API) bool { return a.Name == o.API })
		x := &object{Object: o, name: objectName(o.Name), api: m.facts.APIs[i], stats: proper(o.Stats)}
		if s := m.facts.Struct(o.Name + "_t"); s != nil && strings.HasSuffix(o.Name, "_entry") {
			x.entry = s
		}
		m.objects = append(m.objects, x)
	}
	if len(missing) > 0 {
		return fmt.Errorf("no objects of API %s", strings.Join(missing, ", "))
	}
	return nil
}

// unique sorts values and keeps one name for each, preferably not a marker.
func unique(vs []facts.Value) []facts.Value {
	vs = slices.Clone(vs)
	slices.SortStableFunc(vs, func(a, b facts.Value) int {
		return cmp.Or(cmp.Compare(a.Val, b.Val), btoi(isMarker(a.Name))-btoi(isMarker(b.Name)))
	})
	return slices.CompactFunc(vs, func(a, b facts.Value) bool { return a.Val == b.Val })
}

// isMarker reports whether a value only marks the start or end of a range. SAI gives
// most markers the number of a real value.
func isMarker(name string) bool {
	return name == "START" || name == "END" || strings.Contains(name, "_RANGE_") || strings.HasSuffix(name, "RANGE_BASE") || strings.HasSuffix(name, "RANGE_END")
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// proper returns the values of an enum without markers, sorted, without duplicates.
func proper(vs []facts.Value) []facts.Value {
	return slices.DeleteFunc(unique(vs), func(v facts.Value) bool { return isMarker(v.Name) })
}

func (m *model) inScope(objectType string) bool {
	return slices.ContainsFunc(m.objects, func(o *object) bool { return strings.EqualFold(o.Name, objectType) })
}

func (m *model) addAttrs(o *object) error {
	for _, a := range o.Attrs {
		if a.Type == "" {
			continue // a marker
		}
		if err := m.addAttr(o, a, ""); err != nil {
			return err
		}
	}
	for _, c := range customAttrs[o.Name] {
		if err := m.addAttr(o, c.Attr, c.doc); err != nil {
			return err
		}
	}
	slices.SortStableFunc(o.attrs, func(a, b attr) int { return cmp.Compare(a.ID, b.ID) })
	for i := range o.attrs {
		if err := m.resolve(o, &o.attrs[i]); err != nil {
			return fmt.Errorf("attribute %s: %w", o.attrs[i].Name, err)
		}
	}
	return nil
}

func (m *model) addAttr(o *object, a facts.Attr, doc string) error {
	k, err := m.kindOf(a)
	if err != nil {
		return fmt.Errorf("attribute %s: %w", a.Name, err)
	}
	x := attr{Attr: a, name: camel(o.Name) + "Attr" + camel(a.Name), doc: doc, full: o.Prefix + a.Name, kind: k, enum: m.enumOf(a)}
	if x.enum != "" {
		m.enums[x.enum] = true
	}
	o.attrs = append(o.attrs, x)
	return nil
}

// resolve resolves what depends on the object's other attributes.
func (m *model) resolve(o *object, a *attr) (err error) {
	if a.def, err = m.defaultNum(a); err != nil {
		return err
	}
	if a.when, err = m.compile(o, a.If); err != nil {
		return err
	}
	a.valid, err = m.compile(o, a.Valid)
	return err
}

// enumOf returns the enum of an attribute's values or list elements.
func (m *model) enumOf(a facts.Attr) string {
	for w := range strings.FieldsSeq(a.Type) {
		if elem, ok := m.list(w); ok {
			w = elem
		}
		if m.facts.Enum(w) != nil {
			return w
		}
	}
	return ""
}
