package saitest

import (
	"slices"
	"sync"

	"xon/sai"
)

func (r *rig) testStats() {
	q := r.queues()[0]
	out := []uint64{7, 7}
	ids := []sai.Stat[sai.Queue]{sai.QueueStatPackets, sai.QueueStatWatermarkBytes}
	r.ok(sai.Stats(r.sw, q, ids, out))
	raw := []uint32{uint32(sai.QueueStatPackets)}
	o, key := sai.Queue{}.Meta(), sai.Key{OID: q.OID()}
	r.status(r.d.Stats(o, key, raw, sai.StatsModeReadAndClear, out), 0)
	r.status(r.d.ClearStats(o, key, raw), 0)
	r.status(r.d.Stats(o, key, raw, sai.StatsModeRead, out), 0)
	if out[0] != 0 {
		r.t.Errorf("%d packets after a clear", out[0])
	}
	if st := r.d.Stats(o, key, []uint32{1 << 30}, sai.StatsModeRead, out); st == 0 {
		r.t.Error("a counter that there is not")
	}
	r.status(r.d.Stats(o, sai.Key{OID: r.ports[0].OID()}, raw, sai.StatsModeRead, out), sai.StatusInvalidObjectID, sai.StatusInvalidObjectType)
}

func (r *rig) testBulkStats() {
	o, sw := sai.Queue{}.Meta(), r.sw.ID.OID()
	var ids []sai.OID
	for _, q := range r.queues() {
		ids = append(ids, q.OID())
	}
	stats := []uint32{uint32(sai.QueueStatPackets), uint32(sai.QueueStatBytes), uint32(sai.QueueStatDroppedPackets)}
	each, out := make([]sai.Status, len(ids)), make([]uint64, len(ids)*len(stats))
	for _, mode := range []sai.StatsMode{sai.StatsModeBulkRead, sai.StatsModeBulkReadAndClear} {
		st := r.d.BulkStats(o, sw, ids, stats, mode, each, out)
		if missing(st) {
			r.t.Skip(st)
		}
		r.status(st, 0)
	}
	for i, id := range ids {
		one := make([]uint64, len(stats))
		r.status(r.d.Stats(o, sai.Key{OID: id}, stats, sai.StatsModeRead, one), 0)
		if !slices.Equal(one, make([]uint64, len(stats))) {
			r.t.Errorf("queue %d: %v after a clear", i, one)
		}
	}
	ids[1] = 99
	r.status(r.d.BulkStats(o, sw, ids, stats, sai.StatsModeBulkRead, each, out), sai.StatusFailure)
	r.status(each[0], 0)
	r.status(each[1], sai.StatusInvalidObjectID)
	r.status(each[2], 0)
}

func (r *rig) testCapabilities() {
	sw := r.sw.ID.OID()
	ask := func(o sai.Object, a *sai.AttrMeta) [3]bool {
		c, s, g, st := r.d.AttrCapability(sw, o.Meta(), a.ID)
		r.status(st, 0)
		return [3]bool{c, s, g}
	}
	if got := ask(sai.Scheduler{}, sai.SchedulerAttrSchedulingWeight.AttrMeta); got != [3]bool{true, true, true} {
		r.t.Errorf("SCHEDULING_WEIGHT %v", got)
	}
	if got := ask(sai.BufferPool{}, sai.BufferPoolAttrType.AttrMeta); got != [3]bool{true, false, true} {
		r.t.Errorf("BUFFER_POOL TYPE %v", got)
	}
	if got := ask(sai.Port{}, sai.PortAttrHwLaneList.AttrMeta); got[1] || !got[2] {
		r.t.Errorf("HW_LANE_LIST %v", got)
	}
	if _, _, _, st := r.d.AttrCapability(sw, sai.Port{}.Meta(), 1<<28); st == 0 {
		r.t.Error("an attribute that there is not")
	}
	values, st := r.d.EnumCapability(sw, sai.Scheduler{}.Meta(), sai.SchedulerAttrSchedulingType.AttrMeta.ID)
	if st != 0 || !slices.Contains(values, int32(sai.SchedulingTypeDwrr)) {
		r.t.Errorf("SCHEDULING_TYPE %v, %v", values, st)
	}
	if _, st = r.d.EnumCapability(sw, sai.Scheduler{}.Meta(), sai.SchedulerAttrSchedulingWeight.AttrMeta.ID); st == 0 {
		r.t.Error("SCHEDULING_WEIGHT is no enum")
	}
	caps, st := r.d.StatsCapability(sw, sai.Queue{}.Meta())
	if st != 0 || !slices.ContainsFunc(caps, func(c sai.StatCapability) bool {
		return c.StatEnum == uint32(sai.QueueStatPackets) && c.StatModes&uint32(sai.StatsModeRead) != 0
	}) {
		r.t.Errorf("counters %v, %v", caps, st)
	}
}

// testNotifications: a port that goes up and down sends notifications, in order, and
// only while the switch's attribute is set.
func (r *rig) testNotifications() {
	p := r.ports[1]
	var mu sync.Mutex
	var got []sai.PortOperStatus
	events := make(chan struct{}, 100)
	token := r.d.Notify(sai.OnPortStateChange, func(n sai.Notification) {
		for _, e := range sai.Elems[sai.PortOperStatusNotification](n) {
			if e.PortID != p.OID() {
				continue
			}
			mu.Lock()
			got = append(got, e.PortState)
			mu.Unlock()
			events <- struct{}{}
		}
	})
	arm := sai.Attribute{AttrMeta: sai.SwitchAttrPortStateChangeNotify.AttrMeta, Value: token}
	o, key := sai.SwitchObject{}.Meta(), sai.Key{OID: r.sw.ID.OID()}
	r.status(r.d.Set(o, key, arm), 0)
	for _, up := range []bool{true, false, true} {
		set(r, p, sai.PortAttrAdminState.Is(up))
	}
	for range 3 {
		r.await("port state change", events)
	}
	mu.Lock()
	defer mu.Unlock()
	const up, down = sai.PortOperStatusUp, sai.PortOperStatusDown
	if !slices.Equal(got, []sai.PortOperStatus{up, down, up}) {
		r.t.Errorf("port states %v", got)
	}
	if s := read(r, p, sai.PortAttrOperStatus); s != up {
		r.t.Errorf("port is %v", s)
	}
}

// testNames is for drivers that store names.
func (r *rig) testNames() {
	n, ok := r.d.(sai.Names)
	if !ok {
		r.t.Skip("no names")
	}
	a, b := r.scheduler(1), r.scheduler(2)
	r.ok(n.SetNames(map[string]sai.OID{"SCHEDULER|a": a.OID(), "": b.OID(), "\x00\xff": b.OID()}, nil))
	if n.SetNames(map[string]sai.OID{"SCHEDULER|b": b.OID(), "nobody": 99}, []string{"SCHEDULER|a"}) == nil {
		r.t.Error("a name of nobody")
	}
	names, err := n.Names()
	r.ok(err)
	if len(names) != 3 || names["SCHEDULER|a"] != a.OID() || names["\x00\xff"] != b.OID() {
		r.t.Errorf("names %v", names)
	}
	r.ok(sai.Remove(r.sw, a))
	r.ok(n.SetNames(nil, []string{"", "SCHEDULER|never"}))
	names, err = n.Names()
	r.ok(err)
	if len(names) != 1 || names["\x00\xff"] != b.OID() {
		r.t.Errorf("names %v", names)
	}
}
