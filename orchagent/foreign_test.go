package orchagent_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// theirs are rows of tables that xon does not manage, with names that look like others'.
var theirs = rows{
	"BGP_NEIGHBOR|10.0.0.1":       {"asn": "65000", "name": "spine"},
	"MGMT_INTERFACE|eth0|10.1/24": {"NULL": "NULL"},
	"ACL_TABLE|Ethernet0|3-4":     {"type": "L3"},
	"lower|x":                     {"a@": "1,2"},
	"PORT2|Ethernet0":             {"lanes": "1"},
	"QUEUE_|":                     {"x": ""},
}

// others are the rows of a database that xon does not manage.
func (r *rig) others() configdb.RawRows {
	out := configdb.RawRows{}
	for k, f := range r.db.snapshot() {
		if _, ok := configdb.Lookup(k.Table()); !ok {
			out[k] = f
		}
	}
	return out
}

// TestRowsOfOthersStay: whatever is asked of everything, rows of tables that xon does
// not manage stay, and the answer and the plan count them.
func TestRowsOfOthersStay(t *testing.T) {
	t.Parallel()
	whole := []configdb.Op{{Kind: configdb.Delete}}
	given := append(slices.Clone(whole), ops(small())...)
	given = append(given, configdb.Op{Kind: configdb.Replace, Table: "BGP_NEIGHBOR", Key: "10.0.0.2", Fields: configdb.Fields{"asn": "1"}},
		configdb.Op{Kind: configdb.Replace, Table: "lower", Key: "x", Fields: configdb.Fields{"b": "1"}})
	changed := configdb.RawRows(maps.Clone(theirs))
	changed["BGP_NEIGHBOR|10.0.0.2"], changed["lower|x"] = configdb.Fields{"asn": "1"}, configdb.Fields{"b": "1"}
	n := len(small())
	for _, tt := range []struct {
		name string
		ops  []configdb.Op
		want configdb.RawRows
		rows configdb.RowCount
		said string
	}{
		{"delete everything", whole, configdb.RawRows(theirs), configdb.RowCount{Removed: n, Kept: len(theirs)}, ""},
		{"replace everything", given, changed, configdb.RowCount{Added: 1, Changed: 1, Kept: len(theirs) - 1}, "ignored, as xon does not manage their tables: 1 row of BGP_NEIGHBOR, 1 row of lower"},
		{
			"what wildcards match",
			[]configdb.Op{{Table: "BGP_NEIGHBOR", Matched: true}, {Table: "PORT2", Key: "Ethernet0", Matched: true}, {Table: "QUEUE_", Key: "x", Field: "x", Matched: true}, {Table: "lower", Key: "none", Matched: true}},
			configdb.RawRows(theirs),
			configdb.RowCount{Kept: 2},
			"",
		},
		{"one table of theirs", []configdb.Op{{Table: "BGP_NEIGHBOR"}}, without(theirs, "BGP_NEIGHBOR|10.0.0.1"), configdb.RowCount{Removed: 1}, ""},
		{"one row of theirs", []configdb.Op{{Table: "QUEUE_", Key: "x"}, {Table: "PORT2", Key: "Ethernet0"}}, without(theirs, "PORT2|Ethernet0"), configdb.RowCount{Removed: 1}, ""},
		{"a field of theirs", []configdb.Op{{Table: "BGP_NEIGHBOR", Key: "10.0.0.1", Field: "name"}}, changedTo(theirs, "BGP_NEIGHBOR|10.0.0.1", configdb.Fields{"asn": "65000"}), configdb.RowCount{Changed: 1}, "ignored, as xon does not manage their tables: 1 row of BGP_NEIGHBOR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small(), theirs)
			req := orchagent.Request{Ops: tt.ops, Confirmed: true}
			view, err := r.agent.Plan(t.Context(), req)
			if err != nil || len(view.Faults) > 0 || view.Rows != tt.rows {
				t.Errorf("plan: %v, %v, %+v, want %+v", err, view.Faults, view.Rows, tt.rows)
			}
			out, err := r.agent.Transact(t.Context(), req)
			if err != nil || out.Rows != tt.rows {
				t.Fatalf("%v, %+v, want %+v", err, out.Rows, tt.rows)
			}
			if diff := cmp.Diff(tt.want, r.others()); diff != "" {
				t.Errorf("rows of others (-want +got):\n%s", diff)
			}
			for _, warnings := range [][]string{view.Warnings, out.Warnings} {
				if got := strings.Join(warnings, "\n"); got != tt.said {
					t.Errorf("warned of %q, want %q", got, tt.said)
				}
			}
			for k := range tt.want {
				if f := r.agent.Fates()[k]; f.State != statedb.Ignored {
					t.Errorf("%s is %s", k, f.State)
				}
			}
		})
	}
}

func without(all rows, k configdb.RowKey) configdb.RawRows {
	out := configdb.RawRows(maps.Clone(all))
	delete(out, k)
	return out
}

func changedTo(all rows, k configdb.RowKey, f configdb.Fields) configdb.RawRows {
	out := configdb.RawRows(maps.Clone(all))
	out[k] = f
	return out
}
