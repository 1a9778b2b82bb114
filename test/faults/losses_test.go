package faults

import (
	"fmt"
	"testing"
)

// startedAs waits until the agent says how its session with the chip began.
func (s *site) startedAs(want string) {
	s.Helper()
	eventually(s, "say how it started", func() error {
		if got := s.about()["start"]; got != want {
			return fmt.Errorf("start is %q, want %q", got, want)
		}
		return nil
	})
}

// TestColdStart: a chip that was lost is set up anew, and the agent says so; one
// that went on is not.
func TestColdStart(t *testing.T) {
	t.Parallel()
	s := newSite(t, load(8))
	s.begin()
	s.startedAs("cold")
	s.agent.kill()
	s.start()
	s.startedAs("warm")
	kill(listener(s.chip))
	s.startedAs("cold")
	if _, err := s.checkAll(); err != nil {
		t.Error(err)
	}
	s.startedAs("warm")
}
