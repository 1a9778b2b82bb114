package main

import (
	"fmt"
	"strings"
	"testing"

	"xon/cmd/completion"
	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/flexcounterdb"
)

// polled makes groups polled, and read some time ago, but for the named ones.
func (r *rig) polled(except ...string) {
	rows, times := map[string]fields{}, fields{}
	for _, g := range append(countersdb.Groups, countersdb.RatesGroup) {
		status := flexcounterdb.Enabled
		for _, name := range except {
			if g.Name == name {
				status = flexcounterdb.Disabled
			}
		}
		rows[flexcounterdb.GroupKey(g.Name)] = fields{"FLEX_COUNTER_STATUS": status, "POLL_INTERVAL": "10000"}
		times[countersdb.TimeField(g.Name)] = "1796079733314675111"
	}
	r.dbs.PutAll("FLEX_COUNTER_DB", rows)
	r.dbs.Put("COUNTERS_DB", countersdb.TimesKey, times)
}

// busy is content with every counter that show has, on Ethernet0.
func busy(t *testing.T) *rig {
	t.Helper()
	r := start(t)
	r.polled()
	port := fields{
		"SAI_PORT_STAT_IF_IN_OCTETS": "1000000", "SAI_PORT_STAT_IF_IN_UCAST_PKTS": "900", "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS": "100",
		"SAI_PORT_STAT_IF_IN_DISCARDS": "7", "SAI_PORT_STAT_IF_IN_ERRORS": "0", "SAI_PORT_STAT_IN_DROPPED_PKTS": "6",
		"SAI_PORT_STAT_IF_OUT_OCTETS": "64", "SAI_PORT_STAT_IF_OUT_UCAST_PKTS": "1", "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS": "0",
		"SAI_PORT_STAT_IF_OUT_DISCARDS": "0", "SAI_PORT_STAT_IF_OUT_ERRORS": "0", "SAI_PORT_STAT_OUT_DROPPED_PKTS": "0", "SAI_PORT_STAT_WRED_DROPPED_PACKETS": "5",
	}
	for p := range priorities {
		for _, s := range []string{"RX_PKTS", "TX_PKTS", "RX_PAUSE_DURATION_US", "TX_PAUSE_DURATION_US", "ON2OFF_RX_PKTS"} {
			port[fmt.Sprintf("SAI_PORT_STAT_PFC_%d_%s", p, s)] = "0"
		}
	}
	port["SAI_PORT_STAT_PFC_3_RX_PKTS"], port["SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US"] = "12", "1234567"
	port["SAI_PORT_STAT_PFC_6_TX_PKTS"], port["SAI_PORT_STAT_PFC_6_TX_PAUSE_DURATION_US"] = "1", "80"
	queue := fields{
		"SAI_QUEUE_STAT_PACKETS": "1000", "SAI_QUEUE_STAT_BYTES": "1500000", "SAI_QUEUE_STAT_DROPPED_PACKETS": "0", "SAI_QUEUE_STAT_TRIM_PACKETS": "3",
		"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": "5", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS": "0",
	}
	idle := fields{
		"SAI_QUEUE_STAT_PACKETS": "0", "SAI_QUEUE_STAT_BYTES": "0", "SAI_QUEUE_STAT_DROPPED_PACKETS": "0", "SAI_QUEUE_STAT_TRIM_PACKETS": "0",
		"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": "0", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS": "0",
	}
	r.dbs.PutAll("COUNTERS_DB", map[string]fields{
		"COUNTERS:oid:0x1": port, "COUNTERS:oid:0x13": queue, "COUNTERS:oid:0x15": idle, "COUNTERS:oid:0x20": nil,
		"COUNTERS_BUFFER_POOL_NAME_MAP":  {"ingress_pool": "oid:0x50"},
		"RATES:oid:0x1":                  {"RX_BPS": "12500000000", "RX_PPS": "0.5", "TX_BPS": "0", "TX_PPS": "0"},
		"USER_WATERMARKS:oid:0x13":       {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "6897920"},
		"PERSISTENT_WATERMARKS:oid:0x13": {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "7000000"},
		"USER_WATERMARKS:oid:0x15":       {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "0"},
		"USER_WATERMARKS:oid:0x33":       {pgStat + "SHARED_WATERMARK_BYTES": "848384", pgStat + "XOFF_ROOM_WATERMARK_BYTES": "39680"},
		"USER_WATERMARKS:oid:0x50":       {"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES": "7153920", "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES": "209920"},
	})
	return r
}

