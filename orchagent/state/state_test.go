package state_test

import (
	"slices"
	"testing"

	"xon/orchagent/state"
	"xon/schema/configdb"
)

type fields = configdb.Fields

const (
	cable     configdb.RowKey = "CABLE_LENGTH|AZURE"
	parameter configdb.RowKey = "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE"
)

// two is a State with two rows that are applied and have another version each in CONFIG_DB.
func two(t *testing.T) (e *state.Editor, newCable, newParameter state.Candidate) {
	t.Helper()
	s := state.New(map[configdb.RowKey]fields{
		cable:     {"Ethernet0": "5m"},
		parameter: {"default_dynamic_th": "0"},
	}, nil, nil)
	e = s.Edit()
	e.Put(cable, fields{"Ethernet0": "40m"})
	e.Put(parameter, fields{"default_dynamic_th": "7"})
	return e, state.Candidate{Key: cable, Row: e.Records.Get(cable).Row}, state.Candidate{Key: parameter, Row: e.Records.Get(parameter).Row}
}

// refusal is one that holds while another row has a version.
func refusal(reason string, k configdb.RowKey, row configdb.Row) *state.Refusal {
	return &state.Refusal{Reason: reason, Needs: map[configdb.RowKey]configdb.Row{k: row}}
}

// TestRefusedTogether: two versions that the chip refuses only together do not take turns.
func TestRefusedTogether(t *testing.T) {
	t.Parallel()
	e, newCable, newParameter := two(t)
	e.Refuse(newCable, refusal("with the new parameter", parameter, newParameter.Row))
	s := e.Done()
	if s.Choose(cable) == newCable.Row || s.Choose(parameter) != newParameter.Row {
		t.Fatal("the refused version is tried")
	}
	e = s.Edit() // with the old cable the chip refuses the new parameter, too
	e.Refuse(newParameter, refusal("with the old cable", cable, s.Choose(cable)))
	s = e.Done()
	if s.Choose(cable) != newCable.Row || s.Choose(parameter) == newParameter.Row {
		t.Errorf("cable %v and parameter %v are chosen", s.Choose(cable), s.Choose(parameter))
	}
	if again := s.Edit().Done(); again.Choose(cable) != s.Choose(cable) || again.Choose(parameter) != s.Choose(parameter) {
		t.Error("looking again changes what is chosen")
	}
}

// TestForgotten: what the chip said is forgotten when the version is gone, and when it is to
// be retried.
func TestForgotten(t *testing.T) {
	t.Parallel()
	e, newCable, newParameter := two(t)
	e.Refuse(newCable, refusal("with the new parameter", parameter, newParameter.Row))
	e.Put(parameter, fields{"default_dynamic_th": "6"})
	s := e.Done()
	if s.Refused.Len() != 0 || s.Dormant.Len() != 0 {
		t.Errorf("%d refusals and %d dormant ones of versions that are gone", s.Refused.Len(), s.Dormant.Len())
	}
	e = s.Edit()
	e.Refuse(newCable, &state.Refusal{Reason: "no room", Retry: true})
	if rows := e.RetryAll(); len(rows) != 1 || e.Done().Refused.Len() != 0 {
		t.Errorf("retried %v", rows)
	}
}

// TestUnapplied: the rows whose last applied version is another one, and those that are
// removed, are known at any time.
func TestUnapplied(t *testing.T) {
	t.Parallel()
	e, newCable, _ := two(t)
	e.Put(parameter, nil)
	s := e.Done()
	if got := slices.Collect(s.Unapplied.Keys()); !slices.Equal(got, []configdb.RowKey{cable}) {
		t.Errorf("unapplied: %v", got)
	}
	if got := slices.Collect(s.Removed.Keys()); !slices.Equal(got, []configdb.RowKey{parameter}) {
		t.Errorf("removed: %v", got)
	}
	before := *s
	e = s.Edit()
	e.Apply(map[configdb.RowKey]state.Version{cable: {Fields: s.Fields(cable), Row: newCable.Row}, parameter: {}})
	after := e.Done()
	if after.Unapplied.Len()+after.Removed.Len() != 0 {
		t.Error("what is applied is still unapplied")
	}
	if !s.Same(&before) || s.Unapplied.Len() != 1 {
		t.Error("a State has changed")
	}
}
