package graph

import (
	"strconv"

	"xon/sai"
)

// The facets of adopted objects, each owned by one orchestrator.
const (
	Admin     Facet = "admin"  // portorch: whether the port is up
	Link      Facet = "link"   // portorch: speed, MTU, FEC, autonegotiation
	QoSMaps   Facet = "qosmap" // qosmaporch
	PFC       Facet = "pfc"    // pfcorch
	Scheduler Facet = "sched"  // schedorch
	Buffer    Facet = "buffer" // bufferorch
	WRED      Facet = "wred"   // wredorch
)

// facets assigns every attribute that the agent sets on an adopted object to one
// facet, and so to one orchestrator. Two orchestrators can't fight over an
// attribute, and a read-back after restart knows where each value belongs.
var facets = map[*sai.AttrMeta]Facet{
	sai.PortAttrAdminState.AttrMeta: Admin,

	sai.PortAttrSpeed.AttrMeta:       Link,
	sai.PortAttrMTU.AttrMeta:         Link,
	sai.PortAttrFECMode.AttrMeta:     Link,
	sai.PortAttrAutoNegMode.AttrMeta: Link,

	sai.PortAttrQoSDSCPToTCMap.AttrMeta:                   QoSMaps,
	sai.PortAttrQoSDot1pToTCMap.AttrMeta:                  QoSMaps,
	sai.PortAttrQoSTCToQueueMap.AttrMeta:                  QoSMaps,
	sai.PortAttrQoSTCToPriorityGroupMap.AttrMeta:          QoSMaps,
	sai.PortAttrQoSTCAndColorToDSCPMap.AttrMeta:           QoSMaps,
	sai.PortAttrQoSPFCPriorityToQueueMap.AttrMeta:         QoSMaps,
	sai.PortAttrQoSPFCPriorityToPriorityGroupMap.AttrMeta: QoSMaps,

	sai.PortAttrPriorityFlowControl.AttrMeta:     PFC,
	sai.PortAttrPriorityFlowControlMode.AttrMeta: PFC,
	sai.PortAttrPriorityFlowControlTx.AttrMeta:   PFC,
	sai.PortAttrPriorityFlowControlRx.AttrMeta:   PFC,

	sai.PortAttrQoSSchedulerProfileID.AttrMeta: Scheduler,

	sai.PortAttrQoSIngressBufferProfileList.AttrMeta: Buffer,
	sai.PortAttrQoSEgressBufferProfileList.AttrMeta:  Buffer,

	sai.QueueAttrBufferProfileID.AttrMeta:              Buffer,
	sai.QueueAttrWredProfileID.AttrMeta:                WRED,
	sai.IngressPriorityGroupAttrBufferProfile.AttrMeta: Buffer,
	sai.SchedulerGroupAttrSchedulerProfileID.AttrMeta:  Scheduler,

	sai.SwitchAttrQoSDSCPToTCMap.AttrMeta: QoSMaps,
}

// FacetOf returns the facet that owns an attribute of an adopted object. ok is
// false for attributes that the agent never sets.
func FacetOf(a *sai.AttrMeta) (f Facet, ok bool) {
	f, ok = facets[a]
	return f, ok
}

// restsOn holds the dependencies that SAI has no attribute for. It is the only
// place for such knowledge: a rule here orders every plan and every read-back.
// A node may rest on one that does not exist.
func restsOn(k Key, attrs []Attr) []Key {
	if k.Type != sai.ObjectTypePort {
		return nil
	}
	switch k.Facet {
	case PFC:
		return pausedGroups(k.Name, attrs)
	case Admin:
		return portFacets(k.Name)
	}
	return nil
}

// pausedGroups: pausing priority p needs the headroom of priority group p.
func pausedGroups(port string, attrs []Attr) []Key {
	var mask uint64
	for _, a := range attrs {
		switch a.AttrMeta {
		case sai.PortAttrPriorityFlowControl.AttrMeta, sai.PortAttrPriorityFlowControlTx.AttrMeta:
			mask |= a.Value.Num()
		}
	}
	var keys []Key
	for p := range 8 {
		if mask>>p&1 != 0 {
			keys = append(keys, Key{sai.ObjectTypeIngressPriorityGroup, port + "|" + strconv.Itoa(p), Buffer})
		}
	}
	return keys
}

// portFacets: a port comes up last and goes down first.
func portFacets(port string) []Key {
	keys := make([]Key, 0, 5)
	for _, f := range []Facet{Link, QoSMaps, PFC, Scheduler, Buffer} {
		keys = append(keys, Key{sai.ObjectTypePort, port, f})
	}
	return keys
}