// TestShowBusy: rates, pause time, marks, drops, watermarks, and what is left out.
func TestShowBusy(t *testing.T) {
	t.Parallel()
	r := busy(t)
	for name, args := range map[string]string{
		"busy-counters":          "counters --port Ethernet0",
		"busy-counters-json":     "counters --port Ethernet0 --json",
		"busy-counters-nonzero":  "counters --nonzero",
		"busy-pfc":               "pfc",
		"busy-pfc-json":          "pfc --json --port Ethernet0 --nonzero",
		"busy-pfc-all":           "pfc --all --port Ethernet0",
		"busy-queues-nonzero":    "queues --nonzero --all --port Ethernet0",
		"busy-queues-persistent": "queues --port Ethernet0 --watermark persistent --nonzero",
		"busy-pgs":               "pgs --port Ethernet0",
		"busy-pgs-json":          "pgs --port Ethernet0 --json",
		"busy-buffers":           "buffers --port Ethernet0",
		"busy-buffers-nonzero":   "buffers --nonzero",
	} {
		code, said := r.xonctl(t, "", append([]string{"show"}, strings.Fields(args)...)...)
		if code != 0 {
			t.Errorf("%s: code %d", name, code)
		}
		want(t, name, said)
	}
}

// TestNotPolled: no value, an old value and a counter that the chip lacks are told apart,
// and none is shown as 0.
func TestNotPolled(t *testing.T) {
	t.Parallel()
	r := start(t)
	queues := func() string { _, said := r.xonctl(t, "", "show", "queues", "--port", "Ethernet0"); return said }
	r.dbs.PutAll("COUNTERS_DB", map[string]fields{"COUNTERS:oid:0x13": nil, "COUNTERS:oid:0x15": nil})
	for _, want := range []string{"PACKETS, BYTES, DROPPED, TRIMMED: not polled. To poll", "ECN MARKED, WRED DROPPED: not polled", "WATERMARK: not polled"} {
		if got := queues(); !strings.Contains(got, want) || strings.Contains(got, " 0 ") {
			t.Errorf("nothing polled: want %q\n%s", want, got)
		}
	}
	r.polled()
	if got := queues(); !strings.Contains(got, "ECN MARKED, WRED DROPPED: polled every 10s, without a value yet") {
		t.Error("the chip lacks marks:\n" + got)
	}
	r.dbs.Put("COUNTERS_DB", countersdb.TimesKey, nil)
	if got := queues(); !strings.Contains(got, "WATERMARK: not read yet; they are read every 10s") {
		t.Error("nothing was read yet:\n" + got)
	}
	r.polled(countersdb.QueueGroup)
	r.dbs.Put("COUNTERS_DB", "COUNTERS:oid:0x13", fields{"SAI_QUEUE_STAT_PACKETS": "1"})
	if got := queues(); !strings.Contains(got, "TRIMMED: not polled now; what is shown is of 2026-11-30 23:02:13Z. To poll them:\n  xonctl set 'FLEX_COUNTER_TABLE|QUEUE' ") {
		t.Error("polled before:\n" + got)
	}
}

