package dataplane

import "fmt"

// Port is one end of a link. It belongs to a switch or to a host.
type Port struct {
	id    uint32
	index int
	sw    *Switch // one of sw and host is set
	host  *Host

	cfg       PortConfig
	maps      *Maps
	peer      *Port
	up        bool // the link exists, and both its ends are up
	delay     Time
	loss      float64
	cut       bool // the link carries nothing
	txBlocked bool // by Block
	rng       stream

	frameBytes int32      // size in the last call of frameTime
	frameSpan  Time       // and its result
	wire       packetList // frames in flight to the peer
	busyUntil  Time
	doneSeq    uint64 // sequence number of the end of transmission, which orders it at busyUntil
	armed      bool   // the end of transmission is on the agenda
	sending    uint32 // packet whose memory is freed at the end of transmission

	pauseFrames packetList // pause frames to send
	xoff        uint8      // classes that this port asks the peer to stop
	xoffAt      [Classes]Time
	rounds      uint32 // generation of the XOFF refresh timer
	reactAt     Time   // when the port acts on the last pause frame received
	downs       uint8  // number of times that the link went down

	pausedUntil     [Classes]Time
	paused          uint8 // bits of classes
	pausedAt        [Classes]Time
	linkPausedUntil Time // 802.3x
	linkPausedAt    Time
	linkPaused      bool
	blocked         uint32 // bits of queues that a pause stops

	egress egress
	Stats  PortStats
}

// mac returns the address of the port's node.
func (p *Port) mac() MAC {
	if p.sw != nil {
		return p.sw.cfg.MAC
	}
	return p.host.cfg.MAC
}

// addPort adds a port to the simulation.
func (s *Sim) addPort(p *Port) *Port {
	p.id = uint32(len(s.ports))
	p.rng = newStream(s.cfg.Seed, 1, uint64(p.id))
	p.wire, p.pauseFrames = emptyList, emptyList
	p.sending = noPacket
	s.ports = append(s.ports, p)
	s.SetPort(p, p.cfg)
	return p
}

// Name returns the name of the node, for a switch with the port's index.
func (p *Port) Name() string {
	if p.sw != nil {
		return fmt.Sprintf("%s|%d", p.sw.cfg.Name, p.index)
	}
	return p.host.cfg.Name
}

// ID is the port's number in the simulation, from 0 in creation order.
func (p *Port) ID() int { return int(p.id) }

// Index is the port's number within its switch, from 0.
func (p *Port) Index() int { return p.index }

// Switch returns the switch of the port; nil for a host port.
func (p *Port) Switch() *Switch { return p.sw }

// Host returns the host of the port; nil for a switch port.
func (p *Port) Host() *Host { return p.host }

// Peer returns the other end of the link; nil without a link.
func (p *Port) Peer() *Port { return p.peer }

// Config returns the port's configuration.
func (p *Port) Config() PortConfig { return p.cfg }

// SetPort changes a port's configuration. A frame in transmission is not affected. A
// pause in progress lasts as requested, unless the port no longer receives pauses for
// its class.
func (s *Sim) SetPort(p *Port, cfg PortConfig) {
	if cfg.Quanta == 0 {
		cfg.Quanta = 0xFFFF
	}
	if cfg.PFCBytes == 0 {
		cfg.PFCBytes = ControlBytes
	}
	if cfg.pauseSend() != p.cfg.pauseSend() {
		s.resume(p, p.xoff) // by the same mechanism that stopped them
	} else if !cfg.pauseSend() {
		s.resume(p, p.xoff&^cfg.PFCSend)
	}
	moved := cfg.Down != p.cfg.Down
	retimed := cfg.Rate != p.cfg.Rate || cfg.Quanta != p.cfg.Quanta || cfg.NoExpiry != p.cfg.NoExpiry
	p.cfg, p.maps, p.frameBytes = cfg, cfg.Maps, 0
	if p.maps == nil {
		p.maps = DefaultMaps()
	}
	s.endPauses(p, cfg.PFCReceive, cfg.pauseReceive())
	p.egress.port.set(cfg.MaxRate, max(cfg.MaxBurst, minBurst), s.now)
	if p.sw != nil {
		p.sw.mmu.dirty = true      // reservations depend on the port
		p.sw.InvalidateDecisions() // the maps may classify differently
		p.sw.mmu.classes(p)
		s.restate(p)
	}
	if retimed && p.xoff != 0 && !cfg.NoExpiry {
		s.refreshLater(p) // new requests have a different duration
	}
	s.block(p)
	s.relink(p)
	s.kick(p)
	if moved {
		s.observeLink(p.peer)
	}
}

