package vsai

import (
	"reflect"
	"strings"

	"xon/sai"
)

// ranges are limits that chips have but SAI's metadata does not.
var ranges = map[*sai.AttrMeta]func(*Profile) (lo, hi int64){
	sai.SchedulerAttrSchedulingWeight.AttrMeta: between(1, 100), // saischeduler.h

	sai.WredAttrGreenDropProbability.AttrMeta:           between(0, 100), // percent
	sai.WredAttrYellowDropProbability.AttrMeta:          between(0, 100),
	sai.WredAttrRedDropProbability.AttrMeta:             between(0, 100),
	sai.WredAttrECNGreenMarkProbability.AttrMeta:        between(0, 100),
	sai.WredAttrECNYellowMarkProbability.AttrMeta:       between(0, 100),
	sai.WredAttrECNRedMarkProbability.AttrMeta:          between(0, 100),
	sai.WredAttrECNColorUnawareMarkProbability.AttrMeta: between(0, 100),
	sai.WredAttrWeight.AttrMeta:                         between(0, 15), // saiwred.h

	sai.BufferProfileAttrSharedDynamicTH.AttrMeta: func(p *Profile) (lo, hi int64) { return int64(p.AlphaMin), int64(p.AlphaMax) },
	sai.BufferPoolAttrXoffSize.AttrMeta: func(p *Profile) (lo, hi int64) {
		if p.SharedSize == SharedPrivate { // no shared headroom
			return 0, 0
		}
		return 0, int64(p.maxBufferSize())
	},

	sai.HostifAttrQueue.AttrMeta:          cpuQueue,
	sai.HostifTrapGroupAttrQueue.AttrMeta: cpuQueue,

	sai.VLANAttrVLANID.AttrMeta:       between(1, 4094),
	sai.BridgePortAttrVLANID.AttrMeta: between(1, 4094),
	sai.PortAttrPortVLANID.AttrMeta:   between(1, 4094),
	sai.LAGAttrPortVLANID.AttrMeta:    between(1, 4094),

	sai.PortAttrQoSDefaultTC.AttrMeta:          trafficClass,
	sai.PortAttrDefaultVLANPriority.AttrMeta:   between(0, 7),
	sai.PortAttrMTU.AttrMeta:                   func(p *Profile) (lo, hi int64) { return 64, int64(p.MaxMTU) },
	sai.SwitchAttrQoSDefaultTC.AttrMeta:        trafficClass,
	sai.SwitchAttrPacketTrimTCValue.AttrMeta:   trafficClass,
	sai.SwitchAttrPacketTrimDSCPValue.AttrMeta: between(0, 63),
	sai.SwitchAttrPacketTrimQueueIndex.AttrMeta: func(p *Profile) (lo, hi int64) {
		return 0, int64(p.UnicastQueues) - 1
	},
}

func between(lo, hi int64) func(*Profile) (int64, int64) {
	return func(*Profile) (int64, int64) { return lo, hi }
}

func trafficClass(p *Profile) (lo, hi int64) { return 0, int64(p.TrafficClasses) - 1 }

func cpuQueue(p *Profile) (lo, hi int64) { return 0, int64(p.CPUQueues) - 1 }

// rules check the attributes of an object together. They return the attribute that
// violates a rule, or nil.
var rules = map[sai.ObjectType]func(*Chip, candidate) *sai.AttrMeta{
	sai.ObjectTypeWred:                 checkWred,
	sai.ObjectTypePort:                 checkPort,
	sai.ObjectTypeSwitch:               func(c *Chip, v candidate) *sai.AttrMeta { return checkMaps(c, v) },
	sai.ObjectTypeQoSMap:               checkQoSMap,
	sai.ObjectTypeHostif:               checkHostif,
	sai.ObjectTypeQueue:                checkQueue,
	sai.ObjectTypeBufferProfile:        checkBufferProfile,
	sai.ObjectTypeIngressPriorityGroup: checkPriorityGroup,
	sai.ObjectTypeBridgePort:           checkBridgePort,
	sai.ObjectTypeRouterInterface:      checkRouterInterface,
	sai.ObjectTypeRouteEntry:           checkRoute,
}

// pairs are WRED thresholds of which the first must not exceed the second. A pair of
// zeros is unused.
var pairs = [][2]*sai.AttrMeta{
	{sai.WredAttrGreenMinThreshold.AttrMeta, sai.WredAttrGreenMaxThreshold.AttrMeta},
	{sai.WredAttrYellowMinThreshold.AttrMeta, sai.WredAttrYellowMaxThreshold.AttrMeta},
	{sai.WredAttrRedMinThreshold.AttrMeta, sai.WredAttrRedMaxThreshold.AttrMeta},
	{sai.WredAttrECNGreenMinThreshold.AttrMeta, sai.WredAttrECNGreenMaxThreshold.AttrMeta},
	{sai.WredAttrECNYellowMinThreshold.AttrMeta, sai.WredAttrECNYellowMaxThreshold.AttrMeta},
	{sai.WredAttrECNRedMinThreshold.AttrMeta, sai.WredAttrECNRedMaxThreshold.AttrMeta},
	{sai.WredAttrECNColorUnawareMinThreshold.AttrMeta, sai.WredAttrECNColorUnawareMaxThreshold.AttrMeta},
	{sai.WredAttrGreenMinThreshold64.AttrMeta, sai.WredAttrGreenMaxThreshold64.AttrMeta},
	{sai.WredAttrYellowMinThreshold64.AttrMeta, sai.WredAttrYellowMaxThreshold64.AttrMeta},
	{sai.WredAttrRedMinThreshold64.AttrMeta, sai.WredAttrRedMaxThreshold64.AttrMeta},
}

