package counters

import (
	"strconv"
	"time"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// spec says how one group is read.
type spec struct {
	name     string
	interval time.Duration
	stats    []string
	object   *sai.ObjectMeta
	keys     func(*intent.Device) []graph.Key
	read     func(sw *sai.Switch, objects []sai.OID, stats []uint32) reader
}

// specs are the groups of countersdb with what they are about.
var specs = func() []spec {
	var all []spec
	for _, g := range countersdb.Groups {
		s := spec{name: g.Name, interval: g.Interval, stats: g.Stats}
		switch g.Object {
		case countersdb.Port:
			s.object, s.keys, s.read = sai.Port{}.Meta(), portKeys, newReader[sai.Port]
		case countersdb.Queue:
			s.object, s.keys, s.read = sai.Queue{}.Meta(), queueKeys, newReader[sai.Queue]
		case countersdb.PriorityGroup:
			s.object, s.keys, s.read = sai.IngressPriorityGroup{}.Meta(), pgKeys, newReader[sai.IngressPriorityGroup]
		default:
			panic("counters: nobody reads the objects of group " + g.Name)
		}
		all = append(all, s)
	}
	return all
}()

// configured are the ports that have a row: others have no name to be found by.
func configured(dev *intent.Device) []*intent.Port {
	var ports []*intent.Port
	for _, p := range dev.Ports {
		if p.Configured {
			ports = append(ports, p)
		}
	}
	return ports
}

func portKeys(dev *intent.Device) (keys []graph.Key) {
	for _, p := range configured(dev) {
		keys = append(keys, p.Object)
	}
	return keys
}

func queueKeys(dev *intent.Device) (keys []graph.Key) {
	for _, p := range configured(dev) {
		for _, q := range p.Queues {
			keys = append(keys, q.Buffer)
		}
	}
	return keys
}

func pgKeys(dev *intent.Device) (keys []graph.Key) {
	for _, p := range configured(dev) {
		keys = append(keys, p.PGs...)
	}
	return keys
}

func rowKey(id sai.OID) string { return countersdb.CountersKey(id.String()) }

// nameMaps are the hashes by which SONiC's tools find the objects of ports. One
// that would be empty is nil: Redis has no empty hashes.
func nameMaps(dev *intent.Device, handles map[graph.Key]sai.OID) map[string]redisdb.Fields {
	ports, types, queues, groups := redisdb.Fields{}, redisdb.Fields{}, newChildren(), newChildren()
	for _, p := range configured(dev) {
		port := handles[p.Object].String()
		ports[p.Name] = port
		for i, q := range p.Queues {
			if id, ok := handles[q.Buffer.Object()]; ok {
				queues.add(p.Name, port, i, id.String())
				types[id.String()] = countersdb.UnicastQueue
				if q.Multicast {
					types[id.String()] = countersdb.MulticastQueue
				}
			}
		}
		for i, k := range p.PGs {
			if id, ok := handles[k.Object()]; ok {
				groups.add(p.Name, port, i, id.String())
			}
		}
	}
	m := map[string]redisdb.Fields{
		countersdb.PortNameMap:  ports,
		countersdb.QueueNameMap: queues.names, countersdb.QueuePortMap: queues.ports, countersdb.QueueIndexMap: queues.indices,
		countersdb.QueueTypeMap: types,
		countersdb.PGNameMap:    groups.names, countersdb.PGPortMap: groups.ports, countersdb.PGIndexMap: groups.indices,
	}
	for table, f := range m {
		if len(f) == 0 {
			m[table] = nil
		}
	}
	return m
}

// children are the name maps of what belongs to ports: queues, or priority groups.
type children struct{ names, ports, indices redisdb.Fields }

func newChildren() children { return children{redisdb.Fields{}, redisdb.Fields{}, redisdb.Fields{}} }

func (c children) add(name, port string, index int, id string) {
	c.names[countersdb.ChildName(name, index)] = id
	c.ports[id] = port
	c.indices[id] = strconv.Itoa(index)
}
