package counters

import (
	"xon/sai"
	"xon/schema/countersdb"
)

// spec says how one group is read.
type spec struct {
	countersdb.Group
	object *sai.ObjectMeta
	read   func(sw *sai.Switch, objects []sai.OID, stats []uint32, clear bool) reader
}

// specs are the groups of countersdb with what they are about.
var specs = func() []spec {
	var all []spec
	for _, g := range countersdb.Groups {
		s := spec{Group: g}
		switch g.Object {
		case countersdb.Port:
			s.object, s.read = sai.Port{}.Meta(), newReader[sai.Port]
		case countersdb.Queue:
			s.object, s.read = sai.Queue{}.Meta(), newReader[sai.Queue]
		case countersdb.PriorityGroup:
			s.object, s.read = sai.IngressPriorityGroup{}.Meta(), newReader[sai.IngressPriorityGroup]
		case countersdb.BufferPool:
			s.object, s.read = sai.BufferPool{}.Meta(), newReader[sai.BufferPool]
		case countersdb.Switch:
			s.object, s.read = sai.SwitchObject{}.Meta(), newReader[sai.SwitchObject]
		default:
			panic("counters: nobody reads the objects of group " + g.Name)
		}
		all = append(all, s)
	}
	return all
}()
