package vsai

import "xon/sai"

// sharedSize is the shared part of a pool by the chip's rule, in bytes. Packets use it
// in whole cells of each slice.
func sharedSize(c *Chip, x *object) (sai.Value, bool) {
	pools, _ := c.poolUses()
	largest := largestIngress(pools)
	for i, u := range pools {
		if u.id == x.id {
			return sai.Value{Num: u.size - min(c.unshared(u, i == largest), u.size)}, true
		}
	}
	return sai.Value{}, false
}

// unshared is the part of a pool that is not shared. An egress pool is shared
// completely.
func (c *Chip) unshared(u poolUse, largest bool) (n uint64) {
	if !u.ingress {
		return 0
	}
	if c.profile.SharedSize == SharedIncludesHeadroom {
		n = u.xoff
	}
	if c.profile.Reserve == ReserveInPool {
		n += u.pgs
	}
	if largest && c.profile.SharedSize == SharedIncludesHeadroom && c.profile.Reserve == ReserveInPool {
		n += c.queueMinima()
	}
	return n
}

// largestIngress is the index of the largest ingress pool, the first of equals; -1:
// there is none.
func largestIngress(pools []poolUse) int {
	largest := -1
	for i, u := range pools {
		if u.ingress && u.size > 0 && (largest < 0 || u.size > pools[largest].size) {
			largest = i
		}
	}
	return largest
}

// queueMinima is what the chip reserves for the queues of its front-panel ports.
func (c *Chip) queueMinima() (n uint64) {
	m := &c.profile.Memory
	for id, p := range c.ports {
		if id == c.cpu || m.FrontLanes > 0 && len(p.lanes) > 0 && int(p.lanes[0]) > m.FrontLanes {
			continue
		}
		var rows uint64
		for _, q := range p.queues {
			if profile := c.byID(sai.OID(c.byID(q).num(sai.QueueAttrBufferProfileID.AttrMeta))); profile != nil {
				rows += profile.num(sai.BufferProfileAttrReservedBufferSize.AttrMeta)
			}
		}
		n += max(rows, uint64(m.PortQueueCells)*uint64(c.profile.CellBytes))
	}
	return n
}
