package faults

import (
	"testing"

	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// TestKilledOverBadInput (I1): a bad row in the place of one that headroom comes from, derived or
// computed, writes nothing to the chip, nor does the agent that starts after a kill.
func TestKilledOverBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows configdb.RawRows
		bad  []edit
	}{
		"derived":  {derived(8), []edit{{row: "BUFFER_PG|Ethernet0|3-4", fields: configdb.Fields{"profile": "nonesuch"}}}},
		"computed": {computed(8), []edit{{row: "CABLE_LENGTH|AZURE", fields: configdb.Fields{"Ethernet0": "0.5m"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.rows)
			s.begin()
			eventually(t, "have headroom", func() error { return s.headroom("Ethernet0") })
			s.fence() // what was derived is read back
			before := len(calls(t, s.record))
			s.write(func(b *redisdb.Batch) { batch(b, c.bad) })
			s.fence()
			for range 2 {
				s.agent.kill()
				s.start()
				s.fence()
			}
			if after := calls(t, s.record); len(after) != before {
				t.Errorf("written: %v", after[before:])
			}
			if err := s.headroom("Ethernet0"); err != nil {
				t.Error(err)
			}
		})
	}
}
