package bridge

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// accessList is an access list with the counters of its entries: two lists that differ
// in counters only are not equal.
type accessList struct {
	forwarding.ACL
	counters []sai.OID
}

// aclFields are the entry fields that are matched by value and mask.
var aclFields = map[*sai.AttrMeta]forwarding.Field{
	sai.ACLEntryAttrFieldEtherType.AttrMeta:      forwarding.MatchEtherType,
	sai.ACLEntryAttrFieldOuterVLANID.AttrMeta:    forwarding.MatchVLAN,
	sai.ACLEntryAttrFieldOuterVLANPri.AttrMeta:   forwarding.MatchPCP,
	sai.ACLEntryAttrFieldIPProtocol.AttrMeta:     forwarding.MatchProtocol,
	sai.ACLEntryAttrFieldIPv6NextHeader.AttrMeta: forwarding.MatchProtocol,
	sai.ACLEntryAttrFieldDSCP.AttrMeta:           forwarding.MatchDSCP,
	sai.ACLEntryAttrFieldECN.AttrMeta:            forwarding.MatchECN,
	sai.ACLEntryAttrFieldTC.AttrMeta:             forwarding.MatchTC,
	sai.ACLEntryAttrFieldBthOpcode.AttrMeta:      forwarding.MatchOpcode,
	sai.ACLEntryAttrFieldPortUserMeta.AttrMeta:   forwarding.MatchMeta,
	sai.ACLEntryAttrFieldACLUserMeta.AttrMeta:    forwarding.MatchMeta,
}

// ipTypes are the IP types as IP versions; 4 and 6 have a common bit.
var ipTypes = map[sai.ACLIPType]forwarding.Bits{
	sai.ACLIPTypeIP: {Value: 4, Mask: 4}, sai.ACLIPTypeNonIP: {Value: 0, Mask: 4},
	sai.ACLIPTypeIpv4any: {Value: 4, Mask: 7}, sai.ACLIPTypeIpv6any: {Value: 6, Mask: 7},
}

// acls reads the access lists that are bound to ports or to the switch. It returns an
// error for an entry that the dataplane cannot match, and reads the others.
func (r *reader) acls(w *fib) (err error) {
	bound := map[sai.OID]*accessList{}
	for _, stage := range []struct {
		stage    forwarding.Stage
		port, sw *sai.AttrMeta
	}{
		{forwarding.Ingress, sai.PortAttrIngressACL.AttrMeta, sai.SwitchAttrIngressACL.AttrMeta},
		{forwarding.Egress, sai.PortAttrEgressACL.AttrMeta, sai.SwitchAttrEgressACL.AttrMeta},
	} {
		for i := range r.d.slots {
			r.bind(bound, sai.OID(r.Num(r.d.slots[i].port, stage.port)), stage.stage, i)
		}
		r.bind(bound, sai.OID(r.Num(r.sw, stage.sw)), stage.stage, -1)
	}
	for _, e := range r.Objects(sai.ACLEntry{}) {
		l := bound[sai.OID(r.Num(e, sai.ACLEntryAttrTableID.AttrMeta))]
		if l == nil || r.Num(e, sai.ACLEntryAttrAdminState.AttrMeta) == 0 {
			continue
		}
		entry, bad := r.aclEntry(e)
		if bad = cmp.Or(bad, r.d.tables.CheckEntry(l.Stage, &entry)); bad != nil {
			err = cmp.Or(err, fmt.Errorf("ACL entry %v: %w; the entry has no effect", e, bad))
			continue
		}
		l.Entries = append(l.Entries, entry)
		l.counters = append(l.counters, r.counter(e))
	}
	for id, l := range bound {
		w.acls[forwarding.ID(id)] = *l
	}
	return err
}

