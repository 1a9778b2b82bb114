package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// doomed is what the name of a port begins with that is to go, if the row that it had
// has another one now, or if it never had one.
const doomed = "~" + graph.Unnamed

// Plan gives names as Name does, and works out which ports are to come and to go. rows
// have no lane in common but those of ports that are there; accepted are those that were in force.
//
// A row whose lanes no port has exactly gets a port that is planned, as far as the
// chip has room, with what is below other ports of as many lanes. To make room, ports go
// that have one of those lanes and no row. A port goes as well whose row went: that of
// the row in accepted that has its lanes. All other ports without row stay.
//
// dev is what there will be; adopted has the handles of what is there. A port that is
// to go has the name that it had, unless another port that is there has it now.
func (inv *Inventory) Plan(rows, accepted map[string]*configdb.Port) (dev *intent.Device, adopted map[graph.Key]sai.OID) {
	x, had := inv.naming(rows), byLanes(accepted)
	missing := x.missing(rows, accepted)
	going := x.staying(had, taken(missing))
	for _, p := range going {
		lanes := laneSet(p.lanes)
		name := had[lanes]
		if name == "" || x.adopted[graph.Key{Type: sai.ObjectTypePort, Name: name}] != 0 {
			name = doomed + lanes
		}
		p.name(name, x.adopted)
	}
	for _, row := range missing {
		if x.room() {
			x.plan(row)
		}
	}
	return x.dev, x.adopted
}

// staying names the ports that stay, and returns those that go: ports without a row now
// that had one, or have a lane that is needed.
func (x *naming) staying(had map[string]string, needed map[uint32]bool) (going []*port) {
	for i := range x.ports {
		p := &x.ports[i]
		lanes := laneSet(p.lanes)
		_, wanted := x.rows[lanes]
		_, lost := had[lanes]
		if wanted || !lost && !slices.ContainsFunc(p.lanes, func(l uint32) bool { return needed[l] }) {
			x.keep(p)
		} else {
			going = append(going, p)
		}
	}
	return going
}

// missing returns the rows that need a port to be made, those in force first.
func (x *naming) missing(rows, accepted map[string]*configdb.Port) []*configdb.Port {
	there := make(map[string]bool, len(x.ports))
	for i := range x.ports {
		there[laneSet(x.ports[i].lanes)] = true
	}
	var list, fresh []*configdb.Port
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		switch row := rows[name]; {
		case there[laneSet(row.Lanes)]:
		case accepted[name] == row:
			list = append(list, row)
		default:
			fresh = append(fresh, row)
		}
	}
	return append(list, fresh...)
}

// taken are the lanes of rows whose ports can be made. Without a speed one can't, so
// nothing goes for it.
func taken(rows []*configdb.Port) map[uint32]bool {
	lanes := map[uint32]bool{}
	for _, row := range rows {
		if row.Speed == 0 {
			continue
		}
		for _, l := range row.Lanes {
			lanes[l] = true
		}
	}
	return lanes
}

// room reports whether one more port fits.
func (x *naming) room() bool { return x.dev.MaxPorts == 0 || len(x.dev.Ports) < x.dev.MaxPorts }

// plan adds a port that is to be made.
func (x *naming) plan(row *configdb.Port) {
	model, ok := x.models[len(row.Lanes)]
	if !ok {
		for _, lanes := range slices.Sorted(maps.Keys(x.models)) {
			model = x.models[lanes]
			break
		}
	}
	// The order in which a row lists its lanes means nothing, as in SONiC.
	model.id, model.lanes = sai.Null, slices.Sorted(slices.Values(row.Lanes))
	p := model.name(row.Name, map[graph.Key]sai.OID{})
	p.Planned = true
	x.put(p, true)
}

// Made reads what belongs to ports that were created, given by key. named are the
// handles of what has a name, the ports among them; parts are all that the chip made
// along with each port. next has the ports, too.
func (inv *Inventory) Made(ports map[graph.Key]sai.OID) (next *Inventory, named map[graph.Key]sai.OID, parts map[graph.Key][]graph.Part, err error) {
	keys := slices.SortedFunc(maps.Keys(ports), func(a, b graph.Key) int { return cmp.Compare(ports[a], ports[b]) })
	ids := make([]sai.OID, len(keys))
	for i, k := range keys {
		ids[i] = ports[k]
	}
	fresh, err := readPorts(inv.drv, ids)
	if err != nil {
		return inv, nil, nil, fmt.Errorf("discover what was made along with ports: %w", err)
	}
	next = inv.copy()
	next.add(fresh)
	named, parts = map[graph.Key]sai.OID{}, map[graph.Key][]graph.Part{}
	for i, k := range keys {
		fresh[i].name(k.Name, named)
		parts[k] = fresh[i].parts
	}
	return next, named, parts, nil
}

// copy is an inventory to change.
func (inv *Inventory) copy() *Inventory {
	c := *inv
	c.ports, c.models, c.lanes = slices.Clone(inv.ports), maps.Clone(inv.models), maps.Clone(inv.lanes)
	return &c
}

// add adds ports to an inventory that nobody else holds yet.
func (inv *Inventory) add(ports found) {
	inv.ports = append(inv.ports, ports...)
	for _, p := range ports {
		inv.models[len(p.lanes)] = p
		for _, l := range p.lanes {
			inv.lanes[l] = true
		}
	}
}

// Gone is the inventory without a port that was removed, and what went with it.
func (inv *Inventory) Gone(id sai.OID) (next *Inventory, parts []graph.Part) {
	i := slices.IndexFunc(inv.ports, func(p port) bool { return p.id == id })
	if i < 0 {
		return inv, nil
	}
	next = inv.copy()
	next.ports = slices.Delete(next.ports, i, i+1)
	return next, inv.ports[i].parts
}

// Lanes says which lanes the chip has, as ranges: "the chip has lanes 1-128". If it does
// not report them, it says which its ports were seen to have.
func (inv *Inventory) Lanes() string {
	if len(inv.allLanes) > 0 {
		return "the chip has lanes " + ranges(slices.Sorted(slices.Values(inv.allLanes)))
	}
	return "the chip's ports were seen to have lanes " + ranges(slices.Sorted(maps.Keys(inv.lanes)))
}

// ranges writes numbers, which are in order, as ranges.
func ranges(lanes []uint32) string {
	var parts []string
	for i := 0; i < len(lanes); {
		j := i
		for j+1 < len(lanes) && lanes[j+1] == lanes[j]+1 {
			j++
		}
		if parts = append(parts, fmt.Sprint(lanes[i])); j > i {
			parts[len(parts)-1] += fmt.Sprintf("-%d", lanes[j])
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Rediscover returns inv if the chip still has the same ports with the same parts, or
// else a new inventory, which knows what inv knew of ports that are gone.
func (inv *Inventory) Rediscover() (*Inventory, error) {
	now, err := Discover(inv.drv)
	if err != nil {
		return nil, err
	}
	same := slices.EqualFunc(inv.ports, now.ports, func(a, b port) bool {
		return a.id == b.id && slices.Equal(a.lanes, b.lanes) && slices.Equal(a.parts, b.parts)
	})
	if same {
		return inv, nil
	}
	for n, p := range inv.models {
		if _, ok := now.models[n]; !ok {
			now.models[n] = p
		}
	}
	maps.Copy(now.lanes, inv.lanes)
	return now, nil
}
