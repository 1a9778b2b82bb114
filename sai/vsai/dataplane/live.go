package dataplane

// What a chip above needs of its switch beside the configuration: counters as they
// go on, news, and what happens when a port is taken away.

// QueueCounters returns the statistics of a queue as they go on. A watermark may be
// set back to its level.
func (w *Switch) QueueCounters(port, q int) *QueueStats { return &w.ports[port].egress.queues[q].stats }

// GroupCounters returns those of a priority group.
func (w *Switch) GroupCounters(port, pg int) *GroupStats { return &w.mmu.group(port, pg).stats }

// PoolCounters returns those of a pool.
func (w *Switch) PoolCounters(i int) *PoolStats { return &w.mmu.pools[i].Stats }

// Carrier reports whether the other end of the port's link is there and on.
func (p *Port) Carrier() bool { return p.peer != nil && !p.peer.cfg.Down && !p.cut }

// observeLink tells the chip of a port that its link is up or down.
func (s *Sim) observeLink(p *Port) {
	if p != nil && p.sw != nil {
		s.observe(Observation{Kind: SeenLink, Port: p, On: p.Carrier()})
	}
}

// notifySwitch tells the port's chip what is news to it.
func (s *Sim) notifySwitch(o Observation) {
	if o.Kind >= SeenDeadlock && o.Port.sw != nil && o.Port.sw.cfg.Observe != nil {
		o.Port.sw.cfg.Observe(o)
	}
}

// Flush drops all that waits in a port's queues, for the port goes.
func (s *Sim) Flush(p *Port) {
	for q := range p.egress.queues {
		s.discardQueue(p, q, DropLink)
	}
}

// Sizes is the number of classes that frames are counted in by their size.
const Sizes = 10

// sizeTops are the greatest sizes of the classes, RFC 2819 and on; the last has all
// that is greater.
var sizeTops = [Sizes - 1]int32{64, 127, 255, 511, 1023, 1518, 2047, 4095, 9216}

func sizeClass(bytes int32) int {
	for i, top := range sizeTops {
		if bytes <= top {
			return i
		}
	}
	return Sizes - 1
}

// StoppedFor is how long the sender at the other end has been stopped in all, in a
// stop that lasts too.
func (s *Sim) StoppedFor(p *Port, class int) Time {
	t := p.Stats.StoppedFor[class]
	if p.xoff&(1<<class) != 0 {
		t += s.now - p.xoffAt[class]
	}
	return t
}
