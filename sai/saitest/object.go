package saitest

import (
	"errors"
	"net/netip"
	"slices"
	"sync"

	"xon/sai"
)

// testSwitch: there is one switch, and it can be found without its ID.
func (r *rig) testSwitch() {
	if v := r.d.Version(); v < 10000 || v > 19999 {
		r.t.Errorf("version %v", v)
	}
	keys, st := r.d.Objects(sai.Null, sai.SwitchObject{}.Meta())
	if st != 0 || len(keys) != 1 || keys[0].OID != r.sw.ID.OID() {
		r.t.Errorf("switches: %v, %v", keys, st)
	}
	if _, err := sai.Create(&sai.Switch{Driver: r.d}, sai.SwitchAttrInitSwitch.Is(true)); err == nil {
		r.t.Error("a second switch was made")
	}
	keys, st = r.d.Objects(r.sw.ID.OID(), sai.Port{}.Meta())
	if st != 0 || len(keys) < len(r.ports) {
		r.t.Errorf("%d ports, %v", len(keys), st)
	}
	if _, st = r.d.Objects(r.sw.ID.OID()+1, sai.Port{}.Meta()); st == 0 {
		r.t.Error("objects of another switch")
	}
}

// testDiscovery reads the ports and their objects.
func (r *rig) testDiscovery() {
	if n := read(r, r.sw.ID, sai.SwitchAttrNumberOfActivePorts); int(n) != len(r.ports) {
		r.t.Errorf("%d active ports, a list of %d", n, len(r.ports))
	}
	cpu := read(r, r.sw.ID, sai.SwitchAttrCPUPort)
	if cpu == 0 || slices.Contains(r.ports, cpu) {
		r.t.Errorf("CPU port %v", cpu)
	}
	for _, p := range r.ports {
		lanes := read(r, p, sai.PortAttrHwLaneList)
		speed := read(r, p, sai.PortAttrSpeed)
		if len(lanes) == 0 || speed == 0 || !slices.Contains(read(r, p, sai.PortAttrSupportedSpeed), speed) {
			r.t.Errorf("%v: lanes %v, speed %d", p, lanes, speed)
		}
		queues := read(r, p, sai.PortAttrQoSQueueList)
		pgs := read(r, p, sai.PortAttrIngressPriorityGroupList)
		if len(queues) != int(read(r, p, sai.PortAttrQoSNumberOfQueues)) || len(pgs) != int(read(r, p, sai.PortAttrNumberOfIngressPriorityGroups)) {
			r.t.Errorf("%v: %d queues, %d priority groups", p, len(queues), len(pgs))
		}
		r.indexed(p, queues, pgs)
	}
}

// indexed checks the index of each queue and priority group of a port.
func (r *rig) indexed(p sai.ID[sai.Port], queues []sai.ID[sai.Queue], pgs []sai.ID[sai.IngressPriorityGroup]) {
	r.t.Helper()
	for i, q := range queues {
		if read(r, q, sai.QueueAttrPort) != p || int(read(r, q, sai.QueueAttrIndex)) != i {
			r.t.Errorf("%v is not queue %d of %v", q, i, p)
		}
	}
	for i, g := range pgs {
		if read(r, g, sai.IngressPriorityGroupAttrPort) != p || int(read(r, g, sai.IngressPriorityGroupAttrIndex)) != i {
			r.t.Errorf("%v is not priority group %d of %v", g, i, p)
		}
	}
}

// testLife: create, get, set, get, remove.
func (r *rig) testLife() {
	id := r.scheduler(14)
	if w := read(r, id, sai.SchedulerAttrSchedulingWeight); w != 14 {
		r.t.Errorf("weight %d", w)
	}
	set(r, id, sai.SchedulerAttrSchedulingWeight.Is(15), sai.SchedulerAttrMaxBandwidthRate.Is(1<<40))
	if w := read(r, id, sai.SchedulerAttrSchedulingWeight); w != 15 {
		r.t.Errorf("weight %d", w)
	}
	if n := read(r, id, sai.SchedulerAttrMaxBandwidthRate); n != 1<<40 {
		r.t.Errorf("rate %d", n)
	}
	keys, st := r.d.Objects(r.sw.ID.OID(), sai.Scheduler{}.Meta())
	if st != 0 || !slices.ContainsFunc(keys, func(k sai.Key) bool { return k.OID == id.OID() }) {
		r.t.Errorf("schedulers %v, %v", keys, st)
	}
	r.ok(sai.Remove(r.sw, id))
	_, err := sai.Get(r.sw, id, sai.SchedulerAttrSchedulingWeight)
	r.fails(err, sai.StatusInvalidObjectID, sai.StatusItemNotFound)
	r.fails(sai.Remove(r.sw, id), sai.StatusInvalidObjectID, sai.StatusItemNotFound)
	r.fails(sai.Set(r.sw, id, sai.SchedulerAttrSchedulingWeight.Is(1)), sai.StatusInvalidObjectID, sai.StatusItemNotFound)
}

