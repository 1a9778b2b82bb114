// Package bridge connects a virtual chip with a switch of a simulation: it applies what
// an agent programs through SAI to the dataplane, and provides SAI's statistics,
// read-only attributes and notifications from it.
//
// A Device records writes and applies them in Sync, at one moment of virtual time. It
// identifies ports by lanes, because ports can be removed and created again.
//
// What is not here: topologies, hosts and traffic, which the caller adds.
package bridge

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// Device is a chip that acts as a switch of a simulation.
type Device struct {
	sim      *dataplane.Sim
	chip     *vsai.Chip
	sw       *dataplane.Switch
	lanes    []uint32
	slots    []slot
	pools    []sai.OID       // by number; number 0 is for chips without pools
	owner    map[sai.OID]int // slot of a port and of its objects
	wreds    map[sai.OID]*dataplane.WRED
	tables   *forwarding.Tables
	fib      *fib                           // last applied
	counters map[sai.OID]*dataplane.Counter // of access lists
	gate     sync.Locker                    // nil: only the simulation's goroutine calls the chip

	mu    sync.Mutex
	dirty dirty
}

// slot is a switch port that a SAI port can use.
type slot struct {
	port           sai.OID // null: free
	lanes          []uint32
	queues, groups []sai.OID
	have           setup
}

// dirty records writes since the last Sync.
type dirty struct {
	ports   bool             // created or removed
	all     bool             // objects that several ports use
	fib     bool             // forwarding objects
	objects map[sai.OID]bool // port objects
}

// Attach connects a chip to a new switch of sim, before or after the agent has created
// the SAI switch. It follows all writes and port changes. A chip can be attached once.
func Attach(sim *dataplane.Sim, chip *vsai.Chip, name string) (*Device, error) {
	p := chip.Profile()
	d := &Device{
		sim: sim, chip: chip, lanes: chip.Lanes(), slots: make([]slot, chip.MaxPorts()), owner: map[sai.OID]int{},
		pools: make([]sai.OID, 1+p.IngressPools+p.EgressPools),
		dirty: dirty{ports: true, all: true, fib: true, objects: map[sai.OID]bool{}},
	}
	if err := chip.SetPlane(d); err != nil {
		return nil, fmt.Errorf("attach %s: %w", name, err)
	}
	var err error
	d.sw, err = sim.AddSwitch(dataplane.SwitchConfig{
		Name: name, Ports: len(d.slots), Queues: p.Queues(), Pools: 2 * len(d.pools), Model: model(p), Observe: d.notify,
	})
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	d.tables, d.fib = forwarding.New(d.sw), newFIB()
	for i := range d.slots {
		d.slots[i].have = d.emptySetup()
		sim.SetPort(d.sw.Ports()[i], d.slots[i].have.port)
		d.sw.SetHeadroomLimit(i, int64(p.PortHeadroomBytes))
	}
	return d, d.Sync()
}

// Switch returns the dataplane switch of the chip.
func (d *Device) Switch() *dataplane.Switch { return d.sw }

// PortByLane returns the port whose first lane is given; nil if there is none.
func (d *Device) PortByLane(lane uint32) *dataplane.Port {
	for i := range d.slots {
		if s := &d.slots[i]; s.port != 0 && s.lanes[0] == lane {
			return d.sw.Ports()[i]
		}
	}
	return nil
}

// PortByLanes returns the port with exactly these lanes in any order; nil if there is
// none.
func (d *Device) PortByLanes(lanes []uint32) *dataplane.Port {
	want := slices.Sorted(slices.Values(lanes))
	for i := range d.slots {
		if s := &d.slots[i]; s.port != 0 && slices.Equal(slices.Sorted(slices.Values(s.lanes)), want) {
			return d.sw.Ports()[i]
		}
	}
	return nil
}

// PortByID returns the port of a SAI object; nil if there is none.
func (d *Device) PortByID(id sai.OID) *dataplane.Port {
	if i, ok := d.owner[id]; ok && d.slots[i].port == id {
		return d.sw.Ports()[i]
	}
	return nil
}

// Lock implements vsai.Plane.
func (d *Device) Lock() {
	if d.gate != nil {
		d.gate.Lock()
	}
}

