package configdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

// TestSwitchRows checks rows of the tables with one row for the whole switch.
func TestSwitchRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key    configdb.RowKey
		fields fields
		want   configdb.Row
		fault  string
	}{
		{
			key: "SWITCH_HASH|GLOBAL", fields: fields{"ecmp_hash@": "SRC_IP,RDMA_BTH_DEST_QP", "lag_hash": "IN_PORT", "ecmp_hash_algorithm": "CRC_CCITT"},
			want: &configdb.SwitchHash{
				ID: "SWITCH_HASH|GLOBAL", ECMP: []string{"SRC_IP", "RDMA_BTH_DEST_QP"}, LAG: []string{"IN_PORT"}, ECMPAlgorithm: "CRC_CCITT",
			},
		},
		{key: "SWITCH_HASH|GLOBAL", fields: fields{"NULL": "NULL"}, want: &configdb.SwitchHash{ID: "SWITCH_HASH|GLOBAL"}},
		{key: "SWITCH_HASH|global", fields: fields{}, fault: `SWITCH_HASH|global: key "global": the only row is "GLOBAL"`},
		{key: "SWITCH_HASH|GLOBAL", fields: fields{"ecmp_hash": "SRC_IP,DST_IP,SRC_IP"}, fault: `SWITCH_HASH|GLOBAL: field "ecmp_hash": SRC_IP is named twice`},
		{
			key: "SWITCH_HASH|GLOBAL", fields: fields{"lag_hash": ""},
			fault: `SWITCH_HASH|GLOBAL: field "lag_hash": empty: name one at least of IN_PORT, DST_MAC, SRC_MAC, ETHERTYPE, VLAN_ID, IP_PROTOCOL, DST_IP, SRC_IP, ` +
				`L4_DST_PORT, L4_SRC_PORT, INNER_DST_MAC, INNER_SRC_MAC, INNER_ETHERTYPE, INNER_IP_PROTOCOL, INNER_DST_IP, INNER_SRC_IP, ` +
				`INNER_L4_DST_PORT, INNER_L4_SRC_PORT, IPV6_FLOW_LABEL, RDMA_BTH_OPCODE or RDMA_BTH_DEST_QP`,
		},
		{
			key: "SWITCH_HASH|GLOBAL", fields: fields{"ecmp_hash_algorithm": "MD5"},
			fault: `SWITCH_HASH|GLOBAL: field "ecmp_hash_algorithm": "MD5" is not CRC, XOR, RANDOM, CRC_32LO, CRC_32HI, CRC_CCITT or CRC_XOR`,
		},
		{
			key: "SWITCH_TRIMMING|GLOBAL", fields: fields{"size": "128", "dscp_value": "from-tc", "tc_value": "6", "queue_index": "dynamic"},
			want: &configdb.SwitchTrimming{
				ID: "SWITCH_TRIMMING|GLOBAL", Size: 128, HasSize: true, DSCP: configdb.Resolved{Given: true, Elsewhere: true}, TC: 6, HasTC: true,
				Queue: configdb.Resolved{Given: true, Elsewhere: true},
			},
		},
		{
			key: "SWITCH_TRIMMING|GLOBAL", fields: fields{"dscp_value": "0", "queue_index": "6"},
			want: &configdb.SwitchTrimming{
				ID: "SWITCH_TRIMMING|GLOBAL", DSCP: configdb.Resolved{Given: true}, Queue: configdb.Resolved{Given: true, Value: 6},
			},
		},
		{
			key: "SWITCH_TRIMMING|GLOBAL", fields: fields{"size": "-1", "dscp_value": "64", "queue_index": "", "tc_value": "256"},
			fault: `SWITCH_TRIMMING|GLOBAL: field "dscp_value": "64" is out of range (0 to 63), or "from-tc"
SWITCH_TRIMMING|GLOBAL: field "queue_index": "" is not a whole number (0 to 255), or "dynamic"
SWITCH_TRIMMING|GLOBAL: field "size": "-1" is out of range (0 to 4294967295)
SWITCH_TRIMMING|GLOBAL: field "tc_value": "256" is out of range (0 to 255)`,
		},
		{
			key: "SWITCH_TABLE|switch", fields: fields{"ecmp_hash_seed": "10", "lag_hash_offset": "4", "fdb_aging_time": "600", "vxlan_port": "4789"},
			want: &configdb.SwitchTable{ID: "SWITCH_TABLE|switch", ECMPSeed: 10, LAGOffset: 4, FDBAgingSeconds: 600, HasECMPSeed: true, HasLAGOffset: true, HasFDBAging: true, Passive: fields{"vxlan_port": "4789"}},
		},
	} {
		row, _, err := configdb.Parse(tt.key, tt.fields)
		if tt.fault != "" {
			if err == nil || err.Error() != tt.fault {
				t.Errorf("%s %v: error %v\nwant %s", tt.key, tt.fields, err, tt.fault)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, row); err != nil || diff != "" {
			t.Errorf("%s %v: %v\n%s", tt.key, tt.fields, err, diff)
		}
	}
}

