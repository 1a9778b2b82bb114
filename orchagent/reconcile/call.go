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
func (r *run) callSet(t sai.ObjectType, keys []sai.Key, attrs []sai.Attribute, stop bool) []sai.Status {
	o := sai.ByType(t)
	return r.call(call{Set, t}, len(keys), stop,
		func(st []sai.Status) sai.Status { return r.sw.BulkSet(o, keys, attrs, stop, st) },
		func(i int) sai.Status { return r.sw.Set(o, keys[i], attrs[i]) })
}

// callCreate makes several objects, and completes keys, which has the entries of those
// without handle, by the handles of the others. A key is valid where the status is
// success. For entries there is no bulk call.
func (r *run) callCreate(t sai.ObjectType, keys []sai.Key, attrs [][]sai.Attribute, stop bool) []sai.Status {
	o, sw, ids := sai.ByType(t), r.sw.ID.OID(), make([]sai.OID, len(attrs))
	r.single[call{Create, t}] = r.single[call{Create, t}] || o.Entry > 0
	st := r.call(call{Create, t}, len(attrs), stop,
		func(st []sai.Status) sai.Status { return r.sw.BulkCreate(o, sw, attrs, stop, ids, st) },
		func(i int) (st sai.Status) { ids[i], st = r.sw.Create(o, sw, keys[i], attrs[i]); return st })
	for i, id := range ids {
		keys[i].OID = id
	}
	return st
}

// callRemove removes several objects.
func (r *run) callRemove(t sai.ObjectType, keys []sai.Key, stop bool) []sai.Status {
	o := sai.ByType(t)
	return r.call(call{Remove, t}, len(keys), stop,
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
