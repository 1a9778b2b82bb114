package bridge

import (
	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// groupMeter reads the statistics of a priority group.
type groupMeter struct {
	*dataplane.GroupStats
	cell uint64
}

func (m *groupMeter) Count(stat uint32) (uint64, vsai.StatKind) { return groupStats.count(m, stat) }

func (m *groupMeter) Clear(stat uint32) { groupStats.clear(m, stat) }

func (m *groupMeter) State(*sai.AttrMeta) (uint64, bool) { return 0, false }

func groupHeld(m *groupMeter) (*int64, uint64)         { return &m.Held, m.cell }
func groupHeldMost(m *groupMeter) (*int64, uint64)     { return &m.HeldMost, m.cell }
func groupShared(m *groupMeter) (*int64, uint64)       { return &m.Shared, m.cell }
func groupSharedMost(m *groupMeter) (*int64, uint64)   { return &m.SharedMost, m.cell }
func groupHeadroom(m *groupMeter) (*int64, uint64)     { return &m.Headroom, m.cell }
func groupHeadroomMost(m *groupMeter) (*int64, uint64) { return &m.HeadroomMost, m.cell }

var groupStats = newStatTable(map[sai.Stat[sai.IngressPriorityGroup]]statistic[*groupMeter]{
	sai.IngressPriorityGroupStatPackets:                    counter(func(m *groupMeter) uint64 { return m.Packets }),
	sai.IngressPriorityGroupStatBytes:                      counter(func(m *groupMeter) uint64 { return m.Bytes }),
	sai.IngressPriorityGroupStatDroppedPackets:             counter(func(m *groupMeter) uint64 { return m.Dropped }),
	sai.IngressPriorityGroupStatCurrOccupancyBytes:         gauge(groupHeld),
	sai.IngressPriorityGroupStatWatermarkBytes:             watermark(groupHeldMost, groupHeld),
	sai.IngressPriorityGroupStatSharedCurrOccupancyBytes:   gauge(groupShared),
	sai.IngressPriorityGroupStatSharedWatermarkBytes:       watermark(groupSharedMost, groupShared),
	sai.IngressPriorityGroupStatXoffRoomCurrOccupancyBytes: gauge(groupHeadroom),
	sai.IngressPriorityGroupStatXoffRoomWatermarkBytes:     watermark(groupHeadroomMost, groupHeadroom),
	sai.IngressPriorityGroupStatCurrOccupancyCells:         gauge(inCells(groupHeld)),
	sai.IngressPriorityGroupStatWatermarkCells:             watermark(inCells(groupHeldMost), groupHeld),
	sai.IngressPriorityGroupStatSharedCurrOccupancyCells:   gauge(inCells(groupShared)),
	sai.IngressPriorityGroupStatSharedWatermarkCells:       watermark(inCells(groupSharedMost), groupShared),
	sai.IngressPriorityGroupStatXoffRoomCurrOccupancyCells: gauge(inCells(groupHeadroom)),
	sai.IngressPriorityGroupStatXoffRoomWatermarkCells:     watermark(inCells(groupHeadroomMost), groupHeadroom),
})

// poolMeter reads the statistics of a pool in its ingress and egress direction. A pool
// has one of them, or both.
type poolMeter struct {
	in, out *dataplane.PoolStats
	cell    uint64
}

func (m *poolMeter) Count(stat uint32) (uint64, vsai.StatKind) { return poolStats.count(m, stat) }

func (m *poolMeter) Clear(stat uint32) { poolStats.clear(m, stat) }

func (m *poolMeter) State(*sai.AttrMeta) (uint64, bool) { return 0, false }

// side returns the direction that the pool's statistics report.
func (m *poolMeter) side() *dataplane.PoolStats {
	if m.in.HeldMost > 0 {
		return m.in
	}
	return m.out
}

func poolHeld(m *poolMeter) (*int64, uint64)         { return &m.side().Held, m.cell }
func poolHeldMost(m *poolMeter) (*int64, uint64)     { return &m.side().HeldMost, m.cell }
func poolHeadroom(m *poolMeter) (*int64, uint64)     { return &m.in.Headroom, m.cell }
func poolHeadroomMost(m *poolMeter) (*int64, uint64) { return &m.in.HeadroomMost, m.cell }

var poolStats = newStatTable(map[sai.Stat[sai.BufferPool]]statistic[*poolMeter]{
	sai.BufferPoolStatDroppedPackets:             counter(func(m *poolMeter) uint64 { return m.in.Dropped + m.out.Dropped }),
	sai.BufferPoolStatCurrOccupancyBytes:         gauge(poolHeld),
	sai.BufferPoolStatWatermarkBytes:             watermark(poolHeldMost, poolHeld),
	sai.BufferPoolStatXoffRoomCurrOccupancyBytes: gauge(poolHeadroom),
	sai.BufferPoolStatXoffRoomWatermarkBytes:     watermark(poolHeadroomMost, poolHeadroom),
	sai.BufferPoolStatCurrOccupancyCells:         gauge(inCells(poolHeld)),
	sai.BufferPoolStatWatermarkCells:             watermark(inCells(poolHeldMost), poolHeld),
	sai.BufferPoolStatXoffRoomCurrOccupancyCells: gauge(inCells(poolHeadroom)),
	sai.BufferPoolStatXoffRoomWatermarkCells:     watermark(inCells(poolHeadroomMost), poolHeadroom),
})
