package inventory

import (
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Name gives every object its name: a port that of the PORT row with the same
// lanes, in whatever order, or "lanes:1,2,3,4" if there is none; what belongs to a
// port the port's name and its index. Of several rows with the same lanes the
// first by name wins; a row with lanes that no port has names nothing. So do rows
// for the second of two ports that the chip gives the same lanes.
//
// adopted has the handle of every object by its key, which has no facet.
func (inv *Inventory) Name(rows map[string]*configdb.Port) (dev *intent.Device, adopted map[graph.Key]sai.OID) {
	names := map[string]string{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
		names[laneSet(rows[name].Lanes)] = name
	}
	chip := inv.chip
	dev = &chip
	dev.ByName = make(map[string]*intent.Port, len(inv.ports))
	adopted = make(map[graph.Key]sai.OID, 1+32*len(inv.ports))
	adopted[intent.SwitchKey] = inv.sw
	maps.Copy(adopted, inv.hashes)
	for i := range inv.ports {
		lanes := laneSet(inv.ports[i].lanes)
		name, ok := names[lanes]
		if !ok {
			name = "lanes:" + lanes
		}
		if dev.ByName[name] != nil {
			name, ok = "lanes:"+lanes+"#"+inv.ports[i].id.String(), false
		}
		p := inv.ports[i].name(name, adopted)
		p.Configured = ok
		dev.Ports = append(dev.Ports, p)
		dev.ByName[name] = p
	}
	return dev, adopted
}

func (p *port) name(name string, adopted map[graph.Key]sai.OID) *intent.Port {
	out := &intent.Port{
		Name: name, Lanes: p.lanes, Object: graph.Key{Type: sai.ObjectTypePort, Name: name},
		PGs: make([]graph.Key, len(p.groups)), Queues: make([]intent.Queue, len(p.queues)),
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
