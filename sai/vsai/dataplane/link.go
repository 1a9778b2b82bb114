package dataplane

// Up reports whether frames can pass: the link exists and is not cut, and both its ends
// are up.
func (p *Port) Up() bool { return p.up }

// relink updates both ends when a port's link may have come up or gone down.
func (s *Sim) relink(p *Port) {
	ends := []*Port{p}
	if p.peer != nil {
		ends = append(ends, p.peer)
	}
	up := !p.cfg.Down && p.Carrier()
	for _, end := range ends {
		s.setUp(end, up)
	}
}

func (s *Sim) setUp(p *Port, up bool) {
	if up == p.up {
		return
	}
	p.up = up
	if p.sw != nil {
		p.sw.InvalidateDecisions() // forwarding depends on link states
	}
	if up {
		s.linkUp(p)
	} else {
		s.linkDown(p)
	}
}

// linkUp sends the port's XOFF state to the new peer and starts transmission.
func (s *Sim) linkUp(p *Port) {
	if p.sw != nil {
		s.restate(p)
	}
	s.kick(p)
}

// linkDown resets all pause state of a port, sent and received, as a MAC does. Frames
// in flight are lost. A switch drops the packets in the port's queues and those that
// arrive for them later, as chips flush a port without link: otherwise they would hold
// memory and stop senders to other ports. A host keeps its data.
func (s *Sim) linkDown(p *Port) {
	p.downs++
	p.reactAt = s.now
	s.endPauses(p, 0, false)
	s.endStop(p, p.xoff)
	for !p.pauseFrames.empty() {
		s.finish(s.packets.shift(&p.pauseFrames))
	}
	s.packets.each(p.wire, func(k *packet) { k.lost = true })
	s.Flush(p)
}
