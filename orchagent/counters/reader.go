package counters

import (
	"slices"

	"xon/sai"
)

// reader reads statistics of a fixed list of objects.
type reader interface {
	// read returns values, statistic j of object i at i*(number of statistics)+j, and the
	// indices of objects that could not be read. The values are good until the next read.
	read() (values []uint64, failed []int, err error)
}

type poller[O sai.Object] struct{ *sai.Poller[O] }

func newReader[O sai.Object](sw *sai.Switch, objects []sai.OID, stats []uint32, clear bool) reader {
	ids := make([]sai.ID[O], len(objects))
	for i, id := range objects {
		ids[i] = sai.ID[O](id)
	}
	counters := make([]sai.Stat[O], len(stats))
	for i, s := range stats {
		counters[i] = sai.Stat[O](s)
	}
	p := sai.NewPoller(sw, ids, counters...)
	p.Clear = clear
	return poller[O]{p}
}

func (p poller[O]) read() (values []uint64, failed []int, err error) {
	err = p.Read()
	for i, st := range p.Status {
		if st != 0 {
			failed = append(failed, i)
		}
	}
	return p.Out, failed, err
}

// readers are read one after the other: each has objects of its own.
type readers []reader

// newReaders divides objects into those that reading may clear, the first so many, and
// the rest, and both by the size of a call.
func (s spec) newReaders(sw *sai.Switch, objects []sai.OID, stats []uint32, clearable int, chunk uint32) (all readers) {
	size := max(len(objects), 1)
	if chunk > 0 && uint64(chunk) < uint64(size) {
		size = int(chunk)
	}
	for part := range slices.Chunk(objects[:clearable], size) {
		all = append(all, s.read(sw, part, stats, true))
	}
	for part := range slices.Chunk(objects[clearable:], size) {
		all = append(all, s.read(sw, part, stats, false))
	}
	return all
}

// read returns new values of all: see reader. n is the number of statistics.
func (all readers) read(objects, n int) (values []uint64, failed []int, err error) {
	values = make([]uint64, 0, objects*n)
	for _, r := range all {
		at := len(values) / n
		part, bad, e := r.read()
		values = append(values, part...)
		for _, i := range bad {
			failed = append(failed, at+i)
		}
		if err == nil {
			err = e
		}
	}
	return values, failed, err
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
	for _, name := range s.Stats {
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

// clears reports whether the statistics of an object can be set to zero, by doing so.
func clears(sw *sai.Switch, o *sai.ObjectMeta, id sai.OID, stats []uint32) bool {
	return sw.ClearStats(o, sai.Key{OID: id}, stats) == 0
}
