package saitest

import (
	"slices"

	"xon/sai"
)

// missing returns the statuses of a driver without a bulk call.
func missing(st sai.Status) bool {
	return st == sai.StatusNotImplemented || st == sai.StatusNotSupported
}

// want compares the statuses of a bulk call whose second entry is invalid.
func (r *rig) want(what string, st sai.Status, each []sai.Status, bad sai.Status, stop bool) {
	r.t.Helper()
	if st != sai.StatusFailure {
		r.t.Errorf("%s: %v, want %v", what, st, sai.StatusFailure)
	}
	expect := []sai.Status{0, bad, 0}
	if stop {
		expect[2] = sai.StatusNotExecuted
	}
	if !slices.Equal(each, expect) {
		r.t.Errorf("%s, stop %v: %v, want %v", what, stop, each, expect)
	}
}

func (r *rig) testBulkCreate() {
	for _, stop := range []bool{false, true} {
		w := sai.SchedulerAttrSchedulingWeight
		in := [][]sai.Attribute{attrs(w.Is(1)), attrs(sai.SchedulerAttrMeterType.Is(99)), attrs(w.Is(3))}
		ids, each := []sai.OID{7, 7, 7}, []sai.Status{7, 7, 7}
		st := r.d.BulkCreate(sai.Scheduler{}.Meta(), r.sw.ID.OID(), in, stop, ids, each)
		if missing(st) {
			r.t.Skip(st)
		}
		r.want("create", st, each, sai.StatusInvalidAttrValue0, stop)
		if ids[0] == 0 || ids[1] != 0 || (ids[2] == 0) != stop {
			r.t.Errorf("ids %v", ids)
		}
		if got := read(r, sai.ID[sai.Scheduler](ids[0]), w); got != 1 {
			r.t.Errorf("weight %d", got)
		}
	}
	in := make([][]sai.Attribute, 200)
	ids, each := make([]sai.OID, len(in)), make([]sai.Status, len(in))
	r.status(r.d.BulkCreate(sai.Scheduler{}.Meta(), r.sw.ID.OID(), in, true, ids, each), 0)
	if slices.Contains(ids, 0) || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
		r.t.Errorf("ids %v", ids)
	}
}

func (r *rig) testBulkSet() {
	q := r.queues()[:3]
	wred := create(r, sai.WredAttrGreenMaxThreshold.Is(100))
	for _, stop := range []bool{false, true} {
		keys := []sai.Key{{OID: q[0].OID()}, {OID: q[1].OID()}, {OID: q[2].OID()}}
		to := attrs(sai.QueueAttrWredProfileID.Is(wred), sai.QueueAttrWredProfileID.Is(99), sai.QueueAttrWredProfileID.Is(wred))
		each := make([]sai.Status, 3)
		st := r.d.BulkSet(sai.Queue{}.Meta(), keys, to, stop, each)
		if missing(st) {
			r.t.Skip(st)
		}
		r.want("set", st, each, sai.StatusInvalidAttrValue0, stop)
		for i, want := range []sai.ID[sai.Wred]{wred, 0, wred} {
			if stop && i == 2 {
				want = 0
			}
			if got := read(r, q[i], sai.QueueAttrWredProfileID); got != want {
				r.t.Errorf("stop %v: queue %d has %v, want %v", stop, i, got, want)
			}
		}
		to[1] = to[0]
		for i := range to {
			to[i].Num = 0
		}
		r.status(r.d.BulkSet(sai.Queue{}.Meta(), keys, to, stop, each), 0)
	}
	r.ok(sai.Remove(r.sw, wred))
}

func (r *rig) testBulkRemove() {
	for _, stop := range []bool{false, true} {
		a, b, c := r.scheduler(1), r.scheduler(2), r.scheduler(3)
		set(r, r.queues()[0], sai.QueueAttrSchedulerProfileID.Is(b))
		each := make([]sai.Status, 3)
		keys := []sai.Key{{OID: a.OID()}, {OID: b.OID()}, {OID: c.OID()}}
		st := r.d.BulkRemove(sai.Scheduler{}.Meta(), keys, stop, each)
		if missing(st) {
			r.t.Skip(st)
		}
		r.want("remove", st, each, sai.StatusObjectInUse, stop)
	}
}

func (r *rig) testBulkGet() {
	var keys []sai.Key
	var want [][]sai.Attribute
	for _, p := range r.ports {
		for i, q := range read(r, p, sai.PortAttrQoSQueueList) {
			keys = append(keys, sai.Key{OID: q.OID()})
			want = append(want, attrs(sai.QueueAttrPort.Is(p), sai.QueueAttrIndex.Is(uint8(i)), sai.QueueAttrWredProfileID.Is(0)))
		}
	}
	got := make([][]sai.Attribute, len(keys))
	for i := range got {
		got[i] = make([]sai.Attribute, len(want[i]))
		for j := range got[i] {
			got[i][j].AttrMeta = want[i][j].AttrMeta
		}
	}
	each := make([]sai.Status, len(keys))
	st := r.d.BulkGet(sai.Queue{}.Meta(), keys, got, each)
	if missing(st) {
		r.t.Skip(st)
	}
	r.status(st, 0)
	for i := range want {
		for j := range want[i] {
			if !sai.Equal(want[i][j].Kind, want[i][j].Value, got[i][j].Value) {
				r.t.Fatalf("queue %v: %v, want %v", keys[i].OID, got[i][j], want[i][j])
			}
		}
	}
	lanes := []sai.Attribute{{AttrMeta: sai.PortAttrHwLaneList.AttrMeta}}
	bad := []sai.Attribute{{AttrMeta: sai.WredAttrWeight.AttrMeta}}
	three := []sai.Key{{OID: r.ports[0].OID()}, {OID: r.ports[0].OID()}, {OID: 99}}
	st = r.d.BulkGet(sai.Port{}.Meta(), three, [][]sai.Attribute{lanes, bad, slices.Clone(lanes)}, each[:3])
	r.status(st, sai.StatusFailure)
	r.status(each[0], 0)
	r.status(each[1], sai.StatusUnknownAttribute0)
	r.status(each[2], sai.StatusInvalidObjectID)
	if got, _ := lanes[0].Ref.([]uint32); len(got) == 0 {
		r.t.Error("the entries beside the bad ones were not filled in")
	}
}

// testBulkEmpty: a bulk call without entries succeeds.
func (r *rig) testBulkEmpty() {
	o, sw := sai.Queue{}.Meta(), r.sw.ID.OID()
	for i, st := range []sai.Status{
		r.d.BulkCreate(sai.Scheduler{}.Meta(), sw, nil, true, nil, nil),
		r.d.BulkRemove(sai.Scheduler{}.Meta(), nil, true, nil),
		r.d.BulkSet(o, nil, nil, true, nil),
		r.d.BulkGet(o, nil, nil, nil),
		r.d.BulkStats(o, sw, nil, []uint32{0}, sai.StatsModeBulkRead, nil, nil),
	} {
		if st != 0 && !missing(st) {
			r.t.Errorf("call %d: %v", i, st)
		}
	}
}
