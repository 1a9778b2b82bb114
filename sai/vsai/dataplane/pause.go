package dataplane

// pauseFrameBytes is the length of a MAC control frame with its FCS, IEEE 802.3 31B and 802.1Q.
const pauseFrameBytes = 64

// quantum is the unit of pause times, 512 bits at the port's rate.
func (p *Port) quantum() Time { return wireTime(64, p.cfg.Rate) }

func (p *Port) pauseSpan(quanta uint16) Time { return Time(quanta) * p.quantum() }

// stop has the sender at the other end of the link stop classes; with 802.3x it
// stops altogether. Out is where the packet goes that was too much, nil without one.
func (s *Sim) stop(p *Port, classes uint8, out *Port) {
	fresh := classes &^ p.xoff
	if fresh == 0 {
		return
	}
	first := p.xoff == 0
	p.xoff |= classes
	for c := range Classes {
		if fresh&(1<<c) != 0 {
			p.xoffAt[c] = s.now
			s.observe(Observation{Kind: SeenXoff, Port: p, Class: uint8(c), Out: out})
		}
	}
	s.tell(p, fresh, 0)
	if first && !p.cfg.NoExpiry {
		s.refreshLater(p)
	}
}

// goOn lets the sender at the other end go on.
func (s *Sim) goOn(p *Port, classes uint8) {
	over := classes & p.xoff
	if over == 0 {
		return
	}
	p.xoff &^= over
	for c := range Classes {
		if over&(1<<c) != 0 {
			p.Stats.StoppedFor[c] += s.now - p.xoffAt[c]
			s.observe(Observation{Kind: SeenXon, Port: p, Class: uint8(c), Span: s.now - p.xoffAt[c]})
		}
	}
	if p.xoff == 0 {
		p.rounds++ // nothing to tell again
	}
	s.tell(p, 0, over)
}

func (s *Sim) refreshLater(p *Port) {
	p.rounds++
	s.cause(event{at: s.now + p.pauseSpan(p.cfg.Quanta/2), kind: evRefresh, a: p.id, b: p.rounds})
}

// refresh tells again what is stopped, before it expires at the other end.
func (s *Sim) refresh(p *Port, round uint32) {
	if round != p.rounds || p.xoff == 0 {
		return
	}
	s.tell(p, p.xoff, 0)
	s.refreshLater(p)
}

// tell sends a pause frame as soon as the wire is free. What waits to be sent
// is made part of the same frame unless it says the contrary.
func (s *Sim) tell(p *Port, pause, resume uint8) {
	pfc := p.cfg.PFCSend != 0
	if pfc && !p.told.empty() {
		if k := &s.packets.all[p.told.tail]; k.kind == pktPFC && (k.pause|k.resume)&(pause|resume) == 0 {
			k.pause |= pause
			k.resume |= resume
			return
		}
	}
	if !pfc && resume != 0 && p.xoff != 0 {
		return // the whole link rests on all classes
	}
	i, k := s.frame()
	k.kind, k.bytes = pktPFC, int32(p.cfg.PFCBytes)
	k.pause, k.resume, k.quanta = pause, resume, p.cfg.Quanta
	if !pfc {
		k.kind = pktPause
	}
	s.packets.put(&p.told, i)
	s.kick(p)
}

// nextPause takes the pause frame that is sent next, and counts it.
func (s *Sim) nextPause(p *Port) uint32 {
	i := s.packets.shift(&p.told)
	k := &s.packets.all[i]
	if k.kind == pktPause {
		p.Stats.PauseSent++
		s.observe(Observation{Kind: SeenPauseSent, Port: p, Span: p.pauseSpan(k.quanta), On: k.pause != 0})
		return i
	}
	for c := range Classes {
		if bit := uint8(1) << c; (k.pause|k.resume)&bit != 0 {
			p.Stats.PFCSent[c]++
			s.observe(Observation{Kind: SeenPFCSent, Port: p, Class: uint8(c), On: k.pause&bit != 0})
		}
	}
	return i
}

