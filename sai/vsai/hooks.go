package vsai

import (
	"slices"
	"sync"
	"sync/atomic"

	"xon/sai"
)

// Op is a method of sai.Driver.
type Op uint8

// The methods for hooks and the record.
const (
	OpCreate Op = iota
	OpRemove
	OpSet
	OpGet
	OpStats
	OpClearStats
	OpObjects
	OpCapability // of an attribute, enum or counters
)

func (o Op) String() string {
	return [...]string{"create", "remove", "set", "get", "stats", "clear stats", "objects", "capability"}[o]
}

// Write reports whether a call of the method changes objects.
func (o Op) Write() bool { return o <= OpSet }

// Call is a single call, a bulk call as a whole, or one entry of it.
type Call struct {
	Op     Op
	Object *sai.ObjectMeta
	Key    sai.Key         // of a create: set afterwards
	Attrs  []sai.Attribute // of a create, set, get
	Entry  int             // index in the bulk call; -1 for a single call or the bulk call as a whole
	Bulk   int             // number of entries of the bulk call; 0 for a single call
	Status sai.Status      // set afterwards
}

// IsBulk reports whether the call is a bulk call as a whole.
func (c Call) IsBulk() bool { return c.Bulk > 0 && c.Entry < 0 }

// hooks are the test hooks and the record of calls.
type hooks struct {
	onCall atomic.Pointer[func(Call) sai.Status]
	done   atomic.Pointer[func(Call)]
	limit  int // maximum of calls; negative: none

	writes atomic.Uint64

	mu    sync.Mutex
	calls []Call
	first int // index of the oldest call when calls is full
}

func (h *hooks) init(limit int) {
	if limit == 0 {
		limit = 1 << 16
	}
	h.limit = limit
}

// OnCall sets a hook that runs before every call. If f returns a status other than
// success, the call fails with it and has no effect. A bulk call calls f once as a
// whole, and once for each entry. f runs on the caller's goroutine without locks, so it
// may use the chip. Nil removes the hook.
func (c *Chip) OnCall(f func(Call) sai.Status) { setHook(&c.hooks.onCall, f) }

// AfterCall sets a hook that runs after every call, with its status. Nil removes it.
func (c *Chip) AfterCall(f func(Call)) { setHook(&c.hooks.done, f) }

func setHook[F func(Call) | func(Call) sai.Status](p *atomic.Pointer[F], f F) {
	if f == nil {
		p.Store(nil)
		return
	}
	p.Store(&f)
}

// Calls returns the calls since the last ResetCalls, oldest first, as many as the chip
// keeps (Config.Record). A bulk write has one record for each executed entry, a bulk
// read a single one. The attributes of a get are not kept.
func (c *Chip) Calls() []Call {
	h := &c.hooks
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Concat(h.calls[h.first:], h.calls[:h.first])
}

// Writes counts creates, removes and sets since the last ResetCalls, including failed
// ones; each bulk entry counts. It does not depend on how many calls the chip keeps.
func (c *Chip) Writes() int { return int(c.hooks.writes.Load()) }

// ResetCalls clears the record and the count of writes.
func (c *Chip) ResetCalls() {
	h := &c.hooks
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls, h.first = nil, 0
	h.writes.Store(0)
}

// active reports whether single calls and entries are recorded or hooked.
func (h *hooks) active() bool {
	return h.limit >= 0 || h.onCall.Load() != nil || h.done.Load() != nil
}

// before calls the hook before a call.
func (h *hooks) before(c *Call) sai.Status {
	if f := h.onCall.Load(); f != nil {
		return (*f)(*c)
	}
	return 0
}

// after counts and records a call.
func (h *hooks) after(c *Call, st sai.Status) {
	if c.Op.Write() && !c.IsBulk() {
		h.writes.Add(1)
	}
	if !h.active() {
		return
	}
	c.Status = st
	if h.limit >= 0 && (!c.Op.Write() && c.Entry < 0 || c.Op.Write() && !c.IsBulk()) {
		h.record(*c)
	}
	if f := h.done.Load(); f != nil {
		(*f)(*c)
	}
}

func (h *hooks) record(c Call) {
	c.Key.Entry = slices.Clone(c.Key.Entry)
	if c.Op.Write() {
		c.Attrs = slices.Clone(c.Attrs)
	} else {
		c.Attrs = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.calls) < h.limit {
		h.calls = append(h.calls, c)
		return
	}
	h.calls[h.first] = c
	h.first = (h.first + 1) % h.limit
}
