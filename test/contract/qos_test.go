package contract

import (
	"testing"

	"xon/schema/redisdb"
)

// asic is the key of an object by the name that COUNTERS_DB has for it.
func asic(typ, name string) string { return "ASIC_STATE:SAI_OBJECT_TYPE_" + typ + ":{" + name + "}" }

// TestQoSTools: tools that change how packets are treated.
func TestQoSTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	port := asic("PORT", "port Ethernet0")

	// pfc config priority on Ethernet0 3, then 4, then off 3
	for _, step := range []struct{ enable, mask string }{{"3", "8"}, {"3,4", "24"}, {"4", "16"}} {
		s.set("PORT_QOS_MAP|Ethernet0", redisdb.Fields{"pfc_enable": step.enable})
		s.reads("pfc config priority",
			read{redisdb.ASICDB, port, want{"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": step.mask}},
			read{redisdb.ConfigDB, "PORT_QOS_MAP|Ethernet0", want{"pfc_enable": step.enable}},
		)
	}
	// pfc config asymmetric on Ethernet0, and off
	s.set("PORT|Ethernet0", redisdb.Fields{"pfc_asym": "on"})
	s.reads("pfc config asymmetric on", read{redisdb.ASICDB, port, want{
		"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE": "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_SEPARATE",
		"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_TX":   "16", "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_RX": "255",
	}})
	s.set("PORT|Ethernet0", redisdb.Fields{"pfc_asym": "off"})
	s.reads("pfc config asymmetric off", read{redisdb.ASICDB, port, want{
		"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE": "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_COMBINED", "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": "16",
	}})

	// ecnconfig -p AZURE_LOSSLESS -gmax 3145728 -gmin 2097153: transiently, min > max
	s.set("WRED_PROFILE|AZURE_LOSSLESS", redisdb.Fields{"green_max_threshold": "3145728"})
	s.set("WRED_PROFILE|AZURE_LOSSLESS", redisdb.Fields{"green_min_threshold": "2097153"})
	s.reads("ecnconfig -p", s.object("WRED", "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD", "2097153", want{"SAI_WRED_ATTR_GREEN_MAX_THRESHOLD": "3145728"}))
	// ecnconfig -q 3 on, off: the queue's object has no name in COUNTERS_DB before it is polled.
	s.set("FLEX_COUNTER_TABLE|QUEUE", redisdb.Fields{"FLEX_COUNTER_STATUS": "enable"})
	s.set("QUEUE|Ethernet0|3", redisdb.Fields{"wred_profile": "AZURE_LOSSLESS"})
	s.reads("ecnconfig -q 3 on", read{redisdb.ASICDB, asic("QUEUE", "queue Ethernet0:3"), want{"SAI_QUEUE_ATTR_WRED_PROFILE_ID": "~oid:0x13[0-9a-f]{12}"}})
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) {
		b.Delete("QUEUE|Ethernet0|3")
		b.Set("QUEUE|Ethernet0|3", redisdb.Fields{})
	})
	s.reads("ecnconfig -q 3 off", read{redisdb.ASICDB, asic("QUEUE", "queue Ethernet0:3"), want{"SAI_QUEUE_ATTR_WRED_PROFILE_ID": "oid:0x0"}})
}

// TestWatchdogRows: the rows of the watchdog's tool are kept, and harm nobody.
func TestWatchdogRows(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.set("PORT_QOS_MAP|Ethernet0", redisdb.Fields{"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"})
	s.remove("PFC_WD|Ethernet0")
	s.set("PFC_WD|Ethernet0", redisdb.Fields{"detection_time": "200", "restoration_time": "400", "action": "drop", "pfc_stat_history": "disable"})
	s.set("PFC_WD|GLOBAL", redisdb.Fields{"POLL_INTERVAL": "200"})
	s.set("PFC_WD|GLOBAL", redisdb.Fields{"BIG_RED_SWITCH": "disable"})
	s.set("FLEX_COUNTER_TABLE|PFCWD", redisdb.Fields{"FLEX_COUNTER_STATUS": "enable"})
	s.set("FLEX_COUNTER_TABLE|QUEUE", redisdb.Fields{"FLEX_COUNTER_STATUS": "enable"})
	s.reads("pfcwd show config",
		read{redisdb.ConfigDB, "PFC_WD|Ethernet0", want{"detection_time": "200", "restoration_time": "400", "action": "drop"}},
		read{redisdb.ConfigDB, "PFC_WD|GLOBAL", want{"POLL_INTERVAL": "200"}},
	)
	s.reads("pfcwd show stats",
		read{redisdb.ConfigDB, "PORT_QOS_MAP|Ethernet0", want{"pfc_enable": "3,4"}},
		read{redisdb.CountersDB, "COUNTERS_QUEUE_NAME_MAP", want{"Ethernet0:3": "~oid:0x15[0-9a-f]{12}"}},
	)
	s.reads("pfcwd start_default", read{redisdb.ConfigDB, "DEVICE_METADATA|localhost", want{"default_pfcwd_status": "disable"}})
	s.reads("xonctl status rows",
		read{redisdb.StateDB, "XON_ROW|PORT_QOS_MAP|Ethernet0", want{"state": "applied"}},
		read{redisdb.StateDB, "XON_ROW|PFC_WD|Ethernet0", want{"state": some}},
	)
	// pfcwd stop
	s.remove("PFC_WD|Ethernet0")
	s.reads("pfcwd stop",
		read{redisdb.ConfigDB, "PFC_WD|GLOBAL", want{"POLL_INTERVAL": "200"}},
		read{redisdb.StateDB, "XON_ROW|PFC_WD|Ethernet0", nothing},
		read{redisdb.ASICDB, asic("PORT", "port Ethernet0"), want{"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": "24"}},
	)
}
