package configdb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

func TestPlace(t *testing.T) {
	tests := []struct {
		key    configdb.RowKey
		fields configdb.Fields
		target configdb.Target
		span   configdb.Span
		moved  configdb.RowKey // to p7 and p8
	}{
		{"BUFFER_PG|p1,p2|3-4", configdb.Fields{"profile": "a"}, configdb.OnPriorityGroup, configdb.Span{Ports: []string{"p1", "p2"}, Lo: 3, Hi: 4}, "BUFFER_PG|p7,p8|3-4"},
		{"BUFFER_QUEUE|p1|5", configdb.Fields{"profile": "a"}, configdb.OnQueue, configdb.Span{Ports: []string{"p1"}, Lo: 5, Hi: 5}, "BUFFER_QUEUE|p7,p8|5"},
		{"QUEUE|p1|0", configdb.Fields{"scheduler": "a"}, configdb.OnQueue, configdb.Span{Ports: []string{"p1"}}, "QUEUE|p7,p8|0"},
		{"PORT_QOS_MAP|p2,p1", configdb.Fields{"pfc_enable": "3"}, configdb.OnPort, configdb.Span{Ports: []string{"p2", "p1"}}, "PORT_QOS_MAP|p7,p8"},
		{"PORT_QOS_MAP|global", configdb.Fields{"dscp_to_tc_map": "a"}, configdb.OnPort, configdb.Span{}, ""},
		{"BUFFER_PORT_EGRESS_PROFILE_LIST|p1", configdb.Fields{"profile_list": "a,b"}, configdb.OnPort, configdb.Span{Ports: []string{"p1"}}, "BUFFER_PORT_EGRESS_PROFILE_LIST|p7,p8"},
		{"XON_PORT|p1", configdb.Fields{"flow_control": "rx"}, configdb.OnPort, configdb.Span{Ports: []string{"p1"}}, ""},
		{"VLAN_MEMBER|Vlan2|p1", configdb.Fields{"tagging_mode": "tagged"}, configdb.NoTarget, configdb.Span{}, ""},
		{"PORT|p1", configdb.Fields{"lanes": "1", "speed": "1000"}, configdb.NoTarget, configdb.Span{}, ""},
	}
	for _, tt := range tests {
		row := parse(t, tt.key, tt.fields)
		span, target := configdb.Place(row)
		if diff := cmp.Diff(tt.span, span); diff != "" || target != tt.target || configdb.TargetOf(tt.key) != tt.target {
			t.Errorf("%s: target %d, span %v", tt.key, target, span)
		}
		if len(span.Ports) > 0 && !slices.Equal(tt.key.Ports(), span.Ports) {
			t.Errorf("%s names %v by its key, %v by its row", tt.key, tt.key.Ports(), span.Ports)
		}
		if tt.moved == "" {
			continue
		}
		was := configdb.Format(row)
		moved := configdb.WithPorts(row, "p7", "p8")
		if again := parse(t, tt.moved, was); !cmp.Equal(moved, again) {
			t.Errorf("%s for other ports: %s", tt.key, cmp.Diff(again, moved))
		}
		if row.RowKey() != tt.key || !slices.Equal(configdb.PortsOf(row), span.Ports) {
			t.Errorf("%s has changed", tt.key)
		}
	}
}

// TestPlacedByForm: the tables whose keys begin with a port are those with a target, but
// for those that are about the port's place in something else.
func TestPlacedByForm(t *testing.T) {
	for _, table := range configdb.Tables() {
		lists := strings.HasPrefix(table.Key, "<port>[,<port>...]") || table.Name == "XON_PORT"
		if got := table.Target() != configdb.NoTarget; got != lists {
			t.Errorf("%s, key %s: has a target: %v", table.Name, table.Key, got)
		}
	}
}

func TestRefs(t *testing.T) {
	row := parse(t, "PORT_QOS_MAP|p1", configdb.Fields{"dscp_to_tc_map": "AZURE", "scheduler": "s1"})
	got := slices.Collect(configdb.Refs(row))
	want := []configdb.Ref{{Field: "dscp_to_tc_map", Table: "DSCP_TO_TC_MAP", Name: "AZURE"}, {Field: "scheduler", Table: "SCHEDULER", Name: "s1"}}
	if !slices.Equal(got, want) {
		t.Errorf("refs are %v", got)
	}
}

// TestComparePlaced: of two rows for the same object the one holds that names fewer, or
// comes first in natural order.
func TestComparePlaced(t *testing.T) {
	t.Parallel()
	var rows []configdb.Row
	for _, key := range []configdb.RowKey{"QUEUE|Ethernet12|3-4", "QUEUE|Ethernet4|3", "QUEUE|Ethernet12,Ethernet4|3", "QUEUE|Ethernet4|3-4", "QUEUE|Ethernet4,Ethernet12|3"} {
		rows = append(rows, parse(t, key, configdb.Fields{"scheduler": "a"}))
	}
	slices.SortFunc(rows, configdb.ComparePlaced)
	var got []configdb.RowKey
	for _, r := range rows {
		got = append(got, r.RowKey())
	}
	want := []configdb.RowKey{"QUEUE|Ethernet4|3", "QUEUE|Ethernet4,Ethernet12|3", "QUEUE|Ethernet4|3-4", "QUEUE|Ethernet12,Ethernet4|3", "QUEUE|Ethernet12|3-4"}
	if !slices.Equal(got, want) {
		t.Errorf("in order: %v", got)
	}
}
