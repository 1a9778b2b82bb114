package inventory

import (
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Name gives every object that is there its name: a port that of the PORT row with
// the same lanes, in whatever order, or "lanes:1,2,3,4" if there is none; what belongs
// to a port the port's name and its index. Of several rows with the same lanes the
// first by name wins; a row with lanes that no port has names nothing. So do rows
// for the second of two ports that the chip gives the same lanes.
//
// adopted has the handle of every object by its key, which has no facet.
func (inv *Inventory) Name(rows map[string]*configdb.Port) (dev *intent.Device, adopted map[graph.Key]sai.OID) {
	x := inv.naming(rows)
	for i := range inv.ports {
		x.keep(&inv.ports[i])
	}
	return x.dev, x.adopted
}

// naming is names in the making.
type naming struct {
	*Inventory
	rows    map[string]string // names by lanes
	dev     *intent.Device
	adopted map[graph.Key]sai.OID
}

func (inv *Inventory) naming(rows map[string]*configdb.Port) *naming {
	chip := inv.chip
	chip.ByName = make(map[string]*intent.Port, len(inv.ports))
	x := &naming{Inventory: inv, rows: byLanes(rows), dev: &chip, adopted: make(map[graph.Key]sai.OID, 1+32*len(inv.ports))}
	x.adopted[intent.SwitchKey] = inv.sw
	maps.Copy(x.adopted, inv.single)
	return x
}

func byLanes(rows map[string]*configdb.Port) map[string]string {
	names := make(map[string]string, len(rows))
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
		names[laneSet(rows[name].Lanes)] = name
	}
	return names
}

// keep names a port that stays.
func (x *naming) keep(p *port) {
	lanes := laneSet(p.lanes)
	name, ok := x.rows[lanes]
	if !ok {
		name = graph.Unnamed + lanes
	}
	if x.dev.ByName[name] != nil {
		name, ok = graph.Unnamed+lanes+"#"+p.id.String(), false
	}
	x.put(p.name(name, x.adopted), ok)
}

func (x *naming) put(p *intent.Port, configured bool) {
	p.Configured = configured
	x.dev.Ports = append(x.dev.Ports, p)
	x.dev.ByName[p.Name] = p
}

func (p *port) name(name string, adopted map[graph.Key]sai.OID) *intent.Port {
	out := &intent.Port{
		Name: name, ID: p.id, Lanes: p.lanes, Object: graph.Key{Type: sai.ObjectTypePort, Name: name},
		PGs: make([]graph.Key, len(p.groups)), Queues: make([]intent.Queue, len(p.queues)),
		MaxHeadroom: p.room, Speeds: p.speeds,
	}
	adopted[out.Object] = p.id
	for i, id := range p.groups {
		if id == sai.Null {
			continue
		}
		k := graph.Key{Type: sai.ObjectTypeIngressPriorityGroup, Name: intent.ChildName(name, i)}
		adopted[k] = id
		k.Facet = graph.Buffer
		out.PGs[i] = k
	}
	for i := range p.queues {
		if p.queues[i].id != sai.Null {
			out.Queues[i] = p.queues[i].name(name, i, adopted)
		}
	}
	return out
}

func (q *queue) name(port string, index int, adopted map[graph.Key]sai.OID) intent.Queue {
	k := graph.Key{Type: sai.ObjectTypeQueue, Name: intent.ChildName(port, index)}
	adopted[k] = q.id
	out := intent.Queue{Multicast: q.multicast, Any: q.any, Buffer: k, WRED: k}
	out.Buffer.Facet, out.WRED.Facet = graph.Buffer, graph.WRED
	if q.sched != sai.Null {
		g := graph.Key{Type: sai.ObjectTypeSchedulerGroup, Name: intent.ChildName(port, q.first)}
		adopted[g] = q.sched
		g.Facet = graph.Scheduler
		out.Group = g
	}
	return out
}
