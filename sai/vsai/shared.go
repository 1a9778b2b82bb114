package vsai

import "xon/sai"

// sharedSize is what a pool's users share, by the chip's rule, in bytes. Packets share so
// much in whole cells of each slice.
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

// unshared is what is not shared of a pool. Off an egress pool nothing is taken.
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

// largestIngress is the index of the largest ingress pool, the first of several; -1: there is none.
func largestIngress(pools []poolUse) int {
	largest := -1
	for i, u := range pools {
		if u.ingress && u.size > 0 && (largest < 0 || u.size > pools[largest].size) {
			largest = i
		}
	}
	return largest
}

// queueMinima is what the chip keeps for the queues of its front-panel ports.
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
