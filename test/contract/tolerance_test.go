package contract

import (
	"fmt"
	"strings"
	"testing"

	"xon/schema/appldb"
	"xon/schema/redisdb"
)

// tables are all tables that the agent takes rows of.
var tables = []string{
	"PORT", "PORT_QOS_MAP", "QUEUE", "SCHEDULER", "WRED_PROFILE",
	"DSCP_TO_TC_MAP", "DOT1P_TO_TC_MAP", "MPLS_TC_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "TC_TO_DSCP_MAP", "TC_TO_DOT1P_MAP", "DSCP_TO_FC_MAP", "EXP_TO_FC_MAP",
	"BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_QUEUE", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST",
	"CABLE_LENGTH", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN", "DEVICE_METADATA",
	"FLEX_COUNTER_TABLE", "WATERMARK_TABLE", "SWITCH_HASH", "SWITCH_TRIMMING", "PFC_WD", "CABLE_LEN",
}

// TestTolerance: what tests and other programs leave behind spoils itself only, table by
// table: rows of it that are in force stay so, and the agent goes on.
func TestTolerance(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	before := s.fates()
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) {
		for _, table := range tables {
			b.Set(table+"|", redisdb.Fields{"x": "y"})
			b.Set(table+"|no such thing|\x00\xff|7-3", redisdb.Fields{"profile": "[BUFFER_PROFILE|x]", "": ""})
			b.Set(table+"|junk", redisdb.Fields{"size": "-1", "type": "none", "pool": "", "speed": "1e9", "0": strings.Repeat("9", 400), "FLEX_COUNTER_STATUS": "perhaps"})
			b.SetText(table+"|text", "not a row")
		}
		b.Set("PFC_WD|Ethernet9999", redisdb.Fields{"detection_time": "-5", "action": "dance"})
		b.SetField("CABLE_LENGTH|AZURE", "Ethernet0", "3,4")
		b.DeleteFields("PFC_WD|GLOBAL", "BIG_RED_SWITCH")
		b.Delete("PORT_QOS_MAP|Ethernet0")
		b.SetField("FLEX_COUNTER_TABLE|PORT", "POLL_INTERVAL", "soon")
	})
	s.write(redisdb.ApplDB, func(b *redisdb.Batch) {
		appl := s.db.DB(redisdb.ApplDB)
		for _, table := range appldb.Inputs() {
			appl.Stage(b, table, "no such thing:7-3", redisdb.Fields{"profile": "[x]"})
			appl.Stage(b, table, "", redisdb.Fields{"size": "-1"})
			b.SetText("_"+table+":text", "not a row")
		}
		b.Set("PFC_WD_TABLE:junk", redisdb.Fields{"x": "y"})
		b.SetText("BUFFER_PG_TABLE_DEL_SET", "not a set")
	})
	// A port's own rows still take effect, after all of that.
	s.set("PORT_QOS_MAP|Ethernet4", redisdb.Fields{"pfc_enable": "3,4"})
	s.reads("pfc config priority", read{redisdb.ASICDB, asic("PORT", "port Ethernet4"), want{"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": "24"}})
	s.reads("xonctl status rows", read{redisdb.StateDB, "XON_ROW|PORT_QOS_MAP|Ethernet4", want{"state": "applied"}})
	after := s.fates()
	for row, state := range before {
		if row == "XON_ROW|CABLE_LENGTH|AZURE" { // is itself bad now
			continue
		}
		if after[row] != state {
			t.Errorf("%s was %s and is %q", row, state, after[row])
		}
	}
	for _, table := range tables[:len(tables)-2] {
		if state := after["XON_ROW|"+table+"|text"]; state != "refused" && state != "ignored" {
			t.Errorf("%s|text is %q", table, state)
		}
	}
	s.restart()
	s.reads("xonctl status rows", read{redisdb.StateDB, "XON_ROW|PORT_QOS_MAP|Ethernet4", want{"state": "applied"}})
	if out := s.xonctl("status"); !strings.Contains(out, "refused") {
		t.Errorf("xonctl status:\n%s", out)
	}
}

// fates are the states of all rows.
func (s *site) fates() map[string]string {
	s.Helper()
	rows, err := s.db.DB(redisdb.StateDB).All(s.Context(), redisdb.StateDB.Pattern("XON_ROW"))
	must(s, err)
	states := map[string]string{}
	for key, f := range rows {
		states[key] = f["state"]
	}
	return states
}

// cleared are the tables that config qos clear empties, in its order.
var cleared = []string{
	"PORT_QOS_MAP", "QUEUE", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "TC_TO_QUEUE_MAP", "DSCP_TO_TC_MAP", "MPLS_TC_TO_TC_MAP",
	"SCHEDULER", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "WRED_PROFILE", "CABLE_LENGTH", "BUFFER_PG", "BUFFER_QUEUE",
	"BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PROFILE", "BUFFER_POOL",
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN",
}

// TestQoSClear: config qos clear removes rows and waits until APPL_DB has none either,
// and config qos reload brings them back.
func TestQoSClear(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	census, _ := s.objects()
	config := s.db.DB(redisdb.ConfigDB)
	saved := map[string]redisdb.Fields{}
	for _, table := range cleared {
		rows, err := config.All(t.Context(), redisdb.ConfigDB.Pattern(table))
		must(t, err)
		for key, f := range rows {
			saved[key] = f
			s.remove(key)
		}
	}
	s.eventually("config qos clear waits for APPL_DB", func() error {
		for _, pattern := range []string{"BUFFER_*_TABLE:*", "BUFFER_*_SET"} {
			if keys, err := s.db.DB(redisdb.ApplDB).Keys(t.Context(), pattern); err != nil || len(keys) > 0 {
				return fmt.Errorf("%d keys %s are left (%w), such as %v", len(keys), pattern, err, keys[:min(1, len(keys))])
			}
		}
		return nil
	})
	s.reads("xonctl status", read{redisdb.CountersDB, "COUNTERS_BUFFER_POOL_NAME_MAP", nothing})
	if left, _ := s.objects(); left["BUFFER_PROFILE"]+left["BUFFER_POOL"]+left["QOS_MAP"]+left["SCHEDULER"]+left["WRED"] > 0 {
		t.Errorf("objects are left: %v", left)
	}
	for key, f := range saved {
		s.set(key, f)
	}
	s.eventually("config qos reload", func() error {
		if again, _ := s.objects(); fmt.Sprint(again) != fmt.Sprint(census) {
			return fmt.Errorf("objects are %v, were %v", again, census)
		}
		return nil
	})
}