// testDefaults: an attribute that was never set has its default.
func (r *rig) testDefaults() {
	id := create[sai.Scheduler](r)
	if v := read(r, id, sai.SchedulerAttrSchedulingType); v != sai.SchedulingTypeWrr {
		r.t.Errorf("type %v", v)
	}
	if v := read(r, id, sai.SchedulerAttrMeterType); v != sai.MeterTypeBytes {
		r.t.Errorf("meter type %v", v)
	}
	q := r.queues()[0]
	if v := read(r, q, sai.QueueAttrWredProfileID); v != 0 {
		r.t.Errorf("WRED profile %v", v)
	}
	if v := read(r, r.ports[0], sai.PortAttrQoSIngressBufferProfileList); len(v) != 0 {
		r.t.Errorf("profile list %v", v)
	}
}

// testBadAttributes: the status of an invalid attribute has its index.
func (r *rig) testBadAttributes() {
	weight := sai.SchedulerAttrSchedulingWeight
	create := func(o sai.Object, a ...sai.Attribute) sai.Status {
		id, st := r.d.Create(o.Meta(), r.sw.ID.OID(), sai.Key{}, a)
		if st != 0 && id != 0 {
			r.t.Errorf("a create that failed gave %v", id)
		}
		return st
	}
	typ := sai.SchedulerAttrSchedulingType.Is(sai.SchedulingTypeStrict).Attribute
	r.status(create(sai.Scheduler{}, typ, sai.WredAttrWeight.Is(1).Attribute), sai.StatusUnknownAttribute0-1)
	r.status(create(sai.Scheduler{}, typ, weight.Is(1).Attribute, weight.Is(2).Attribute), sai.StatusInvalidAttribute0-2)
	r.status(create(sai.Scheduler{}, typ, sai.SchedulerAttrMeterType.Is(99).Attribute), sai.StatusInvalidAttrValue0-1)
	r.status(create(sai.BufferPool{}, sai.BufferPoolAttrType.Is(0).Attribute), sai.StatusMandatoryAttributeMissing)
	r.status(create(sai.BufferPool{}, sai.BufferPoolAttrType.Is(0).Attribute, sai.BufferPoolAttrSize.Is(1).Attribute,
		sai.BufferPoolAttrSharedSize.Is(1).Attribute), sai.StatusInvalidAttribute0-2)
	pool, _ := r.profile()
	r.fails(sai.Set(r.sw, pool, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress)), sai.StatusInvalidAttribute0)
	err := sai.Set(r.sw, pool, sai.BufferPoolAttrSharedSize.Is(1))
	r.fails(err, sai.StatusInvalidAttribute0)
	var e *sai.Error
	if !errors.As(err, &e) || e.Attr != sai.BufferPoolAttrSharedSize.AttrMeta {
		r.t.Errorf("%v does not name the attribute", err)
	}
	two := []sai.Attribute{{AttrMeta: sai.SchedulerAttrMeterType.AttrMeta}, {AttrMeta: sai.WredAttrWeight.AttrMeta}}
	id := r.scheduler(1)
	r.status(r.d.Get(sai.Scheduler{}.Meta(), sai.Key{OID: id.OID()}, two), sai.StatusUnknownAttribute0-1)
}

