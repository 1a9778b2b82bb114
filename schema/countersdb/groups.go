package countersdb

import (
	"slices"
	"strconv"
	"time"
)

// Object says what kind of object a group is about.
type Object uint8

// The kinds.
const (
	Port Object = iota
	Queue
	PriorityGroup
	BufferPool
	Switch
)

// Group is one group of statistics that are read together.
type Group struct {
	// Config is the key of the row FLEX_COUNTER_TABLE|<key> of CONFIG_DB by which the
	// group is enabled and its interval set.
	Config   string
	Name     string // of the group in FLEX_COUNTER_DB
	Object   Object
	Interval time.Duration // between two readings, by default
	Clear    bool          // reading sets to zero: watermarks
	Stats    []string      // SAI names; those that the chip has are read
}

// Names of the groups.
const (
	PortGroup     = "PORT_STAT_COUNTER"
	DropGroup     = "PORT_BUFFER_DROP_STAT"
	PortWREDGroup = "WRED_ECN_PORT_STAT_COUNTER"

	QueueGroup          = "QUEUE_STAT_COUNTER"
	QueueWREDGroup      = "WRED_ECN_QUEUE_STAT_COUNTER"
	QueueWatermarkGroup = "QUEUE_WATERMARK_STAT_COUNTER"

	PGDropGroup      = "PG_DROP_STAT_COUNTER"
	PGWatermarkGroup = "PG_WATERMARK_STAT_COUNTER"

	PoolWatermarkGroup = "BUFFER_POOL_WATERMARK_STAT_COUNTER"
	SwitchGroup        = "SWITCH_STAT_COUNTER"
)

