package contract

import (
	"testing"

	"xon/schema/redisdb"
)

// TestBufferTools: mmuconfig, buffershow, config buffer, config interface buffer.
func TestBufferTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.reads("config interface buffer", read{redisdb.StateDB, "BUFFER_MAX_PARAM_TABLE|Ethernet0", want{"max_priority_groups": "8", "max_queues": "20"}})
	s.reads("mmuconfig -l",
		read{redisdb.ConfigDB, "BUFFER_POOL|ingress_lossless_pool", want{"size": "12766208", "type": "ingress", "mode": "dynamic"}},
		read{redisdb.ConfigDB, "BUFFER_PROFILE|egress_lossy_profile", want{"pool": "egress_lossy_pool", "dynamic_th": "3"}},
	)
	// What is in force is in APPL_DB, as SONiC's buffermgrd has it there.
	s.reads("redis-cli",
		read{redisdb.ApplDB, "BUFFER_POOL_TABLE:egress_lossy_pool", want{"size": "7326924", "type": "egress", "mode": "dynamic"}},
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:egress_lossy_profile", want{"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"}},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:0", want{"profile": "ingress_lossy_profile"}},
		read{redisdb.ApplDB, "BUFFER_QUEUE_TABLE:Ethernet0:3-4", want{"profile": "egress_lossless_profile"}},
		read{redisdb.CountersDB, "COUNTERS_BUFFER_POOL_NAME_MAP", want{"ingress_lossless_pool": some, "egress_lossless_pool": some, "egress_lossy_pool": some}},
	)
	// mmuconfig -p egress_lossy_profile -a 2; -p egress_lossless_profile -s 12000000; -t trim
	s.set("BUFFER_PROFILE|egress_lossy_profile", redisdb.Fields{"dynamic_th": "2"})
	s.set("BUFFER_PROFILE|egress_lossless_profile", redisdb.Fields{"static_th": "12000000"})
	s.reads("mmuconfig -p",
		s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH", "2", want{"SAI_BUFFER_PROFILE_ATTR_RESERVED_BUFFER_SIZE": "1518"}),
		s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_SHARED_STATIC_TH", "12000000", want{"SAI_BUFFER_PROFILE_ATTR_POOL_ID": "{pool egress_lossless_pool}"}),
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:egress_lossy_profile", want{"dynamic_th": "2"}},
	)
	s.set("BUFFER_PROFILE|egress_lossy_profile", redisdb.Fields{"packet_discard_action": "trim"})
	s.reads("mmuconfig -t trim", s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_PACKET_ADMISSION_FAIL_ACTION",
		"SAI_BUFFER_PROFILE_PACKET_ADMISSION_FAIL_ACTION_DROP_AND_TRIM", want{"SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH": "2"}))
	// config buffer profile add, remove
	s.set("BUFFER_PROFILE|mine", redisdb.Fields{"pool": "ingress_lossless_pool", "xon": "18432", "xoff": "32768", "size": "36864", "dynamic_th": "1"})
	s.set("BUFFER_PG|Ethernet0|5", redisdb.Fields{"profile": "mine"})
	s.reads("config buffer profile add",
		s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_XOFF_TH", "32768", want{"SAI_BUFFER_PROFILE_ATTR_XON_TH": "18432", "SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH": "1"}),
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:mine", want{"xoff": "32768", "xon": "18432"}},
		read{redisdb.ApplStateDB, "BUFFER_PROFILE_TABLE:mine", want{"xoff": "32768"}},
	)
	s.remove("BUFFER_PG|Ethernet0|5", "BUFFER_PROFILE|mine")
	s.reads("config buffer profile remove",
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:mine", nothing},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:5", nothing},
		read{redisdb.StateDB, "XON_ROW|BUFFER_PROFILE|mine", nothing},
	)
}

// TestProducers: rows that come by ProducerStateTable, as from SONiC's buffermgrd.
func TestProducers(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	appl := s.db.DB(redisdb.ApplDB)
	s.set("FLEX_COUNTER_TABLE|PG_DROP", redisdb.Fields{"FLEX_COUNTER_STATUS": "enable"})
	s.write(redisdb.ApplDB, func(b *redisdb.Batch) {
		appl.Stage(b, "BUFFER_PROFILE_TABLE", "theirs", redisdb.Fields{"pool": "ingress_lossless_pool", "xon": "18432", "xoff": "16384", "size": "34816", "dynamic_th": "0"})
		appl.Stage(b, "BUFFER_PG_TABLE", "Ethernet0:6", redisdb.Fields{"profile": "theirs"})
		appl.Stage(b, "BUFFER_PG_TABLE", "Ethernet0:0", redisdb.Fields{"profile": "theirs"}) // CONFIG_DB has one
	})
	s.reads("a producer",
		read{redisdb.ApplDB, "_BUFFER_PG_TABLE:Ethernet0:6", nothing},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:6", want{"profile": "theirs"}},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:0", want{"profile": "ingress_lossy_profile"}},
		read{redisdb.StateDB, "XON_ROW|BUFFER_PG|Ethernet0|6", want{"state": "applied"}},
		read{redisdb.ASICDB, asic("INGRESS_PRIORITY_GROUP", "pg Ethernet0:6"), want{"SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE": "~oid:0x19[0-9a-f]{12}"}},
		read{redisdb.ConfigDB, "BUFFER_PG|Ethernet0|6", nothing},
	)
	s.restart()
	s.write(redisdb.ApplDB, func(b *redisdb.Batch) { appl.Stage(b, "BUFFER_PG_TABLE", "Ethernet0:6", nil) })
	s.reads("a producer",
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:6", nothing},
		read{redisdb.ASICDB, asic("INGRESS_PRIORITY_GROUP", "pg Ethernet0:6"), want{"SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE": "oid:0x0"}},
		read{redisdb.StateDB, "XON_ROW|BUFFER_PROFILE|theirs", want{"state": "applied"}},
	)
}
