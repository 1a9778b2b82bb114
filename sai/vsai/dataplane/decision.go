package dataplane

// Forwarder decides where packets go.
type Forwarder interface {
	// Forward decides about a packet from an ingress port. The switch calls it once for
	// packets with equal headers and marks, until Switch.InvalidateDecisions.
	Forward(in int, h *Header, m Marks) Decision
}

// Marks are the fields of a packet that may change at each switch, and its class and
// colour by the ingress port's maps.
type Marks struct {
	DSCP   uint8
	PCP    uint8 // 0 for an untagged frame
	ECN    uint8
	TC     uint8
	Colour Colour
}

// Decision is a forwarding decision.
type Decision struct {
	Drop  Reason // Kept: not dropped
	CPU   bool   // to the CPU only
	Route bool   // TTL decreases
	TC    uint8  // new traffic class, which selects the priority group; Keep: as classified
	Exits []Exit // one for each copy; no exits: dropped
	// Count are counters to update for each such packet, dropped or not.
	Count []*Counter
}

// Exit is an egress port, and the changes to the packet.
type Exit struct {
	Port   int
	Header Header
	TC     uint8 // selects the queue; Keep: that of the decision
	DSCP   uint8 // Keep: unchanged
}

// Counter counts packets, and bytes of their frames with FCS.
type Counter struct{ Packets, Bytes uint64 }

// ToPort is a decision for one egress port without changes.
func ToPort(port int, h Header) Decision {
	return Decision{TC: Keep, Exits: []Exit{{Port: port, Header: h, TC: Keep, DSCP: Keep}}}
}

// cachedDecision is a decision and the key that it is for.
type cachedDecision struct {
	key    uint32 // ingress port and marks
	next   uint32 // next with the same header; 0: none
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

// exit is an Exit with its header resolved to a number.
type exit struct {
	header uint32
	port   uint16
	tc     uint8
	dscp   uint8
}

// lookup returns a cached decision. Index 0 of decisions is not used: it ends lists.
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

// decisionFor returns the decision for a packet, from the cache or the forwarder.
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

// decide asks the forwarder.
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

// classify returns the class of a packet: by DSCP if trusted, else by the PCP of its
// tag, else the port's default.
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

// receive handles a packet that has arrived at a switch as a whole.
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

// pass forwards a packet; each exit but the first gets a copy. Each copy is charged
// separately.
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
		j, c := s.packets.alloc()
		*c = s.packets.all[i]
		c.next = noPacket
		s.balance.in += int64(c.bytes)
		p.sw.balance.in += int64(c.bytes)
		s.exit(p, j, &n.more[x])
	}
	s.exit(p, i, &n.first)
}

// exit sends a packet to its egress port.
func (s *Sim) exit(p *Port, i uint32, x *exit) {
	k := &s.packets.all[i]
	k.header = x.header
	if x.dscp != Keep {
		k.dscp = x.dscp
	}
	s.enqueue(p, p.sw.ports[x.port], i, x.tc)
}
