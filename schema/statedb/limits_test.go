package statedb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/statedb"
)

// TestLimits: what differs from what xon wrote is stated by somebody else, a bad value by
// nobody.
func TestLimits(t *testing.T) {
	t.Parallel()
	rows := map[string]map[string]string{
		"global":     {"mmu_size": "1000"},
		"Ethernet0":  {"max_headroom_size": "122880", "max_queues": "20", "max_priority_groups": "8"},
		"Ethernet4":  {"max_headroom_size": "500", "max_queues": "20"},
		"Ethernet8":  {"max_headroom_size": "much", "max_queues": "0"},
		"Ethernet12": {"max_queues": "12"},
	}
	own := map[string]map[string]string{
		"global":    {"mmu_size": "2000"},
		"Ethernet0": {"max_headroom_size": "500", "max_queues": "20", "max_priority_groups": "8"},
		"Ethernet4": {"max_headroom_size": "500", "max_queues": "20"},
	}
	got, err := statedb.ParseLimits(rows, own)
	want := statedb.Limits{MMUBytes: 1000, Ports: map[string]statedb.MaxParams{"Ethernet0": {Headroom: 122880}, "Ethernet12": {Queues: 12}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	const says = `BUFFER_MAX_PARAM_TABLE|Ethernet8: max_queues="0" is not a number above 0, and the chip's counts
BUFFER_MAX_PARAM_TABLE|Ethernet8: max_headroom_size="much" is not a number above 0, and the chip's counts`
	if err == nil || err.Error() != says {
		t.Errorf("error %v\nwant %s", err, says)
	}
}
