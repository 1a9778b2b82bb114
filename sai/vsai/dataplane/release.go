package dataplane

import "fmt"

// free releases the memory of a leaving packet, and resumes senders if possible.
func (s *Sim) free(p *Port, k *packet) {
	w := p.sw
	s.uncharge(p, k)
	g := w.mmu.group(int(k.in), int(k.group))
	w.mmu.release(g, k.slice, int64(k.cells))
	if s.cfg.Observe != nil {
		s.observeGroup(g, k.slice)
	}
	k.cells = 0
	if w.mmu.model.ResumeOwn {
		w.mmu.refreshLimits(w.ports)
		s.resumeIfDrained(g)
		return
	}
	s.resumeGroups(w)
}

// resumeGroups resumes the senders of all groups that have drained.
func (s *Sim) resumeGroups(w *Switch) {
	if len(w.mmu.stopped) == 0 {
		return
	}
	w.mmu.refreshLimits(w.ports)
	for i := len(w.mmu.stopped) - 1; i >= 0; i-- {
		s.resumeIfDrained(w.mmu.stopped[i])
	}
}

// resumeIfDrained resumes the senders of a group if it has drained.
func (s *Sim) resumeIfDrained(g *group) {
	m := g.port.sw.mmu
	if g.xoff == 0 {
		return
	}
	for slice := range uint8(m.model.Slices) {
		m.moveToPool(g, slice)
		if bit := uint8(1) << slice; g.xoff&bit != 0 && (!g.lossless || m.drained(g, slice)) {
			g.xoff &^= bit
		}
	}
	if g.xoff == 0 {
		m.forgetStopped(g)
		s.resume(g.port, g.stoppedClasses)
		g.stoppedClasses = 0
	}
}

// drop frees a packet that a switch does not keep. P is its ingress port or the egress
// port, depending on the reason.
func (s *Sim) drop(p *Port, i uint32, why Reason) {
	k := &s.packets.all[i]
	w := p.sw
	w.drops[why]++
	w.balance.dropped += int64(k.bytes)
	switch why {
	case DropGroup, DropHeadroom, DropHeadroomPool:
		g := w.mmu.group(p.index, int(k.group))
		g.stats.Dropped++
		g.stats.DroppedBytes += uint64(k.bytes)
		if g.pool != nil {
			g.pool.Stats.Dropped++
		}
		p.Stats.InDropped++
	case DropQueue, DropWRED, DropDeadlock, DropLink:
		x := &p.egress.queues[k.queue]
		x.stats.Dropped++
		x.stats.DroppedBytes += uint64(k.bytes)
		p.Stats.OutDropped++
	case DropSize:
		p.Stats.InTooLong++
	default:
		p.Stats.InDropped++
	}
	s.discard(p, i, why)
}

// discard frees a packet that does not arrive.
func (s *Sim) discard(p *Port, i uint32, why Reason) {
	k := &s.packets.all[i]
	if s.cfg.Observe != nil {
		class := k.group
		if why >= DropQueue || why == DropLink {
			class = k.queue
		}
		s.observe(Observation{Kind: SeenDrop, Port: p, Class: class, Flow: s.flowOf(k), Reason: why, Level: int64(k.bytes)})
	}
	if !k.kind.control() {
		s.balance.dropped += int64(k.bytes)
	}
	s.release(i)
}

// controlFrame makes a MAC control frame.
func (s *Sim) controlFrame(c Control, bytes int32) uint32 {
	i, k := s.packets.alloc()
	k.kind, k.bytes, k.flow = pktControl, bytes, noFlow
	k.header = s.controls.alloc(c)
	return i
}

// control returns the content of a MAC control frame.
func (s *Sim) control(i uint32) *Control { return &s.controls.all[s.packets.all[i].header] }

// finish frees a frame that has reached its destination or is a MAC control frame.
func (s *Sim) finish(i uint32) {
	if k := &s.packets.all[i]; !k.kind.control() {
		s.balance.out += int64(k.bytes)
	}
	s.release(i)
}

func (s *Sim) release(i uint32) {
	if k := &s.packets.all[i]; k.kind.control() {
		s.controls.release(k.header)
	}
	s.packets.release(i)
}

// leave handles the end of transmission of a packet's last byte.
func (s *Sim) leave(p *Port) {
	i := p.sending
	p.sending = noPacket
	s.free(p, &s.packets.all[i])
}

// balance counts bytes of all frames except MAC control frames.
type balance struct{ in, out, dropped int64 }

// Check verifies that bytes in equal bytes out, dropped and held: for the simulation,
// each switch, and each group, queue and pool.
func (s *Sim) Check() error {
	var held int64
	held += s.onWires()
	for _, w := range s.switches {
		n, err := w.check()
		if err != nil {
			return fmt.Errorf("at %v: %w", s.now, err)
		}
		held += n
	}
	for _, h := range s.hosts {
		held += s.heldBy(h)
	}
	if b := s.balance; b.in != b.out+b.dropped+held {
		return fmt.Errorf("at %v: %d bytes came in, %d went out, %d were dropped, %d are held", s.now, b.in, b.out, b.dropped, held)
	}
	return nil
}
