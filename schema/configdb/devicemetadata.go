package configdb

import (
	"fmt"
	"net"
)

// DeviceMetadata is the row DEVICE_METADATA|localhost, as far as it concerns xon.
//
// Source: sonic-device_metadata.yang.
type DeviceMetadata struct {
	ID          RowKey
	Hostname    string
	HWSKU       string
	Platform    string
	Type        string
	MAC         string
	SwitchType  string
	BufferModel string // Traditional (default) or Dynamic
	// CreateOnlyConfigDBBuffers limits counters to configured queues and priority groups.
	CreateOnlyConfigDBBuffers bool
	DefaultPFCWDStatus        string // "enable" or "disable" (default)
	// Passive are the fields that xon does not act on, by name without "@"; nil if
	// there are none.
	Passive Fields
}

// RowKey implements Row.
func (r *DeviceMetadata) RowKey() RowKey { return r.ID }

// Traditional is the buffer model that looks headroom up; the other is Dynamic.
const Traditional = "traditional"

// localhost is the only key of DEVICE_METADATA that concerns xon.
const localhost = "localhost"

var deviceMetadataTable = define(Table{
	Name:   "DEVICE_METADATA",
	Doc:    "What the switch is. One row.",
	Key:    localhost,
	Source: "sonic-device_metadata.yang",
}, &spec[DeviceMetadata, *DeviceMetadata]{
	key:     onlyKey[DeviceMetadata](localhost),
	id:      func(r *DeviceMetadata) *RowKey { return &r.ID },
	columns: deviceMetadataColumns,
	at:      func(c *Config) *map[string]*DeviceMetadata { return &c.DeviceMetadata },
})

var deviceMetadataColumns = append([]column[DeviceMetadata]{
	text(Field{Name: "hostname", Example: "leaf1", Doc: "The switch's name."},
		func(r *DeviceMetadata) *string { return &r.Hostname }),
	text(Field{Name: "hwsku", Example: "Force10-S6000", Doc: "The model with its port layout."},
		func(r *DeviceMetadata) *string { return &r.HWSKU }),
	text(Field{Name: "platform", Example: "x86_64-dell_s6000_s1220-r0", Doc: "The hardware platform; the virtual chip is chosen by it."},
		func(r *DeviceMetadata) *string { return &r.Platform }),
	text(Field{Name: "type", Example: "LeafRouter", Doc: "The switch's place in the network."},
		func(r *DeviceMetadata) *string { return &r.Type }),
	checked(Field{Name: "mac", Type: MAC, Range: "six octets in hexadecimal", Example: "02:00:00:00:10:00", Doc: "The switch's own MAC address."},
		checkMAC, func(r *DeviceMetadata) *string { return &r.MAC }),
	text(Field{Name: "switch_type", Example: "switch", Doc: "The kind of system that the chip is part of."},
		func(r *DeviceMetadata) *string { return &r.SwitchType }),
	choice(Field{Name: "buffer_model", Default: Traditional, Example: Dynamic, Doc: "How headroom and pools are made: looked up by speed and cable, or computed."},
		func(r *DeviceMetadata) *string { return &r.BufferModel }, Traditional, Dynamic),
	boolean(Field{Name: "create_only_config_db_buffers", Default: "false", Example: "true", Doc: "Count only at queues and priority groups that have a buffer row."},
		func(r *DeviceMetadata) *bool { return &r.CreateOnlyConfigDBBuffers }),
	choice(Field{Name: "default_pfcwd_status", Default: "disable", Example: "enable", Doc: "Whether the PFC watchdog is started with its default times."},
		func(r *DeviceMetadata) *string { return &r.DefaultPFCWDStatus }, "disable", "enable"),
}, passive(func(r *DeviceMetadata) *Fields { return &r.Passive },
	"anchor_route_source@", "asic_id", "asic_name", "bgp_adv_lo_prefix_as_128", "bgp_asn", "bgp_router_id",
	"chassis_hostname", "cloudtype", "cluster", "default_bgp_status", "deployment_id", "dhcp_server",
	"docker_routing_config_mode", "downstream_subrole", "dpu_auto_recovery", "frr_mgmt_framework_config",
	"has_sonic_dhcpv4_relay", "location_type", "max_cores", "mgmt_type", "nexthop_group",
	"orch_northbond_dash_zmq_enabled", "peer_switch", "rack_mgmt_map", "region", "resource_type",
	"ring_thread_enabled", "slice_type", "storage_device", "sub_role", "subtype",
	"supporting_bulk_counter_groups@", "suppress-fib-pending", "switch_id", "synchronous_mode",
	"syslog_counter", "syslog_with_osversion", "t2_group_asns@", "timezone",
	"use_template_render_for_restore", "yang_config_validation", "zebra_nexthop",
)...)

func checkMAC(s string) error {
	if mac, err := net.ParseMAC(s); err != nil || len(mac) != 6 {
		return fmt.Errorf("%s is not a MAC address, like 02:00:00:00:10:00", quote(s))
	}
	return nil
}
