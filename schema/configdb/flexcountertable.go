package configdb

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// FlexCounter is a row FLEX_COUNTER_TABLE|<group>: whether a group of statistics is
// polled, and how often. Groups of objects that xon does not have, such as "ACL" or
// "RIF", are rows like others that nothing comes of.
//
// Source: sonic-flex_counter.yang.
type FlexCounter struct {
	ID      RowKey
	Group   string // as people call it: "QUEUE_WATERMARK"
	Enabled bool
	// IntervalMs is the time between two readings in milliseconds, 100 to 4294967295;
	// 0: the group's own.
	IntervalMs uint32
	// BulkChunkSize is how many objects are read with one call; 0: all of them.
	BulkChunkSize uint32
	// Passive are the fields that xon does not act on, by name; nil if there are none.
	Passive Fields
}

// RowKey implements Row.
func (r *FlexCounter) RowKey() RowKey { return r.ID }

// PolledGroups are the groups of which there is something to read, or to work out.
var PolledGroups = []string{
	"PORT", "PORT_RATES", "PORT_BUFFER_DROP", "QUEUE", "QUEUE_WATERMARK", "PG_DROP", "PG_WATERMARK", "BUFFER_POOL_WATERMARK", "WRED_ECN_PORT", "WRED_ECN_QUEUE", "SWITCH",
}

// chunkField is the field of a row that says how many objects are read with one call.
const chunkField = "BULK_CHUNK_SIZE"

// unchunked are the groups whose objects are never read with several calls, and why.
var unchunked = map[string]string{
	"PORT_RATES": "rates are worked out of the statistics of the group PORT, and nothing is read for them",
	"SWITCH":     "the switch is one object, and is read with one call",
}

// The shortest time between two readings is the one that counterpoll allows; the
// longest is YANG's, of what 32 bits hold.
const (
	minPollMs = 100
	maxPollMs = 1<<32 - 1
)

var flexCounterTable = define(Table{
	Name: "FLEX_COUNTER_TABLE",
	Doc: "Which groups of statistics are polled, and how often. A group without a row is not polled. Groups: " + strings.Join(PolledGroups, ", ") +
		"; nothing comes of others, and a row that enables one says so with a warning.",
	Key:    "<group>",
	Source: "sonic-flex_counter.yang",
}, &spec[FlexCounter, *FlexCounter]{
	key: nameKey(func(r *FlexCounter) *string { return &r.Group }),
	id:  func(r *FlexCounter) *RowKey { return &r.ID },
	columns: append([]column[FlexCounter]{
		flag(Field{Name: "FLEX_COUNTER_STATUS", Default: "disable", Example: "enable", Doc: "Whether the group is polled."},
			"disable", "enable", func(r *FlexCounter) *bool { return &r.Enabled }),
		unsigned(Field{Name: "POLL_INTERVAL", Unit: "ms", Example: "1000", Doc: "The time between two readings. Absent: the group's own, from 1 s for ports to 60 s for watermarks."},
			minPollMs, maxPollMs, func(r *FlexCounter) *uint32 { return &r.IntervalMs }),
		unsigned(Field{Name: chunkField, Default: "0", Example: "128", Doc: "How many objects are read with one call to the chip; 0 is all of them."},
			0, 1<<32-1, func(r *FlexCounter) *uint32 { return &r.BulkChunkSize }),
	}, idle(func(r *FlexCounter) *Fields { return &r.Passive }, map[string]string{"FLEX_COUNTER_DELAY_STATUS": "false", "BULK_CHUNK_SIZE_PER_PREFIX": ""})...),
	idle: func(r *FlexCounter) (field string, err error) {
		switch {
		case r.Enabled && !slices.Contains(PolledGroups, r.Group):
			return "", fmt.Errorf("xon reads no statistics of the group %s", r.Group)
		case r.BulkChunkSize > 0 && unchunked[r.Group] != "":
			return chunkField, errors.New(unchunked[r.Group])
		}
		return "", nil
	},
	at: func(c *Config) *map[string]*FlexCounter { return &c.FlexCounters },
})
