// Package countersdb names the rows of COUNTERS_DB as SONiC's tools read them,
// and the groups of statistics that are polled into it.
//
// What is not for here: how statistics are read (orchagent/counters) and how rows
// are stored (schema/redisdb).
package countersdb

import "strconv"

// Name maps: hashes without a key behind the table's name.
const (
	PortNameMap   = "COUNTERS_PORT_NAME_MAP"        // "Ethernet0" → oid
	QueueNameMap  = "COUNTERS_QUEUE_NAME_MAP"       // "Ethernet0:3" → oid
	QueuePortMap  = "COUNTERS_QUEUE_PORT_MAP"       // oid → port's oid
	QueueIndexMap = "COUNTERS_QUEUE_INDEX_MAP"      // oid → "3"
	QueueTypeMap  = "COUNTERS_QUEUE_TYPE_MAP"       // oid → UnicastQueue, …
	PGNameMap     = "COUNTERS_PG_NAME_MAP"          // "Ethernet0:3" → oid
	PGPortMap     = "COUNTERS_PG_PORT_MAP"          // oid → port's oid
	PGIndexMap    = "COUNTERS_PG_INDEX_MAP"         // oid → "3"
	PoolNameMap   = "COUNTERS_BUFFER_POOL_NAME_MAP" // "ingress_lossless_pool" → oid
	SwitchNameMap = "COUNTERS_SWITCH_NAME_MAP"      // SwitchName → oid
)

// SwitchName is what the switch is called in SwitchNameMap.
const SwitchName = "ASIC"

// Types of queues, as in QueueTypeMap.
const (
	UnicastQueue   = "SAI_QUEUE_TYPE_UNICAST"
	MulticastQueue = "SAI_QUEUE_TYPE_MULTICAST"
	AnyQueue       = "SAI_QUEUE_TYPE_ALL"
)

// CountersTable holds the statistics of an object: "COUNTERS:oid:0x1000000000002",
// a field per statistic by its SAI name, in decimal.
const CountersTable = "COUNTERS"

// CountersKey is the row of an object, by its handle as ASIC_DB writes it.
func CountersKey(oid string) string { return CountersTable + ":" + oid }

// TimesKey is the row that says when each group was read last: a field per group
// (TimeField), in nanoseconds since 1970.
const TimesKey = CountersTable + ":TIME_STAMP"

// TimeField is a group's field of TimesKey.
func TimeField(group string) string { return group + timeSuffix }

const timeSuffix = "_time_stamp"

// ChildName names a queue or a priority group: "Ethernet0:3".
func ChildName(port string, index int) string { return port + ":" + strconv.Itoa(index) }
