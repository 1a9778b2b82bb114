package reconcile

import (
	"fmt"

	"xon/orchagent/graph"
	"xon/sai"
)

// resolve turns an attribute into the chip's form, and names into handles.
func (r *Reconciler) resolve(a graph.Attr) (sai.Attribute, error) {
	out := sai.Attribute{AttrMeta: a.AttrMeta}
	switch {
	case a.Kind == sai.KindOID:
		for k := range a.Value.Targets() {
			id, ok := r.handles[k]
			if !ok {
				return out, absent(k)
			}
			out.Num = uint64(id)
		}
	case a.Kind == sai.KindOIDList:
		var ids []sai.OID
		for k := range a.Value.Targets() {
			id, ok := r.handles[k]
			if !ok {
				return out, absent(k)
			}
			ids = append(ids, id)
		}
		out.Ref = ids
	case isNumber(a.Kind):
		out.Num = a.Value.Num()
	default:
		v, err := a.Parse(canonical(a))
		if err != nil {
			return out, fmt.Errorf("value of %w", err)
		}
		out.Value = v
	}
	return out, nil
}

// id returns what the chip finds an object by that is there.
func (r *Reconciler) id(object graph.Key) (sai.Key, error) {
	if object.Entry() {
		return r.entry(object)
	}
	id, ok := r.handles[object]
	if !ok {
		return sai.Key{}, absent(object)
	}
	return sai.Key{OID: id}, nil
}

func (r *Reconciler) entry(k graph.Key) (sai.Key, error) {
	b, err := k.EntryBytes(r.sw.ID.OID(), r.handles, absent)
	return sai.Key{Entry: b}, err
}

// resolveNew returns the attributes of an object to make, and its key as far as it is
// known before.
func (r *run) resolveNew(k graph.Key, attrs []graph.Attr) (id sai.Key, raw []sai.Attribute, err error) {
	if k.Entry() {
		if id, err = r.entry(k); err != nil {
			return id, nil, err
		}
	}
	raw, err = r.resolveAll(attrs)
	return id, raw, err
}

// absent is the error of a reference to an object that is not there.
func absent(k graph.Key) error { return fmt.Errorf("%s does not exist: %w", k, ErrBlocked) }

// canonical is the text of a value that is neither a number nor a reference.
func canonical(a graph.Attr) string {
	if text := a.Value.Plain(); text != "" || a.Kind == sai.KindChars {
		return text
	}
	return "0:null"
}

// symbolic is the inverse of resolve; name tells the name of a handle.
func symbolic(a sai.Attribute, name func(*sai.AttrMeta, sai.OID) graph.Key) graph.Value {
	switch {
	case a.Kind == sai.KindOID:
		if a.Num == 0 {
			return graph.Value{}
		}
		return graph.Ref(name(a.AttrMeta, sai.OID(a.Num)))
	case a.Kind == sai.KindOIDList:
		ids, _ := a.Ref.([]sai.OID)
		keys := make([]graph.Key, 0, len(ids))
		for _, id := range ids {
			if id != sai.Null {
				keys = append(keys, name(a.AttrMeta, id))
			}
		}
		return graph.Refs(keys...)
	case isNumber(a.Kind):
		return graph.Uint(widen(a.Kind, a.Num))
	}
	return graph.Text(a.Format(a.Value))
}

// isNumber reports whether values of a kind are in sai.Value.Num, other than
// handles.
func isNumber(k sai.Kind) bool {
	switch k {
	case sai.KindBool, sai.KindEnum, sai.KindPointer, sai.KindU8, sai.KindU16, sai.KindU32, sai.KindU64,
		sai.KindS8, sai.KindS16, sai.KindS32, sai.KindS64:
		return true
	default:
		return false
	}
}

// widen extends the sign of a number, which not every library does.
func widen(k sai.Kind, n uint64) uint64 {
	switch k {
	case sai.KindS8:
		return uint64(int64(int8(n)))
	case sai.KindS16:
		return uint64(int64(int16(n)))
	case sai.KindS32, sai.KindEnum:
		return uint64(int64(int32(n)))
	default:
		return n
	}
}
