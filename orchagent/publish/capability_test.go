package publish_test

import (
	"strings"
	"testing"

	"xon/sai/vsai"
	"xon/schema/redisdb"
)

// TestCapabilities: what SONiC's command line reads before it writes SWITCH_HASH and
// SWITCH_TRIMMING, of a chip that can do all of it and of one that can do less.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	outer := "IN_PORT,DST_MAC,SRC_MAC,ETHERTYPE,VLAN_ID,IP_PROTOCOL,DST_IP,SRC_IP,L4_DST_PORT,L4_SRC_PORT"
	inner := "INNER_DST_MAC,INNER_SRC_MAC,INNER_ETHERTYPE,INNER_IP_PROTOCOL,INNER_DST_IP,INNER_SRC_IP,INNER_L4_DST_PORT,INNER_L4_SRC_PORT"
	for _, tt := range []struct{ chip, fields, algorithms, trims, dscp, queue, classes, queues string }{
		{
			"default", strings.Join([]string{outer, inner, "IPV6_FLOW_LABEL,RDMA_BTH_OPCODE,RDMA_BTH_DEST_QP"}, ","),
			"CRC,XOR,CRC_32LO,CRC_32HI,CRC_CCITT,CRC_XOR,RANDOM", "true", "DSCP_VALUE,FROM_TC", "STATIC,DYNAMIC", "16", "10",
		},
		{"spc1", outer + "," + inner, "CRC,XOR,RANDOM", "false", "N/A", "N/A", "8", "8"},
	} {
		p, err := vsai.ProfileByName(tt.chip)
		if err != nil {
			t.Fatal(err)
		}
		r := newRigOn(t, vsai.Config{Profile: p})
		r.load(nil)
		got := r.row(redisdb.StateDB, "SWITCH_CAPABILITY|switch")
		all := redisdb.Fields{
			"HASH|NATIVE_HASH_FIELD_LIST": tt.fields, "ECMP_HASH_CAPABLE": "true", "LAG_HASH_CAPABLE": "true",
			"ECMP_HASH_ALGORITHM": tt.algorithms, "ECMP_HASH_ALGORITHM_CAPABLE": "true",
			"LAG_HASH_ALGORITHM": tt.algorithms, "LAG_HASH_ALGORITHM_CAPABLE": "true",
			"SWITCH_TRIMMING_CAPABLE": tt.trims, "SWITCH|PACKET_TRIMMING_DSCP_RESOLUTION_MODE": tt.dscp,
			"SWITCH|PACKET_TRIMMING_QUEUE_RESOLUTION_MODE": tt.queue, "SWITCH|NUMBER_OF_TRAFFIC_CLASSES": tt.classes,
			"SWITCH|NUMBER_OF_UNICAST_QUEUES": tt.queues, "PFC_DLR_INIT_CAPABLE": "true",
		}
		for name, want := range all {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", tt.chip, name, got[name], want)
			}
		}
	}
}
