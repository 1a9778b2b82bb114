package vsai_test

import (
	"errors"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

func errorIs(err error, st sai.Status) bool { return errors.Is(err, st) }

// bench is a small switch with something to refer to.
type bench struct {
	c               *vsai.Chip
	sw              *sai.Switch
	port            sai.ID[sai.Port]
	queues          []sai.ID[sai.Queue] // of the port
	pgs             []sai.ID[sai.IngressPriorityGroup]
	queue           sai.ID[sai.Queue]
	pg              sai.ID[sai.IngressPriorityGroup]
	in, out         sai.ID[sai.BufferPool]
	ingress, egress sai.ID[sai.BufferProfile]
	static          sai.ID[sai.BufferProfile]
	dscpToTC        sai.ID[sai.QoSMap]
	wred            sai.ID[sai.Wred]
	vlan            sai.ID[sai.VLAN]
	vr              sai.ID[sai.VirtualRouter]
	rif             sai.ID[sai.RouterInterface]
	hash            sai.ID[sai.Hash]
}

func newBench(t *testing.T, cfg vsai.Config) *bench {
	t.Helper()
	if cfg.Ports == nil {
		cfg.Ports = layout(2)
	}
	b := &bench{}
	b.c, b.sw = boot(t, cfg)
	sw := b.sw
	b.port = sai.ID[sai.Port](b.c.Ports()[0])
	unbridge(t, sw, b.port)
	b.queues = must[[]sai.ID[sai.Queue]](t)(sai.Get(sw, b.port, sai.PortAttrQoSQueueList))
	b.pgs = must[[]sai.ID[sai.IngressPriorityGroup]](t)(sai.Get(sw, b.port, sai.PortAttrIngressPriorityGroupList))
	b.queue, b.pg = b.queues[3], b.pgs[3]
	b.hash = must[sai.ID[sai.Hash]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrECMPHash))
	b.in = pool(t, sw, sai.BufferPoolTypeIngress, 1<<20)
	b.out = pool(t, sw, sai.BufferPoolTypeEgress, 1<<20)
	b.ingress = lossless(t, sw, b.in, 1000, 2000)
	b.egress = lossless(t, sw, b.out, 0, 0)
	b.static = must[sai.ID[sai.BufferProfile]](t)(sai.Create(sw, sai.BufferProfileAttrPoolID.Is(b.out), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeStatic), sai.BufferProfileAttrSharedStaticTH.Is(4096)))
	b.dscpToTC = must[sai.ID[sai.QoSMap]](t)(sai.Create(sw, sai.QoSMapAttrType.Is(sai.QoSMapTypeDSCPToTC),
		sai.QoSMapAttrMapToValueList.Is([]sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: 3}, Value: sai.QoSMapParams{TC: 3}}})))
	b.wred = must[sai.ID[sai.Wred]](t)(sai.Create(sw, sai.WredAttrGreenMinThreshold.Is(100), sai.WredAttrGreenMaxThreshold.Is(200)))
	_ = must[sai.ID[sai.Hostif]](t)(sai.Create(sw, sai.HostifAttrType.Is(sai.HostifTypeNetdev), sai.HostifAttrObjID.Is(b.port.OID()), sai.HostifAttrName.Is("Ethernet0")))
	b.vlan = must[sai.ID[sai.VLAN]](t)(sai.Create(sw, sai.VLANAttrVLANID.Is(10)))
	b.vr = must[sai.ID[sai.VirtualRouter]](t)(sai.Create[sai.VirtualRouter](sw))
	b.rif = must[sai.ID[sai.RouterInterface]](t)(sai.Create(sw, sai.RouterInterfaceAttrVirtualRouterID.Is(b.vr),
		sai.RouterInterfaceAttrType.Is(sai.RouterInterfaceTypePort), sai.RouterInterfaceAttrPortID.Is(b.port.OID())))
	return b
}

func pool(t testing.TB, sw *sai.Switch, typ sai.BufferPoolType, size uint64) sai.ID[sai.BufferPool] {
	t.Helper()
	return must[sai.ID[sai.BufferPool]](t)(sai.Create(sw, sai.BufferPoolAttrType.Is(typ), sai.BufferPoolAttrSize.Is(size)))
}

