package bridge

import (
	"slices"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// setup is the complete dataplane configuration of a port.
type setup struct {
	port   dataplane.PortConfig
	limits []dataplane.PortLimit // by pool
	groups [dataplane.Classes]dataplane.Buffer
	queues []dataplane.Queue
	// Bits of queues with a recovery that the agent started (PFC_DLR_INIT), and of
	// those that drop their packets meanwhile.
	recovers, drops uint32
}

// change is what a Sync changes.
type change struct {
	added, removed []int            // slots of ports
	pools          []dataplane.Pool // nil: unchanged
	trim           dataplane.Trim   // valid if pools is not nil
	newPools       []int            // numbers of new pools
	slots          []int
	setups         []setup // of slots
	fib            *fib    // nil: unchanged

	newCounters []sai.OID
	err         error // settings that the dataplane cannot carry out
}

// emptySetup is the setup of a slot without a port.
func (d *Device) emptySetup() setup {
	s := setup{queues: make([]dataplane.Queue, d.chip.Profile().Queues()), limits: make([]dataplane.PortLimit, 2*len(d.pools))}
	s.port = dataplane.PortConfig{Rate: 1e9, Down: true, Maps: dataplane.DefaultMaps()}
	for i := range s.queues {
		s.queues[i].Buffer.Pool = -1
		s.queues[i].Sched.Weight = 1
	}
	for i := range s.groups {
		s.groups[i].Pool = -1
	}
	return s
}

// reader reads objects of the chip.
type reader struct {
	vsai.Reader
	d  *Device
	sw sai.OID
}

// read computes the changes. It does not touch the simulation.
func (d *Device) read(l vsai.Reader, was dirty) (ch change) {
	r := &reader{Reader: l, d: d, sw: l.Switch()}
	ports := l.Ports()
	if was.ports {
		ch.added, ch.removed = d.bind(ports)
	}
	todo := make([]bool, len(d.slots))
	for _, i := range slices.Concat(ch.added, ch.removed) {
		todo[i] = true
	}
	for id := range was.objects {
		if i, ok := d.owner[id]; ok {
			todo[i] = true
		}
	}
	if was.all {
		ch.newPools = r.numberPools()
		r.readWREDs()
		ch.pools, ch.trim = r.poolConfigs(), r.trim()
	}
	parts := make(map[sai.OID]*vsai.PortParts, len(ports))
	for i := range ports {
		parts[ports[i].ID] = &ports[i]
	}
	for i := range d.slots {
		switch s := &d.slots[i]; {
		case s.port == 0 && todo[i]:
			ch.slots, ch.setups = append(ch.slots, i), append(ch.setups, d.emptySetup())
		case s.port != 0 && (was.all || todo[i]) && parts[s.port] != nil:
			ch.slots, ch.setups = append(ch.slots, i), append(ch.setups, r.setup(parts[s.port], &s.have))
		}
	}
	if was.fib {
		ch.newCounters = r.readCounters()
		ch.fib = r.readFIB()
		ch.err = r.acls(ch.fib)
	}
	return ch
}

// setup reads a port. Unchanged parts keep their pointers, so that setups can be
// compared with ==.
func (r *reader) setup(p *vsai.PortParts, have *setup) setup {
	s := setup{port: r.port(p), limits: r.limits(p.ID), queues: make([]dataplane.Queue, len(p.Queues))}
	s.port.Maps = r.maps(p.ID)
	if have.port.Maps != nil && *s.port.Maps == *have.port.Maps {
		s.port.Maps = have.port.Maps
	}
	for i, id := range p.Groups[:min(len(p.Groups), dataplane.Classes)] {
		s.groups[i] = r.buffer(sai.OID(r.Num(id, sai.IngressPriorityGroupAttrBufferProfile.AttrMeta)), false)
	}
	for i := len(p.Groups); i < dataplane.Classes; i++ {
		s.groups[i].Pool = -1
	}
	for i, id := range p.Queues {
		s.queues[i] = r.queue(p.ID, id, i, s.port.Maps)
		if r.Num(id, sai.QueueAttrPFCDlrInit.AttrMeta) != 0 {
			s.recovers |= 1 << i
		}
		if r.drops(id) {
			s.drops |= 1 << i
		}
	}
	return s
}

// apply applies the changes of a port to the dataplane.
func (d *Device) apply(i int, s setup) {
	have := &d.slots[i].have
	port := d.sw.Ports()[i]
	for n, l := range s.limits {
		if l != have.limits[n] {
			d.sw.SetLimit(i, n, l)
		}
	}
	if s.port != have.port {
		d.sim.SetPort(port, s.port)
	}
	for g := range s.groups {
		if s.groups[g] != have.groups[g] {
			d.sw.SetGroup(i, g, s.groups[g])
		}
	}
	for q := range s.queues {
		if s.queues[q] != have.queues[q] {
			d.sw.SetQueue(i, q, s.queues[q])
		}
	}
	for q := range s.queues {
		switch bit := uint32(1) << q; {
		case (s.recovers^have.recovers)&bit == 0:
		case s.recovers&bit != 0:
			d.sim.BeginRecovery(port, q, s.drops&bit != 0)
		default:
			d.sim.EndRecovery(port, q)
		}
	}
	*have = s
}