// bind records that an access list, or a group of them, is bound to a port; port -1: to
// all ports.
func (r *reader) bind(bound map[sai.OID]*accessList, id sai.OID, stage forwarding.Stage, port int) {
	add := func(table sai.OID, priority uint64) {
		l := bound[table]
		if l == nil {
			l = &accessList{ACL: forwarding.ACL{Stage: stage, Priority: uint32(priority), Ports: []int{}}}
			bound[table] = l
		}
		if port < 0 {
			l.Ports = nil
		} else if l.Ports != nil && !slices.Contains(l.Ports, port) {
			l.Ports = append(l.Ports, port)
		}
	}
	switch r.TypeOf(id) {
	case sai.ObjectTypeACLTable:
		add(id, 0)
	case sai.ObjectTypeACLTableGroup:
		for _, m := range r.Objects(sai.ACLTableGroupMember{}) {
			if sai.OID(r.Num(m, sai.ACLTableGroupMemberAttrACLTableGroupID.AttrMeta)) == id {
				add(sai.OID(r.Num(m, sai.ACLTableGroupMemberAttrACLTableID.AttrMeta)), r.Num(m, sai.ACLTableGroupMemberAttrPriority.AttrMeta))
			}
		}
	default:
	}
}

// aclEntry reads an entry of an access list.
func (r *reader) aclEntry(id sai.OID) (e forwarding.Entry, err error) {
	e.Priority = uint32(r.Num(id, sai.ACLEntryAttrPriority.AttrMeta))
	e.Match.Fields = map[forwarding.Field]forwarding.Bits{}
	for _, a := range (sai.ACLEntry{}).Meta().Attrs {
		v, _ := r.Value(id, a)
		ok := true // fields that are not set or not enabled match
		switch x := v.Ref.(type) {
		case sai.FieldValue:
			ok = r.match(&e.Match, a, x)
		case sai.ParamValue:
			ok = r.do(&e.Do, a, x.Value)
		}
		if !ok {
			return e, fmt.Errorf("%s: the dataplane does not support it", a.FullName())
		}
	}
	return e, nil
}

// match adds a match field; false: the dataplane cannot match it.
func (r *reader) match(m *forwarding.Match, a *sai.AttrMeta, x sai.FieldValue) (ok bool) {
	if f, is := aclFields[a]; is {
		m.Fields[f] = forwarding.Bits{Value: uint32(x.Data.Num & x.Mask.Num), Mask: uint32(x.Mask.Num)}
		return true
	}
	switch a {
	case sai.ACLEntryAttrFieldACLIPType.AttrMeta:
		t := sai.ACLIPType(x.Data.Num)
		m.Fields[forwarding.MatchIP], ok = ipTypes[t]
		return ok || t == sai.ACLIPTypeAny
	case sai.ACLEntryAttrFieldSrcIP.AttrMeta, sai.ACLEntryAttrFieldSrcIPv6.AttrMeta:
		m.Src, ok = prefix(x)
	case sai.ACLEntryAttrFieldDstIP.AttrMeta, sai.ACLEntryAttrFieldDstIPv6.AttrMeta:
		m.Dst, ok = prefix(x)
	case sai.ACLEntryAttrFieldL4SrcPort.AttrMeta:
		m.SrcPort, ok = number(x)
	case sai.ACLEntryAttrFieldL4DstPort.AttrMeta:
		m.DstPort, ok = number(x)
	case sai.ACLEntryAttrFieldACLRangeType.AttrMeta:
		ok = r.ranges(m, x)
	case sai.ACLEntryAttrFieldInPorts.AttrMeta, sai.ACLEntryAttrFieldInPort.AttrMeta:
		m.In, ok = r.portsOf(x.Data), true
	case sai.ACLEntryAttrFieldOutPorts.AttrMeta, sai.ACLEntryAttrFieldOutPort.AttrMeta:
		m.Out, ok = r.portsOf(x.Data), true
	}
	return ok
}

// number reads a TCP or UDP port; false: the mask is partial.
func number(x sai.FieldValue) (forwarding.Range, bool) {
	n := uint16(x.Data.Num)
	return forwarding.Range{Min: n, Max: n}, x.Mask.Num == math.MaxUint16
}

// prefix reads an address with a mask; false: the mask is not contiguous.
func prefix(x sai.FieldValue) (netip.Prefix, bool) {
	a, isAddr := x.Data.Ref.(netip.Addr)
	mask, isMask := x.Mask.Ref.(netip.Addr)
	if !isAddr || !isMask {
		return netip.Prefix{}, false
	}
	bits := 0
	octets := mask.AsSlice()
	for bits < len(octets)*8 && octets[bits/8]>>(7-bits%8)&1 != 0 {
		bits++
	}
	p := netip.PrefixFrom(a, bits)
	return p.Masked(), sai.PrefixOf(p).Mask == sai.AddressOf(mask).Addr
}

