package graph

import (
	"strconv"
	"strings"

	"xon/sai"
)

// The facets of adopted objects, each owned by one orchestrator.
const (
	Admin     Facet = "admin"   // portorch: whether the port is up
	Link      Facet = "link"    // portorch: speed, MTU, FEC, interface, link training, VLAN tags, what is negotiated
	QoSMaps   Facet = "qosmap"  // qosorch
	PFC       Facet = "pfc"     // pfcorch: what a port pauses and obeys
	Scheduler Facet = "sched"   // qosorch
	Buffer    Facet = "buffer"  // bufferorch: of queues and priority groups
	Ingress   Facet = "ingress" // bufferorch: the ingress profiles of a port
	Egress    Facet = "egress"  // bufferorch: the egress profiles of a port
	WRED      Facet = "wred"    // qosorch
	Hash      Facet = "hash"    // switchorch: what flows are spread by, and how
	Global    Facet = "global"  // switchorch: the other settings of the switch as a whole
	Trim      Facet = "trim"    // bufferorch: how packets are trimmed
	VLAN      Facet = "vlan"    // l3orch: the VLAN of a port's untagged packets
)

// Facets are all facets.
var Facets = []Facet{Admin, Link, QoSMaps, PFC, Scheduler, Buffer, Ingress, Egress, WRED, Hash, Global, Trim, VLAN}

// facets assigns every attribute that the agent sets on an adopted object to one
// facet, and so to one orchestrator. Two orchestrators can't fight over an
// attribute, and a read-back after restart knows where each value belongs.
var facets = map[*sai.AttrMeta]Facet{
	sai.PortAttrHwLaneList.AttrMeta: "", // of the port as a whole: see Key.Adopted

	sai.PortAttrAdminState.AttrMeta: Admin,
	sai.PortAttrPortVLANID.AttrMeta: VLAN,

	sai.PortAttrSpeed.AttrMeta:                   Link,
	sai.PortAttrMTU.AttrMeta:                     Link,
	sai.PortAttrFECMode.AttrMeta:                 Link,
	sai.PortAttrAutoNegMode.AttrMeta:             Link,
	sai.PortAttrAdvertisedSpeed.AttrMeta:         Link,
	sai.PortAttrInterfaceType.AttrMeta:           Link,
	sai.PortAttrAdvertisedInterfaceType.AttrMeta: Link,
	sai.PortAttrAutoNegFECModeOverride.AttrMeta:  Link,
	sai.PortAttrLinkTrainingEnable.AttrMeta:      Link,
	sai.PortAttrTPID.AttrMeta:                    Link,

	sai.PortAttrQoSDSCPToTCMap.AttrMeta:                   QoSMaps,
	sai.PortAttrQoSDot1pToTCMap.AttrMeta:                  QoSMaps,
	sai.PortAttrQoSTCToQueueMap.AttrMeta:                  QoSMaps,
	sai.PortAttrQoSTCToPriorityGroupMap.AttrMeta:          QoSMaps,
	sai.PortAttrQoSTCAndColorToDSCPMap.AttrMeta:           QoSMaps,
	sai.PortAttrQoSPFCPriorityToQueueMap.AttrMeta:         QoSMaps,
	sai.PortAttrQoSPFCPriorityToPriorityGroupMap.AttrMeta: QoSMaps,
	sai.PortAttrQoSMplsExpToTCMap.AttrMeta:                QoSMaps,
	sai.PortAttrQoSTCAndColorToDot1pMap.AttrMeta:          QoSMaps,
	sai.PortAttrQoSDSCPToForwardingClassMap.AttrMeta:      QoSMaps,
	sai.PortAttrQoSMplsExpToForwardingClassMap.AttrMeta:   QoSMaps,

	sai.PortAttrPriorityFlowControl.AttrMeta:     PFC,
	sai.PortAttrPriorityFlowControlMode.AttrMeta: PFC,
	sai.PortAttrPriorityFlowControlTx.AttrMeta:   PFC,
	sai.PortAttrGlobalFlowControlMode.AttrMeta:   PFC, // in one node, as a port must not have both
	sai.PortAttrPriorityFlowControlRx.AttrMeta:   PFC,

	sai.PortAttrQoSSchedulerProfileID.AttrMeta: Scheduler,

	sai.PortAttrQoSIngressBufferProfileList.AttrMeta: Ingress,
	sai.PortAttrQoSEgressBufferProfileList.AttrMeta:  Egress,

	sai.QueueAttrBufferProfileID.AttrMeta:              Buffer,
	sai.QueueAttrWredProfileID.AttrMeta:                WRED,
	sai.IngressPriorityGroupAttrBufferProfile.AttrMeta: Buffer,
	sai.SchedulerGroupAttrSchedulerProfileID.AttrMeta:  Scheduler,

	sai.SwitchAttrQoSDSCPToTCMap.AttrMeta: QoSMaps,

	sai.HashAttrNativeHashFieldList.AttrMeta:        Hash,
	sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta: Hash,
	sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta:  Hash,

	sai.SwitchAttrECMPDefaultHashSeed.AttrMeta:   Global,
	sai.SwitchAttrLAGDefaultHashSeed.AttrMeta:    Global,
	sai.SwitchAttrECMPDefaultHashOffset.AttrMeta: Global,
	sai.SwitchAttrLAGDefaultHashOffset.AttrMeta:  Global,
	sai.SwitchAttrFDBAgingTime.AttrMeta:          Global,

	sai.SwitchAttrPacketTrimSize.AttrMeta:                Trim,
	sai.SwitchAttrPacketTrimDSCPResolutionMode.AttrMeta:  Trim,
	sai.SwitchAttrPacketTrimDSCPValue.AttrMeta:           Trim,
	sai.SwitchAttrPacketTrimTCValue.AttrMeta:             Trim,
	sai.SwitchAttrPacketTrimQueueResolutionMode.AttrMeta: Trim,
	sai.SwitchAttrPacketTrimQueueIndex.AttrMeta:          Trim,
}

