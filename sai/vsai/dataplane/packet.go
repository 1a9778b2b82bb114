package dataplane

// packetKind is what a packet is for.
type packetKind uint8

const (
	pktData    packetKind = iota
	pktAck                // acknowledges all before psn
	pktNak                // asks for psn and all after it
	pktCNP                // tells of a mark
	pktControl            // of MACs
)

// control reports whether the frame ends in the MAC that receives it.
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

// packet is one frame somewhere between its making and its end. Packets live in
// a slab and know each other by number, so that the collector has nothing to do.
type packet struct {
	at      Time   // arrival, while on a link
	seq     uint64 // of that arrival among the events of its moment
	psn     uint64 // payload offset of data, next expected of an acknowledgement
	next    uint32 // in a list
	flow    uint32
	header  uint32 // what switches read of it; of a MAC control frame, what it says
	bytes   int32  // from destination address to FCS
	cells   int32  // while in a switch
	in      uint16 // port of the switch that it came in by
	kind    packetKind
	dscp    uint8
	ecn     uint8
	ttl     uint8
	pcp     uint8
	queue   uint8
	group   uint8
	slice   uint8
	colour  Colour
	trimmed bool // its payload is cut off
	echo    bool // of an acknowledgement: what it acknowledges was marked
	lost    bool // the link went down under it
}

// slab holds all packets.
type slab struct {
	all  []packet
	free uint32
	used int
}

func (s *slab) take() (uint32, *packet) {
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

func (s *slab) give(i uint32) {
	s.used--
	s.all[i].next = s.free
	s.free = i
}

// list is a queue of packets.
type list struct{ head, tail uint32 }

var emptyList = list{noPacket, noPacket}

func (l *list) empty() bool { return l.head == noPacket }

func (s *slab) put(l *list, i uint32) {
	s.all[i].next = noPacket
	if l.head == noPacket {
		l.head = i
	} else {
		s.all[l.tail].next = i
	}
	l.tail = i
}

func (s *slab) shift(l *list) uint32 {
	i := l.head
	l.head = s.all[i].next
	return i
}

// each visits a list's packets in their order.
func (s *slab) each(l list, f func(k *packet)) {
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

// controls holds what the MAC control frames say that are on their way.
type controls struct {
	all  []Control
	free []uint32
}

func (c *controls) take(what Control) uint32 {
	if n := len(c.free); n > 0 {
		i := c.free[n-1]
		c.free = c.free[:n-1]
		c.all[i] = what
		return i
	}
	c.all = append(c.all, what)
	return uint32(len(c.all) - 1)
}

func (c *controls) give(i uint32) { c.free = append(c.free, i) }
