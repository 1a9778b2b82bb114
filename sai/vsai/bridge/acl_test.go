package bridge_test

import (
	"net/netip"
	"testing"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// acl makes an access list of the ingress of port 0.
func (r *rig) acl() sai.ID[sai.ACLTable] {
	r.t.Helper()
	t := create(r, sai.ACLTableAttrACLStage.Is(sai.ACLStageIngress), sai.ACLTableAttrFieldDSCP.Is(true),
		sai.ACLTableAttrFieldDstIP.Is(true), sai.ACLTableAttrFieldInPorts.Is(true), sai.ACLTableAttrFieldL4DstPort.Is(true))
	set(r, r.ports[0], sai.PortAttrIngressACL.Is(t.OID()))
	return t
}

// TestACL: entries drop, count, and give packets another class; what they match is
// what SAI's fields say, for the port that the list is bound to.
func TestACL(t *testing.T) {
	t.Parallel()
	dscp := func(n uint8) sai.Setting[sai.ACLEntry] {
		return sai.ACLEntryAttrFieldDSCP.Is(sai.Match[uint8]{Data: n, Mask: 0x3f})
	}
	to := func(addr, mask string) sai.Setting[sai.ACLEntry] {
		return sai.ACLEntryAttrFieldDstIP.Is(sai.Match[netip.Addr]{Data: netip.MustParseAddr(addr), Mask: netip.MustParseAddr(mask)})
	}
	for _, x := range []struct {
		what   string
		match  sai.Setting[sai.ACLEntry]
		action sai.Setting[sai.ACLEntry]
		hits   uint64 // of 10 packets from port 0
		queue  int    // that the others, or all, leave by
		there  uint64
	}{
		{"drop by DSCP", dscp(26), sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop), 10, 0, 10},
		{"another DSCP", dscp(27), sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop), 0, 0, 20},
		{"class by address", to("10.0.1.0", "255.255.255.0"), sai.ACLEntryAttrActionSetTC.Is(uint8(5)), 10, 5, 10},
		{"another address", to("10.0.2.0", "255.255.255.0"), sai.ACLEntryAttrActionSetTC.Is(uint8(5)), 0, 0, 20},
		{"port of UDP", sai.ACLEntryAttrFieldL4DstPort.Is(sai.Match[uint16]{Data: 4791, Mask: 0xffff}), sai.ACLEntryAttrActionSetTC.Is(uint8(6)), 10, 6, 10},
	} {
		r := newRig(t, "default", 3)
		table := r.acl()
		counter := create(r, sai.ACLCounterAttrTableID.Is(table), sai.ACLCounterAttrEnablePacketCount.Is(true), sai.ACLCounterAttrEnableByteCount.Is(true))
		create(r, sai.ACLEntryAttrTableID.Is(table), sai.ACLEntryAttrPriority.Is(uint32(10)), x.match, x.action, sai.ACLEntryAttrActionCounter.Is(counter))
		for from := range 2 {
			h := &dataplane.Header{
				SrcMAC: r.hosts[from].Config().MAC, DstMAC: r.hosts[2].Config().MAC, Protocol: dataplane.UDP, DstPort: dataplane.RoCE,
				Src: netip.MustParseAddr("10.0.1.9"), Dst: netip.MustParseAddr("10.0.1.1"),
			}
			r.flow(dataplane.FlowConfig{Bytes: 10 * 1024, DSCP: 26, Header: h}, from, 2)
		}
		r.run(dataplane.Millisecond)
		if n, b := get(r, counter, sai.ACLCounterAttrPackets), get(r, counter, sai.ACLCounterAttrBytes); n != x.hits || b != x.hits*1086 {
			t.Errorf("%s: the entry counts %d packets, %d bytes, want %d packets", x.what, n, b, x.hits)
		}
		if n := stat(r, r.queue(2, x.queue), sai.QueueStatPackets); n != x.there {
			t.Errorf("%s: %d packets in queue %d, want %d", x.what, n, x.queue, x.there)
		}
	}
}

// TestACLChanges: a removed or disabled entry no longer acts; one that the dataplane
// cannot match is reported, and has no effect.
func TestACLChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	table := r.acl()
	entry := create(r, sai.ACLEntryAttrTableID.Is(table), sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop))
	passed := func() bool {
		before := stat(r, r.ports[1], sai.PortStatIfOutUcastPkts)
		r.flow(dataplane.FlowConfig{Bytes: 1024}, 0, 1)
		r.run(dataplane.Millisecond)
		return stat(r, r.ports[1], sai.PortStatIfOutUcastPkts) > before
	}
	if passed() {
		t.Error("an entry that drops all does not")
	}
	set(r, entry, sai.ACLEntryAttrAdminState.Is(false))
	if !passed() {
		t.Error("one that is switched off drops")
	}
	set(r, entry, sai.ACLEntryAttrAdminState.Is(true))
	set(r, r.ports[0], sai.PortAttrIngressACL.Is(sai.OID(0)))
	if !passed() {
		t.Error("one of a list that is not bound drops")
	}
	set(r, r.sw.ID, sai.SwitchAttrIngressACL.Is(table.OID()))
	if passed() {
		t.Error("one of a list that is bound to the switch does not drop")
	}
	set(r, entry, sai.ACLEntryAttrFieldTTL.Is(sai.Match[uint8]{Data: 3, Mask: 0xff}))
	if err := r.dev.Sync(); err == nil {
		t.Error("nobody hears that packets are not compared by their TTL")
	}
	if !passed() {
		t.Error("an entry that is for some packets drops all")
	}
}

// TestTrim: a packet that does not fit into its queue is trimmed to its headers, which
// leave by the queue that the switch defines.
func TestTrim(t *testing.T) {
	t.Parallel()
	r := newRig(t, "th5", 3)
	b := r.lossless(4 << 20)
	small := create(r, sai.BufferProfileAttrPoolID.Is(b.out), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeStatic), sai.BufferProfileAttrSharedStaticTH.Is(uint64(20000)),
		sai.BufferProfileAttrPacketAdmissionFailAction.Is(sai.BufferProfilePacketAdmissionFailActionDropAndTrim))
	set(r, r.queue(2, 1), sai.QueueAttrBufferProfileID.Is(small))
	set(r, r.sw.ID, sai.SwitchAttrPacketTrimSize.Is(uint32(128)), sai.SwitchAttrPacketTrimQueueIndex.Is(uint8(6)), sai.SwitchAttrPacketTrimDSCPValue.Is(uint8(10)))
	for i := range 2 {
		r.flow(dataplane.FlowConfig{Bytes: 100 * 1024, Class: 1}, i, 2)
	}
	r.run(dataplane.Millisecond)
	cut, heads := stat(r, r.queue(2, 1), sai.QueueStatTrimPackets), stat(r, r.queue(2, 6), sai.QueueStatPackets)
	if cut == 0 || heads != cut || stat(r, r.queue(2, 6), sai.QueueStatBytes) != 128*heads {
		t.Errorf("%d packets cut, %d heads", cut, heads)
	}
}
