package configdb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

// TestIdle: what SONiC acts on and xon does not is said, unless it asks for what xon does
// anyway; what is for people or for other programs is not.
func TestIdle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key    configdb.RowKey
		fields configdb.Fields
		want   []string
	}{
		{"PORT|Ethernet0", fields{"lanes": "1", "description": "x", "subport": "0", "tpid": "0x8100", "link_training": "off", "dhcp_rate_limit": "0"}, nil},
		{"PORT|Ethernet0", fields{"lanes": "1", "dhcp_rate_limit": "300", "macsec": "p"}, []string{"dhcp_rate_limit: xon does not act on it", "macsec: xon does not act on it"}},
		{"FLEX_COUNTER_TABLE|RIF", fields{"FLEX_COUNTER_STATUS": "enable"}, []string{": xon reads no statistics of the group RIF"}},
		{"FLEX_COUNTER_TABLE|FLOW_CNT_TRAP", fields{"FLEX_COUNTER_STATUS": "enable"}, []string{": xon reads no statistics of the group FLOW_CNT_TRAP"}},
		{"FLEX_COUNTER_TABLE|ACL", fields{"FLEX_COUNTER_STATUS": "disable"}, nil},
		{"FLEX_COUNTER_TABLE|PORT", fields{"FLEX_COUNTER_STATUS": "enable", "FLEX_COUNTER_DELAY_STATUS": "false"}, nil},
		{"FLEX_COUNTER_TABLE|PORT", fields{"FLEX_COUNTER_DELAY_STATUS": "true"}, []string{"FLEX_COUNTER_DELAY_STATUS: xon does not act on it"}},
		{"FLEX_COUNTER_TABLE|PORT_RATES", fields{"BULK_CHUNK_SIZE": "8"}, []string{"BULK_CHUNK_SIZE: rates are worked out of the statistics of the group PORT, and nothing is read for them"}},
		{"FLEX_COUNTER_TABLE|SWITCH", fields{"FLEX_COUNTER_STATUS": "enable", "BULK_CHUNK_SIZE": "1"}, []string{"BULK_CHUNK_SIZE: the switch is one object, and is read with one call"}},
		{"FLEX_COUNTER_TABLE|SWITCH", fields{"FLEX_COUNTER_STATUS": "enable", "BULK_CHUNK_SIZE": "0"}, nil},
		{"INTERFACE|Ethernet0", fields{"proxy_arp": "enabled", "mpls": "disable"}, []string{"proxy_arp: xon does not act on it"}},
		{"LOOPBACK_INTERFACE|Loopback0", fields{"mac_addr": "02:00:00:00:00:01"}, []string{"mac_addr: a loopback interface sends nothing"}},
		{"VLAN|Vlan100", fields{"dhcp_servers@": "10.0.0.1", "admin_status": "down"}, []string{"admin_status: xon does not act on it"}},
		{"STATIC_ROUTE|10.0.0.0/8", fields{"nexthop": "10.1.0.1", "bfd": "true", "advertise": "true"}, []string{"bfd: xon does not act on it"}},
		{"SWITCH_TABLE|switch", fields{"vxlan_port": "4789"}, []string{"vxlan_port: xon does not act on it"}},
		{"DEVICE_METADATA|localhost", fields{"bgp_asn": "65100", "hostname": "leaf1"}, nil},
	} {
		row, _, err := configdb.Parse(tt.key, tt.fields)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, f := range configdb.Idle(row, tt.fields) {
			got = append(got, f.Field+": "+f.Err.Error())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.key, diff)
		}
	}
}

// TestPassive: a passive field is either for people and other programs, or xon is unlike
// SONiC in it and says so: whoever adds one has to decide.
func TestPassive(t *testing.T) {
	t.Parallel()
	others := map[string]string{
		"PORT":               "asic_port_name core_id core_port_id description dom_polling laser_freq mode mux_cable role subport tx_power",
		"INTERFACE":          "family scope secondary",
		"VLAN_INTERFACE":     "family scope secondary",
		"LOOPBACK_INTERFACE": "family scope secondary",
		"VLAN":               "alias description dhcp_servers dhcpv6_servers host_ifname members",
		"STATIC_ROUTE":       "advertise",
	}
	for _, table := range configdb.Tables() {
		if table.Name == "DEVICE_METADATA" { // of the box, for all its programs
			continue
		}
		var names []string
		for _, f := range table.Fields {
			if f.Passive && !f.Unlike {
				names = append(names, f.Name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != others[table.Name] {
			t.Errorf("%s has the passive fields %s", table.Name, got)
		}
	}
}
