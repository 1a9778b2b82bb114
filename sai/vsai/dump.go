package vsai

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/sai"
)

// Dump prints the whole state of the chip. Equal states give equal text: every object
// with its stored attributes, counters other than zero, its number of references, and
// the names.
//
//	SAI_OBJECT_TYPE_BUFFER_POOL oid:0x18000000000a8f refs=1
//	  SAI_BUFFER_POOL_ATTR_TYPE=SAI_BUFFER_POOL_TYPE_INGRESS
//	  SAI_BUFFER_POOL_STAT_WATERMARK_BYTES 4096
//	name "BUFFER_POOL|ingress" oid:0x18000000000a8f
func (c *Chip) Dump() string {
	l := c.lockFor(nil, OpStats, true)
	l.Lock()
	defer l.Unlock()
	var b strings.Builder
	for _, t := range c.sortedTypes() {
		for _, x := range t.objs {
			x.dump(&b, c.meters[x.id])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.names.ids)) {
		fmt.Fprintf(&b, "name %q %v\n", name, c.names.ids[name])
	}
	return b.String()
}

func (x *object) dump(b *strings.Builder, m Meter) {
	fmt.Fprintf(b, "%s ", x.t.meta.Type.FullName())
	if x.id != 0 {
		b.WriteString(x.id.String())
	} else {
		fmt.Fprintf(b, "%x", x.entry)
	}
	fmt.Fprintf(b, " refs=%d\n", x.refs)
	for _, l := range x.cells {
		a := x.t.meta.Attr(l.id)
		fmt.Fprintf(b, "  %s=%s\n", a.FullName(), a.Format(x.load(l)))
	}
	for i, s := range x.t.meta.Stats {
		n, _ := x.counted(m, i)
		if n += x.stat(i); n != 0 {
			fmt.Fprintf(b, "  %s %d\n", s.FullName(), n)
		}
	}
}

// ObjectCounts prints the number of objects of each type, one per line:
//
//	SAI_OBJECT_TYPE_PORT 33
func (c *Chip) ObjectCounts() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var b strings.Builder
	for _, t := range c.sortedTypes() {
		if len(t.objs) > 0 {
			fmt.Fprintf(&b, "%s %d\n", t.meta.Type.FullName(), len(t.objs))
		}
	}
	return b.String()
}

func (c *Chip) sortedTypes() []*typ {
	return slices.SortedFunc(maps.Values(c.types), func(a, b *typ) int { return cmp.Compare(a.meta.Type, b.meta.Type) })
}

// Recount recomputes the reference counts of all objects from their attributes, and
// returns an error if a maintained count differs. It is for tests.
func (c *Chip) Recount() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	refs := map[sai.OID]int32{}
	for _, t := range c.types {
		for _, x := range t.objs {
			for _, l := range x.cells {
				if !l.ro {
					eachRef(t.meta.Attr(l.id).Kind, x.load(l), func(id sai.OID) { refs[id]++ })
				}
			}
			for _, f := range entryFields[t.meta] {
				refs[entryID([]byte(x.entry), f)]++
			}
		}
	}
	for _, t := range c.types {
		for _, x := range t.objs {
			if x.refs != refs[x.id] {
				return fmt.Errorf("%s %v: %d users counted, %d found", t.meta.Name, x.id, x.refs, refs[x.id])
			}
		}
	}
	return nil
}
