package bridge

import (
	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// portMeter reads the statistics of a port.
type portMeter struct {
	sim    *dataplane.Sim
	sw     *dataplane.Switch
	port   *dataplane.Port
	queues int
}

func (m *portMeter) Count(stat uint32) (uint64, vsai.StatKind) { return portStats.count(m, stat) }

func (m *portMeter) Clear(uint32) {} // a port has no watermarks

func (m *portMeter) State(*sai.AttrMeta) (uint64, bool) { return 0, false }

// ofQueues sums a statistic over the port's queues.
func ofQueues(f func(*dataplane.QueueStats) uint64) statistic[*portMeter] {
	return counter(func(m *portMeter) (n uint64) {
		for q := range m.queues {
			n += f(m.sw.QueueCounters(m.port.Index(), q))
		}
		return n
	})
}

// level sums the cells of priority groups, or of queues.
func level(cells func(m *portMeter) int64) statistic[*portMeter] {
	return statistic[*portMeter]{kind: vsai.Level, get: func(m *portMeter) uint64 {
		return uint64(cells(m) * m.sw.CellBytes())
	}}
}

func heldIn(m *portMeter) (n int64) {
	for g := range dataplane.Classes {
		n += m.sw.GroupCounters(m.port.Index(), g).Held
	}
	return n
}

func heldOut(m *portMeter) (n int64) {
	for q := range m.queues {
		n += m.sw.QueueCounters(m.port.Index(), q).Held
	}
	return n
}

func bytesOut(m *portMeter) (n uint64) {
	for q := range m.queues {
		n += uint64(m.sw.QueueCounters(m.port.Index(), q).Length)
	}
	return n
}

func ofPort(f func(*dataplane.PortStats) uint64) statistic[*portMeter] {
	return counter(func(m *portMeter) uint64 { return f(&m.port.Stats) })
}

// perClass are the IDs of a PFC statistic by priority.
type perClass [dataplane.Classes]sai.Stat[sai.Port]

var (
	pfcHeard = perClass{
		sai.PortStatPFC0RxPkts, sai.PortStatPFC1RxPkts, sai.PortStatPFC2RxPkts, sai.PortStatPFC3RxPkts,
		sai.PortStatPFC4RxPkts, sai.PortStatPFC5RxPkts, sai.PortStatPFC6RxPkts, sai.PortStatPFC7RxPkts,
	}
	pfcSent = perClass{
		sai.PortStatPFC0TxPkts, sai.PortStatPFC1TxPkts, sai.PortStatPFC2TxPkts, sai.PortStatPFC3TxPkts,
		sai.PortStatPFC4TxPkts, sai.PortStatPFC5TxPkts, sai.PortStatPFC6TxPkts, sai.PortStatPFC7TxPkts,
	}
	onToOff = perClass{
		sai.PortStatPFC0On2offRxPkts, sai.PortStatPFC1On2offRxPkts, sai.PortStatPFC2On2offRxPkts, sai.PortStatPFC3On2offRxPkts,
		sai.PortStatPFC4On2offRxPkts, sai.PortStatPFC5On2offRxPkts, sai.PortStatPFC6On2offRxPkts, sai.PortStatPFC7On2offRxPkts,
	}
	pausedUs = perClass{
		sai.PortStatPFC0RxPauseDurationUs, sai.PortStatPFC1RxPauseDurationUs, sai.PortStatPFC2RxPauseDurationUs, sai.PortStatPFC3RxPauseDurationUs,
		sai.PortStatPFC4RxPauseDurationUs, sai.PortStatPFC5RxPauseDurationUs, sai.PortStatPFC6RxPauseDurationUs, sai.PortStatPFC7RxPauseDurationUs,
	}
	stoppedUs = perClass{
		sai.PortStatPFC0TxPauseDurationUs, sai.PortStatPFC1TxPauseDurationUs, sai.PortStatPFC2TxPauseDurationUs, sai.PortStatPFC3TxPauseDurationUs,
		sai.PortStatPFC4TxPauseDurationUs, sai.PortStatPFC5TxPauseDurationUs, sai.PortStatPFC6TxPauseDurationUs, sai.PortStatPFC7TxPauseDurationUs,
	}
)

// sizes are the IDs of frame counters by size.
var sizes = [dataplane.Sizes]struct{ in, out, all sai.Stat[sai.Port] }{
	{sai.PortStatEtherInPkts64Octets, sai.PortStatEtherOutPkts64Octets, sai.PortStatEtherStatsPkts64Octets},
	{sai.PortStatEtherInPkts65To127Octets, sai.PortStatEtherOutPkts65To127Octets, sai.PortStatEtherStatsPkts65To127Octets},
	{sai.PortStatEtherInPkts128To255Octets, sai.PortStatEtherOutPkts128To255Octets, sai.PortStatEtherStatsPkts128To255Octets},
	{sai.PortStatEtherInPkts256To511Octets, sai.PortStatEtherOutPkts256To511Octets, sai.PortStatEtherStatsPkts256To511Octets},
	{sai.PortStatEtherInPkts512To1023Octets, sai.PortStatEtherOutPkts512To1023Octets, sai.PortStatEtherStatsPkts512To1023Octets},
	{sai.PortStatEtherInPkts1024To1518Octets, sai.PortStatEtherOutPkts1024To1518Octets, sai.PortStatEtherStatsPkts1024To1518Octets},
	{sai.PortStatEtherInPkts1519To2047Octets, sai.PortStatEtherOutPkts1519To2047Octets, sai.PortStatEtherStatsPkts1519To2047Octets},
	{sai.PortStatEtherInPkts2048To4095Octets, sai.PortStatEtherOutPkts2048To4095Octets, sai.PortStatEtherStatsPkts2048To4095Octets},
	{sai.PortStatEtherInPkts4096To9216Octets, sai.PortStatEtherOutPkts4096To9216Octets, sai.PortStatEtherStatsPkts4096To9216Octets},
	{sai.PortStatEtherInPkts9217To16383Octets, sai.PortStatEtherOutPkts9217To16383Octets, sai.PortStatEtherStatsPkts9217To16383Octets},
}

var portStats = newStatTable(portTable())

func portTable() map[sai.Stat[sai.Port]]statistic[*portMeter] {
	t := map[sai.Stat[sai.Port]]statistic[*portMeter]{
		sai.PortStatIfInOctets:               ofPort(func(s *dataplane.PortStats) uint64 { return s.InBytes }),
		sai.PortStatIfInUcastPkts:            ofPort(func(s *dataplane.PortStats) uint64 { return s.InPackets - s.InControl }),
		sai.PortStatIfInDiscards:             ofPort(func(s *dataplane.PortStats) uint64 { return s.InDropped }),
		sai.PortStatInDroppedPkts:            ofPort(func(s *dataplane.PortStats) uint64 { return s.InDropped }),
		sai.PortStatIfOutOctets:              ofPort(func(s *dataplane.PortStats) uint64 { return s.OutBytes }),
		sai.PortStatIfOutUcastPkts:           ofPort(func(s *dataplane.PortStats) uint64 { return s.OutPackets - s.OutControl }),
		sai.PortStatIfOutDiscards:            ofPort(func(s *dataplane.PortStats) uint64 { return s.OutDropped }),
		sai.PortStatOutDroppedPkts:           ofPort(func(s *dataplane.PortStats) uint64 { return s.OutDropped }),
		sai.PortStatPauseRxPkts:              ofPort(func(s *dataplane.PortStats) uint64 { return s.PauseHeard }),
		sai.PortStatPauseTxPkts:              ofPort(func(s *dataplane.PortStats) uint64 { return s.PauseSent }),
		sai.PortStatECNMarkedPackets:         ofPort(func(s *dataplane.PortStats) uint64 { return s.Marked }),
		sai.PortStatEtherStatsOctets:         ofPort(func(s *dataplane.PortStats) uint64 { return s.InBytes + s.OutBytes }),
		sai.PortStatEtherStatsPkts:           ofPort(func(s *dataplane.PortStats) uint64 { return s.InPackets + s.OutPackets }),
		sai.PortStatWredDroppedPackets:       ofQueues(func(s *dataplane.QueueStats) uint64 { return sum(s.WREDDropped) }),
		sai.PortStatWredDroppedBytes:         ofQueues(func(s *dataplane.QueueStats) uint64 { return sum(s.WREDDroppedBytes) }),
		sai.PortStatGreenWredDroppedPackets:  ofQueues(func(s *dataplane.QueueStats) uint64 { return s.WREDDropped[dataplane.Green] }),
		sai.PortStatGreenWredDroppedBytes:    ofQueues(func(s *dataplane.QueueStats) uint64 { return s.WREDDroppedBytes[dataplane.Green] }),
		sai.PortStatYellowWredDroppedPackets: ofQueues(func(s *dataplane.QueueStats) uint64 { return s.WREDDropped[dataplane.Yellow] }),
		sai.PortStatYellowWredDroppedBytes:   ofQueues(func(s *dataplane.QueueStats) uint64 { return s.WREDDroppedBytes[dataplane.Yellow] }),
		sai.PortStatRedWredDroppedPackets:    ofQueues(func(s *dataplane.QueueStats) uint64 { return s.WREDDropped[dataplane.Red] }),
		sai.PortStatRedWredDroppedBytes:      ofQueues(func(s *dataplane.QueueStats) uint64 { return s.WREDDroppedBytes[dataplane.Red] }),
		sai.PortStatTrimPackets:              ofQueues(func(s *dataplane.QueueStats) uint64 { return s.Trimmed }),
		sai.PortStatInCurrOccupancyBytes:     level(heldIn),
		sai.PortStatOutCurrOccupancyBytes:    level(heldOut),
		sai.PortStatIfInErrors:               ofPort(func(s *dataplane.PortStats) uint64 { return s.InTooLong }),
		sai.PortStatEtherRxOversizePkts:      ofPort(func(s *dataplane.PortStats) uint64 { return s.InTooLong }),
		sai.PortStatEtherStatsOversizePkts:   ofPort(func(s *dataplane.PortStats) uint64 { return s.InTooLong }),
		sai.PortStatIfOutQlen:                {kind: vsai.Level, get: bytesOut},
	}
	for c := range dataplane.Classes {
		t[pfcHeard[c]] = ofPort(func(s *dataplane.PortStats) uint64 { return s.PFCHeard[c] })
		t[pfcSent[c]] = ofPort(func(s *dataplane.PortStats) uint64 { return s.PFCSent[c] })
		t[onToOff[c]] = ofPort(func(s *dataplane.PortStats) uint64 { return s.OnToOff[c] })
		t[pausedUs[c]] = counter(func(m *portMeter) uint64 { return uint64(m.sim.PausedFor(m.port, c) / dataplane.Microsecond) })
		t[stoppedUs[c]] = counter(func(m *portMeter) uint64 { return uint64(m.sim.StoppedFor(m.port, c) / dataplane.Microsecond) })
	}
	for i := range dataplane.Sizes {
		t[sizes[i].in] = ofPort(func(s *dataplane.PortStats) uint64 { return s.InSizes[i] })
		t[sizes[i].out] = ofPort(func(s *dataplane.PortStats) uint64 { return s.OutSizes[i] })
		t[sizes[i].all] = ofPort(func(s *dataplane.PortStats) uint64 { return s.InSizes[i] + s.OutSizes[i] })
	}
	return t
}
