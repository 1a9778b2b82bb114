package dataplane

// storm is a network card gone wrong that asks for pauses all the time.
type storm struct {
	classes uint8 // 0: none
	every   Time
	round   uint32
}

// Storm has a host ask for pauses of classes again and again, as a broken card
// does, each for the quanta of its port; classes 0 ends it and lets them go on. A
// host that has 802.3x in place of PFC asks for pauses of the whole link.
// Every 0 asks when half of the pause asked for before is over, so that there is
// no break. Nothing asks faster than the frames can be sent.
func (s *Sim) Storm(h *Host, classes uint8, every Time) {
	st, p := &h.storm, h.port
	over := st.classes &^ classes
	st.round++
	st.classes = classes
	if over != 0 {
		s.sendControl(p, p.request(0, over))
	}
	if every <= 0 {
		every = p.pauseSpan(p.cfg.Quanta) / 2
	}
	st.every = max(every, s.frameTime(p, int32(p.cfg.PFCBytes)))
	s.storming(p, st.round)
}

func (s *Sim) storming(p *Port, round uint32) {
	st := &p.host.storm
	if round != st.round || st.classes == 0 {
		return
	}
	s.sendControl(p, p.request(st.classes, 0))
	s.schedule(event{at: s.now + st.every, kind: evNIC, a: p.id, b: round})
}

// request is the frame by which a host stops classes or lets them go on.
func (p *Port) request(stop, resume uint8) Control {
	if !p.cfg.pauseSend() {
		return NewRequest(stop, resume).PFC(p.mac(), p.cfg.Quanta)
	}
	c := Control{Source: p.mac(), Opcode: OpPause}
	if stop != 0 {
		c.Quanta[0] = p.cfg.Quanta
	}
	return c
}