// ranges reads ranges of TCP and UDP ports.
func (r *reader) ranges(m *forwarding.Match, x sai.FieldValue) bool {
	ids, _ := x.Data.Ref.([]sai.OID)
	for _, id := range ids {
		v, _ := r.Value(id, sai.ACLRangeAttrLimit.AttrMeta)
		limit, _ := v.Ref.(sai.U32Range)
		to := forwarding.Range{Min: uint16(min(limit.Min, math.MaxUint16)), Max: uint16(min(limit.Max, math.MaxUint16))}
		switch sai.ACLRangeType(r.Num(id, sai.ACLRangeAttrType.AttrMeta)) {
		case sai.ACLRangeTypeL4SrcPortRange:
			m.SrcPort = to
		case sai.ACLRangeTypeL4DstPortRange:
			m.DstPort = to
		default:
			return false
		}
	}
	return true
}

// portsOf finds the slots of ports. The result is never nil, because nil means all
// ports.
func (r *reader) portsOf(v sai.Value) []int {
	ids, isList := v.Ref.([]sai.OID)
	if !isList {
		ids = []sai.OID{sai.OID(v.Num)}
	}
	out := []int{}
	for _, id := range ids {
		if i, ok := r.d.owner[id]; ok {
			out = append(out, i)
		}
	}
	return out
}

// do adds an action; false: the dataplane cannot do it.
func (r *reader) do(d *forwarding.Actions, a *sai.AttrMeta, v sai.Value) bool {
	switch a {
	case sai.ACLEntryAttrActionPacketAction.AttrMeta:
		switch sai.PacketAction(v.Num) {
		case sai.PacketActionDrop, sai.PacketActionDeny:
			d.Verdict = forwarding.Drop
		case sai.PacketActionForward, sai.PacketActionTransit:
			d.Verdict = forwarding.Forward
		case sai.PacketActionTrap:
			d.Verdict = forwarding.Trap
		default:
			return false
		}
	case sai.ACLEntryAttrActionRedirect.AttrMeta:
		to := r.target(sai.OID(v.Num))
		if i, ok := r.d.owner[sai.OID(v.Num)]; ok {
			to = forwarding.Target{Action: forwarding.ToPort, Port: i}
		}
		d.Redirect = &to
	case sai.ACLEntryAttrActionSetTC.AttrMeta:
		d.TC = forwarding.Set{On: true, To: uint8(v.Num)}
	case sai.ACLEntryAttrActionSetDSCP.AttrMeta:
		d.DSCP = forwarding.Set{On: true, To: uint8(v.Num)}
	case sai.ACLEntryAttrActionSetACLMetaData.AttrMeta:
		d.Meta = forwarding.Bits{Value: uint32(v.Num), Mask: math.MaxUint32}
	case sai.ACLEntryAttrActionCounter.AttrMeta:
		d.Count = r.d.counters[sai.OID(v.Num)]
	default:
		return false
	}
	return true
}

// counter returns the counter of an entry; null: none.
func (r *reader) counter(entry sai.OID) sai.OID {
	v, _ := r.Value(entry, sai.ACLEntryAttrActionCounter.AttrMeta)
	p, _ := v.Ref.(sai.ParamValue)
	return sai.OID(p.Num)
}

// readCounters makes a dataplane counter for each counter of the chip, and returns the
// new ones.
func (r *reader) readCounters() (added []sai.OID) {
	there := map[sai.OID]*dataplane.Counter{}
	for _, id := range r.Objects(sai.ACLCounter{}) {
		c := r.d.counters[id]
		if c == nil {
			c = &dataplane.Counter{}
			added = append(added, id)
		}
		there[id] = c
	}
	r.d.counters = there
	return added
}

// aclMeter reads an ACL counter, whose values are attributes.
type aclMeter struct{ *dataplane.Counter }

func (aclMeter) Count(uint32) (uint64, vsai.StatKind) { return 0, vsai.NotCounted }

func (aclMeter) Clear(uint32) {}

func (m aclMeter) State(a *sai.AttrMeta) (uint64, bool) {
	switch a {
	case sai.ACLCounterAttrPackets.AttrMeta:
		return m.Packets, true
	case sai.ACLCounterAttrBytes.AttrMeta:
		return m.Bytes, true
	}
	return 0, false
}
