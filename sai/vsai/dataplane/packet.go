package dataplane

// packetKind is the purpose of a packet.
type packetKind uint8

const (
	pktData    packetKind = iota
	pktAck                // acknowledges everything before psn
	pktNak                // requests psn and everything after it
	pktCNP                // congestion notification
	pktControl            // MAC control
)

// control reports whether the receiving MAC consumes the frame.
func (k packetKind) control() bool { return k == pktControl }

// ECN field of IP, RFC 3168.
const (
	notECT uint8 = iota
	ect1
	ect0
	ce
)

// noPacket ends a list of packets.
const noPacket = ^uint32(0)

// packet is one frame between creation and arrival. Packets live in a slab and refer to
// each other by index, so the garbage collector has nothing to scan.
type packet struct {
	at      Time   // arrival time, while on a link
	seq     uint64 // sequence number of the arrival among simultaneous events
	psn     uint64 // payload offset of data; next expected offset in an acknowledgement
	next    uint32 // next in a list
	flow    uint32
	header  uint32 // index of the header; for a MAC control frame, of its content
	bytes   int32  // from destination address to FCS
	cells   int32  // while in a switch
	in      uint16 // ingress port of the switch
	kind    packetKind
	dscp    uint8
	ecn     uint8
	ttl     uint8
	pcp     uint8
	queue   uint8
	group   uint8
	slice   uint8
	colour  Colour
	trimmed bool // the payload was cut off
	echo    bool // in an acknowledgement: the acknowledged packet was marked
	lost    bool // the link went down while it was in flight
}

// slab holds all packets.
type slab struct {
	all  []packet
	free uint32
	used int
}

func (s *slab) alloc() (uint32, *packet) {
	s.used++
	if i := s.free; i != noPacket {
		p := &s.all[i]
		s.free = p.next
		*p = packet{next: noPacket}
		return i, p
	}
	s.all = append(s.all, packet{next: noPacket})
	return uint32(len(s.all) - 1), &s.all[len(s.all)-1]
}

func (s *slab) release(i uint32) {
	s.used--
	s.all[i].next = s.free
	s.free = i
}

// packetList is a queue of packets.
type packetList struct{ head, tail uint32 }

var emptyList = packetList{noPacket, noPacket}

func (l *packetList) empty() bool { return l.head == noPacket }

func (s *slab) append(l *packetList, i uint32) {
	s.all[i].next = noPacket
	if l.head == noPacket {
		l.head = i
	} else {
		s.all[l.tail].next = i
	}
	l.tail = i
}

func (s *slab) shift(l *packetList) uint32 {
	i := l.head
	l.head = s.all[i].next
	return i
}

// each visits the packets of a list in order.
func (s *slab) each(l packetList, f func(k *packet)) {
	if l.empty() {
		return
	}
	for i := l.head; ; i = s.all[i].next {
		f(&s.all[i])
		if i == l.tail {
			return
		}
	}
}

// controls holds the content of MAC control frames in flight.
type controls struct {
	all  []Control
	free []uint32
}

func (c *controls) alloc(what Control) uint32 {
	if n := len(c.free); n > 0 {
		i := c.free[n-1]
		c.free = c.free[:n-1]
		c.all[i] = what
		return i
	}
	c.all = append(c.all, what)
	return uint32(len(c.all) - 1)
}

func (c *controls) release(i uint32) { c.free = append(c.free, i) }
