package counters

import (
	"slices"

	"xon/sai"
)

// reader reads statistics of a fixed list of objects.
type reader interface {
	// read returns new values, statistic j of object i at i*(number of statistics)+j,
	// and the indices of objects that could not be read.
	read() (values []uint64, failed []int, err error)
}

type poller[O sai.Object] struct{ *sai.Poller[O] }

func newReader[O sai.Object](sw *sai.Switch, objects []sai.OID, stats []uint32) reader {
	ids := make([]sai.ID[O], len(objects))
	for i, id := range objects {
		ids[i] = sai.ID[O](id)
	}
	counters := make([]sai.Stat[O], len(stats))
	for i, s := range stats {
		counters[i] = sai.Stat[O](s)
	}
	return poller[O]{sai.NewPoller(sw, ids, counters...)}
}

func (p poller[O]) read() (values []uint64, failed []int, err error) {
	err = p.Read()
	for i, st := range p.Status {
		if st != 0 {
			failed = append(failed, i)
		}
	}
	return slices.Clone(p.Out), failed, err
}

// supported returns the statistics of a group that the chip has: all of them if it
// can't say.
func supported(sw *sai.Switch, s spec) (ids []uint32, names []string, err error) {
	has := func(uint32) bool { return true }
	list, st := sw.StatsCapability(sw.ID.OID(), s.object)
	if st == 0 {
		have := map[uint32]bool{}
		for _, c := range list {
			have[c.StatEnum] = true
		}
		has = func(id uint32) bool { return have[id] }
	}
	for _, name := range s.stats {
		if m := s.object.StatByName(name); m != nil && has(m.ID) {
			ids, names = append(ids, m.ID), append(names, m.FullName())
		}
	}
	return ids, names, st.Err()
}
