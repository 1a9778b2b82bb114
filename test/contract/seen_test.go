package contract

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xon/schema/redisdb"
)

// TestAskedFor: tests look in ASIC_DB for what a row asks for, and find it also where the
// switch had it so before.
func TestAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.set("SWITCH_HASH|GLOBAL", redisdb.Fields{"ecmp_hash_algorithm": "CRC", "lag_hash_algorithm": "CRC"})
	s.set("SWITCH_TRIMMING|GLOBAL", redisdb.Fields{"size": "128", "dscp_value": "0", "queue_index": "0"})
	s.set("PORT|Ethernet0", redisdb.Fields{"fec": "none", "autoneg": "off", "link_training": "off", "tpid": "0x8100"})
	s.set("BUFFER_PROFILE|egress_lossy_profile", redisdb.Fields{"packet_discard_action": "drop"})
	rows := []read{
		s.object("SWITCH", "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_ALGORITHM", "SAI_HASH_ALGORITHM_CRC", want{
			"SAI_SWITCH_ATTR_LAG_DEFAULT_HASH_ALGORITHM":        "SAI_HASH_ALGORITHM_CRC",
			"SAI_SWITCH_ATTR_PACKET_TRIM_SIZE":                  "128",
			"SAI_SWITCH_ATTR_PACKET_TRIM_DSCP_RESOLUTION_MODE":  "SAI_PACKET_TRIM_DSCP_RESOLUTION_MODE_DSCP_VALUE",
			"SAI_SWITCH_ATTR_PACKET_TRIM_QUEUE_RESOLUTION_MODE": "SAI_PACKET_TRIM_QUEUE_RESOLUTION_MODE_STATIC",
			"SAI_SWITCH_ATTR_PACKET_TRIM_DSCP_VALUE":            "0",
			"SAI_SWITCH_ATTR_PACKET_TRIM_QUEUE_INDEX":           "0",
			"SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_SEED":            gone,
		}),
		{redisdb.ASICDB, asic("PORT", "port Ethernet0"), want{
			"SAI_PORT_ATTR_FEC_MODE": "SAI_PORT_FEC_MODE_NONE", "SAI_PORT_ATTR_AUTO_NEG_MODE": "false", "SAI_PORT_ATTR_LINK_TRAINING_ENABLE": "false",
			"SAI_PORT_ATTR_TPID": "33024", "SAI_PORT_ATTR_SPEED": "100000",
		}},
		{redisdb.ASICDB, asic("PORT", "port Ethernet4"), want{"SAI_PORT_ATTR_FEC_MODE": gone, "SAI_PORT_ATTR_TPID": gone, "SAI_PORT_ATTR_ADMIN_STATE": gone}},
		s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_PACKET_ADMISSION_FAIL_ACTION", "SAI_BUFFER_PROFILE_PACKET_ADMISSION_FAIL_ACTION_DROP", want{}),
		{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{"tpid": "0x8100", "link_training": "off"}},
	}
	s.reads("SONiC's tests", rows...)
	s.set("PORT|Ethernet0", redisdb.Fields{"tpid": "0x9100"})
	s.reads("config interface tpid", read{redisdb.ASICDB, asic("PORT", "port Ethernet0"), want{"SAI_PORT_ATTR_TPID": "37120"}})
	s.set("PORT|Ethernet0", redisdb.Fields{"tpid": "0x8100"})
	s.reads("SONiC's tests, after another value", rows...)
}

// TestWholeRows: a row that somebody removed is whole with its next event.
func TestWholeRows(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.write(redisdb.ApplDB, func(b *redisdb.Batch) { b.Delete("PORT_TABLE:Ethernet0", "BUFFER_PROFILE_TABLE:egress_lossy_profile") })
	s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": "up"})
	s.set("BUFFER_PROFILE|egress_lossy_profile", redisdb.Fields{"size": "2048"})
	s.reads("pfcstat",
		read{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{
			"lanes": "25,26,27,28", "alias": "fortyGigE0/0", "speed": "100000", "mtu": "9100", "admin_status": "up", "oper_status": "up",
		}},
		read{redisdb.ApplDB, "BUFFER_PROFILE_TABLE:egress_lossy_profile", want{"pool": "egress_lossy_pool", "size": "2048", "dynamic_th": "3"}},
	)
}

// TestWithoutEffect: what nothing comes of is applied with a warning.
func TestWithoutEffect(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	for _, group := range []string{"RIF", "FLOW_CNT_TRAP"} {
		s.set("FLEX_COUNTER_TABLE|"+group, redisdb.Fields{"FLEX_COUNTER_STATUS": "enable"})
		s.reads("counterpoll show", read{redisdb.StateDB, "XON_ROW|FLEX_COUNTER_TABLE|" + group, want{"state": "applied", "warnings": "~.*xon reads no statistics of the group " + group + ".*"}})
	}
	s.set("PORT|Ethernet0", redisdb.Fields{"dhcp_rate_limit": "300"})
	s.reads("config interface dhcp-mitigation-rate", read{redisdb.StateDB, "XON_ROW|PORT|Ethernet0", want{"state": "applied", "warnings": "~.*dhcp_rate_limit.* has no effect.*"}})
}

// TestPortMaxParameter: a limit that a test writes to STATE_DB bounds what the priority groups
// of a port may reserve, as in SONiC's test of the same name: 4096 + 18432 + 20480 bytes,
// 18432 of the lossy group, and those of the lossless ones.
func TestPortMaxParameter(t *testing.T) {
	t.Parallel()
	rows := dynamic()
	delete(rows, "BUFFER_PG|Ethernet0|3-4")
	s := newSite(t, rows, "--buffers", files(t))
	limit := func(bytes string) {
		s.write(redisdb.StateDB, func(b *redisdb.Batch) { b.SetField("BUFFER_MAX_PARAM_TABLE|Ethernet0", "max_headroom_size", bytes) })
	}
	limit("122880")
	s.eventually("the limit is taken up", func() error {
		if out := s.xonctl("explain", "headroom", "Ethernet0"); !strings.Contains(out, "122880") {
			return errors.New(out)
		}
		return nil
	})
	s.set("BUFFER_PROFILE|test", redisdb.Fields{"pool": "ingress_lossless_pool", "xon": "18432", "xoff": "11264", "size": "29696", "dynamic_th": "0"})
	s.set("BUFFER_PG|Ethernet0|3-4", redisdb.Fields{"profile": "test"})
	s.reads("the buffer manager", read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:3-4", want{"profile": "test"}})
	s.set("BUFFER_PG|Ethernet0|6", redisdb.Fields{"profile": "test"})
	s.reads("the buffer manager",
		read{redisdb.StateDB, "XON_ROW|BUFFER_PG|Ethernet0|6", want{"state": "refused"}},
		read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:6", nothing},
		read{redisdb.StateDB, "BUFFER_MAX_PARAM_TABLE|Ethernet0", want{"max_headroom_size": "122880", "max_priority_groups": "8", "max_queues": "20"}},
	)
	s.eventually("the log names the row", func() error {
		log, err := os.ReadFile(filepath.Join(s.dir, "xond.log"))
		if err == nil && !strings.Contains(string(log), "Failed to process invalid entry, drop it") {
			err = errors.New("no line")
		}
		return err
	})
	limit("200000")
	s.reads("the buffer manager", read{redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:6", want{"profile": "test"}})
}
