package dataplane

// Classes is the number of priorities of 802.1p, and so of PFC.
const Classes = 8

// MaxQueues is the most queues that a port can have.
const MaxQueues = 32

// MaxTC is the number of traffic classes.
const MaxTC = 16

// Model is what chips of one kind have in common.
type Model struct {
	CellBytes    int // unit of the packet memory; 0 means 1
	CellOverhead int // bytes that the chip keeps with each packet
	Slices       int // equal parts of every pool, 1 to 4; 0 means 1 (PortConfig.SliceIn)
	Admission    Admission
	SharedSize   SharedSize
	// AlphaTop is the greatest exponent of a dynamic threshold; greater ones
	// count as it. 0 means 7.
	AlphaTop int8
	// PortAlpha: a port's share of a pool is found first, by the factor of its limit
	// (PortLimit), and the priority group's within that. A port without one has AlphaTop.
	PortAlpha bool
	// HeadroomLoss is what a lossless group does not get of its own headroom, in cells,
	// and SharedXoffTimes how many times its Xoff it may take if the pool has headroom; 0
	// means 1. Both are of AdmitPerGroup.
	HeadroomLoss, SharedXoffTimes int
	// StaticOverPool: a queue whose static threshold is above its pool's size is bounded by
	// that threshold alone, not by what the pool has left.
	StaticOverPool bool
	// WREDCells: WRED goes by the cells that a queue holds, with thresholds rounded up to
	// cells, not by bytes.
	WREDCells bool
	// ResumeOwn: whether a priority group may go on is looked at only when a packet
	// of its own leaves, not whenever its pool drains.
	ResumeOwn bool
	// ReleaseEarly: memory is free when a packet begins to leave, not when its last
	// byte has.
	ReleaseEarly bool
	// QueueRound is the number of cells up to whose multiple limits of queues are
	// rounded; 0 means 1.
	QueueRound int
}

// Admission is the order in which a lossless packet finds room at ingress.
type Admission uint8

// Ways of admission.
const (
	// AdmitBefore: the threshold is compared with what is used without the packet;
	// the one that crosses it is still shared. Once headroom is in use all goes
	// there until it is empty again.
	AdmitBefore Admission = iota
	// AdmitAfter: compared with what is used with the packet.
	AdmitAfter
	// AdmitPerGroup: each group has a buffer of its own for what the shared part
	// does not take, and stops the sender by its fill.
	AdmitPerGroup
)

// SharedSize says what is shared of a pool.
type SharedSize uint8

// Rules of the shared size.
const (
	SharedIncludesHeadroom SharedSize = iota // size − shared headroom − all that is reserved
	SharedExcludesHeadroom                   // size
	SharedPrivate                            // size − (reserved + headroom) of each group
)

// Pool is a buffer pool. Sizes are in bytes.
type Pool struct {
	Egress   bool
	Size     int64
	Headroom int64 // shared headroom; 0: each group has its own
	WRED     *WRED // by what is used of the whole pool
}

// Buffer is what a priority group or a queue may take. Sizes are in bytes.
type Buffer struct {
	Pool     int   // index; -1: no buffer, packets are dropped
	Reserved int64 // its own
	Dynamic  bool
	Alpha    int8  // exponent of two of a dynamic threshold
	Static   int64 // else: most that it may share; 0: all
	// Of a lossless priority group:
	Xoff      int64 // headroom after XOFF; 0: lossy
	Xon       int64 // at or below it the sender may go on; 0: the offset decides
	XonOffset int64 // so may it when this far below the threshold; 0: Xon decides
	// Of a queue:
	Trim bool // a packet that finds no room is cut to its headers (Switch.SetTrim)
}

// PortLimit bounds what all priority groups, or all queues, of a port share of a pool
// together. Both limits hold where both are given.
type PortLimit struct {
	Shared  int64 // bytes of a slice; 0: no limit
	Dynamic bool  // by what is free of the pool, with a factor of
	Alpha   int8  // this exponent of two
}

// WRED says which packets are marked or dropped before a queue is full. A colour
// without a curve is left alone.
type WRED struct {
	Drop    [Colours]Curve // of packets that can't be marked
	Mark    [Colours]Curve // of those that can, RFC 3168
	Dequeue bool           // mark when a packet leaves, by what it leaves behind
	Weight  uint8          // of the average, as an exponent of two; 0: the queue as it is
}