func checkWred(_ *Chip, v candidate) *sai.AttrMeta {
	for _, p := range pairs {
		if v.num(p[0]) <= v.num(p[1]) {
			continue
		}
		if v.inCall(p[0]) {
			return p[0]
		}
		return p[1]
	}
	return nil
}

// checkHostif requires a valid Linux interface name: 1 to 15 bytes, no slash or space,
// not "." or "..".
func checkHostif(_ *Chip, v candidate) *sai.AttrMeta {
	a := sai.HostifAttrName.AttrMeta
	val, ok := v.value(a)
	if !ok {
		return nil
	}
	name, _ := val.Ref.(string)
	if len(name) < 1 || len(name) > 15 || name == "." || name == ".." || strings.ContainsAny(name, "/ \t\n:") {
		return a
	}
	return nil
}

// linkAttrs can change only while the port is down if Profile.OfflineLinks.
var linkAttrs = []*sai.AttrMeta{
	sai.PortAttrSpeed.AttrMeta, sai.PortAttrFECMode.AttrMeta, sai.PortAttrAutoNegMode.AttrMeta, sai.PortAttrAutoNegFECModeOverride.AttrMeta,
	sai.PortAttrAdvertisedSpeed.AttrMeta, sai.PortAttrInterfaceType.AttrMeta, sai.PortAttrAdvertisedInterfaceType.AttrMeta,
}

// checkOnline returns an attribute that must not change while the link is up.
func checkOnline(c *Chip, v candidate) *sai.AttrMeta {
	if !c.profile.OfflineLinks || v.x == nil || v.num(sai.PortAttrAdminState.AttrMeta) == 0 {
		return nil
	}
	was := candidate{o: v.o, x: v.x}
	for _, a := range linkAttrs {
		now, _ := v.value(a)
		if before, _ := was.value(a); v.inCall(a) && !reflect.DeepEqual(now, before) {
			return a
		}
	}
	return nil
}

func checkPort(c *Chip, v candidate) *sai.AttrMeta {
	if a := checkOnline(c, v); a != nil {
		return a
	}
	if a := sai.PortAttrSpeed.AttrMeta; v.inCall(a) && !c.runsAt(v) {
		return a
	}
	if a := sai.PortAttrHwLaneList.AttrMeta; v.inCall(a) && !c.hasLanes(lanesOf(v)) {
		return a
	}
	for a, egress := range profileLists {
		if val, ok := v.value(a); ok && v.inCall(a) && !c.profilesOf(val, egress) {
			return a
		}
	}
	return checkMaps(c, v)
}

// profileLists are the buffer profile lists of a port, and whether they require
// profiles of egress pools.
var profileLists = map[*sai.AttrMeta]bool{
	sai.PortAttrQoSIngressBufferProfileList.AttrMeta: false,
	sai.PortAttrQoSEgressBufferProfileList.AttrMeta:  true,
}

func (c *Chip) profilesOf(v sai.Value, egress bool) bool {
	ids, _ := v.Ref.([]sai.OID)
	for _, id := range ids {
		if !c.servesDirection(id, egress) || !c.drops(id) {
			return false
		}
	}
	return true
}

// servesDirection reports whether a buffer profile's pool is for a direction. A profile
// without a pool is for both.
func (c *Chip) servesDirection(profile sai.OID, egress bool) bool {
	x := c.byID(profile)
	if x == nil {
		return false
	}
	pool := c.byID(sai.OID(x.num(sai.BufferProfileAttrPoolID.AttrMeta)))
	if pool == nil {
		return true
	}
	switch sai.BufferPoolType(pool.num(sai.BufferPoolAttrType.AttrMeta)) {
	case sai.BufferPoolTypeIngress:
		return !egress
	case sai.BufferPoolTypeEgress:
		return egress
	default:
		return true
	}
}

func checkQueue(c *Chip, v candidate) *sai.AttrMeta {
	a := sai.QueueAttrBufferProfileID.AttrMeta
	if id := sai.OID(v.num(a)); v.inCall(a) && id != 0 && !c.servesDirection(id, true) {
		return a
	}
	return nil
}

func checkPriorityGroup(c *Chip, v candidate) *sai.AttrMeta {
	a := sai.IngressPriorityGroupAttrBufferProfile.AttrMeta
	if id := sai.OID(v.num(a)); v.inCall(a) && id != 0 && (!c.servesDirection(id, false) || !c.drops(id)) {
		return a
	}
	return nil
}
