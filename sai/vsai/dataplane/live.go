package dataplane

// What a virtual chip needs of its switch besides configuration: live counters,
// notifications, and removal of ports.

// QueueCounters returns the live statistics of a queue. The caller may reset a
// watermark to the current level.
func (w *Switch) QueueCounters(port, q int) *QueueStats { return &w.ports[port].egress.queues[q].stats }

// GroupCounters returns the live statistics of a priority group.
func (w *Switch) GroupCounters(port, pg int) *GroupStats { return &w.mmu.group(port, pg).stats }

// PoolCounters returns the live statistics of a pool.
func (w *Switch) PoolCounters(i int) *PoolStats { return &w.mmu.pools[i].Stats }

// Carrier reports whether the peer exists and is up.
func (p *Port) Carrier() bool { return p.peer != nil && !p.peer.cfg.Down && !p.cut }

// observeLink reports that a port's link came up or went down.
func (s *Sim) observeLink(p *Port) {
	if p != nil && p.sw != nil {
		s.observe(Observation{Kind: SeenLink, Port: p, On: p.Carrier()})
	}
}

// notifySwitch passes an observation to the switch's observer.
func (s *Sim) notifySwitch(o Observation) {
	if o.Kind >= SeenDeadlock && o.Port.sw != nil && o.Port.sw.cfg.Observe != nil {
		o.Port.sw.cfg.Observe(o)
	}
}

// Flush drops everything in a port's queues. Use it before a port is removed.
func (s *Sim) Flush(p *Port) {
	for q := range p.egress.queues {
		s.discardQueue(p, q, DropLink)
	}
}

// Sizes is the number of frame size classes.
const Sizes = 10

// sizeTops are the upper bounds of the size classes, those of RFC 2819 and jumbo sizes;
// the last class has all larger frames.
var sizeTops = [Sizes - 1]int32{64, 127, 255, 511, 1023, 1518, 2047, 4095, 9216}

func sizeClass(bytes int32) int {
	for i, top := range sizeTops {
		if bytes <= top {
			return i
		}
	}
	return Sizes - 1
}

// StoppedFor is the total time that this port stopped the peer's class, including a
// current stop.
func (s *Sim) StoppedFor(p *Port, class int) Time {
	t := p.Stats.StoppedFor[class]
	if p.xoff&(1<<class) != 0 {
		t += s.now - p.xoffAt[class]
	}
	return t
}
