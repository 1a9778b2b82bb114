package contract

import (
	"errors"
	"fmt"
	"testing"

	"xon/orchagent/vstest"
	"xon/schema/redisdb"
)

// groups are the counter groups: what counterpoll calls them, how often they are polled
// unless told otherwise, and how.
var groups = []struct{ key, group, interval, mode string }{
	{"PORT", "PORT_STAT_COUNTER", "1000", "STATS_MODE_READ"},
	{"PORT_BUFFER_DROP", "PORT_BUFFER_DROP_STAT", "60000", "STATS_MODE_READ"},
	{"QUEUE", "QUEUE_STAT_COUNTER", "10000", "STATS_MODE_READ"},
	{"QUEUE_WATERMARK", "QUEUE_WATERMARK_STAT_COUNTER", "60000", "STATS_MODE_READ_AND_CLEAR"},
	{"PG_WATERMARK", "PG_WATERMARK_STAT_COUNTER", "60000", "STATS_MODE_READ_AND_CLEAR"},
	{"PG_DROP", "PG_DROP_STAT_COUNTER", "10000", "STATS_MODE_READ"},
	{"BUFFER_POOL_WATERMARK", "BUFFER_POOL_WATERMARK_STAT_COUNTER", "60000", "STATS_MODE_READ_AND_CLEAR"},
	{"WRED_ECN_QUEUE", "WRED_ECN_QUEUE_STAT_COUNTER", "10000", "STATS_MODE_READ"},
	{"WRED_ECN_PORT", "WRED_ECN_PORT_STAT_COUNTER", "1000", "STATS_MODE_READ"},
	{"SWITCH", "SWITCH_STAT_COUNTER", "60000", "STATS_MODE_READ"},
}

