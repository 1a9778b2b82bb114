// Package dataplane moves packets through switches and hosts on a virtual
// clock: admission to packet memory, PFC and 802.3x, marking, scheduling,
// forwarding, congestion control of RoCEv2 senders, deadlocks.
//
// One goroutine runs one simulation. Everything happens at a picosecond of the
// virtual clock, events of the same moment in the order in which they were
// caused, all chance comes from seeded streams: the same seed gives the same
// trace (Digest).
//
// A packet is charged to one priority group of the port that it came in by and
// to one queue of the port that it leaves by, in cells, when its last byte is
// in. What it carries is not kept: a Header says what switches read of it.
//
// What is not here: SAI. Switches are configured by plain values (SetPort,
// SetGroup, SetQueue …), which a virtual chip translates its objects to.
package dataplane

import "fmt"

// Config is a simulation as it is made.
type Config struct {
	Seed uint64
	// Tick is the unit that the time of sending a frame, worked out in seconds, is cut
	// to; 0: a picosecond, exactly.
	Tick Time
	// Overhead is what a frame takes on the wire beside its bytes: preamble, start
	// and gap are 20 bytes.
	Overhead int
	// CheckEvents looks after every event whether what came in equals what went
	// out, was dropped, or is held. It is slow.
	CheckEvents bool
	// Observe sees what happens, as it does. Nil: nobody looks.
	Observe func(Observation)
}

// Sim is a simulation. Its methods and those of its switches and hosts belong to
// one goroutine.
type Sim struct {
	cfg        Config
	now        Time
	seq        uint64 // of the event caused last
	current    uint64 // of the event that happens
	events     agenda
	packets    slab
	controls   controls
	ports      []*Port
	switches   []*Switch
	hosts      []*Host
	flows      []*Flow
	headers    []Header
	headerAt   map[Header]uint32
	calls      map[uint32]func()
	nextCall   uint32
	digest     uint64
	dispatched uint64
	balance    balance
	err        error
}

// New makes a simulation of nothing yet, at time 0.
func New(cfg Config) *Sim {
	if cfg.Tick <= 0 {
		cfg.Tick = Picosecond
	}
	return &Sim{
		cfg: cfg, headerAt: map[Header]uint32{}, calls: map[uint32]func(){},
		packets: slab{free: noPacket}, digest: 14695981039346656037,
	}
}

// Now is the virtual clock.
func (s *Sim) Now() Time { return s.now }

// Events counts what has happened.
func (s *Sim) Events() uint64 { return s.dispatched }

// Digest is a hash of all that has happened, in its order.
func (s *Sim) Digest() uint64 { return s.digest }

// Pending reports whether anything will happen.
func (s *Sim) Pending() bool { return len(s.events.heap) > 0 }

// Next is when something happens next; at the end of time if nothing does.
func (s *Sim) Next() Time {
	if !s.Pending() {
		return never
	}
	return s.events.heap[0].at
}

// Run lets everything happen up to and at a moment, which is the clock's
// afterwards. The error is of Config.CheckEvents.
func (s *Sim) Run(until Time) error {
	for len(s.events.heap) > 0 && s.events.heap[0].at <= until && s.err == nil {
		s.step()
	}
	s.now = max(s.now, until)
	s.current = s.nextSeq()
	return s.err
}

// step lets the next event happen.
func (s *Sim) step() {
	e := s.events.heap[0]
	if e.kind == evArrive {
		s.arrive(s.ports[e.a], e) // takes itself off the agenda
	} else {
		s.events.pop()
		s.dispatch(e)
	}
	s.dispatched++
	s.digest = (s.digest^uint64(e.at)<<8^uint64(e.kind)<<4^uint64(e.a))*1099511628211 ^ uint64(e.b)
	if s.cfg.CheckEvents {
		s.err = s.Check()
	}
}

func (s *Sim) dispatch(e event) {
	s.now, s.current = e.at, e.seq
	switch e.kind {
	case evSent:
		s.sent(s.ports[e.a])
	case evPaused:
		s.applyPause(s.ports[e.a], e.b, e.c)
	case evPauseEnd:
		s.pauseEnds(s.ports[e.a], int(e.c))
	case evRefresh:
		s.refresh(s.ports[e.a], e.b)
	case evWake, evNIC:
		s.wake(s.ports[e.a], e)
	case evFlow:
		s.flowTimer(s.flows[e.a], timer(e.c), e.b)
	case evDetector:
		s.detect(s.ports[e.a], int(e.c), e.b)
	case evCall:
		f := s.calls[e.a]
		delete(s.calls, e.a)
		f()
	case evArrive: // not here
	}
}

// At has f called at a moment; one that is past is now.
func (s *Sim) At(t Time, f func()) {
	s.nextCall++
	s.calls[s.nextCall] = f
	s.schedule(event{at: max(t, s.now), kind: evCall, a: s.nextCall})
}

// Every has f called at each multiple of a span until it says no more.
func (s *Sim) Every(d Time, f func() (more bool)) {
	var again func()
	again = func() {
		if f() {
			s.At(s.now+d, again)
		}
	}
	s.At(s.now+d, again)
}

func (s *Sim) nextSeq() uint64 {
	s.seq++
	return s.seq
}

// schedule puts an event on the agenda, after all others of its moment.
func (s *Sim) schedule(e event) {
	e.seq = s.nextSeq()
	s.events.push(e)
}

// Link joins two ports.
type Link struct {
	Delay Time
	Loss  float64 // probability that a frame is lost on it, 0..1, either way
	Cut   bool    // it is down: nothing is sent on it, and what is on the way is lost
}

// Connect joins two ports with a link. A port has one link, for good.
func (s *Sim) Connect(a, b *Port, l Link) error {
	if a == b || a.peer != nil || b.peer != nil {
		return fmt.Errorf("connect %s and %s: a port has one link, to another port", a.Name(), b.Name())
	}
	a.peer, b.peer = b, a
	if err := s.SetLink(a, l); err != nil {
		a.peer, b.peer = nil, nil
		return fmt.Errorf("connect %s and %s: %w", a.Name(), b.Name(), err)
	}
	s.kick(a) // what has waited for a link
	s.kick(b)
	return nil
}

// SetLink changes the link of a port, at both ends. What is on the way arrives when
// it was to, unless the link is cut.
func (s *Sim) SetLink(p *Port, l Link) error {
	if p.peer == nil {
		return fmt.Errorf("%s has no link", p.Name())
	}
	if l.Delay < 0 || l.Loss < 0 || l.Loss > 1 {
		return fmt.Errorf("delay %v, loss %g: want a delay of 0 or more, a loss of 0 to 1", l.Delay, l.Loss)
	}
	for _, end := range []*Port{p, p.peer} {
		end.delay, end.loss, end.cut = l.Delay, l.Loss, l.Cut
	}
	s.relink(p)
	s.observeLink(p)
	s.observeLink(p.peer)
	return nil
}

// Ports lists all ports in the order of their making.
func (s *Sim) Ports() []*Port { return s.ports }

// Switches lists all switches in the order of their making.
func (s *Sim) Switches() []*Switch { return s.switches }

// Hosts lists all hosts in the order of their making.
func (s *Sim) Hosts() []*Host { return s.hosts }

// Flows lists all flows in the order of their making.
func (s *Sim) Flows() []*Flow { return s.flows }
