package orchagent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/portorch"
	"xon/orchagent/resolve"
	"xon/sai"
	"xon/schema/configdb"
)

// derive derives rows on a chip of four ports. accepted are those in force.
func derive(t *testing.T, configRows configdb.RawRows, change func(*intent.Snapshot), accepted ...configdb.RowKey) graph.Result {
	t.Helper()
	sw, _, err := inventory.Open(newChip(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	inv, err := inventory.Discover(sw)
	if err != nil {
		t.Fatal(err)
	}
	e := new(configdb.Config).Edit()
	for k, f := range configRows {
		row, _, err := configdb.Parse(k, f)
		if err != nil {
			t.Fatal(err)
		}
		e.Put(row)
	}
	s := &intent.Snapshot{Rows: e.Config(), Accepted: &configdb.Config{}}
	for _, k := range accepted {
		s.Accepted = s.Accepted.With(s.Rows.Get(k))
	}
	ports := portorch.Claim(s, inv.Has).Ports
	s.Device, _ = inv.Name(ports)
	if change != nil {
		change(s)
	}
	return resolve.Derive(s)
}

// TestDerive looks at single nodes and problems of small configurations.
func TestDerive(t *testing.T) {
	t.Parallel()
	port := func(more fields) fields {
		f := fields{"lanes": "1,2,3,4"}
		for k, v := range more {
			f[k] = v
		}
		return f
	}
	pools := configdb.RawRows{
		"PORT|Ethernet0":     port(nil),
		"PORT|Ethernet4":     {"lanes": "5,6,7,8"},
		"BUFFER_POOL|in":     {"type": "both", "mode": "dynamic", "size": "65536"},
		"BUFFER_PROFILE|a":   {"pool": "in", "size": "0", "dynamic_th": "1"},
		"BUFFER_PROFILE|b":   {"pool": "in", "size": "0", "static_th": "4096", "xoff": "1024", "xon": "0", "xon_offset": "7"},
		"SCHEDULER|s":        {"type": "WRR"},
		"SCHEDULER|t":        {"type": "STRICT"},
		"WRED_PROFILE|w":     {"ecn": "ecn_yellow_red", "wred_red_enable": "true"},
		"DSCP_TO_TC_MAP|m":   {"1": "1"},
		"DOT1P_TO_TC_MAP|m":  {"1": "1"},
		"TC_TO_DSCP_MAP|m":   {"1": "10"},
		"TC_TO_QUEUE_MAP|m":  {"1": "1"},
		"PORT_QOS_MAP|other": nil,
	}
	delete(pools, "PORT_QOS_MAP|other")
	tests := []struct {
		name     string
		rows     configdb.RawRows
		snap     func(*intent.Snapshot)
		accepted []configdb.RowKey
		nodes    []string // lines of "key attribute=value …"; those that begin with "-" must not be there
		says     []string // problems as "row: severity: text"
	}{
		{name: "port absent fields", nodes: []string{"PORT Ethernet0#link MTU=9122", "-PORT Ethernet0#admin", "-PORT lanes:9,10,11,12#link"}},
		{
			name: "port link", rows: configdb.RawRows{"PORT|Ethernet0": port(fields{"speed": "40000", "mtu": "1500", "fec": "fc", "autoneg": "on", "admin_status": "up"})},
			nodes: []string{"PORT Ethernet0#link SPEED=40000 AUTO_NEG_MODE=true FEC_MODE=FC MTU=1522 AUTO_NEG_FEC_MODE_OVERRIDE=true", "PORT Ethernet0#admin ADMIN_STATE=true"},
		},
		{name: "host interface", nodes: []string{"HOSTIF Ethernet0 TYPE=NETDEV OBJ_ID=@Ethernet0 NAME=Ethernet0"}},
		{
			name: "lanes in another order", rows: configdb.RawRows{"PORT|Ethernet0": {"lanes": "4,3,2,1"}},
			nodes: []string{"PORT Ethernet0#link MTU=9122"},
		},
		{
			name: "lanes twice", rows: configdb.RawRows{"PORT|A": port(nil), "QUEUE|A|1": {"scheduler": "s"}},
			says: []string{"PORT|Ethernet0: refused: lane 1 belongs to PORT|A"},
		},
		{
			name: "a new row can't take lanes", rows: configdb.RawRows{"PORT|A": port(nil)},
			accepted: []configdb.RowKey{"PORT|Ethernet0"},
			says:     []string{"PORT|A: refused: lane 1 belongs to PORT|Ethernet0"},
		},
		{
			name: "narrower key wins", rows: configdb.RawRows{
				"BUFFER_PG|Ethernet0,Ethernet4|3-4": {"profile": "a"}, "BUFFER_PG|Ethernet0|3": {"profile": "b"},
			},
			nodes: []string{
				"INGRESS_PRIORITY_GROUP Ethernet0|3#buffer BUFFER_PROFILE=@b", "INGRESS_PRIORITY_GROUP Ethernet0|4#buffer BUFFER_PROFILE=@a",
				"INGRESS_PRIORITY_GROUP Ethernet4|3#buffer BUFFER_PROFILE=@a",
			},
			says: []string{"BUFFER_PG|Ethernet0,Ethernet4|3-4: warned: BUFFER_PG|Ethernet0,Ethernet4|3-4 has no effect on priority group 3 of Ethernet0: BUFFER_PG|Ethernet0|3 names fewer objects or comes first"},
		},
		{
			name: "first key wins", rows: configdb.RawRows{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "a"}, "BUFFER_QUEUE|Ethernet0|2-3": {"profile": "b"}},
			nodes: []string{"QUEUE Ethernet0|3#buffer BUFFER_PROFILE_ID=@b", "QUEUE Ethernet0|4#buffer BUFFER_PROFILE_ID=@a"},
			says:  []string{"BUFFER_QUEUE|Ethernet0|3-4: warned: BUFFER_QUEUE|Ethernet0|3-4 has no effect on the buffer of queue 3 of Ethernet0: BUFFER_QUEUE|Ethernet0|2-3 names fewer objects or comes first"},
		},
		{
			name: "rows of one queue for different things", rows: configdb.RawRows{"QUEUE|Ethernet0|3": {"wred_profile": "w"}, "QUEUE|Ethernet0|0-4": {"scheduler": "s"}},
			nodes: []string{"QUEUE Ethernet0|3#wred WRED_PROFILE_ID=@w", "SCHEDULER_GROUP Ethernet0|3#sched SCHEDULER_PROFILE_ID=@s"},
		},
		{
			name: "a row out of force leaves room", rows: configdb.RawRows{"BUFFER_PG|Ethernet0|0-7": {"profile": "a"}, "BUFFER_PG|Ethernet0|3": {"profile": "X"}},
			nodes: []string{"INGRESS_PRIORITY_GROUP Ethernet0|3#buffer BUFFER_PROFILE=@a"},
			says:  []string{"BUFFER_PG|Ethernet0|3: waiting: BUFFER_PROFILE|X does not exist"},
		},
		{
			name: "a row waits as a whole", rows: configdb.RawRows{
				"PORT_QOS_MAP|Ethernet0": {"dscp_to_tc_map": "m", "tc_to_queue_map": "X", "pfc_enable": "3", "scheduler": "s"},
				"QUEUE|Ethernet4|1":      {"scheduler": "X", "wred_profile": "w"},
			},
			nodes: []string{"-PORT Ethernet0#qosmap", "-PORT Ethernet0#pfc", "-PORT Ethernet0#sched", "-QUEUE Ethernet4|1#wred"},
			says: []string{
				"PORT_QOS_MAP|Ethernet0: waiting: TC_TO_QUEUE_MAP|X does not exist", "QUEUE|Ethernet4|1: waiting: SCHEDULER|X does not exist",
			},
		},
		{
			name: "one port of a row is not there", rows: configdb.RawRows{"BUFFER_PG|Ethernet0,Ethernet8|1": {"profile": "a"}},
			nodes: []string{"-INGRESS_PRIORITY_GROUP Ethernet0|1#buffer"},
			says:  []string{"BUFFER_PG|Ethernet0,Ethernet8|1: waiting: PORT|Ethernet8 does not exist"},
		},
		{
			name: "port QoS", rows: configdb.RawRows{
				"PORT_QOS_MAP|Ethernet0":           {"dscp_to_tc_map": "m", "dot1p_to_tc_map": "m", "tc_to_dscp_map": "m", "scheduler": "t", "pfc_enable": "3"},
				"PORT_QOS_MAP|Ethernet0,Ethernet4": {"tc_to_queue_map": "m"},
				"BUFFER_PG|Ethernet0|3":            {"profile": "b"},
			},
			nodes: []string{
				"PORT Ethernet0#qosmap QOS_DOT1P_TO_TC_MAP=@DOT1P_TO_TC_MAP|m QOS_DSCP_TO_TC_MAP=@DSCP_TO_TC_MAP|m QOS_TC_AND_COLOR_TO_DSCP_MAP=@TC_TO_DSCP_MAP|m",
				"PORT Ethernet0#sched QOS_SCHEDULER_PROFILE_ID=@t", "PORT Ethernet0#pfc PRIORITY_FLOW_CONTROL=8",
				"PORT Ethernet4#qosmap QOS_TC_TO_QUEUE_MAP=@TC_TO_QUEUE_MAP|m",
				"QOS_MAP TC_TO_DSCP_MAP|m TYPE=TC_AND_COLOR_TO_DSCP MAP_TO_VALUE_LIST=tc>dscp 1>10",
			},
			says: []string{"PORT_QOS_MAP|Ethernet0,Ethernet4: warned: PORT_QOS_MAP|Ethernet0,Ethernet4 has no effect on the QoS maps of Ethernet0: PORT_QOS_MAP|Ethernet0 names fewer objects or comes first"},
		},
		{
			name: "no headroom", rows: configdb.RawRows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"}, "BUFFER_PG|Ethernet0|4": {"profile": "b"}, "BUFFER_PG|Ethernet0|3": {"profile": "a"}},
			nodes: []string{"PORT Ethernet0#pfc PRIORITY_FLOW_CONTROL=24"},
			says:  []string{"PORT_QOS_MAP|Ethernet0: warned: priority 3 has no headroom on Ethernet0"},
		},
		{
			name: "what is advertised", rows: configdb.RawRows{"PORT|Ethernet0": port(fields{"autoneg": "on", "fec": "auto", "adv_speeds": "50000,10000,50000", "interface_type": "LR8", "adv_interface_types": "LR8,CR"})},
			nodes: []string{"PORT Ethernet0#link AUTO_NEG_MODE=true ADVERTISED_SPEED=2:10000,50000 MTU=9122 INTERFACE_TYPE=LR8 ADVERTISED_INTERFACE_TYPE=2:SAI_PORT_INTERFACE_TYPE_CR,SAI_PORT_INTERFACE_TYPE_LR8"},
		},
		{
			name: "links of which the chip can be told nothing", rows: configdb.RawRows{"PORT|Ethernet0": port(fields{"autoneg": "on", "fec": "auto", "adv_speeds": "50000", "interface_type": "LR8", "adv_interface_types": "CR"})},
			snap:  func(s *intent.Snapshot) { s.Device.Link = intent.Linking{} },
			nodes: []string{"PORT Ethernet0#link AUTO_NEG_MODE=true MTU=9122"},
			says: []string{
				"PORT|Ethernet0: warned: the chip does not tell whether it takes the mode that is negotiated (SAI_PORT_ATTR_AUTO_NEG_FEC_MODE_OVERRIDE): there may be no FEC",
				"PORT|Ethernet0: warned: the chip has no SAI_PORT_ATTR_ADVERTISED_INTERFACE_TYPE: the field has no effect",
				"PORT|Ethernet0: warned: the chip has no SAI_PORT_ATTR_ADVERTISED_SPEED: the field has no effect",
				"PORT|Ethernet0: warned: the chip has no SAI_PORT_ATTR_INTERFACE_TYPE: the field has no effect",
			},
		},
		{
			name: "asymmetric PFC", rows: configdb.RawRows{"PORT|Ethernet0": port(fields{"pfc_asym": "on"}), "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}, "BUFFER_PG|Ethernet0|3": {"profile": "b"}},
			nodes: []string{"PORT Ethernet0#pfc PRIORITY_FLOW_CONTROL_MODE=SEPARATE PRIORITY_FLOW_CONTROL_RX=255 PRIORITY_FLOW_CONTROL_TX=8"},
		},
		{
			name: "asymmetric PFC that the chip lacks", rows: configdb.RawRows{"PORT|Ethernet0": port(fields{"pfc_asym": "on"})},
			snap:  func(s *intent.Snapshot) { s.Device.AsymmetricPFC = false },
			nodes: []string{"-PORT Ethernet0#pfc"},
			says:  []string{"PORT|Ethernet0: refused: the chip can't pause one direction apart from the other"},
		},
		{
			name: "802.3x", rows: configdb.RawRows{"PORT_QOS_MAP|Ethernet0": {"dscp_to_tc_map": "m"}, "XON_PORT|Ethernet0": {"flow_control": "tx"}},
			nodes: []string{"PORT Ethernet0#pfc GLOBAL_FLOW_CONTROL_MODE=TX_ONLY"},
		},
		{
			name: "802.3x that the chip lacks", rows: configdb.RawRows{"XON_PORT|Ethernet0": {"flow_control": "tx"}},
			snap:  func(s *intent.Snapshot) { s.Device.FlowControl = false },
			nodes: []string{"-PORT Ethernet0#pfc"},
			says:  []string{"XON_PORT|Ethernet0: refused: the chip can't pause a port as a whole (SAI_PORT_ATTR_GLOBAL_FLOW_CONTROL_MODE)"},
		},
		{
			name: "marks at dequeue", rows: configdb.RawRows{"WRED_PROFILE|W": {"ecn": "ecn_all"}, "XON_WRED|W": {"mark": "dequeue"}},
			snap:  func(s *intent.Snapshot) { s.Device.MarkAtDequeue = true },
			nodes: []string{"WRED W ECN_MARK_MODE=ALL XON_MARK_AT_DEQUEUE=true"},
		},
		{
			name: "marks at dequeue that the chip lacks", rows: configdb.RawRows{"WRED_PROFILE|W": {"ecn": "ecn_all"}, "XON_WRED|W": {"mark": "dequeue"}},
			snap:  func(s *intent.Snapshot) { s.Device.MarkAtDequeue = false },
			nodes: []string{"WRED W ECN_MARK_MODE=ALL"},
			says:  []string{"XON_WRED|W: refused: the chip can't mark packets as they leave their queue (SAI_WRED_ATTR_XON_MARK_AT_DEQUEUE): leave mark out, or set it to enqueue"},
		},
		{
			name: "802.3x and PFC", rows: configdb.RawRows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}, "BUFFER_PG|Ethernet0|3": {"profile": "b"}, "XON_PORT|Ethernet0": {"flow_control": "both"}},
			nodes: []string{"PORT Ethernet0#pfc PRIORITY_FLOW_CONTROL=8"},
			says:  []string{"XON_PORT|Ethernet0: refused: PORT_QOS_MAP|Ethernet0 has PFC (pfc_enable), which excludes pausing the port as a whole: take pfc_enable away first, or both in one transaction"},
		},
		{
			name: "802.3x and asymmetric PFC", rows: configdb.RawRows{"PORT|Ethernet0": port(fields{"pfc_asym": "on"}), "XON_PORT|Ethernet0": {"flow_control": "both"}},
			nodes: []string{"PORT Ethernet0#pfc PRIORITY_FLOW_CONTROL_MODE=SEPARATE PRIORITY_FLOW_CONTROL_RX=255"},
			says:  []string{"XON_PORT|Ethernet0: refused: PORT|Ethernet0 has PFC (pfc_asym), which excludes pausing the port as a whole: take pfc_asym away first, or both in one transaction"},
		},
		{
			name: "PFC off", rows: configdb.RawRows{"XON_PFC|GLOBAL": {"enabled": "false"}, "PORT|Ethernet0": port(fields{"pfc_asym": "on"}), "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}},
			nodes: []string{"-PORT Ethernet0#pfc"},
			says:  []string{"PORT_QOS_MAP|Ethernet0: warned: no priority is paused on Ethernet0: XON_PFC|GLOBAL turns PFC off"},
		},
		{
			name: "global map", rows: configdb.RawRows{"PORT_QOS_MAP|global": {"dscp_to_tc_map": "m"}},
			nodes: []string{"SWITCH switch#qosmap QOS_DSCP_TO_TC_MAP=@DSCP_TO_TC_MAP|m"},
		},
		{
			name: "queues that share a scheduler group", rows: configdb.RawRows{
				"QUEUE|Ethernet0|3": {"scheduler": "s"}, "QUEUE|Ethernet0|13": {"scheduler": "t"}, "QUEUE|Ethernet0|14": {"scheduler": "t"},
			},
			nodes: []string{"SCHEDULER_GROUP Ethernet0|3#sched SCHEDULER_PROFILE_ID=@s", "SCHEDULER_GROUP Ethernet0|4#sched SCHEDULER_PROFILE_ID=@t"},
			says:  []string{"QUEUE|Ethernet0|13: warned: queue 13 of Ethernet0 is served together with queue 3, which QUEUE|Ethernet0|3 gives scheduler s"},
		},
		{
			name: "queue without scheduler group", rows: configdb.RawRows{"QUEUE|Ethernet0|3": {"scheduler": "s"}},
			snap: func(s *intent.Snapshot) { s.Device.ByName["Ethernet0"].Queues[3].Group = graph.Key{} },
			says: []string{"QUEUE|Ethernet0|3: warned: queue 3 of Ethernet0 has no scheduler group on this chip"},
		},
		{
			name: "scheduler", rows: configdb.RawRows{"SCHEDULER|s": {"type": "DWRR", "weight": "7", "meter_type": "packets", "cir": "1", "cbs": "2", "pir": "3", "pbs": "4"}},
			nodes: []string{"SCHEDULER s SCHEDULING_TYPE=DWRR SCHEDULING_WEIGHT=7 METER_TYPE=PACKETS MIN_BANDWIDTH_RATE=1 MIN_BANDWIDTH_BURST_RATE=2 MAX_BANDWIDTH_RATE=3 MAX_BANDWIDTH_BURST_RATE=4"},
		},
		{
			name: "strict scheduler with a weight", rows: configdb.RawRows{"SCHEDULER|t": {"type": "STRICT", "weight": "7"}},
			nodes: []string{"SCHEDULER t SCHEDULING_TYPE=STRICT"},
			says:  []string{"SCHEDULER|t: warned: a strict scheduler has no weight"},
		},
		{name: "WRED", nodes: []string{"WRED w RED_ENABLE=true ECN_MARK_MODE=YELLOW_RED"}},
		{
			name:  "profile",
			nodes: []string{"BUFFER_PROFILE b POOL_ID=@in RESERVED_BUFFER_SIZE=0 THRESHOLD_MODE=STATIC SHARED_STATIC_TH=4096 XOFF_TH=1024 XON_OFFSET_TH=7"},
		},
		{
			name: "profile lists", rows: configdb.RawRows{
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list@": "b,a"}, "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0": {"profile_list": "a"},
			},
			nodes: []string{"PORT Ethernet0#ingress QOS_INGRESS_BUFFER_PROFILE_LIST=@b,@a", "PORT Ethernet0#egress QOS_EGRESS_BUFFER_PROFILE_LIST=@a"},
		},
		{
			name: "profiles of the other direction", rows: configdb.RawRows{
				"BUFFER_POOL|in":  {"type": "ingress", "mode": "dynamic", "size": "65536"},
				"BUFFER_POOL|out": {"type": "egress", "mode": "static", "size": "65536"}, "BUFFER_PROFILE|out": {"pool": "out", "size": "0", "static_th": "1"},
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list": "a,out"}, "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0": {"profile_list": "out"},
				"BUFFER_PG|Ethernet0|3": {"profile": "out"}, "BUFFER_QUEUE|Ethernet0|3": {"profile": "a"},
			},
			nodes: []string{"PORT Ethernet0#egress QOS_EGRESS_BUFFER_PROFILE_LIST=@out", "-PORT Ethernet0#ingress"},
			says: []string{
				"BUFFER_PG|Ethernet0|3: refused: profile out has its memory in the egress pool out; a priority group takes one of an ingress pool",
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0: refused: profile out has its memory in the egress pool out; an ingress list takes one of an ingress pool",
				"BUFFER_QUEUE|Ethernet0|3: refused: profile a has its memory in the ingress pool in; a queue takes one of an egress pool",
			},
		},
		{
			name: "more bytes than the chip has", rows: configdb.RawRows{
				"BUFFER_PROFILE|c": {"pool": "in", "size": "0", "dynamic_th": "1", "xoff": "99999999999"},
				"BUFFER_POOL|x":    {"type": "egress", "mode": "static", "size": "1", "xoff": "99999999999"},
			},
			nodes: []string{"-BUFFER_PROFILE c", "-BUFFER_POOL x"},
			says: []string{
				"BUFFER_POOL|x: refused: 99999999999 bytes of shared headroom: the chip has 16777216",
				"BUFFER_PROFILE|c: refused: 99999999999 bytes: the chip has 16777216",
			},
		},
		{
			name: "rows for the dynamic model", rows: configdb.RawRows{
				"BUFFER_POOL|dyn":          {"type": "ingress", "mode": "dynamic"},
				"BUFFER_PROFILE|dyn":       {"pool": "dyn", "size": "0", "dynamic_th": "0"},
				"BUFFER_PROFILE|room":      {"pool": "in", "headroom_type": "dynamic", "dynamic_th": "0"},
				"BUFFER_PG|Ethernet0|3":    {"profile": "NULL"},
				"BUFFER_PG|Ethernet0|4":    {"profile": "room"},
				"BUFFER_QUEUE|Ethernet0|4": {"profile": "dyn"},
			},
			nodes: []string{"-BUFFER_POOL dyn", "-BUFFER_PROFILE dyn", "-BUFFER_PROFILE room", "-INGRESS_PRIORITY_GROUP Ethernet0|3#buffer"},
			says: []string{
				"BUFFER_PG|Ethernet0|3: waiting: " + intent.ErrTraditional.Error(),
				"BUFFER_PG|Ethernet0|4: waiting: BUFFER_PROFILE|room is not in force",
				"BUFFER_POOL|dyn: waiting: it has no size: " + intent.ErrTraditional.Error(),
				"BUFFER_PROFILE|dyn: waiting: BUFFER_POOL|dyn is not in force",
				"BUFFER_PROFILE|room: waiting: " + intent.ErrTraditional.Error(),
				"BUFFER_QUEUE|Ethernet0|4: waiting: BUFFER_PROFILE|dyn is not in force",
			},
		},
		{
			name: "pools in force keep their memory", rows: configdb.RawRows{
				"BUFFER_POOL|a": {"type": "both", "mode": "static", "size": "16777000"}, "BUFFER_POOL|z": {"type": "egress", "mode": "static", "size": "16777216"},
			},
			accepted: []configdb.RowKey{"BUFFER_POOL|in"},
			nodes:    []string{"BUFFER_POOL in TYPE=BOTH SIZE=65536", "BUFFER_POOL z TYPE=EGRESS SIZE=16777216 THRESHOLD_MODE=STATIC", "-BUFFER_POOL a"},
			says:     []string{"BUFFER_POOL|a: refused: 16777000 bytes: other ingress pools have 65536 of the chip's 16777216"},
		},
		{
			name: "a profile that trims", rows: configdb.RawRows{
				"BUFFER_PROFILE|b":         {"pool": "in", "size": "0", "static_th": "4096", "packet_discard_action": "trim"},
				"BUFFER_QUEUE|Ethernet0|3": {"profile": "b"}, "BUFFER_PG|Ethernet0|3": {"profile": "b"},
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list": "a,b"},
			},
			nodes: []string{
				"BUFFER_PROFILE b POOL_ID=@in RESERVED_BUFFER_SIZE=0 THRESHOLD_MODE=STATIC SHARED_STATIC_TH=4096 PACKET_ADMISSION_FAIL_ACTION=DROP_AND_TRIM",
				"QUEUE Ethernet0|3#buffer BUFFER_PROFILE_ID=@b", "-INGRESS_PRIORITY_GROUP Ethernet0|3#buffer", "-PORT Ethernet0#ingress",
			},
			says: []string{
				"BUFFER_PG|Ethernet0|3: refused: profile b trims packets (packet_discard_action); a priority group can't, only a queue can",
				"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0: refused: profile b trims packets (packet_discard_action); an ingress list can't, only a queue can",
			},
		},
		{
			name: "hash", rows: configdb.RawRows{
				"SWITCH_HASH|GLOBAL":  {"ecmp_hash": "RDMA_BTH_DEST_QP,SRC_IP,DST_IP", "lag_hash@": "IN_PORT", "lag_hash_algorithm": "CRC_CCITT"},
				"SWITCH_TABLE|switch": {"ecmp_hash_seed": "7", "lag_hash_offset": "3", "fdb_aging_time": "600"},
			},
			nodes: []string{
				"HASH ecmp#hash NATIVE_HASH_FIELD_LIST=3:SAI_NATIVE_HASH_FIELD_SRC_IP,SAI_NATIVE_HASH_FIELD_DST_IP,SAI_NATIVE_HASH_FIELD_RDMA_BTH_DEST_QP",
				"HASH lag#hash NATIVE_HASH_FIELD_LIST=1:SAI_NATIVE_HASH_FIELD_IN_PORT", "SWITCH switch#hash LAG_DEFAULT_HASH_ALGORITHM=CRC_CCITT",
				"SWITCH switch#global FDB_AGING_TIME=600 ECMP_DEFAULT_HASH_SEED=7 LAG_DEFAULT_HASH_OFFSET=3",
			},
		},
		{
			name: "hash of a chip that can less", rows: configdb.RawRows{
				"SWITCH_HASH|GLOBAL": {"ecmp_hash": "RDMA_BTH_DEST_QP", "lag_hash@": "IN_PORT", "lag_hash_algorithm": "XOR"},
			},
			snap: func(s *intent.Snapshot) {
				s.Device.ECMP.Fields.Values = []int32{int32(sai.NativeHashFieldSrcIP), int32(sai.NativeHashFieldDstIP)}
				s.Device.LAG.Fields = intent.Choice{}
				s.Device.LAG.Algorithm.Values = []int32{int32(sai.HashAlgorithmCrc)}
			},
			nodes: []string{"-HASH ecmp#hash", "-HASH lag#hash", "-SWITCH switch#hash"},
			says: []string{
				"SWITCH_HASH|GLOBAL: refused: the chip can't hash RDMA_BTH_DEST_QP: it can SRC_IP, DST_IP",
				"SWITCH_HASH|GLOBAL: refused: the chip does not let anybody choose what it hashes for LAG",
			},
		},
		{
			name: "hash function that the chip lacks", rows: configdb.RawRows{"SWITCH_HASH|GLOBAL": {"lag_hash_algorithm": "XOR"}},
			snap: func(s *intent.Snapshot) { s.Device.LAG.Algorithm.Values = []int32{int32(sai.HashAlgorithmCrc)} },
			says: []string{"SWITCH_HASH|GLOBAL: refused: the chip does not have the hash function XOR: it has CRC"},
		},
		{
			name: "trimming", rows: configdb.RawRows{"SWITCH_TRIMMING|GLOBAL": {"size": "200", "dscp_value": "48", "tc_value": "5", "queue_index": "6"}},
			nodes: []string{"SWITCH switch#trim PACKET_TRIM_SIZE=200 PACKET_TRIM_DSCP_VALUE=48 PACKET_TRIM_QUEUE_INDEX=6"},
			says:  []string{"SWITCH_TRIMMING|GLOBAL: warned: it has no effect while dscp_value is not from-tc"},
		},
		{
			name: "trimming elsewhere", rows: configdb.RawRows{"SWITCH_TRIMMING|GLOBAL": {"dscp_value": "from-tc", "tc_value": "5", "queue_index": "dynamic", "XON_queue_index": "6", "XON_dscp_value": "48"}},
			nodes: []string{"SWITCH switch#trim PACKET_TRIM_DSCP_VALUE=48 PACKET_TRIM_QUEUE_RESOLUTION_MODE=DYNAMIC PACKET_TRIM_QUEUE_INDEX=6 PACKET_TRIM_TC_VALUE=5 PACKET_TRIM_DSCP_RESOLUTION_MODE=FROM_TC"},
		},
		{
			name: "trimming to a queue that is not there", rows: configdb.RawRows{"SWITCH_TRIMMING|GLOBAL": {"size": "200", "queue_index": "10"}},
			nodes: []string{"-SWITCH switch#trim"},
			says:  []string{"SWITCH_TRIMMING|GLOBAL: refused: queue 10: the chip's ports have unicast queues 0 to 9"},
		},
		{
			name: "trimming to a class that is not there", rows: configdb.RawRows{"SWITCH_TRIMMING|GLOBAL": {"tc_value": "16"}},
			says: []string{"SWITCH_TRIMMING|GLOBAL: refused: traffic class 16: the chip has traffic classes 0 to 15"},
		},
		{
			name: "trimming in a mode that the chip lacks", rows: configdb.RawRows{"SWITCH_TRIMMING|GLOBAL": {"queue_index": "dynamic"}},
			snap: func(s *intent.Snapshot) { s.Device.Trimming.QueueModes.Values = []int32{0} },
			says: []string{"SWITCH_TRIMMING|GLOBAL: refused: the chip does not have the mode DYNAMIC: it has STATIC"},
		},
		{
			name: "no trimming", rows: configdb.RawRows{"SWITCH_TRIMMING|GLOBAL": {"size": "200"}},
			snap: func(s *intent.Snapshot) { s.Device.Trimming = intent.Trimming{} },
			says: []string{"SWITCH_TRIMMING|GLOBAL: refused: the chip can't trim packets"},
		},
		{
			name: "maps of labels and forwarding classes", rows: configdb.RawRows{
				"MPLS_TC_TO_TC_MAP|m": {"7": "6"}, "TC_TO_DOT1P_MAP|m": {"3": "5"}, "DSCP_TO_FC_MAP|m": {"46": "2"}, "EXP_TO_FC_MAP|m": {"5": "1"},
				"PORT_QOS_MAP|Ethernet0": {"mpls_tc_to_tc_map": "m", "tc_to_dot1p_map": "m", "dscp_to_fc_map": "m", "exp_to_fc_map": "m"},
			},
			nodes: []string{
				"PORT Ethernet0#qosmap QOS_TC_AND_COLOR_TO_DOT1P_MAP=@TC_TO_DOT1P_MAP|m QOS_MPLS_EXP_TO_TC_MAP=@MPLS_TC_TO_TC_MAP|m " +
					"QOS_DSCP_TO_FORWARDING_CLASS_MAP=@DSCP_TO_FC_MAP|m QOS_MPLS_EXP_TO_FORWARDING_CLASS_MAP=@EXP_TO_FC_MAP|m",
				"QOS_MAP MPLS_TC_TO_TC_MAP|m TYPE=MPLS_EXP_TO_TC MAP_TO_VALUE_LIST=exp>tc 7>6",
				"QOS_MAP TC_TO_DOT1P_MAP|m TYPE=TC_AND_COLOR_TO_DOT1P MAP_TO_VALUE_LIST=tc>dot1p 3>5",
				"QOS_MAP DSCP_TO_FC_MAP|m TYPE=DSCP_TO_FORWARDING_CLASS MAP_TO_VALUE_LIST=dscp>fc 46>2",
				"QOS_MAP EXP_TO_FC_MAP|m TYPE=MPLS_EXP_TO_FORWARDING_CLASS MAP_TO_VALUE_LIST=exp>fc 5>1",
			},
		},
		{
			name: "forwarding classes of the chip", snap: func(s *intent.Snapshot) { s.Device.ForwardingClasses = 2 },
			rows:  configdb.RawRows{"DSCP_TO_FC_MAP|a": {"46": "1"}, "DSCP_TO_FC_MAP|b": {"46": "2"}},
			nodes: []string{"QOS_MAP DSCP_TO_FC_MAP|a TYPE=DSCP_TO_FORWARDING_CLASS MAP_TO_VALUE_LIST=dscp>fc 46>1"},
			says:  []string{"DSCP_TO_FC_MAP|b: refused: forwarding class 2: the chip has forwarding classes 0 to 1"},
		},
		{
			name: "no forwarding classes", snap: func(s *intent.Snapshot) { s.Device.ForwardingClasses = 0 },
			rows: configdb.RawRows{"EXP_TO_FC_MAP|a": {"0": "0"}},
			says: []string{"EXP_TO_FC_MAP|a: refused: forwarding class 0: the chip has no forwarding classes"},
		},
		{
			name: "maps without entries", rows: configdb.RawRows{"DOT1P_TO_TC_MAP|e": {"NULL": "NULL"}, "TC_TO_QUEUE_MAP|e": {"NULL": "NULL"}},
			nodes: []string{
				"QOS_MAP DOT1P_TO_TC_MAP|e TYPE=DOT1P_TO_TC MAP_TO_VALUE_LIST=dot1p>tc 0>0 1>1 2>2 3>3 4>4 5>5 6>6 7>7",
				"QOS_MAP TC_TO_QUEUE_MAP|e TYPE=TC_TO_QUEUE MAP_TO_VALUE_LIST=tc>queue 0>0 1>1 2>2 3>3 4>4 5>5 6>6 7>7",
			},
		},
		{
			name: "traffic classes of the chip", snap: func(s *intent.Snapshot) { s.Device.TrafficClasses = 1 },
			rows: configdb.RawRows{"PORT_QOS_MAP|global": {"dscp_to_tc_map": "m"}},
			says: []string{
				"DOT1P_TO_TC_MAP|m: refused: traffic class 1: the chip has traffic classes 0 to 0",
				"DSCP_TO_TC_MAP|m: refused: traffic class 1: the chip has traffic classes 0 to 0",
				"PORT_QOS_MAP|global: waiting: DSCP_TO_TC_MAP|m is not in force",
				"TC_TO_DSCP_MAP|m: refused: traffic class 1: the chip has traffic classes 0 to 0",
				"TC_TO_QUEUE_MAP|m: refused: traffic class 1: the chip has traffic classes 0 to 0",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all := configdb.RawRows{}
			for _, more := range []configdb.RawRows{pools, tt.rows} {
				for k, f := range more {
					all[k] = f
				}
			}
			r := derive(t, all, tt.snap, tt.accepted...)
			lines := nodeLines(r.Nodes)
			for _, want := range tt.nodes {
				if key, absent := strings.CutPrefix(want, "-"); absent {
					if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+" ") && l != key+" " }); i >= 0 {
						t.Errorf("there is %s", lines[i])
					}
				} else if !slices.Contains(lines, want) {
					t.Errorf("no %q among\n%s", want, strings.Join(lines, "\n"))
				}
			}
			var says []string
			for _, p := range r.Problems {
				says = append(says, fmt.Sprintf("%s: %s: %v", p.Row, [...]string{"warned", "waiting", "refused"}[p.Severity], p.Err))
			}
			if !slices.Equal(says, tt.says) {
				t.Errorf("problems\n%s\nwant\n%s", strings.Join(says, "\n"), strings.Join(tt.says, "\n"))
			}
		})
	}
}

func nodeLines(g graph.Graph) []string {
	var lines []string
	for _, k := range g.Keys() {
		line := k.String() + " "
		for i, a := range g[k].Attrs {
			if i > 0 {
				line += " "
			}
			line += a.String()
		}
		lines = append(lines, line)
	}
	return lines
}

// TestOwners (I2): every attribute that an orchestrator says it sets has a name of a
// field that the message of a refusal can show.
func TestOwners(t *testing.T) {
	t.Parallel()
	r := derive(t, small(), nil)
	for k, n := range r.Nodes {
		for _, a := range n.Attrs {
			if f, ok := graph.FacetOf(a.AttrMeta); ok && f != k.Facet {
				t.Errorf("%s sets %s, which facet %s owns", k, a.Name, f)
			}
		}
		if k.First() { // a port that is there stays whatever its row says
			continue
		}
		if len(r.Rows[k]) == 0 {
			t.Errorf("%s comes from no row", k)
		}
	}
	if r.Nodes[graph.Key{Type: sai.ObjectTypeHostif, Name: "Ethernet0"}] == nil {
		t.Error("no host interface")
	}
}
