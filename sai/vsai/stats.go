package vsai

import (
	"fmt"

	"xon/sai"
)

// Stats implements sai.Driver.
func (c *Chip) Stats(o *sai.ObjectMeta, key sai.Key, ids []uint32, mode sai.StatsMode, out []uint64) (st sai.Status) {
	call := Call{Op: OpStats, Object: o, Key: key, Entry: -1}
	if st = c.hooks.before(&call); st == 0 {
		st = c.stats(o, key, ids, mode, out)
	}
	c.hooks.after(&call, st)
	return st
}

func (c *Chip) stats(o *sai.ObjectMeta, key sai.Key, ids []uint32, mode sai.StatsMode, out []uint64) sai.Status {
	l := c.lockFor(o, OpStats, !clears(mode))
	l.Lock()
	defer l.Unlock()
	indexes, st := c.statIndexes(o, ids)
	if st != 0 {
		return st
	}
	if len(out) < len(ids) {
		return sai.StatusInvalidParameter
	}
	return c.readStats(o, key, indexes, clears(mode), out)
}

// ClearStats implements sai.Driver.
func (c *Chip) ClearStats(o *sai.ObjectMeta, key sai.Key, ids []uint32) (st sai.Status) {
	call := Call{Op: OpClearStats, Object: o, Key: key, Entry: -1}
	if st = c.hooks.before(&call); st == 0 {
		st = c.stats(o, key, ids, sai.StatsModeReadAndClear, make([]uint64, len(ids)))
	}
	c.hooks.after(&call, st)
	return st
}

// clears reports whether a mode clears the statistics that it reads.
func clears(m sai.StatsMode) bool {
	return m&(sai.StatsModeReadAndClear|sai.StatsModeBulkClear|sai.StatsModeBulkReadAndClear) != 0
}

// statIndexes returns the indexes of an object type's counters.
func (c *Chip) statIndexes(o *sai.ObjectMeta, ids []uint32) ([]int, sai.Status) {
	t := c.types[o]
	if t == nil {
		return nil, sai.StatusInvalidObjectID
	}
	out := make([]int, len(ids))
	for i, id := range ids {
		at, ok := t.statAt[id]
		if !ok {
			return nil, sai.StatusInvalidParameter
		}
		out[i] = at
	}
	return out, 0
}

func (c *Chip) readStats(o *sai.ObjectMeta, key sai.Key, indexes []int, clear bool, out []uint64) sai.Status {
	x := c.find(o, key)
	if x == nil {
		return sai.StatusInvalidObjectID
	}
	m := c.meters[x.id]
	for i, at := range indexes {
		n, _ := x.counted(m, at)
		out[i] = n + x.stat(at)
		if clear {
			x.clearStat(m, at)
		}
	}
	return 0
}

// BulkStats implements sai.Driver. All keys are read at the same moment.
func (c *Chip) BulkStats(o *sai.ObjectMeta, sw sai.OID, keys []sai.OID, ids []uint32, mode sai.StatsMode, st []sai.Status, out []uint64) sai.Status {
	b := bulk{c: c, call: Call{Op: OpStats, Object: o}, n: len(keys), st: st, reads: !clears(mode)}
	b.key = func(i int) sai.Key { return sai.Key{OID: keys[i]} }
	if len(st) < len(keys) || len(out) < len(keys)*len(ids) {
		return sai.StatusInvalidParameter
	}
	var indexes []int
	b.begin = func() (s sai.Status) {
		indexes, s = c.statIndexes(o, ids)
		return s
	}
	b.do = func(i int) sai.Status {
		return c.readStats(o, sai.Key{OID: keys[i]}, indexes, !b.reads, out[i*len(ids):])
	}
	return b.run()
}

// counted returns a statistic from the object's meter, if it has one.
func (x *object) counted(m Meter, at int) (uint64, StatKind) {
	if m == nil {
		return 0, NotCounted
	}
	return m.Count(x.t.meta.Stats[at].ID)
}

// clearStat clears a statistic to zero, or a watermark to its level. The value of a
// counter is subtracted from then on, modulo 2^64.
func (x *object) clearStat(m Meter, at int) {
	n, kind := x.counted(m, at)
	if kind == Counter {
		x.setStat(at, -n)
		return
	}
	if kind == Watermark {
		m.Clear(x.t.meta.Stats[at].ID)
	}
	x.setStat(at, 0)
}

// stat is the offset that is added to the meter's value.
func (x *object) stat(at int) uint64 {
	if x.stats == nil {
		return 0
	}
	return x.stats[at]
}

func (x *object) setStat(at int, n uint64) {
	if x.stats == nil {
		if n == 0 {
			return
		}
		x.stats = make([]uint64, len(x.t.meta.Stats))
	}
	x.stats[at] = n
}

// SetStat sets a counter. With a plane it continues from there.
func (c *Chip) SetStat(id sai.OID, stat uint32, v uint64) error {
	return c.changeStat(id, stat, func(counted, _ uint64) uint64 { return v - counted })
}

// AddStat adds to a counter.
func (c *Chip) AddStat(id sai.OID, stat uint32, v uint64) error {
	return c.changeStat(id, stat, func(_, added uint64) uint64 { return added + v })
}

// changeStat changes the offset of a statistic.
func (c *Chip) changeStat(id sai.OID, stat uint32, f func(counted, added uint64) uint64) error {
	l := c.lockFor(nil, OpStats, false)
	l.Lock()
	defer l.Unlock()
	x := c.byID(id)
	if x == nil {
		return fmt.Errorf("counter %d of %v: %w", stat, id, sai.StatusInvalidObjectID)
	}
	at, ok := x.t.statAt[stat]
	if !ok {
		return fmt.Errorf("counter %d of %v: a %s has no such counter", stat, id, x.t.meta.Name)
	}
	n, _ := x.counted(c.meters[id], at)
	x.setStat(at, f(n, x.stat(at)))
	return nil
}

// SetReadOnly sets a read-only attribute, which overrides what the chip would report.
// The value does not count as a reference.
func (c *Chip) SetReadOnly(id sai.OID, a sai.Attribute) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID(id)
	if x == nil {
		return fmt.Errorf("%s of %v: %w", a.FullName(), id, sai.StatusInvalidObjectID)
	}
	if !a.Has(sai.ReadOnly) || x.t.meta.Attr(a.ID) != a.AttrMeta {
		return fmt.Errorf("%s of %v: not a read-only attribute of a %s", a.FullName(), id, x.t.meta.Name)
	}
	x.store(a.AttrMeta, clone(a.Value))
	if x == c.sw {
		c.recomputeLimits()
	}
	return nil
}