// TestShowNoHeadroom: a pool without shared headroom has no watermark of it, and nothing
// says that the chip does not count it.
func TestShowNoHeadroom(t *testing.T) {
	t.Parallel()
	if got := xoffMark(fields{"size": "1"}, fields{"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES": "0"}); got != nil {
		t.Errorf("a pool without xoff: %v", got)
	}
	if got := xoffMark(fields{"xoff": "5"}, fields{"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES": "0"}); got != uint64(0) {
		t.Errorf("a pool with xoff: %v", got)
	}
	if got := poolMarkColumns(client.Rows{"out": {"size": "1"}}); len(got) != 1 {
		t.Errorf("columns with values: %q", got)
	}
}

// TestRatesApart: rates have a row of their own.
func TestRatesApart(t *testing.T) {
	t.Parallel()
	r := busy(t)
	if _, got := r.xonctl(t, "", "show", "counters", "--nonzero", "--port", "Ethernet4,Ethernet0"); strings.Contains(got, "no row") {
		t.Error(got)
	}
	r.polled(countersdb.RatesGroup.Name)
	r.dbs.Put("COUNTERS_DB", "RATES:oid:0x1", nil)
	if _, got := r.xonctl(t, "", "show", "counters"); !strings.Contains(got, "BITS/S, PACKETS/S, LOAD: not polled. To poll them:\n  xonctl set 'FLEX_COUNTER_TABLE|PORT_RATES' FLEX_COUNTER_STATUS=enable") {
		t.Error(got)
	}
}

