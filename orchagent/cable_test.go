package orchagent_test

import (
	"strings"
	"testing"

	"xon/orchagent"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestBadCable: a port's length that is none harms no other port when it is found in
// the database, and refuses the transaction that brings it, but no other.
func TestBadCable(t *testing.T) {
	t.Parallel()
	const key = "CABLE_LENGTH|AZURE"
	r := newRig(t, 2)
	r.load(small(), rows{key: {"Ethernet0": "3,4", "Ethernet4": "5m"}})
	f := r.agent.Fates()[key]
	if w := strings.Join(f.Warnings, "; "); f.State == statedb.Refused || !strings.Contains(w, `field "Ethernet0" has no effect: "3,4" is not a length`) {
		t.Errorf("%s, warned of %q", f.State, w)
	}
	set := func(port, length string) error {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: []configdb.Op{
			{Kind: configdb.Update, Table: "CABLE_LENGTH", Key: "AZURE", Fields: configdb.Fields{port: length}},
		}})
		return err
	}
	if err := set("Ethernet4", "40 m"); err == nil || !strings.Contains(err.Error(), `field "Ethernet4": "40 m" is not a length`) {
		t.Errorf("set to no length: %v", err)
	}
	if err := set("Ethernet4", "40m"); err != nil {
		t.Errorf("set beside a bad length: %v", err)
	}
}
