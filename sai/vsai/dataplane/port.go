package dataplane

import "fmt"

// Port is one end of a link: of a switch, or a host's only one.
type Port struct {
	id    uint32
	index int
	sw    *Switch // or
	host  *Host

	cfg       PortConfig
	maps      *Maps
	peer      *Port
	up        bool // there is a link, and neither end of it is down
	delay     Time
	loss      float64
	cut       bool // the link carries nothing
	txBlocked bool // Block
	rng       stream

	frameBytes int32 // the frame whose time was asked for last,
	frameSpan  Time  // and its time
	wire       list  // frames on the way to the peer
	busyUntil  Time
	doneSeq    uint64 // place of the end of sending among the events of busyUntil
	armed      bool   // that event is on the agenda
	sending    uint32 // what is to be released then

	pauseFrames list  // pause frames to send
	xoff        uint8 // classes that are stopped
	xoffAt      [Classes]Time
	rounds      uint32 // of refreshing
	reactAt     Time   // the pause frame heard last is heeded
	downs       uint8  // how often the link went down

	pausedUntil     [Classes]Time
	paused          uint8 // classes
	pausedAt        [Classes]Time
	linkPausedUntil Time // 802.3x
	linkPausedAt    Time
	linkPaused      bool
	blocked         uint32 // queues that a pause stops

	egress egress
	Stats  PortStats
}

// mac is the address of the node that the port belongs to.
func (p *Port) mac() MAC {
	if p.sw != nil {
		return p.sw.cfg.MAC
	}
	return p.host.cfg.MAC
}

// addPort makes a port.
func (s *Sim) addPort(p *Port) *Port {
	p.id = uint32(len(s.ports))
	p.rng = newStream(s.cfg.Seed, 1, uint64(p.id))
	p.wire, p.pauseFrames = emptyList, emptyList
	p.sending = noPacket
	s.ports = append(s.ports, p)
	s.SetPort(p, p.cfg)
	return p
}

// Name is the node's name and the port's number.
func (p *Port) Name() string {
	if p.sw != nil {
		return fmt.Sprintf("%s|%d", p.sw.cfg.Name, p.index)
	}
	return p.host.cfg.Name
}

// ID is the port's number in the simulation, from 0 in the order of their making.
func (p *Port) ID() int { return int(p.id) }

// Index is the port's number within its switch, from 0.
func (p *Port) Index() int { return p.index }

// Switch is the switch that the port belongs to; nil for a host's.
func (p *Port) Switch() *Switch { return p.sw }

// Host is the host that the port belongs to; nil for a switch's.
func (p *Port) Host() *Host { return p.host }

// Peer is the other end of the link; nil without one.
func (p *Port) Peer() *Port { return p.peer }

// Config returns the port's configuration.
func (p *Port) Config() PortConfig { return p.cfg }

// SetPort changes a port's configuration from now on. A frame that is being
// sent is sent as it was begun, a pause that was heeded lasts as long as it was
// told unless its class is not heeded any more.
func (s *Sim) SetPort(p *Port, cfg PortConfig) {
	if cfg.Quanta == 0 {
		cfg.Quanta = 0xFFFF
	}
	if cfg.PFCBytes == 0 {
		cfg.PFCBytes = ControlBytes
	}
	if cfg.pauseSend() != p.cfg.pauseSend() {
		s.resume(p, p.xoff) // in the way that the stop was told
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
		p.sw.mmu.dirty = true      // what is reserved may be
		p.sw.InvalidateDecisions() // what was classified by other maps
		p.sw.mmu.classes(p)
		s.restate(p)
	}
	if retimed && p.xoff != 0 && !cfg.NoExpiry {
		s.refreshLater(p) // what is told from now on lasts for another time
	}
	s.block(p)
	s.relink(p)
	s.kick(p)
	if moved {
		s.observeLink(p.peer)
	}
}

// restate stops, in the way of now, the classes of groups that have stopped theirs,
// and no others: a class may be of another group than it was.
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

// frameTime is how long a frame takes on the wire.
func (s *Sim) frameTime(p *Port, bytes int32) Time {
	if p.frameBytes != bytes {
		p.frameBytes, p.frameSpan = bytes, s.span(int64(bytes)+int64(s.cfg.Overhead), p.cfg.Rate)
	}
	return p.frameSpan
}

// busy reports whether a frame is being sent. At the moment of its end it is
// until the end has had its turn.
func (s *Sim) busy(p *Port) bool {
	return p.busyUntil > s.now || p.busyUntil == s.now && p.doneSeq > s.current
}

// kick sends a frame if the port may and has one.
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

// Block has a port send nothing, whatever its configuration says, or lets it go on.
func (s *Sim) Block(p *Port, on bool) {
	p.txBlocked = on
	s.kick(p)
}

// arm has the end of sending be an event: nobody waits for most of them.
func (s *Sim) arm(p *Port) {
	if !p.armed {
		p.armed = true
		s.events.push(event{at: p.busyUntil, seq: p.doneSeq, kind: evSent, a: p.id})
	}
}

// next takes the frame to send out of where it waits. Pause frames go first,
// and nothing stops them.
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
		k.at = max(k.at, s.packets.all[p.wire.tail].at) // the link may have been longer
	}
	s.packets.put(&p.wire, i)
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

// waiting reports whether the port has anything more to send, now or later.
func (s *Sim) waiting(p *Port) bool {
	if !p.pauseFrames.empty() {
		return true
	}
	if p.sw != nil {
		return p.egress.ready != 0
	}
	return s.nicWaiting(p)
}

// sent is the end of sending.
func (s *Sim) sent(p *Port) {
	p.armed = false
	if p.sending != noPacket {
		s.leave(p)
	}
	s.kick(p)
}

// countSize counts a frame that has come in whole.
func (p *Port) countSize(bytes int32) {
	p.Stats.InPackets++
	p.Stats.InBytes += uint64(bytes)
	p.Stats.InSizes[sizeClass(bytes)]++
}

// arrive takes the first frame off a link: e, on top of the agenda, is its arrival.
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
