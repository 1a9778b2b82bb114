package state

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Refusal is what the chip said to one version of a row. It does not change.
type Refusal struct {
	Field  string // at fault; "" if it is not known
	Reason string
	Retry  bool // the same may succeed later
	// Node is what the chip refused of it; zero if it was refused to an agent before this one.
	Node graph.Key
	// Needs are the versions to try of the rows that this one refers to, by way of others
	// too. With other versions the chip may answer differently.
	Needs map[configdb.RowKey]configdb.Row
}

// Refuse takes up what the chip said to a version.
func (e *Editor) Refuse(c Candidate, x *Refusal) { e.Refused.put(&e.own.refused, c, x) }

// Forgive drops what the chip said to a version, so that it is tried again.
func (e *Editor) Forgive(c Candidate) { e.Refused.remove(&e.own.refused, c) }

// forget drops what the chip said where it no longer matters: of versions that are gone, and
// of those whose needs changed. That may change what others need, so it goes on until
// nothing is left to drop.
//
// What was refused with other needs stays known for as long as those may come back: a
// version is not tried again together with the very rows with which the chip refused one of
// them. Without that, two rows that the chip refuses together could take turns forever.
func (e *Editor) forget() {
	for range maxForget {
		if !e.dropUnmet() && !e.reawaken() {
			break
		}
	}
	for x, c := range e.Dormant.All() {
		if !e.mayComeBack(c, x) {
			e.Dormant.remove(&e.own.dormant, x)
		}
	}
}

// maxForget bounds how often refusals are looked at again because others changed.
const maxForget = 64

// dropUnmet drops refusals that do not matter with the versions of now. It reports whether
// there were any.
func (e *Editor) dropUnmet() (dropped bool) {
	for _, c := range inOrder(e, e.Refused.Keys()) {
		x := e.Refused.Get(c)
		if e.mayBeTried(c) && e.met(x.Needs) {
			continue
		}
		e.Forgive(c)
		dropped = true
		if !e.mayBeTried(c) {
			continue
		}
		e.Dormant.put(&e.own.dormant, x, c)
		if again := e.refusedTogether(c); again != nil {
			e.Refuse(c, again)
		}
	}
	return dropped
}

// reawaken refuses versions again that are chosen with what they were refused with. It
// reports whether there were any.
func (e *Editor) reawaken() bool {
	awake := map[Candidate]*Refusal{}
	for x, c := range e.Dormant.All() {
		if was := awake[c]; e.Choose(c.Key) == c.Row && e.met(x.Needs) && (was == nil || x.Reason < was.Reason) {
			awake[c] = x
		}
	}
	for _, c := range inOrder(e, maps.Keys(awake)) {
		e.Dormant.remove(&e.own.dormant, awake[c])
		e.Refuse(c, awake[c])
		return true // which may change what others need
	}
	return false
}

// inOrder are versions in an order that depends on them alone.
func inOrder(e *Editor, versions iter.Seq[Candidate]) []Candidate {
	return slices.SortedFunc(versions, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(e.Digest(a.Key, a.Row), e.Digest(b.Key, b.Row)))
	})
}

// refusedTogether returns what the chip said to the versions that are chosen now, of which c
// is one, as a refusal of c; nil if it did not refuse them together.
func (e *Editor) refusedTogether(c Candidate) *Refusal {
	var found *Refusal
	for x, d := range e.Dormant.All() {
		if d == c || e.Choose(d.Key) != d.Row || !e.met(x.Needs) || x.Needs[c.Key] != c.Row {
			continue
		}
		again := &Refusal{Reason: fmt.Sprintf("together with %s: %s", d.Key, x.Reason), Retry: x.Retry, Node: x.Node, Needs: maps.Clone(x.Needs)}
		delete(again.Needs, c.Key)
		again.Needs[d.Key] = d.Row
		if found == nil || again.Reason < found.Reason {
			found = again
		}
	}
	return found
}