// TestEffective: pools, profiles and bindings are those that are applied, and say where
// they come from.
func TestEffective(t *testing.T) {
	t.Parallel()
	r := start(t)
	lookup := configdb.Fields{"pool": "ingress_pool", "size": "1248", "xoff": "9216", "dynamic_th": "0"}
	r.dbs.PutAll("CONFIG_DB", map[string]fields{
		"BUFFER_PG|Ethernet0,Ethernet4|3":             nil,
		"BUFFER_POOL|ingress_pool":                    {"type": "ingress", "mode": "dynamic", "size": " 12582912"},
		"BUFFER_POOL|egress_pool":                     {"type": "egress", "mode": "dynamic"},
		"BUFFER_PROFILE|lossless":                     {"pool": "ingress_pool", "size": "9999", "dynamic_th": "0"},
		"BUFFER_PROFILE|pg_lossless_40000_5m_profile": lookup,
		"BUFFER_PROFILE|template":                     {"pool": "ingress_pool", "headroom_type": "dynamic", "dynamic_th": "1"},
		"BUFFER_PG|Ethernet0|0":                       {"profile": "lossless"},
		"BUFFER_PG|Ethernet0|1":                       {"profile": "[BUFFER_PROFILE|lossless]"},
		"BUFFER_PG|Ethernet0|2":                       {"profile": "other"},
		"BUFFER_PG|Ethernet0|3-4":                     {"profile": "NULL"},
		"BUFFER_PG|Ethernet0|5":                       {"profile": "pg_lossless_40000_5m_profile"},
		"BUFFER_PG|Ethernet0|6":                       {"profile": "missing"},
		"BUFFER_PG|Ethernet10|3":                      {"profile": "NULL"},
		"BUFFER_PG|Ethernet4|0":                       {"profile": "lossless"},
	})
	r.dbs.PutAll("APPL_DB", map[string]fields{
		"BUFFER_POOL_TABLE:ingress_pool":                      {"type": "ingress", "mode": "dynamic", "size": "12582912"},
		"BUFFER_POOL_TABLE:egress_pool":                       {"type": "egress", "mode": "dynamic", "size": "50610176"},
		"BUFFER_PROFILE_TABLE:lossless":                       {"pool": "ingress_pool", "size": "1248", "dynamic_th": "0"},
		"BUFFER_PROFILE_TABLE:pg_lossless_40000_5m_profile":   lookup,
		"BUFFER_PROFILE_TABLE:pg_lossless_100000_40m_profile": {"pool": "ingress_pool", "size": "72704", "xon": "19456", "xoff": "53248", "dynamic_th": "0"},
		"BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile":  {"pool": "ingress_pool", "size": "67584", "xon": "19456", "xoff": "48128", "dynamic_th": "0"},
		"BUFFER_PROFILE_TABLE:ingress_lossy_pg_zero_profile":  {"pool": "ingress_pool", "size": "0", "dynamic_th": "-8"},
		"BUFFER_PROFILE_TABLE:theirs":                         {"pool": "ingress_pool", "size": "0", "dynamic_th": "-8"},
		"XON_STAGED:BUFFER_PROFILE_TABLE:theirs":              {"size": "0"},
		"BUFFER_PG_TABLE:Ethernet0:0":                         {"profile": "lossless"},
		"BUFFER_PG_TABLE:Ethernet0:1":                         {"profile": "lossless"},
		"BUFFER_PG_TABLE:Ethernet0:2":                         {"profile": "lossless"},
		"BUFFER_PG_TABLE:Ethernet0:3-4":                       {"profile": "pg_lossless_100000_40m_profile"},
		"BUFFER_PG_TABLE:Ethernet0:5":                         {"profile": "pg_lossless_40000_5m_profile"},
		"BUFFER_PG_TABLE:Ethernet0:7":                         {"profile": "theirs"},
		"XON_STAGED:BUFFER_PG_TABLE:Ethernet0:7":              {"profile": "theirs"},
		"BUFFER_PG_TABLE:Ethernet4:0":                         {"profile": "ingress_lossy_pg_zero_profile"},
	})
	fate := func(state string) fields {
		return fields{"state": state, "since": "2026-01-02T03:04:05.000Z", "revision": "1"}
	}
	r.dbs.PutAll("STATE_DB", map[string]fields{
		"XON_DERIVED|BUFFER_PROFILE|pg_lossless_40000_5m_profile": {"hash": lookup.Digest()},
		"XON_DERIVED|BUFFER_PG|Ethernet0|5":                       {"hash": configdb.Fields{"profile": "pg_lossless_40000_5m_profile"}.Digest()},
		"XON_DERIVED|BUFFER_PG|Ethernet0|0":                       {"hash": "of what it was before somebody changed it"},
		"XON_ROW|BUFFER_PROFILE|lossless":                         fate("refused"),
		"XON_ROW|BUFFER_POOL|ingress_pool":                        fate("applied"),
		"XON_ROW|BUFFER_POOL|egress_pool":                         fate("applied"),
		"XON_ROW|BUFFER_PG|Ethernet0|2":                           fate("waiting"),
		"XON_ROW|BUFFER_PG|Ethernet0|6":                           fate("waiting"),
		"XON_ROW|BUFFER_PG|Ethernet10|3":                          fate("applied"),
		"XON_ROW|BUFFER_PG|Ethernet4|0":                           fate("applied"),
	})
	r.polled()
	for name, args := range map[string][]string{"effective": {"show", "buffers"}, "effective-json": {"show", "buffers", "--json"}, "effective-pgs": {"show", "pgs"}} {
		code, said := r.xonctl(t, "", args...)
		if code != 0 {
			t.Errorf("%s: code %d", name, code)
		}
		want(t, name, said)
	}
}

// TestExamples: what the help of show gives as examples can be typed like that.
func TestExamples(t *testing.T) {
	t.Parallel()
	r := busy(t)
	show, _, err := newCommand().Find([]string{"show"})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, cmd := range append(show.Commands(), show) {
		for line := range strings.Lines(cmd.Example) {
			l := completion.Parse(strings.TrimSpace(line)+" ", len(line)+1, "")
			if code, said := r.xonctl(t, "", l.Words...); code != 0 {
				t.Errorf("%s: code %d\n%s", line, code, said)
			}
			ran++
		}
	}
	if ran < 20 {
		t.Errorf("only %d examples", ran)
	}
}