// Curve is a probability that rises from 0 above Min to Max percent at Max
// bytes; above that all are taken.
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
	Strict  bool // before all that are not, the higher index first
	Weight  int  // 1..255 of the rest; 0 means 1
	MinRate int64
	MaxRate int64 // bytes a second, or packets a second; 0: no limit
	Burst   int64 // bytes or packets that may pass at once; two great frames or 16 packets at least
	Packets bool  // rates and burst count packets
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
	Detect   Time // paused so long without a break: a deadlock
	Recover  Time // pause is not heeded for so long afterwards
	Drop     bool // meanwhile packets are dropped instead of sent
	AppOwned bool // recovery is software's work
	// Xoffs, if not 0, is the number of pause frames of the queue's class within a
	// span of Detect that make a deadlock, in place of a pause without a break.
	Xoffs int
}

// Maps say which class a packet belongs to. The zero value puts all into class
// 0; DefaultMaps is how chips come up.
type Maps struct {
	TrustDSCP  bool  // of IP packets; else, and of others, the PCP counts
	DefaultTC  uint8 // of packets that have neither
	DSCPToTC   [64]uint8
	PCPToTC    [Classes]uint8
	DSCPColour [64]Colour
	PCPColour  [Classes]Colour
	TCToGroup  [MaxTC]uint8
	TCToQueue  [MaxTC]uint8
	// Remarking at egress, by traffic class and colour; the value 255: as it came.
	TCToDSCP [Colours][MaxTC]uint8
	TCToPCP  [Colours][MaxTC]uint8
	// Flow control of this port as a receiver and a sender of pause frames.
	ClassToGroup [Classes]uint8  // whose fill stops the class
	ClassToQueue [Classes]uint32 // bits of queues that a pause of the class stops
}

// Keep is the value of a remarking map that leaves the field as it is.
const Keep = 255

// DefaultMaps is n to n everywhere.
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
	Down         bool   // no frame leaves or enters
	TxOff        bool   // no frame leaves
	MTU          int    // bytes of the greatest frame with FCS; 0: no limit
	Maps         *Maps  // nil: DefaultMaps
	PFCSend      uint8  // classes that are stopped with PFC frames
	PFCReceive   uint8  // classes of which PFC frames are heeded; both 0: no PFC
	PauseSend    bool   // 802.3x, out of force while there is PFC, IEEE 802.1Q 36.1
	PauseReceive bool
	Quanta       uint16 // what pause frames ask for; 0 means 65535
	Response     Time   // from a pause frame's last bit to no new frame
	NoExpiry     bool   // pauses last until they are taken back, and are told once
	PFCBytes     int    // of a pause frame with FCS; 0 means 64
	MaxRate      int64  // of all that leaves, bytes a second; 0: no limit
	MaxBurst     int64  // bytes; two great frames at least
	// SliceIn and SliceOut say which slice of a pool a packet takes: that of SliceIn of the
	// port where it comes in plus SliceOut of the one where it leaves, modulo Model.Slices.
	SliceIn, SliceOut uint8
	// Reserved is what the chip keeps for the port's queues at least, in bytes, whatever
	// they reserve; below 0: nothing, whatever they reserve (SharedIncludesHeadroom).
	Reserved int64
}

// pfc reports whether there is PFC, in either direction.
func (c *PortConfig) pfc() bool { return c.PFCSend|c.PFCReceive != 0 }

func (c *PortConfig) pauseSend() bool { return c.PauseSend && !c.pfc() }

func (c *PortConfig) pauseReceive() bool { return c.PauseReceive && !c.pfc() }

// SwitchConfig is a switch as it is made.
type SwitchConfig struct {
	Name   string
	Ports  int
	Queues int // of each port, 1..MaxQueues
	Pools  int // at most
	Model  Model
	MAC    [6]byte // of pause frames and routed packets
	// Observe hears of deadlocks and links of the switch, as they happen. It may not
	// change anything of the simulation. Nil: nobody does.
	Observe func(Observation)
}
