package dataplane

import (
	"errors"
	"fmt"
)

// responseQuanta is the longest that a MAC of a rate may take from the end of a
// pause frame until it begins no new frame, IEEE 802.3 31B.3.7.
var responseQuanta = [...]struct {
	rate   uint64
	quanta Time
}{
	{1e9, 2}, {10e9, 67}, {25e9, 80}, {40e9, 118}, {50e9, 147}, {100e9, 394}, {200e9, 453}, {400e9, 905}, {800e9, 905},
}

// ResponseTime is the longest that a port of a rate in bit/s may take to respond
// to a pause frame, for PortConfig.Response. A rate between those of the standard
// has as many quanta as the next faster one, and one above them as the fastest.
func ResponseTime(rate uint64) Time {
	for _, r := range responseQuanta {
		if rate <= r.rate {
			return r.quanta * wireTime(64, rate)
		}
	}
	return responseQuanta[len(responseQuanta)-1].quanta * wireTime(64, rate)
}

// Inject has a frame, from its destination address to its FCS, end at a port as
// if it came off the wire now. A MAC control frame is heeded; one that is damaged
// is counted in PortStats.InErrors, one that is whole and yet not for this MAC
// in ControlIgnored. The error is of a port without a link that is up, or
// ErrNotControl: packets of data come from flows.
func (s *Sim) Inject(p *Port, frame []byte) error {
	if !p.up {
		return fmt.Errorf("inject at %s: its link is down; a frame needs a link that is up", p.Name())
	}
	c, err := ParseControl(frame, p.mac())
	switch {
	case errors.Is(err, ErrNotControl):
		return fmt.Errorf("inject at %s: %w", p.Name(), err)
	case errors.Is(err, ErrFCS), errors.Is(err, ErrLength):
		p.Stats.InErrors++
		return nil
	}
	p.countSize(int32(len(frame)))
	if err == nil {
		s.receivePause(p, s.controlFrame(c, int32(len(frame))))
	} else {
		p.Stats.ControlIgnored++
	}
	return nil
}

// receivePause counts a pause frame and has it heeded when the port has had its
// time to respond.
func (s *Sim) receivePause(p *Port, i uint32) {
	k := s.control(i)
	p.Stats.InControl++
	if k.Opcode == OpPause {
		p.Stats.PauseHeard++
	}
	for c := range Classes {
		if k.Enabled&(1<<c) != 0 {
			p.Stats.PFCHeard[c]++
		}
	}
	// In the order of coming, though the response were made shorter meanwhile.
	p.reactAt = max(p.reactAt, s.now+p.cfg.Response)
	if p.reactAt > s.now {
		s.schedule(event{at: p.reactAt, kind: evPaused, a: p.id, b: i, c: p.downs})
		return
	}
	s.applyPause(p, i, p.downs)
}

// applyPause does what a pause frame asks for, unless the link has been down since it
// came, and ends the frame.
func (s *Sim) applyPause(p *Port, i uint32, downs uint8) {
	k := *s.control(i)
	s.finish(i)
	switch {
	case downs != p.downs:
	case k.Opcode == OpPFC:
		s.applyPFC(p, &k)
	case p.cfg.pauseReceive():
		s.applyLinkPause(p, k.Quanta[0])
	}
}

func (s *Sim) applyPFC(p *Port, k *Control) {
	for c := range Classes {
		if k.Enabled&p.cfg.PFCReceive&(1<<c) == 0 {
			continue
		}
		if k.Quanta[c] == 0 {
			s.resumeClass(p, c)
			continue
		}
		p.pausedUntil[c] = s.pauseUntil(p, k.Quanta[c])
		s.pauseClass(p, c)
		s.countXoff(p, c)
		s.schedulePauseEnd(p, p.pausedUntil[c], c)
	}
	s.kick(p)
}

func (s *Sim) pauseUntil(p *Port, quanta uint16) Time {
	if p.cfg.NoExpiry {
		return never
	}
	return s.now + p.pauseSpan(quanta)
}

// schedulePauseEnd has the end of a pause be an event. Classes is the class of 802.3x.
func (s *Sim) schedulePauseEnd(p *Port, until Time, class int) {
	if until != never {
		s.schedule(event{at: until, kind: evPauseEnd, a: p.id, c: uint8(class)})
	}
}

// applyLinkPause does what 802.3x asks for.
func (s *Sim) applyLinkPause(p *Port, quanta uint16) {
	if quanta == 0 {
		s.resumeLink(p)
		s.kick(p)
		return
	}
	p.linkPausedUntil = s.pauseUntil(p, quanta)
	if !p.linkPaused {
		p.linkPaused, p.linkPausedAt = true, s.now
		for c := range Classes {
			s.observe(Observation{Kind: SeenPaused, Port: p, Class: uint8(c)})
		}
	}
	s.schedulePauseEnd(p, p.linkPausedUntil, Classes)
}

func (s *Sim) resumeLink(p *Port) {
	if !p.linkPaused {
		return
	}
	p.linkPaused = false
	p.Stats.PauseOnToOff++
	p.Stats.LinkPausedFor += s.now - p.linkPausedAt
	for c := range Classes {
		s.observe(Observation{Kind: SeenResumed, Port: p, Class: uint8(c), Span: s.now - p.linkPausedAt})
	}
}

// pauseEnds is when a pause is over unless it was told again meanwhile.
func (s *Sim) pauseEnds(p *Port, class int) {
	switch {
	case class < Classes && p.pausedUntil[class] <= s.now:
		s.resumeClass(p, class)
	case class == Classes && p.linkPausedUntil <= s.now:
		s.resumeLink(p)
	default:
		return
	}
	s.kick(p)
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

// endPauses ends the pauses of classes that the port doesn't heed.
func (s *Sim) endPauses(p *Port, received uint8, whole bool) {
	for c := range Classes {
		if received&(1<<c) == 0 {
			s.resumeClass(p, c)
		}
	}
	if !whole {
		s.resumeLink(p)
	}
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

// BlockedFor is how long a class could not send in all, by PFC or by 802.3x, which stops
// every class. A pause that lasts counts too. A port has one of the two at a time.
func (s *Sim) BlockedFor(p *Port, class int) Time {
	t := s.PausedFor(p, class) + p.Stats.LinkPausedFor
	if p.linkPaused {
		t += s.now - p.linkPausedAt
	}
	return t
}

// BlockedNow is how long the current pause has held a class, by PFC or by 802.3x
// (whole); 0: none does.
func (s *Sim) BlockedNow(p *Port, class int) (span Time, whole bool) {
	switch {
	case p.linkPaused:
		return s.now - p.linkPausedAt, true
	case p.paused&(1<<class) != 0:
		return s.now - p.pausedAt[class], false
	}
	return 0, false
}

// Paused reports whether a class of a port may not send now.
func (p *Port) Paused(class int) bool { return p.linkPaused || p.paused&(1<<class) != 0 }