// poll enables a group, soon.
func (s *site) poll(groups ...string) {
	s.Helper()
	for _, g := range groups {
		s.set("FLEX_COUNTER_TABLE|"+g, redisdb.Fields{"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "100"})
	}
}

// inject gives counters values, as SONiC's tests of its virtual switch do: the object by
// its name in COUNTERS_DB, then counters and values.
func (s *site) inject(name string, values ...redisdb.FieldValue) {
	s.Helper()
	s.eventually("give counters to "+name, func() error {
		id, err := s.resolve(name)
		if err != nil {
			return err
		}
		f, err := s.row(redisdb.ASICDB, "VIDTORID")
		if err != nil || f[id] == "" {
			return fmt.Errorf("VIDTORID has no %s (%w)", id, err)
		}
		heard, err := s.db.Notify(s.Context(), vstest.Channel, redisdb.Notification{Op: "set_stats", Data: f[id], Values: values})
		if err == nil && heard == 0 {
			err = errors.New("nobody listens")
		}
		return err
	})
}

// TestCounterpoll: groups and what is polled in them.
func TestCounterpoll(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	for _, g := range groups {
		s.reads("counterpoll show", read{redisdb.FlexCounterDB, "FLEX_COUNTER_GROUP_TABLE:" + g.group, want{"POLL_INTERVAL": g.interval, "STATS_MODE": g.mode}})
	}
	s.reads("sonic-swss' tests", read{redisdb.CountersDB, "COUNTERS_PORT_NAME_MAP", want{"Ethernet0": some, "Ethernet124": some}})
	for _, table := range []string{"COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PG_NAME_MAP"} {
		s.reads("sonic-swss' tests", read{redisdb.CountersDB, table, nothing}) // nobody has asked
	}
	if keys, err := s.db.DB(redisdb.FlexCounterDB).Keys(t.Context(), "FLEX_COUNTER_TABLE:*"); len(keys) > 0 || err != nil {
		t.Errorf("%d objects are polled that nobody asked for, %v, such as %v", len(keys), err, keys[:min(1, len(keys))])
	}
	s.poll("QUEUE")
	s.reads("counterpoll queue enable",
		read{redisdb.FlexCounterDB, "FLEX_COUNTER_GROUP_TABLE:QUEUE_STAT_COUNTER", want{"POLL_INTERVAL": "100", "FLEX_COUNTER_STATUS": "enable"}},
		read{redisdb.FlexCounterDB, "FLEX_COUNTER_TABLE:QUEUE_STAT_COUNTER:{queue Ethernet0:3}", want{"QUEUE_COUNTER_ID_LIST": "~.*SAI_QUEUE_STAT_DROPPED_PACKETS.*"}},
		read{redisdb.CountersDB, "COUNTERS_QUEUE_INDEX_MAP", want{"{queue Ethernet0:13}": "13"}},
		read{redisdb.CountersDB, "COUNTERS_QUEUE_TYPE_MAP", want{"{queue Ethernet0:3}": "SAI_QUEUE_TYPE_UNICAST", "{queue Ethernet0:13}": "SAI_QUEUE_TYPE_MULTICAST"}},
		read{redisdb.CountersDB, "COUNTERS_QUEUE_PORT_MAP", want{"{queue Ethernet0:3}": "{port Ethernet0}"}},
		read{redisdb.CountersDB, "COUNTERS_PG_NAME_MAP", nothing},
	)
	s.set("FLEX_COUNTER_TABLE|QUEUE", redisdb.Fields{"POLL_INTERVAL": "1500"})
	s.reads("counterpoll queue interval", read{redisdb.FlexCounterDB, "FLEX_COUNTER_GROUP_TABLE:QUEUE_STAT_COUNTER", want{"POLL_INTERVAL": "1500"}})
	s.set("FLEX_COUNTER_TABLE|QUEUE", redisdb.Fields{"FLEX_COUNTER_STATUS": "disable"})
	s.reads("counterpoll queue disable",
		read{redisdb.FlexCounterDB, "FLEX_COUNTER_GROUP_TABLE:QUEUE_STAT_COUNTER", want{"FLEX_COUNTER_STATUS": "disable"}},
		read{redisdb.CountersDB, "COUNTERS_QUEUE_NAME_MAP", want{"Ethernet0:3": some}}, // names stay
	)
}

// TestCounterTools: tools that show counters.
func TestCounterTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.poll("PORT", "QUEUE", "PG_DROP", "WRED_ECN_QUEUE", "WRED_ECN_PORT", "PORT_BUFFER_DROP")
	s.inject("{port Ethernet0}",
		redisdb.FieldValue{Field: "SAI_PORT_STAT_PFC_3_RX_PKTS", Value: "17"}, redisdb.FieldValue{Field: "SAI_PORT_STAT_PFC_4_TX_PKTS", Value: "18"},
		redisdb.FieldValue{Field: "SAI_PORT_STAT_IF_IN_OCTETS", Value: "1000000000000"})
	s.inject("{queue Ethernet0:3}",
		redisdb.FieldValue{Field: "SAI_QUEUE_STAT_PACKETS", Value: "100"}, redisdb.FieldValue{Field: "SAI_QUEUE_STAT_DROPPED_PACKETS", Value: "5"},
		redisdb.FieldValue{Field: "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", Value: "7"})
	s.inject("{pg Ethernet0:3}", redisdb.FieldValue{Field: "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", Value: "9"})

	pfc := want{"SAI_PORT_STAT_PFC_3_RX_PKTS": "17", "SAI_PORT_STAT_PFC_4_TX_PKTS": "18", "SAI_PORT_STAT_IF_IN_OCTETS": "1000000000000"}
	for n := range 8 {
		for _, way := range []string{"RX", "TX"} {
			if name := fmt.Sprintf("SAI_PORT_STAT_PFC_%d_%s_PKTS", n, way); pfc[name] == "" {
				pfc[name] = number
			}
		}
	}
	s.reads("pfcstat", read{redisdb.CountersDB, "COUNTERS:{port Ethernet0}", pfc})
	s.reads("show interfaces counters",
		read{redisdb.CountersDB, "COUNTERS:{port Ethernet0}", want{
			"SAI_PORT_STAT_IF_IN_UCAST_PKTS": number, "SAI_PORT_STAT_IF_IN_ERRORS": number, "SAI_PORT_STAT_IF_IN_DISCARDS": number, "SAI_PORT_STAT_IF_OUT_OCTETS": number,
		}},
		read{redisdb.CountersDB, "RATES:{port Ethernet0}", want{"RX_BPS": some, "TX_BPS": some, "RX_PPS": some, "TX_PPS": some}},
	)
	s.reads("queuestat", read{redisdb.CountersDB, "COUNTERS:{queue Ethernet0:3}", want{
		"SAI_QUEUE_STAT_PACKETS": "100", "SAI_QUEUE_STAT_DROPPED_PACKETS": "5", "SAI_QUEUE_STAT_BYTES": "0", "SAI_QUEUE_STAT_DROPPED_BYTES": "0",
	}})
	s.reads("pg-drop -c show",
		read{redisdb.ConfigDB, "FLEX_COUNTER_TABLE|PG_DROP", want{"FLEX_COUNTER_STATUS": "enable"}},
		read{redisdb.CountersDB, "COUNTERS_PG_PORT_MAP", want{"{pg Ethernet0:3}": "{port Ethernet0}"}},
		read{redisdb.CountersDB, "COUNTERS_PG_INDEX_MAP", want{"{pg Ethernet0:3}": "3"}},
		read{redisdb.CountersDB, "COUNTERS:{pg Ethernet0:3}", want{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS": "9"}},
	)
	wred := read{redisdb.CountersDB, "COUNTERS:{queue Ethernet0:3}", want{
		"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": "7", "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES": "0", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS": "0", "SAI_QUEUE_STAT_WRED_DROPPED_BYTES": "0",
	}}
	s.reads("wredstat", wred,
		read{redisdb.StateDB, "QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER", want{"isSupported": "true"}},
		read{redisdb.StateDB, "QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_WRED_DROPPED_BYTE_COUNTER", want{"isSupported": "true"}},
		read{redisdb.StateDB, "PORT_COUNTER_CAPABILITIES|WRED_ECN_PORT_WRED_TOTAL_DROP_COUNTER", want{"isSupported": "~true|false"}},
	)
}

// TestWatermarkTools: watermarkstat and watermarkcfg.
func TestWatermarkTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.poll("QUEUE_WATERMARK", "PG_WATERMARK", "BUFFER_POOL_WATERMARK") // counterpoll watermark enable
	s.reads("watermarkstat",
		read{redisdb.CountersDB, "COUNTERS_PORT_NAME_MAP", want{"Ethernet0": some}},
		read{redisdb.CountersDB, "COUNTERS_QUEUE_NAME_MAP", want{"Ethernet0:3": some}},
		read{redisdb.CountersDB, "COUNTERS_PG_NAME_MAP", want{"Ethernet0:3": some}},
		read{redisdb.CountersDB, "COUNTERS_BUFFER_POOL_NAME_MAP", want{"egress_lossy_pool": some}},
	)
	marks := []struct{ object, counter, clear string }{
		{"queue Ethernet0:3", "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", "Q_SHARED_UNI"},
		{"queue Ethernet0:13", "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", "Q_SHARED_MULTI"},
		{"pg Ethernet0:3", "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES", "PG_HEADROOM"},
		{"pg Ethernet0:3", "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES", "PG_SHARED"},
		{"pool egress_lossy_pool", "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", "BUFFER_POOL"},
		{"pool ingress_lossless_pool", "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", "HEADROOM_POOL"},
	}
	for i, m := range marks {
		at, high := "{"+m.object+"}", fmt.Sprint(1000+i)
		s.inject(at, redisdb.FieldValue{Field: m.counter, Value: high})
		for _, table := range []string{"USER", "PERSISTENT", "PERIODIC"} {
			s.reads("watermarkstat "+m.clear, read{redisdb.CountersDB, table + "_WATERMARKS:" + at, want{m.counter: high}})
		}
		// Reading cleared it in the chip.
		s.reads("watermarkstat "+m.clear, read{redisdb.CountersDB, "COUNTERS:" + at, want{m.counter: "0"}})
		for _, table := range []string{"USER", "PERSISTENT"} {
			if _, err := s.db.Notify(t.Context(), "WATERMARK_CLEAR_REQUEST", redisdb.Notification{Op: table, Data: m.clear}); err != nil {
				t.Error(err)
			}
			s.reads("watermarkstat -c", read{redisdb.CountersDB, table + "_WATERMARKS:" + at, want{m.counter: "0"}})
		}
		s.reads("watermarkstat -c", read{redisdb.CountersDB, "PERIODIC_WATERMARKS:" + at, want{m.counter: high}})
	}
	s.set("WATERMARK_TABLE|TELEMETRY_INTERVAL", redisdb.Fields{"interval": "60"})
	s.reads("watermarkcfg -s",
		read{redisdb.ConfigDB, "WATERMARK_TABLE|TELEMETRY_INTERVAL", want{"interval": "60"}},
		read{redisdb.StateDB, "XON_ROW|WATERMARK_TABLE|TELEMETRY_INTERVAL", want{"state": "applied"}},
	)
}
