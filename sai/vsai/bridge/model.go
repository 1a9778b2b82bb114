package bridge

import (
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// model returns the dataplane model of a chip profile.
func model(p *vsai.Profile) dataplane.Model {
	m := dataplane.Model{
		CellBytes: int(p.CellBytes), Slices: p.Slices, AlphaTop: p.AlphaTop,
		PortAlpha: p.PortAlpha, QueueRound: p.QueueRoundCells,
		HeadroomLoss: p.Memory.HeadroomLossCells, SharedXoffTimes: p.Memory.SharedXoffTimes, WREDCells: p.Memory.WREDInCells,
		StaticOverPool: p.Memory.StaticOverPool,
	}
	if p.Headroom == vsai.HeadroomPerPG {
		m.Admission = dataplane.AdmitPerGroup
	}
	switch {
	case p.SharedSize == vsai.SharedPrivate:
		m.SharedSize = dataplane.SharedPrivate
	case p.SharedSize == vsai.SharedIncludesHeadroom && p.Reserve == vsai.ReserveInPool:
		m.SharedSize = dataplane.SharedIncludesHeadroom
	default: // poolSize subtracts reservations
		m.SharedSize = dataplane.SharedExcludesHeadroom
	}
	return m
}

// memory sets a port's slices of packet memory, which depend on its first lane, and
// what the chip reserves for it.
func memory(p *vsai.Profile, lane uint32, c *dataplane.PortConfig) {
	m := &p.Memory
	if m.FrontLanes == 0 {
		return
	}
	at := int(lane) - 1
	c.Reserved = int64(m.PortQueueCells) * int64(p.CellBytes)
	if at >= m.FrontLanes {
		c.Reserved = -1
	}
	quarter := min(max(at, 0)*len(m.SliceIn)/m.FrontLanes, len(m.SliceIn)-1)
	c.SliceIn, c.SliceOut = m.SliceIn[quarter], m.SliceOut[quarter]
}

// poolSize returns a pool's size by the rule of the model.
func poolSize(p *vsai.Profile, size, xoff int64) int64 {
	if p.SharedSize == vsai.SharedIncludesHeadroom && p.Reserve != vsai.ReserveInPool {
		return max(size-xoff, 0)
	}
	return size
}
