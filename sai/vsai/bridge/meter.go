package bridge

import (
	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// statistic reads one statistic from the dataplane, for an object with meter M.
type statistic[M any] struct {
	kind  vsai.StatKind
	get   func(m M) uint64
	clear func(m M) // resets a watermark
}

// statTable finds statistics by ID. IDs are small, so it is a slice.
type statTable[M any] []statistic[M]

func newStatTable[O sai.Object, M any](of map[sai.Stat[O]]statistic[M]) statTable[M] {
	greatest := sai.Stat[O](0)
	for id := range of {
		greatest = max(greatest, id)
	}
	t := make(statTable[M], greatest+1)
	for id, s := range of {
		t[id] = s
	}
	return t
}

// count and clear implement vsai.Meter.
func (t statTable[M]) count(m M, stat uint32) (uint64, vsai.StatKind) {
	if int64(stat) >= int64(len(t)) || t[stat].kind == vsai.NotCounted {
		return 0, vsai.NotCounted
	}
	return t[stat].get(m), t[stat].kind
}

func (t statTable[M]) clear(m M, stat uint32) {
	if int64(stat) < int64(len(t)) && t[stat].clear != nil {
		t[stat].clear(m)
	}
}

func counter[M any](get func(M) uint64) statistic[M] {
	return statistic[M]{kind: vsai.Counter, get: get}
}

// gauge is a level, in the unit of the meter.
func gauge[M any](level func(M) (*int64, uint64)) statistic[M] {
	return statistic[M]{kind: vsai.Level, get: func(m M) uint64 { return scaled(level(m)) }}
}

// watermark is the maximum of a level, in the same unit.
func watermark[M any](mark, level func(M) (*int64, uint64)) statistic[M] {
	return statistic[M]{
		kind: vsai.Watermark,
		get:  func(m M) uint64 { return scaled(mark(m)) },
		clear: func(m M) {
			to, _ := mark(m)
			from, _ := level(m)
			*to = *from
		},
	}
}

func scaled(n *int64, unit uint64) uint64 { return uint64(*n) * unit }

// meter sets meters for a new port and its objects.
func (d *Device) meter(i int) {
	s, port := &d.slots[i], d.sw.Ports()[i]
	cell := uint64(d.sw.CellBytes())
	d.chip.SetMeter(s.port, &portMeter{sim: d.sim, sw: d.sw, port: port, queues: len(s.queues)})
	for q, id := range s.queues {
		d.chip.SetMeter(id, &queueMeter{sim: d.sim, port: port, index: q, QueueStats: d.sw.QueueCounters(i, q), cell: cell})
	}
	for g, id := range s.groups[:min(len(s.groups), dataplane.Classes)] {
		d.chip.SetMeter(id, &groupMeter{GroupStats: d.sw.GroupCounters(i, g), cell: cell})
	}
	d.chip.SetCarrier(s.port, port.Carrier())
}

// meterPools sets meters for new pools.
func (d *Device) meterPools(numbers []int) {
	for _, n := range numbers {
		in, out := d.sw.PoolCounters(poolIndex(n, false)), d.sw.PoolCounters(poolIndex(n, true))
		d.chip.SetMeter(d.pools[n], &poolMeter{in: in, out: out, cell: uint64(d.sw.CellBytes())})
	}
}
