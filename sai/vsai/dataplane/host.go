package dataplane

import (
	"fmt"
	"math/bits"
	"net/netip"
)

// HostConfig is the configuration of a host with one NIC.
type HostConfig struct {
	Name    string
	MAC     MAC
	Addr    netip.Prefix // address and prefix length
	Gateway MAC          // router to other networks; zero: none
	Port    PortConfig
	// AckClass is the priority of acknowledgements and CNPs; -1: that of the flow.
	AckClass int
	AckDSCP  *uint8 // of acknowledgements and CNPs; nil: that of the flow
}

// Host sends and receives flows, and reacts to pause frames.
type Host struct {
	cfg    HostConfig
	port   *Port
	flows  []*Flow // that the host sends
	left   int     // number of flows with data to send
	turn   int
	acks   [Classes]packetList
	owed   uint8 // bits of classes with acknowledgements to send
	wakeAt Time
	storm  storm
}

// AddHost makes a host.
func (s *Sim) AddHost(cfg HostConfig) (*Host, error) {
	if cfg.Port.Rate == 0 {
		return nil, fmt.Errorf("host %s: rate 0: want bit/s of its port", cfg.Name)
	}
	if cfg.AckClass >= Classes {
		return nil, fmt.Errorf("host %s: acknowledgements of class %d: want 0 to %d, or -1 for that of the flow", cfg.Name, cfg.AckClass, Classes-1)
	}
	h := &Host{cfg: cfg}
	for c := range h.acks {
		h.acks[c] = emptyList
	}
	s.hosts = append(s.hosts, h)
	h.port = s.addPort(&Port{host: h, cfg: cfg.Port})
	return h, nil
}

// Name is the host's name.
func (h *Host) Name() string { return h.cfg.Name }

// Config returns the host's configuration.
func (h *Host) Config() HostConfig { return h.cfg }

// Port is the host's port.
func (h *Host) Port() *Port { return h.port }

// nicNext makes the next packet: acknowledgements first, highest class first, then
// flows in round robin.
func (s *Sim) nicNext(p *Port) uint32 {
	h := p.host
	if able := h.owed &^ p.paused; able != 0 {
		return s.shiftAnswer(h, bits.Len8(able)-1)
	}
	if h.left == 0 {
		return noPacket
	}
	soon := never
	for n := range h.flows {
		at := h.turn + 1 + n
		for at >= len(h.flows) {
			at -= len(h.flows)
		}
		f := h.flows[at]
		if !f.wants() || p.paused&(1<<f.cfg.Class) != 0 {
			continue
		}
		if f.sendAt > s.now {
			soon = min(soon, f.sendAt)
			continue
		}
		h.turn = at
		return s.sendData(f)
	}
	if soon != never && (h.wakeAt <= s.now || soon < h.wakeAt) {
		h.wakeAt = soon
		s.schedule(event{at: soon, kind: evNIC, a: p.id})
	}
	return noPacket
}

// putAnswer queues an acknowledgement or a CNP in its class.
func (s *Sim) putAnswer(h *Host, class uint8, i uint32) {
	s.packets.append(&h.acks[class], i)
	h.owed |= 1 << class
}

// shiftAnswer dequeues the first answer of a class.
func (s *Sim) shiftAnswer(h *Host, class int) uint32 {
	l := &h.acks[class]
	i := s.packets.shift(l)
	if l.empty() {
		h.owed &^= 1 << class
	}
	return i
}

func (s *Sim) nicWaiting(p *Port) bool { return p.host.left > 0 || p.host.owed != 0 }

// wake handles the time at which a port may be able to send again.
func (s *Sim) wake(p *Port, e event) {
	if e.kind == evNIC && e.b != 0 {
		s.storming(p, e.b)
		return
	}
	s.kick(p)
}

// nicReceive receives a packet at a host.
func (s *Sim) nicReceive(p *Port, i uint32) {
	k := s.packets.all[i]
	s.finish(i)
	f := s.flowOf(&k)
	switch {
	case f == nil:
	case k.kind == pktData:
		if f.cfg.To == p.host {
			s.receiveData(f, &k)
		}
	case f.cfg.From == p.host:
		s.receiveAnswer(f, &k)
	}
}

// heldBy returns the bytes queued at a host.
func (s *Sim) heldBy(h *Host) (n int64) {
	for _, l := range h.acks {
		n += s.listBytes(l)
	}
	return n
}

func (s *Sim) listBytes(l packetList) (n int64) {
	s.packets.each(l, func(k *packet) {
		if !k.kind.control() {
			n += int64(k.bytes)
		}
	})
	return n
}

func (s *Sim) onWires() (n int64) {
	for _, p := range s.ports {
		n += s.listBytes(p.wire)
	}
	return n
}
