package contract

import (
	"os"
	"path/filepath"
	"testing"

	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// The files of the buffer manager on SONiC's virtual switch, in part.
const (
	lookup = `# speed cable size xon xoff threshold xon_offset
40000 5m 56368 18432 55120 -3 2496
40000 40m 56368 18432 55120 -3 2496
100000 5m 56368 18432 55120 -3 2496
`
	chip = `[{"ASIC_TABLE:VS-ASIC": {"cell_size": "128", "pipeline_latency": "18", "mac_phy_delay": "0.8", "peer_response_time": "3.8"}, "OP": "SET"}]`

	zeros = `[
{"BUFFER_POOL_TABLE:ingress_zero_pool": {"mode": "static", "type": "ingress", "size": "0"}, "OP": "SET"},
{"BUFFER_PROFILE_TABLE:ingress_lossy_pg_zero_profile": {"pool": "ingress_zero_pool", "size": "0", "static_th": "0"}, "OP": "SET"},
{"BUFFER_PROFILE_TABLE:ingress_lossy_zero_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
{"BUFFER_PROFILE_TABLE:egress_lossy_zero_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
{"BUFFER_PROFILE_TABLE:egress_lossless_zero_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "0"}, "OP": "SET"},
{"control_fields": {"pgs_to_apply_zero_profile": "0", "ingress_zero_profile": "ingress_lossy_pg_zero_profile"}, "OP": "SET"}
]`
)

// files writes the buffer manager's files, and returns their folder.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"pg_profile_lookup.ini": lookup, "asic_table.json": chip, "zero_profiles.json": zeros} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// TestTraditional: what SONiC's buffermgrd writes to CONFIG_DB itself.
func TestTraditional(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch(), "--buffers", files(t))
	s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": "up"})
	s.set("PORT_QOS_MAP|Ethernet0", redisdb.Fields{"pfc_enable": "2,3,4,6"})
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) { b.SetField("CABLE_LENGTH|AZURE", "Ethernet0", "5m") })
	profile := "pg_lossless_100000_5m_profile"
	fields := want{"pool": "ingress_lossless_pool", "size": "56368", "xon": "18432", "xoff": "55120", "dynamic_th": "-3", "xon_offset": "2496"}
	s.reads("show buffer configuration",
		read{redisdb.ConfigDB, "BUFFER_PROFILE|" + profile, fields},
		read{redisdb.ConfigDB, "BUFFER_PG|Ethernet0|2-4", want{"profile": profile}},
		read{redisdb.ConfigDB, "BUFFER_PG|Ethernet0|6", want{"profile": profile}},
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:" + profile, fields},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:2-4", want{"profile": profile}},
		read{redisdb.ApplStateDB, "BUFFER_PROFILE_TABLE:" + profile, fields},
		s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_XOFF_TH", "55120", want{"SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH": "-3"}),
	)
	// What the tables say of a speed and cable that they have no line for is nothing.
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) { b.SetField("CABLE_LENGTH|AZURE", "Ethernet4", "7m") })
	s.set("PORT_QOS_MAP|Ethernet4", redisdb.Fields{"pfc_enable": "3"})
	s.reads("show buffer configuration", read{redisdb.StateDB, "XON_ROW|PORT_QOS_MAP|Ethernet4", want{"state": "applied"}},
		read{redisdb.ConfigDB, "BUFFER_PG|Ethernet4|3", nothing})
	s.xonctl("restart", "buffers")
	s.reads("show buffer configuration", read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:6", want{"profile": profile}})
}

// dynamic is the virtual switch with the dynamic buffer model.
func dynamic() configdb.RawRows {
	rows := virtualSwitch()
	rows["DEVICE_METADATA|localhost"]["buffer_model"] = "dynamic"
	delete(rows["BUFFER_POOL|ingress_lossless_pool"], "size")
	rows["DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE"] = configdb.Fields{"default_dynamic_th": "0", "over_subscribe_ratio": "0"}
	rows["LOSSLESS_TRAFFIC_PATTERN|AZURE"] = configdb.Fields{"mtu": "1024", "small_packet_percentage": "100"}
	for _, port := range ports() {
		rows["CABLE_LENGTH|AZURE"][port] = "5m"
		rows[configdb.Key("PORT", port)]["admin_status"] = "up"
		rows[configdb.Key("BUFFER_PG", port+"|3-4")] = configdb.Fields{"profile": "NULL"}
	}
	return rows
}