// testBadObjects: IDs that do not exist, or of another type.
func (r *rig) testBadObjects() {
	_, err := sai.Create(r.sw, sai.BufferProfileAttrPoolID.Is(sai.ID[sai.BufferPool](r.ports[0])), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic), sai.BufferProfileAttrSharedDynamicTH.Is(0))
	r.fails(err, sai.StatusInvalidAttrValue0)
	q := r.queues()[0]
	nobody := sai.ID[sai.Wred](uint64(sai.ObjectTypeWred)<<48 | 0xffff_ffff)
	r.fails(sai.Set(r.sw, q, sai.QueueAttrWredProfileID.Is(nobody)), sai.StatusInvalidAttrValue0)
	r.fails(sai.Set(r.sw, sai.ID[sai.Queue](r.ports[0]), sai.QueueAttrWredProfileID.Is(0)), sai.StatusInvalidObjectID, sai.StatusInvalidObjectType)
	_, st := r.d.Create(sai.Scheduler{}.Meta(), r.sw.ID.OID()+1, sai.Key{}, nil)
	if st == 0 {
		r.t.Error("an object was made on another switch")
	}
	for _, id := range []sai.OID{0, 1, ^sai.OID(0)} {
		r.status(r.d.Remove(sai.Scheduler{}.Meta(), sai.Key{OID: id}), sai.StatusInvalidObjectID, sai.StatusItemNotFound)
	}
}

// testInUse: a referenced object cannot be removed until the reference is.
func (r *rig) testInUse() {
	pool, profile := r.profile()
	q := r.queues()[1]
	set(r, q, sai.QueueAttrBufferProfileID.Is(profile))
	r.fails(sai.Remove(r.sw, pool), sai.StatusObjectInUse)
	r.fails(sai.Remove(r.sw, profile), sai.StatusObjectInUse)
	r.fails(sai.Set(r.sw, q, sai.QueueAttrBufferProfileID.Is(sai.ID[sai.BufferProfile](pool))), sai.StatusInvalidAttrValue0)
	r.fails(sai.Remove(r.sw, profile), sai.StatusObjectInUse) // the failed set must not release the reference
	set(r, q, sai.QueueAttrBufferProfileID.Is(0))
	r.ok(sai.Remove(r.sw, profile))
	r.ok(sai.Remove(r.sw, pool))
}

// testConcurrency: a driver is safe for concurrent use.
func (r *rig) testConcurrency() {
	var wg sync.WaitGroup
	for g := range uint8(8) {
		wg.Go(func() {
			for range 20 {
				id, err := sai.Create(r.sw, sai.SchedulerAttrSchedulingWeight.Is(g+1))
				if err != nil {
					r.t.Error(err)
					return
				}
				w, err := sai.Get(r.sw, id, sai.SchedulerAttrSchedulingWeight)
				if err != nil || w != g+1 {
					r.t.Error(w, err)
				}
				if err := sai.Remove(r.sw, id); err != nil {
					r.t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// testEntries: objects with an entry struct.
func (r *rig) testEntries() {
	vr := read(r, r.sw.ID, sai.SwitchAttrDefaultVirtualRouterID)
	route := func(p string) sai.RouteEntry {
		return sai.RouteEntry{SwitchID: r.sw.ID.OID(), VrID: vr.OID(), Destination: sai.PrefixOf(netip.MustParsePrefix(p))}
	}
	for _, p := range []string{"10.0.0.0/8", "2001:db8::/32"} {
		r.ok(sai.CreateEntry(r.sw, route(p), sai.RouteEntryAttrPacketAction.Is(sai.PacketActionDrop)))
		set(r, route(p), sai.RouteEntryAttrPacketAction.Is(sai.PacketActionTrap))
		if a := read(r, route(p), sai.RouteEntryAttrPacketAction); a != sai.PacketActionTrap {
			r.t.Errorf("%s: action %v", p, a)
		}
	}
	r.fails(sai.CreateEntry(r.sw, route("10.0.0.0/8")), sai.StatusItemAlreadyExists)
	keys, st := r.d.Objects(r.sw.ID.OID(), sai.RouteEntry{}.Meta())
	if st != 0 || len(keys) != 2 || string(keys[0].Entry) != string(sai.Bytes(route("10.0.0.0/8"))) {
		r.t.Errorf("routes %v, %v", keys, st)
	}
	r.ok(sai.Remove(r.sw, route("10.0.0.0/8")))
	r.fails(sai.Remove(r.sw, route("10.0.0.0/8")), sai.StatusItemNotFound)
	status := make([]sai.Status, 2)
	keys = []sai.Key{{Entry: sai.Bytes(route("2001:db8::/32"))}, {Entry: sai.Bytes(route("11.0.0.0/8"))}}
	if st := r.d.BulkRemove(sai.RouteEntry{}.Meta(), keys, false, status); st != sai.StatusNotImplemented {
		r.status(st, sai.StatusFailure)
		r.status(status[0], 0)
		r.status(status[1], sai.StatusItemNotFound)
	}
}
