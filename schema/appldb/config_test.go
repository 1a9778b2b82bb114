package appldb_test

import (
	"slices"
	"testing"

	"xon/schema/appldb"
	"xon/schema/configdb"
)

func TestConfigKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		table, key string
		row        configdb.RowKey
	}{
		{appldb.SwitchTable, "switch", "SWITCH_TABLE|switch"},
		{appldb.BufferPoolTable, "ingress_lossless_pool", "BUFFER_POOL|ingress_lossless_pool"},
		{appldb.BufferProfileTable, "", "BUFFER_PROFILE|"},
		{appldb.BufferPGTable, "Ethernet0:3-4", "BUFFER_PG|Ethernet0|3-4"},
		{appldb.BufferQueueTable, "Ethernet0:5", "BUFFER_QUEUE|Ethernet0|5"},
		{appldb.BufferIngressListTable, "Ethernet0", "BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0"},
		{appldb.BufferEgressListTable, "Ethernet0", "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0"},
	}
	for _, tt := range tests {
		if got := appldb.ConfigKey(tt.table, tt.key); got != tt.row {
			t.Errorf("%s:%s is %s, want %s", tt.table, tt.key, got, tt.row)
		}
		if table, key, ok := appldb.InputOf(tt.row); table != tt.table || key != tt.key || !ok {
			t.Errorf("%s is %s:%s, %v", tt.row, table, key, ok)
		}
		if !slices.Contains(appldb.Inputs(), tt.table) || appldb.ConfigTable(tt.table) != tt.row.Table() {
			t.Errorf("%s is no input for %s", tt.table, tt.row.Table())
		}
	}
	if len(appldb.Inputs()) != len(tests) {
		t.Errorf("%d inputs, want %d", len(appldb.Inputs()), len(tests))
	}
	if _, _, ok := appldb.InputOf("PORT|Ethernet0"); ok {
		t.Error("PORT has an input")
	}
}
