package dataplane

// Classes is the number of priorities of 802.1p, and so of PFC.
const Classes = 8

// MaxQueues is the maximum number of queues of a port.
const MaxQueues = 32

// MaxTC is the number of traffic classes.
const MaxTC = 16

// Model describes a type of chip.
type Model struct {
	CellBytes    int // unit of the packet memory; 0 means 1
	CellOverhead int // bytes that the chip stores with each packet
	Slices       int // equal parts of every pool, 1 to 4; 0 means 1 (PortConfig.SliceIn)
	Admission    Admission
	SharedSize   SharedSize
	// AlphaTop is the maximum exponent of a dynamic threshold; greater ones are capped.
	// 0 means 7.
	AlphaTop int8
	// PortAlpha applies dynamic thresholds in two levels: first the port's share of a
	// pool, by the factor of its limit (PortLimit), then the priority group's within
	// it. A port without a limit has AlphaTop.
	PortAlpha bool
	// HeadroomLoss is the number of cells of its own headroom that a lossless group
	// cannot use, and SharedXoffTimes the multiple of its Xoff that it may use if the
	// pool has headroom; 0 means 1. Both apply to AdmitPerGroup.
	HeadroomLoss, SharedXoffTimes int
	// StaticOverPool: if a queue's static threshold exceeds its pool's size, only the
	// threshold limits the queue, not the free part of the pool.
	StaticOverPool bool
	// WREDCells: WRED compares the cells of a queue with thresholds rounded up to
	// cells, instead of bytes.
	WREDCells bool
	// ResumeOwn: a priority group resumes its senders only when one of its own packets
	// leaves, instead of whenever its pool drains.
	ResumeOwn bool
	// ReleaseEarly frees memory when transmission of a packet starts, instead of when
	// it ends.
	ReleaseEarly bool
	// QueueRound is the number of cells to a multiple of which queue limits are rounded
	// up; 0 means 1.
	QueueRound int
}

// Admission is how a lossless packet is admitted at ingress.
type Admission uint8

// Admission rules.
const (
	// AdmitBefore compares the threshold with the use before the packet: the packet
	// that crosses it is still shared. Once headroom is in use, all packets go to
	// headroom until it is empty.
	AdmitBefore Admission = iota
	// AdmitAfter compares the threshold with the use including the packet.
	AdmitAfter
	// AdmitPerGroup gives each group a buffer of its own for what the shared part does
	// not admit; its fill triggers XOFF.
	AdmitPerGroup
)

// SharedSize is the rule for the shared part of a pool.
type SharedSize uint8

// Rules of the shared size.
const (
	SharedIncludesHeadroom SharedSize = iota // size − shared headroom − all reservations
	SharedExcludesHeadroom                   // size
	SharedPrivate                            // size − (reserved + headroom) of each group
)

// Pool is a buffer pool. Sizes are in bytes.
type Pool struct {
	Egress   bool
	Size     int64
	Headroom int64 // shared headroom; 0: each group has its own
	WRED     *WRED // by the use of the whole pool
}

// Buffer limits a priority group or a queue. Sizes are in bytes.
type Buffer struct {
	Pool     int   // index; -1: no buffer, packets are dropped
	Reserved int64 // guaranteed
	Dynamic  bool
	Alpha    int8  // exponent of two of the dynamic threshold
	Static   int64 // static threshold if not Dynamic; 0: no limit
	// Of a lossless priority group:
	Xoff      int64 // headroom after XOFF; 0: lossy
	Xon       int64 // resume at or below this fill; 0: only XonOffset decides
	XonOffset int64 // resume when this far below the threshold; 0: only Xon decides
	// Of a queue:
	Trim bool // packets that do not fit are trimmed to their headers (Switch.SetTrim)
}

// PortLimit limits the shared cells of a pool that all priority groups, or all queues,
// of a port use together. If both limits are set both apply.
type PortLimit struct {
	Shared  int64 // bytes of each slice; 0: no limit
	Dynamic bool  // limit by the free part of the pool times
	Alpha   int8  // two to the power of Alpha
}

// WRED says which packets are marked or dropped before a queue is full. A colour
// without a curve is not affected.
type WRED struct {
	Drop    [Colours]Curve // packets that are not ECN-capable
	Mark    [Colours]Curve // ECN-capable packets, RFC 3168
	Dequeue bool           // mark when a packet leaves, by the remaining queue length
	Weight  uint8          // exponent of two of the averaging weight; 0: the current length
}

// Curve is a probability that rises from 0 at Min to Percent at Max; above Max it is 1.
type Curve struct {
	On       bool
	Min, Max int64 // bytes
	Percent  uint8 // 0..100
}

// Colour of a packet.
type Colour uint8

// Colours in the order of SAI_PACKET_COLOR.
const (
	Green Colour = iota
	Yellow
	Red
	Colours
)

