// Package traits holds the facts about SAI objects and attributes that the SAI
// headers do not state: what a change of a value gives up or takes, how a
// create-only attribute is changed, and which objects the chip makes itself.
//
// What the headers do state is in package sai, generated from its facts file.
package traits

import (
	"slices"

	"xon/sai"
)

// Class says how two values of an attribute compare, which decides whether a
// change gives something up (done first) or takes something (done later).
type Class uint8

// Attribute classes.
const (
	Plain       Class = iota // no order: a change is a change
	Capacity                 // a larger value needs more of a resource
	Bitmap                   // each set bit turns on something that needs its dependencies
	Reference                // another object; null gives it up
	Restriction              // a larger value allows less
)

// ClassOf returns an attribute's class.
func ClassOf(a *sai.AttrMeta) Class {
	if a.Kind == sai.KindOID || a.Kind == sai.KindOIDList {
		return Reference
	}
	return classes[a]
}

var classes = map[*sai.AttrMeta]Class{
	sai.PortAttrPriorityFlowControl.AttrMeta:         Bitmap,
	sai.PortAttrPriorityFlowControlRx.AttrMeta:       Bitmap,
	sai.PortAttrPriorityFlowControlTx.AttrMeta:       Bitmap,
	sai.PortAttrAdminState.AttrMeta:                  Bitmap,
	sai.PortAttrGlobalFlowControlMode.AttrMeta:       Bitmap, // bit 0 is TX, bit 1 RX
	sai.BufferProfileAttrReservedBufferSize.AttrMeta: Capacity,
	sai.BufferProfileAttrXoffTH.AttrMeta:             Capacity,
	// A profile that trims is for queues only.
	sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta: Restriction,
}

func init() {
	for _, p := range thresholds {
		classes[p.low], classes[p.high] = Capacity, Capacity
		orders[p.low] = 1
	}
}

type threshold struct{ low, high *sai.AttrMeta }

// thresholds are pairs of which SAI wants the first to be at most the second.
var thresholds = []threshold{
	{sai.BufferPoolAttrXoffSize.AttrMeta, sai.BufferPoolAttrSize.AttrMeta}, // the size contains the shared headroom
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
	// What a scheduler promises is at most what it lets pass. A maximum of 0 is none,
	// which the order serves too: it comes first and goes last.
	{sai.SchedulerAttrMinBandwidthRate.AttrMeta, sai.SchedulerAttrMaxBandwidthRate.AttrMeta},
	{sai.SchedulerAttrMinBandwidthBurstRate.AttrMeta, sai.SchedulerAttrMaxBandwidthBurstRate.AttrMeta},
}

// Order ranks attributes of one object that limit each other: a low one is
// taken first and given up last, as WRED's maximum before its minimum.
func Order(a *sai.AttrMeta) uint8 { return orders[a] }

var orders = map[*sai.AttrMeta]uint8{
	// The mode says which masks count, so that a mask that is left from before is
	// cleared while it does not. What a port sends goes before what it obeys. SONiC
	// writes them in this order.
	sai.PortAttrPriorityFlowControl.AttrMeta:   1,
	sai.PortAttrPriorityFlowControlTx.AttrMeta: 1,
	sai.PortAttrPriorityFlowControlRx.AttrMeta: 2,
}

// Limits reports whether SAI wants one of two attributes to be at most the other.
func Limits(a, b *sai.AttrMeta) bool {
	return slices.ContainsFunc(thresholds, func(p threshold) bool { return p == threshold{a, b} || p == threshold{b, a} })
}

// Successor returns the bitmap that counts in place of another one when their object
// changes its mode, or nil.
func Successor(a *sai.AttrMeta) *sai.AttrMeta {
	switch a {
	case sai.PortAttrPriorityFlowControl.AttrMeta:
		return sai.PortAttrPriorityFlowControlTx.AttrMeta
	case sai.PortAttrPriorityFlowControlTx.AttrMeta, sai.PortAttrPriorityFlowControlRx.AttrMeta:
		return sai.PortAttrPriorityFlowControl.AttrMeta
	}
	return nil
}

// Offline reports whether an attribute is changed only while its object is out of use:
// of a port, while that is administratively down. What speeds a link takes depends on FEC
// and the other way round, so no pair in between may be tried on a link, and some chips
// take neither while the port is up.
//
// Source: SONiC's portsorch, which takes a port down around each of them.
func Offline(a *sai.AttrMeta) bool { return offline[a] }

var offline = map[*sai.AttrMeta]bool{
	sai.PortAttrSpeed.AttrMeta:                   true,
	sai.PortAttrFECMode.AttrMeta:                 true,
	sai.PortAttrAutoNegMode.AttrMeta:             true,
	sai.PortAttrAutoNegFECModeOverride.AttrMeta:  true,
	sai.PortAttrAdvertisedSpeed.AttrMeta:         true,
	sai.PortAttrInterfaceType.AttrMeta:           true,
	sai.PortAttrAdvertisedInterfaceType.AttrMeta: true,
}

// Replace says how a create-only attribute is changed.
type Replace uint8

// Replacement policies.
const (
	MakeBeforeBreak Replace = iota // create the new object, move references, remove the old
	BreakBeforeMake                // old and new can't coexist: release all dependents first
)

// ReplaceOf returns the policy of an object type.
func ReplaceOf(t sai.ObjectType) Replace {
	switch t {
	case sai.ObjectTypeBufferPool, sai.ObjectTypeHostif, sai.ObjectTypePort: // memory; a name that must be unique; lanes
		return BreakBeforeMake
	case sai.ObjectTypeVLAN, sai.ObjectTypeBridgePort, sai.ObjectTypeRouterInterface: // a number; a port that is one thing only
		return BreakBeforeMake
	default:
		return MakeBeforeBreak
	}
}

// Adopted reports whether objects of a type are made by the chip: they are
// found by discovery, never created or removed, only set and reset. Ports are both:
// the chip has some from the start, and they come and go when others are asked for.
func Adopted(t sai.ObjectType) bool {
	switch t {
	case sai.ObjectTypeSwitch, sai.ObjectTypePort, sai.ObjectTypeQueue,
		sai.ObjectTypeIngressPriorityGroup, sai.ObjectTypeSchedulerGroup, sai.ObjectTypeHash:
		return true
	default:
		return false
	}
}
