package dataplane

// PortStats are the counters of a port. Bytes are of whole frames with their FCS.
type PortStats struct {
	InPackets, InBytes   uint64
	OutPackets, OutBytes uint64
	InDropped            uint64 // no room at ingress, or not forwarded
	OutDropped           uint64 // no room in a queue, or dropped by WRED
	PFCSent, PFCHeard    [Classes]uint64
	PauseSent            uint64 // 802.3x
	PauseHeard           uint64
	PauseOnToOff         uint64
	LinkPausedFor        Time            // by 802.3x, only completed pauses
	OnToOff              [Classes]uint64 // completed pauses
	PausedFor            [Classes]Time   // only completed pauses
	InErrors             uint64          // bad FCS or length
	ControlIgnored       uint64          // MAC control frames not for this MAC: address, opcode, tag
	Marked               uint64
	Trimmed              uint64 // trimmed to their headers
	InControl            uint64 // pause frames of both types
	OutControl           uint64
	InTooLong            uint64        // exceeded the port's MTU
	InSizes, OutSizes    [Sizes]uint64 // frames by SizeClass
	StoppedFor           [Classes]Time // time that this port stopped the peer, only completed stops
}

// GroupStats are the counters of a priority group. Levels are in cells.
type GroupStats struct {
	Packets, Bytes         uint64
	Dropped, DroppedBytes  uint64
	Held, HeldMost         int64
	Shared, SharedMost     int64
	Headroom, HeadroomMost int64
	SliceHeadroomMost      int64 // maximum over slices; Switch.HeadroomLimit bounds it
	Xoffs                  uint64
}

// QueueStats are the counters of a queue. Levels are in cells, except Length, which is
// in bytes of packets.
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

// PoolStats are levels of a pool in cells, summed over slices.
type PoolStats struct {
	Held, HeldMost         int64 // without headroom
	Shared, SharedMost     int64
	Headroom, HeadroomMost int64
	SliceHeadroomMost      int64 // maximum over slices; Switch.PoolHeadroomLimit bounds it
	Dropped                uint64
}

// Reason is why a packet was dropped.
type Reason uint8

// Reasons.
const (
	Kept             Reason = iota
	DropLink                // lost on the link, or the egress link is down
	DropSize                // exceeds the port's MTU
	DropForward             // no route or egress port
	DropTTL                 // expired
	DropACL                 // by an ACL entry
	DropVLAN                // its port is not in its VLAN
	DropFlood               // unknown destination, and flooding is disabled
	DropNeighbour           // the next hop's MAC address is unknown
	DropGroup               // no room in its priority group
	DropHeadroom            // no room in headroom, of its group or its port
	DropHeadroomPool        // no room in the shared headroom pool, though its group's limit allows more
	DropQueue               // no room in its queue
	DropWRED                // early drop
	DropDeadlock            // the queue recovers from a deadlock by dropping
	reasons
)

func (r Reason) String() string {
	return [...]string{"kept", "link", "size", "forwarding", "ttl", "acl", "vlan", "flooding", "neighbour", "priority group", "headroom", "headroom pool", "queue", "wred", "deadlock"}[r]
}

// ObservationKind is the type of an observation.
type ObservationKind uint8

// Kinds of observations, with the fields that they use besides At.
const (
	SeenQueue     ObservationKind = iota // a queue's length changed: Port, Class (queue), Level bytes, Flow (of arrived data; nil: a packet left, or is not data)
	SeenGroup                            // a group's fill changed: Port, Class (group), Level bytes held, Headroom, Threshold
	SeenXoff                             // a class was stopped: Port, Class, Out (egress port of the packet that crossed the threshold; nil: no packet did)
	SeenXon                              // it may send again: Port, Class, Span of the stop
	SeenPFCSent                          // a PFC frame was sent: Port, Class, On
	SeenPauseSent                        // an 802.3x frame was sent: Port, Span requested, On
	SeenPaused                           // a pause took effect at a port, for all classes with 802.3x: Port, Class
	SeenResumed                          // a pause ended: Port, Class, Span
	SeenMark                             // a packet was marked: Port, Class (queue), Flow
	SeenDrop                             // a packet was dropped: Port, Class (group or queue), Flow, Reason, Level bytes
	SeenRate                             // a sender changed its rate: Flow, Level bit/s, Target
	SeenCNP                              // a sender received a congestion notification: Flow
	SeenArrived                          // the receiver has the whole flow: Flow, Span
	SeenDone                             // the sender knows that it has: Flow, Span
	// Also passed to SwitchConfig.Observe:
	SeenDeadlock // detected, or over: Port, Class (queue), On
	SeenLink     // a port's link came up or went down: Port, On
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
