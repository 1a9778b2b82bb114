package dataplane

import "fmt"

// Switch is a switch: ports, packet memory, forwarding.
type Switch struct {
	sim           *Sim
	cfg           SwitchConfig
	id            int
	ports         []*Port
	mmu           *mmu
	forward       Forwarder
	decisions     []cachedDecision
	firstByHeader []uint32 // by header: index into decisions, which starts a list
	stale         bool     // decisions are outdated
	trim          Trim
	toCPU         uint64
	drops         [reasons]uint64
	balance       balance
}

// AddSwitch makes a switch without forwarding. All ports have default configuration,
// with a rate of 100 Gb/s.
func (s *Sim) AddSwitch(cfg SwitchConfig) (*Switch, error) {
	if cfg.Ports < 1 || cfg.Queues < 1 || cfg.Queues > MaxQueues || cfg.Pools < 1 {
		return nil, fmt.Errorf("switch %s: %d ports, %d queues, %d pools: want 1 or more of each, at most %d queues", cfg.Name, cfg.Ports, cfg.Queues, cfg.Pools, MaxQueues)
	}
	w := &Switch{sim: s, cfg: cfg, id: len(s.switches), stale: true}
	w.mmu = newMMU(cfg)
	s.switches = append(s.switches, w)
	for i := range cfg.Ports {
		p := &Port{index: i, sw: w, cfg: PortConfig{Rate: 100e9}, egress: newEgress(cfg.Queues)}
		for j := range Classes {
			w.mmu.group(i, j).port = p
		}
		for q := range p.egress.queues {
			p.egress.queues[q].rng = newStream(s.cfg.Seed, 2, uint64(w.id), uint64(i), uint64(q))
		}
		w.ports = append(w.ports, s.addPort(p))
	}
	return w, nil
}

// Name is the switch's name.
func (w *Switch) Name() string { return w.cfg.Name }

// Config returns the configuration that the switch was made with.
func (w *Switch) Config() SwitchConfig { return w.cfg }

// Ports lists the switch's ports.
func (w *Switch) Ports() []*Port { return w.ports }

// SetForwarder sets the forwarder of the switch.
func (w *Switch) SetForwarder(f Forwarder) {
	w.forward = f
	w.InvalidateDecisions()
}

// InvalidateDecisions drops cached forwarding decisions. Call it when the forwarder's
// tables change.
func (w *Switch) InvalidateDecisions() { w.stale = true }

// Drops counts the packets that the switch dropped for a reason.
func (w *Switch) Drops(r Reason) uint64 { return w.drops[r] }

// ToCPU counts the packets that went to the switch's CPU.
func (w *Switch) ToCPU() uint64 { return w.toCPU }

// enqueue admits a packet to packet memory and adds it to its queue.
func (s *Sim) enqueue(p, out *Port, i uint32, tc uint8) {
	w, k := p.sw, &s.packets.all[i]
	m := w.mmu
	m.refreshLimits(w.ports)
	q := int(out.maps.TCToQueue[tc&(MaxTC-1)])
	if q >= len(out.egress.queues) {
		q = 0
	}
	remark(out.maps, k, tc)
	k.queue, k.slice = uint8(q), m.slice(p, out)
	if !out.up {
		s.drop(out, i, DropLink)
		return
	}
	x := &out.egress.queues[q]
	if x.watchdog.dropping {
		s.drop(out, i, DropDeadlock)
		return
	}
	n := m.cells(k.bytes)
	g := m.group(p.index, int(k.group))
	at, why := m.admit(g, k.slice, n)
	if why != Kept {
		s.drop(p, i, why)
		return
	}
	to, ok := m.admitQueue(x, k.slice, n)
	if !ok {
		if !x.cfg.Buffer.Trim || !s.trimPacket(p, out, i) {
			s.drop(out, i, DropQueue)
		}
		return
	}
	if !s.wredOnEnqueue(out, q, k) {
		s.drop(out, i, DropWRED)
		return
	}
	s.store(p, out, i, n, at, to)
}

// store charges a packet of n cells to its group and its queue, and adds it to the
// queue.
func (s *Sim) store(p, out *Port, i uint32, n int64, at, to allocation) {
	k := &s.packets.all[i]
	k.cells = int32(n)
	g := p.sw.mmu.group(p.index, int(k.group))
	p.sw.mmu.charge(g, k.slice, at, k.bytes)
	s.stopIfFull(p, out, g, k.slice)
	s.push(out, int(k.queue), i, to)
	s.kick(out)
}

func remark(m *Maps, k *packet, tc uint8) {
	if v := m.TCToDSCP[k.colour][tc&(MaxTC-1)]; v != Keep {
		k.dscp = v
	}
	if v := m.TCToPCP[k.colour][tc&(MaxTC-1)]; v != Keep {
		k.pcp = v
	}
}

// stopIfFull sends XOFF for a group if a packet to port out raised it to its threshold.
func (s *Sim) stopIfFull(p, out *Port, g *group, slice uint8) {
	if s.cfg.Observe != nil {
		s.observeGroup(g, slice)
	}
	m := p.sw.mmu
	if !m.reachesXoff(g, slice) {
		return
	}
	if g.xoff == 0 {
		m.stopped = append(m.stopped, g)
		g.stats.Xoffs++
	}
	g.xoff |= 1 << slice
	g.stoppedClasses |= g.classes
	s.stop(p, g.classes, out)
}

func (s *Sim) observeGroup(g *group, slice uint8) {
	m := g.port.sw.mmu
	cell := int64(m.model.CellBytes)
	s.observe(Observation{
		Kind: SeenGroup, Port: g.port, Class: g.index, Level: g.stats.Held * cell,
		Headroom: g.stats.Headroom * cell, Threshold: (m.threshold(g, slice) + g.limits.own) * cell,
	})
}

// depart handles a packet that leaves its queue.
func (s *Sim) depart(p *Port, x *queue, i uint32) {
	k := &s.packets.all[i]
	s.wredOnDequeue(p, x, k)
	if p.sw.mmu.model.ReleaseEarly {
		s.free(p, k)
	} else {
		p.sending = i
	}
	p.sw.balance.out += int64(k.bytes)
}
