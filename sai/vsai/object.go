package vsai

import (
	"cmp"
	"slices"

	"xon/sai"
)

// object is one SAI object.
type object struct {
	t       *typ
	id      sai.OID // null for an object with an entry struct
	seq     uint64  // order of creation
	entry   string
	refs    int32 // number of attributes that refer to this object
	builtin bool  // an agent cannot remove it
	cells   []cell
	boxes   []any    // values that do not fit into a cell
	stats   []uint64 // nil: all zero; otherwise one for each counter of the type
}

// cell is one stored attribute. A chip with 512 ports has 60,000 of them, so they are
// small and contain no pointer.
type cell struct {
	num uint64 // number, or index in boxes
	id  uint32
	box bool
	ro  bool // read-only: does not count as a reference
}

// typ holds the objects of one type.
type typ struct {
	meta    *sai.ObjectMeta
	objs    []*object // in creation order
	entries map[string]*object
	statAt  map[uint32]int  // index of a counter in object.stats
	limit   int             // maximum number of objects; 0: no limit
	keys    []*sai.AttrMeta // attributes that must be unique together
}

// typ returns the objects of a type.
func (c *Chip) typ(o *sai.ObjectMeta) *typ {
	if t := c.types[o]; t != nil {
		return t
	}
	t := &typ{meta: o, limit: c.limits.limit(o.Type), keys: keysOf(o)}
	t.statAt = make(map[uint32]int, len(o.Stats))
	for i := range o.Stats {
		t.statAt[o.Stats[i].ID] = i
	}
	if o.Entry > 0 {
		t.entries = map[string]*object{}
	}
	c.types[o] = t
	return t
}

// list returns the objects of a type without allocating, so that it may run under the
// read lock.
func (c *Chip) list(o *sai.ObjectMeta) []*object {
	if t := c.types[o]; t != nil {
		return t.objs
	}
	return nil
}

// find returns an object by its key; nil if it does not exist or has another type.
func (c *Chip) find(o *sai.ObjectMeta, k sai.Key) *object {
	if o.Entry == 0 {
		if x := c.byID(k.OID); x != nil && x.t.meta == o {
			return x
		}
		return nil
	}
	if t := c.types[o]; t != nil {
		return t.entries[string(k.Entry)]
	}
	return nil
}

func (c *Chip) byID(id sai.OID) *object {
	x := c.byIndex.at(uint64(id) & indexMask)
	if x == nil || x.id != id {
		return nil
	}
	return x
}

// Object IDs look like sairedis's virtual IDs: the object type above bit 48, a counter
// over all types below.
const (
	typeShift = 48
	indexMask = 1<<typeShift - 1
)

// register adds an object to the chip and assigns its ID or entry.
func (c *Chip) register(x *object, o *sai.ObjectMeta, entry []byte) {
	x.t = c.typ(o)
	x.seq = c.next
	c.next++
	if o.Entry > 0 {
		x.entry = string(entry)
		x.t.entries[x.entry] = x
	} else {
		x.id = sai.OID(uint64(o.Type)<<typeShift | x.seq)
		c.byIndex.put(x.seq, x)
	}
	x.t.objs = append(x.t.objs, x)
}

// unregister removes an object from the chip.
func (c *Chip) unregister(x *object) {
	if i, ok := slices.BinarySearchFunc(x.t.objs, x.seq, func(y *object, seq uint64) int { return cmp.Compare(y.seq, seq) }); ok {
		x.t.objs = slices.Delete(x.t.objs, i, i+1)
	}
	if x.t.entries != nil {
		delete(x.t.entries, x.entry)
		return
	}
	c.byIndex.put(x.seq, nil)
	c.names.forget(x.id)
	delete(c.meters, x.id)
	delete(c.uses, x.id)
}

// key returns the driver's key of the object.
func (x *object) key() sai.Key {
	if x.id == 0 {
		return sai.Key{Entry: []byte(x.entry)}
	}
	return sai.Key{OID: x.id}
}

// at returns the index of an attribute's cell, or where to insert it.
func (x *object) at(id uint32) (int, bool) {
	for i := range x.cells {
		if x.cells[i].id >= id {
			return i, x.cells[i].id == id
		}
	}
	return len(x.cells), false
}

// value returns a stored attribute. The caller must not change what it refers to.
func (x *object) value(id uint32) (sai.Value, bool) {
	i, ok := x.at(id)
	if !ok {
		return sai.Value{}, false
	}
	return x.load(x.cells[i]), true
}

func (x *object) load(c cell) sai.Value {
	if c.box {
		return sai.Value{Ref: x.boxes[c.num]}
	}
	return sai.Value{Num: c.num}
}

// num returns a stored number, or the attribute's default.
func (x *object) num(a *sai.AttrMeta) uint64 {
	if v, ok := x.value(a.ID); ok {
		return v.Num
	}
	n, _ := a.DefaultNum()
	return n
}

// store stores a value. It keeps a reference as it is, so the caller must not change it
// afterwards.
func (x *object) store(a *sai.AttrMeta, v sai.Value) {
	i, ok := x.at(a.ID)
	if !ok {
		x.cells = slices.Insert(x.cells, i, cell{id: a.ID, ro: a.Has(sai.ReadOnly)})
	}
	c := &x.cells[i]
	switch {
	case v.Ref == nil && c.box:
		x.boxes[c.num] = nil // the box stays for the next list
	case v.Ref == nil:
		c.num = v.Num
	case c.box:
		x.boxes[c.num] = v.Ref
	default:
		c.num, c.box = uint64(len(x.boxes)), true
		x.boxes = append(x.boxes, v.Ref)
	}
}

// drop removes a stored attribute to undo its first set: its box, if any, is the last
// one.
func (x *object) drop(id uint32) {
	i, ok := x.at(id)
	if !ok {
		return
	}
	if c := x.cells[i]; c.box {
		x.boxes[c.num] = nil
		if c.num == uint64(len(x.boxes)-1) {
			x.boxes = x.boxes[:c.num]
		}
	}
	x.cells = slices.Delete(x.cells, i, i+1)
}

// table finds objects by index. It frees empty pages, so it does not grow with the
// number of objects ever created.
type table struct{ pages []*page }

type page struct {
	used int
	objs [256]*object
}

func (t *table) at(i uint64) *object {
	if i>>8 >= uint64(len(t.pages)) || t.pages[i>>8] == nil {
		return nil
	}
	return t.pages[i>>8].objs[i&255]
}

func (t *table) put(i uint64, x *object) {
	for i>>8 >= uint64(len(t.pages)) {
		t.pages = append(t.pages, nil)
	}
	p := t.pages[i>>8]
	if p == nil {
		p = &page{}
		t.pages[i>>8] = p
	}
	if x != nil {
		p.used++
	} else {
		p.used--
	}
	p.objs[i&255] = x
	if p.used == 0 {
		t.pages[i>>8] = nil
	}
}
