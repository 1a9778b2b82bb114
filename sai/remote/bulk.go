package remote

import (
	"slices"

	"xon/sai"
)

// bulk makes a bulk call, like call, and returns the status of each entry. If the call
// was not made, every entry gets its status.
func (c *Client) bulk(o messageType, st []sai.Status, fill func(*frame), read func(*reader, sai.Status)) sai.Status {
	reported := false
	s := c.call(o, fill, func(r *reader, s sai.Status) {
		reported = true
		if s != 0 {
			r.statuses(st)
		} else {
			clear(st)
		}
		if read != nil {
			read(r, s)
		}
	})
	if !reported || s == StatusLost {
		for i := range st {
			st[i] = s
		}
	}
	return s
}

// BulkCreate implements sai.Driver.
func (c *Client) BulkCreate(o *sai.ObjectMeta, sw sai.OID, attrs [][]sai.Attribute, stop bool, ids []sai.OID, st []sai.Status) sai.Status {
	n := len(attrs)
	if len(ids) < n || len(st) < n {
		return sai.StatusInvalidParameter
	}
	clear(ids[:n])
	return c.bulk(opBulkCreate, st[:n], func(f *frame) {
		f.object(o)
		f.oid(sw)
		f.bool(stop)
		f.uvarint(uint64(n))
		for _, a := range attrs {
			f.attributes(o, a)
		}
	}, func(r *reader, _ sai.Status) {
		for i := range n {
			ids[i] = r.oid()
		}
	})
}

// BulkRemove implements sai.Driver.
func (c *Client) BulkRemove(o *sai.ObjectMeta, keys []sai.Key, stop bool, st []sai.Status) sai.Status {
	if len(st) < len(keys) {
		return sai.StatusInvalidParameter
	}
	return c.bulk(opBulkRemove, st[:len(keys)], func(f *frame) {
		f.object(o)
		f.bool(stop)
		f.keys(o, keys)
	}, nil)
}

// BulkSet implements sai.Driver.
func (c *Client) BulkSet(o *sai.ObjectMeta, keys []sai.Key, attrs []sai.Attribute, stop bool, st []sai.Status) sai.Status {
	if len(st) < len(keys) || len(attrs) != len(keys) {
		return sai.StatusInvalidParameter
	}
	return c.bulk(opBulkSet, st[:len(keys)], func(f *frame) {
		f.object(o)
		f.bool(stop)
		f.keys(o, keys)
		for _, a := range attrs {
			f.attribute(o, a)
		}
	}, nil)
}

// BulkGet implements sai.Driver. If all entries request the same attributes, which is
// usual, they are sent once.
func (c *Client) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	if len(st) < len(keys) || len(attrs) != len(keys) {
		return sai.StatusInvalidParameter
	}
	return c.bulk(opBulkGet, st[:len(keys)], func(f *frame) {
		f.object(o)
		f.keys(o, keys)
		same := sameAttrs(attrs)
		f.bool(same)
		for i, a := range attrs {
			if i == 0 || !same {
				f.attrIDs(o, a)
			}
		}
	}, func(r *reader, _ sai.Status) {
		for i := range keys {
			if st[i] == 0 {
				r.values(o, attrs[i])
			}
		}
	})
}

// sameAttrs reports whether all entries request the same attributes.
func sameAttrs(attrs [][]sai.Attribute) bool {
	for _, a := range attrs {
		if !slices.EqualFunc(a, attrs[0], func(x, y sai.Attribute) bool { return x.AttrMeta == y.AttrMeta }) {
			return false
		}
	}
	return true
}

// BulkStats implements sai.Driver.
func (c *Client) BulkStats(o *sai.ObjectMeta, sw sai.OID, keys []sai.OID, ids []uint32, mode sai.StatsMode, st []sai.Status, out []uint64) sai.Status {
	n := len(keys)
	if len(st) < n || len(out) < n*len(ids) {
		return sai.StatusInvalidParameter
	}
	return c.bulk(opBulkStats, st[:n], func(f *frame) {
		f.object(o)
		f.oid(sw)
		f.uvarint(uint64(mode))
		f.ids(ids)
		f.uvarint(uint64(n))
		for _, id := range keys {
			f.oid(id)
		}
	}, func(r *reader, _ sai.Status) { r.numbers(out[:n*len(ids)]) })
}

func (f *frame) keys(o *sai.ObjectMeta, keys []sai.Key) {
	f.uvarint(uint64(len(keys)))
	for _, k := range keys {
		f.key(o, k)
	}
}

func (r *reader) keys(o *sai.ObjectMeta) []sai.Key {
	least := 8
	if o.Entry > 0 {
		least = 1
	}
	out := make([]sai.Key, r.count(least))
	for i := range out {
		out[i] = r.key(o)
	}
	return out
}
