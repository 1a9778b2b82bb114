package dataplane

import (
	"errors"
	"fmt"
)

// responseQuanta is the maximum time from the end of a pause frame until a MAC starts
// no new frame, IEEE 802.3 31B.3.7.
var responseQuanta = [...]struct {
	rate   uint64
	quanta Time
}{
	{1e9, 2}, {10e9, 67}, {25e9, 80}, {40e9, 118}, {50e9, 147}, {100e9, 394}, {200e9, 453}, {400e9, 905}, {800e9, 905},
}

// ResponseTime is the maximum time that a port may take to respond to a pause frame,
// for PortConfig.Response. The rate is in bit/s. A rate that the standard does not list
// has the quanta of the next higher one, or of the highest.
func ResponseTime(rate uint64) Time {
	for _, r := range responseQuanta {
		if rate <= r.rate {
			return r.quanta * wireTime(64, rate)
		}
	}
	return responseQuanta[len(responseQuanta)-1].quanta * wireTime(64, rate)
}

// Inject delivers a frame, from destination address to FCS, to a port as if it had just
// come off the wire. The port acts on a MAC control frame; PortStats.InErrors counts
// damaged frames, ControlIgnored valid ones that are not for this MAC. Inject fails if
// the port has no link that is up, or with ErrNotControl: flows send data packets.
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

// receivePause counts a pause frame and applies it after the port's response time.
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
	// Frames apply in order of arrival, even if the response time was reduced
	// meanwhile.
	p.reactAt = max(p.reactAt, s.now+p.cfg.Response)
	if p.reactAt > s.now {
		s.schedule(event{at: p.reactAt, kind: evPaused, a: p.id, b: i, c: p.downs})
		return
	}
	s.applyPause(p, i, p.downs)
}

// applyPause carries out a pause frame and frees it. If the link has been down since
// its arrival it has no effect.
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

// schedulePauseEnd schedules the end of a pause. Class Classes stands for 802.3x.
func (s *Sim) schedulePauseEnd(p *Port, until Time, class int) {
	if until != never {
		s.schedule(event{at: until, kind: evPauseEnd, a: p.id, c: uint8(class)})
	}
}

// applyLinkPause carries out an 802.3x frame.
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

// pauseEnds ends a pause unless it has been extended.
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

// endPauses ends pauses of classes that the port does not receive.
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

// block computes the queues that paused classes stop.
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

// PausedFor is the total time that PFC paused a class, including a current pause.
func (s *Sim) PausedFor(p *Port, class int) Time {
	t := p.Stats.PausedFor[class]
	if p.paused&(1<<class) != 0 {
		t += s.now - p.pausedAt[class]
	}
	return t
}

// BlockedFor is the total time that a class could not send because of PFC or 802.3x,
// which stops every class, including a current pause. A port uses one of the two at a
// time.
func (s *Sim) BlockedFor(p *Port, class int) Time {
	t := s.PausedFor(p, class) + p.Stats.LinkPausedFor
	if p.linkPaused {
		t += s.now - p.linkPausedAt
	}
	return t
}

// BlockedNow is the duration of the current pause of a class and whether it is an
// 802.3x pause of the whole link; 0: not paused.
func (s *Sim) BlockedNow(p *Port, class int) (span Time, whole bool) {
	switch {
	case p.linkPaused:
		return s.now - p.linkPausedAt, true
	case p.paused&(1<<class) != 0:
		return s.now - p.pausedAt[class], false
	}
	return 0, false
}

// Paused reports whether a class of a port is paused.
func (p *Port) Paused(class int) bool { return p.linkPaused || p.paused&(1<<class) != 0 }
