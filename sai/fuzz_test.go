package sai_test

import (
	"math/rand/v2"
	"testing"

	"xon/sai"
)

// kindAttrs has one attribute of each kind, with its object.
func kindAttrs() (objects []*sai.ObjectMeta, attrs []*sai.AttrMeta) {
	var seen [sai.KindCount]bool
	for _, o := range sai.Objects {
		for _, a := range o.Attrs {
			if !seen[a.Kind] {
				seen[a.Kind] = true
				objects, attrs = append(objects, o), append(attrs, a)
			}
		}
	}
	return objects, attrs
}

// Any text either is a value, which written and read again is the same one, or
// gives an error.
func FuzzParse(f *testing.F) {
	_, attrs := kindAttrs()
	r := rand.New(rand.NewPCG(3, 4))
	for i, a := range attrs {
		f.Add(uint16(i), a.Format(sai.Value{}))
		f.Add(uint16(i), a.Format(sai.Random(r, a.Kind, a.Enum)))
	}
	f.Fuzz(func(t *testing.T, n uint16, text string) {
		a := attrs[int(n)%len(attrs)]
		v, err := a.Parse(text)
		if err != nil {
			return
		}
		again, err := a.Parse(a.Format(v))
		if err != nil || !sai.Equal(a.Kind, v, again) {
			t.Errorf("%s: %q is %q, which is %q, %v", a.FullName(), text, a.Format(v), a.Format(again), err)
		}
	})
}

// Any bytes either are an attribute, which written and read again is the same
// one, or give an error.
func FuzzReadAttribute(f *testing.F) {
	objects, attrs := kindAttrs()
	r := rand.New(rand.NewPCG(5, 6))
	for i, a := range attrs {
		f.Add(uint16(i), sai.AppendAttribute(nil, sai.Attribute{AttrMeta: a}))
		f.Add(uint16(i), sai.AppendAttribute(nil, sai.Attribute{AttrMeta: a, Value: sai.Random(r, a.Kind, a.Enum)}))
	}
	f.Fuzz(func(t *testing.T, n uint16, b []byte) {
		o := objects[int(n)%len(objects)]
		a, rest, err := sai.ReadAttribute(o, b)
		if err != nil {
			return
		}
		if len(rest) > len(b) {
			t.Errorf("%d bytes are left of %d", len(rest), len(b))
		}
		again, _, err := sai.ReadAttribute(o, sai.AppendAttribute(nil, a))
		if err != nil || again.AttrMeta != a.AttrMeta || !sai.Equal(a.Kind, a.Value, again.Value) {
			t.Errorf("%s became %s, %v", a, again, err)
		}
	})
}
