package dataplane

// Up reports whether frames can pass: there is a link, which is not cut, and neither
// end of it is down.
func (p *Port) Up() bool { return p.up }

// relink finds out whether a port's link has come up or gone down, for both its ends.
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
		p.sw.InvalidateDecisions() // where packets can go
	}
	if up {
		s.linkUp(p)
	} else {
		s.linkDown(p)
	}
}

// linkUp has a port tell what its groups have stopped, and send.
func (s *Sim) linkUp(p *Port) {
	if p.sw != nil {
		s.restate(p)
	}
	s.kick(p)
}

// linkDown has a port forget all pauses, those that it heeds and those that it
// has told: with the link goes the MAC's state. What was on the wire is lost. A
// switch drops what its queues hold for the port, and what comes for it later,
// as chips flush a port without link: else its packets would hold the memory of
// senders to other ports, and stop those. A host keeps what it has to send.
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
