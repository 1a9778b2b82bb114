package vsai

import "xon/sai"

// candidate is an object as it would be after a call: the call's attributes, then
// stored ones, then defaults.
type candidate struct {
	o     *sai.ObjectMeta
	x     *object // nil on create
	attrs []sai.Attribute
}

// set returns an attribute that is set explicitly.
func (v candidate) set(a *sai.AttrMeta) (val sai.Value, ok bool) {
	for i := range v.attrs {
		if v.attrs[i].AttrMeta == a {
			return v.attrs[i].Value, true
		}
	}
	if v.x != nil {
		return v.x.value(a.ID)
	}
	return sai.Value{}, false
}

// value returns an attribute; ok is false if it has no value and no default.
func (v candidate) value(a *sai.AttrMeta) (val sai.Value, ok bool) {
	if val, ok = v.set(a); ok {
		return val, true
	}
	return defaultOf(a)
}

func (v candidate) num(a *sai.AttrMeta) uint64 {
	val, _ := v.value(a)
	return val.Num
}

// inCall reports whether the call contains an attribute.
func (v candidate) inCall(a *sai.AttrMeta) bool {
	for i := range v.attrs {
		if v.attrs[i].AttrMeta == a {
			return true
		}
	}
	return false
}
