// Package inventory finds what the chip made itself, and gives it names.
//
// It reads and never writes, but for making the switch itself when the chip has
// none yet. Which ports are to come and to go it works out; creating and removing
// them is for package reconcile, which tells it what it did.
package inventory

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// Inventory is what the chip made, before anything is named. It does not change: what is
// read again, or comes and goes, makes another Inventory.
type Inventory struct {
	drv    *sai.Switch
	sw     sai.OID
	ports  []port                // in the chip's order
	chip   intent.Device         // what there is to say without names
	single map[graph.Key]sai.OID // the objects of which there is one

	models   map[int]port    // the last port seen of each number of lanes
	lanes    map[uint32]bool // that ports were seen to have
	allLanes []uint32        // all lanes, as the chip reports them; nil if it does not
}

// port is one port with what belongs to it, each by index.
type port struct {
	id     sai.OID
	lanes  []uint32
	groups []sai.OID // priority groups; Null where the chip has none of that index
	queues []queue
	room   uint64       // bytes that its priority groups may reserve together; 0 if the chip does not say
	speeds []uint32     // Mb/s that it can run at; nil if the chip does not say
	parts  []graph.Part // all that belongs to it, in the chip's order
}

type queue struct {
	id        sai.OID
	multicast bool
	any       bool
	// sched is the scheduler group that serves the queue, named after the first
	// queue that it serves; Null if there is none.
	sched sai.OID
	first int
}

// Open finds the switch that the chip has, or makes it. cold is true if it was
// made now, so that all configuration is gone from the chip.
func Open(drv sai.Driver) (sw *sai.Switch, cold bool, err error) {
	o := sai.SwitchObject{}.Meta()
	keys, st := drv.Objects(sai.Null, o)
	switch {
	case st == 0 && len(keys) > 1:
		return nil, false, fmt.Errorf("chip has %d switches, want one", len(keys))
	case st == 0 && len(keys) == 1:
		return &sai.Switch{Driver: drv, ID: sai.ID[sai.SwitchObject](keys[0].OID)}, false, nil
	case st != 0 && st != sai.StatusNotImplemented && st != sai.StatusNotSupported:
		return nil, false, fmt.Errorf("list switches: %w", st)
	}
	sw = &sai.Switch{Driver: drv}
	sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true))
	if err != nil {
		return nil, false, fmt.Errorf("initialise the switch: %w", err)
	}
	return sw, true, nil
}

// Discover reads what the chip made, in some ten bulk calls. An error names the
// object and the attribute that could not be read; what a chip may lack (scheduler
// groups, its own limits) is no error.
func Discover(sw *sai.Switch) (*Inventory, error) {
	inv := &Inventory{drv: sw, sw: sw.ID.OID(), models: map[int]port{}, lanes: map[uint32]bool{}}
	ids, err := inv.readSwitch(sw)
	if err != nil {
		return nil, fmt.Errorf("discover the switch: %w", err)
	}
	ports, err := readPorts(sw, ids)
	if err != nil {
		return nil, fmt.Errorf("discover ports: %w", err)
	}
	inv.add(ports)
	return inv, nil
}

// readSwitch returns the front panel ports.
func (inv *Inventory) readSwitch(sw *sai.Switch) ([]sai.OID, error) {
	list := sai.SwitchAttrPortList.AttrMeta
	t, err := read(sw, sai.SwitchObject{}.Meta(), []sai.OID{inv.sw}, append([]*sai.AttrMeta{list}, switchAttrs...)...)
	if err != nil {
		return nil, err
	}
	if !t.has(0, list) {
		return nil, fmt.Errorf("switch %s has no %s", inv.sw, list.FullName())
	}
	inv.describe(sw, t)
	seen := map[sai.OID]bool{sai.Null: true}
	for _, id := range inv.single { // the port to the CPU among them
		seen[id] = true
	}
	ports := slices.Clone(t.ids(0, list))
	return slices.DeleteFunc(ports, func(id sai.OID) bool {
		twice := seen[id]
		seen[id] = true
		return twice
	}), nil
}

// found are ports in the order that they were asked for.
type found []port

func readPorts(sw *sai.Switch, ids []sai.OID) (found, error) {
	lanes, queues := sai.PortAttrHwLaneList.AttrMeta, sai.PortAttrQoSQueueList.AttrMeta
	pgs, groups := sai.PortAttrIngressPriorityGroupList.AttrMeta, sai.PortAttrQoSSchedulerGroupList.AttrMeta
	room, speeds := sai.PortAttrQoSMaximumHeadroomSize.AttrMeta, sai.PortAttrSupportedSpeed.AttrMeta
	t, err := read(sw, sai.Port{}.Meta(), ids, lanes, queues, pgs, groups, room, speeds)
	if err != nil {
		return nil, err
	}
	ports := make(found, len(ids))
	for i, id := range ids {
		l, _ := t.val(i, lanes).Ref.([]uint32)
		if len(l) == 0 {
			return nil, fmt.Errorf("port %s has no %s", id, lanes.FullName())
		}
		ports[i] = port{id: id, lanes: l, room: t.num(i, room), parts: parts(t, i, queues, pgs, groups)}
		ports[i].speeds, _ = t.val(i, speeds).Ref.([]uint32)
	}
	if err := ports.readGroups(sw, t.all(pgs)); err != nil {
		return nil, err
	}
	if err := ports.readQueues(sw, t.all(queues)); err != nil {
		return nil, err
	}
	return ports, ports.readSchedulers(sw, t.all(groups))
}