// Groups are the groups of which statistics are polled.
//
// Source: SONiC's flex counter groups; RFC 2863 and 2819 for those of ports.
var Groups = []Group{
	{Config: "PORT", Name: PortGroup, Object: Port, Interval: time.Second, Stats: portStats},
	{
		Config: "PORT_BUFFER_DROP", Name: DropGroup, Object: Port, Interval: time.Minute,
		Stats: []string{"SAI_PORT_STAT_IN_DROPPED_PKTS", "SAI_PORT_STAT_OUT_DROPPED_PKTS"},
	},
	{
		Config: "WRED_ECN_PORT", Name: PortWREDGroup, Object: Port, Interval: time.Second,
		Stats: []string{
			"SAI_PORT_STAT_GREEN_WRED_DROPPED_PACKETS",
			"SAI_PORT_STAT_YELLOW_WRED_DROPPED_PACKETS",
			"SAI_PORT_STAT_RED_WRED_DROPPED_PACKETS",
			"SAI_PORT_STAT_WRED_DROPPED_PACKETS",
		},
	},
	{Config: "QUEUE", Name: QueueGroup, Object: Queue, Interval: 10 * time.Second, Stats: queueStats},
	{
		Config: "WRED_ECN_QUEUE", Name: QueueWREDGroup, Object: Queue, Interval: 10 * time.Second,
		Stats: []string{
			"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
			"SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES",
			"SAI_QUEUE_STAT_WRED_DROPPED_PACKETS",
			"SAI_QUEUE_STAT_WRED_DROPPED_BYTES",
		},
	},
	{
		Config: "QUEUE_WATERMARK", Name: QueueWatermarkGroup, Object: Queue, Interval: time.Minute, Clear: true,
		Stats: []string{"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES"},
	},
	{
		Config: "PG_DROP", Name: PGDropGroup, Object: PriorityGroup, Interval: 10 * time.Second,
		Stats: []string{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"},
	},
	{
		Config: "PG_WATERMARK", Name: PGWatermarkGroup, Object: PriorityGroup, Interval: time.Minute, Clear: true,
		Stats: []string{
			"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
			"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
		},
	},
	{
		Config: "BUFFER_POOL_WATERMARK", Name: PoolWatermarkGroup, Object: BufferPool, Interval: time.Minute, Clear: true,
		Stats: []string{"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES"},
	},
	{
		Config: "SWITCH", Name: SwitchGroup, Object: Switch, Interval: time.Minute,
		Stats: []string{"SAI_SWITCH_STAT_DROPPED_TRIM_PACKETS", "SAI_SWITCH_STAT_TX_TRIM_PACKETS"},
	},
}

// RatesGroup is the group of the rates of ports, which are worked out of PortGroup's
// statistics: it has none of its own.
var RatesGroup = Group{Config: "PORT_RATES", Name: "PORT_RATE_COUNTER", Object: Port, Interval: time.Second}

// WatchdogGroup is what the PFC watchdog polls by; it is in no list.
var WatchdogGroup = Group{Config: "PFCWD", Name: "PFC_WD", Object: Queue, Interval: 100 * time.Millisecond}

// queueStats are the statistics of queues. Those with TRIM count packets that were
// cut to their header instead of dropped.
var queueStats = []string{
	"SAI_QUEUE_STAT_PACKETS",
	"SAI_QUEUE_STAT_BYTES",
	"SAI_QUEUE_STAT_DROPPED_PACKETS",
	"SAI_QUEUE_STAT_DROPPED_BYTES",
	"SAI_QUEUE_STAT_TRIM_PACKETS",
	"SAI_QUEUE_STAT_DROPPED_TRIM_PACKETS",
	"SAI_QUEUE_STAT_TX_TRIM_PACKETS",
}

// portStats are the statistics of ports, by the short names of SAI.
var portStats = withPrefix("SAI_PORT_STAT_", slices.Concat(
	[]string{ // RFC 2863
		"IF_IN_OCTETS", "IF_IN_UCAST_PKTS", "IF_IN_NON_UCAST_PKTS", "IF_IN_DISCARDS", "IF_IN_ERRORS", "IF_IN_UNKNOWN_PROTOS",
		"IF_IN_BROADCAST_PKTS", "IF_IN_MULTICAST_PKTS",
		"IF_OUT_OCTETS", "IF_OUT_UCAST_PKTS", "IF_OUT_NON_UCAST_PKTS", "IF_OUT_DISCARDS", "IF_OUT_ERRORS", "IF_OUT_QLEN",
		"IF_OUT_BROADCAST_PKTS", "IF_OUT_MULTICAST_PKTS",
	},
	[]string{ // RFC 2819
		"ETHER_STATS_PKTS", "ETHER_STATS_OCTETS", "ETHER_STATS_OVERSIZE_PKTS", "ETHER_RX_OVERSIZE_PKTS", "ETHER_TX_OVERSIZE_PKTS",
		"ETHER_STATS_UNDERSIZE_PKTS", "ETHER_STATS_FRAGMENTS", "ETHER_STATS_JABBERS", "ETHER_STATS_CRC_ALIGN_ERRORS",
		"ETHER_STATS_COLLISIONS", "ETHER_STATS_TX_NO_ERRORS", "ETHER_STATS_RX_NO_ERRORS",
	},
	bySize("ETHER_IN_PKTS_"),
	bySize("ETHER_OUT_PKTS_"),
	[]string{"IP_IN_UCAST_PKTS"},
	[]string{"PAUSE_RX_PKTS", "PAUSE_TX_PKTS"},
	pfcStats("RX_PKTS", "TX_PKTS", "RX_PAUSE_DURATION_US", "TX_PAUSE_DURATION_US", "ON2OFF_RX_PKTS"),
	[]string{"TRIM_PACKETS", "DROPPED_TRIM_PACKETS", "TX_TRIM_PACKETS"},
	[]string{"IF_IN_FEC_CORRECTABLE_FRAMES", "IF_IN_FEC_NOT_CORRECTABLE_FRAMES", "IF_IN_FEC_SYMBOL_ERRORS", "IF_IN_FEC_CORRECTED_BITS"},
))

func withPrefix(prefix string, names []string) []string {
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = prefix + name
	}
	return full
}

// bySize are the histograms of packet sizes.
func bySize(prefix string) []string {
	names := []string{prefix + "64_OCTETS"}
	for _, span := range []string{
		"65_TO_127", "128_TO_255", "256_TO_511", "512_TO_1023", "1024_TO_1518", "1519_TO_2047", "2048_TO_4095", "4096_TO_9216", "9217_TO_16383",
	} {
		names = append(names, prefix+span+"_OCTETS")
	}
	return names
}

// pfcStats are the PFC frames of each priority, how long received ones paused the port and
// sent ones its peer, and how often the port went from paused to running. Few chips have
// more than the frames.
func pfcStats(names ...string) []string {
	var all []string
	for prio := range 8 {
		for _, name := range names {
			all = append(all, "PFC_"+strconv.Itoa(prio)+"_"+name)
		}
	}
	return all
}
