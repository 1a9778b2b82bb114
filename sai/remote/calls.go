package remote

import (
	"fmt"

	"xon/sai"
)

// Create implements sai.Driver.
func (c *Client) Create(o *sai.ObjectMeta, sw sai.OID, key sai.Key, attrs []sai.Attribute) (id sai.OID, st sai.Status) {
	st = c.call(opCreate, func(f *frame) {
		f.object(o)
		f.oid(sw)
		f.key(o, key)
		f.attributes(o, attrs)
	}, func(r *reader, _ sai.Status) { id = r.oid() })
	return id, st
}

// Remove implements sai.Driver.
func (c *Client) Remove(o *sai.ObjectMeta, key sai.Key) sai.Status {
	return c.call(opRemove, func(f *frame) {
		f.object(o)
		f.key(o, key)
	}, nil)
}

// Set implements sai.Driver.
func (c *Client) Set(o *sai.ObjectMeta, key sai.Key, attr sai.Attribute) sai.Status {
	return c.call(opSet, func(f *frame) {
		f.object(o)
		f.key(o, key)
		f.attribute(o, attr)
	}, nil)
}

// Get implements sai.Driver.
func (c *Client) Get(o *sai.ObjectMeta, key sai.Key, attrs []sai.Attribute) sai.Status {
	return c.call(opGet, func(f *frame) {
		f.object(o)
		f.key(o, key)
		f.attrIDs(o, attrs)
	}, func(r *reader, _ sai.Status) { r.values(o, attrs) })
}

// Stats implements sai.Driver.
func (c *Client) Stats(o *sai.ObjectMeta, key sai.Key, ids []uint32, mode sai.StatsMode, out []uint64) sai.Status {
	if len(out) < len(ids) {
		return sai.StatusInvalidParameter
	}
	return c.call(opStats, func(f *frame) {
		f.object(o)
		f.key(o, key)
		f.uvarint(uint64(mode))
		f.ids(ids)
	}, func(r *reader, _ sai.Status) { r.numbers(out[:len(ids)]) })
}

// ClearStats implements sai.Driver.
func (c *Client) ClearStats(o *sai.ObjectMeta, key sai.Key, ids []uint32) sai.Status {
	return c.call(opClearStats, func(f *frame) {
		f.object(o)
		f.key(o, key)
		f.ids(ids)
	}, nil)
}

// AttrCapability implements sai.Driver.
func (c *Client) AttrCapability(sw sai.OID, o *sai.ObjectMeta, id uint32) (create, set, get bool, st sai.Status) {
	st = c.call(opAttrCapability, func(f *frame) {
		f.object(o)
		f.oid(sw)
		f.uvarint(uint64(id))
	}, func(r *reader, _ sai.Status) { create, set, get = r.bool(), r.bool(), r.bool() })
	return create, set, get, st
}

// EnumCapability implements sai.Driver.
func (c *Client) EnumCapability(sw sai.OID, o *sai.ObjectMeta, id uint32) (values []int32, st sai.Status) {
	st = c.call(opEnumCapability, func(f *frame) {
		f.object(o)
		f.oid(sw)
		f.uvarint(uint64(id))
	}, func(r *reader, _ sai.Status) {
		values = make([]int32, r.count(1))
		for i := range values {
			values[i] = r.s32()
		}
	})
	return values, st
}

// StatsCapability implements sai.Driver.
func (c *Client) StatsCapability(sw sai.OID, o *sai.ObjectMeta) (caps []sai.StatCapability, st sai.Status) {
	st = c.call(opStatsCapability, func(f *frame) {
		f.object(o)
		f.oid(sw)
	}, func(r *reader, _ sai.Status) {
		caps = make([]sai.StatCapability, r.count(2))
		for i := range caps {
			caps[i] = sai.StatCapability{StatEnum: r.u32(), StatModes: r.u32()}
		}
	})
	return caps, st
}

// Objects implements sai.Driver.
func (c *Client) Objects(sw sai.OID, o *sai.ObjectMeta) (keys []sai.Key, st sai.Status) {
	st = c.call(opObjects, func(f *frame) {
		f.object(o)
		f.oid(sw)
	}, func(r *reader, _ sai.Status) {
		keys = make([]sai.Key, r.count(1))
		for i := range keys {
			keys[i] = r.key(o)
		}
	})
	return keys, st
}

// Names implements sai.Names.
func (c *Client) Names() (map[string]sai.OID, error) {
	var names map[string]sai.OID
	var text string
	st := c.call(opNames, func(*frame) {}, func(r *reader, st sai.Status) {
		if text = r.text(maxFrame); st == 0 {
			names = r.names()
		}
	})
	return names, c.namesError("read the names of objects", text, st)
}

// SetNames implements sai.Names.
func (c *Client) SetNames(put map[string]sai.OID, gone []string) error {
	var text string
	st := c.call(opSetNames, func(f *frame) {
		f.names(put)
		f.uvarint(uint64(len(gone)))
		for _, name := range gone {
			f.text(name)
		}
	}, func(r *reader, _ sai.Status) { text = r.text(maxFrame) })
	return c.namesError("name objects", text, st)
}

func (f *frame) names(names map[string]sai.OID) {
	f.uvarint(uint64(len(names)))
	for name, id := range names {
		f.text(name)
		f.oid(id)
	}
}

func (r *reader) names() map[string]sai.OID {
	n := r.count(9)
	out := make(map[string]sai.OID, n)
	for range n {
		name := r.text(maxFrame)
		out[name] = r.oid()
	}
	return out
}

// namesError converts the result of a names call to an error.
func (c *Client) namesError(doing, text string, st sai.Status) error {
	if st == 0 {
		return nil
	}
	if err := c.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, &chipError{text: text, status: st})
}

// chipError is an error from the chip process.
type chipError struct {
	text   string
	status sai.Status
}

func (e *chipError) Error() string { return e.text }
func (e *chipError) Unwrap() error { return e.status }
