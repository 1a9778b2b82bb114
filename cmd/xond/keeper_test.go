package main

import (
	"testing"
	"time"

	"github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent"
	"xon/orchagent/audit"
)

// TestActivity: a plan that waits is shown although its record is forgotten, and no
// longer than its agent lives.
func TestActivity(t *testing.T) {
	t.Parallel()
	history, err := audit.New(audit.Config{Keep: 2})
	if err != nil {
		t.Fatal(err)
	}
	log, _ := test.NewNullLogger()
	k := newKeeper(&options{}, nil, history, log, func() {})
	k.set(&orchagent.Agent{})
	id := history.Add(audit.Record{Who: "CN=ops", Steps: 60})
	k.observed(orchagent.Stats{Paused: id, RetryIn: time.Hour})
	if h := k.activity().GetHeld(); h.GetId() != id || h.GetWho() != "CN=ops" || h.GetSteps() != 60 {
		t.Errorf("held %v", h)
	}
	for range 5 {
		history.Add(audit.Record{})
	}
	if s := k.activity(); s.GetHeld().GetId() != id || s.GetNextRetry() == nil {
		t.Errorf("after other records: %v", s)
	}
	k.set(nil)
	k.set(&orchagent.Agent{})
	if s := k.activity(); s.GetHeld() != nil || s.GetNextRetry() != nil {
		t.Errorf("of the next agent: %v", s)
	}
}
