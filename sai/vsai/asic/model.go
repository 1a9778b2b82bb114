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
