package sai

import "slices"

// Check checks the attributes of a create by SAI's metadata alone: it finds unknown,
// repeated and read-only attributes, attributes whose condition is false, values out of
// range, null objects, and missing mandatory attributes. If the status names an
// attribute, it is the first invalid one.
//
// An attribute whose Valid condition is false may be given; it has no effect.
func (o *ObjectMeta) Check(attrs []Attribute) Status {
	for i := range attrs {
		a := &attrs[i]
		switch {
		case !o.has(a.AttrMeta):
			return StatusUnknownAttribute0 - Status(i)
		case a.Has(ReadOnly) || given(attrs[:i], a.ID):
			return StatusInvalidAttribute0 - Status(i)
		case !a.allows(a.Value):
			return StatusInvalidAttrValue0 - Status(i)
		}
	}
	have := lookup(attrs)
	for i := range attrs {
		if !attrs[i].Has(Relaxed) && !o.Wants(attrs[i].AttrMeta, have) {
			return StatusInvalidAttribute0 - Status(i)
		}
	}
	if o.missing(attrs) != nil {
		return StatusMandatoryAttributeMissing
	}
	return StatusSuccess
}

// CheckSet checks the attribute of a set: it must be known, not read-only or
// create-only, and in range. It does not check conditions, which need the object's
// other attributes: see Wants.
func (o *ObjectMeta) CheckSet(a Attribute) Status {
	switch {
	case !o.has(a.AttrMeta):
		return StatusUnknownAttribute0
	case !a.Has(Settable):
		return StatusInvalidAttribute0
	case !a.allows(a.Value):
		return StatusInvalidAttrValue0
	}
	return StatusSuccess
}

// has reports whether an attribute belongs to the object type.
func (o *ObjectMeta) has(a *AttrMeta) bool { return a != nil && o.Attr(a.ID) == a }

// missing returns the first mandatory attribute that is not given, or nil.
func (o *ObjectMeta) missing(attrs []Attribute) *AttrMeta {
	for _, m := range o.Attrs {
		if m.Has(Mandatory) && !given(attrs, m.ID) && o.Wants(m, lookup(attrs)) {
			return m
		}
	}
	return nil
}

func given(attrs []Attribute, id uint32) bool {
	return slices.ContainsFunc(attrs, func(a Attribute) bool { return a.ID == id })
}

// lookup returns a function that finds values among attributes, for Wants and Matters.
func lookup(attrs []Attribute) func(*AttrMeta) (Value, bool) {
	return func(m *AttrMeta) (Value, bool) {
		for i := range attrs {
			if attrs[i].ID == m.ID {
				return attrs[i].Value, true
			}
		}
		return Value{}, false
	}
}

// Wants reports whether the condition If of an attribute is true or it has none: then
// an object may have the attribute, and must if it is Mandatory. have returns the
// object's attributes; others have their defaults.
func (o *ObjectMeta) Wants(a *AttrMeta, have func(*AttrMeta) (Value, bool)) bool {
	return len(a.when) == 0 || o.holds(a.when, have)
}

// Matters reports whether the condition Valid of an attribute is true or it has none:
// then the attribute has an effect.
func (o *ObjectMeta) Matters(a *AttrMeta, have func(*AttrMeta) (Value, bool)) bool {
	return len(a.valid) == 0 || o.holds(a.valid, have)
}

// step is one step of a condition in reverse Polish order.
type step struct {
	op   op
	attr uint32
	num  int64
}

// op is the operation of a step: compare an attribute with a number, or combine the two
// previous results.
type op uint8

const (
	opEqual op = iota
	opDiffers
	opAnd
	opOr
)

// holds evaluates a condition. A comparison with an attribute without value and known
// default is false.
func (o *ObjectMeta) holds(steps []step, have func(*AttrMeta) (Value, bool)) bool {
	var stack [16]bool // the longest generated condition needs 5
	n := 0
	for _, s := range steps {
		switch s.op {
		case opAnd, opOr:
			n--
			x, y := stack[n-1], stack[n]
			stack[n-1] = s.op == opAnd && x && y || s.op == opOr && (x || y)
		case opEqual, opDiffers:
			num, ok := o.Attr(s.attr).num(have)
			stack[n] = ok && (num == uint64(s.num)) == (s.op == opEqual)
			n++
		}
	}
	return stack[0]
}

// num returns the value of an attribute, or its default.
func (a *AttrMeta) num(have func(*AttrMeta) (Value, bool)) (uint64, bool) {
	if v, ok := have(a); ok {
		return v.Num, true
	}
	return a.DefaultNum()
}

// allows reports whether the attribute allows a value.
func (a *AttrMeta) allows(v Value) bool {
	switch {
	case a.Kind == KindOID && v.Num == 0:
		return a.Has(NullOK)
	case a.Kind == KindU16 && a.Has(VlanID):
		return v.Num <= 4095 // some attributes use 0 and 4095 for "none"
	case a.Kind == KindOIDList && !a.Has(NullOK):
		ids, _ := v.Ref.([]OID)
		if slices.Contains(ids, Null) {
			return false
		}
	}
	return inRange(a.Kind, a.Enum, v)
}

// inRange reports whether a value fits its kind: numbers fit the width, enums are
// known, and other values have the kind's Go type.
func inRange(k Kind, e *EnumMeta, v Value) bool {
	if r := codecs[k]; r != nil {
		return r.check(e, v.Ref)
	}
	bits, signed := k.width()
	switch {
	case k == KindEnum && e != nil:
		return int64(int32(v.Num)) == int64(v.Num) && e.index(int32(v.Num)) >= 0
	case bits == 0:
		return false
	case signed:
		return int64(v.Num)<<(64-bits)>>(64-bits) == int64(v.Num)
	}
	return v.Num<<(64-bits)>>(64-bits) == v.Num
}
