package inventory

import (
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// pfcPriorities is the number of priorities that 802.1Qbb knows.
const pfcPriorities = 8

// switchAttrs are what is read of the switch beside its ports.
var switchAttrs = append(
	slices.Clip(limitAttrs),
	sai.SwitchAttrECMPHash.AttrMeta, sai.SwitchAttrLAGHash.AttrMeta,
	sai.SwitchAttrCPUPort.AttrMeta, sai.SwitchAttrDefaultVirtualRouterID.AttrMeta,
	sai.SwitchAttrSrcMACAddress.AttrMeta, sai.SwitchAttrXonHwLaneList.AttrMeta,
)

// describe takes note of what the switch as a whole has and can do. t has
// switchAttrs.
func (inv *Inventory) describe(sw *sai.Switch, t table) {
	inv.chip = intent.Device{
		PFCPriorities: pfcPriorities,
		AsymmetricPFC: settable(sw, sai.Port{}.Meta(), sai.PortAttrPriorityFlowControlTx.AttrMeta) &&
			settable(sw, sai.Port{}.Meta(), sai.PortAttrPriorityFlowControlRx.AttrMeta),
		Link:        linking(sw),
		FlowControl: settable(sw, sai.Port{}.Meta(), sai.PortAttrGlobalFlowControlMode.AttrMeta),
		PFCDLRInit:  settable(sw, sai.Queue{}.Meta(), sai.QueueAttrPFCDlrInit.AttrMeta),
		Trimming:    trimming(sw),

		MarkAtDequeue: settable(sw, sai.Wred{}.Meta(), sai.WredAttrXonMarkAtDequeue.AttrMeta),
	}
	limit(&inv.chip, t)
	inv.allLanes, _ = t.val(0, sai.SwitchAttrXonHwLaneList.AttrMeta).Ref.([]uint32)
	if mac := sai.SwitchAttrSrcMACAddress.AttrMeta; t.has(0, mac) {
		inv.chip.MAC = mac.Format(t.val(0, mac))
	}
	inv.single = map[graph.Key]sai.OID{}
	router := inv.one(t, graph.RouterKey, sai.SwitchAttrDefaultVirtualRouterID.AttrMeta)
	inv.chip.Routes = inv.one(t, intent.CPUKey, sai.SwitchAttrCPUPort.AttrMeta) && router
	fields := choice(sw, sai.Hash{}.Meta(), sai.HashAttrNativeHashFieldList.AttrMeta)
	hashing := func(k graph.Key, object, algorithm *sai.AttrMeta) (h intent.Hashing) {
		if inv.one(t, k, object) {
			h.Fields = fields
		}
		h.Algorithm = choice(sw, sai.SwitchObject{}.Meta(), algorithm)
		return h
	}
	inv.chip.ECMP = hashing(intent.ECMPHashKey, sai.SwitchAttrECMPHash.AttrMeta, sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta)
	inv.chip.LAG = hashing(intent.LAGHashKey, sai.SwitchAttrLAGHash.AttrMeta, sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta)
}

// one gives an object its name that an attribute of the switch names. It reports whether
// there is one, and no other has its handle.
func (inv *Inventory) one(t table, k graph.Key, a *sai.AttrMeta) bool {
	id := sai.OID(t.num(0, a))
	for _, taken := range inv.single {
		if taken == id {
			return false
		}
	}
	if id != sai.Null {
		inv.single[k] = id
	}
	return id != sai.Null
}

func linking(sw *sai.Switch) intent.Linking {
	o := sai.Port{}.Meta()
	return intent.Linking{
		Speeds:      settable(sw, o, sai.PortAttrAdvertisedSpeed.AttrMeta),
		Type:        settable(sw, o, sai.PortAttrInterfaceType.AttrMeta),
		Types:       settable(sw, o, sai.PortAttrAdvertisedInterfaceType.AttrMeta),
		FECOverride: settable(sw, o, sai.PortAttrAutoNegFECModeOverride.AttrMeta),
		Training:    settable(sw, o, sai.PortAttrLinkTrainingEnable.AttrMeta),
		TPID:        settable(sw, o, sai.PortAttrTPID.AttrMeta),
	}
}

func trimming(sw *sai.Switch) intent.Trimming {
	o := sai.SwitchObject{}.Meta()
	return intent.Trimming{
		Size:       settable(sw, o, sai.SwitchAttrPacketTrimSize.AttrMeta),
		DSCP:       settable(sw, o, sai.SwitchAttrPacketTrimDSCPValue.AttrMeta),
		TC:         settable(sw, o, sai.SwitchAttrPacketTrimTCValue.AttrMeta),
		Queue:      settable(sw, o, sai.SwitchAttrPacketTrimQueueIndex.AttrMeta),
		DSCPModes:  choice(sw, o, sai.SwitchAttrPacketTrimDSCPResolutionMode.AttrMeta),
		QueueModes: choice(sw, o, sai.SwitchAttrPacketTrimQueueResolutionMode.AttrMeta),
	}
}

// settable reports whether the chip says that it takes an attribute after creation.
func settable(sw *sai.Switch, o *sai.ObjectMeta, a *sai.AttrMeta) bool {
	_, set, _, st := sw.AttrCapability(sw.ID.OID(), o, a.ID)
	return st == 0 && set
}

// choice asks what can be done with an attribute that takes one of several values.
func choice(sw *sai.Switch, o *sai.ObjectMeta, a *sai.AttrMeta) intent.Choice {
	c := intent.Choice{Able: settable(sw, o, a)}
	if !c.Able {
		return c
	}
	values, st := sw.EnumCapability(sw.ID.OID(), o, a.ID)
	if c.Told = st == 0; c.Told {
		c.Values = values
	}
	return c
}
