package vsai

import (
	"net/netip"
	"reflect"
	"slices"

	"xon/sai"
)

// clone copies what a value refers to, so that the chip and its caller cannot change
// each other's values.
func clone(v sai.Value) sai.Value {
	switch r := v.Ref.(type) {
	case nil, string, sai.MAC, netip.Addr, netip.Prefix:
	case []sai.OID:
		v.Ref = slices.Clone(r)
	case []int32:
		v.Ref = slices.Clone(r)
	case []uint32:
		v.Ref = slices.Clone(r)
	case []sai.QoSMapItem:
		v.Ref = slices.Clone(r)
	case sai.FieldValue:
		v.Ref = sai.FieldValue{Data: clone(r.Data), Mask: clone(r.Mask)}
	case sai.ParamValue:
		v.Ref = sai.ParamValue{Value: clone(r.Value)}
	default:
		v.Ref = cloneAny(r)
	}
	return v
}

// cloneAny copies a list of any type. Elements of SAI's lists contain no lists, except
// in read-only attributes, which only tests set.
func cloneAny(ref any) any {
	r := reflect.ValueOf(ref)
	if r.Kind() != reflect.Slice || r.Len() == 0 {
		return ref
	}
	out := reflect.MakeSlice(r.Type(), r.Len(), r.Len())
	reflect.Copy(out, r)
	return out.Interface()
}

// defaultOf returns the default of an attribute. ok is false if SAI defines none, or
// leaves it to the chip.
func defaultOf(a *sai.AttrMeta) (sai.Value, bool) {
	if a.Default == "0.0.0.0" { // zero address
		return sai.Value{}, true
	}
	n, ok := a.DefaultNum()
	return sai.Value{Num: n}, ok
}
