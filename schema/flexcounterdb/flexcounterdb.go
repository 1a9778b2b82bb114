// Package flexcounterdb has the rows of FLEX_COUNTER_DB, in which SONiC says which
// statistics of which objects are polled, and how often.
//
// What is not for here: which groups there are (schema/countersdb), who polls
// (orchagent/counters) and how rows are stored (schema/redisdb).
package flexcounterdb

import (
	"strconv"
	"strings"
	"time"

	"xon/schema/countersdb"
)

// The tables.
const (
	GroupTable  = "FLEX_COUNTER_GROUP_TABLE" // a row per group; all are there from the start
	ObjectTable = "FLEX_COUNTER_TABLE"       // a row per group and object that is polled, or was until the group was disabled
)

// GroupKey is the row of a group: "FLEX_COUNTER_GROUP_TABLE:QUEUE_STAT_COUNTER".
func GroupKey(group string) string { return GroupTable + ":" + group }

// ObjectKey is the row of an object in a group:
// "FLEX_COUNTER_TABLE:QUEUE_STAT_COUNTER:oid:0x15000000000001".
func ObjectKey(group, oid string) string { return ObjectTable + ":" + group + ":" + oid }

// ParseObjectKey is the inverse of ObjectKey; ok is false for other keys.
func ParseObjectKey(key string) (group, oid string, ok bool) {
	rest, ok := strings.CutPrefix(key, ObjectTable+":")
	if !ok {
		return "", "", false
	}
	group, oid, ok = strings.Cut(rest, ":")
	return group, oid, ok && group != "" && oid != ""
}

// Fields, and values, of rows.
const (
	PollInterval = "POLL_INTERVAL" // milliseconds
	StatsMode    = "STATS_MODE"    // ModeRead or ModeClear
	Status       = "FLEX_COUNTER_STATUS"
	ChunkSize    = "BULK_CHUNK_SIZE"

	ModeRead  = "STATS_MODE_READ"
	ModeClear = "STATS_MODE_READ_AND_CLEAR"
	Enabled   = "enable"
	Disabled  = "disable"
)

// Group is the row of a group.
type Group struct {
	Interval  time.Duration
	Clear     bool // reading sets to zero
	Enabled   bool
	ChunkSize uint32 // objects a call; 0: all, and no field
}

// Format returns the fields.
func (g Group) Format() map[string]string {
	f := map[string]string{PollInterval: strconv.FormatInt(g.Interval.Milliseconds(), 10), StatsMode: ModeRead, Status: Disabled}
	if g.Clear {
		f[StatsMode] = ModeClear
	}
	if g.Enabled {
		f[Status] = Enabled
	}
	if g.ChunkSize > 0 {
		f[ChunkSize] = strconv.FormatUint(uint64(g.ChunkSize), 10)
	}
	return f
}

var listFields = [...]string{
	countersdb.Port:          "PORT_COUNTER_ID_LIST",
	countersdb.Queue:         "QUEUE_COUNTER_ID_LIST",
	countersdb.PriorityGroup: "PG_COUNTER_ID_LIST",
	countersdb.BufferPool:    "BUFFER_POOL_COUNTER_ID_LIST",
	countersdb.Switch:        "SWITCH_COUNTER_ID_LIST",
}

// ListField is the field with the statistics of an object, by the kind of object.
func ListField(o countersdb.Object) string { return listFields[o] }

// FormatStats is the text of a ListField.
func FormatStats(names []string) string { return strings.Join(names, ",") }

// ParseStats returns the statistics that a row of an object lists, of whatever kind the
// object is.
func ParseStats(f map[string]string) []string {
	for _, name := range listFields {
		if text := f[name]; text != "" {
			return strings.Split(text, ",")
		}
	}
	return nil
}
