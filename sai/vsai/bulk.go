package vsai

import (
	"sync"

	"xon/sai"
)

// chunk is the number of bulk entries per lock acquisition, so that a large call does
// not block others for long.
const chunk = 256

// bulk is a bulk call.
type bulk struct {
	c     *Chip
	call  Call
	n     int
	st    []sai.Status
	stop  bool // at the first failed entry
	reads bool // no entry writes
	begin func() sai.Status
	do    func(i int) sai.Status
	key   func(i int) sai.Key
	attrs func(i int) []sai.Attribute
}

// run executes the entries. If the call fails as a whole, every entry gets its status.
func (b *bulk) run() sai.Status {
	if b.n == 0 {
		return 0
	}
	h := &b.c.hooks
	b.call.Entry, b.call.Bulk = -1, b.n
	whole := b.call
	st := h.before(&whole)
	if st == 0 && b.begin != nil {
		l := b.lock()
		l.Lock()
		st = b.begin()
		l.Unlock()
	}
	if st != 0 {
		for i := range b.n {
			b.st[i] = st
		}
		h.after(&whole, st)
		return st
	}
	if h.onCall.Load() != nil || h.active() && !b.reads && b.call.Op.Write() || h.done.Load() != nil {
		st = b.runHooked()
	} else {
		st = b.runPlain()
	}
	h.after(&whole, st)
	return st
}

func (b *bulk) lock() sync.Locker {
	return b.c.lockFor(b.call.Object, b.call.Op, b.reads)
}

// runPlain executes the entries without hooks.
func (b *bulk) runPlain() (st sai.Status) {
	l := b.lock()
	for i := 0; i < b.n; {
		l.Lock()
		for end := min(i+chunk, b.n); i < end; i++ {
			if st != 0 && b.stop {
				b.st[i] = sai.StatusNotExecuted
				continue
			}
			b.st[i] = b.do(i)
			if b.st[i] != 0 {
				st = sai.StatusFailure
			}
			if b.call.Op.Write() {
				b.c.hooks.writes.Add(1)
			}
		}
		l.Unlock()
	}
	return st
}

// runHooked executes the entries and calls the hooks for each.
func (b *bulk) runHooked() (st sai.Status) {
	l := b.lock()
	h := &b.c.hooks
	for i := range b.n {
		if st != 0 && b.stop {
			b.st[i] = sai.StatusNotExecuted
			continue
		}
		call := b.call
		call.Entry = i
		call.Key = b.key(i)
		if b.attrs != nil {
			call.Attrs = b.attrs(i)
		}
		if b.st[i] = h.before(&call); b.st[i] == 0 {
			l.Lock()
			b.st[i] = b.do(i)
			l.Unlock()
		}
		call.Key = b.key(i)
		h.after(&call, b.st[i])
		if b.st[i] != 0 {
			st = sai.StatusFailure
		}
	}
	return st
}

// BulkCreate implements sai.Driver.
func (c *Chip) BulkCreate(o *sai.ObjectMeta, sw sai.OID, attrs [][]sai.Attribute, stop bool, ids []sai.OID, st []sai.Status) sai.Status {
	if len(st) < len(attrs) || len(ids) < len(attrs) {
		return sai.StatusInvalidParameter
	}
	if o.Entry > 0 { // bulk creation has no parameter for entry keys
		return sai.StatusNotImplemented
	}
	clear(ids)
	b := bulk{c: c, call: Call{Op: OpCreate, Object: o}, n: len(attrs), st: st, stop: stop}
	b.key = func(i int) sai.Key { return sai.Key{OID: ids[i]} }
	b.attrs = func(i int) []sai.Attribute { return attrs[i] }
	b.do = func(i int) (s sai.Status) {
		ids[i], s = c.create(o, sw, sai.Key{}, attrs[i])
		return s
	}
	return b.run()
}

// BulkRemove implements sai.Driver.
func (c *Chip) BulkRemove(o *sai.ObjectMeta, keys []sai.Key, stop bool, st []sai.Status) sai.Status {
	if len(st) < len(keys) {
		return sai.StatusInvalidParameter
	}
	b := bulk{c: c, call: Call{Op: OpRemove, Object: o}, n: len(keys), st: st, stop: stop}
	b.key = func(i int) sai.Key { return keys[i] }
	b.do = func(i int) sai.Status { return c.remove(o, keys[i]) }
	return b.run()
}

// BulkSet implements sai.Driver.
func (c *Chip) BulkSet(o *sai.ObjectMeta, keys []sai.Key, attrs []sai.Attribute, stop bool, st []sai.Status) sai.Status {
	if len(st) < len(keys) || len(attrs) != len(keys) {
		return sai.StatusInvalidParameter
	}
	b := bulk{c: c, call: Call{Op: OpSet, Object: o}, n: len(keys), st: st, stop: stop}
	b.key = func(i int) sai.Key { return keys[i] }
	b.attrs = func(i int) []sai.Attribute { return attrs[i : i+1] }
	b.do = func(i int) sai.Status { return c.set(o, keys[i], attrs[i]) }
	return b.run()
}

// BulkGet implements sai.Driver.
func (c *Chip) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	if len(st) < len(keys) || len(attrs) != len(keys) {
		return sai.StatusInvalidParameter
	}
	b := bulk{c: c, call: Call{Op: OpGet, Object: o}, n: len(keys), st: st, reads: true}
	b.key = func(i int) sai.Key { return keys[i] }
	b.attrs = func(i int) []sai.Attribute { return attrs[i] }
	b.do = func(i int) sai.Status { return c.get(o, keys[i], attrs[i]) }
	return b.run()
}
