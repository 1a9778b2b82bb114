package state

import (
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

// forget drops what the chip said where it no longer matters: of versions that are
// gone, and of those whose needs changed. That may change what others need, so it goes on
// until nothing is left to drop.
func (e *Editor) forget() {
	for dropped := true; dropped; {
		dropped = false
		for c, x := range e.Refused.All() {
			if !e.Matters(c, x) {
				e.Forgive(c)
				dropped = true
			}
		}
	}
}

// Matters reports whether the chip would be asked the same again.
func (s *State) Matters(c Candidate, x *Refusal) bool {
	if !s.mayBeTried(c) {
		return false
	}
	for k, row := range x.Needs {
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
