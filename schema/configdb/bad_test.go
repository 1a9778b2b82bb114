package configdb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

// TestParseFaults has bad rows with all that is said about them.
func TestParseFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range badRows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			row, _, err := configdb.Parse(tt.key, tt.fields)
			if row != nil {
				t.Errorf("row = %v beside an error", row)
			}
			var faults configdb.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("err = %v, want Faults", err)
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			for _, f := range faults {
				if f.Row != tt.key || f.Kind != configdb.Invalid {
					t.Errorf("fault of %q, kind %d", f.Row, f.Kind)
				}
			}
		})
	}
}

var badRows = []struct {
	name   string
	key    configdb.RowKey
	fields fields
	want   []string
}{
	{
		name: "unknown table",
		key:  "PORTCHANNEL|PortChannel1", fields: fields{"mtu": "9100"},
		want: []string{`PORTCHANNEL|PortChannel1: the table is none of xon's`},
	},
	{
		name: "VLAN of the chip", key: "VLAN|Vlan1", fields: fields{"vlanid": "1"},
		want: []string{
			`VLAN|Vlan1: key "Vlan1": Vlan1 is the chip's own VLAN: use Vlan2 to Vlan4094`,
			`VLAN|Vlan1: field "vlanid": "1" is out of range (2 to 4094)`,
		},
	},
	{
		name: "VLAN of two numbers", key: "VLAN|Vlan10", fields: fields{"vlanid": "11"},
		want: []string{`VLAN|Vlan10: field "vlanid": 11 is not the number of Vlan10`},
	},
	{
		name: "no VLAN", key: "VLAN|Vlan010", fields: fields{},
		want: []string{`VLAN|Vlan010: key "Vlan010": "Vlan010" is not the name of a VLAN, like Vlan100`},
	},
	{
		name: "VLAN too high", key: "VLAN_MEMBER|Vlan4095|Ethernet0", fields: fields{},
		want: []string{
			`VLAN_MEMBER|Vlan4095|Ethernet0: key "Vlan4095|Ethernet0": Vlan4095 is out of range (Vlan2 to Vlan4094)`,
			`VLAN_MEMBER|Vlan4095|Ethernet0: field "tagging_mode": is required`,
		},
	},
	{
		name: "member of nothing", key: "VLAN_MEMBER|Vlan10", fields: fields{"tagging_mode": "none"},
		want: []string{
			`VLAN_MEMBER|Vlan10: key "Vlan10": want a VLAN and a port, like Vlan100|Ethernet0`,
			`VLAN_MEMBER|Vlan10: field "tagging_mode": "none" is not untagged, tagged or priority_tagged`,
		},
	},
	{
		name: "address that no interface has", key: "INTERFACE|Ethernet0|224.0.0.1/24", fields: fields{},
		want: []string{`INTERFACE|Ethernet0|224.0.0.1/24: key "Ethernet0|224.0.0.1/24": "224.0.0.1/24" is no address that an interface can have`},
	},
	{
		name: "no address", key: "VLAN_INTERFACE|Vlan10|10.0.0.1", fields: fields{},
		want: []string{`VLAN_INTERFACE|Vlan10|10.0.0.1: key "Vlan10|10.0.0.1": "10.0.0.1" is not an IP prefix, like 10.0.0.0/31 or fc00::/64`},
	},
	{
		name: "address of a group", key: "INTERFACE|Ethernet0", fields: fields{"mac_addr": "01:00:5e:00:00:01"},
		want: []string{`INTERFACE|Ethernet0: field "mac_addr": "01:00:5e:00:00:01" is the address of a group, not of one interface`},
	},
	{
		name: "no loopback interface", key: "LOOPBACK_INTERFACE|Loopback1000", fields: fields{},
		want: []string{`LOOPBACK_INTERFACE|Loopback1000: key "Loopback1000": "Loopback1000" is not the name of a loopback interface, Loopback0 to Loopback999`},
	},
	{
		name: "neighbour of no family", key: "NEIGH|Ethernet0|10.0.0.1", fields: fields{"family": "IPX", "neigh": "x"},
		want: []string{
			`NEIGH|Ethernet0|10.0.0.1: field "family": "IPX" is not IPv4 or IPv6`,
			`NEIGH|Ethernet0|10.0.0.1: field "neigh": "x" is not a MAC address, like 02:00:00:00:10:00`,
		},
	},
	{
		name: "no neighbour", key: "NEIGH|Ethernet0", fields: fields{},
		want: []string{`NEIGH|Ethernet0: key "Ethernet0": want an interface and an address, like Ethernet0|10.0.0.1`},
	},
	{
		name: "neighbour without address", key: "NEIGH|Ethernet0|10.0.0.0/31", fields: fields{},
		want: []string{`NEIGH|Ethernet0|10.0.0.0/31: key "Ethernet0|10.0.0.0/31": "10.0.0.0/31" is not an IP address, like 10.0.0.1 or fc00::1`},
	},
	{
		name: "route to nowhere", key: "STATIC_ROUTE|10.0.0.0/8", fields: fields{"distance": "1", "blackhole": ""},
		want: []string{
			`STATIC_ROUTE|10.0.0.0/8: field "nexthop": is required, or ifname or blackhole`,
		},
	},
	{
		name: "more distances than next hops", key: "STATIC_ROUTE|10.0.0.0/8", fields: fields{"nexthop": "10.0.0.1", "distance": "1,2", "nexthop-vrf": "a,b,c"},
		want: []string{
			`STATIC_ROUTE|10.0.0.0/8: field "distance": 2 distances for 1 next hops`,
			`STATIC_ROUTE|10.0.0.0/8: field "nexthop-vrf": 3 VRFs for 1 next hops`,
		},
	},
	{
		name: "route with all wrong", key: "STATIC_ROUTE|10.0.0.1/8",
		fields: fields{"nexthop": "fc00::1,0.0.0.0", "distance": "300", "nexthop-vrf": "a,b,c", "blackhole": "no"},
		want: []string{
			`STATIC_ROUTE|10.0.0.1/8: key "10.0.0.1/8": "10.0.0.1/8" has an address behind its length: 10.0.0.0/8 is the network`,
			`STATIC_ROUTE|10.0.0.1/8: field "blackhole": "no" is neither true nor false`,
			`STATIC_ROUTE|10.0.0.1/8: field "distance": "300" is out of range (0 to 255)`,
			`STATIC_ROUTE|10.0.0.1/8: field "nexthop": fc00::1 is not of the family of 10.0.0.1/8`,
		},
	},
	{
		name: "route to a group", key: "STATIC_ROUTE|224.0.0.0/4", fields: fields{"nexthop": "224.0.0.1"},
		want: []string{
			`STATIC_ROUTE|224.0.0.0/4: key "224.0.0.0/4": "224.0.0.0/4" is a network of groups`,
			`STATIC_ROUTE|224.0.0.0/4: field "nexthop": "224.0.0.1" is the address of a group, not of a neighbour`,
		},
	},
	{
		name: "row of another device",
		key:  "DEVICE_METADATA|bmc", fields: fields{},
		want: []string{`DEVICE_METADATA|bmc: key "bmc": the only row is "localhost"`},
	},
	{
		name:   "wrong group of counters",
		key:    "FLEX_COUNTER_TABLE|PORT",
		fields: fields{"FLEX_COUNTER_STATUS": "on", "POLL_INTERVAL": "99", "BULK_CHUNK_SIZE": "-1"},
		want: []string{
			`FLEX_COUNTER_TABLE|PORT: field "BULK_CHUNK_SIZE": "-1" is out of range (0 to 4294967295)`,
			`FLEX_COUNTER_TABLE|PORT: field "FLEX_COUNTER_STATUS": "on" is not disable or enable`,
			`FLEX_COUNTER_TABLE|PORT: field "POLL_INTERVAL": "99" is out of range (100 to 4294967295)`,
		},
	},
	{
		name:   "interval beyond what 32 bits hold",
		key:    "FLEX_COUNTER_TABLE|QUEUE",
		fields: fields{"POLL_INTERVAL": "4294967296"},
		want:   []string{`FLEX_COUNTER_TABLE|QUEUE: field "POLL_INTERVAL": "4294967296" is out of range (100 to 4294967295)`},
	},
	{
		name:   "wrong watermarks",
		key:    "WATERMARK_TABLE|USER",
		fields: fields{"interval": "soon"},
		want: []string{
			`WATERMARK_TABLE|USER: key "USER": the only row is "TELEMETRY_INTERVAL"`,
			`WATERMARK_TABLE|USER: field "interval": "soon" is not a whole number (0 to 4294967295)`,
		},
	},
	{
		name:   "PFC of one port",
		key:    "XON_PFC|Ethernet0",
		fields: fields{"enabled": "off"},
		want: []string{
			`XON_PFC|Ethernet0: key "Ethernet0": the only row is "GLOBAL"`,
			`XON_PFC|Ethernet0: field "enabled": "off" is not false or true`,
		},
	},
	{
		name:   "marks when they like",
		key:    "XON_WRED|AZURE",
		fields: fields{"mark": "never", "ecn": "ecn_all"},
		want: []string{
			`XON_WRED|AZURE: field "mark": "never" is not enqueue or dequeue`,
		},
	},
	{
		name:   "802.3x of two ports",
		key:    "XON_PORT|Ethernet0,Ethernet4",
		fields: fields{"flow_control": "on"},
		want: []string{
			`XON_PORT|Ethernet0,Ethernet4: key "Ethernet0,Ethernet4": name "Ethernet0,Ethernet4" has "," (only letters, digits and _ - . : / + are allowed)`,
			`XON_PORT|Ethernet0,Ethernet4: field "flow_control": "on" is not off, rx, tx or both`,
		},
	},
	{
		name:   "wrong device metadata",
		key:    "DEVICE_METADATA|localhost",
		fields: fields{"mac": "02:00", "buffer_model": "static", "create_only_config_db_buffers": "yes", "default_pfcwd_status": ""},
		want: []string{
			`DEVICE_METADATA|localhost: field "buffer_model": "static" is not traditional or dynamic`,
			`DEVICE_METADATA|localhost: field "create_only_config_db_buffers": "yes" is not false or true`,
			`DEVICE_METADATA|localhost: field "default_pfcwd_status": "" is not disable or enable`,
			`DEVICE_METADATA|localhost: field "mac": "02:00" is not a MAC address, like 02:00:00:00:10:00`,
		},
	},
	{
		name:   "port with everything wrong",
		key:    "PORT|Ethernet 0",
		fields: fields{"speed": "fast", "mtu": "9217", "index": "-1", "admin_status": "UP", "fec": "reed", "autoneg": "true", "adv_speeds": "1,x", "pfc_asym": "1"},
		want: []string{
			`PORT|Ethernet 0: key "Ethernet 0": name "Ethernet 0" has " " (only letters, digits and _ - . : / + are allowed)`,
			`PORT|Ethernet 0: field "admin_status": "UP" is not down or up`,
			`PORT|Ethernet 0: field "adv_speeds": "x" is not a whole number (1 to 1600000)`,
			`PORT|Ethernet 0: field "autoneg": "true" is not off or on`,
			`PORT|Ethernet 0: field "fec": "reed" is not none, rs, fc or auto`,
			`PORT|Ethernet 0: field "index": "-1" is out of range (0 to 65535)`,
			`PORT|Ethernet 0: field "lanes": is required`,
			`PORT|Ethernet 0: field "mtu": "9217" is out of range (68 to 9216)`,
			`PORT|Ethernet 0: field "pfc_asym": "1" is not off or on`,
			`PORT|Ethernet 0: field "speed": "fast" is not a whole number (1 to 1600000)`,
		},
	},
	{
		name: "lanes named twice",
		key:  "PORT|Ethernet0", fields: fields{"lanes": "1,2,1"},
		want: []string{`PORT|Ethernet0: field "lanes": lane 1 is there twice`},
	},
	{
		name: "no lanes",
		key:  "PORT|Ethernet0", fields: fields{"lanes": ""},
		want: []string{`PORT|Ethernet0: field "lanes": empty: a port has at least one lane`},
	},
	{
		name: "list that ends in a comma",
		key:  "PORT|Ethernet0", fields: fields{"lanes": "1,"},
		want: []string{`PORT|Ethernet0: field "lanes": "" is not a whole number (0 to 4294967295)`},
	},
	{
		name: "list in two spellings that differ",
		key:  "PORT|Ethernet0", fields: fields{"lanes": "1,2", "lanes@": "3,4"},
		want: []string{`PORT|Ethernet0: field "lanes": is there twice: as "lanes" with "1,2" and as "lanes@" with "3,4"`},
	},
	{
		name: "text that is not UTF-8",
		key:  "PORT|Ethernet0", fields: fields{"lanes": "1", "description": "caf\xe9", "who\xff": "x", "what": "\x80"},
		want: []string{
			`PORT|Ethernet0: field "description": "caf\xe9" is not UTF-8`,
			`PORT|Ethernet0: field "what": "\x80" is not UTF-8`,
			`PORT|Ethernet0: field "who\\xff": the field's name is not UTF-8`,
		},
	},
	{
		name: "lossless traffic of no kind",
		key:  "LOSSLESS_TRAFFIC_PATTERN|AZURE", fields: fields{"mtu": "0", "small_packet_percentage": "101"},
		want: []string{
			`LOSSLESS_TRAFFIC_PATTERN|AZURE: field "mtu": "0" is out of range (1 to 9216)`,
			`LOSSLESS_TRAFFIC_PATTERN|AZURE: field "small_packet_percentage": "101" is out of range (0 to 100)`,
		},
	},
	{
		name: "default lossless parameters without threshold",
		key:  "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", fields: fields{"over_subscribe_ratio": "65536"},
		want: []string{
			`DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE: field "default_dynamic_th": is required`,
			`DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE: field "over_subscribe_ratio": "65536" is out of range (0 to 65535)`,
		},
	},
	{
		name: "cable of no length",
		key:  "CABLE_LENGTH|AZURE", fields: fields{"Ethernet0": "3,4", "Ethernet4": "5", "Ethernet8": "-1m", "Ethernet10": "4294967296m"},
		want: []string{
			`CABLE_LENGTH|AZURE: field "Ethernet0": "3,4" is not a length in whole metres (0m to 4294967295m)`,
			`CABLE_LENGTH|AZURE: field "Ethernet4": "5" is not a length in whole metres (0m to 4294967295m)`,
			`CABLE_LENGTH|AZURE: field "Ethernet8": "-1m" is not a length in whole metres (0m to 4294967295m)`,
			`CABLE_LENGTH|AZURE: field "Ethernet10": "4294967296m" is not a length in whole metres (0m to 4294967295m)`,
		},
	},
	{
		name: "map out of range",
		key:  "DSCP_TO_TC_MAP|AZURE", fields: fields{"64": "1", "3": "16", "4": "", "5": "five", "-1": "0"},
		want: []string{
			`DSCP_TO_TC_MAP|AZURE: field "-1": dscp "-1" is out of range (0 to 63)`,
			`DSCP_TO_TC_MAP|AZURE: field "3": tc "16" is out of range (0 to 15)`,
			`DSCP_TO_TC_MAP|AZURE: field "4": tc "" is not a whole number (0 to 15)`,
			`DSCP_TO_TC_MAP|AZURE: field "5": tc "five" is not a whole number (0 to 15)`,
			`DSCP_TO_TC_MAP|AZURE: field "64": dscp "64" is out of range (0 to 63)`,
		},
	},
	{
		name: "queue and priority out of range",
		key:  "MAP_PFC_PRIORITY_TO_QUEUE|AZURE", fields: fields{"8": "0", "0": "8"},
		want: []string{
			`MAP_PFC_PRIORITY_TO_QUEUE|AZURE: field "0": queue "8" is out of range (0 to 7)`,
			`MAP_PFC_PRIORITY_TO_QUEUE|AZURE: field "8": priority "8" is out of range (0 to 7)`,
		},
	},
	{
		name: "map with one code point in two spellings",
		key:  "DOT1P_TO_TC_MAP|AZURE", fields: fields{"3": "3", "03": "4"},
		want: []string{`DOT1P_TO_TC_MAP|AZURE: field "3": 3 is mapped twice, in two spellings`},
	},
	{
		name: "scheduler out of range",
		key:  "SCHEDULER|s", fields: fields{"type": "PRIORITY", "weight": "0", "meter_type": "bits", "cir": "18446744073709551616"},
		want: []string{
			`SCHEDULER|s: field "cir": "18446744073709551616" is out of range (0 to 18446744073709551615)`,
			`SCHEDULER|s: field "meter_type": "bits" is not bytes or packets`,
			`SCHEDULER|s: field "type": "PRIORITY" is not DWRR, WRR or STRICT`,
			`SCHEDULER|s: field "weight": "0" is out of range (1 to 100)`,
		},
	},
	{
		name: "limit below the guarantee",
		key:  "SCHEDULER|s", fields: fields{"cir": "2", "pir": "1", "cbs": "20", "pbs": "10"},
		want: []string{
			`SCHEDULER|s: field "pbs": 10 is below cbs, 20`,
			`SCHEDULER|s: field "pir": 1 is below cir, 2`,
		},
	},
	{
		name: "WRED minimum over its maximum, in two colours, beside other faults",
		key:  "WRED_PROFILE|w",
		fields: fields{
			"green_min_threshold": "2000", "green_max_threshold": "1000", "red_min_threshold": "2", "red_max_threshold": "1",
			"yellow_min_threshold": "5", "yellow_max_threshold": "x", "green_drop_probability": "101", "ecn": "ecn_blue", "wred_red_enable": "on",
		},
		want: []string{
			`WRED_PROFILE|w: field "ecn": "ecn_blue" is not ecn_none, ecn_green, ecn_yellow, ecn_red, ecn_green_yellow, ecn_green_red, ecn_yellow_red or ecn_all`,
			`WRED_PROFILE|w: field "green_drop_probability": "101" is out of range (0 to 100)`,
			`WRED_PROFILE|w: field "green_min_threshold": 2000 is above green_max_threshold, 1000`,
			`WRED_PROFILE|w: field "red_min_threshold": 2 is above red_max_threshold, 1`,
			`WRED_PROFILE|w: field "wred_red_enable": "on" is not false or true`,
			`WRED_PROFILE|w: field "yellow_max_threshold": "x" is not a whole number (0 to 18446744073709551615)`,
		},
	},
	{
		name: "reference to another table",
		key:  "BUFFER_PG|Ethernet0|3-4", fields: fields{"profile": "[BUFFER_POOL|x]"},
		want: []string{`BUFFER_PG|Ethernet0|3-4: field "profile": "[BUFFER_POOL|x]" is not a row of BUFFER_PROFILE: a reference is the plain name of one, or [BUFFER_PROFILE|NAME]`},
	},
	{
		name: "port that has no index",
		key:  "QUEUE|Ethernet0", fields: fields{},
		want: []string{`QUEUE|Ethernet0: key "Ethernet0": want ports and an index, like Ethernet0|3 or Ethernet0,Ethernet4|3-4`},
	},
	{
		name: "queue above all chips",
		key:  "QUEUE|Ethernet0|256", fields: fields{},
		want: []string{`QUEUE|Ethernet0|256: key "Ethernet0|256": index "256" is out of range (0 to 255)`},
	},
	{
		name: "system port",
		key:  "QUEUE|host|asic0|Ethernet0|1", fields: fields{},
		want: []string{`QUEUE|host|asic0|Ethernet0|1: key "host|asic0|Ethernet0|1" has more than two parts: keys of system ports (host|asic|port|index) are not supported`},
	},
	{
		name: "priority group 8",
		key:  "BUFFER_PG|Ethernet0|7-8", fields: fields{"profile": "x"},
		want: []string{`BUFFER_PG|Ethernet0|7-8: key "Ethernet0|7-8": index "8" is out of range (0 to 7)`},
	},
	{
		name: "range of one",
		key:  "BUFFER_PG|Ethernet0|3-3", fields: fields{"profile": ""},
		want: []string{
			`BUFFER_PG|Ethernet0|3-3: key "Ethernet0|3-3": range "3-3": the first index is not below the last (a single index stands alone)`,
			`BUFFER_PG|Ethernet0|3-3: field "profile": empty: a name in BUFFER_PROFILE is needed; remove the row to have none`,
		},
	},
	{
		name: "queue has no computed headroom",
		key:  "BUFFER_QUEUE|Ethernet0|3", fields: fields{"profile": "NULL"},
		want: []string{`BUFFER_QUEUE|Ethernet0|3: field "profile": "NULL" is not the name of a row of BUFFER_PROFILE`},
	},
	{
		name: "port QoS map",
		key:  "PORT_QOS_MAP|Ethernet0,global", fields: fields{"pfc_enable": "3,8", "tc_to_pg_map": "a|b"},
		want: []string{
			`PORT_QOS_MAP|Ethernet0,global: key "Ethernet0,global": "global" stands alone, not among ports`,
			`PORT_QOS_MAP|Ethernet0,global: field "pfc_enable": "8" is out of range (0 to 7)`,
			`PORT_QOS_MAP|Ethernet0,global: field "tc_to_pg_map": name "a|b" has "|" (any printable letter or sign but | and ~ is allowed)`,
		},
	},
	{
		name: "buffer pool without anything",
		key:  "BUFFER_POOL|p", fields: fields{"NULL": "NULL"},
		want: []string{`BUFFER_POOL|p: field "mode": is required`, `BUFFER_POOL|p: field "type": is required`},
	},
	{
		name: "buffer pool of two sizes",
		key:  "BUFFER_POOL|p", fields: fields{"type": "ingress", "mode": "dynamic", "size": "1", "percentage": "50"},
		want: []string{`BUFFER_POOL|p: field "percentage": is there together with size; only one of them can be meant`},
	},
	{
		name: "buffer profile without a pool",
		key:  "BUFFER_PROFILE|x", fields: fields{"size": "1", "dynamic_th": "9", "sizzle": "1"},
		want: []string{
			`BUFFER_PROFILE|x: field "dynamic_th": "9" is out of range (-8 to 8)`,
			`BUFFER_PROFILE|x: field "pool": is required`,
		},
	},
	{
		name: "buffer profile that contradicts itself",
		key:  "BUFFER_PROFILE|NULL", fields: fields{"pool": "p", "dynamic_th": "1", "static_th": "1"},
		want: []string{
			`BUFFER_PROFILE|NULL: the name is reserved: in BUFFER_PG it asks for computed headroom`,
			`BUFFER_PROFILE|NULL: field "size": is required unless headroom_type is dynamic`,
			`BUFFER_PROFILE|NULL: field "static_th": is there together with dynamic_th; only one of them can be meant`,
		},
	},
	{
		name: "profile list",
		key:  "BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0,,Ethernet0", fields: fields{"profile_list": "a,b,a"},
		want: []string{
			`BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0,,Ethernet0: key "Ethernet0,,Ethernet0": a name is missing`,
			`BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0,,Ethernet0: field "profile_list": a is named twice`,
		},
	},
	{
		name: "no key",
		key:  "SCHEDULER|", fields: fields{},
		want: []string{`SCHEDULER|: key "": a name is missing`},
	},
}
