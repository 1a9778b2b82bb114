package dataplane

import "fmt"

// Switch is a switch: ports, packet memory, forwarding.
type Switch struct {
	sim     *Sim
	cfg     SwitchConfig
	id      int
	ports   []*Port
	mmu     *mmu
	forward Forwarder
	known   []known // by header
	epoch   uint32  // of what is known
	toCPU   uint64
	drops   [reasons]uint64
	balance balance
}

// Forwarder says where packets go.
type Forwarder interface {
	// Forward says what becomes of a packet that came in by a port. It is asked
	// once for packets that look the same, until Switch.Forget.
	Forward(in int, h *Header, m Marks) Way
}

// Marks are what of a packet may change at each switch.
type Marks struct {
	DSCP uint8
	PCP  uint8
	ECN  uint8
}

// Way is what becomes of a packet.
type Way struct {
	Drop Reason // Kept: it goes on
	// Out is the port that it leaves by; Flood, if not empty, has more of them, and
	// then Out does not count.
	Out    int
	Flood  []int
	CPU    bool   // to the CPU, and nowhere else
	Header Header // as it leaves
	Route  bool   // TTL counts down
	// What an ACL entry sets: -1, or the value.
	TC, DSCP int16
}

// known is a way that was found, and for what.
type known struct {
	epoch  uint32
	in     uint16
	marks  Marks
	tc     uint8
	colour Colour
	way    Way
	header uint32
}

// AddSwitch makes a switch with all ports at their defaults, down to the rate,
// which is 100 Gb/s, and without forwarding.
func (s *Sim) AddSwitch(cfg SwitchConfig) (*Switch, error) {
	if cfg.Ports < 1 || cfg.Queues < 1 || cfg.Queues > MaxQueues || cfg.Pools < 1 {
		return nil, fmt.Errorf("switch %s: %d ports, %d queues, %d pools: want 1 or more of each, at most %d queues", cfg.Name, cfg.Ports, cfg.Queues, cfg.Pools, MaxQueues)
	}
	w := &Switch{sim: s, cfg: cfg, id: len(s.switches), epoch: 1}
	w.mmu = newMMU(cfg)
	s.switches = append(s.switches, w)
	for i := range cfg.Ports {
		p := &Port{index: i, sw: w, cfg: PortConfig{Rate: 100e9}, egress: newEgress(cfg.Queues)}
		for j := range Classes {
			w.mmu.group(i, j).port = p
		}
		for q := range p.egress.queues {
			p.egress.queues[q].dice = newStream(s.cfg.Seed, 2, uint64(w.id), uint64(i), uint64(q))
		}
		w.ports = append(w.ports, s.addPort(p))
	}
	return w, nil
}

// Name is the switch's name.
func (w *Switch) Name() string { return w.cfg.Name }

// Ports lists the switch's ports.
func (w *Switch) Ports() []*Port { return w.ports }

// SetForwarder says where packets go from now on.
func (w *Switch) SetForwarder(f Forwarder) {
	w.forward = f
	w.Forget()
}

// Forget has the forwarder asked anew about every packet, for it has changed.
func (w *Switch) Forget() { w.epoch++ }

// Drops counts packets that the switch dropped, by the reason.
func (w *Switch) Drops(r Reason) uint64 { return w.drops[r] }

// ToCPU counts packets that went to the switch's own CPU.
func (w *Switch) ToCPU() uint64 { return w.toCPU }

// way finds what becomes of a packet.
func (s *Sim) way(w *Switch, p *Port, k *packet) *known {
	for int(k.header) >= len(w.known) {
		w.known = append(w.known, known{})
	}
	n := &w.known[k.header]
	marks := Marks{k.dscp, k.pcp, k.ecn}
	if n.epoch == w.epoch && n.in == uint16(p.index) && n.marks == marks {
		return n
	}
	*n = known{epoch: w.epoch, in: uint16(p.index), marks: marks, way: Way{Drop: DropForward}}
	if w.forward != nil {
		n.way = w.forward.Forward(p.index, &s.headers[k.header], marks)
	}
	n.tc, n.colour = classify(p.maps, marks)
	if n.way.TC >= 0 && w.forward != nil {
		n.tc = uint8(n.way.TC)
	}
	if n.way.Drop == Kept && !n.way.CPU {
		n.header = s.Header(n.way.Header)
	}
	return n
}

func classify(m *Maps, k Marks) (tc uint8, c Colour) {
	if m.TrustDSCP {
		return m.DSCPToTC[k.DSCP&63], m.DSCPColour[k.DSCP&63]
	}
	return m.PCPToTC[k.PCP&7], m.PCPColour[k.PCP&7]
}

