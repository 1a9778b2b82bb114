package configdb_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

type (
	fields = configdb.Fields
	span   = configdb.Span
)

// TestParse has at least one good row of each table, with what it means and, where
// that is not what was given, how xon writes it.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range goodRows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			row, unknown, err := configdb.Parse(tt.key, tt.fields)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, row, plainly); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.unknown, unknown); diff != "" {
				t.Errorf("unknown fields (-want +got):\n%s", diff)
			}
			canon := tt.canon
			if canon == nil {
				canon = tt.fields
			}
			if diff := cmp.Diff(canon, configdb.Format(row)); diff != "" {
				t.Errorf("formatted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.refs, configdb.References(row)); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}

var goodRows = []struct {
	name    string
	key     configdb.RowKey
	fields  fields
	want    configdb.Row
	unknown []string
	canon   fields
	refs    []configdb.RowKey
}{
	{
		name: "device metadata",
		key:  "DEVICE_METADATA|localhost",
		fields: fields{
			"hostname": "leaf1", "hwsku": "Force10-S6000", "platform": "x86_64-dell_s6000_s1220-r0", "type": "LeafRouter",
			"mac": "02:00:00:00:10:00", "switch_type": "switch", "buffer_model": "dynamic", "create_only_config_db_buffers": "true",
			"default_pfcwd_status": "enable", "bgp_asn": "65100", "anchor_route_source@": "a,b", "t2_group_asns": "1", "colour": "blue",
		},
		want: &configdb.DeviceMetadata{
			ID: "DEVICE_METADATA|localhost", Hostname: "leaf1", HWSKU: "Force10-S6000", Platform: "x86_64-dell_s6000_s1220-r0",
			Type: "LeafRouter", MAC: "02:00:00:00:10:00", SwitchType: "switch", BufferModel: "dynamic",
			CreateOnlyConfigDBBuffers: true, DefaultPFCWDStatus: "enable",
			Passive: fields{"bgp_asn": "65100", "anchor_route_source": "a,b", "t2_group_asns": "1"},
		},
		unknown: []string{"colour"},
		canon: fields{
			"hostname": "leaf1", "hwsku": "Force10-S6000", "platform": "x86_64-dell_s6000_s1220-r0", "type": "LeafRouter",
			"mac": "02:00:00:00:10:00", "switch_type": "switch", "buffer_model": "dynamic", "create_only_config_db_buffers": "true",
			"default_pfcwd_status": "enable", "bgp_asn": "65100", "anchor_route_source@": "a,b", "t2_group_asns@": "1",
		},
	},
	{
		name:   "device metadata by default",
		key:    "DEVICE_METADATA|localhost",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.DeviceMetadata{ID: "DEVICE_METADATA|localhost", BufferModel: "traditional", DefaultPFCWDStatus: "disable"},
	},
	{
		name: "group of counters",
		key:  "FLEX_COUNTER_TABLE|QUEUE",
		fields: fields{
			"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "10000", "BULK_CHUNK_SIZE": "64",
			"FLEX_COUNTER_DELAY_STATUS": "true", "BULK_CHUNK_SIZE_PER_PREFIX": "SAI_QUEUE_STAT_BYTES:8",
		},
		want: &configdb.FlexCounter{
			ID: "FLEX_COUNTER_TABLE|QUEUE", Group: "QUEUE", Enabled: true, IntervalMs: 10000, BulkChunkSize: 64,
			Passive: fields{"FLEX_COUNTER_DELAY_STATUS": "true", "BULK_CHUNK_SIZE_PER_PREFIX": "SAI_QUEUE_STAT_BYTES:8"},
		},
	},
	{
		name:   "group of counters of another program",
		key:    "FLEX_COUNTER_TABLE|ACL",
		fields: fields{"FLEX_COUNTER_STATUS": "disable"},
		want:   &configdb.FlexCounter{ID: "FLEX_COUNTER_TABLE|ACL", Group: "ACL"},
		canon:  fields{"NULL": "NULL"},
	},
	{
		name:   "watermarks",
		key:    "WATERMARK_TABLE|TELEMETRY_INTERVAL",
		fields: fields{"interval": "30"},
		want:   &configdb.TelemetryInterval{ID: "WATERMARK_TABLE|TELEMETRY_INTERVAL", Seconds: 30},
	},
	{
		name:   "watermarks by default",
		key:    "WATERMARK_TABLE|TELEMETRY_INTERVAL",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.TelemetryInterval{ID: "WATERMARK_TABLE|TELEMETRY_INTERVAL", Seconds: 120},
	},
	{
		name:   "PFC off",
		key:    "XON_PFC|GLOBAL",
		fields: fields{"enabled": "false"},
		want:   &configdb.XonPFC{ID: "XON_PFC|GLOBAL"},
	},
	{
		name:   "PFC by default",
		key:    "XON_PFC|GLOBAL",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.XonPFC{ID: "XON_PFC|GLOBAL", Enabled: true},
	},
	{
		name:   "marks at dequeue",
		key:    "XON_WRED|AZURE",
		fields: fields{"mark": "dequeue"},
		want:   &configdb.XonWRED{ID: "XON_WRED|AZURE", Name: "AZURE", Mark: "dequeue"},
	},
	{
		name:   "marks by default",
		key:    "XON_WRED|AZURE",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.XonWRED{ID: "XON_WRED|AZURE", Name: "AZURE", Mark: "enqueue"},
	},
	{
		name:   "802.3x",
		key:    "XON_PORT|Ethernet0",
		fields: fields{"flow_control": "both"},
		want:   &configdb.XonPort{ID: "XON_PORT|Ethernet0", Name: "Ethernet0", FlowControl: "both"},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
	{
		name:   "VLAN",
		key:    "VLAN|Vlan100",
		fields: fields{"vlanid": "100", "mtu": "1500", "admin_status": "up"},
		want: &configdb.VLAN{
			ID: "VLAN|Vlan100", Name: "Vlan100", Number: 100, VLANID: 100, MTU: 1500, Passive: fields{"admin_status": "up"},
		},
	},
	{
		name:   "VLAN member",
		key:    "VLAN_MEMBER|Vlan100|Ethernet0",
		fields: fields{"tagging_mode": "untagged"},
		want:   &configdb.VLANMember{ID: "VLAN_MEMBER|Vlan100|Ethernet0", VLAN: "Vlan100", Port: "Ethernet0", Tagging: configdb.Untagged},
		refs:   []configdb.RowKey{"PORT|Ethernet0", "VLAN|Vlan100"},
	},
	{
		name:   "interface",
		key:    "INTERFACE|Ethernet0",
		fields: fields{"mac_addr": "02:00:00:00:10:00", "vrf_name": "default"},
		want:   &configdb.Interface{ID: "INTERFACE|Ethernet0", Name: "Ethernet0", MAC: "02:00:00:00:10:00", VRF: configdb.DefaultVRF},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
	{
		name:    "address of an interface",
		key:     "INTERFACE|Ethernet0|10.0.0.1/31",
		fields:  fields{"scope": "global", "family": "IPv4", "mac_addr": "02:00:00:00:10:00"},
		unknown: []string{"mac_addr"},
		canon:   fields{"scope": "global", "family": "IPv4"},
		want: &configdb.Interface{
			ID: "INTERFACE|Ethernet0|10.0.0.1/31", Name: "Ethernet0", Prefix: netip.MustParsePrefix("10.0.0.1/31"),
			Passive: fields{"scope": "global", "family": "IPv4"},
		},
		refs: []configdb.RowKey{"INTERFACE|Ethernet0"},
	},
	{
		name:   "address of a VLAN",
		key:    "VLAN_INTERFACE|Vlan100|fc00::1/64",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.Interface{ID: "VLAN_INTERFACE|Vlan100|fc00::1/64", Name: "Vlan100", Prefix: netip.MustParsePrefix("fc00::1/64")},
		refs:   []configdb.RowKey{"VLAN_INTERFACE|Vlan100"},
	},
	{
		name:   "routed VLAN",
		key:    "VLAN_INTERFACE|Vlan100",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.Interface{ID: "VLAN_INTERFACE|Vlan100", Name: "Vlan100"},
		refs:   []configdb.RowKey{"VLAN|Vlan100"},
	},
	{
		name:   "loopback interface",
		key:    "LOOPBACK_INTERFACE|Loopback0",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.Interface{ID: "LOOPBACK_INTERFACE|Loopback0", Name: "Loopback0"},
	},
	{
		name:   "neighbour",
		key:    "NEIGH|Vlan100|fc00::5",
		fields: fields{"neigh": "02:00:00:00:20:00", "family": "IPv6"},
		want: &configdb.Neighbor{
			ID: "NEIGH|Vlan100|fc00::5", Interface: "Vlan100", Addr: netip.MustParseAddr("fc00::5"), MAC: "02:00:00:00:20:00", Family: "IPv6",
		},
		refs: []configdb.RowKey{"VLAN_INTERFACE|Vlan100"},
	},
	{
		name:   "static route",
		key:    "STATIC_ROUTE|default|10.0.0.0/8",
		fields: fields{"nexthop": "10.0.0.1,0.0.0.0", "ifname": "Ethernet0,Ethernet4", "distance": "1", "advertise": "false"},
		want: &configdb.StaticRoute{
			ID: "STATIC_ROUTE|default|10.0.0.0/8", VRF: "default", Prefix: netip.MustParsePrefix("10.0.0.0/8"),
			NextHops: []string{"10.0.0.1", "0.0.0.0"}, IfNames: []string{"Ethernet0", "Ethernet4"}, Distances: []uint32{1},
			Passive: fields{"advertise": "false"},
		},
		refs: []configdb.RowKey{"NEIGH|Ethernet0|10.0.0.1", "INTERFACE|Ethernet4"},
	},
	{
		name:   "black hole",
		key:    "STATIC_ROUTE|::/0",
		fields: fields{"blackhole": "true"},
		want:   &configdb.StaticRoute{ID: "STATIC_ROUTE|::/0", VRF: "default", Prefix: netip.MustParsePrefix("::/0"), Blackhole: []string{"true"}},
	},
	{
		name:   "802.3x by default",
		key:    "XON_PORT|Ethernet0",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.XonPort{ID: "XON_PORT|Ethernet0", Name: "Ethernet0", FlowControl: "off"},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
	{
		name: "port",
		key:  "PORT|Ethernet0",
		fields: fields{
			"lanes": "1,2,4,3", "alias": "etp1", "index": "1", "speed": "100000", "mtu": "1500", "admin_status": "up", "fec": "rs",
			"autoneg": "on", "adv_speeds@": "50000,100000", "pfc_asym": "on", "description": "to spine, port 3", "subport": "0",
			"link_training": "off", "tpid": "0x88a8",
		},
		want: &configdb.Port{
			ID: "PORT|Ethernet0", Name: "Ethernet0", Lanes: []uint32{1, 2, 4, 3}, Alias: "etp1", Index: 1, Speed: 100000, MTU: 1500,
			AdminUp: true, HasAdmin: true, FEC: "rs", Autoneg: "on", AdvSpeeds: []uint32{50000, 100000}, HasAdvSpeeds: true, PFCAsym: true, HasPFCAsym: true,
			LinkTraining: "off", TPID: 0x88a8,
			Passive: fields{"description": "to spine, port 3", "subport": "0"},
		},
	},
	{
		name:   "port by default",
		key:    "PORT|Ethernet0",
		fields: fields{"lanes": "7"},
		want:   &configdb.Port{ID: "PORT|Ethernet0", Name: "Ethernet0", Lanes: []uint32{7}, MTU: 9100},
	},
	{
		name:   "port with defaults spelled out",
		key:    "PORT|Ethernet-BP0",
		fields: fields{"lanes@": "7", "mtu": "9100", "admin_status": "down", "adv_speeds": "all", "pfc_asym": "off"},
		want: &configdb.Port{
			ID: "PORT|Ethernet-BP0", Name: "Ethernet-BP0", Lanes: []uint32{7}, MTU: 9100, HasAdmin: true, HasAdvSpeeds: true, HasPFCAsym: true,
		},
		canon: fields{"lanes": "7", "admin_status": "down", "adv_speeds@": "all", "pfc_asym": "off"},
	},
	{
		name:   "cable length",
		key:    "CABLE_LENGTH|AZURE",
		fields: fields{"Ethernet0": "5m", "Ethernet4": "0m", "no port": "5m"},
		want: &configdb.CableLength{
			ID: "CABLE_LENGTH|AZURE", Name: "AZURE", Metres: map[string]uint32{"Ethernet0": 5, "Ethernet4": 0},
		},
		unknown: []string{"no port"},
		canon:   fields{"Ethernet0": "5m", "Ethernet4": "0m"},
	},
	{
		name:   "default lossless parameters",
		key:    "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE",
		fields: fields{"default_dynamic_th": "0", "over_subscribe_ratio": "2"},
		want:   &configdb.DefaultLosslessBufferParameter{ID: "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", Name: "AZURE", OverSubscribeRatio: 2},
	},
	{
		name:   "traffic pattern without small packets",
		key:    "LOSSLESS_TRAFFIC_PATTERN|AZURE",
		fields: fields{"mtu": "1024", "small_packet_percentage": "0"},
		want:   &configdb.LosslessTrafficPattern{ID: "LOSSLESS_TRAFFIC_PATTERN|AZURE", Name: "AZURE", MTU: 1024, HasSmallPackets: true},
	},
	{
		name:   "map",
		key:    "DSCP_TO_TC_MAP|AZURE",
		fields: fields{"63": " 15", "+3": "3\t"},
		want: &configdb.QoSMap{
			ID: "DSCP_TO_TC_MAP|AZURE", Kind: configdb.DSCPToTC, Name: "AZURE", Entries: []configdb.MapEntry{{3, 3}, {63, 15}},
		},
		canon: fields{"63": "15", "3": "3"},
	},
	{
		name:   "map of TCs to DSCPs",
		key:    "TC_TO_DSCP_MAP|TUNNEL",
		fields: fields{"15": "63", "0": "8"},
		want: &configdb.QoSMap{
			ID: "TC_TO_DSCP_MAP|TUNNEL", Kind: configdb.TCToDSCP, Name: "TUNNEL", Entries: []configdb.MapEntry{{0, 8}, {15, 63}},
		},
	},
	{
		name:   "map without entries",
		key:    "TC_TO_QUEUE_MAP|EMPTY",
		fields: fields{"NULL": "NULL"},
		want:   &configdb.QoSMap{ID: "TC_TO_QUEUE_MAP|EMPTY", Kind: configdb.TCToQueue, Name: "EMPTY"},
	},
	{
		name:   "scheduler",
		key:    "SCHEDULER|scheduler.0",
		fields: fields{"type": "DWRR", "weight": "14", "meter_type": "packets", "cir": "1", "cbs": "2", "pir": "3", "pbs": "4"},
		want: &configdb.Scheduler{
			ID: "SCHEDULER|scheduler.0", Name: "scheduler.0", Type: configdb.DWRR, Weight: 14, Packets: true, CIR: 1, CBS: 2, PIR: 3, PBS: 4,
			HasMeter: true, HasCIR: true, HasCBS: true, HasPIR: true, HasPBS: true,
		},
	},
	{
		name:    "scheduler that limits a port, with the field that orchagent does not know",
		key:     "SCHEDULER|port",
		fields:  fields{"pir": "1250000000", "priority": "3"},
		want:    &configdb.Scheduler{ID: "SCHEDULER|port", Name: "port", Type: configdb.WRR, PIR: 1250000000, HasPIR: true},
		unknown: []string{"priority"},
		canon:   fields{"pir": "1250000000"},
	},
	{
		name: "WRED profile",
		key:  "WRED_PROFILE|AZURE_LOSSLESS",
		fields: fields{
			"ecn": "ecn_green_red", "wred_green_enable": "true", "wred_yellow_enable": "False", "green_min_threshold": "5000000000",
			"green_max_threshold": "5000000000", "green_drop_probability": "5", "red_max_threshold": "7", "red_drop_probability": "100",
		},
		want: &configdb.WREDProfile{
			ID: "WRED_PROFILE|AZURE_LOSSLESS", Name: "AZURE_LOSSLESS",
			Curves: [configdb.NumColours]configdb.Curve{
				configdb.Green:  {Enable: true, HasEnable: true, Min: 5000000000, Max: 5000000000, Probability: 5, HasMin: true, HasMax: true, HasProb: true},
				configdb.Yellow: {HasEnable: true, Probability: 100},
				configdb.Red:    {Max: 7, Probability: 100, HasMax: true, HasProb: true},
			},
			ECN: [configdb.NumColours]bool{configdb.Green: true, configdb.Red: true},
		},
		canon: fields{
			"ecn": "ecn_green_red", "wred_green_enable": "true", "wred_yellow_enable": "false", "green_min_threshold": "5000000000", "green_max_threshold": "5000000000",
			"green_drop_probability": "5", "red_max_threshold": "7", "red_drop_probability": "100",
		},
	},
	{
		name:   "queue",
		key:    "QUEUE|Ethernet0,Ethernet4|3-4",
		fields: fields{"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"},
		want: &configdb.Queue{
			ID: "QUEUE|Ethernet0,Ethernet4|3-4", Span: span{Ports: []string{"Ethernet0", "Ethernet4"}, Lo: 3, Hi: 4},
			Scheduler: "scheduler.1", WRED: "AZURE_LOSSLESS",
		},
		refs: []configdb.RowKey{"PORT|Ethernet0", "PORT|Ethernet4", "SCHEDULER|scheduler.1", "WRED_PROFILE|AZURE_LOSSLESS"},
	},
	{
		name:   "queue that refers to nothing",
		key:    "QUEUE|Ethernet0|255",
		fields: fields{"scheduler": ""},
		want:   &configdb.Queue{ID: "QUEUE|Ethernet0|255", Span: span{Ports: []string{"Ethernet0"}, Lo: 255, Hi: 255}},
		canon:  fields{"NULL": "NULL"},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
	{
		name: "port QoS map",
		key:  "PORT_QOS_MAP|Ethernet0,Ethernet4",
		fields: fields{
			"dscp_to_tc_map": "A", "dot1p_to_tc_map": "B", "tc_to_queue_map": "C", "tc_to_pg_map": "D", "tc_to_dscp_map": "E",
			"pfc_to_queue_map": "F", "pfc_to_pg_map": "G", "mpls_tc_to_tc_map": "I", "tc_to_dot1p_map": "J", "dscp_to_fc_map": "K",
			"exp_to_fc_map": "L", "scheduler": "H", "pfc_enable": "4,3", "pfcwd_sw_enable": "0,7",
		},
		want: &configdb.PortQoSMap{
			ID: "PORT_QOS_MAP|Ethernet0,Ethernet4", Ports: []string{"Ethernet0", "Ethernet4"},
			Maps: [configdb.NumMapKinds]string{
				configdb.DSCPToTC: "A", configdb.DOT1PToTC: "B", configdb.TCToQueue: "C", configdb.TCToPriorityGroup: "D",
				configdb.TCToDSCP: "E", configdb.PFCPriorityToQueue: "F", configdb.PFCPriorityToPriorityGroup: "G",
				configdb.MPLSTCToTC: "I", configdb.TCToDOT1P: "J", configdb.DSCPToFC: "K", configdb.EXPToFC: "L",
			},
			Scheduler: "H", PFC: 0x18, HasPFC: true, PFCWD: 0x81,
		},
		canon: fields{
			"dscp_to_tc_map": "A", "dot1p_to_tc_map": "B", "tc_to_queue_map": "C", "tc_to_pg_map": "D", "tc_to_dscp_map": "E",
			"pfc_to_queue_map": "F", "pfc_to_pg_map": "G", "mpls_tc_to_tc_map": "I", "tc_to_dot1p_map": "J", "dscp_to_fc_map": "K",
			"exp_to_fc_map": "L", "scheduler": "H", "pfc_enable": "3,4", "pfcwd_sw_enable": "0,7",
		},
		refs: []configdb.RowKey{
			"PORT|Ethernet0", "PORT|Ethernet4", "DSCP_TO_TC_MAP|A", "DOT1P_TO_TC_MAP|B", "TC_TO_QUEUE_MAP|C", "TC_TO_PRIORITY_GROUP_MAP|D",
			"TC_TO_DSCP_MAP|E", "MAP_PFC_PRIORITY_TO_QUEUE|F", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|G",
			"MPLS_TC_TO_TC_MAP|I", "TC_TO_DOT1P_MAP|J", "DSCP_TO_FC_MAP|K", "EXP_TO_FC_MAP|L", "SCHEDULER|H",
		},
	},
	{
		name:   "global QoS map has one field",
		key:    "PORT_QOS_MAP|global",
		fields: fields{"dscp_to_tc_map": "AZURE", "pfc_enable": "3,4"},
		want: &configdb.PortQoSMap{
			ID: "PORT_QOS_MAP|global", Global: true, Maps: [configdb.NumMapKinds]string{configdb.DSCPToTC: "AZURE"},
		},
		unknown: []string{"pfc_enable"},
		canon:   fields{"dscp_to_tc_map": "AZURE"},
		refs:    []configdb.RowKey{"DSCP_TO_TC_MAP|AZURE"},
	},
	{
		name:   "no lossless priority",
		key:    "PORT_QOS_MAP|Ethernet0",
		fields: fields{"pfc_enable": ""},
		want:   &configdb.PortQoSMap{ID: "PORT_QOS_MAP|Ethernet0", Ports: []string{"Ethernet0"}, HasPFC: true},
		canon:  fields{"pfc_enable": ""},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
	{
		name:   "buffer pool",
		key:    "BUFFER_POOL|ingress_lossless_pool",
		fields: fields{"type": "ingress", "mode": "dynamic", "size": "18446744073709551615", "xoff": "0"},
		want: &configdb.BufferPool{
			ID: "BUFFER_POOL|ingress_lossless_pool", Name: "ingress_lossless_pool", Type: configdb.Ingress, Mode: configdb.Dynamic,
			Size: 18446744073709551615, HasSize: true, HasXoff: true,
		},
	},
	{
		name:   "buffer pool of computed size",
		key:    "BUFFER_POOL|p",
		fields: fields{"type": "both", "mode": "static", "percentage": "100"},
		want:   &configdb.BufferPool{ID: "BUFFER_POOL|p", Name: "p", Type: configdb.Both, Mode: configdb.Static, Percentage: 100},
	},
	{
		name:   "lossless buffer profile",
		key:    "BUFFER_PROFILE|pg_lossless_100000_5m_profile",
		fields: fields{"pool": "p", "size": "56368", "dynamic_th": "-3", "xon": "18432", "xon_offset": "2496", "xoff": "55120", "packet_discard_action": "trim"},
		want: &configdb.BufferProfile{
			ID: "BUFFER_PROFILE|pg_lossless_100000_5m_profile", Name: "pg_lossless_100000_5m_profile", Pool: "p", Size: 56368, HasSize: true,
			Mode: configdb.Dynamic, DynamicTh: -3, Xon: 18432, HasXon: true, XonOffset: 2496, HasXonOffset: true, Xoff: 55120, HasXoff: true,
			HeadroomType: configdb.Static, Trim: true, HasDiscard: true,
		},
		refs: []configdb.RowKey{"BUFFER_POOL|p"},
	},
	{
		name:   "lossy buffer profile",
		key:    "BUFFER_PROFILE|q",
		fields: fields{"pool": "p", "size": "0", "static_th": "0"},
		want: &configdb.BufferProfile{
			ID: "BUFFER_PROFILE|q", Name: "q", Pool: "p", HasSize: true, Mode: configdb.Static, HeadroomType: configdb.Static,
		},
		refs: []configdb.RowKey{"BUFFER_POOL|p"},
	},
	{
		name:   "computed buffer profile",
		key:    "BUFFER_PROFILE|q",
		fields: fields{"pool": "p", "dynamic_th": "0", "headroom_type": "dynamic"},
		want: &configdb.BufferProfile{
			ID: "BUFFER_PROFILE|q", Name: "q", Pool: "p", Mode: configdb.Dynamic, HeadroomType: configdb.Dynamic,
		},
		refs: []configdb.RowKey{"BUFFER_POOL|p"},
	},
	{
		name:   "buffer PG",
		key:    "BUFFER_PG|Ethernet0|3-4",
		fields: fields{"profile": "x"},
		want:   &configdb.BufferPG{ID: "BUFFER_PG|Ethernet0|3-4", Span: span{Ports: []string{"Ethernet0"}, Lo: 3, Hi: 4}, Profile: "x"},
		refs:   []configdb.RowKey{"PORT|Ethernet0", "BUFFER_PROFILE|x"},
	},
	{
		name:   "buffer PG with computed headroom",
		key:    "BUFFER_PG|Ethernet0|0",
		fields: fields{"profile": "NULL"},
		want:   &configdb.BufferPG{ID: "BUFFER_PG|Ethernet0|0", Span: span{Ports: []string{"Ethernet0"}}, Profile: configdb.DynamicHeadroom},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
	{
		name:   "buffer queue",
		key:    "BUFFER_QUEUE|Ethernet0|7-19",
		fields: fields{"profile": "x"},
		want:   &configdb.BufferQueue{ID: "BUFFER_QUEUE|Ethernet0|7-19", Span: span{Ports: []string{"Ethernet0"}, Lo: 7, Hi: 19}, Profile: "x"},
		refs:   []configdb.RowKey{"PORT|Ethernet0", "BUFFER_PROFILE|x"},
	},
	{
		name:   "ingress profile list with @",
		key:    "BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0,Ethernet4",
		fields: fields{"profile_list@": "b,a"},
		want: &configdb.BufferProfileList{
			ID: "BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0,Ethernet4", Direction: configdb.Ingress,
			Ports: []string{"Ethernet0", "Ethernet4"}, Profiles: []string{"b", "a"},
		},
		refs: []configdb.RowKey{"PORT|Ethernet0", "PORT|Ethernet4", "BUFFER_PROFILE|b", "BUFFER_PROFILE|a"},
	},
	{
		name:   "egress profile list in both spellings, which agree",
		key:    "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0",
		fields: fields{"profile_list": "a", "profile_list@": "a"},
		want: &configdb.BufferProfileList{
			ID: "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0", Direction: configdb.Egress, Ports: []string{"Ethernet0"}, Profiles: []string{"a"},
		},
		canon: fields{"profile_list@": "a"},
		refs:  []configdb.RowKey{"PORT|Ethernet0", "BUFFER_PROFILE|a"},
	},
	{
		name:   "empty profile list",
		key:    "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0",
		fields: fields{"profile_list@": ""},
		want:   &configdb.BufferProfileList{ID: "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0", Direction: configdb.Egress, Ports: []string{"Ethernet0"}},
		canon:  fields{"NULL": "NULL"},
		refs:   []configdb.RowKey{"PORT|Ethernet0"},
	},
}
