package observe

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"xon/sai"
)

// seq numbers the calls of all observers, so that two rings can be merged in order.
var seq atomic.Uint64

// ring keeps the last calls. Slots are reused with their memory.
type ring struct {
	mu    sync.Mutex
	slots []slot
	next  int // the oldest, or the first empty one
}

// slot is one call. Entry i has keys[i], status each[i], and the attributes
// attrs[ends[i-1]:ends[i]]. What values refer to does not change, so shallow copies
// stay valid.
type slot struct {
	Call
	keys  []sai.Key
	each  []sai.Status
	attrs []sai.Attribute
	ends  []int
}

// add adds one entry of a call. It copies the entry struct, which belongs to the
// caller.
func (s *slot) add(k sai.Key, attrs []sai.Attribute) {
	k.Entry = append([]byte(nil), k.Entry...)
	s.keys = append(s.keys, k)
	s.attrs = append(s.attrs, attrs...)
	s.ends = append(s.ends, len(s.attrs))
}

// slotFor returns a slot for a call. The caller holds the lock.
func (r *ring) slotFor(c Call) *slot {
	s := &r.slots[r.next]
	r.next = (r.next + 1) % len(r.slots)
	clear(s.attrs) // release references of old values
	*s = slot{Call: c, keys: s.keys[:0], each: s.each[:0], attrs: s.attrs[:0], ends: s.ends[:0]}
	return s
}

func (o *Observer) ring(v Verb) *ring {
	if v.Write() {
		return &o.writes
	}
	return &o.reads
}

// one records a call about one object.
func (o *Observer) one(c Call, k sai.Key, attrs []sai.Attribute) {
	c.Took, c.Seq, c.Entries = time.Since(c.Start), seq.Add(1), 1
	if c.Status != sai.StatusSuccess {
		c.Failed = 1
	}
	r := o.ring(c.Verb)
	r.mu.Lock()
	s := r.slotFor(c)
	s.add(k, attrs)
	s.each = append(s.each, c.Status)
	r.mu.Unlock()
	o.report(c)
}

// many records a bulk call; add adds entry i of it.
func (o *Observer) many(c Call, each []sai.Status, add func(s *slot, i int)) {
	c.Took, c.Seq, c.Bulk = time.Since(c.Start), seq.Add(1), true
	if !c.countFailed(each[:min(len(each), c.Entries)]) {
		each = nil
	}
	r, keep := o.ring(c.Verb), 1
	if c.Verb.Write() {
		keep = MaxEntries
	}
	r.mu.Lock()
	s := r.slotFor(c)
	for i := range min(c.Entries, keep) {
		add(s, i)
		st := c.Status
		if each != nil {
			st = each[i]
		}
		s.each = append(s.each, st)
	}
	r.mu.Unlock()
	o.report(c)
}

// countFailed counts failed entries and takes the status of the first. It reports false
// if the entries' statuses mean nothing: all succeeded, the library has no bulk call,
// or it failed as a whole.
func (c *Call) countFailed(each []sai.Status) bool {
	if c.Status == sai.StatusSuccess {
		return false
	}
	first := sai.StatusSuccess
	for _, st := range each {
		if st != sai.StatusSuccess {
			c.Failed++
			first = cmp.Or(first, st)
		}
	}
	if c.Failed == 0 || c.Status == sai.StatusNotImplemented || c.Status == sai.StatusNotSupported {
		c.Failed = c.Entries
		return false
	}
	c.Status = first
	return true
}

func (o *Observer) report(c Call) {
	if o.tell != nil {
		o.tell(c)
	}
}

// records returns the kept calls, oldest first. It formats them without a lock.
func (r *ring) records() []Record {
	slots := r.copies()
	out := make([]Record, len(slots))
	for i := range slots {
		out[i] = slots[i].record()
	}
	return out
}

func (r *ring) copies() []slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []slot
	for i := range r.slots {
		s := r.slots[(r.next+i)%len(r.slots)]
		if s.Seq == 0 {
			continue
		}
		s.keys, s.each = slices.Clone(s.keys), slices.Clone(s.each)
		s.attrs, s.ends = slices.Clone(s.attrs), slices.Clone(s.ends)
		out = append(out, s)
	}
	return out
}

func (s *slot) record() Record {
	lines := make([]string, len(s.keys))
	from := 0
	for i, k := range s.keys {
		lines[i] = s.line(k, s.attrs[from:s.ends[i]], s.each[i])
		from = s.ends[i]
	}
	if more := s.Entries - len(lines); more > 0 && len(lines) > 0 {
		lines[len(lines)-1] += " (and " + strconv.Itoa(more) + " more)"
	}
	return Record{Call: s.Call, Lines: lines}
}

// line formats one entry: "set queue oid:0x15 WRED_PROFILE_ID=oid:0x13: object in use".
// The values of a failed get are not valid.
func (s *slot) line(k sai.Key, attrs []sai.Attribute, st sai.Status) string {
	var b strings.Builder
	b.WriteString(s.Verb.String() + " " + s.Object.Name)
	switch {
	case k.Entry != nil:
		b.WriteString(" " + hex.EncodeToString(k.Entry))
	case k.OID != sai.Null:
		b.WriteString(" " + k.OID.String())
	}
	for _, a := range attrs {
		if s.Verb == Get && st != sai.StatusSuccess {
			b.WriteString(" " + a.Name)
		} else {
			b.WriteString(" " + a.String())
		}
	}
	if st != sai.StatusSuccess {
		b.WriteString(": " + st.Error())
	}
	return b.String()
}
