package orchagent_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"xon/sai"
	"xon/sai/vsai"
)

// trouble is what goes wrong during one move of a walk. It is plain data, so that a
// walk can be repeated and cut down.
type trouble struct {
	kind   troubleKind
	n      int    // once, whole, lost: which write; deaf: which type
	seed   uint64 // of what is left to chance
	status sai.Status
}

type troubleKind uint8

const (
	calm    troubleKind = iota
	once                // one write, entries of bulk calls counted apart, fails
	whole               // one call fails, bulk calls as a whole
	rain                // calls and entries fail now and then, some in a row, so that undoing fails too
	blind               // as rain, and reads fail too
	noBulk              // there are no bulk calls
	deaf                // nothing of one object type can be written
	lost                // the chip goes away at one write and does not come back during the move
	names               // the name store fails now and then
	taken               // the database refuses to commit
	crowded             // there is no room for what some priority groups are to have
	kinds               // how many there are
)

func (t trouble) String() string {
	name := [...]string{"calm", "once", "whole", "rain", "blind", "noBulk", "deaf", "lost", "names", "taken", "crowded"}[t.kind]
	return fmt.Sprintf("%s n=%d seed=%d %s", name, t.n, t.seed, t.status.Name())
}

// single reports whether undoing can't fail: there is one fault at most.
func (t trouble) single() bool {
	return t.kind == calm || t.kind == once || t.kind == whole || t.kind == taken
}

// statuses of all kinds: that pass, that name an attribute, that say no for good.
var statuses = []sai.Status{
	sai.StatusFailure, sai.StatusInsufficientResources, sai.StatusNoMemory, sai.StatusTableFull, sai.StatusObjectInUse,
	sai.StatusNotSupported, sai.StatusNotImplemented, sai.StatusInvalidParameter, sai.StatusItemNotFound, sai.StatusInvalidObjectID,
	sai.StatusInvalidAttrValue0, sai.StatusAttrNotSupported0, sai.StatusAttrNotImplemented0, sai.StatusUnknownAttribute0,
}

func randomTrouble(rng *rand.Rand) trouble {
	t := trouble{n: rng.IntN(1 << rng.IntN(5)), seed: rng.Uint64(), status: statuses[rng.IntN(len(statuses))]}
	if rng.IntN(3) > 0 {
		t.kind = troubleKind(rng.IntN(int(kinds)))
	}
	return t
}

// crowd has the same groups find no room during most moves.
func crowd(rng *rand.Rand) trouble {
	if rng.IntN(4) == 0 {
		return trouble{}
	}
	return trouble{kind: crowded, seed: uint64(rng.IntN(2))}
}

// weather has a chip, a name store and a database in trouble.
type weather struct {
	// looking says that the test itself asks the chip, which is no business of the
	// weather's.
	looking atomic.Bool

	mu     sync.Mutex // a chip behind a socket has goroutines of its own
	now    trouble
	rng    *rand.Rand
	count  int // writes so far
	burst  int
	faults int // of all moves
	calls  int
	writes int
	last   string // call
}

// begin starts the trouble of a move, end ends it.
func (w *weather) begin(t trouble) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now, w.rng, w.count, w.burst = t, rand.New(rand.NewPCG(t.seed, 7)), 0, 0
}

func (w *weather) end() { w.begin(trouble{}) }

// call decides about a call of the chip.
func (w *weather) call(c vsai.Call) sai.Status {
	if w.looking.Load() {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.IsBulk() {
		w.calls++
		w.last = fmt.Sprintf("%s %s %v %v", c.Op, c.Object.Name, c.Key.OID, c.Attrs)
	}
	write := c.Op.Write()
	if write && !c.IsBulk() {
		w.writes++
	}
	st := w.fault(c, write)
	if st != 0 {
		w.faults++
	}
	return st
}

func (w *weather) fault(c vsai.Call, write bool) sai.Status {
	switch w.now.kind {
	case once:
		if write && !c.IsBulk() && w.hit() {
			return w.now.status
		}
	case whole:
		if write && c.Entry < 0 && w.hit() {
			return w.now.status
		}
	case lost:
		if write && !c.IsBulk() && w.hit() {
			w.now.kind = kinds
		}
		if w.now.kind == kinds {
			return sai.StatusUninitialized
		}
	case kinds: // still lost
		return sai.StatusUninitialized
	case rain:
		if write {
			return w.drop()
		}
	case blind:
		return w.drop()
	case noBulk:
		if c.IsBulk() && write {
			return sai.StatusNotImplemented
		}
	case deaf:
		if write && !c.IsBulk() && c.Object.Type == deafTypes[w.now.n%len(deafTypes)] {
			return w.now.status
		}
	case crowded:
		if write && !c.IsBulk() && w.crowds(c) {
			return sai.StatusInsufficientResources
		}
	default:
	}
	return 0
}

// crowds reports whether a call gives one of the crowded priority groups a profile.
func (w *weather) crowds(c vsai.Call) bool {
	return c.Object.Type == sai.ObjectTypeIngressPriorityGroup && c.Op == vsai.OpSet && c.Attrs[0].Num != 0 &&
		(uint64(c.Key.OID)*0x9e3779b97f4a7c15^w.now.seed)>>32%3 == 0
}

var deafTypes = []sai.ObjectType{
	sai.ObjectTypeBufferPool, sai.ObjectTypeBufferProfile, sai.ObjectTypeQoSMap, sai.ObjectTypeScheduler, sai.ObjectTypeWred, sai.ObjectTypeHostif,
	sai.ObjectTypePort, sai.ObjectTypeQueue, sai.ObjectTypeIngressPriorityGroup, sai.ObjectTypeSchedulerGroup, sai.ObjectTypeSwitch,
}

// hit reports whether this is the write that fails.
func (w *weather) hit() bool { w.count++; return w.count == w.now.n+1 }

// drop fails one call in four to twenty, and up to two more after it.
func (w *weather) drop() sai.Status {
	if w.burst == 0 && w.rng.IntN(4+w.now.n%17) == 0 {
		w.burst = 1 + w.rng.IntN(3)
	}
	if w.burst == 0 {
		return 0
	}
	w.burst--
	return statuses[w.rng.IntN(len(statuses))]
}

// stormy is a name store in trouble.
type stormy struct {
	names sai.Names
	*weather
}

// Names implements sai.Names.
func (s stormy) Names() (map[string]sai.OID, error) { return s.names.Names() }

// SetNames implements sai.Names.
func (s stormy) SetNames(put map[string]sai.OID, gone []string) error {
	s.mu.Lock()
	bad := s.now.kind == names && s.rng.IntN(5) == 0
	if bad {
		s.faults++
	}
	s.mu.Unlock()
	if bad {
		return errors.New("the name store is away")
	}
	return s.names.SetNames(put, gone)
}
