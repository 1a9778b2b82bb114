package bridge

import (
	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
)

// untaggedMTU is the frame limit of a port without an MTU setting: SAI's default of
// 1514 bytes excludes tag and FCS.
const untaggedMTU = 1522

// port reads the attributes of a port.
func (r *reader) port(p *vsai.PortParts) dataplane.PortConfig {
	id := p.ID
	c := dataplane.PortConfig{
		Rate: r.Num(id, sai.PortAttrSpeed.AttrMeta) * 1e6,
		Down: r.Num(id, sai.PortAttrAdminState.AttrMeta) == 0 || !p.Link,
		MTU:  untaggedMTU,
	}
	if v, ok := r.Value(id, sai.PortAttrMTU.AttrMeta); ok {
		c.MTU = int(v.Num) // includes Ethernet header, tag and FCS
	}
	memory(r.d.chip.Profile(), p.Lanes[0], &c)
	c.Response = dataplane.ResponseTime(c.Rate)
	if sai.PortPriorityFlowControlMode(r.Num(id, sai.PortAttrPriorityFlowControlMode.AttrMeta)) == sai.PortPriorityFlowControlModeSeparate {
		c.PFCSend = uint8(r.Num(id, sai.PortAttrPriorityFlowControlTx.AttrMeta))
		c.PFCReceive = uint8(r.Num(id, sai.PortAttrPriorityFlowControlRx.AttrMeta))
	} else {
		c.PFCSend = uint8(r.Num(id, sai.PortAttrPriorityFlowControl.AttrMeta))
		c.PFCReceive = c.PFCSend
	}
	mode := sai.PortFlowControlMode(r.Num(id, sai.PortAttrGlobalFlowControlMode.AttrMeta))
	c.PauseSend = mode == sai.PortFlowControlModeTxOnly || mode == sai.PortFlowControlModeBothEnable
	c.PauseReceive = mode == sai.PortFlowControlModeRxOnly || mode == sai.PortFlowControlModeBothEnable
	if s := sai.OID(r.Num(id, sai.PortAttrQoSSchedulerProfileID.AttrMeta)); s != 0 {
		x := r.scheduling(s)
		if !x.Packets { // port shapers count bytes
			c.MaxRate, c.MaxBurst = x.MaxRate, x.Burst
		}
	}
	return c
}

// mapAttrs are the map attributes of ports, those of the switch, which apply to ports
// without one, and how to apply an entry.
var mapAttrs = []struct {
	port, sw *sai.AttrMeta
	put      func(m *dataplane.Maps, k, v sai.QoSMapParams)
}{
	{sai.PortAttrQoSDSCPToTCMap.AttrMeta, sai.SwitchAttrQoSDSCPToTCMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.TrustDSCP = true
		m.DSCPToTC[k.DSCP&63] = v.TC
	}},
	{sai.PortAttrQoSDot1pToTCMap.AttrMeta, sai.SwitchAttrQoSDot1pToTCMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.PCPToTC[k.Dot1p&7] = v.TC
	}},
	{sai.PortAttrQoSDSCPToColorMap.AttrMeta, sai.SwitchAttrQoSDSCPToColorMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.DSCPColour[k.DSCP&63] = colour(v.Color)
	}},
	{sai.PortAttrQoSDot1pToColorMap.AttrMeta, sai.SwitchAttrQoSDot1pToColorMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.PCPColour[k.Dot1p&7] = colour(v.Color)
	}},
	{sai.PortAttrQoSTCToQueueMap.AttrMeta, sai.SwitchAttrQoSTCToQueueMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.TCToQueue[k.TC%dataplane.MaxTC] = v.QueueIndex
	}},
	{sai.PortAttrQoSTCAndColorToDSCPMap.AttrMeta, sai.SwitchAttrQoSTCAndColorToDSCPMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.TCToDSCP[colour(k.Color)][k.TC%dataplane.MaxTC] = v.DSCP
	}},
	{sai.PortAttrQoSTCAndColorToDot1pMap.AttrMeta, sai.SwitchAttrQoSTCAndColorToDot1pMap.AttrMeta, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.TCToPCP[colour(k.Color)][k.TC%dataplane.MaxTC] = v.Dot1p
	}},
	{sai.PortAttrQoSTCToPriorityGroupMap.AttrMeta, nil, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.TCToGroup[k.TC%dataplane.MaxTC] = v.Pg
	}},
	{sai.PortAttrQoSPFCPriorityToPriorityGroupMap.AttrMeta, nil, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.ClassToGroup[k.Prio%dataplane.Classes] = v.Pg
	}},
	{sai.PortAttrQoSPFCPriorityToQueueMap.AttrMeta, nil, func(m *dataplane.Maps, k, v sai.QoSMapParams) {
		m.ClassToQueue[k.Prio%dataplane.Classes] = 1 << (v.QueueIndex % dataplane.MaxQueues)
	}},
}

func colour(c sai.PacketColor) dataplane.Colour { return min(dataplane.Colour(c), dataplane.Red) }

// maps reads a port's maps. Without a map entry a packet gets the port's default class,
// a class goes to the queue and priority group of the same number, and packets are not
// remarked.
func (r *reader) maps(port sai.OID) *dataplane.Maps {
	m := dataplane.DefaultMaps()
	tc := uint8(r.Num(r.sw, sai.SwitchAttrQoSDefaultTC.AttrMeta))
	if v, ok := r.Value(port, sai.PortAttrQoSDefaultTC.AttrMeta); ok {
		tc = uint8(v.Num)
	}
	m.DefaultTC = tc
	for i := range m.PCPToTC {
		m.PCPToTC[i] = tc
	}
	for i := range m.DSCPToTC {
		m.DSCPToTC[i] = tc
	}
	for _, a := range mapAttrs {
		id := sai.OID(r.Num(port, a.port))
		if id == 0 && a.sw != nil {
			id = sai.OID(r.Num(r.sw, a.sw))
		}
		v, _ := r.Value(id, sai.QoSMapAttrMapToValueList.AttrMeta)
		items, _ := v.Ref.([]sai.QoSMapItem)
		for _, e := range items {
			a.put(m, e.Key, e.Value)
		}
	}
	return m
}
