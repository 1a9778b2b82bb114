package dataplane

// quantum is the unit of pause times: 512 bit times.
func (p *Port) quantum() Time { return wireTime(64, p.cfg.Rate) }

func (p *Port) pauseSpan(quanta uint16) Time { return Time(quanta) * p.quantum() }

// stop asks the peer to stop classes; 802.3x stops the whole link. Out is the egress
// port of the packet that crossed the threshold; nil if no packet did.
func (s *Sim) stop(p *Port, classes uint8, out *Port) {
	fresh := classes &^ p.xoff
	if fresh == 0 || !p.up {
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
	s.sendRequest(p, NewRequest(fresh, 0))
	if first && !p.cfg.NoExpiry {
		s.refreshLater(p)
	}
}

// resume lets the peer send again.
func (s *Sim) resume(p *Port, classes uint8) {
	over := classes & p.xoff
	if over == 0 {
		return
	}
	s.endStop(p, over)
	s.sendRequest(p, NewRequest(0, over))
}

// endStop records that classes are no longer stopped.
func (s *Sim) endStop(p *Port, classes uint8) {
	p.xoff &^= classes
	for c := range Classes {
		if classes&(1<<c) != 0 {
			span := s.now - p.xoffAt[c]
			p.Stats.StoppedFor[c] += span
			s.observe(Observation{Kind: SeenXon, Port: p, Class: uint8(c), Span: span})
		}
	}
	if p.xoff == 0 {
		p.rounds++ // nothing left to refresh
	}
}

// refreshLater schedules a repeated XOFF at half the pause time, but not more often
// than pause frames can be sent.
func (s *Sim) refreshLater(p *Port) {
	p.rounds++
	after := max(p.pauseSpan(p.cfg.Quanta)/2, s.frameTime(p, int32(p.cfg.PFCBytes)))
	s.schedule(event{at: s.now + after, kind: evRefresh, a: p.id, b: p.rounds})
}

// refresh repeats XOFF before it expires at the peer.
func (s *Sim) refresh(p *Port, round uint32) {
	if round != p.rounds || p.xoff == 0 {
		return
	}
	if again := p.xoff &^ s.waitingPauses(p); again != 0 {
		s.sendRequest(p, NewRequest(again, 0))
	}
	s.refreshLater(p)
}

// waitingPauses returns the classes that queued pause frames stop.
func (s *Sim) waitingPauses(p *Port) (classes uint8) {
	s.packets.each(p.pauseFrames, func(k *packet) {
		for c, quanta := range s.controls.all[k.header].Quanta {
			if quanta != 0 {
				classes |= 1 << c
			}
		}
		if s.controls.all[k.header].Opcode == OpPause && classes != 0 {
			classes = 0xFF // the whole link
		}
	})
	return classes
}

// sendRequest sends a pause request as soon as the wire is free. It is merged into a
// queued frame unless that frame already names one of its classes.
func (s *Sim) sendRequest(p *Port, r Request) {
	if p.cfg.pfc() {
		c := r.PFC(p.mac(), p.cfg.Quanta)
		if !s.join(p, &c) {
			s.sendControl(p, c)
		}
		return
	}
	c := Control{Source: p.mac(), Opcode: OpPause}
	switch {
	case r.Pause() != 0:
		c.Quanta[0] = p.cfg.Quanta
	case p.xoff != 0:
		return // the link stays paused until all classes resume
	}
	s.sendControl(p, c)
}

// join merges a PFC frame into the last queued one.
func (s *Sim) join(p *Port, c *Control) bool {
	if p.pauseFrames.empty() {
		return false
	}
	w := s.control(p.pauseFrames.tail)
	if w.Opcode != OpPFC || w.Enabled&c.Enabled != 0 {
		return false
	}
	w.Enabled |= c.Enabled
	for i := range w.Quanta {
		w.Quanta[i] |= c.Quanta[i] // one of the two is 0
	}
	return true
}

// sendControl queues a MAC control frame ahead of all data. It drops the frame if the
// link is down.
func (s *Sim) sendControl(p *Port, c Control) {
	if !p.up {
		return
	}
	i := s.controlFrame(c, int32(p.cfg.PFCBytes))
	s.packets.append(&p.pauseFrames, i)
	s.kick(p)
}

// nextPause dequeues the next pause frame and counts it.
func (s *Sim) nextPause(p *Port) uint32 {
	i := s.packets.shift(&p.pauseFrames)
	k := s.control(i)
	if k.Opcode == OpPause {
		p.Stats.PauseSent++
		s.observe(Observation{Kind: SeenPauseSent, Port: p, Span: p.pauseSpan(k.Quanta[0]), On: k.Quanta[0] != 0})
		return i
	}
	for c := range Classes {
		if k.Enabled&(1<<c) != 0 {
			p.Stats.PFCSent[c]++
			s.observe(Observation{Kind: SeenPFCSent, Port: p, Class: uint8(c), On: k.Quanta[c] != 0})
		}
	}
	return i
}

// Stopped returns the classes that the port asks its peer to stop.
func (p *Port) Stopped() uint8 { return p.xoff }
