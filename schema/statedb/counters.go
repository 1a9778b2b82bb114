package statedb

import "strconv"

// Counter is a statistic of which STATE_DB says whether the chip has it.
type Counter struct {
	Table string // QueueCounterTable or PortCounterTable
	Key   string
	Stat  string // by its SAI name
}

// The tables of Counters.
const (
	QueueCounterTable = "QUEUE_COUNTER_CAPABILITIES"
	PortCounterTable  = "PORT_COUNTER_CAPABILITIES"
)

// Counters are the statistics that are told of.
//
// Source: SONiC's portsorch, for wredstat.
var Counters = []Counter{
	{QueueCounterTable, "WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER", "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"},
	{QueueCounterTable, "WRED_ECN_QUEUE_ECN_MARKED_BYTE_COUNTER", "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES"},
	{QueueCounterTable, "WRED_ECN_QUEUE_WRED_DROPPED_PKT_COUNTER", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS"},
	{QueueCounterTable, "WRED_ECN_QUEUE_WRED_DROPPED_BYTE_COUNTER", "SAI_QUEUE_STAT_WRED_DROPPED_BYTES"},
	{PortCounterTable, "WRED_ECN_PORT_WRED_GREEN_DROP_COUNTER", "SAI_PORT_STAT_GREEN_WRED_DROPPED_PACKETS"},
	{PortCounterTable, "WRED_ECN_PORT_WRED_YELLOW_DROP_COUNTER", "SAI_PORT_STAT_YELLOW_WRED_DROPPED_PACKETS"},
	{PortCounterTable, "WRED_ECN_PORT_WRED_RED_DROP_COUNTER", "SAI_PORT_STAT_RED_WRED_DROPPED_PACKETS"},
	{PortCounterTable, "WRED_ECN_PORT_WRED_TOTAL_DROP_COUNTER", "SAI_PORT_STAT_WRED_DROPPED_PACKETS"},
}

// FormatCounter returns the fields of a Counter's row.
func FormatCounter(supported bool) map[string]string {
	return map[string]string{"isSupported": strconv.FormatBool(supported)}
}