// Scheduling of a queue.
type Scheduling struct {
	Strict  bool // served before all others, higher index first
	Weight  int  // 1..255 among the others; 0 means 1
	MinRate int64
	MaxRate int64 // bytes per second, or packets per second; 0: no limit
	Burst   int64 // bytes or packets that may pass at once; at least two maximum-size frames or 16 packets
	Packets bool  // rates and burst are in packets
}

// Queue is an egress queue's configuration.
type Queue struct {
	Buffer   Buffer
	Sched    Scheduling
	WRED     *WRED
	Detector Detector
}

// Detector is the deadlock detector of a queue.
type Detector struct {
	On       bool
	Detect   Time // a continuous pause of this length is a deadlock
	Recover  Time // time for which the queue then ignores pauses
	Drop     bool // drop packets meanwhile instead of sending them
	AppOwned bool // software does the recovery
	// Xoffs, if not 0, is the number of pause frames of the queue's class within Detect
	// that make a deadlock, instead of a continuous pause.
	Xoffs int
}

// Maps classify packets. The zero value puts all packets into class 0; DefaultMaps are
// a chip's defaults.
type Maps struct {
	TrustDSCP  bool  // classify IP packets by DSCP; all others by PCP
	DefaultTC  uint8 // of packets with neither
	DSCPToTC   [64]uint8
	PCPToTC    [Classes]uint8
	DSCPColour [64]Colour
	PCPColour  [Classes]Colour
	TCToGroup  [MaxTC]uint8
	TCToQueue  [MaxTC]uint8
	// Remarking at egress, by traffic class and colour; Keep leaves the field.
	TCToDSCP [Colours][MaxTC]uint8
	TCToPCP  [Colours][MaxTC]uint8
	// Priorities of pause frames that this port sends and receives.
	ClassToGroup [Classes]uint8  // group that stops the class
	ClassToQueue [Classes]uint32 // bits of queues that a pause of the class stops
}

// Keep in a remarking map leaves the field unchanged.
const Keep = 255

// DefaultMaps maps every value to itself.
func DefaultMaps() *Maps {
	m := &Maps{}
	for i := range MaxTC {
		m.TCToGroup[i] = uint8(i % Classes)
		m.TCToQueue[i] = uint8(i)
		for c := range Colours {
			m.TCToDSCP[c][i], m.TCToPCP[c][i] = Keep, Keep
		}
	}
	for i := range uint8(Classes) {
		m.PCPToTC[i] = i
		m.ClassToGroup[i] = i
		m.ClassToQueue[i] = 1 << i
	}
	return m
}

// PortConfig is a port's configuration.
type PortConfig struct {
	Rate         uint64 // bit/s
	Down         bool   // sends and receives nothing
	TxOff        bool   // sends nothing
	MTU          int    // maximum frame size with FCS, bytes; 0: no limit
	Maps         *Maps  // nil: DefaultMaps
	PFCSend      uint8  // classes for which the port sends PFC frames
	PFCReceive   uint8  // classes for which the port reacts to PFC frames; both 0: no PFC
	PauseSend    bool   // 802.3x, off while PFC is on, IEEE 802.1Q 36.1
	PauseReceive bool
	Quanta       uint16 // requested pause time; 0 means 65535
	Response     Time   // from the end of a pause frame until no new frame starts
	NoExpiry     bool   // pauses last until resumed, and are not refreshed
	PFCBytes     int    // size of a pause frame with FCS; 0 means 64
	MaxRate      int64  // of the whole port, bytes per second; 0: no limit
	MaxBurst     int64  // bytes; at least two maximum-size frames
	// SliceIn and SliceOut select the slice of a pool that a packet uses: SliceIn of
	// the ingress port plus SliceOut of the egress port, modulo Model.Slices.
	SliceIn, SliceOut uint8
	// Reserved is the minimum that the chip reserves for the port's queues, in bytes,
	// even if they reserve less; below 0: nothing is reserved, even if they reserve
	// more (SharedIncludesHeadroom).
	Reserved int64
}

// pfc reports whether PFC is on in either direction.
func (c *PortConfig) pfc() bool { return c.PFCSend|c.PFCReceive != 0 }

func (c *PortConfig) pauseSend() bool { return c.PauseSend && !c.pfc() }

func (c *PortConfig) pauseReceive() bool { return c.PauseReceive && !c.pfc() }

// SwitchConfig is the configuration of a new switch.
type SwitchConfig struct {
	Name   string
	Ports  int
	Queues int // of each port, 1..MaxQueues
	Pools  int // maximum number
	Model  Model
	MAC    [6]byte // of pause frames and routed packets
	// Observe is called for deadlocks and link changes of the switch. It must not
	// change the simulation. Nil: no observer.
	Observe func(Observation)
}
