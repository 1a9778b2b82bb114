// Package observe watches the calls to a chip: it wraps a sai.Driver, reports the
// result and duration of every call, and keeps the last ones with their arguments for
// troubleshooting.
//
// It adds some hundred nanoseconds to a call. Arguments are copied, and formatted only
// on request.
//
// What is not here: metrics and logs. Config.OnCall produces them.
package observe

import (
	"time"

	"xon/sai"
)

// Verb is the type of a call.
type Verb uint8

// The verbs. Query is for capabilities, List for Objects.
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

// String returns the verb in lower case.
func (v Verb) String() string {
	return [...]string{"create", "remove", "set", "get", "stats", "clear", "query", "list"}[v]
}

// Write reports whether calls of the verb change the chip.
func (v Verb) Write() bool { return v <= Set }

// Call is a completed call.
type Call struct {
	Seq     uint64 // 1 is the first
	Start   time.Time
	Took    time.Duration
	Verb    Verb
	Object  *sai.ObjectMeta
	Bulk    bool
	Entries int // objects of a bulk call, otherwise 1
	Failed  int // entries that did not succeed, including those not tried
	// Status is the status of the call; for a bulk call that failed in part, that of
	// the first failed entry.
	Status sai.Status
}

// Config configures an Observer. The zero Config is usable.
type Config struct {
	// OnCall is called after every call, on the caller's goroutine. It must be fast and
	// safe for concurrent use. Nil: none.
	OnCall func(Call)
	// Writes and Reads are the numbers of calls kept of each type; 0 means
	// DefaultWrites and DefaultReads. They are separate so that polling does not
	// displace changes.
	Writes, Reads int
}

// Default numbers of calls kept. A call with 64 entries, the maximum kept of one, takes
// about 8 KB.
const (
	DefaultWrites = 512
	DefaultReads  = 64
)

// Observer collects the calls of all drivers that it wraps. It is safe for concurrent
// use.
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

// Record is a call with its arguments.
type Record struct {
	Call
	// Lines has one line for each kept entry: at most MaxEntries of a write and one of
	// a read.
	Lines []string
}

// MaxEntries is the maximum number of entries kept of a bulk call.
const MaxEntries = 64

// Last returns the last calls that are kept, oldest first.
func (o *Observer) Last() []Record { return merge(o.writes.records(), o.reads.records()) }

// merge merges two lists by time.
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
