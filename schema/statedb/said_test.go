package statedb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestGroup: the same of several ports is said once, with the rows; what may cost packets
// comes first; and what differs in more than the port stays apart.
func TestGroup(t *testing.T) {
	t.Parallel()
	all := []statedb.Said{
		{Row: "PORT_QOS_MAP|Ethernet12", Text: "no headroom on Ethernet12", Loses: true},
		{Row: "PORT|Ethernet1", Text: "slow"},
		{Row: "PORT_QOS_MAP|Ethernet1", Text: "no headroom on Ethernet1", Loses: true},
		{Row: "PORT_QOS_MAP|Ethernet4", Text: "no headroom on Ethernet1", Loses: true}, // of another port
		{Row: "PORT_QOS_MAP|Ethernet8", Text: "no headroom on Ethernet8"},
		{Row: "BUFFER_PG|Ethernet1,Ethernet12|3-4", Text: "Ethernet1 has too little: (Ethernet1)", Loses: true},
		{Row: "BUFFER_PG|Ethernet1,Ethernet12|3-4", Text: "Ethernet12 has too little: (Ethernet12)", Loses: true},
		{Row: "PORT|Ethernet12", Text: "slow"},
		{Row: "WRED_PROFILE|", Text: "odd"},
	}
	want := []statedb.Same{
		{Rows: []configdb.RowKey{"BUFFER_PG|Ethernet1,Ethernet12|3-4"}, Text: "Ethernet1 has too little: (Ethernet1)", Loses: true},
		{Rows: []configdb.RowKey{"PORT_QOS_MAP|Ethernet1", "PORT_QOS_MAP|Ethernet12"}, Text: "no headroom on Ethernet1", Loses: true},
		{Rows: []configdb.RowKey{"PORT_QOS_MAP|Ethernet4"}, Text: "no headroom on Ethernet1", Loses: true},
		{Rows: []configdb.RowKey{"PORT_QOS_MAP|Ethernet8"}, Text: "no headroom on Ethernet8"},
		{Rows: []configdb.RowKey{"PORT|Ethernet1", "PORT|Ethernet12"}, Text: "slow"},
		{Rows: []configdb.RowKey{"WRED_PROFILE|"}, Text: "odd"},
	}
	got := statedb.Group(all)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if who := got[1].Who(); who != "PORT_QOS_MAP|Ethernet1 and 1 more of PORT_QOS_MAP" {
		t.Errorf("%q", who)
	}
	if who := got[0].Who(); who != "BUFFER_PG|Ethernet1,Ethernet12|3-4" {
		t.Errorf("%q", who)
	}
}