// TestKeep checks what rows mean whose fields can't be taken back.
func TestKeep(t *testing.T) {
	t.Parallel()
	const hash, trim = configdb.RowKey("SWITCH_HASH|GLOBAL"), configdb.RowKey("SWITCH_TRIMMING|GLOBAL")
	for _, tt := range []struct {
		name     string
		key      configdb.RowKey
		now, was fields
		whole    fields
		kept     []string
	}{
		{"nothing was there", hash, fields{"lag_hash@": "SRC_IP"}, nil, fields{"lag_hash@": "SRC_IP"}, nil},
		{"what is in use need not be remembered", trim, fields{"size": "1", "XON_queue_index": "2"}, nil, fields{"size": "1"}, nil},
		{"a field went", hash, fields{"lag_hash@": "SRC_IP"}, fields{"ecmp_hash@": "DST_IP", "lag_hash@": "IN_PORT"}, fields{"ecmp_hash@": "DST_IP", "lag_hash@": "SRC_IP"}, []string{"ecmp_hash@"}},
		{"in another spelling", hash, fields{"lag_hash": "SRC_IP"}, fields{"lag_hash@": "IN_PORT"}, fields{"lag_hash": "SRC_IP"}, nil},
		{"a length that is bad", "CABLE_LENGTH|c", fields{"a": "x", "b": "5m"}, fields{"a": "40m", "b": "3m"}, fields{"a": "x", "b": "5m", "XON_a": "40m"}, nil},
		{"a length of 0m", "CABLE_LENGTH|c", fields{"a": "0m"}, fields{"a": "40m"}, fields{"a": "0m", "XON_a": "40m"}, nil},
		{"lengths that are gone, again", "CABLE_LENGTH|c", fields{"NULL": "NULL"}, fields{"a": "0m", "XON_a": "40m", "b": "5m"}, fields{"NULL": "NULL", "XON_a": "40m", "XON_b": "5m"}, nil},
		{"a length that is back", "CABLE_LENGTH|c", fields{"a": "3m"}, fields{"a": "", "XON_a": "40m"}, fields{"a": "3m"}, nil},
		{"a table that forgets", "SCHEDULER|s", fields{"weight": "1"}, fields{"type": "DWRR"}, fields{"weight": "1"}, nil},
		{
			"to dynamic", trim,
			fields{"queue_index": "dynamic"},
			fields{"queue_index": "3", "size": "128"},
			fields{"queue_index": "dynamic", "XON_queue_index": "3", "size": "128"},
			[]string{"size"},
		},
		{
			"dynamic as before", trim,
			fields{"queue_index": "dynamic"},
			fields{"queue_index": "dynamic", "XON_queue_index": "3"},
			fields{"queue_index": "dynamic", "XON_queue_index": "3"},
			nil,
		},
		{"back from dynamic", trim, fields{"queue_index": "4"}, fields{"queue_index": "dynamic", "XON_queue_index": "3"}, fields{"queue_index": "4"}, nil},
		{
			"to a class", trim,
			fields{"dscp_value": "from-tc", "tc_value": "5"},
			fields{"dscp_value": "48"},
			fields{"dscp_value": "from-tc", "tc_value": "5", "XON_dscp_value": "48"},
			nil,
		},
		{
			"from a class", trim,
			fields{"dscp_value": "10", "tc_value": "7"},
			fields{"dscp_value": "from-tc", "tc_value": "5", "XON_dscp_value": "48"},
			fields{"dscp_value": "10", "tc_value": "7", "XON_tc_value": "5"},
			nil,
		},
	} {
		whole, kept := configdb.Keep(tt.key, tt.now, tt.was)
		if diff := cmp.Diff(tt.whole, whole) + cmp.Diff(tt.kept, kept); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if again, _ := configdb.Keep(tt.key, tt.now, whole); !cmp.Equal(again, whole) {
			t.Errorf("%s: once more: %s", tt.name, cmp.Diff(whole, again))
		}
	}
}
