// Package state is everything that decides what the switch shall be: rows of CONFIG_DB,
// what was last applied of them, what the chip refused, which rows were derived, facts
// about the network, and what the chip has.
//
// A State does not change. What changes it makes another State, which shares with the
// one before all that stayed the same: a transaction or a dry run is another State that
// is kept or dropped.
//
// What is not for here: what a State means for the switch (package resolve), and I/O.
package state

import (
	"reflect"
	"slices"

	"xon/orchagent/bufmgr"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// State is the input of a resolution.
type State struct {
	Revision uint64 // grows with every change of rows
	Records  Map[configdb.RowKey, *Record]
	Applied  Map[configdb.RowKey, *Version]
	Refused  Map[Candidate, *Refusal]
	// Short is what the chip has no room for. It must not be changed.
	Short intent.Shortages
	// Dormant are refusals of versions that are tried again, as what they need is other
	// versions now; those may come back.
	Dormant Map[*Refusal, Candidate]
	// Removed are the rows that are applied but no longer in CONFIG_DB.
	Removed Map[configdb.RowKey, bool]
	// Unapplied are the rows in CONFIG_DB that parse and of which the last applied version is
	// another one, or none.
	Unapplied Map[configdb.RowKey, bool]
	// Derived are the rows that the agent put into CONFIG_DB because of others.
	Derived Map[configdb.RowKey, *Digests]
	// StillDerived are those of Derived that nobody changed since. It must not be changed.
	StillDerived map[configdb.RowKey]bool
	// Withheld are rows whose version of CONFIG_DB is not tried for now; nil: none.
	Withheld map[configdb.RowKey]bool
	// Contested are the applied rows of tables whose rows compete for something scarce.
	Contested *configdb.Config

	Facts     *intent.Facts // nil: nothing was found out
	Inventory *inventory.Inventory
	Limits    statedb.Limits // that other programs state
	// Files is what the files of the buffer manager say: another pointer makes the buffer
	// manager begin again.
	Files *bufmgr.Params
	// Model is the row that chose the buffer model when the buffer manager last began; nil
	// if there was none, which means the traditional one.
	Model *configdb.DeviceMetadata
	// ModelKept says why Model is not the row that asks for a model now, and MemoryKept why
	// Limits has another packet memory than is stated now: headroom would be lost. "": no
	// such reason.
	ModelKept, MemoryKept string

	contested map[string]bool // tables
}

// Digests are those of the versions of a derived row that may be in CONFIG_DB: several
// if one of them may be half written.
type Digests struct{ List []string }

// Version returns the last applied version of a row; the zero Version if there is none.
func (s *State) Version(k configdb.RowKey) Version {
	if v := s.Applied.Get(k); v != nil {
		return *v
	}
	return Version{}
}

// IsApplied reports whether a version of a row is the last applied one; nil never is.
func (s *State) IsApplied(row configdb.Row) bool {
	return row != nil && s.Version(row.RowKey()).Row == row
}

// Fields returns a row as CONFIG_DB has it; nil if it is not there.
func (s *State) Fields(k configdb.RowKey) configdb.Fields {
	if r := s.Records.Get(k); r != nil {
		return r.Fields
	}
	return nil
}

// Get implements configdb.Stored.
func (s *State) Get(k configdb.RowKey) configdb.Fields { return s.Fields(k) }

// Keys implements configdb.Stored.
func (s *State) Keys(yield func(configdb.RowKey) bool) { s.Records.Keys()(yield) }

// Choose returns the version of a row to try, nil for none: that of CONFIG_DB, or where
// it does not parse, is refused or withheld, the last applied one. What a removed row
// set stays in tables of which nothing can be taken back.
func (s *State) Choose(k configdb.RowKey) configdb.Row {
	rec, applied := s.Records.Get(k), s.Version(k).Row
	switch {
	case s.Withheld[k]:
	case rec == nil && s.Refused.Get(Candidate{k, nil}) == nil && !configdb.Keeps(k.Table()):
		return nil
	case rec != nil && rec.Row != nil && s.Refused.Get(Candidate{k, rec.Row}) == nil:
		return rec.Row
	}
	if applied != nil && s.Refused.Get(Candidate{k, applied}) == nil {
		return applied
	}
	return nil
}

// Same reports whether two States are the same but for their revisions: what differs only
// in how it is held counts as different.
func (s *State) Same(o *State) bool {
	return s.Records == o.Records && s.Applied == o.Applied && s.Refused == o.Refused && s.Dormant == o.Dormant && s.Derived == o.Derived &&
		sameMap(s.StillDerived, o.StillDerived) && sameMap(s.Withheld, o.Withheld) && s.Contested == o.Contested && sameMap(s.Short, o.Short) &&
		s.Facts == o.Facts && s.Inventory == o.Inventory && s.Limits.Equal(o.Limits) && s.Files == o.Files && s.Model == o.Model &&
		s.ModelKept == o.ModelKept && s.MemoryKept == o.MemoryKept
}

func sameMap[K comparable, V any](a, b map[K]V) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// Metadata is the row that chooses the buffer model.
const Metadata configdb.RowKey = "DEVICE_METADATA|localhost"

// Chosen is the row that chooses the buffer model: as CONFIG_DB has it, even if the chip
// refuses what comes of it, or else the last applied one; nil if there is none.
func (s *State) Chosen() *configdb.DeviceMetadata {
	if rec := s.Records.Get(Metadata); rec != nil {
		if m, ok := rec.Row.(*configdb.DeviceMetadata); ok {
			return m
		}
	}
	m, _ := s.Choose(Metadata).(*configdb.DeviceMetadata)
	return m
}

// ModelName is the buffer model in use: configdb.Traditional or configdb.Dynamic.
func (s *State) ModelName() string {
	if s.Model != nil && s.Model.BufferModel == configdb.Dynamic {
		return configdb.Dynamic
	}
	return configdb.Traditional
}

// Digest is that of one of the two versions of a row; "" for none.
func (s *State) Digest(k configdb.RowKey, row configdb.Row) string {
	switch rec := s.Records.Get(k); {
	case row == nil:
		return ""
	case rec != nil && rec.Row == row:
		return rec.Fields.Digest()
	default:
		return s.Version(k).Fields.Digest()
	}
}

// Tried returns the version of a row that CONFIG_DB asks for, if its digest is the given
// one.
func (s *State) Tried(k configdb.RowKey, digest string) (c Candidate, ok bool) {
	rec := s.Records.Get(k)
	if rec == nil {
		return Candidate{k, nil}, digest == "" && s.Applied.Has(k)
	}
	return Candidate{k, rec.Row}, rec.Row != nil && rec.Fields.Digest() == digest
}

// New is the State of an agent that begins with what the one before it reported: the
// last applied versions and the digests of derived rows. Versions that no longer parse
// are left out: they can't be applied. contested are the tables whose rows compete.
func New(applied map[configdb.RowKey]configdb.Fields, derived map[configdb.RowKey][]string, contested map[string]bool) *State {
	s := &State{Contested: &configdb.Config{}, contested: contested}
	e := s.Edit()
	for k, list := range derived {
		e.Derived.put(&e.own.derived, k, &Digests{slices.Clone(list)})
	}
	changes := make(map[configdb.RowKey]Version, len(applied))
	for k, f := range applied {
		if r := newRecord(k, f, nil); r.Row != nil {
			changes[k] = Version{Fields: f, Row: r.Row}
		}
	}
	e.Apply(changes)
	return e.Done()
}