// restate stops exactly the classes whose groups are over their threshold, with the
// current mechanism: the maps may have moved a class to another group.
func (s *Sim) restate(p *Port) {
	s.resumeGroups(p.sw)
	var classes uint8
	for _, g := range p.sw.mmu.stopped {
		if g.port == p {
			g.stoppedClasses = g.classes
			classes |= g.classes
		}
	}
	s.resume(p, p.xoff&^classes)
	s.stop(p, classes, nil)
}

// frameTime returns the time that a frame takes on the wire.
func (s *Sim) frameTime(p *Port, bytes int32) Time {
	if p.frameBytes != bytes {
		p.frameBytes, p.frameSpan = bytes, s.span(int64(bytes)+int64(s.cfg.Overhead), p.cfg.Rate)
	}
	return p.frameSpan
}

// busy reports whether the port is transmitting. At busyUntil it still is until the
// event that ends transmission has run.
func (s *Sim) busy(p *Port) bool {
	return p.busyUntil > s.now || p.busyUntil == s.now && p.doneSeq > s.current
}

// kick starts transmission if the port is idle, may send and has a frame.
func (s *Sim) kick(p *Port) {
	if s.busy(p) {
		s.arm(p)
		return
	}
	if !p.up || p.cfg.TxOff || p.txBlocked {
		return
	}
	if i := s.next(p); i != noPacket {
		s.transmit(p, i)
	}
}

// Block stops a port from sending, regardless of its configuration, or lets it send
// again.
func (s *Sim) Block(p *Port, on bool) {
	p.txBlocked = on
	s.kick(p)
}

// arm schedules the end of transmission. Most transmissions need no such event.
func (s *Sim) arm(p *Port) {
	if !p.armed {
		p.armed = true
		s.events.push(event{at: p.busyUntil, seq: p.doneSeq, kind: evSent, a: p.id})
	}
}

// next dequeues the frame to send. Pause frames go first and are never paused.
func (s *Sim) next(p *Port) uint32 {
	if !p.pauseFrames.empty() {
		return s.nextPause(p)
	}
	if p.linkPaused {
		return noPacket
	}
	if p.sw != nil {
		return s.dequeue(p)
	}
	return s.nicNext(p)
}

// transmit puts a frame on the wire.
func (s *Sim) transmit(p *Port, i uint32) {
	k := &s.packets.all[i]
	t := s.frameTime(p, k.bytes)
	p.busyUntil = s.now + t
	p.doneSeq = s.nextSeq()
	k.at, k.seq = p.busyUntil+p.delay, s.nextSeq()
	if p.wire.empty() {
		s.events.push(event{at: k.at, seq: k.seq, kind: evArrive, a: p.id})
	} else {
		k.at = max(k.at, s.packets.all[p.wire.tail].at) // frames arrive in order even if the link was longer before
	}
	s.packets.append(&p.wire, i)
	p.Stats.OutPackets++
	p.Stats.OutBytes += uint64(k.bytes)
	p.Stats.OutSizes[sizeClass(k.bytes)]++
	if k.kind.control() {
		p.Stats.OutControl++
	}
	if p.sending != noPacket || s.waiting(p) {
		s.arm(p)
	}
}

// waiting reports whether the port has anything left to send, now or later.
func (s *Sim) waiting(p *Port) bool {
	if !p.pauseFrames.empty() {
		return true
	}
	if p.sw != nil {
		return p.egress.ready != 0
	}
	return s.nicWaiting(p)
}

// sent handles the end of transmission.
func (s *Sim) sent(p *Port) {
	p.armed = false
	if p.sending != noPacket {
		s.leave(p)
	}
	s.kick(p)
}

// countSize counts a received frame by size.
func (p *Port) countSize(bytes int32) {
	p.Stats.InPackets++
	p.Stats.InBytes += uint64(bytes)
	p.Stats.InSizes[sizeClass(bytes)]++
}

// arrive receives the first frame in flight. Its arrival e is on top of the agenda.
func (s *Sim) arrive(p *Port, e event) {
	s.now, s.current = e.at, e.seq
	i := s.packets.shift(&p.wire)
	if p.wire.empty() {
		s.events.pop()
	} else {
		k := &s.packets.all[p.wire.head]
		s.events.sink(event{at: k.at, seq: k.seq, kind: evArrive, a: p.id})
	}
	to := p.peer
	k := &s.packets.all[i]
	if k.lost || p.loss > 0 && p.rng.chance(p.loss) {
		s.discard(to, i, DropLink)
		return
	}
	to.countSize(k.bytes)
	switch {
	case k.kind.control():
		s.receivePause(to, i)
	case to.sw != nil:
		s.receive(to, i)
	default:
		s.nicReceive(to, i)
	}
}
