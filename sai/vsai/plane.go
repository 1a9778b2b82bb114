package vsai

import (
	"fmt"
	"slices"
	"sync"

	"xon/sai"
)

// Plane forwards a chip's packets. It provides counters through meters, and reads what
// an agent programs through Reader.
type Plane interface {
	// Lock stops packets while counters are read. It is taken before any lock of the
	// chip.
	sync.Locker
	// Changed reports a created, set or removed object; id is null for an object with
	// an entry struct. A change of the switch can affect everything. The chip is
	// locked: Changed must not call it.
	Changed(o *sai.ObjectMeta, id sai.OID)
}

// StatKind says how a meter provides a statistic.
type StatKind uint8

// Kinds of statistics.
const (
	NotCounted StatKind = iota // not provided: tests set the value
	Counter                    // increases; clearing restarts it from zero
	Level                      // current value; clearing has no effect
	Watermark                  // maximum level; clearing sets it to the current level
)

// Meter provides the statistics of one object. The chip calls it with the plane's lock
// held.
type Meter interface {
	// Count returns a statistic.
	Count(stat uint32) (uint64, StatKind)
	// Clear resets a watermark to the current level.
	Clear(stat uint32)
	// State returns an attribute; false: the plane does not provide it. It overrides a
	// set value of a writable attribute, but not a read-only attribute that a test has
	// set.
	State(a *sai.AttrMeta) (uint64, bool)
}

// SetPlane sets the plane of the chip, once. The plane must read the existing objects
// itself.
func (c *Chip) SetPlane(p Plane) error {
	if !c.plane.CompareAndSwap(nil, &p) {
		return fmt.Errorf("the chip already has a dataplane")
	}
	return nil
}

// SetMeter sets the meter of an object; its statistics restart from zero. It is used
// until the object is removed. For a removed object it has no effect.
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

// states are read-only attributes that a plane provides.
var states = []*sai.AttrMeta{sai.QueueAttrPauseStatus.AttrMeta, sai.QueueAttrPFCContinuousDeadlockState.AttrMeta}

// changed notifies the plane.
func (c *Chip) changed(x *object) {
	if p := c.plane.Load(); p != nil {
		(*p).Changed(x.t.meta, x.id)
	}
}

// Reader reads the chip's objects for its plane, without hooks and record.
type Reader struct{ c *Chip }

// Read calls f with a consistent view of the chip's objects.
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

// Value returns an attribute that has been set. The caller must not change it.
func (l Reader) Value(id sai.OID, a *sai.AttrMeta) (sai.Value, bool) {
	x := l.c.byID(id)
	if x == nil {
		return sai.Value{}, false
	}
	return x.value(a.ID)
}

// Num returns a number, or the attribute's default; 0 for an object that does not
// exist.
func (l Reader) Num(id sai.OID, a *sai.AttrMeta) uint64 {
	x := l.c.byID(id)
	if x == nil {
		return 0
	}
	return x.num(a)
}

// Objects lists the objects of a type in creation order. It is not for types with entry
// structs.
func (l Reader) Objects(o sai.Object) []sai.OID {
	objs := l.c.list(o.Meta())
	out := make([]sai.OID, len(objs))
	for i, x := range objs {
		out[i] = x.id
	}
	return out
}

// Reported returns an attribute as the chip reports it, including derived values;
// false: it has none.
func (l Reader) Reported(id sai.OID, a *sai.AttrMeta) (sai.Value, bool) {
	x := l.c.byID(id)
	if x == nil {
		return sai.Value{}, false
	}
	v, st := l.c.read(x, a)
	return v, st == 0
}

// Entry is an object with an entry struct.
type Entry struct{ x *object }

// Entries lists the objects of such a type in creation order. They are valid as long as
// the Reader is.
func (l Reader) Entries(o sai.Object) []Entry {
	objs := l.c.list(o.Meta())
	out := make([]Entry, len(objs))
	for i, x := range objs {
		out[i] = Entry{x}
	}
	return out
}

// Key returns the memory of the entry struct.
func (e Entry) Key() []byte { return []byte(e.x.entry) }

// Value returns an attribute that has been set. The caller must not change it.
func (e Entry) Value(a *sai.AttrMeta) (sai.Value, bool) { return e.x.value(a.ID) }

// Num returns a number, or the attribute's default.
func (e Entry) Num(a *sai.AttrMeta) uint64 { return e.x.num(a) }

// TypeOf returns the type of an object; null if it does not exist.
func (l Reader) TypeOf(id sai.OID) sai.ObjectType {
	if x := l.c.byID(id); x != nil {
		return x.t.meta.Type
	}
	return sai.ObjectTypeNull
}

// CPU returns the CPU port.
func (l Reader) CPU() sai.OID { return l.c.cpu }

// PortParts is a front-panel port with its objects.
type PortParts struct {
	ID     sai.OID
	Lanes  []uint32
	Queues []sai.OID // by index
	Groups []sai.OID // ingress priority groups by index
	Nodes  []sai.OID // scheduler groups
	Link   bool      // the peer is up (SetLink)
}

// Ports lists the front-panel ports in creation order.
func (l Reader) Ports() []PortParts {
	ids := l.c.portList()
	out := make([]PortParts, len(ids))
	for i, id := range ids {
		p := l.c.ports[id]
		out[i] = PortParts{ID: id, Lanes: p.lanes, Queues: p.queues, Groups: p.pgs, Nodes: p.groups, Link: p.link}
	}
	return out
}

// MaxPorts is the maximum number of front-panel ports.
func (c *Chip) MaxPorts() int { return c.maxPorts() }

// Lanes lists the chip's hardware lanes in order.
func (c *Chip) Lanes() []uint32 {
	out := make([]uint32, 0, len(c.lanes))
	for lane := range c.lanes {
		out = append(out, lane)
	}
	slices.Sort(out)
	return out
}

// nestedLock takes two locks in order.
type nestedLock struct{ outer, inner sync.Locker }

func (b nestedLock) Lock() {
	b.outer.Lock()
	b.inner.Lock()
}

func (b nestedLock) Unlock() {
	b.inner.Unlock()
	b.outer.Unlock()
}

// lockFor returns the lock for a call: statistics, queue states and ACL counter values
// also need the plane's lock.
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
