// Package dataplane simulates packets through switches and hosts on a virtual clock:
// admission to packet memory, PFC and 802.3x, marking, scheduling, forwarding,
// congestion control of RoCEv2 senders, deadlocks.
//
// One goroutine runs one simulation. The clock counts picoseconds, simultaneous events
// run in the order in which they were scheduled, and all randomness comes from seeded
// streams: the same seed gives the same trace (Digest).
//
// When its last byte has arrived, a packet is charged in cells to one priority group of
// its ingress port and to one queue of its egress port. Payload is not kept: a Header
// holds the fields that switches read.
//
// What is not here: SAI. Switches are configured with plain values (SetPort, SetGroup,
// SetQueue …), which package bridge derives from the objects of a virtual chip.
package dataplane

import "fmt"

// Config is the configuration of a new simulation.
type Config struct {
	Seed uint64
	// Tick is the unit to which transmission times, computed in seconds, are rounded
	// down; 0: exact picoseconds.
	Tick Time
	// Overhead is the number of bytes on the wire per frame besides its own: preamble,
	// start delimiter and gap are 20 bytes.
	Overhead int
	// CheckEvents checks after every event that bytes in equal bytes out, dropped and
	// held. It is slow.
	CheckEvents bool
	// Observe is called for each observation as it happens. Nil: no observer.
	Observe func(Observation)
}

// Sim is a simulation. Only one goroutine may call its methods and those of its
// switches and hosts.
type Sim struct {
	cfg        Config
	now        Time
	seq        uint64 // of the event scheduled last
	current    uint64 // of the running event
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

// New makes an empty simulation at time 0.
func New(cfg Config) *Sim {
	if cfg.Tick <= 0 {
		cfg.Tick = Picosecond
	}
	return &Sim{
		cfg: cfg, headerAt: map[Header]uint32{}, calls: map[uint32]func(){},
		packets: slab{free: noPacket}, digest: 14695981039346656037,
	}
}

// Now returns the virtual time.
func (s *Sim) Now() Time { return s.now }

// Events returns the number of events dispatched.
func (s *Sim) Events() uint64 { return s.dispatched }

// Digest is a hash of all events in order.
func (s *Sim) Digest() uint64 { return s.digest }

// Pending reports whether any event is scheduled.
func (s *Sim) Pending() bool { return len(s.events.heap) > 0 }

// Next returns the time of the next event, or the end of time if there is none.
func (s *Sim) Next() Time {
	if !s.Pending() {
		return never
	}
	return s.events.heap[0].at
}

// Run runs all events up to and including a time, and sets the clock to it. It fails
// only if Config.CheckEvents finds a mismatch.
func (s *Sim) Run(until Time) error {
	for len(s.events.heap) > 0 && s.events.heap[0].at <= until && s.err == nil {
		s.step()
	}
	s.now = max(s.now, until)
	s.current = s.nextSeq()
	return s.err
}

// step runs the next event.
func (s *Sim) step() {
	e := s.events.heap[0]
	if e.kind == evArrive {
		s.arrive(s.ports[e.a], e) // arrive updates the agenda itself
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
	case evArrive: // handled by step
	}
}

// At schedules a call of f. A time in the past means now.
func (s *Sim) At(t Time, f func()) {
	s.nextCall++
	s.calls[s.nextCall] = f
	s.schedule(event{at: max(t, s.now), kind: evCall, a: s.nextCall})
}

// Every calls f at each multiple of d until it returns false.
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

// schedule adds an event to the agenda, after all others of the same time.
func (s *Sim) schedule(e event) {
	e.seq = s.nextSeq()
	s.events.push(e)
}

// Link connects two ports.
type Link struct {
	Delay Time
	Loss  float64 // probability that a frame is lost, 0..1, in either direction
	Cut   bool    // the link is down: it carries nothing, and frames in flight are lost
}

// Connect connects two ports with a link. A port keeps its one link.
func (s *Sim) Connect(a, b *Port, l Link) error {
	if a == b || a.peer != nil || b.peer != nil {
		return fmt.Errorf("connect %s and %s: a port has one link, to another port", a.Name(), b.Name())
	}
	a.peer, b.peer = b, a
	if err := s.SetLink(a, l); err != nil {
		a.peer, b.peer = nil, nil
		return fmt.Errorf("connect %s and %s: %w", a.Name(), b.Name(), err)
	}
	s.kick(a) // frames that waited for a link
	s.kick(b)
	return nil
}

// SetLink changes the link of a port at both ends. Frames in flight keep their arrival
// times unless the link is cut.
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

// Ports lists all ports in creation order.
func (s *Sim) Ports() []*Port { return s.ports }

// Switches lists all switches in creation order.
func (s *Sim) Switches() []*Switch { return s.switches }

// Hosts lists all hosts in creation order.
func (s *Sim) Hosts() []*Host { return s.hosts }

// Flows lists all flows in creation order.
func (s *Sim) Flows() []*Flow { return s.flows }
