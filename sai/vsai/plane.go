package vsai

import (
	"fmt"
	"slices"
	"sync"

	"xon/sai"
)

// Plane moves a chip's packets. What it counts it tells through meters, what an
// agent programs it reads through Look.
type Plane interface {
	// Lock keeps packets where they are while counters are read. It is taken before
	// any lock of the chip.
	sync.Locker
	// Changed tells of an object that was made, set or removed; id is null for one
	// that is named by an entry. A change of the switch can be one of everything.
	// The chip is locked: it may not be called.
	Changed(o *sai.ObjectMeta, id sai.OID)
}

// StatKind is what a meter knows of a statistic.
type StatKind uint8

// Kinds of statistics.
const (
	NotCounted StatKind = iota // nothing: the statistic is what tests make of it
	Counter                    // it goes up; clearing counts from now on
	Level                      // it is what it is; clearing changes nothing
	Watermark                  // the greatest level; clearing makes it that of now
)

// Meter is what a plane counts of one object. It is asked while the plane's lock is
// held.
type Meter interface {
	// Count returns a statistic.
	Count(stat uint32) (uint64, StatKind)
	// Clear makes a watermark the level of now.
	Clear(stat uint32)
	// State returns an attribute; false: the plane does not have it. One that is not
	// read-only is the plane's whatever has been set, one that is unless a test set it.
	State(a *sai.AttrMeta) (uint64, bool)
}

// SetPlane has a plane move the chip's packets from now on. A chip has one, for
// good. What it has is not told to it: it looks.
func (c *Chip) SetPlane(p Plane) error {
	if !c.plane.CompareAndSwap(nil, &p) {
		return fmt.Errorf("the chip has a dataplane already")
	}
	return nil
}

// SetMeter has m count for an object, from now on and from zero, until the object is
// removed. An object that is gone already is none of its concern.
func (c *Chip) SetMeter(id sai.OID, m Meter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID(id)
	if x == nil {
		return
	}
	c.meters[id] = m
	for at := range x.t.meta.Stats {
		x.clearStat(m, at)
	}
}

// states are read-only attributes that a plane has.
var states = []*sai.AttrMeta{sai.QueueAttrPauseStatus.AttrMeta, sai.QueueAttrPFCContinuousDeadlockState.AttrMeta}

// changed tells the plane.
func (c *Chip) changed(x *object) {
	if p := c.plane.Load(); p != nil {
		(*p).Changed(x.t.meta, x.id)
	}
}

// Reader is the chip's objects at one moment, for its plane: without hooks and
// without a record.
type Reader struct{ c *Chip }

// Read has f see the chip's objects, which do not change meanwhile.
func (c *Chip) Read(f func(Reader)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f(Reader{c})
}

// Switch returns the switch; null if there is none.
func (l Reader) Switch() sai.OID {
	if l.c.sw == nil {
		return 0
	}
	return l.c.sw.id
}

// Value returns an attribute that has been set. It belongs to the chip.
func (l Reader) Value(id sai.OID, a *sai.AttrMeta) (sai.Value, bool) {
	x := l.c.byID(id)
	if x == nil {
		return sai.Value{}, false
	}
	return x.value(a.ID)
}

// Num returns a number, or the attribute's default; 0 for an object that is not
// there.
func (l Reader) Num(id sai.OID, a *sai.AttrMeta) uint64 {
	x := l.c.byID(id)
	if x == nil {
		return 0
	}
	return x.num(a)
}

// Objects lists the objects of a type in the order they were made, but for entries.
func (l Reader) Objects(o sai.Object) []sai.OID {
	objs := l.c.list(o.Meta())
	out := make([]sai.OID, len(objs))
	for i, x := range objs {
		out[i] = x.id
	}
	return out
}

// Reported returns an attribute as the chip tells it, with what follows from other
// objects; false: it has none.
func (l Reader) Reported(id sai.OID, a *sai.AttrMeta) (sai.Value, bool) {
	x := l.c.byID(id)
	if x == nil {
		return sai.Value{}, false
	}
	v, st := l.c.read(x, a)
	return v, st == 0
}

// Entry is an object that is named by an entry struct.
type Entry struct{ x *object }

// Entries lists the objects of such a type in the order they were made. They are
// valid as long as the Look is.
func (l Reader) Entries(o sai.Object) []Entry {
	objs := l.c.list(o.Meta())
	out := make([]Entry, len(objs))
	for i, x := range objs {
		out[i] = Entry{x}
	}
	return out
}

// Key is the entry struct's memory.
func (e Entry) Key() []byte { return []byte(e.x.entry) }

// Value returns an attribute that has been set. It belongs to the chip.
func (e Entry) Value(a *sai.AttrMeta) (sai.Value, bool) { return e.x.value(a.ID) }

// Num returns a number, or the attribute's default.
func (e Entry) Num(a *sai.AttrMeta) uint64 { return e.x.num(a) }

// TypeOf returns the type of an object; null if it is not there.
func (l Reader) TypeOf(id sai.OID) sai.ObjectType {
	if x := l.c.byID(id); x != nil {
		return x.t.meta.Type
	}
	return sai.ObjectTypeNull
}

// CPU returns the switch's own port.
func (l Reader) CPU() sai.OID { return l.c.cpu }

// PortParts is a front-panel port with the objects that belong to it.
type PortParts struct {
	ID     sai.OID
	Lanes  []uint32
	Queues []sai.OID // by index
	Groups []sai.OID // ingress priority groups by index
	Nodes  []sai.OID // scheduler groups
	Link   bool      // whether the other end is up (SetLink)
}

// Ports lists the front-panel ports in the order they were made.
func (l Reader) Ports() []PortParts {
	ids := l.c.portList()
	out := make([]PortParts, len(ids))
	for i, id := range ids {
		p := l.c.ports[id]
		out[i] = PortParts{ID: id, Lanes: p.lanes, Queues: p.queues, Groups: p.pgs, Nodes: p.groups, Link: p.link}
	}
	return out
}

// MaxPorts is how many front-panel ports the chip can have.
func (c *Chip) MaxPorts() int { return c.maxPorts() }

// Lanes lists the chip's hardware lanes in their order.
func (c *Chip) Lanes() []uint32 {
	out := make([]uint32, 0, len(c.lanes))
	for lane := range c.lanes {
		out = append(out, lane)
	}
	slices.Sort(out)
	return out
}

// nestedLock is a lock within another.
type nestedLock struct{ outer, inner sync.Locker }

func (b nestedLock) Lock() {
	b.outer.Lock()
	b.inner.Lock()
}

func (b nestedLock) Unlock() {
	b.inner.Unlock()
	b.outer.Unlock()
}

// lockFor is the lock that a call takes: statistics, the state of queues and the numbers
// of ACL counters are the plane's too.
func (c *Chip) lockFor(o *sai.ObjectMeta, op Op, reads bool) sync.Locker {
	var own sync.Locker = &c.mu
	if reads {
		own = c.mu.RLocker()
	}
	if p := c.plane.Load(); p != nil && (op == OpStats || op == OpGet && (o.Type == sai.ObjectTypeQueue || o.Type == sai.ObjectTypeACLCounter)) {
		return nestedLock{*p, own}
	}
	return own
}
