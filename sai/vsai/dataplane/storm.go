package dataplane

// storm is a network card gone wrong that asks for pauses all the time.
type storm struct {
	classes uint8 // 0: none
	every   Time
	round   uint32
}

// Storm has a host ask for pauses of classes again and again, as a broken card
// does, each for the quanta of its port; classes 0 ends it and lets them go on.
// Every 0 asks when half of the pause asked for before is over, so that there is
// no break. Nothing asks faster than the frames can be sent.
func (s *Sim) Storm(h *Host, classes uint8, every Time) {
	st, p := &h.storm, h.port
	over := st.classes &^ classes
	st.round++
	st.classes = classes
	if over != 0 {
		s.sendControl(p, NewRequest(0, over).PFC(p.mac(), 0))
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
	s.sendControl(p, NewRequest(st.classes, 0).PFC(p.mac(), p.cfg.Quanta))
	s.cause(event{at: s.now + st.every, kind: evNIC, a: p.id, b: round})
}
