package reconcile

import (
	"slices"

	"xon/sai"
)

// maxBatch is how many objects one bulk call carries at most: little enough that
// urgent work need not wait long for the call in progress.
const maxBatch = 64

// callSet writes one attribute of each of several objects. stop ends at the first
// failure; what was not tried then has StatusNotExecuted.
func (r *run) callSet(t sai.ObjectType, ids []sai.OID, attrs []sai.Attribute, stop bool) []sai.Status {
	o, keys := sai.ByType(t), keysOf(ids)
	return r.call(call{Set, t}, len(ids), stop,
		func(st []sai.Status) sai.Status { return r.sw.BulkSet(o, keys, attrs, stop, st) },
		func(i int) sai.Status { return r.sw.Set(o, keys[i], attrs[i]) })
}

// callCreate makes several objects. An id is valid where the status is success.
func (r *run) callCreate(t sai.ObjectType, attrs [][]sai.Attribute, stop bool) ([]sai.OID, []sai.Status) {
	o, sw, ids := sai.ByType(t), r.sw.ID.OID(), make([]sai.OID, len(attrs))
	st := r.call(call{Create, t}, len(attrs), stop,
		func(st []sai.Status) sai.Status { return r.sw.BulkCreate(o, sw, attrs, stop, ids, st) },
		func(i int) (st sai.Status) { ids[i], st = r.sw.Create(o, sw, sai.Key{}, attrs[i]); return st })
	return ids, st
}

// callRemove removes several objects.
func (r *run) callRemove(t sai.ObjectType, ids []sai.OID, stop bool) []sai.Status {
	o, keys := sai.ByType(t), keysOf(ids)
	return r.call(call{Remove, t}, len(ids), stop,
		func(st []sai.Status) sai.Status { return r.sw.BulkRemove(o, keys, stop, st) },
		func(i int) sai.Status { return r.sw.Remove(o, keys[i]) })
}

// call does n writes of one kind, in bulk if there are several and the library can.
func (r *run) call(c call, n int, stop bool, bulk func([]sai.Status) sai.Status, one func(int) sai.Status) []sai.Status {
	st := make([]sai.Status, n)
	for i := range st {
		st[i] = sai.StatusNotExecuted
	}
	if n > 1 && !r.single[c] {
		all := bulk(st)
		r.res.Calls++
		r.res.Bulk++
		if !unsupported(all, st) {
			return r.outcome(all, st)
		}
		r.single[c] = true
	}
	for i := range st {
		if i > 0 && c.verb != Set && !r.urgently() {
			break
		}
		r.res.Calls++
		if st[i] = one(i); st[i] != 0 && stop {
			break
		}
	}
	r.lost(st)
	return st
}

// lost takes note if the chip went away during a call: then nobody knows whether
// it was done.
func (r *run) lost(st []sai.Status) {
	r.res.Dirty = r.res.Dirty || slices.Contains(st, sai.StatusUninitialized)
}

// unsupported reports whether a bulk call failed because there is no such call.
func unsupported(all sai.Status, st []sai.Status) bool {
	if all != sai.StatusNotImplemented && all != sai.StatusNotSupported {
		return false
	}
	for i, s := range st {
		if s == 0 {
			return false
		}
		st[i] = sai.StatusNotExecuted
	}
	return true
}

// outcome returns the statuses of the entries of a bulk call. A call that failed
// as a whole tells nothing of its entries: then all of them failed. If it claims
// that each of them succeeded nobody knows what is in force.
func (r *run) outcome(all sai.Status, st []sai.Status) []sai.Status {
	if all == 0 {
		clear(st)
		return st
	}
	defer r.lost(st)
	succeeded := 0
	for _, s := range st {
		switch s {
		case 0:
			succeeded++
		case sai.StatusNotExecuted:
		default:
			return st
		}
	}
	r.res.Dirty = r.res.Dirty || succeeded > 0
	for i := range st {
		st[i] = all
	}
	return st
}

func keysOf(ids []sai.OID) []sai.Key {
	keys := make([]sai.Key, len(ids))
	for i, id := range ids {
		keys[i].OID = id
	}
	return keys
}
