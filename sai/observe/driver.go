package observe

import (
	"time"

	"xon/sai"
)

// driver wraps an observed driver.
type driver struct {
	sai.Driver
	o *Observer
}

// Create implements sai.Driver.
func (d *driver) Create(o *sai.ObjectMeta, sw sai.OID, key sai.Key, attrs []sai.Attribute) (sai.OID, sai.Status) {
	start := time.Now()
	id, st := d.Driver.Create(o, sw, key, attrs)
	at := key
	if id != sai.Null {
		at.OID = id
	}
	d.o.one(Call{Start: start, Verb: Create, Object: o, Status: st}, at, attrs)
	return id, st
}

// Remove implements sai.Driver.
func (d *driver) Remove(o *sai.ObjectMeta, key sai.Key) sai.Status {
	start := time.Now()
	st := d.Driver.Remove(o, key)
	d.o.one(Call{Start: start, Verb: Remove, Object: o, Status: st}, key, nil)
	return st
}

// Set implements sai.Driver.
func (d *driver) Set(o *sai.ObjectMeta, key sai.Key, attr sai.Attribute) sai.Status {
	start := time.Now()
	st := d.Driver.Set(o, key, attr)
	one := [1]sai.Attribute{attr}
	d.o.one(Call{Start: start, Verb: Set, Object: o, Status: st}, key, one[:])
	return st
}

// Get implements sai.Driver.
func (d *driver) Get(o *sai.ObjectMeta, key sai.Key, attrs []sai.Attribute) sai.Status {
	start := time.Now()
	st := d.Driver.Get(o, key, attrs)
	d.o.one(Call{Start: start, Verb: Get, Object: o, Status: st}, key, attrs)
	return st
}

// Stats implements sai.Driver.
func (d *driver) Stats(o *sai.ObjectMeta, key sai.Key, ids []uint32, mode sai.StatsMode, out []uint64) sai.Status {
	start := time.Now()
	st := d.Driver.Stats(o, key, ids, mode, out)
	d.o.one(Call{Start: start, Verb: Stats, Object: o, Status: st}, key, nil)
	return st
}

// ClearStats implements sai.Driver.
func (d *driver) ClearStats(o *sai.ObjectMeta, key sai.Key, ids []uint32) sai.Status {
	start := time.Now()
	st := d.Driver.ClearStats(o, key, ids)
	d.o.one(Call{Start: start, Verb: Clear, Object: o, Status: st}, key, nil)
	return st
}

// BulkCreate implements sai.Driver.
func (d *driver) BulkCreate(o *sai.ObjectMeta, sw sai.OID, attrs [][]sai.Attribute, stop bool, ids []sai.OID, each []sai.Status) sai.Status {
	start := time.Now()
	st := d.Driver.BulkCreate(o, sw, attrs, stop, ids, each)
	d.o.many(Call{Start: start, Verb: Create, Object: o, Status: st, Entries: len(attrs)}, each, func(s *slot, i int) {
		s.add(sai.Key{OID: ids[i]}, attrs[i])
	})
	return st
}

// BulkRemove implements sai.Driver.
func (d *driver) BulkRemove(o *sai.ObjectMeta, keys []sai.Key, stop bool, each []sai.Status) sai.Status {
	start := time.Now()
	st := d.Driver.BulkRemove(o, keys, stop, each)
	d.o.many(Call{Start: start, Verb: Remove, Object: o, Status: st, Entries: len(keys)}, each, func(s *slot, i int) {
		s.add(keys[i], nil)
	})
	return st
}

// BulkSet implements sai.Driver.
func (d *driver) BulkSet(o *sai.ObjectMeta, keys []sai.Key, attrs []sai.Attribute, stop bool, each []sai.Status) sai.Status {
	start := time.Now()
	st := d.Driver.BulkSet(o, keys, attrs, stop, each)
	d.o.many(Call{Start: start, Verb: Set, Object: o, Status: st, Entries: len(keys)}, each, func(s *slot, i int) {
		s.add(keys[i], attrs[i:i+1])
	})
	return st
}

// BulkGet implements sai.Driver.
func (d *driver) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, each []sai.Status) sai.Status {
	start := time.Now()
	st := d.Driver.BulkGet(o, keys, attrs, each)
	d.o.many(Call{Start: start, Verb: Get, Object: o, Status: st, Entries: len(keys)}, each, func(s *slot, i int) {
		s.add(keys[i], attrs[i])
	})
	return st
}

// BulkStats implements sai.Driver.
func (d *driver) BulkStats(o *sai.ObjectMeta, sw sai.OID, keys []sai.OID, ids []uint32, mode sai.StatsMode, each []sai.Status, out []uint64) sai.Status {
	start := time.Now()
	st := d.Driver.BulkStats(o, sw, keys, ids, mode, each, out)
	d.o.many(Call{Start: start, Verb: Stats, Object: o, Status: st, Entries: len(keys)}, each, func(s *slot, i int) {
		s.add(sai.Key{OID: keys[i]}, nil)
	})
	return st
}

// AttrCapability implements sai.Driver.
func (d *driver) AttrCapability(sw sai.OID, o *sai.ObjectMeta, id uint32) (create, set, get bool, st sai.Status) {
	start := time.Now()
	create, set, get, st = d.Driver.AttrCapability(sw, o, id)
	d.o.one(Call{Start: start, Verb: Query, Object: o, Status: st}, sai.Key{OID: sw}, nil)
	return create, set, get, st
}

// EnumCapability implements sai.Driver.
func (d *driver) EnumCapability(sw sai.OID, o *sai.ObjectMeta, id uint32) ([]int32, sai.Status) {
	start := time.Now()
	values, st := d.Driver.EnumCapability(sw, o, id)
	d.o.one(Call{Start: start, Verb: Query, Object: o, Status: st}, sai.Key{OID: sw}, nil)
	return values, st
}

// StatsCapability implements sai.Driver.
func (d *driver) StatsCapability(sw sai.OID, o *sai.ObjectMeta) ([]sai.StatCapability, sai.Status) {
	start := time.Now()
	stats, st := d.Driver.StatsCapability(sw, o)
	d.o.one(Call{Start: start, Verb: Query, Object: o, Status: st}, sai.Key{OID: sw}, nil)
	return stats, st
}

// Objects implements sai.Driver.
func (d *driver) Objects(sw sai.OID, o *sai.ObjectMeta) ([]sai.Key, sai.Status) {
	start := time.Now()
	keys, st := d.Driver.Objects(sw, o)
	d.o.one(Call{Start: start, Verb: List, Object: o, Status: st}, sai.Key{OID: sw}, nil)
	return keys, st
}

// namedDriver is a driver that also stores names.
type namedDriver struct {
	*driver
	names sai.Names
}

// Names implements sai.Names.
func (n *namedDriver) Names() (map[string]sai.OID, error) { return n.names.Names() }

// SetNames implements sai.Names.
func (n *namedDriver) SetNames(put map[string]sai.OID, gone []string) error {
	return n.names.SetNames(put, gone)
}