// TestDynamic: what tools read of the dynamic buffer model, and write for it.
func TestDynamic(t *testing.T) {
	t.Parallel()
	s := newSite(t, dynamic(), "--buffers", files(t))
	profile := "pg_lossless_100000_5m_profile"
	pool := want{"type": "ingress", "mode": "dynamic", "size": number}
	fields := want{"pool": "ingress_lossless_pool", "xon": "18432", "xoff": "72704", "size": "91136", "dynamic_th": "0"}
	s.reads("buffershow -l",
		read{redisdb.StateDB, "BUFFER_POOL_TABLE|ingress_lossless_pool", pool},
		read{redisdb.StateDB, "BUFFER_PROFILE_TABLE|" + profile, fields},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:3-4", want{"profile": profile}},
		read{redisdb.ConfigDB, "BUFFER_PROFILE|" + profile, nothing},
		read{redisdb.ConfigDB, "BUFFER_PG|Ethernet0|3-4", want{"profile": "NULL"}},
		read{redisdb.StateDB, "ASIC_TABLE|VS-ASIC", want{"cell_size": "128", "pipeline_latency": "18", "mac_phy_delay": "0.8", "peer_response_time": "3.8"}},
	)
	// config interface buffer priority-group lossless set Ethernet0 3-4 <profile of one's own>
	s.set("BUFFER_PROFILE|mine", redisdb.Fields{"pool": "ingress_lossless_pool", "xon": "18432", "xoff": "20480", "size": "38912", "dynamic_th": "0"})
	s.set("BUFFER_PG|Ethernet0|3-4", redisdb.Fields{"profile": "mine"})
	s.reads("config interface buffer priority-group lossless set", read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:3-4", want{"profile": "mine"}})
	// config interface cable-length Ethernet4 300m
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) { b.SetField("CABLE_LENGTH|AZURE", "Ethernet4", "300m") })
	s.reads("config interface cable-length",
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet4:3-4", want{"profile": "pg_lossless_100000_300m_profile"}},
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:pg_lossless_100000_300m_profile", want{"xoff": "147456", "size": "165888"}},
	)
	// config interface shutdown Ethernet8: what it had goes to the others.
	s.set("PORT|Ethernet8", redisdb.Fields{"admin_status": "down"})
	s.reads("config interface shutdown",
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet8:3-4", nothing},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet8:0", want{"profile": "ingress_lossy_pg_zero_profile"}},
		read{redisdb.ApplDB, "BUFFER_QUEUE_TABLE:Ethernet8:3-4", want{"profile": "egress_lossless_zero_profile"}},
		read{redisdb.ApplDB, "BUFFER_QUEUE_TABLE:Ethernet8:7-19", want{"profile": "egress_lossy_zero_profile"}},
	)
	// config buffer shared-headroom-pool over-subscribe-ratio 2
	s.set("DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", redisdb.Fields{"over_subscribe_ratio": "2"})
	s.reads("config buffer shared-headroom-pool over-subscribe-ratio",
		read{redisdb.ApplDB, "BUFFER_POOL_TABLE:ingress_lossless_pool", want{"xoff": "~[1-9][0-9]*"}},
		read{redisdb.ApplStateDB, "BUFFER_POOL_TABLE:ingress_lossless_pool", want{"xoff": "~[1-9][0-9]*"}},
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:pg_lossless_100000_300m_profile", want{"size": "18432"}},
	)
	s.set("DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", redisdb.Fields{"over_subscribe_ratio": "0"})
	s.reads("config buffer shared-headroom-pool over-subscribe-ratio",
		read{redisdb.ApplDB, "BUFFER_POOL_TABLE:ingress_lossless_pool", want{"xoff": "0"}},
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:pg_lossless_100000_300m_profile", want{"size": "165888"}},
	)
}
