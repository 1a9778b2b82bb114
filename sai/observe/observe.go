// Package observe watches the calls that go to a chip: it wraps a sai.Driver, tells
// of every call how it went and how long it took, and keeps the last ones with
// what they said, for people who look for the reason of something.
//
// A call costs some hundred nanoseconds more. What it said is copied, never put
// into words until somebody asks.
//
// What is not here: metrics and logs. They are what Config.Tell makes of it.
package observe

import (
	"time"

	"xon/sai"
)

// Verb is what a call does.
type Verb uint8

// The verbs. Query is for what a library can do, list for Objects.
const (
	Create Verb = iota
	Remove
	Set
	Get
	Stats
	Clear
	Query
	List
)

// String is the verb in lower case.
func (v Verb) String() string {
	return [...]string{"create", "remove", "set", "get", "stats", "clear", "query", "list"}[v]
}

// Write reports whether calls of the verb change what the chip does.
func (v Verb) Write() bool { return v <= Set }

// Call is one call that is over.
type Call struct {
	Seq     uint64 // 1 is the first
	Start   time.Time
	Took    time.Duration
	Verb    Verb
	Object  *sai.ObjectMeta
	Bulk    bool
	Entries int // objects of a bulk call, 1 of others
	Failed  int // entries that did not succeed, those included that were not tried
	// Status is the call's own; of a bulk call that failed in part, that of the first
	// entry that did.
	Status sai.Status
}

// Config says what to do about calls. The zero Config is of use.
type Config struct {
	// OnCall hears of every call on the goroutine that made it, when it is over. It must
	// be quick, and may be called by several at a time. Nil: nobody.
	OnCall func(Call)
	// Writes and Reads are how many calls of each are kept; 0 means DefaultWrites and
	// DefaultReads. They are apart so that polling does not push changes out.
	Writes, Reads int
}

// How many calls are kept. A call of 64 entries, the most that is kept of one,
// takes about 8 KB.
const (
	DefaultWrites = 512
	DefaultReads  = 64
)

// Observer gathers the calls of all drivers that it wraps. Its methods may be called
// from any goroutine.
type Observer struct {
	tell   func(Call)
	writes ring
	reads  ring
}

// New returns an Observer that has seen nothing.
func New(cfg Config) *Observer {
	if cfg.Writes == 0 {
		cfg.Writes = DefaultWrites
	}
	if cfg.Reads == 0 {
		cfg.Reads = DefaultReads
	}
	o := &Observer{tell: cfg.OnCall}
	o.writes.slots, o.reads.slots = make([]slot, cfg.Writes), make([]slot, cfg.Reads)
	return o
}

// Wrap returns a driver that does what d does, and is observed. It keeps names
// (sai.Names) if d does.
func (o *Observer) Wrap(d sai.Driver) sai.Driver {
	w := &driver{Driver: d, o: o}
	if n, ok := d.(sai.Names); ok {
		return &namedDriver{driver: w, names: n}
	}
	return w
}

// Record is a call with what it said.
type Record struct {
	Call
	// Lines has one line for each entry that is kept, at most MaxEntries of a write and
	// one of a read.
	Lines []string
}

// MaxEntries is how many entries of a bulk call are kept.
const MaxEntries = 64

// Last returns the last calls, as many as are kept, oldest first.
func (o *Observer) Last() []Record { return merge(o.writes.records(), o.reads.records()) }

// merge joins two lists in order of time.
func merge(a, b []Record) []Record {
	out := make([]Record, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Seq < b[0].Seq {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