// Unlock implements vsai.Plane.
func (d *Device) Unlock() {
	if d.gate != nil {
		d.gate.Unlock()
	}
}

// Changed implements vsai.Plane.
func (d *Device) Changed(o *sai.ObjectMeta, id sai.OID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirty.fib = d.dirty.fib || forwardingTypes[o.Type]
	switch o.Type {
	case sai.ObjectTypePort:
		d.dirty.ports = true
		d.dirty.objects[id] = true
	case sai.ObjectTypeQueue, sai.ObjectTypeIngressPriorityGroup, sai.ObjectTypeSchedulerGroup:
		d.dirty.objects[id] = true
	case sai.ObjectTypeSwitch:
		d.dirty.ports, d.dirty.all = true, true
	case sai.ObjectTypeBufferPool, sai.ObjectTypeBufferProfile, sai.ObjectTypeWred, sai.ObjectTypeScheduler, sai.ObjectTypeQoSMap:
		d.dirty.all = true
	default: // does not affect packets
	}
}

// takeDirty returns the recorded writes and clears them.
func (d *Device) takeDirty() dirty {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.dirty
	d.dirty = dirty{}
	d.dirty.objects = map[sai.OID]bool{}
	return was
}

// Sync applies all writes since the last call. Call it on the simulation's goroutine,
// between two events. It returns an error for settings that the chip accepts and the
// dataplane cannot carry out: those have no effect, all others apply.
func (d *Device) Sync() error {
	was := d.takeDirty()
	if !was.ports && !was.all && !was.fib && len(was.objects) == 0 {
		return nil
	}
	var ch change
	d.chip.Read(func(l vsai.Reader) { ch = d.read(l, was) })
	for _, i := range ch.removed {
		d.sim.Flush(d.sw.Ports()[i])
	}
	if ch.pools != nil {
		d.sw.SetTrim(ch.trim)
	}
	for i, p := range ch.pools {
		d.sw.SetPool(i, p)
	}
	for i, s := range ch.setups {
		d.apply(ch.slots[i], s)
	}
	for _, i := range ch.added {
		d.meter(i)
	}
	d.meterPools(ch.newPools)
	if ch.fib == nil {
		return nil
	}
	for _, id := range ch.newCounters {
		d.chip.SetMeter(id, aclMeter{d.counters[id]})
	}
	have := d.fib
	d.fib = ch.fib
	if err := cmp.Or(d.fib.apply(d.tables, have), ch.err); err != nil {
		return fmt.Errorf("%s: %w", d.sw.Name(), err)
	}
	return nil
}

// bind assigns slots to new ports and frees those of removed ports.
func (d *Device) bind(ports []vsai.PortParts) (added, removed []int) {
	there := make(map[sai.OID]bool, len(ports))
	for _, p := range ports {
		there[p.ID] = true
	}
	for i := range d.slots {
		if s := &d.slots[i]; s.port != 0 && !there[s.port] {
			removed = append(removed, i)
			d.free(s)
		}
	}
	for _, p := range ports {
		if _, ok := d.owner[p.ID]; ok {
			continue
		}
		i := d.slotFor(p.Lanes[0])
		s := &d.slots[i]
		s.port, s.lanes, s.queues, s.groups = p.ID, p.Lanes, p.Queues, p.Groups
		for _, id := range slices.Concat([]sai.OID{p.ID}, p.Queues, p.Groups, p.Nodes) {
			d.owner[id] = i
		}
		added = append(added, i)
	}
	return added, removed
}

func (d *Device) free(s *slot) {
	i := d.owner[s.port]
	for id, at := range d.owner {
		if at == i {
			delete(d.owner, id)
		}
	}
	s.port, s.lanes, s.queues, s.groups = 0, nil, nil, nil
}

// slotFor finds a free slot for a port: the one of its first lane's position on the
// chip, or the next. There are as many slots as the chip can have ports.
func (d *Device) slotFor(lane uint32) int {
	at, _ := slices.BinarySearch(d.lanes, lane)
	i := at * len(d.slots) / len(d.lanes)
	for d.slots[i].port != 0 {
		i = (i + 1) % len(d.slots)
	}
	return i
}
