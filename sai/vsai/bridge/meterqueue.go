package bridge

import (
	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// queueMeter reads the statistics of a queue.
type queueMeter struct {
	*dataplane.QueueStats
	sim   *dataplane.Sim
	port  *dataplane.Port
	index int
	cell  uint64
}

func (m *queueMeter) Count(stat uint32) (uint64, vsai.StatKind) { return queueStats.count(m, stat) }

func (m *queueMeter) Clear(stat uint32) { queueStats.clear(m, stat) }

func (m *queueMeter) State(a *sai.AttrMeta) (uint64, bool) {
	state := m.sim.QueueState(m.port, m.index)
	switch a {
	case sai.QueueAttrPauseStatus.AttrMeta:
		if state == dataplane.NotPaused {
			return 0, true
		}
		return 1, true
	case sai.QueueAttrPFCContinuousDeadlockState.AttrMeta:
		return uint64(state), true // QueueState has SAI's order
	}
	return 0, false
}

func queueHeld(m *queueMeter) (*int64, uint64)       { return &m.Held, m.cell }
func queueHeldMost(m *queueMeter) (*int64, uint64)   { return &m.HeldMost, m.cell }
func queueShared(m *queueMeter) (*int64, uint64)     { return &m.Shared, m.cell }
func queueSharedMost(m *queueMeter) (*int64, uint64) { return &m.SharedMost, m.cell }

// inCells returns a level as a number of cells.
func inCells[M any](level func(M) (*int64, uint64)) func(M) (*int64, uint64) {
	return func(m M) (*int64, uint64) {
		n, _ := level(m)
		return n, 1
	}
}

// sum sums a counter over colours.
func sum(n [dataplane.Colours]uint64) (all uint64) {
	for _, x := range n {
		all += x
	}
	return all
}

var queueStats = newStatTable(map[sai.Stat[sai.Queue]]statistic[*queueMeter]{
	sai.QueueStatPackets:        counter(func(m *queueMeter) uint64 { return m.Packets }),
	sai.QueueStatBytes:          counter(func(m *queueMeter) uint64 { return m.Bytes }),
	sai.QueueStatDroppedPackets: counter(func(m *queueMeter) uint64 { return m.Dropped }),
	sai.QueueStatDroppedBytes:   counter(func(m *queueMeter) uint64 { return m.DroppedBytes }),
	sai.QueueStatTrimPackets:    counter(func(m *queueMeter) uint64 { return m.Trimmed }),

	sai.QueueStatWredDroppedPackets:       counter(func(m *queueMeter) uint64 { return sum(m.WREDDropped) }),
	sai.QueueStatWredDroppedBytes:         counter(func(m *queueMeter) uint64 { return sum(m.WREDDroppedBytes) }),
	sai.QueueStatGreenWredDroppedPackets:  counter(func(m *queueMeter) uint64 { return m.WREDDropped[dataplane.Green] }),
	sai.QueueStatGreenWredDroppedBytes:    counter(func(m *queueMeter) uint64 { return m.WREDDroppedBytes[dataplane.Green] }),
	sai.QueueStatYellowWredDroppedPackets: counter(func(m *queueMeter) uint64 { return m.WREDDropped[dataplane.Yellow] }),
	sai.QueueStatYellowWredDroppedBytes:   counter(func(m *queueMeter) uint64 { return m.WREDDroppedBytes[dataplane.Yellow] }),
	sai.QueueStatRedWredDroppedPackets:    counter(func(m *queueMeter) uint64 { return m.WREDDropped[dataplane.Red] }),
	sai.QueueStatRedWredDroppedBytes:      counter(func(m *queueMeter) uint64 { return m.WREDDroppedBytes[dataplane.Red] }),

	sai.QueueStatWredECNMarkedPackets:       counter(func(m *queueMeter) uint64 { return sum(m.Marked) }),
	sai.QueueStatWredECNMarkedBytes:         counter(func(m *queueMeter) uint64 { return sum(m.MarkedBytes) }),
	sai.QueueStatGreenWredECNMarkedPackets:  counter(func(m *queueMeter) uint64 { return m.Marked[dataplane.Green] }),
	sai.QueueStatGreenWredECNMarkedBytes:    counter(func(m *queueMeter) uint64 { return m.MarkedBytes[dataplane.Green] }),
	sai.QueueStatYellowWredECNMarkedPackets: counter(func(m *queueMeter) uint64 { return m.Marked[dataplane.Yellow] }),
	sai.QueueStatYellowWredECNMarkedBytes:   counter(func(m *queueMeter) uint64 { return m.MarkedBytes[dataplane.Yellow] }),
	sai.QueueStatRedWredECNMarkedPackets:    counter(func(m *queueMeter) uint64 { return m.Marked[dataplane.Red] }),
	sai.QueueStatRedWredECNMarkedBytes:      counter(func(m *queueMeter) uint64 { return m.MarkedBytes[dataplane.Red] }),

	sai.QueueStatCurrOccupancyBytes:       gauge(queueHeld),
	sai.QueueStatWatermarkBytes:           watermark(queueHeldMost, queueHeld),
	sai.QueueStatSharedCurrOccupancyBytes: gauge(queueShared),
	sai.QueueStatSharedWatermarkBytes:     watermark(queueSharedMost, queueShared),
	sai.QueueStatCurrOccupancyCells:       gauge(inCells(queueHeld)),
	sai.QueueStatWatermarkCells:           watermark(inCells(queueHeldMost), queueHeld),
	sai.QueueStatSharedCurrOccupancyCells: gauge(inCells(queueShared)),
	sai.QueueStatSharedWatermarkCells:     watermark(inCells(queueSharedMost), queueShared),
})
