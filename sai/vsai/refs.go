package vsai

import (
	"encoding/binary"
	"reflect"
	"slices"

	"xon/sai"
)

// eachRef calls f for every object that an attribute's value names, as often as
// it names it.
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

// inner is the kind of what an ACL field or action holds.
func inner(k sai.Kind) sai.Kind {
	if k == sai.KindFieldOID || k == sai.KindActionOID {
		return sai.KindOID
	}
	return sai.KindOIDList
}

// holdsRefs reports whether values of a kind can name objects.
func holdsRefs(k sai.Kind) bool {
	switch k {
	case sai.KindOID, sai.KindOIDList, sai.KindFieldOID, sai.KindFieldOIDList, sai.KindActionOID, sai.KindActionOIDList:
		return true
	default:
		return false
	}
}

// refsExist reports whether all that a value names is there and of a type that
// the attribute allows.
func (c *Chip) refsExist(a sai.Attribute) bool {
	ok := true
	eachRef(a.Kind, a.Value, func(id sai.OID) {
		x := c.byID(id)
		ok = ok && x != nil && (len(a.Objects) == 0 || slices.Contains(a.Objects, x.t.meta.Type))
	})
	return ok
}

// link counts what a value of owner's attribute names: d is 1 when the value is
// stored and -1 when it goes.
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

// replace stores a value in place of another and counts both.
func (c *Chip) replace(x *object, a *sai.AttrMeta, v sai.Value) {
	if old, ok := x.value(a.ID); ok {
		c.link(x, a, old, -1)
	}
	c.link(x, a, v, 1)
	x.store(a, v)
}

// entryField is an object id within an entry struct, beside the switch.
type entryField struct {
	off int
	ok  []sai.ObjectType
}

// entryFields says which objects the entry structs name, by what SAI's headers
// say of their members.
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

// entryOK checks an entry struct: its size, its switch, the objects in it.
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

// linkEntry counts what an entry struct names.
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
