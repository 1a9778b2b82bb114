package vsai

import (
	"xon/sai"
)

// checkCreate checks the attributes of a create.
func (c *Chip) checkCreate(o *sai.ObjectMeta, attrs []sai.Attribute) sai.Status {
	for i := range attrs {
		if attrs[i].AttrMeta == nil || o.Attr(attrs[i].ID) != attrs[i].AttrMeta {
			return sai.StatusUnknownAttribute0 - sai.Status(i)
		}
	}
	if st := o.Check(attrs); st != 0 {
		return st
	}
	v := candidate{o: o, attrs: attrs}
	for i := range attrs {
		if c.lacksAttr(attrs[i].AttrMeta) {
			return sai.StatusAttrNotSupported0 - sai.Status(i)
		}
		if !c.valueOK(attrs[i]) {
			return sai.StatusInvalidAttrValue0 - sai.Status(i)
		}
	}
	if c.keyInUse(v) {
		return sai.StatusItemAlreadyExists
	}
	return c.checkRule(v)
}

// checkSet checks the attribute of a set.
func (c *Chip) checkSet(x *object, a sai.Attribute) sai.Status {
	o := x.t.meta
	if a.AttrMeta == nil || o.Attr(a.ID) != a.AttrMeta {
		return sai.StatusUnknownAttribute0
	}
	if st := o.CheckSet(a); st != 0 {
		return st
	}
	v := candidate{o: o, x: x, attrs: []sai.Attribute{a}}
	if !a.Has(sai.Relaxed) && !o.Wants(a.AttrMeta, v.set) {
		return sai.StatusInvalidAttribute0
	}
	if c.lacksAttr(a.AttrMeta) {
		return sai.StatusAttrNotSupported0
	}
	if !c.valueOK(a) {
		return sai.StatusInvalidAttrValue0
	}
	return c.checkRule(v)
}

// valueOK checks a value: the objects that it refers to, and its range.
func (c *Chip) valueOK(a sai.Attribute) bool {
	if holdsRefs(a.Kind) && !c.refsExist(a) {
		return false
	}
	if r, ok := ranges[a.AttrMeta]; ok {
		lo, hi := r(c.limits)
		return int64(a.Num) >= lo && int64(a.Num) <= hi
	}
	return c.acceptsChoice(a)
}

// checkRule runs the rule of the object's type, if any, and returns a status for the
// attribute that violates it.
func (c *Chip) checkRule(v candidate) sai.Status {
	f := rules[v.o.Type]
	if f == nil {
		return 0
	}
	bad := f(c, v)
	if bad == nil {
		return 0
	}
	for i := range v.attrs {
		if v.attrs[i].AttrMeta == bad {
			return sai.StatusInvalidAttrValue0 - sai.Status(i)
		}
	}
	return sai.StatusInvalidParameter
}

// keyInUse reports whether another object has the key of a new one.
func (c *Chip) keyInUse(v candidate) bool {
	keys := c.typ(v.o).keys
	if len(keys) == 0 {
		return false
	}
	for _, x := range c.list(v.o) {
		if sameKey(keys, v, x) {
			return true
		}
	}
	return false
}

func sameKey(keys []*sai.AttrMeta, v candidate, x *object) bool {
	for _, a := range keys {
		have, ok := x.value(a.ID)
		want, given := v.value(a)
		if !ok || !given || !sai.Equal(a.Kind, have, want) {
			return false
		}
	}
	return true
}

// keysOf lists the attributes that make an object unique: the keys in SAI's metadata,
// the name of a host interface, which must be unique in the kernel, and the VLAN of a
// bridge port.
func keysOf(o *sai.ObjectMeta) (keys []*sai.AttrMeta) {
	for _, a := range o.Attrs {
		if a.Has(sai.KeyAttr) || a == sai.HostifAttrName.AttrMeta ||
			a == sai.VLANMemberAttrVLANID.AttrMeta || a == sai.VLANMemberAttrBridgePortID.AttrMeta {
			keys = append(keys, a)
		}
	}
	return keys
}
