package dataplane

// storm is a faulty NIC that requests pauses continuously.
type storm struct {
	classes uint8 // 0: none
	every   Time
	round   uint32
}

// Storm makes a host request pauses of classes repeatedly, as a broken NIC does, each
// for the quanta of its port; classes 0 ends the storm and resumes them. A host with
// 802.3x instead of PFC pauses the whole link. Every 0 repeats at half the pause time,
// so the pause never ends. Requests are never more frequent than the frames can be
// sent.
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

// request returns the frame by which a host stops or resumes classes.
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
