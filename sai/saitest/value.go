package saitest

import (
	"slices"

	"xon/sai"
)

// testLists: lists of objects, replaced and emptied.
func (r *rig) testLists() {
	_, a := r.profile()
	_, b := r.profile()
	list := sai.PortAttrQoSEgressBufferProfileList
	p := r.ports[0]
	for _, want := range [][]sai.ID[sai.BufferProfile]{{a}, {b, a}, {}, {a, b}, nil} {
		set(r, p, list.Is(want))
		if got := read(r, p, list); !slices.Equal(got, want) {
			r.t.Errorf("%v, want %v", got, want)
		}
	}
	r.fails(sai.Set(r.sw, p, list.Is([]sai.ID[sai.BufferProfile]{a, 12345})), sai.StatusInvalidAttrValue0)
	r.ok(sai.Remove(r.sw, a))
}

// testLongLists: lists longer than a caller's initial buffer are returned completely.
func (r *rig) testLongLists() {
	actions := make([]sai.ACLActionType, 0, 300)
	values := sai.ACLTableAttrACLActionTypeList.AttrMeta.Enum.Values
	for i := range 300 {
		actions = append(actions, sai.ACLActionType(values[i%len(values)]))
	}
	table := create(r, sai.ACLTableAttrACLStage.Is(sai.ACLStageIngress), sai.ACLTableAttrACLActionTypeList.Is(actions))
	if got := read(r, table, sai.ACLTableAttrACLActionTypeList); !slices.Equal(got, actions) {
		r.t.Errorf("a list of %d came back as one of %d", len(actions), len(got))
	}
	caps, st := r.d.StatsCapability(r.sw.ID.OID(), sai.Port{}.Meta())
	if st != 0 || len(caps) < 100 {
		r.t.Errorf("%d counters of a port, %v", len(caps), st)
	}
}

// testMaps: every entry of a QoS map is returned.
func (r *rig) testMaps() {
	var want []sai.QoSMapItem
	for i := range uint8(64) {
		want = append(want, sai.QoSMapItem{Key: sai.QoSMapParams{DSCP: i}, Value: sai.QoSMapParams{TC: i % 8}})
	}
	id := create(r, sai.QoSMapAttrType.Is(sai.QoSMapTypeDSCPToTC), sai.QoSMapAttrMapToValueList.Is(want))
	if got := read(r, id, sai.QoSMapAttrMapToValueList); !slices.Equal(got, want) {
		r.t.Errorf("map %v", got)
	}
	set(r, id, sai.QoSMapAttrMapToValueList.Is(want[:3]))
	if got := read(r, id, sai.QoSMapAttrMapToValueList); !slices.Equal(got, want[:3]) {
		r.t.Errorf("map %v", got)
	}
	set(r, r.ports[1], sai.PortAttrQoSDSCPToTCMap.Is(id))
	if got := read(r, r.ports[1], sai.PortAttrQoSDSCPToTCMap); got != id {
		r.t.Errorf("map of the port %v", got)
	}
	r.fails(sai.Remove(r.sw, id), sai.StatusObjectInUse)
}

// testKinds: values of other kinds are returned unchanged: text, addresses, negative
// numbers, ACL fields and actions.
func (r *rig) testKinds() {
	mac := sai.MAC{2, 0, 0, 0, 0, 7}
	set(r, r.sw.ID, sai.SwitchAttrSrcMACAddress.Is(mac))
	if got := read(r, r.sw.ID, sai.SwitchAttrSrcMACAddress); got != mac {
		r.t.Errorf("MAC %v", got)
	}
	if _, p := r.profile(); read(r, p, sai.BufferProfileAttrSharedDynamicTH) != -1 {
		r.t.Error("a negative number")
	}
	h := create(r, sai.HostifAttrType.Is(sai.HostifTypeNetdev), sai.HostifAttrObjID.Is(r.ports[0].OID()), sai.HostifAttrName.Is("Ethernet0"))
	if got := read(r, h, sai.HostifAttrName); got != "Ethernet0" {
		r.t.Errorf("name %q", got)
	}
	table := create(r, sai.ACLTableAttrACLStage.Is(sai.ACLStageIngress), sai.ACLTableAttrFieldTC.Is(true), sai.ACLTableAttrFieldInPorts.Is(true))
	tc := sai.Match[uint8]{Data: 3, Mask: 7}
	ports := sai.Match[[]sai.ID[sai.Port]]{Data: r.ports[:2]}
	e := create(r, sai.ACLEntryAttrTableID.Is(table), sai.ACLEntryAttrPriority.Is(9), sai.ACLEntryAttrFieldTC.Is(tc),
		sai.ACLEntryAttrFieldInPorts.Is(ports), sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop))
	if got := read(r, e, sai.ACLEntryAttrFieldTC); got != tc {
		r.t.Errorf("field %v", got)
	}
	if got := read(r, e, sai.ACLEntryAttrFieldInPorts); !slices.Equal(got.Data, ports.Data) {
		r.t.Errorf("field %v", got)
	}
	if got := read(r, e, sai.ACLEntryAttrActionPacketAction); got != sai.PacketActionDrop {
		r.t.Errorf("action %v", got)
	}
	r.fails(sai.Remove(r.sw, table), sai.StatusObjectInUse)
}
