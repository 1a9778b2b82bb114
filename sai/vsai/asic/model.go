package asic

import (
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// model is what the dataplane has to know of a chip's kind.
func model(p *vsai.Profile) dataplane.Model {
	m := dataplane.Model{
		CellBytes: int(p.CellBytes), Slices: p.Slices, AlphaTop: p.AlphaTop,
		PortAlpha: p.PortAlpha, QueueRound: p.QueueRoundCells,
	}
	if p.Headroom == vsai.HeadroomPerPG {
		m.Admission = dataplane.AdmitPerGroup
	}
	switch {
	case p.SharedSize == vsai.SharedPrivate:
		m.SharedSize = dataplane.SharedPrivate
	case p.SharedSize == vsai.SharedIncludesHeadroom && p.Reserve == vsai.ReserveInPool:
		m.SharedSize = dataplane.SharedIncludesHeadroom
	default: // poolSize takes off what there is to take
		m.SharedSize = dataplane.SharedExcludesHeadroom
	}
	return m
}

// poolSize is a pool's size by the rule of the model.
func poolSize(p *vsai.Profile, size, xoff int64) int64 {
	if p.SharedSize == vsai.SharedIncludesHeadroom && p.Reserve != vsai.ReserveInPool {
		return max(size-xoff, 0)
	}
	return size
}

// responses are the most time that a port may take to heed a pause, in quanta of
// 512 bit times by its speed in Gb/s: IEEE 802.3 31B.3.7.
var responses = map[uint64]int64{1: 2, 10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 905, 1600: 905}

// Response is that time for a rate in bit/s; 0 for rates that the standard does not have.
func Response(rate uint64) dataplane.Time {
	return dataplane.Time(float64(responses[rate/1e9]*512) / float64(rate) * float64(dataplane.Second))
}