// parts lists all that belongs to a port.
func parts(t table, i int, lists ...*sai.AttrMeta) []graph.Part {
	var out []graph.Part
	for _, a := range lists {
		for _, id := range t.ids(i, a) {
			if id != sai.Null {
				out = append(out, graph.Part{Type: a.Objects[0], ID: id})
			}
		}
	}
	return out
}

// readGroups places priority groups by their index.
func (ports found) readGroups(sw *sai.Switch, byPort [][]sai.OID) error {
	index := sai.IngressPriorityGroupAttrIndex.AttrMeta
	t, err := read(sw, sai.IngressPriorityGroup{}.Meta(), slices.Concat(byPort...), index)
	if err != nil {
		return err
	}
	at := 0
	for p, ids := range byPort {
		places := places(t, at, len(ids), index)
		ports[p].groups = make([]sai.OID, size(places))
		for i, id := range ids {
			ports[p].groups[places[i]] = id
		}
		at += len(ids)
	}
	return nil
}

func (ports found) readQueues(sw *sai.Switch, byPort [][]sai.OID) error {
	index, typ := sai.QueueAttrIndex.AttrMeta, sai.QueueAttrType.AttrMeta
	t, err := read(sw, sai.Queue{}.Meta(), slices.Concat(byPort...), index, typ)
	if err != nil {
		return err
	}
	at := 0
	for p, ids := range byPort {
		places := places(t, at, len(ids), index)
		ports[p].queues = make([]queue, size(places))
		for i, id := range ids {
			kind := sai.QueueType(t.num(at+i, typ))
			ports[p].queues[places[i]] = queue{id: id, multicast: kind == sai.QueueTypeMulticast, any: kind == sai.QueueTypeAll}
		}
		at += len(ids)
	}
	return nil
}

// maxIndex is the last index that SAI has room for.
const maxIndex = math.MaxUint8

// places returns the index of each of n objects from at on. Chips that number
// unicast and multicast queues apart say one index twice; then, as for chips that
// don't tell or tell what can't be, the place in the port's list counts.
func places(t table, at, n int, index *sai.AttrMeta) []int {
	out, seen := make([]int, n), map[int]bool{}
	for i := range out {
		if place := t.num(at+i, index); place <= maxIndex {
			out[i] = int(place)
			seen[out[i]] = true
		}
	}
	if len(seen) < n {
		for i := range out {
			out[i] = i
		}
	}
	return out
}

func size(places []int) int {
	if len(places) == 0 {
		return 0
	}
	return slices.Max(places) + 1
}

// readSchedulers finds the scheduler group that each queue is a child of. Groups
// of groups are left alone.
func (ports found) readSchedulers(sw *sai.Switch, byPort [][]sai.OID) error {
	children := sai.SchedulerGroupAttrChildList.AttrMeta
	t, err := read(sw, sai.SchedulerGroup{}.Meta(), slices.Concat(byPort...), children)
	if err != nil {
		return err
	}
	at := 0
	for p, ids := range byPort {
		group := map[sai.OID]sai.OID{} // by child
		for _, id := range ids {
			for _, child := range t.ids(at, children) {
				group[child] = id
			}
			at++
		}
		ports[p].serve(group)
	}
	return nil
}

func (p *port) serve(group map[sai.OID]sai.OID) {
	first := map[sai.OID]int{}
	for i := range p.queues {
		q := &p.queues[i]
		if q.sched = group[q.id]; q.sched == sai.Null {
			continue
		}
		if _, ok := first[q.sched]; !ok {
			first[q.sched] = i
		}
		q.first = first[q.sched]
	}
}

// Has reports whether the chip has a port with just these lanes, in whatever order.
func (inv *Inventory) Has(lanes []uint32) bool {
	want := laneSet(lanes)
	return slices.ContainsFunc(inv.ports, func(p port) bool { return len(p.lanes) == len(lanes) && laneSet(p.lanes) == want })
}

// laneSet is the same text for the same lanes in any order.
func laneSet(lanes []uint32) string {
	sorted := slices.Sorted(slices.Values(lanes))
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(sorted), " ", ","), "[]")
}
