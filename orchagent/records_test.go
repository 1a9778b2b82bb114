package orchagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
)

// TestRecordsOfRows: a change that the chip need not know of has its record, and one
// that is not in force says why.
func TestRecordsOfRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	described := ops(rows{"PORT|Ethernet4": with("PORT|Ethernet4", fields{"description": "to the spine"})})
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: described, Who: "me"}); err != nil {
		t.Fatal(err)
	}
	r.change(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "many"})})
	r.change(rows{"QUEUE|Ethernet0|3": {"scheduler": "none"}})
	var got []string
	for _, rec := range r.agent.Records()[1:] {
		got = append(got, strings.Join([]string{rec.Source, string(rec.Rows[0].Row), rec.Outcome, strings.Join(rec.Faults, "; ")}, " "))
	}
	want := []string{
		"gnmi PORT|Ethernet4 applied ",
		`redis SCHEDULER|dwrr partly SCHEDULER|dwrr: "many" is not a whole number (1 to 100)`,
		"redis QUEUE|Ethernet0|3 partly QUEUE|Ethernet0|3: SCHEDULER|none does not exist",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
