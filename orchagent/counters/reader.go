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

// supported returns the statistics of a group that the chip has. One that can't say
// is asked for each statistic of one of the objects; if it gives none, all are
// taken, and each reading tells that they can't be had.
func supported(sw *sai.Switch, s spec, objects []sai.OID) (ids []uint32, names []string) {
	has := func(id uint32) bool { return gives(sw, s.object, objects, id) }
	if list, st := sw.StatsCapability(sw.ID.OID(), s.object); st == 0 {
		have := map[uint32]bool{}
		for _, c := range list {
			have[c.StatEnum] = true
		}
		has = func(id uint32) bool { return have[id] }
	} else if !slices.ContainsFunc(s.object.Stats, func(m sai.StatMeta) bool { return has(m.ID) }) {
		has = func(uint32) bool { return true }
	}
	for _, name := range s.stats {
		if m := s.object.StatByName(name); m != nil && has(m.ID) {
			ids, names = append(ids, m.ID), append(names, m.FullName())
		}
	}
	return ids, names
}

// gives reports whether the first of some objects has a statistic.
func gives(sw *sai.Switch, o *sai.ObjectMeta, objects []sai.OID, id uint32) bool {
	return len(objects) > 0 && sw.Stats(o, sai.Key{OID: objects[0]}, []uint32{id}, sai.StatsModeRead, make([]uint64, 1)) == 0
}