// FacetOf returns the facet that owns an attribute of an adopted object. ok is
// false for attributes that the agent never sets.
func FacetOf(a *sai.AttrMeta) (f Facet, ok bool) {
	f, ok = facets[a]
	return f, ok
}

// restsOn yields the dependencies that SAI has no attribute for. It is the only
// place for such knowledge: a rule here orders every plan and every read-back.
func restsOn(k Key, attrs []Attr, yield func(Key) bool) {
	if port, ok := k.Port(); ok && !yield(port) {
		return
	}
	switch {
	case k.Type == sai.ObjectTypePort && k.Facet == PFC:
		pausedGroups(k.Name, attrs, yield)
	case k.Type == sai.ObjectTypeNeighborEntry:
		rif, _ := k.neighborParts()
		yield(rif)
	case k.Type == sai.ObjectTypeRouteEntry: // before its group is complete it would lose packets
		for _, a := range attrs {
			for to := range a.Value.Targets() {
				if !to.eachMember(yield) {
					return
				}
			}
		}
	case k.Type == sai.ObjectTypeNextHop: // packets to it have the address of its neighbour
		yield(Key{Type: sai.ObjectTypeNeighborEntry, Name: k.Name})
	}
}

// pausedGroups: pausing priority p needs the headroom of priority group p.
func pausedGroups(port string, attrs []Attr, yield func(Key) bool) {
	apart, both, sent := false, uint64(0), uint64(0)
	for _, a := range attrs {
		switch a.AttrMeta {
		case sai.PortAttrPriorityFlowControlMode.AttrMeta:
			apart = a.Value.Num() == uint64(sai.PortPriorityFlowControlModeSeparate)
		case sai.PortAttrPriorityFlowControl.AttrMeta:
			both = a.Value.Num()
		case sai.PortAttrPriorityFlowControlTx.AttrMeta:
			sent = a.Value.Num()
		}
	}
	mask := both
	if apart { // the other mask may be left from before
		mask = sent
	}
	for p := range 8 {
		pg := Key{sai.ObjectTypeIngressPriorityGroup, port + "|" + strconv.Itoa(p), Buffer}
		if mask>>p&1 != 0 && !yield(pg) {
			return
		}
	}
}

// Port returns the port, as a whole, that k is a part of: a facet of it, or of one of
// its queues, priority groups and scheduler groups. They come and go with it.
func (k Key) Port() (port Key, ok bool) {
	if k.Facet == "" {
		return Key{}, false
	}
	if k.Type == sai.ObjectTypePort {
		return k.Object(), true
	}
	if k.Type == sai.ObjectTypeQueue || k.Type == sai.ObjectTypeIngressPriorityGroup || k.Type == sai.ObjectTypeSchedulerGroup {
		if i := strings.LastIndexByte(k.Name, '|'); i >= 0 {
			return Key{Type: sai.ObjectTypePort, Name: k.Name[:i]}, true
		}
	}
	return Key{}, false
}

// Unnamed is what the name of a port begins with that no row wants: its lanes follow,
// "lanes:1,2,3,4". Such a port is never removed.
const Unnamed = "lanes:"

// Spare reports whether k is a port, as a whole, that no row wants or ever wanted.
func (k Key) Spare() bool {
	return k.Type == sai.ObjectTypePort && k.Facet == "" && strings.HasPrefix(k.Name, Unnamed)
}

// First reports whether k comes before everything else when it is set up, and after
// everything else when it is taken back: a port is there before anything of it is,
// and its lanes are free only when it is gone.
func (k Key) First() bool { return k.Type == sai.ObjectTypePort && k.Facet == "" }

// Last reports whether k comes after everything else when it is set up, and
// before everything else when it is taken back: a port comes up when all of it is
// in place and goes down before anything of it is taken away. Unlike a
// dependency this is about the moment only: what is rebuilt under a port does not
// take the port down.
func (k Key) Last() bool { return k.Type == sai.ObjectTypePort && k.Facet == Admin }

// Gate returns the node and the attribute that say whether the object is in use that k is
// a part of: attributes that are changed offline wait until it is not. ok is false
// for objects that are always in use.
func (k Key) Gate() (gate Key, attr *sai.AttrMeta, ok bool) {
	if k.Type != sai.ObjectTypePort || k.Facet == "" {
		return Key{}, nil, false
	}
	return Key{k.Type, k.Name, Admin}, sai.PortAttrAdminState.AttrMeta, true
}

// Readies returns the node that must not be set up while k could not be: the
// admin state of the port that k is a part of. Queues and priority groups keep a
// port down by their buffers only.
func (k Key) Readies() (admin Key, ok bool) {
	switch {
	case k.Type == sai.ObjectTypePort && k.Facet != Admin:
		return Key{k.Type, k.Name, Admin}, true
	case k.Facet == Buffer && (k.Type == sai.ObjectTypeQueue || k.Type == sai.ObjectTypeIngressPriorityGroup):
		if i := strings.LastIndexByte(k.Name, '|'); i >= 0 {
			return Key{sai.ObjectTypePort, k.Name[:i], Admin}, true
		}
	}
	return Key{}, false
}