// receive takes a packet in that has come to a switch as a whole.
func (s *Sim) receive(p *Port, i uint32) {
	w, k := p.sw, &s.packets.all[i]
	w.balance.in += int64(k.bytes)
	if p.cfg.MTU > 0 && int(k.bytes) > p.cfg.MTU {
		s.drop(p, i, DropSize)
		return
	}
	n := s.way(w, p, k)
	switch {
	case n.way.Drop != Kept:
		s.drop(p, i, n.way.Drop)
		return
	case n.way.CPU:
		w.toCPU++
		w.balance.out += int64(k.bytes)
		s.end(i)
		return
	case n.way.Route && k.ttl <= 1:
		s.drop(p, i, DropTTL)
		return
	}
	k.in, k.header, k.colour = uint16(p.index), n.header, n.colour
	k.group = p.maps.TCToGroup[n.tc&(MaxTC-1)] & 7
	if n.way.Route {
		k.ttl--
	}
	if n.way.DSCP >= 0 {
		k.dscp = uint8(n.way.DSCP)
	}
	if len(n.way.Flood) > 0 {
		s.flood(p, i, n.tc, n.way.Flood)
		return
	}
	s.enqueue(p, w.ports[n.way.Out], i, n.tc)
}

// flood sends copies of a packet by several ports. Each is charged by itself.
func (s *Sim) flood(p *Port, i uint32, tc uint8, out []int) {
	for _, o := range out[1:] {
		j, c := s.packets.take()
		*c = s.packets.all[i]
		c.next = noPacket
		s.balance.in += int64(c.bytes)
		p.sw.balance.in += int64(c.bytes)
		s.enqueue(p, p.sw.ports[o], j, tc)
	}
	s.enqueue(p, p.sw.ports[out[0]], i, tc)
}

// enqueue admits a packet to packet memory and puts it into its queue.
func (s *Sim) enqueue(p, out *Port, i uint32, tc uint8) {
	w, k := p.sw, &s.packets.all[i]
	m := w.mmu
	m.fresh(w.ports)
	q := int(out.maps.TCToQueue[tc&(MaxTC-1)])
	if q >= len(out.egress.queues) {
		q = 0
	}
	remark(out.maps, k, tc)
	k.queue, k.slice = uint8(q), m.slice(p.index, out.index)
	x := &out.egress.queues[q]
	if x.watchdog.dropping {
		s.drop(out, i, DropDeadlock)
		return
	}
	n := m.cells(k.bytes)
	g := m.group(p.index, int(k.group))
	at, why := m.admit(g, k.slice, n)
	if why != Kept {
		s.drop(p, i, why)
		return
	}
	to, ok := m.takes(x, k.slice, n)
	if !ok {
		s.drop(out, i, DropQueue)
		return
	}
	if !s.early(out, q, k) {
		s.drop(out, i, DropWRED)
		return
	}
	k.cells = int32(n)
	m.charge(g, k.slice, at, k.bytes)
	s.crossed(p, g, k.slice)
	s.hold(out, q, i, to)
	s.kick(out)
}

func remark(m *Maps, k *packet, tc uint8) {
	if v := m.TCToDSCP[k.colour][tc&(MaxTC-1)]; v != Keep {
		k.dscp = v
	}
	if v := m.TCToPCP[k.colour][tc&(MaxTC-1)]; v != Keep {
		k.pcp = v
	}
}

// crossed stops the senders of a group if it has come to its threshold.
func (s *Sim) crossed(p *Port, g *group, slice uint8) {
	if s.cfg.Observe != nil {
		s.seeGroup(g, slice)
	}
	m := p.sw.mmu
	if !m.crosses(g, slice) {
		return
	}
	if g.xoff == 0 {
		m.stopped = append(m.stopped, g)
		g.stats.Xoffs++
	}
	g.xoff |= 1 << slice
	g.told |= g.classes
	s.stop(p, g.classes)
}

func (s *Sim) seeGroup(g *group, slice uint8) {
	m := g.port.sw.mmu
	cell := int64(m.model.CellBytes)
	s.observe(Observation{
		Kind: SeenGroup, Port: g.port, Class: g.index, Level: g.stats.Held * cell,
		Headroom: g.stats.Headroom * cell, Threshold: (m.threshold(g, slice) + g.limits.own) * cell,
	})
}

// depart is what a packet meets when it is taken out of its queue.
func (s *Sim) depart(p *Port, x *queue, i uint32) {
	k := &s.packets.all[i]
	s.late(p, x, k, x.stats.Length-int64(k.bytes))
	if p.sw.mmu.model.ReleaseEarly {
		s.free(p, k)
	} else {
		p.sending = i
	}
	p.sw.balance.out += int64(k.bytes)
}
