package bridge

import (
	"cmp"
	"net/netip"
	"reflect"
	"slices"

	"xon/sai"
	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// forwardingTypes are the object types that affect forwarding.
var forwardingTypes = map[sai.ObjectType]bool{
	sai.ObjectTypeVLAN: true, sai.ObjectTypeVLANMember: true, sai.ObjectTypeBridgePort: true, sai.ObjectTypeFDBEntry: true,
	sai.ObjectTypeRouterInterface: true, sai.ObjectTypeNeighborEntry: true, sai.ObjectTypeNextHop: true,
	sai.ObjectTypeNextHopGroup: true, sai.ObjectTypeNextHopGroupMember: true, sai.ObjectTypeRouteEntry: true,
	sai.ObjectTypeACLTable: true, sai.ObjectTypeACLEntry: true, sai.ObjectTypeACLCounter: true, sai.ObjectTypeACLRange: true,
	sai.ObjectTypeACLTableGroup: true, sai.ObjectTypeACLTableGroupMember: true,
	sai.ObjectTypeHash: true, sai.ObjectTypePort: true, sai.ObjectTypeSwitch: true,
}

// fdbKey is a MAC address in a VLAN.
type fdbKey struct {
	vlan uint16
	mac  dataplane.MAC
}

// neighbourKey is an address at an interface.
type neighbourKey struct {
	at   forwarding.ID
	addr netip.Addr
}

// routeKey is a prefix in a VRF.
type routeKey struct {
	vrf forwarding.ID
	to  netip.Prefix
}

// fib is the content of all forwarding tables.
type fib struct {
	ports      entries[int, forwarding.Port]
	vlans      entries[uint16, forwarding.VLAN]
	fdb        entries[fdbKey, int]
	interfaces entries[forwarding.ID, forwarding.Interface]
	neighbours entries[neighbourKey, dataplane.MAC]
	nextHops   entries[forwarding.ID, forwarding.NextHop]
	groups     entries[forwarding.ID, []forwarding.Member]
	routes     entries[routeKey, forwarding.Target]
	acls       entries[forwarding.ID, accessList]
	hashes     [2]forwarding.Hash // IPv4, IPv6
}

func newFIB() *fib {
	return &fib{
		ports: entries[int, forwarding.Port]{}, vlans: entries[uint16, forwarding.VLAN]{}, fdb: entries[fdbKey, int]{},
		interfaces: entries[forwarding.ID, forwarding.Interface]{}, neighbours: entries[neighbourKey, dataplane.MAC]{},
		nextHops: entries[forwarding.ID, forwarding.NextHop]{}, groups: entries[forwarding.ID, []forwarding.Member]{},
		routes: entries[routeKey, forwarding.Target]{}, acls: entries[forwarding.ID, accessList]{},
	}
}

// entries are those of one table.
type entries[K comparable, V any] map[K]V

// sync makes a table contain want. It removes first, because a new entry may take the
// place of a removed one; otherwise order does not matter. An entry that cannot be set
// is removed from the table and from want, so that the next sync tries it again.
func (want entries[K, V]) sync(have entries[K, V], set func(K, V) error, remove func(K)) (err error) {
	for k := range have {
		if _, ok := want[k]; !ok {
			remove(k)
		}
	}
	for k, v := range want {
		if was, ok := have[k]; ok && reflect.DeepEqual(was, v) {
			continue
		}
		if e := set(k, v); e != nil {
			err = cmp.Or(err, e)
			remove(k)
			delete(want, k)
		}
	}
	return err
}

// apply applies the changes to the tables. It returns an error for entries that the
// chip accepts and the dataplane cannot carry out; all others apply.
func (w *fib) apply(t *forwarding.Tables, have *fib) (err error) {
	if w.hashes != have.hashes {
		t.SetHash(w.hashes[0], w.hashes[1])
	}
	for _, e := range []error{
		w.ports.sync(have.ports, t.SetPort, func(int) {}),
		w.vlans.sync(have.vlans, t.SetVLAN, t.RemoveVLAN),
		w.fdb.sync(have.fdb,
			func(s fdbKey, port int) error { return t.SetFDBEntry(s.vlan, s.mac, port) },
			func(s fdbKey) { t.RemoveFDBEntry(s.vlan, s.mac) }),
		w.interfaces.sync(have.interfaces, t.SetInterface, t.RemoveInterface),
		w.neighbours.sync(have.neighbours,
			func(n neighbourKey, mac dataplane.MAC) error { return t.SetNeighbour(n.at, n.addr, mac) },
			func(n neighbourKey) { t.RemoveNeighbour(n.at, n.addr) }),
		w.nextHops.sync(have.nextHops, t.SetNextHop, t.RemoveNextHop),
		w.groups.sync(have.groups, t.SetGroup, t.RemoveGroup),
		w.routes.sync(have.routes,
			func(r routeKey, to forwarding.Target) error { return t.SetRoute(r.vrf, r.to, to) },
			func(r routeKey) { t.RemoveRoute(r.vrf, r.to) }),
		w.acls.sync(have.acls, func(id forwarding.ID, l accessList) error { return t.SetACL(id, l.ACL) }, t.RemoveACL),
	} {
		if err == nil {
			err = e
		}
	}
	return err
}

// readFIB reads the content of all forwarding tables.
func (r *reader) readFIB() *fib {
	w := newFIB()
	for i := range r.d.slots {
		w.ports[i] = r.ingress(r.d.slots[i].port)
	}
	r.readBridge(w)
	r.readRouting(w)
	algorithm := hashAlgorithms[sai.HashAlgorithm(r.Num(r.sw, sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta))]
	for i, of := range []*sai.AttrMeta{sai.SwitchAttrECMPHashIPv4.AttrMeta, sai.SwitchAttrECMPHashIPv6.AttrMeta} {
		id := sai.OID(r.Num(r.sw, of))
		if id == 0 {
			v, _ := r.Reported(r.sw, sai.SwitchAttrECMPHash.AttrMeta)
			id = sai.OID(v.Num)
		}
		w.hashes[i] = forwarding.Hash{
			Fields: r.hashFields(id), Algorithm: algorithm, Seed: uint32(r.Num(r.sw, sai.SwitchAttrECMPDefaultHashSeed.AttrMeta)),
			Offset: uint8(r.Num(r.sw, sai.SwitchAttrECMPDefaultHashOffset.AttrMeta)),
		}
	}
	return w
}

// ingress reads the ingress configuration of a port.
func (r *reader) ingress(port sai.OID) forwarding.Port {
	if port == 0 {
		return forwarding.Port{}
	}
	return forwarding.Port{
		PVID:         uint16(r.Num(port, sai.PortAttrPortVLANID.AttrMeta)),
		DropUntagged: r.Num(port, sai.PortAttrDropUntagged.AttrMeta) != 0,
		DropTagged:   r.Num(port, sai.PortAttrDropTagged.AttrMeta) != 0,
		Meta:         uint32(r.Num(port, sai.PortAttrMetaData.AttrMeta)),
	}
}

// readBridge reads VLANs, their members and static FDB entries.
func (r *reader) readBridge(w *fib) {
	floodDisabled := func(vlan sai.OID, a *sai.AttrMeta) bool {
		return sai.VLANFloodControlType(r.Num(vlan, a)) == sai.VLANFloodControlTypeNone
	}
	for _, id := range r.Objects(sai.VLAN{}) {
		w.vlans[r.vlan(id)] = forwarding.VLAN{
			NoLearning:  r.Num(id, sai.VLANAttrLearnDisable.AttrMeta) != 0,
			NoUnknown:   floodDisabled(id, sai.VLANAttrUnknownUnicastFloodControlType.AttrMeta),
			NoMulticast: floodDisabled(id, sai.VLANAttrUnknownMulticastFloodControlType.AttrMeta),
			NoBroadcast: floodDisabled(id, sai.VLANAttrBroadcastFloodControlType.AttrMeta),
		}
	}
	for _, m := range r.Objects(sai.VLANMember{}) {
		id := r.vlan(sai.OID(r.Num(m, sai.VLANMemberAttrVLANID.AttrMeta)))
		port, ok := r.portOf(sai.OID(r.Num(m, sai.VLANMemberAttrBridgePortID.AttrMeta)))
		v, known := w.vlans[id]
		if !ok || !known || slices.Contains(v.Tagged, port) || slices.Contains(v.Untagged, port) {
			continue
		}
		if sai.VLANTaggingMode(r.Num(m, sai.VLANMemberAttrVLANTaggingMode.AttrMeta)) == sai.VLANTaggingModeUntagged {
			v.Untagged = append(v.Untagged, port)
		} else {
			v.Tagged = append(v.Tagged, port)
		}
		w.vlans[id] = v
	}
	for _, b := range r.Objects(sai.BridgePort{}) {
		if port, ok := r.portOf(b); ok && sai.BridgePortFDBLearningMode(r.Num(b, sai.BridgePortAttrFDBLearningMode.AttrMeta)) == sai.BridgePortFDBLearningModeDisable {
			p := w.ports[port]
			p.NoLearning = true
			w.ports[port] = p
		}
	}
	for _, e := range r.Entries(sai.FDBEntry{}) {
		key, _ := sai.EntryOf[sai.FDBEntry](e.Key())
		if port, ok := r.portOf(sai.OID(e.Num(sai.FDBEntryAttrBridgePortID.AttrMeta))); ok {
			w.fdb[fdbKey{r.vlan(key.BvID), dataplane.MAC(key.MACAddress)}] = port
		}
	}
}

func (r *reader) vlan(id sai.OID) uint16 { return uint16(r.Num(id, sai.VLANAttrVLANID.AttrMeta)) }

// portOf finds the port of a bridge port that is enabled.
func (r *reader) portOf(bridgePort sai.OID) (int, bool) {
	if r.Num(bridgePort, sai.BridgePortAttrAdminState.AttrMeta) == 0 {
		return 0, false
	}
	i, ok := r.d.owner[sai.OID(r.Num(bridgePort, sai.BridgePortAttrPortID.AttrMeta))]
	return i, ok
}

// readRouting reads router interfaces, neighbours, next hops and routes.
func (r *reader) readRouting(w *fib) {
	for _, id := range r.Objects(sai.RouterInterface{}) {
		if i, ok := r.routerInterface(id); ok {
			w.interfaces[forwarding.ID(id)] = i
		}
	}
	for _, e := range r.Entries(sai.NeighborEntry{}) {
		key, _ := sai.EntryOf[sai.NeighborEntry](e.Key())
		v, _ := e.Value(sai.NeighborEntryAttrDstMACAddress.AttrMeta)
		if mac, ok := v.Ref.(sai.MAC); ok {
			w.neighbours[neighbourKey{forwarding.ID(key.RifID), key.IPAddress.Netip()}] = dataplane.MAC(mac)
		}
	}
	for _, id := range r.Objects(sai.NextHop{}) {
		v, _ := r.Value(id, sai.NextHopAttrIP.AttrMeta)
		if a, ok := v.Ref.(netip.Addr); ok {
			w.nextHops[forwarding.ID(id)] = forwarding.NextHop{Interface: forwarding.ID(r.Num(id, sai.NextHopAttrRouterInterfaceID.AttrMeta)), Addr: a}
		}
	}
	for _, id := range r.Objects(sai.NextHopGroup{}) {
		w.groups[forwarding.ID(id)] = nil
	}
	for _, m := range r.Objects(sai.NextHopGroupMember{}) {
		id := forwarding.ID(r.Num(m, sai.NextHopGroupMemberAttrNextHopGroupID.AttrMeta))
		w.groups[id] = append(w.groups[id], forwarding.Member{
			NextHop: forwarding.ID(r.Num(m, sai.NextHopGroupMemberAttrNextHopID.AttrMeta)),
			Weight:  max(int(r.Num(m, sai.NextHopGroupMemberAttrWeight.AttrMeta)), 1),
		})
	}
	for _, e := range r.Entries(sai.RouteEntry{}) {
		key, _ := sai.EntryOf[sai.RouteEntry](e.Key())
		to := r.target(sai.OID(e.Num(sai.RouteEntryAttrNextHopID.AttrMeta)))
		switch sai.PacketAction(e.Num(sai.RouteEntryAttrPacketAction.AttrMeta)) {
		case sai.PacketActionForward, sai.PacketActionTransit, sai.PacketActionCopy, sai.PacketActionLog:
		case sai.PacketActionTrap:
			to = forwarding.Target{Action: forwarding.ToCPU}
		default:
			to = forwarding.Target{}
		}
		w.routes[routeKey{forwarding.ID(key.VrID), key.Destination.Netip()}] = to
	}
}

// routerInterface reads a router interface; false: it cannot receive packets.
func (r *reader) routerInterface(id sai.OID) (i forwarding.Interface, ok bool) {
	i.VRF = forwarding.ID(r.Num(id, sai.RouterInterfaceAttrVirtualRouterID.AttrMeta))
	mac, _ := r.Value(id, sai.RouterInterfaceAttrSrcMACAddress.AttrMeta)
	if mac.Ref == nil {
		mac, _ = r.Reported(r.sw, sai.SwitchAttrSrcMACAddress.AttrMeta)
	}
	if m, is := mac.Ref.(sai.MAC); is {
		i.MAC = dataplane.MAC(m)
	}
	i.Port, ok = r.d.owner[sai.OID(r.Num(id, sai.RouterInterfaceAttrPortID.AttrMeta))]
	switch sai.RouterInterfaceType(r.Num(id, sai.RouterInterfaceAttrType.AttrMeta)) {
	case sai.RouterInterfaceTypePort:
	case sai.RouterInterfaceTypeSubPort:
		i.VLAN = uint16(r.Num(id, sai.RouterInterfaceAttrOuterVLANID.AttrMeta))
	case sai.RouterInterfaceTypeVLAN:
		i.Port, i.VLAN, ok = -1, r.vlan(sai.OID(r.Num(id, sai.RouterInterfaceAttrVLANID.AttrMeta))), true
	default:
		ok = false
	}
	return i, ok
}

// target returns the forwarding target for the object that a route refers to.
func (r *reader) target(id sai.OID) forwarding.Target {
	switch r.TypeOf(id) {
	case sai.ObjectTypePort:
		if id == r.CPU() {
			return forwarding.Target{Action: forwarding.ToCPU}
		}
	case sai.ObjectTypeRouterInterface:
		return forwarding.Target{Action: forwarding.ToInterface, ID: forwarding.ID(id)}
	case sai.ObjectTypeNextHop:
		return forwarding.Target{Action: forwarding.ToNextHop, ID: forwarding.ID(id)}
	case sai.ObjectTypeNextHopGroup:
		return forwarding.Target{Action: forwarding.ToGroup, ID: forwarding.ID(id)}
	default:
	}
	return forwarding.Target{}
}

// hashAlgorithms are SAI's algorithms; missing ones are Mixed.
var hashAlgorithms = map[sai.HashAlgorithm]forwarding.Algorithm{
	sai.HashAlgorithmCrc: forwarding.CRC, sai.HashAlgorithmXor: forwarding.XOR, sai.HashAlgorithmRandom: forwarding.Mixed,
	sai.HashAlgorithmCrc32lo: forwarding.CRC, sai.HashAlgorithmCrc32hi: forwarding.CRC, sai.HashAlgorithmCrcCcitt: forwarding.CRC,
	sai.HashAlgorithmCrcXor: forwarding.CRC,
}

// hashFields are the fields that dataplane packets have.
var hashFields = map[sai.NativeHashField]forwarding.Fields{
	sai.NativeHashFieldSrcIP: forwarding.FieldSrcIP, sai.NativeHashFieldDstIP: forwarding.FieldDstIP,
	sai.NativeHashFieldSrcIPv4: forwarding.FieldSrcIP, sai.NativeHashFieldDstIPv4: forwarding.FieldDstIP,
	sai.NativeHashFieldSrcIPv6: forwarding.FieldSrcIP, sai.NativeHashFieldDstIPv6: forwarding.FieldDstIP,
	sai.NativeHashFieldIPProtocol: forwarding.FieldProtocol, sai.NativeHashFieldL4SrcPort: forwarding.FieldSrcPort,
	sai.NativeHashFieldL4DstPort: forwarding.FieldDstPort, sai.NativeHashFieldSrcMAC: forwarding.FieldSrcMAC,
	sai.NativeHashFieldDstMAC: forwarding.FieldDstMAC, sai.NativeHashFieldEthertype: forwarding.FieldEtherType,
	sai.NativeHashFieldVLANID: forwarding.FieldVLAN, sai.NativeHashFieldInPort: forwarding.FieldInPort,
	sai.NativeHashFieldRdmaBthOpcode: forwarding.FieldOpcode, sai.NativeHashFieldRdmaBthDestQp: forwarding.FieldQP,
}

// hashFields reads the fields of a hash object.
func (r *reader) hashFields(hash sai.OID) (f forwarding.Fields) {
	v, _ := r.Value(hash, sai.HashAttrNativeHashFieldList.AttrMeta)
	list, _ := v.Ref.([]int32)
	for _, n := range list {
		f |= hashFields[sai.NativeHashField(n)]
	}
	return f
}