func lossless(t testing.TB, sw *sai.Switch, pool sai.ID[sai.BufferPool], size, xoff uint64) sai.ID[sai.BufferProfile] {
	t.Helper()
	return must[sai.ID[sai.BufferProfile]](t)(sai.Create(sw, sai.BufferProfileAttrPoolID.Is(pool), sai.BufferProfileAttrReservedBufferSize.Is(size),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic), sai.BufferProfileAttrSharedDynamicTH.Is(0),
		sai.BufferProfileAttrXoffTH.Is(xoff)))
}

// with collects attributes of any type; the driver's face takes what the typed
// one would not compile.
func with[O sai.Object](s ...sai.Setting[O]) []sai.Attribute {
	out := make([]sai.Attribute, len(s))
	for i := range s {
		out[i] = s[i].Attribute
	}
	return out
}

// as gives an attribute a value that its type would not let through.
func as(a *sai.AttrMeta, n uint64) sai.Attribute {
	return sai.Attribute{AttrMeta: a, Value: sai.Value{Num: n}}
}

func ref(a *sai.AttrMeta, r any) sai.Attribute {
	return sai.Attribute{AttrMeta: a, Value: sai.Value{Ref: r}}
}

func TestBadCreate(t *testing.T) {
	t.Parallel()
	known := *profile(t, "default")
	known.HideBuffer = false
	b := newBench(t, vsai.Config{Profile: &known})
	profile := with(sai.BufferProfileAttrPoolID.Is(b.in), sai.BufferProfileAttrReservedBufferSize.Is(0))
	dynamic := sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic).Attribute
	qosMap := func(typ sai.QoSMapType, items ...sai.QoSMapItem) []sai.Attribute {
		return with(sai.QoSMapAttrType.Is(typ), sai.QoSMapAttrMapToValueList.Is(items))
	}
	hostif := func(name string, obj sai.OID) []sai.Attribute {
		return with(sai.HostifAttrType.Is(sai.HostifTypeNetdev), sai.HostifAttrObjID.Is(obj), sai.HostifAttrName.Is(name))
	}
	type P = sai.QoSMapParams
	for _, x := range []struct {
		name  string
		o     sai.Object
		attrs []sai.Attribute
		want  sai.Status
	}{
		{"mandatory missing", sai.BufferPool{}, with(sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress)), sai.StatusMandatoryAttributeMissing},
		{"mandatory by condition", sai.BufferProfile{}, append(profile[:2:2], dynamic), sai.StatusMandatoryAttributeMissing},
		{"not allowed by condition", sai.BufferProfile{}, append(profile[:2:2], dynamic, sai.BufferProfileAttrSharedDynamicTH.Is(0).Attribute, sai.BufferProfileAttrSharedStaticTH.Is(5).Attribute), sai.StatusInvalidAttribute0 - 4},
		{"given twice", sai.Scheduler{}, with(sai.SchedulerAttrSchedulingWeight.Is(1), sai.SchedulerAttrSchedulingWeight.Is(2)), sai.StatusInvalidAttribute0 - 1},
		{"of another object", sai.Scheduler{}, with(sai.WredAttrWeight.Is(0)), sai.StatusUnknownAttribute0},
		{"no attribute", sai.Scheduler{}, []sai.Attribute{{}}, sai.StatusUnknownAttribute0},
		{"read-only", sai.BufferPool{}, with(sai.BufferPoolAttrType.Is(0), sai.BufferPoolAttrSize.Is(1), sai.BufferPoolAttrSharedSize.Is(1)), sai.StatusInvalidAttribute0 - 2},
		{"enum", sai.Scheduler{}, with(sai.SchedulerAttrSchedulingType.Is(9)), sai.StatusInvalidAttrValue0},
		{"width", sai.Scheduler{}, []sai.Attribute{as(sai.SchedulerAttrSchedulingWeight.AttrMeta, 300)}, sai.StatusInvalidAttrValue0},
		{"weight 0", sai.Scheduler{}, with(sai.SchedulerAttrSchedulingWeight.Is(0)), sai.StatusInvalidAttrValue0},
		{"weight 101", sai.Scheduler{}, with(sai.SchedulerAttrSchedulingType.Is(sai.SchedulingTypeDwrr), sai.SchedulerAttrSchedulingWeight.Is(101)), sai.StatusInvalidAttrValue0 - 1},
		{"kind", sai.QoSMap{}, []sai.Attribute{sai.QoSMapAttrType.Is(0).Attribute, ref(sai.QoSMapAttrMapToValueList.AttrMeta, "x")}, sai.StatusInvalidAttrValue0 - 1},
		{"null where none may be", sai.VLANMember{}, with(sai.VLANMemberAttrVLANID.Is(0), sai.VLANMemberAttrBridgePortID.Is(0)), sai.StatusInvalidAttrValue0},
		{"no such object", sai.BufferProfile{}, with(sai.BufferProfileAttrReservedBufferSize.Is(0), sai.BufferProfileAttrPoolID.Is(0x180000000fffff)), 0},
		{"object of another type", sai.BufferProfile{}, with(sai.BufferProfileAttrPoolID.Is(sai.ID[sai.BufferPool](b.wred))), 0},
		{"alpha", sai.BufferProfile{}, append(profile[:2:2], dynamic, sai.BufferProfileAttrSharedDynamicTH.Is(8).Attribute), sai.StatusInvalidAttrValue0 - 3},
		{"dscp 64", sai.QoSMap{}, qosMap(sai.QoSMapTypeDSCPToTC, sai.QoSMapItem{Key: P{DSCP: 64}}), sai.StatusInvalidAttrValue0 - 1},
		{"tc 16", sai.QoSMap{}, qosMap(sai.QoSMapTypeDSCPToTC, sai.QoSMapItem{Value: P{TC: 16}}), sai.StatusInvalidAttrValue0 - 1},
		{"dot1p 8", sai.QoSMap{}, qosMap(sai.QoSMapTypeDot1pToTC, sai.QoSMapItem{Key: P{Dot1p: 8}}), sai.StatusInvalidAttrValue0 - 1},
		{"prio 8", sai.QoSMap{}, qosMap(sai.QoSMapTypePFCPriorityToQueue, sai.QoSMapItem{Key: P{Prio: 8}}), sai.StatusInvalidAttrValue0 - 1},
		{"pg 8", sai.QoSMap{}, qosMap(sai.QoSMapTypeTCToPriorityGroup, sai.QoSMapItem{Value: P{Pg: 8}}), sai.StatusInvalidAttrValue0 - 1},
		{"queue 20", sai.QoSMap{}, qosMap(sai.QoSMapTypeTCToQueue, sai.QoSMapItem{Value: P{QueueIndex: 20}}), sai.StatusInvalidAttrValue0 - 1},
		{"key twice", sai.QoSMap{}, qosMap(sai.QoSMapTypeTCToQueue, sai.QoSMapItem{Key: P{TC: 1}}, sai.QoSMapItem{Key: P{TC: 1}}), sai.StatusInvalidAttrValue0 - 1},
		{"WRED min over max", sai.Wred{}, with(sai.WredAttrGreenMaxThreshold.Is(1), sai.WredAttrGreenMinThreshold.Is(2)), sai.StatusInvalidAttrValue0 - 1},
		{"WRED probability", sai.Wred{}, with(sai.WredAttrRedDropProbability.Is(101)), sai.StatusInvalidAttrValue0},
		{"hostif long name", sai.Hostif{}, hostif("Ethernet01234567", b.port.OID()), sai.StatusInvalidAttrValue0 - 2},
		{"hostif no name", sai.Hostif{}, hostif("", b.port.OID()), sai.StatusInvalidAttrValue0 - 2},
		{"hostif slash", sai.Hostif{}, hostif("a/b", b.port.OID()), sai.StatusInvalidAttrValue0 - 2},
		{"hostif of a queue", sai.Hostif{}, hostif("x", b.queue.OID()), sai.StatusInvalidAttrValue0 - 1},
		{"hostif name taken", sai.Hostif{}, hostif("Ethernet0", b.port.OID()), sai.StatusItemAlreadyExists},
		{"VLAN 4095", sai.VLAN{}, with(sai.VLANAttrVLANID.Is(4095)), sai.StatusInvalidAttrValue0},
		{"VLAN taken", sai.VLAN{}, with(sai.VLANAttrVLANID.Is(10)), sai.StatusItemAlreadyExists},
		{"queue", sai.Queue{}, with(sai.QueueAttrIndex.Is(1)), sai.StatusNotSupported},
		{"pool above the chip", sai.BufferPool{}, with(sai.BufferPoolAttrType.Is(sai.BufferPoolTypeEgress), sai.BufferPoolAttrSize.Is(16<<20+1)), sai.StatusInsufficientResources},
	} {
		if x.want == 0 {
			x.want = sai.StatusInvalidAttrValue0
			if x.name == "no such object" {
				x.want--
			}
			x.attrs = append(x.attrs, dynamic, sai.BufferProfileAttrSharedDynamicTH.Is(0).Attribute)
			if x.name != "no such object" {
				x.attrs = append(x.attrs, sai.BufferProfileAttrReservedBufferSize.Is(0).Attribute)
			}
		}
		before := b.c.Dump()
		_, st := b.sw.Create(x.o.Meta(), b.sw.ID.OID(), sai.Key{}, x.attrs)
		if st != x.want {
			t.Errorf("%s: %v, want %v", x.name, st, x.want)
		}
		if b.c.Dump() != before {
			t.Errorf("%s: the failed call changed something", x.name)
		}
	}
}

