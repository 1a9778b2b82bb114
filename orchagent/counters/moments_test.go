package counters_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// flex is all of FLEX_COUNTER_DB.
func (r *rig) flex() map[string]redisdb.Fields {
	r.t.Helper()
	all, err := r.client.DB(redisdb.FlexCounterDB).All(r.t.Context(), redisdb.Everything)
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// groupsOf counts rows of objects by group.
func groupsOf(flex map[string]redisdb.Fields) map[string]int {
	n := map[string]int{}
	for key := range flex {
		if rest, ok := strings.CutPrefix(key, "FLEX_COUNTER_TABLE:"); ok {
			group, _, _ := strings.Cut(rest, ":")
			n[group]++
		}
	}
	return n
}

// tables counts the rows of COUNTERS_DB by table.
func tables(rows map[string]redisdb.Fields) map[string]int {
	n := map[string]int{}
	for key := range rows {
		table, _, _ := strings.Cut(key, ":")
		n[table]++
	}
	return n
}

func sum(all ...map[string]int) map[string]int {
	n := map[string]int{}
	for _, m := range all {
		maps.Copy(n, m)
	}
	return n
}

// TestGroupRows: the rows of groups are there from the start, with SONiC's defaults.
func TestGroupRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.rows = parse(t, nil)
	r.putIn(redisdb.FlexCounterDB, "FLEX_COUNTER_GROUP_TABLE:ACL_STAT_COUNTER", redisdb.Fields{"POLL_INTERVAL": "10000"})
	c := r.collector(nil)
	r.follow(c, 1)
	r.pass(c)
	want := map[string]redisdb.Fields{"FLEX_COUNTER_GROUP_TABLE:ACL_STAT_COUNTER": {"POLL_INTERVAL": "10000"}}
	for group, is := range map[string][2]string{
		"PORT_STAT_COUNTER": {"1000", "STATS_MODE_READ"}, "PORT_BUFFER_DROP_STAT": {"60000", "STATS_MODE_READ"},
		"QUEUE_STAT_COUNTER": {"10000", "STATS_MODE_READ"}, "PG_DROP_STAT_COUNTER": {"10000", "STATS_MODE_READ"},
		"QUEUE_WATERMARK_STAT_COUNTER":       {"60000", "STATS_MODE_READ_AND_CLEAR"},
		"PG_WATERMARK_STAT_COUNTER":          {"60000", "STATS_MODE_READ_AND_CLEAR"},
		"BUFFER_POOL_WATERMARK_STAT_COUNTER": {"60000", "STATS_MODE_READ_AND_CLEAR"},
		"WRED_ECN_QUEUE_STAT_COUNTER":        {"10000", "STATS_MODE_READ"}, "WRED_ECN_PORT_STAT_COUNTER": {"1000", "STATS_MODE_READ"},
		"PFC_WD": {"100", "STATS_MODE_READ"}, "SWITCH_STAT_COUNTER": {"60000", "STATS_MODE_READ"},
		"PORT_RATE_COUNTER": {"1000", "STATS_MODE_READ"},
	} {
		want["FLEX_COUNTER_GROUP_TABLE:"+group] = redisdb.Fields{"POLL_INTERVAL": is[0], "STATS_MODE": is[1], "FLEX_COUNTER_STATUS": "disable"}
	}
	if diff := cmp.Diff(want, r.flex()); diff != "" {
		t.Errorf("FLEX_COUNTER_DB before anything is enabled (-want +got):\n%s", diff)
	}
	r.rows = parse(t, configdb.RawRows{
		"FLEX_COUNTER_TABLE|QUEUE": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "500", "BULK_CHUNK_SIZE": "7"},
		"FLEX_COUNTER_TABLE|PFCWD": {"FLEX_COUNTER_STATUS": "enable"},
	})
	r.follow(c, 1)
	r.pass(c)
	flex := r.flex()
	for key, want := range map[string]redisdb.Fields{
		"FLEX_COUNTER_GROUP_TABLE:QUEUE_STAT_COUNTER": {"POLL_INTERVAL": "500", "STATS_MODE": "STATS_MODE_READ", "FLEX_COUNTER_STATUS": "enable", "BULK_CHUNK_SIZE": "7"},
		"FLEX_COUNTER_GROUP_TABLE:PFC_WD":             {"POLL_INTERVAL": "100", "STATS_MODE": "STATS_MODE_READ", "FLEX_COUNTER_STATUS": "enable"},
	} {
		if diff := cmp.Diff(want, flex[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// TestMoments: nothing is polled and nothing has a name before the first enable, but
// for ports; from then on names and rows stay, whatever is disabled.
func TestMoments(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	c := r.collector(nil)
	queueNames := map[string]int{"COUNTERS_QUEUE_NAME_MAP": 1, "COUNTERS_QUEUE_PORT_MAP": 1, "COUNTERS_QUEUE_INDEX_MAP": 1, "COUNTERS_QUEUE_TYPE_MAP": 1}
	pgNames := map[string]int{"COUNTERS_PG_NAME_MAP": 1, "COUNTERS_PG_PORT_MAP": 1, "COUNTERS_PG_INDEX_MAP": 1}
	marks := map[string]int{"USER_WATERMARKS": 40, "PERSISTENT_WATERMARKS": 40, "PERIODIC_WATERMARKS": 40}
	ports := map[string]int{"COUNTERS_PORT_NAME_MAP": 1}
	for _, step := range []struct {
		enabled []string
		tables  map[string]int // of COUNTERS_DB, with their rows
		flex    map[string]int // rows of objects
	}{
		{nil, ports, map[string]int{}},
		{[]string{"ACL", "RIF", "PFCWD"}, ports, map[string]int{}},
		{[]string{"PORT"}, sum(ports, map[string]int{"COUNTERS": 2}), map[string]int{"PORT_STAT_COUNTER": 2}},
		{nil, sum(ports, map[string]int{"COUNTERS": 2}), map[string]int{"PORT_STAT_COUNTER": 2}},
		{
			[]string{"QUEUE_WATERMARK"},
			sum(ports, queueNames, marks, map[string]int{"COUNTERS": 42}),
			map[string]int{"PORT_STAT_COUNTER": 2, "QUEUE_WATERMARK_STAT_COUNTER": 40},
		},
		{
			[]string{"WRED_ECN_QUEUE", "SWITCH"},
			sum(ports, queueNames, marks, map[string]int{"COUNTERS": 43, "COUNTERS_SWITCH_NAME_MAP": 1}),
			map[string]int{"PORT_STAT_COUNTER": 2, "QUEUE_WATERMARK_STAT_COUNTER": 40, "WRED_ECN_QUEUE_STAT_COUNTER": 40, "SWITCH_STAT_COUNTER": 1},
		},
		{
			[]string{"PG_DROP"},
			sum(ports, queueNames, pgNames, marks, map[string]int{"COUNTERS": 59, "COUNTERS_SWITCH_NAME_MAP": 1}),
			map[string]int{
				"PORT_STAT_COUNTER": 2, "QUEUE_WATERMARK_STAT_COUNTER": 40, "WRED_ECN_QUEUE_STAT_COUNTER": 40, "SWITCH_STAT_COUNTER": 1,
				"PG_DROP_STAT_COUNTER": 16,
			},
		},
	} {
		r.rows = enabled(t, step.enabled...)
		r.follow(c, 2)
		r.pass(c)
		if diff := cmp.Diff(step.tables, tables(r.stored())); diff != "" {
			t.Errorf("%v: tables of COUNTERS_DB (-want +got):\n%s", step.enabled, diff)
		}
		if got := groupsOf(r.flex()); !maps.Equal(step.flex, got) {
			t.Errorf("%v: FLEX_COUNTER_DB has objects %v, want %v", step.enabled, got, step.flex)
		}
	}
	if got := r.row("COUNTERS_SWITCH_NAME_MAP"); got["ASIC"] != r.sw.ID.OID().String() {
		t.Errorf("the switch is %v", got)
	}
}

// TestLists: the row of an object lists what the chip has of what its group is about.
func TestLists(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	var all []string
	for _, g := range countersdb.Groups {
		all = append(all, g.Config)
	}
	r.rows = r.withPools(enabled(t, all...))
	c := r.collector(nil)
	r.followPools(c, 1)
	r.pass(c)
	fields := map[string]string{
		"PORT_STAT_COUNTER": "PORT_COUNTER_ID_LIST", "PORT_BUFFER_DROP_STAT": "PORT_COUNTER_ID_LIST", "WRED_ECN_PORT_STAT_COUNTER": "PORT_COUNTER_ID_LIST",
		"QUEUE_STAT_COUNTER": "QUEUE_COUNTER_ID_LIST", "WRED_ECN_QUEUE_STAT_COUNTER": "QUEUE_COUNTER_ID_LIST", "QUEUE_WATERMARK_STAT_COUNTER": "QUEUE_COUNTER_ID_LIST",
		"PG_DROP_STAT_COUNTER": "PG_COUNTER_ID_LIST", "PG_WATERMARK_STAT_COUNTER": "PG_COUNTER_ID_LIST",
		"BUFFER_POOL_WATERMARK_STAT_COUNTER": "BUFFER_POOL_COUNTER_ID_LIST", "SWITCH_STAT_COUNTER": "SWITCH_COUNTER_ID_LIST",
	}
	for key, f := range r.flex() {
		rest, ok := strings.CutPrefix(key, "FLEX_COUNTER_TABLE:")
		if !ok {
			continue
		}
		group, _, _ := strings.Cut(rest, ":")
		want := redisdb.Fields{fields[group]: strings.Join(fullNames(group), ",")}
		if diff := cmp.Diff(want, f); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if n := groupsOf(r.flex()); len(n) != len(fields) || n["BUFFER_POOL_WATERMARK_STAT_COUNTER"] != 2 {
		t.Errorf("objects of %v", n)
	}
}

// TestDisabled: what is disabled is not read.
func TestDisabled(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	dev, handles := r.device(1)
	id := handles[dev.Ports[0].Object]
	c, _ := r.collect(quickly)
	c.Follow(r.rows, dev, handles)
	r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", 1)
	r.shows(id, "SAI_PORT_STAT_IF_IN_OCTETS", "1")
	c.Follow(enabled(t, "QUEUE"), dev, handles)
	r.passes(c, countersdb.QueueGroup, 3) // what was being read of ports is over
	read := make(chan string, 1)
	defer r.chip.OnCall(nil)
	r.chip.OnCall(func(call vsai.Call) (st sai.Status) {
		if call.Op == vsai.OpStats && call.Object == port {
			select {
			case read <- call.Object.Name:
			default:
			}
		}
		return 0
	})
	r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", 2)
	r.passes(c, countersdb.QueueGroup, 20)
	if len(read) > 0 {
		t.Error("a port was read")
	}
	c.Follow(r.rows, dev, handles)
	r.shows(id, "SAI_PORT_STAT_IF_IN_OCTETS", "2")
}

// TestChunks: a call reads no more objects than a row allows.
func TestChunks(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	dev, handles := r.device(2)
	id := handles[dev.Ports[1].Queues[19].Buffer.Object()]
	r.set(id, queue, "SAI_QUEUE_STAT_BYTES", 5)
	for chunk, want := range map[string][]int{"0": {40}, "16": {16, 16, 8}, "40": {40}, "4294967295": {40}} {
		c := r.collector(nil)
		c.Follow(parse(t, configdb.RawRows{"FLEX_COUNTER_TABLE|QUEUE": {"FLEX_COUNTER_STATUS": "enable", "BULK_CHUNK_SIZE": chunk}}), dev, handles)
		var got []int
		r.chip.OnCall(func(call vsai.Call) sai.Status {
			switch {
			case call.Op == vsai.OpStats && call.IsBulk():
				got = append(got, 0)
			case call.Op == vsai.OpStats && len(got) > 0:
				got[len(got)-1]++
			}
			return 0
		})
		c.Poll(silent())
		r.chip.OnCall(nil)
		if !slices.Equal(got, want) {
			t.Errorf("with chunks of %s, calls are for %v objects, want %v", chunk, got, want)
		}
		if v := value(c.Reading(countersdb.QueueGroup), id, "SAI_QUEUE_STAT_BYTES"); v != 5 {
			t.Errorf("with chunks of %s, the last queue reads %d", chunk, v)
		}
	}
}

// TestCapabilities: STATE_DB says which statistics of WRED the chip has.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.sw = &sai.Switch{Driver: limited{Chip: r.chip, has: []sai.StatCapability{{StatEnum: port.StatByName("WRED_DROPPED_PACKETS").ID}}}, ID: r.sw.ID}
	c := r.collector(nil)
	r.follow(c, 1)
	r.pass(c)
	got, err := r.client.DB(redisdb.StateDB).All(t.Context(), redisdb.Everything)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]redisdb.Fields{}
	for key, has := range map[string]string{
		"QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER": "true", "QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_ECN_MARKED_BYTE_COUNTER": "true",
		"QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_WRED_DROPPED_PKT_COUNTER": "true", "QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_WRED_DROPPED_BYTE_COUNTER": "true",
		"PORT_COUNTER_CAPABILITIES|WRED_ECN_PORT_WRED_GREEN_DROP_COUNTER": "false", "PORT_COUNTER_CAPABILITIES|WRED_ECN_PORT_WRED_YELLOW_DROP_COUNTER": "false",
		"PORT_COUNTER_CAPABILITIES|WRED_ECN_PORT_WRED_RED_DROP_COUNTER": "false", "PORT_COUNTER_CAPABILITIES|WRED_ECN_PORT_WRED_TOTAL_DROP_COUNTER": "true",
	} {
		want[key] = redisdb.Fields{"isSupported": has}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("STATE_DB (-want +got):\n%s", diff)
	}
}

// TestNotRows: what is in the way of rows, and is none, goes.
func TestNotRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	keys := map[redisdb.ID]string{
		redisdb.CountersDB: "COUNTERS_PORT_NAME_MAP", redisdb.FlexCounterDB: "FLEX_COUNTER_GROUP_TABLE:PORT_STAT_COUNTER",
		redisdb.StateDB: "PORT_COUNTER_CAPABILITIES|WRED_ECN_PORT_WRED_TOTAL_DROP_COUNTER",
	}
	for id, key := range keys {
		var b redisdb.Batch
		b.SetText(key, "no row")
		if err := r.client.DB(id).Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	c := r.collector(nil)
	r.follow(c, 1)
	r.pass(c)
	for id, key := range keys {
		if f, err := r.client.DB(id).Row(t.Context(), key); err != nil || f == nil {
			t.Errorf("%s has no row %s: %v", id, key, err)
		}
	}
}

// TestNotRowsLater: what comes to be in the way of rows goes too, by its name, and all of
// the rows is there again.
func TestNotRowsLater(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.rows = parse(t, configdb.RawRows{
		"FLEX_COUNTER_TABLE|PORT": {"FLEX_COUNTER_STATUS": "enable"}, "FLEX_COUNTER_TABLE|QUEUE_WATERMARK": {"FLEX_COUNTER_STATUS": "enable"},
		"FLEX_COUNTER_TABLE|PORT_RATES": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "100"},
	})
	dev, handles := r.device(1)
	id, q := handles[dev.Ports[0].Object], handles[dev.Ports[0].Queues[3].Buffer.Object()]
	c := r.collector(nil)
	c.Follow(r.rows, dev, handles)
	r.pass(c)
	next := uint64(0)
	for _, key := range []string{"COUNTERS:" + id.String(), "RATES:" + id.String(), "USER_WATERMARKS:" + q.String(), "COUNTERS:TIME_STAMP"} {
		before := r.row(key)
		r.inTheWay(key)
		redistest.Eventually(t, key+" is found to be no row", func() bool { // a rate is written when it is due
			next++
			r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", next)
			r.set(q, queue, queueMark, next)
			c.Poll(silent())
			err := c.Write(t.Context())
			return err != nil && strings.Contains(err.Error(), key)
		})
		r.pass(c)
		after := r.row(key)
		for field := range before {
			if after[field] == "" {
				t.Errorf("%s has no %s any more", key, field)
			}
		}
	}
}

// inTheWay puts something other than a row under a key.
func (r *rig) inTheWay(key string) {
	r.t.Helper()
	var b redisdb.Batch
	b.SetText(key, "no row")
	if err := r.db.Write(r.t.Context(), &b); err != nil {
		r.t.Fatal(err)
	}
}
