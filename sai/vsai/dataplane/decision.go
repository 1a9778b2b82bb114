package dataplane

// Forwarder says where packets go.
type Forwarder interface {
	// Forward says what becomes of a packet that came in by a port. It is asked
	// once for packets that look the same, until Switch.Forget.
	Forward(in int, h *Header, m Marks) Decision
}

// Marks are what of a packet may change at each switch, and its class as the
// port that it came in by has it.
type Marks struct {
	DSCP   uint8
	PCP    uint8 // 0 of an untagged frame
	ECN    uint8
	TC     uint8
	Colour Colour
}

// Decision is what becomes of a packet.
type Decision struct {
	Drop  Reason // Kept: it goes on
	CPU   bool   // to the CPU, and nowhere else
	Route bool   // TTL counts down
	TC    uint8  // that it is of from now on, with its priority group; Keep: as it was classified
	Exits []Exit // one for each copy; none drops it
	// Count has counters that each such packet is added to, dropped or not.
	Count []*Counter
}

// Exit is a port that a packet leaves by, and what is changed on the way.
type Exit struct {
	Port   int
	Header Header
	TC     uint8 // of its queue; Keep: the way's
	DSCP   uint8 // Keep: as it came
}

// Counter counts packets, and bytes of their frames with FCS.
type Counter struct{ Packets, Bytes uint64 }

// ToPort is a way out by one port without change.
func ToPort(port int, h Header) Decision {
	return Decision{TC: Keep, Exits: []Exit{{Port: port, Header: h, TC: Keep, DSCP: Keep}}}
}

// cachedDecision is a way that was found, and for what.
type cachedDecision struct {
	key    uint32 // port and marks
	next   uint32 // another of the same header; 0: none
	drop   Reason
	cpu    bool
	route  bool
	tagged bool
	tc     uint8
	colour Colour
	first  exit
	more   []exit
	count  []*Counter
}

// exit is an Exit ready for use.
type exit struct {
	header uint32
	port   uint16
	tc     uint8
	dscp   uint8
}

// lookup is a packet's way, if it is known. Place 0 of known is never used.
func (w *Switch) lookup(header, key uint32) *cachedDecision {
	if w.stale {
		w.stale = false
		w.decisions = append(w.decisions[:0], cachedDecision{})
		clear(w.firstByHeader)
	}
	for int(header) >= len(w.firstByHeader) {
		w.firstByHeader = append(w.firstByHeader, 0)
	}
	for i := w.firstByHeader[header]; i != 0; i = w.decisions[i].next {
		if n := &w.decisions[i]; n.key == key {
			return n
		}
	}
	return nil
}

// decisionFor finds what becomes of a packet.
func (s *Sim) decisionFor(w *Switch, p *Port, k *packet) *cachedDecision {
	key := uint32(p.index)<<16 | uint32(k.dscp&63)<<8 | uint32(k.pcp&7)<<4 | uint32(k.ecn)
	if n := w.lookup(k.header, key); n != nil {
		return n
	}
	n := s.decide(w, p, k)
	n.key, n.next = key, w.firstByHeader[k.header]
	w.firstByHeader[k.header] = uint32(len(w.decisions))
	w.decisions = append(w.decisions, n)
	return &w.decisions[len(w.decisions)-1]
}

// decide has the forwarder find it.
func (s *Sim) decide(w *Switch, p *Port, k *packet) cachedDecision {
	h := s.headers[k.header]
	m := Marks{DSCP: k.dscp, PCP: k.pcp, ECN: k.ecn}
	if !h.Tagged {
		m.PCP = 0
	}
	m.TC, m.Colour = p.maps.classify(&h, m)
	decision := Decision{Drop: DropForward, TC: Keep}
	if w.forward != nil {
		decision = w.forward.Forward(p.index, &h, m)
	}
	n := cachedDecision{drop: decision.Drop, cpu: decision.CPU, route: decision.Route, tagged: h.Tagged, tc: m.TC, colour: m.Colour, count: decision.Count}
	if decision.TC != Keep {
		n.tc = decision.TC & (MaxTC - 1)
	}
	if n.drop == Kept && !n.cpu && len(decision.Exits) == 0 {
		n.drop = DropForward
	}
	for i, x := range decision.Exits {
		e := exit{header: s.Header(x.Header), port: uint16(x.Port), tc: x.TC & (MaxTC - 1), dscp: x.DSCP}
		if x.TC == Keep {
			e.tc = n.tc
		}
		if i == 0 {
			n.first = e
		} else {
			n.more = append(n.more, e)
		}
	}
	return n
}

// classify is what class a packet is of: by DSCP if it has one that is trusted,
// else by the PCP of its tag, else the port's.
func (m *Maps) classify(h *Header, k Marks) (tc uint8, c Colour) {
	switch {
	case m.TrustDSCP && h.IP():
		return m.DSCPToTC[k.DSCP&63] & (MaxTC - 1), m.DSCPColour[k.DSCP&63]
	case h.Tagged:
		return m.PCPToTC[k.PCP&7] & (MaxTC - 1), m.PCPColour[k.PCP&7]
	default:
		return m.DefaultTC & (MaxTC - 1), Green
	}
}

// receive takes a packet in that has come to a switch as a whole.
func (s *Sim) receive(p *Port, i uint32) {
	w, k := p.sw, &s.packets.all[i]
	w.balance.in += int64(k.bytes)
	if p.cfg.MTU > 0 && int(k.bytes) > p.cfg.MTU {
		s.drop(p, i, DropSize)
		return
	}
	n := s.decisionFor(w, p, k)
	for _, c := range n.count {
		c.Packets++
		c.Bytes += uint64(k.bytes)
	}
	switch {
	case n.drop != Kept:
		s.drop(p, i, n.drop)
	case n.route && k.ttl <= 1:
		s.drop(p, i, DropTTL)
	case n.cpu:
		w.toCPU++
		w.balance.out += int64(k.bytes)
		s.finish(i)
	default:
		s.pass(p, i, n)
	}
}

// pass sends a packet on, copies of it if there are several ways out. Each is
// charged by itself.
func (s *Sim) pass(p *Port, i uint32, n *cachedDecision) {
	k := &s.packets.all[i]
	k.in, k.colour = uint16(p.index), n.colour
	k.group = p.maps.TCToGroup[n.tc] & (Classes - 1)
	if n.route {
		k.ttl--
	}
	if !n.tagged {
		k.pcp = 0
	}
	for x := range n.more {
		j, c := s.packets.take()
		*c = s.packets.all[i]
		c.next = noPacket
		s.balance.in += int64(c.bytes)
		p.sw.balance.in += int64(c.bytes)
		s.exit(p, j, &n.more[x])
	}
	s.exit(p, i, &n.first)
}

// exit sends a packet to the port that it leaves by.
func (s *Sim) exit(p *Port, i uint32, x *exit) {
	k := &s.packets.all[i]
	k.header = x.header
	if x.dscp != Keep {
		k.dscp = x.dscp
	}
	s.enqueue(p, p.sw.ports[x.port], i, x.tc)
}
