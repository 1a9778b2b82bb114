package dataplane

// quantum is the unit of pause times, 512 bits at the port's rate.
func (p *Port) quantum() Time { return wireTime(64, p.cfg.Rate) }

func (p *Port) pauseSpan(quanta uint16) Time { return Time(quanta) * p.quantum() }

// stop has the sender at the other end of the link stop classes; with 802.3x it
// stops altogether. Out is where the packet goes that was too much, nil without one.
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

// resume lets the sender at the other end go on.
func (s *Sim) resume(p *Port, classes uint8) {
	over := classes & p.xoff
	if over == 0 {
		return
	}
	s.endStop(p, over)
	s.sendRequest(p, NewRequest(0, over))
}

// endStop counts classes as stopped no longer.
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
		p.rounds++ // nothing to tell again
	}
}

// refreshLater has what is stopped told again when half of its time is over, but
// not faster than the frames can be sent.
func (s *Sim) refreshLater(p *Port) {
	p.rounds++
	after := max(p.pauseSpan(p.cfg.Quanta)/2, s.frameTime(p, int32(p.cfg.PFCBytes)))
	s.schedule(event{at: s.now + after, kind: evRefresh, a: p.id, b: p.rounds})
}

// refresh tells again what is stopped, before it expires at the other end.
func (s *Sim) refresh(p *Port, round uint32) {
	if round != p.rounds || p.xoff == 0 {
		return
	}
	if again := p.xoff &^ s.waitingPauses(p); again != 0 {
		s.sendRequest(p, NewRequest(again, 0))
	}
	s.refreshLater(p)
}

// waitingPauses is the classes that frames which wait to be sent stop.
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

// sendRequest sends what is requested as soon as the wire is free. What waits to be sent
// is made part of the same frame unless it says something of the same class.
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
		return // the whole link rests on all classes
	}
	s.sendControl(p, c)
}

// join makes a PFC frame part of the one that waits last.
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
		w.Quanta[i] |= c.Quanta[i] // one of them is 0
	}
	return true
}

// sendControl sends a MAC control frame before all others. Over a link that is
// down nothing is told.
func (s *Sim) sendControl(p *Port, c Control) {
	if !p.up {
		return
	}
	i := s.controlFrame(c, int32(p.cfg.PFCBytes))
	s.packets.put(&p.pauseFrames, i)
	s.kick(p)
}

// nextPause takes the pause frame that is sent next, and counts it.
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

// Stopped is the classes that the port has its peer stop.
func (p *Port) Stopped() uint8 { return p.xoff }
