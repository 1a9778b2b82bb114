package dataplane

import "math/bits"

// Config returns the simulation's configuration.
func (s *Sim) Config() Config { return s.cfg }

// Link returns the port's link; the zero value without one.
func (p *Port) Link() Link { return Link{Delay: p.delay, Loss: p.loss, Cut: p.cut} }

// WaitsFor returns the egress port at which most bytes of a priority group wait; nil if
// none wait. It visits every packet in the switch.
func (w *Switch) WaitsFor(port, pg int) *Port {
	var most int64
	var at *Port
	for _, p := range w.ports {
		var n int64
		for m := p.egress.ready; m != 0; m &= m - 1 {
			l := p.egress.queues[bits.TrailingZeros32(m)].packets
			for i := l.head; i != noPacket; i = w.sim.packets.all[i].next {
				if k := &w.sim.packets.all[i]; int(k.in) == port && int(k.group) == pg {
					n += int64(k.bytes)
				}
				if i == l.tail {
					break
				}
			}
		}
		if n > most {
			most, at = n, p
		}
	}
	return at
}
