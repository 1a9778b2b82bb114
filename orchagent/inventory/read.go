package inventory

import (
	"fmt"

	"xon/sai"
)

// table is the values of the same attributes of several objects.
type table [][]sai.Attribute

// read reads attributes of objects of one type. What the chip lacks is absent.
func read(sw *sai.Switch, o *sai.ObjectMeta, ids []sai.OID, want ...*sai.AttrMeta) (table, error) {
	keys, attrs := make([]sai.Key, len(ids)), make([][]sai.Attribute, len(ids))
	flat := make([]sai.Attribute, len(ids)*len(want))
	for i, id := range ids {
		keys[i].OID = id
		attrs[i], flat = flat[:len(want):len(want)], flat[len(want):]
		for j, a := range want {
			attrs[i][j].AttrMeta = a
		}
	}
	for i, err := range sai.GetAll(sw, o, keys, attrs) {
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Type, ids[i], err)
		}
	}
	return attrs, nil
}

func (t table) find(i int, a *sai.AttrMeta) (sai.Value, bool) {
	for _, have := range t[i] {
		if have.AttrMeta == a {
			return have.Value, true
		}
	}
	return sai.Value{}, false
}

func (t table) has(i int, a *sai.AttrMeta) bool { _, ok := t.find(i, a); return ok }

func (t table) val(i int, a *sai.AttrMeta) sai.Value { v, _ := t.find(i, a); return v }

func (t table) num(i int, a *sai.AttrMeta) uint64 { return t.val(i, a).Num }

func (t table) ids(i int, a *sai.AttrMeta) []sai.OID {
	ids, _ := t.val(i, a).Ref.([]sai.OID)
	return ids
}

// all returns a list attribute of every object.
func (t table) all(a *sai.AttrMeta) [][]sai.OID {
	out := make([][]sai.OID, len(t))
	for i := range t {
		out[i] = t.ids(i, a)
	}
	return out
}