func TestBadSet(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	for _, x := range []struct {
		name string
		o    sai.Object
		id   sai.OID
		attr sai.Attribute
		want sai.Status
	}{
		{"no such object", sai.Queue{}, 0x150000000fffff, sai.QueueAttrWredProfileID.Is(0).Attribute, sai.StatusInvalidObjectID},
		{"object of another type", sai.Queue{}, b.pg.OID(), sai.QueueAttrWredProfileID.Is(0).Attribute, sai.StatusInvalidObjectID},
		{"create-only", sai.BufferPool{}, b.in.OID(), sai.BufferPoolAttrType.Is(0).Attribute, sai.StatusInvalidAttribute0},
		{"read-only", sai.Port{}, b.port.OID(), sai.PortAttrOperStatus.Is(1).Attribute, sai.StatusInvalidAttribute0},
		{"not by condition", sai.BufferProfile{}, b.ingress.OID(), sai.BufferProfileAttrSharedStaticTH.Is(1).Attribute, sai.StatusInvalidAttribute0},
		{"not by condition, other way", sai.BufferProfile{}, b.static.OID(), sai.BufferProfileAttrSharedDynamicTH.Is(1).Attribute, sai.StatusInvalidAttribute0},
		{"dangling", sai.Queue{}, b.queue.OID(), sai.QueueAttrWredProfileID.Is(0x130000000fffff).Attribute, sai.StatusInvalidAttrValue0},
		{"ingress profile on a queue", sai.Queue{}, b.queue.OID(), sai.QueueAttrBufferProfileID.Is(b.ingress).Attribute, sai.StatusInvalidAttrValue0},
		{"egress profile on a priority group", sai.IngressPriorityGroup{}, b.pg.OID(), sai.IngressPriorityGroupAttrBufferProfile.Is(b.egress).Attribute, sai.StatusInvalidAttrValue0},
		{"egress profile in the ingress list", sai.Port{}, b.port.OID(), sai.PortAttrQoSIngressBufferProfileList.Is([]sai.ID[sai.BufferProfile]{b.ingress, b.egress}).Attribute, sai.StatusInvalidAttrValue0},
		{"a list with a stranger", sai.Port{}, b.port.OID(), sai.PortAttrQoSEgressBufferProfileList.Is([]sai.ID[sai.BufferProfile]{b.egress, 77}).Attribute, sai.StatusInvalidAttrValue0},
		{"map of another type", sai.Port{}, b.port.OID(), sai.PortAttrQoSTCToQueueMap.Is(b.dscpToTC).Attribute, sai.StatusInvalidAttrValue0},
		{"map of another type, switch", sai.SwitchObject{}, b.sw.ID.OID(), sai.SwitchAttrQoSDot1pToTCMap.Is(b.dscpToTC).Attribute, sai.StatusInvalidAttrValue0},
		{"WRED min over max", sai.Wred{}, b.wred.OID(), sai.WredAttrGreenMinThreshold.Is(201).Attribute, sai.StatusInvalidAttrValue0},
		{"WRED max under min", sai.Wred{}, b.wred.OID(), sai.WredAttrGreenMaxThreshold.Is(99).Attribute, sai.StatusInvalidAttrValue0},
		{"map entry", sai.QoSMap{}, b.dscpToTC.OID(), sai.QoSMapAttrMapToValueList.Is([]sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: 64}}}).Attribute, sai.StatusInvalidAttrValue0},
		{"speed", sai.Port{}, b.port.OID(), sai.PortAttrSpeed.Is(123).Attribute, sai.StatusInvalidAttrValue0},
		{"MTU", sai.Port{}, b.port.OID(), sai.PortAttrMTU.Is(60000).Attribute, sai.StatusInvalidAttrValue0},
		{"trim queue", sai.SwitchObject{}, b.sw.ID.OID(), sai.SwitchAttrPacketTrimQueueIndex.Is(10).Attribute, sai.StatusInvalidAttrValue0},
		{"trim class", sai.SwitchObject{}, b.sw.ID.OID(), sai.SwitchAttrPacketTrimTCValue.Is(16).Attribute, sai.StatusInvalidAttrValue0},
		{"hash field that no chip has", sai.Hash{}, b.hash.OID(), sai.HashAttrNativeHashFieldList.Is([]sai.NativeHashField{sai.NativeHashFieldMplsLabel0}).Attribute, sai.StatusInvalidAttrValue0},
		{"hash field twice", sai.Hash{}, b.hash.OID(), sai.HashAttrNativeHashFieldList.Is([]sai.NativeHashField{sai.NativeHashFieldSrcIP, sai.NativeHashFieldSrcIP}).Attribute, sai.StatusInvalidAttrValue0},
		{"hash function", sai.SwitchObject{}, b.sw.ID.OID(), sai.SwitchAttrECMPDefaultHashAlgorithm.Is(sai.HashAlgorithmRoundRobin).Attribute, sai.StatusInvalidAttrValue0},
		{"bool", sai.Port{}, b.port.OID(), as(sai.PortAttrAdminState.AttrMeta, 2), sai.StatusInvalidAttrValue0},
	} {
		before := b.c.Dump()
		if st := b.sw.Set(x.o.Meta(), sai.Key{OID: x.id}, x.attr); st != x.want {
			t.Errorf("%s: %v, want %v", x.name, st, x.want)
		}
		if b.c.Dump() != before {
			t.Errorf("%s: the failed call changed something", x.name)
		}
	}
}

