package vsai

import (
	"encoding/binary"
	"reflect"
	"slices"

	"xon/sai"
)

// eachRef calls f for every object reference in an attribute's value, with duplicates.
func eachRef(k sai.Kind, v sai.Value, f func(sai.OID)) {
	switch k {
	case sai.KindOID:
		if v.Num != 0 {
			f(sai.OID(v.Num))
		}
	case sai.KindOIDList:
		ids, _ := v.Ref.([]sai.OID)
		for _, id := range ids {
			if id != 0 {
				f(id)
			}
		}
	case sai.KindFieldOID, sai.KindFieldOIDList:
		if x, ok := v.Ref.(sai.FieldValue); ok {
			eachRef(inner(k), x.Data, f)
		}
	case sai.KindActionOID, sai.KindActionOIDList:
		if x, ok := v.Ref.(sai.ParamValue); ok {
			eachRef(inner(k), x.Value, f)
		}
	default:
	}
}

// inner is the kind of the data of an ACL field or action.
func inner(k sai.Kind) sai.Kind {
	if k == sai.KindFieldOID || k == sai.KindActionOID {
		return sai.KindOID
	}
	return sai.KindOIDList
}

// holdsRefs reports whether values of a kind can contain object references.
func holdsRefs(k sai.Kind) bool {
	switch k {
	case sai.KindOID, sai.KindOIDList, sai.KindFieldOID, sai.KindFieldOIDList, sai.KindActionOID, sai.KindActionOIDList:
		return true
	default:
		return false
	}
}

// refsExist reports whether all referenced objects exist and have a type that the
// attribute allows.
func (c *Chip) refsExist(a sai.Attribute) bool {
	ok := true
	eachRef(a.Kind, a.Value, func(id sai.OID) {
		x := c.byID(id)
		ok = ok && x != nil && (len(a.Objects) == 0 || slices.Contains(a.Objects, x.t.meta.Type))
	})
	return ok
}

// link counts the references in a value of owner's attribute: d is 1 when the value is
// stored and -1 when it is removed.
func (c *Chip) link(owner *object, a *sai.AttrMeta, v sai.Value, d int32) {
	if !holdsRefs(a.Kind) || a.Has(sai.ReadOnly) {
		return
	}
	eachRef(a.Kind, v, func(id sai.OID) {
		if x := c.byID(id); x != nil {
			x.refs += d
			c.countUse(owner, a, x, d)
		}
	})
}

// replace replaces a value and updates the reference counts.
func (c *Chip) replace(x *object, a *sai.AttrMeta, v sai.Value) {
	if old, ok := x.value(a.ID); ok {
		c.link(x, a, old, -1)
	}
	c.link(x, a, v, 1)
	x.store(a, v)
}

// entryField is an object ID in an entry struct, other than the switch.
type entryField struct {
	off int
	ok  []sai.ObjectType
}

// entryFields lists the object references in entry structs, by the description of their
// members in SAI's headers.
var entryFields = layoutEntries(map[string][]sai.ObjectType{
	"VrID":  {sai.ObjectTypeVirtualRouter},
	"RifID": {sai.ObjectTypeRouterInterface},
	"BvID":  {sai.ObjectTypeBridge, sai.ObjectTypeVLAN},
}, sai.RouteEntry{}, sai.NeighborEntry{}, sai.FDBEntry{})

func layoutEntries(members map[string][]sai.ObjectType, entries ...sai.Object) map[*sai.ObjectMeta][]entryField {
	out := map[*sai.ObjectMeta][]entryField{}
	for _, e := range entries {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(e)) {
			if types := members[f.Name]; types != nil {
				out[e.Meta()] = append(out[e.Meta()], entryField{off: int(f.Offset), ok: types})
			}
		}
	}
	return out
}

// entryOK checks an entry struct: its size, its switch and its object references.
func (c *Chip) entryOK(o *sai.ObjectMeta, entry []byte) bool {
	if len(entry) != o.Entry || sai.OID(binary.LittleEndian.Uint64(entry)) != c.sw.id {
		return false
	}
	for _, f := range entryFields[o] {
		x := c.byID(entryID(entry, f))
		if x == nil || !slices.Contains(f.ok, x.t.meta.Type) {
			return false
		}
	}
	return true
}

// linkEntry counts the references in an entry struct.
func (c *Chip) linkEntry(o *sai.ObjectMeta, entry string, d int32) {
	for _, f := range entryFields[o] {
		if x := c.byID(entryID([]byte(entry), f)); x != nil {
			x.refs += d
		}
	}
}

func entryID(entry []byte, f entryField) sai.OID {
	return sai.OID(binary.LittleEndian.Uint64(entry[f.off:]))
}
