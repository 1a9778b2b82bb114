package dataplane

// PortStats counts what passes a port. Bytes are of whole frames with their FCS.
type PortStats struct {
	InPackets, InBytes   uint64
	OutPackets, OutBytes uint64
	InDropped            uint64 // found no room at ingress, or was not to be forwarded
	OutDropped           uint64 // found no room in a queue, or was dropped by WRED
	PFCSent, PFCHeard    [Classes]uint64
	PauseSent            uint64 // 802.3x
	PauseHeard           uint64
	PauseOnToOff         uint64
	LinkPausedFor        Time            // by 802.3x, in pauses that ended
	OnToOff              [Classes]uint64 // pauses that ended
	PausedFor            [Classes]Time   // in pauses that ended
	InErrors             uint64          // damaged: FCS or length
	ControlIgnored       uint64          // MAC control frames that this MAC does not heed: address, opcode, tag
	Marked               uint64
	Trimmed              uint64 // cut to their headers
	InControl            uint64 // pause frames of either kind
	OutControl           uint64
	InTooLong            uint64        // dropped, for they are greater than the port's MTU
	InSizes, OutSizes    [Sizes]uint64 // frames by SizeClass
	StoppedFor           [Classes]Time // the sender at the other end, in stops that ended
}

// GroupStats counts what passes a priority group. Levels are in cells.
type GroupStats struct {
	Packets, Bytes         uint64
	Dropped, DroppedBytes  uint64
	Held, HeldMost         int64
	Shared, SharedMost     int64
	Headroom, HeadroomMost int64
	SliceHeadroomMost      int64 // of the slice with most, which Switch.HeadroomLimit bounds
	Xoffs                  uint64
}

// QueueStats counts what passes a queue. Levels are in cells but for Length,
// which is in bytes of packets.
type QueueStats struct {
	Packets, Bytes        uint64
	Dropped, DroppedBytes uint64
	WREDDropped           [Colours]uint64
	WREDDroppedBytes      [Colours]uint64
	Marked, MarkedBytes   [Colours]uint64
	Trimmed               uint64
	Length, LengthMost    int64
	Held, HeldMost        int64
	Shared, SharedMost    int64
	Deadlocks             uint64
}

// PoolStats are levels of a pool in cells, of all slices together.
type PoolStats struct {
	Held, HeldMost         int64 // but for headroom
	Shared, SharedMost     int64
	Headroom, HeadroomMost int64
	SliceHeadroomMost      int64 // of the slice with most, which Switch.PoolHeadroomLimit bounds
	Dropped                uint64
}

// Reason says why a packet was dropped.
type Reason uint8

// Reasons.
const (
	Kept             Reason = iota
	DropLink                // the link lost it, or the one that it was to leave by is down
	DropSize                // greater than the port's MTU
	DropForward             // no way to its destination
	DropTTL                 // expired
	DropACL                 // an entry says so
	DropVLAN                // its port is not in its VLAN
	DropFlood               // its destination is unknown, and it may not be flooded
	DropNeighbour           // its next hop's address is unknown
	DropGroup               // no room in its priority group
	DropHeadroom            // no room in headroom, its group's or its port's
	DropHeadroomPool        // no room in the headroom that groups share, though its group might use more of it
	DropQueue               // no room in its queue
	DropWRED                // by probability
	DropDeadlock            // the queue recovers from a deadlock by dropping
	reasons
)

func (r Reason) String() string {
	return [...]string{"kept", "link", "size", "forwarding", "ttl", "acl", "vlan", "flooding", "neighbour", "priority group", "headroom", "headroom pool", "queue", "wred", "deadlock"}[r]
}

// ObservationKind is what an observation is of.
type ObservationKind uint8

// Kinds of observations, and which fields they have beside At.
const (
	SeenQueue     ObservationKind = iota // a queue's length changed: Port, Class (queue), Level bytes, Flow (whose data came in; nil: something left, or came that is no data)
	SeenGroup                            // a group's fill changed: Port, Class (group), Level bytes held, Headroom, Threshold
	SeenXoff                             // a class is stopped: Port, Class, Out (where the packet goes that was too much; nil: none was)
	SeenXon                              // it may go on: Port, Class, Span of the stop
	SeenPFCSent                          // a PFC frame leaves: Port, Class, On
	SeenPauseSent                        // an 802.3x frame leaves: Port, Span asked for, On
	SeenPaused                           // a port heeds, all classes with 802.3x: Port, Class
	SeenResumed                          // a pause is over: Port, Class, Span of it
	SeenMark                             // a packet is marked: Port, Class (queue), Flow
	SeenDrop                             // a packet is dropped: Port, Class (group or queue), Flow, Reason, Level bytes
	SeenRate                             // a sender changed its rate: Flow, Level bit/s, Target
	SeenCNP                              // a sender hears of marks: Flow
	SeenArrived                          // the receiver has a whole flow: Flow, Span it took
	SeenDone                             // its sender knows: Flow, Span it took
	// What a switch's own News hears of too:
	SeenDeadlock // detected, or over: Port, Class (queue), On
	SeenLink     // a port's link is up, or down: Port, On
)

// Observation is something that happened.
type Observation struct {
	At        Time
	Kind      ObservationKind
	Class     uint8
	On        bool
	Reason    Reason
	Port      *Port
	Out       *Port
	Flow      *Flow
	Level     int64
	Headroom  int64
	Threshold int64
	Target    int64
	Span      Time
}

func (s *Sim) observe(o Observation) {
	o.At = s.now
	if s.cfg.Observe != nil {
		s.cfg.Observe(o)
	}
	s.notifySwitch(o)
}