// TestInUse: what is named by another object cannot go, until the last name does.
func TestInUse(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	sw := b.sw
	set := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	set(sai.Set(sw, b.queue, sai.QueueAttrBufferProfileID.Is(b.egress), sai.QueueAttrWredProfileID.Is(b.wred)))
	set(sai.Set(sw, b.port, sai.PortAttrQoSEgressBufferProfileList.Is([]sai.ID[sai.BufferProfile]{b.egress, b.static})))
	inUse := func(err error, want bool) {
		t.Helper()
		if got := errorIs(err, sai.StatusObjectInUse); got != want || !want && err != nil {
			t.Errorf("%v, want in use %v", err, want)
		}
	}
	inUse(sai.Remove(sw, b.out), true)
	inUse(sai.Remove(sw, b.wred), true)
	inUse(sai.Remove(sw, b.static), true)
	set(sai.Set(sw, b.queue, sai.QueueAttrBufferProfileID.Is(0), sai.QueueAttrWredProfileID.Is(0)))
	inUse(sai.Remove(sw, b.egress), true)
	set(sai.Set(sw, b.port, sai.PortAttrQoSEgressBufferProfileList.Is(nil)))
	inUse(sai.Remove(sw, b.egress), false)
	inUse(sai.Remove(sw, b.static), false)
	inUse(sai.Remove(sw, b.out), false)
	inUse(sai.Remove(sw, b.wred), false)
	for _, id := range []sai.OID{b.queue.OID(), b.pg.OID()} {
		if st := sw.Remove(sai.ByType(sai.ObjectType(id>>48)), sai.Key{OID: id}); st != sai.StatusNotSupported {
			t.Error(id, st)
		}
	}
	hash := must[sai.ID[sai.Hash]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrECMPHash))
	inUse(sai.Remove(sw, hash), true)
	if err := b.c.Recount(); err != nil {
		t.Error(err)
	}
}

// TestCallersMemory: neither side can change what the other one has.
func TestCallersMemory(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	list := []sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: 1}, Value: sai.QoSMapParams{TC: 1}}}
	if err := sai.Set(b.sw, b.dscpToTC, sai.QoSMapAttrMapToValueList.Is(list)); err != nil {
		t.Fatal(err)
	}
	list[0].Value.TC = 9
	got := must[[]sai.QoSMapItem](t)(sai.Get(b.sw, b.dscpToTC, sai.QoSMapAttrMapToValueList))
	got[0].Value.TC = 8
	if got = must[[]sai.QoSMapItem](t)(sai.Get(b.sw, b.dscpToTC, sai.QoSMapAttrMapToValueList)); got[0].Value.TC != 1 {
		t.Error(got)
	}
}
