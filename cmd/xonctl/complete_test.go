package main

import (
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.dbs.Put("CONFIG_DB", "VLAN_INTERFACE|Vlan10|10.0.0.1/24", fields{"x": "1"})
	r.dbs.Put("CONFIG_DB", "CABLE_LENGTH|AZURE", fields{"Ethernet0": "5m"})
	for _, tt := range []struct{ line, want string }{
		{"get PO", "PORT| PORT_QOS_MAP| :38"},
		{"get PORT|", "PORT|Ethernet0 PORT|Ethernet4 PORT|Ethernet10 :36"},
		{"get VLAN_INTERFACE|Vlan10|10", "VLAN_INTERFACE|Vlan10|10.0.0.1/24 :36"},
		{"get STATE", "STATE_DB/ :38"},
		{"get PORT/", "PORT/Ethernet0 PORT/Ethernet4 PORT/Ethernet10 :38"},
		{"get PORT/Ethernet0/m", "PORT/Ethernet0/mtu :36"},
		{"get BUFFER_PG/Ethernet0,Ethernet4|", "BUFFER_PG/Ethernet0,Ethernet4|3 :38"},
		{"get VLAN_INTERFACE/V", `VLAN_INTERFACE/Vlan10|10.0.0.1\/24 :38`},
		{`get VLAN_INTERFACE/Vlan10|10.0.0.1\/24/`, `VLAN_INTERFACE/Vlan10|10.0.0.1\/24/x :36`},
		{"get CONFIG_DB/SCH", "CONFIG_DB/SCHEDULER/ :38"},
		{"get STATE_DB/", "STATE_DB/XON_AGENT/ STATE_DB/XON_ROW/ :38"},
		{"get STATE_DB/XON_ROW/V", "STATE_DB/XON_ROW/VLAN|Vlan10 :38"},
		{"get sonic-db:/CONFIG_DB/PORT/Ethernet1", "sonic-db:/CONFIG_DB/PORT/Ethernet10 :38"},
		{"watch COUNTERS_DB/COUNTERS/", "COUNTERS_DB/COUNTERS/Ethernet0 COUNTERS_DB/COUNTERS/Ethernet4 :38"},
		{"watch COUNTERS_DB/COUNTERS/Ethernet0/", "COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_IF_IN_OCTETS COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_RX_PKTS " +
			"COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_TX_PKTS COUNTERS_DB/COUNTERS/Ethernet0/PriorityGroups/ COUNTERS_DB/COUNTERS/Ethernet0/Queues/ :38"},
		{"watch COUNTERS_DB/COUNTERS/Ethernet*/SAI_PORT_STAT_IF", "COUNTERS_DB/COUNTERS/Ethernet*/SAI_PORT_STAT_IF_IN_OCTETS :36"},
		{"watch COUNTERS_DB/COUNTERS/Ethernet0/Queues/Ethernet0:3/SAI_QUEUE_STAT_B", "COUNTERS_DB/COUNTERS/Ethernet0/Queues/Ethernet0:3/SAI_QUEUE_STAT_BYTES :36"},
		{"watch COUNTERS_DB/USER", "COUNTERS_DB/USER_WATERMARKS/ :38"},
		{"set PORT|Ethernet0 admin_status=", "admin_status=down admin_status=up :36"},
		{"set PORT|Ethernet0 mt", "mtu= :38"},
		{"set PORT|Ethernet0 --delete mt", "mtu :36"},
		{"set CABLE_LENGTH|AZURE Ethernet1", "Ethernet10= :38"},
		{"set QUEUE|Ethernet0|3 scheduler=", "scheduler=lossless :36"},
		{"set BUFFER_PG|Ethernet0|3 profile=", "profile=lossless :36"},
		{"delete BUFFER_POOL|", "BUFFER_POOL|ingress_pool :36"},
		{"plan BUFFER_POOL|", "BUFFER_POOL|ingress_pool :36"},
		{"fates BUFFER_P", "BUFFER_PG BUFFER_POOL BUFFER_PORT_EGRESS_PROFILE_LIST BUFFER_PORT_INGRESS_PROFILE_LIST BUFFER_PROFILE :4"},
		{"fates --state ", "applied waiting refused ignored :4"},
		{"history --row SCHEDULER|", "SCHEDULER|lossless :36"},
		{"show ports --port Ethernet1", "Ethernet10 :38"},
		{"show queues --port Ethernet4,Ethernet1", "Ethernet4,Ethernet10 :38"},
		{"show pgs --watermark p", "periodic persistent user :4"},
		{"show ports x", ":4"},
		{"explain headroom Ethernet1", "Ethernet10 :36"},
		{"explain headroom Ethernet0 ", ":36"},
		{"simulate ring-", "ring-deadlock :36"},
		{"simulate --example ring-", "ring-deadlock :36"},
		{"simulate testdata/scen", "testdata/scenarios/ :38"},
		{"simulate testdata/scenarios/", "testdata/scenarios/mine.yaml testdata/scenarios/yours.yml :36"},
		{"simulate incast ", ":36"},
		{"apply ", ":0"},
	} {
		_, said := r.xonctl(t, "", append([]string{"__completeNoDesc"}, strings.Split(tt.line, " ")...)...)
		said, _, _ = strings.Cut(said, "stderr:")
		if got := strings.ReplaceAll(strings.TrimSpace(said), "\n", " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.line, got, tt.want)
		}
	}
}

// Without an agent what is known without one is completed, and soon.
func TestCompletionAlone(t *testing.T) {
	t.Parallel()
	_, said := (&rig{addr: "unix:" + t.TempDir() + "/s"}).xonctl(t, "", "__completeNoDesc", "get", "PO")
	if !strings.HasPrefix(said, "PORT|\nPORT_QOS_MAP|\n:38\n") {
		t.Error(said)
	}
}
