package vsai

import "xon/sai"

// view is an object as it would be: attributes of a call over what is stored,
// and defaults for the rest.
type view struct {
	o    *sai.ObjectMeta
	x    *object // nil on create
	with []sai.Attribute
}

// set returns an attribute that was given a value.
func (v view) set(a *sai.AttrMeta) (val sai.Value, ok bool) {
	for i := range v.with {
		if v.with[i].AttrMeta == a {
			return v.with[i].Value, true
		}
	}
	if v.x != nil {
		return v.x.value(a.ID)
	}
	return sai.Value{}, false
}

// value returns an attribute; ok is false if it has none, not even a default.
func (v view) value(a *sai.AttrMeta) (val sai.Value, ok bool) {
	if val, ok = v.set(a); ok {
		return val, true
	}
	return defaultOf(a)
}

func (v view) num(a *sai.AttrMeta) uint64 {
	val, _ := v.value(a)
	return val.Num
}

// given reports whether a call brings an attribute.
func (v view) given(a *sai.AttrMeta) bool {
	for i := range v.with {
		if v.with[i].AttrMeta == a {
			return true
		}
	}
	return false
}