// mayComeBack reports whether the versions that the chip refused together may all be chosen
// again.
func (e *Editor) mayComeBack(c Candidate, x *Refusal) bool {
	if !e.mayBeTried(c) {
		return false
	}
	for k, row := range x.Needs {
		rec := e.Records.Get(k)
		if row != e.Version(k).Row && (rec == nil || rec.Row != row) && (rec != nil || row != nil) {
			return false
		}
	}
	return true
}

// met reports whether the versions that a refused one needs are those of now.
func (s *State) met(needs map[configdb.RowKey]configdb.Row) bool {
	for k, row := range needs {
		if s.Choose(k) != row {
			return false
		}
	}
	return true
}

// mayBeTried reports whether a version is still one that may be tried.
func (s *State) mayBeTried(c Candidate) bool {
	rec, applied := s.Records.Get(c.Key), s.Version(c.Key).Row
	switch {
	case c.Row == nil:
		return rec == nil && applied != nil
	case applied == c.Row:
		return true
	}
	return rec != nil && rec.Row == c.Row
}

// RetryAll drops what the chip said where a retry may succeed, so that it is asked again. It
// returns what was refused of each row.
func (e *Editor) RetryAll() map[configdb.RowKey]graph.Key {
	rows := map[configdb.RowKey]graph.Key{}
	for c, x := range e.Retriable {
		e.Forgive(c)
		rows[c.Key] = x.Node
	}
	for x := range e.Dormant.All() {
		if x.Retry {
			e.Dormant.remove(&e.own.dormant, x)
		}
	}
	return rows
}

// Retriable are the refused versions that are worth a retry.
func (s *State) Retriable(yield func(Candidate, *Refusal) bool) {
	for c, x := range s.Refused.All() {
		if x.Retry && !yield(c, x) {
			return
		}
	}
}

// Restore takes up what the chip said to the agent before this one, as far as this one
// would ask it the same again. The records must be there.
func (e *Editor) Restore(stored map[configdb.RowKey]statedb.Refusal) {
	mine := map[Candidate]statedb.Refusal{}
	for k, t := range stored {
		if c, ok := e.Tried(k, t.Version); ok {
			mine[c] = t
			e.Refuse(c, &Refusal{Field: t.Field, Reason: t.Reason, Retry: t.Retry})
		}
	}
	for dropped := true; dropped; { // which versions others need depends on what is restored
		dropped = false
		for c, t := range mine {
			if !e.sameDigests(t.Needs) {
				delete(mine, c)
				e.Forgive(c)
				dropped = true
			}
		}
	}
	for c, t := range mine {
		x := &Refusal{Field: t.Field, Reason: t.Reason, Retry: t.Retry, Needs: make(map[configdb.RowKey]configdb.Row, len(t.Needs))}
		for k := range t.Needs {
			x.Needs[k] = e.Choose(k)
		}
		e.Refuse(c, x)
	}
}

func (s *State) sameDigests(needs map[configdb.RowKey]string) bool {
	for k, digest := range needs {
		if s.Digest(k, s.Choose(k)) != digest {
			return false
		}
	}
	return true
}

// Reported are the refusals to tell of, by row: those of versions that CONFIG_DB has. An
// agent that starts has no use for others.
func (s *State) Reported() map[configdb.RowKey]*Refusal {
	all := make(map[configdb.RowKey]*Refusal, s.Refused.Len())
	for c, x := range s.Refused.All() {
		if rec := s.Records.Get(c.Key); rec == nil && c.Row == nil || rec != nil && c.Row != nil && rec.Row == c.Row {
			all[c.Key] = x
		}
	}
	return all
}

// Stored is a refusal as it is kept in STATE_DB.
func (s *State) Stored(k configdb.RowKey, x *Refusal) *statedb.Refusal {
	t := &statedb.Refusal{Reason: x.Reason, Field: x.Field, Retry: x.Retry, Needs: make(map[configdb.RowKey]string, len(x.Needs))}
	if rec := s.Records.Get(k); rec != nil {
		t.Version = rec.Fields.Digest()
	}
	for need, row := range x.Needs {
		t.Needs[need] = s.Digest(need, row)
	}
	return t
}
