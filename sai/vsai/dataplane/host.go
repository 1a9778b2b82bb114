package dataplane

import (
	"fmt"
	"net/netip"
)

// HostConfig is a host with one network card.
type HostConfig struct {
	Name    string
	MAC     MAC
	Addr    netip.Prefix // address and length of its network
	Gateway MAC          // of the router to other networks; zero: there is none
	Port    PortConfig
	// AckClass is the priority that acknowledgements and CNPs are sent with, -1:
	// that of the flow.
	AckClass int
}

// Host is a host: it sends and receives flows, and obeys pause frames.
type Host struct {
	cfg    HostConfig
	port   *Port
	flows  []*Flow // that it sends
	left   int     // of those, how many have something to send
	turn   int
	acks   list
	wakeAt Time
	storm  storm
}

// AddHost makes a host.
func (s *Sim) AddHost(cfg HostConfig) (*Host, error) {
	if cfg.Port.Rate == 0 {
		return nil, fmt.Errorf("host %s: rate 0: want bit/s of its port", cfg.Name)
	}
	h := &Host{cfg: cfg, acks: emptyList}
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

// nicNext makes the next packet of the flows in turn, after acknowledgements.
func (s *Sim) nicNext(p *Port) uint32 {
	h := p.host
	if !h.acks.empty() && p.paused&(1<<s.packets.all[h.acks.head].pcp) == 0 {
		return s.packets.shift(&h.acks)
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
		s.cause(event{at: soon, kind: evNIC, a: p.id})
	}
	return noPacket
}

func (s *Sim) nicWaiting(p *Port) bool { return p.host.left > 0 || !p.host.acks.empty() }

// wake is when a port may have something to send again.
func (s *Sim) wake(p *Port, e event) {
	if e.kind == evNIC && e.b != 0 {
		s.storming(p, e.b)
		return
	}
	s.kick(p)
}

// nicReceive takes a packet in at a host.
func (s *Sim) nicReceive(p *Port, i uint32) {
	k := s.packets.all[i]
	s.end(i)
	f := s.flowOf(&k)
	switch {
	case f == nil:
	case k.kind == pktData:
		if f.cfg.To == p.host {
			s.gotData(f, &k)
		}
	case f.cfg.From == p.host:
		s.gotAnswer(f, &k)
	}
}

// heldBy is the bytes that wait at a host.
func (s *Sim) heldBy(h *Host) int64 { return s.listBytes(h.acks) }

func (s *Sim) listBytes(l list) (n int64) {
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
