package statedb_test

import (
	"strings"
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

// TestFold: what is said of several ports of one row is said once, with the ports, and runs
// of ports by their ends.
func TestFold(t *testing.T) {
	t.Parallel()
	const row configdb.RowKey = "PORT_QOS_MAP|Ethernet12,Ethernet0,Ethernet4,Ethernet8,Ethernet16,Ethernet20"
	texts := func(list ...string) (all []statedb.Said) {
		for _, text := range list {
			text, loses := strings.CutSuffix(text, "!")
			all = append(all, statedb.Said{Row: row, Text: text, Loses: loses})
		}
		return all
	}
	for _, tt := range []struct {
		name      string
		all, want []statedb.Said
	}{
		{"none", nil, nil},
		{"one", texts("no length for Ethernet4"), texts("no length for Ethernet4")},
		{
			"the first port leads",
			texts("no length for Ethernet12: Ethernet12", "no length for Ethernet0: Ethernet0", "no length for Ethernet4: Ethernet4"),
			texts("no length for Ethernet0: Ethernet0 (the same for Ethernet4, Ethernet12)"),
		},
		{
			"ranges",
			texts("x Ethernet0!", "x Ethernet16!", "x Ethernet20!", "x Ethernet4!", "x Ethernet8!", "x Ethernet12!"),
			texts("x Ethernet0 (the same for Ethernet4 to Ethernet20)!"),
		},
		{"a gap", texts("x Ethernet0", "x Ethernet4", "x Ethernet12", "x Ethernet16", "x Ethernet20"), texts("x Ethernet0 (the same for Ethernet4, Ethernet12 to Ethernet20)")},
		{"other words", texts("x Ethernet0", "y Ethernet4", "x Ethernet8!"), texts("x Ethernet0", "y Ethernet4", "x Ethernet8!")},
		{"ports of others", texts("x Ethernet1", "x Ethernet40", "x"), texts("x Ethernet1", "x Ethernet40", "x")},
		{"twice", texts("x Ethernet0", "x Ethernet0", "y", "y"), texts("x Ethernet0", "y")},
	} {
		if diff := cmp.Diff(tt.want, statedb.Fold(tt.all)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}