// hearPause counts a pause frame and has it heeded when the port has had its
// time to respond.
func (s *Sim) hearPause(p *Port, i uint32) {
	k := &s.packets.all[i]
	if k.kind == pktPause {
		p.Stats.PauseHeard++
	}
	for c := range Classes {
		if k.kind == pktPFC && (k.pause|k.resume)&(1<<c) != 0 {
			p.Stats.PFCHeard[c]++
		}
	}
	if p.cfg.Response > 0 {
		s.cause(event{at: s.now + p.cfg.Response, kind: evPaused, a: p.id, b: i})
		return
	}
	s.heed(p, i)
}

// heed does what a pause frame asks for, and ends the frame.
func (s *Sim) heed(p *Port, i uint32) {
	k := s.packets.all[i]
	s.end(i)
	switch {
	case k.kind == pktPFC:
		s.heedPFC(p, k)
	case p.cfg.PauseHeed && p.cfg.PFCHeed == 0:
		s.heedPause(p, k)
	}
}

func (s *Sim) heedPFC(p *Port, k packet) {
	until := s.pauseUntil(p, k.quanta)
	for c := range Classes {
		switch bit := uint8(1) << c; {
		case p.cfg.PFCHeed&bit == 0:
		case k.pause&bit != 0 && until > s.now:
			p.pausedUntil[c] = until
			s.pauseClass(p, c)
			s.countXoff(p, c)
			s.expect(p, until, c)
		case (k.pause|k.resume)&bit != 0:
			s.resumeClass(p, c)
		}
	}
	s.kick(p)
}

func (s *Sim) pauseUntil(p *Port, quanta uint16) Time {
	if p.cfg.NoExpiry && quanta > 0 {
		return never
	}
	return s.now + p.pauseSpan(quanta)
}

// expect has the end of a pause be an event. Classes is the class of 802.3x.
func (s *Sim) expect(p *Port, until Time, class int) {
	if until != never {
		s.cause(event{at: until, kind: evPauseEnd, a: p.id, c: uint8(class)})
	}
}

// heedPause does what 802.3x asks for.
func (s *Sim) heedPause(p *Port, k packet) {
	if k.pause == 0 || k.quanta == 0 {
		p.whole = false
		s.kick(p)
		return
	}
	p.whole, p.wholeUntil = true, s.pauseUntil(p, k.quanta)
	s.expect(p, p.wholeUntil, Classes)
}

// pauseEnds is when a pause is over unless it was told again meanwhile.
func (s *Sim) pauseEnds(p *Port, class int) {
	if class == Classes {
		if p.whole && p.wholeUntil <= s.now {
			p.whole = false
			s.kick(p)
		}
		return
	}
	if p.pausedUntil[class] <= s.now {
		s.resumeClass(p, class)
		s.kick(p)
	}
}

func (s *Sim) pauseClass(p *Port, c int) {
	if p.paused&(1<<c) != 0 {
		return
	}
	p.paused |= 1 << c
	p.pausedAt[c] = s.now
	s.observe(Observation{Kind: SeenPaused, Port: p, Class: uint8(c)})
	s.block(p)
}

func (s *Sim) resumeClass(p *Port, c int) {
	if p.paused&(1<<c) == 0 {
		return
	}
	p.paused &^= 1 << c
	p.pausedUntil[c] = 0
	p.Stats.OnToOff[c]++
	p.Stats.PausedFor[c] += s.now - p.pausedAt[c]
	s.observe(Observation{Kind: SeenResumed, Port: p, Class: uint8(c), Span: s.now - p.pausedAt[c]})
	s.block(p)
}

// block finds the queues that paused classes stop.
func (s *Sim) block(p *Port) {
	before := p.blocked
	p.blocked = 0
	for c := range Classes {
		if p.paused&(1<<c) != 0 {
			p.blocked |= p.maps.ClassToQueue[c]
		}
	}
	if p.sw != nil && before != p.blocked {
		s.watch(p, before)
	}
}

// PausedFor is how long a class has been paused in all, in a pause that lasts too.
func (s *Sim) PausedFor(p *Port, class int) Time {
	t := p.Stats.PausedFor[class]
	if p.paused&(1<<class) != 0 {
		t += s.now - p.pausedAt[class]
	}
	return t
}

// Paused reports whether a class of a port may not send now.
func (p *Port) Paused(class int) bool { return p.whole || p.paused&(1<<class) != 0 }

// Stopped is the classes that the port has its peer stop.
func (p *Port) Stopped() uint8 { return p.xoff }
