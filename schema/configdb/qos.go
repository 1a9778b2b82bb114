package configdb

// MapKind tells the QoS map tables apart.
type MapKind uint8

// The kinds of QoS map, in the order of MapTables.
const (
	DSCPToTC MapKind = iota
	DOT1PToTC
	TCToQueue
	TCToPriorityGroup
	TCToDSCP
	PFCPriorityToQueue
	PFCPriorityToPriorityGroup
	NumMapKinds
)

// MapTables names the table of each kind.
var MapTables = [NumMapKinds]string{
	"DSCP_TO_TC_MAP",
	"DOT1P_TO_TC_MAP",
	"TC_TO_QUEUE_MAP",
	"TC_TO_PRIORITY_GROUP_MAP",
	"TC_TO_DSCP_MAP",
	"MAP_PFC_PRIORITY_TO_QUEUE",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
}

// MapEntry is one field of a QoS map.
type MapEntry struct{ From, To uint8 }

// QoSMap is a row of one of the map tables. Entries are in order of From, each
// From once.
//
// Source: sonic-dscp-tc-map.yang and its siblings.
type QoSMap struct {
	ID      RowKey
	Kind    MapKind
	Name    string
	Entries []MapEntry
}

// Scheduler types.
const (
	Strict = "STRICT"
	WRR    = "WRR"
	DWRR   = "DWRR"
)

// Scheduler is a row SCHEDULER|<name>.
//
// Source: sonic-scheduler.yang.
type Scheduler struct {
	ID     RowKey
	Name   string
	Type   string // Strict, WRR (default) or DWRR
	Weight uint8  // 1 to 100; 0 when absent
	// Packets has the rates count packets instead of bytes ("meter_type").
	Packets            bool
	CIR, CBS, PIR, PBS uint64 // per second and burst, in bytes or packets; 0 when absent
}

// Colours of packets.
const (
	Green = iota
	Yellow
	Red
	NumColours
)

// Curve is the part of a WRED profile that belongs to one colour.
type Curve struct {
	Enable      bool
	Min, Max    uint64 // bytes of queue, Min <= Max
	Probability uint8  // percent at Max, 0 to 100; 100 when absent
	HasMin      bool
	HasMax      bool
	HasProb     bool
}

// WREDProfile is a row WRED_PROFILE|<name>.
//
// Source: sonic-wred-profile.yang.
type WREDProfile struct {
	ID     RowKey
	Name   string
	Curves [NumColours]Curve
	ECN    [NumColours]bool // colours that are marked instead of dropped ("ecn")
}

// Queue is a row QUEUE|<ports>|<range>. An empty name is no reference.
//
// Source: sonic-queue.yang.
type Queue struct {
	ID RowKey
	Span
	Scheduler string
	WRED      string
}

// PortQoSMap is a row PORT_QOS_MAP|<ports>, or PORT_QOS_MAP|global.
//
// Source: sonic-port-qos-map.yang.
type PortQoSMap struct {
	ID        RowKey
	Global    bool     // then Ports is empty
	Ports     []string // in the order given
	Maps      [NumMapKinds]string
	Scheduler string
	PFC       uint8 // bit n: priority n is lossless ("pfc_enable")
	PFCWD     uint8 // bit n: queue n is watched ("pfcwd_sw_enable")
}
