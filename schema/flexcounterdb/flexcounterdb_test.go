package flexcounterdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/schema/countersdb"
	"xon/schema/flexcounterdb"
)

func TestGroup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		group flexcounterdb.Group
		want  map[string]string
	}{
		{
			flexcounterdb.Group{Interval: time.Second},
			map[string]string{"POLL_INTERVAL": "1000", "STATS_MODE": "STATS_MODE_READ", "FLEX_COUNTER_STATUS": "disable"},
		},
		{
			flexcounterdb.Group{Interval: time.Minute, Clear: true, Enabled: true, ChunkSize: 64},
			map[string]string{
				"POLL_INTERVAL": "60000", "STATS_MODE": "STATS_MODE_READ_AND_CLEAR", "FLEX_COUNTER_STATUS": "enable", "BULK_CHUNK_SIZE": "64",
			},
		},
	} {
		if diff := cmp.Diff(tt.want, tt.group.Format()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.group, diff)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	if key := flexcounterdb.GroupKey("PFC_WD"); key != "FLEX_COUNTER_GROUP_TABLE:PFC_WD" {
		t.Errorf("GroupKey = %s", key)
	}
	key := flexcounterdb.ObjectKey("PFC_WD", "oid:0x15")
	if key != "FLEX_COUNTER_TABLE:PFC_WD:oid:0x15" {
		t.Errorf("ObjectKey = %s", key)
	}
	if group, oid, ok := flexcounterdb.ParseObjectKey(key); !ok || group != "PFC_WD" || oid != "oid:0x15" {
		t.Errorf("ParseObjectKey(%s) = %s, %s, %v", key, group, oid, ok)
	}
	for _, key := range []string{"", "FLEX_COUNTER_TABLE", "FLEX_COUNTER_TABLE:PFC_WD", "FLEX_COUNTER_TABLE::oid", "FLEX_COUNTER_GROUP_TABLE:PFC_WD:oid:0x15"} {
		if _, _, ok := flexcounterdb.ParseObjectKey(key); ok {
			t.Errorf("%q is the row of an object", key)
		}
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	for o, field := range map[countersdb.Object]string{
		countersdb.Port: "PORT_COUNTER_ID_LIST", countersdb.Queue: "QUEUE_COUNTER_ID_LIST", countersdb.PriorityGroup: "PG_COUNTER_ID_LIST",
		countersdb.BufferPool: "BUFFER_POOL_COUNTER_ID_LIST", countersdb.Switch: "SWITCH_COUNTER_ID_LIST",
	} {
		if got := flexcounterdb.ListField(o); got != field {
			t.Errorf("the list of object %d is %s, want %s", o, got, field)
		}
		got := flexcounterdb.ParseStats(map[string]string{field: flexcounterdb.FormatStats([]string{"a", "b"}), "STATS_MODE": "x"})
		if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
	if got := flexcounterdb.ParseStats(map[string]string{"NULL": "NULL"}); got != nil {
		t.Errorf("a row without a list has %q", got)
	}
}
