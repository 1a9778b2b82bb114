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

const countersPattern = countersdb.CountersTable + ":oid:*"

func rowKey(id sai.OID) string { return countersdb.CountersKey(id.String()) }

// nameMaps are the hashes by which SONiC's tools find the objects of ports.
func nameMaps(dev *intent.Device, handles map[graph.Key]sai.OID) map[string]redisdb.Fields {
	m := map[string]redisdb.Fields{}
	for _, table := range []string{
		countersdb.PortNameMap, countersdb.QueueNameMap, countersdb.QueuePortMap, countersdb.QueueIndexMap, countersdb.QueueTypeMap,
		countersdb.PGNameMap, countersdb.PGPortMap, countersdb.PGIndexMap,
	} {
		m[table] = redisdb.Fields{}
	}
	for _, p := range configured(dev) {
		port := handles[p.Object].String()
		m[countersdb.PortNameMap][p.Name] = port
		for i, q := range p.Queues {
			id, kind := handles[q.Buffer.Object()].String(), countersdb.UnicastQueue
			if q.Multicast {
				kind = countersdb.MulticastQueue
			}
			m[countersdb.QueueNameMap][countersdb.ChildName(p.Name, i)] = id
			m[countersdb.QueuePortMap][id] = port
			m[countersdb.QueueIndexMap][id] = strconv.Itoa(i)
			m[countersdb.QueueTypeMap][id] = kind
		}
		for i, k := range p.PGs {
			id := handles[k.Object()].String()
			m[countersdb.PGNameMap][countersdb.ChildName(p.Name, i)] = id
			m[countersdb.PGPortMap][id] = port
			m[countersdb.PGIndexMap][id] = strconv.Itoa(i)
		}
	}
	for table, f := range m {
		if len(f) == 0 {
			m[table] = nil // an empty hash would be a row with a placeholder
		}
	}
	return m
}
