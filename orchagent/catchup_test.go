package orchagent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/schema/configdb"
)

// TestTransactionCatchesUp: a transaction is not refused because the feed is behind: it
// goes through upon what somebody else wrote to its row, and gives up if that goes on.
func TestTransactionCatchesUp(t *testing.T) {
	t.Parallel()
	const row = "PORT|Ethernet0"
	r := newRig(t, 2)
	r.load(small())
	r.db.set(row, with(row, fields{"description": "theirs"})) // the agent has not heard of it yet
	mtu := func(n string) error {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: []configdb.Op{{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": n}}}})
		return err
	}
	if err := mtu("4000"); err != nil {
		t.Fatal(err)
	}
	if f := r.db.snapshot()[row]; f["mtu"] != "4000" || f["description"] != "theirs" {
		t.Errorf("%v", f)
	}
	if n := len(r.agent.Records()); r.agent.Records()[n-1].Outcome != audit.Applied || r.agent.Records()[n-3].Outcome != audit.Conflict {
		t.Errorf("records: %+v", r.agent.Records()[n-3:])
	}
	n := 0
	r.db.meanwhile = func(m *memory) {
		n++
		m.rows[row] = with(row, fields{"description": fmt.Sprint(n)})
	}
	r.db.meanwhile(r.db)
	var faults configdb.Faults
	if err := mtu("5000"); !errors.As(err, &faults) || faults[0].Kind != configdb.Conflict || faults[0].Row != row || n > 10 {
		t.Errorf("rewritten %d times: %v", n, err)
	}
	if strings.Contains(r.actual().String(), "5022") {
		t.Error("the chip has what was refused")
	}
}
