package contract

import (
	"testing"

	"xon/schema/redisdb"
)

// TestSwitchTools: config and show switch-hash, switch-trimming.
func TestSwitchTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.reads("show switch-hash capabilities", read{redisdb.StateDB, "SWITCH_CAPABILITY|switch", want{
		"HASH|NATIVE_HASH_FIELD_LIST": "~([A-Z0-9_]+)(,[A-Z0-9_]+)*", "ECMP_HASH_CAPABLE": "true", "LAG_HASH_CAPABLE": "true",
		"ECMP_HASH_ALGORITHM": "~.*CRC.*", "ECMP_HASH_ALGORITHM_CAPABLE": "true", "LAG_HASH_ALGORITHM": "~.*CRC.*", "LAG_HASH_ALGORITHM_CAPABLE": "true",
	}})
	s.reads("show switch-trimming capabilities", read{redisdb.StateDB, "SWITCH_CAPABILITY|switch", want{
		"SWITCH_TRIMMING_CAPABLE": "true", "SWITCH|PACKET_TRIMMING_DSCP_RESOLUTION_MODE": some, "SWITCH|PACKET_TRIMMING_QUEUE_RESOLUTION_MODE": some,
		"SWITCH|NUMBER_OF_TRAFFIC_CLASSES": number, "SWITCH|NUMBER_OF_UNICAST_QUEUES": number,
	}})
	s.set("SWITCH_HASH|GLOBAL", redisdb.Fields{"ecmp_hash@": "DST_IP,SRC_IP,L4_DST_PORT", "lag_hash@": "DST_MAC,SRC_MAC", "ecmp_hash_algorithm": "CRC_CCITT", "lag_hash_algorithm": "XOR"})
	s.reads("config switch-hash global",
		// Fields are in the order of SAI, whatever that of the row.
		s.object("HASH", "SAI_HASH_ATTR_NATIVE_HASH_FIELD_LIST", "3:SAI_NATIVE_HASH_FIELD_SRC_IP,SAI_NATIVE_HASH_FIELD_DST_IP,SAI_NATIVE_HASH_FIELD_L4_DST_PORT", want{"NULL": gone}),
		s.object("HASH", "SAI_HASH_ATTR_NATIVE_HASH_FIELD_LIST", "2:SAI_NATIVE_HASH_FIELD_SRC_MAC,SAI_NATIVE_HASH_FIELD_DST_MAC", want{"NULL": gone}),
		s.object("SWITCH", "SAI_SWITCH_ATTR_LAG_DEFAULT_HASH_ALGORITHM", "SAI_HASH_ALGORITHM_XOR", want{"SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_ALGORITHM": "SAI_HASH_ALGORITHM_CRC_CCITT"}),
	)
	s.set("SWITCH_TRIMMING|GLOBAL", redisdb.Fields{"size": "200", "dscp_value": "10", "queue_index": "2"})
	s.reads("config switch-trimming global", s.object("SWITCH", "SAI_SWITCH_ATTR_PACKET_TRIM_SIZE", "200", want{
		"SAI_SWITCH_ATTR_PACKET_TRIM_DSCP_VALUE": "10", "SAI_SWITCH_ATTR_PACKET_TRIM_QUEUE_INDEX": "2",
	}))
	// swssconfig writes this one, with ProducerStateTable.
	s.write(redisdb.ApplDB, func(b *redisdb.Batch) {
		s.db.DB(redisdb.ApplDB).Stage(b, "SWITCH_TABLE", "switch", redisdb.Fields{"ecmp_hash_seed": "10", "lag_hash_seed": "11", "fdb_aging_time": "600", "ecmp_hash_offset": "3"})
	})
	s.reads("swssconfig switch.json",
		s.object("SWITCH", "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_SEED", "10", want{
			"SAI_SWITCH_ATTR_LAG_DEFAULT_HASH_SEED": "11", "SAI_SWITCH_ATTR_FDB_AGING_TIME": "600", "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_OFFSET": "3",
		}),
		read{redisdb.ApplDB, "SWITCH_TABLE:switch", want{"ecmp_hash_seed": "10"}},
		read{redisdb.ApplDB, "_SWITCH_TABLE:switch", nothing},
	)
}
