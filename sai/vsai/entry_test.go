package vsai_test

import (
	"net/netip"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

func route(b *bench, prefix string) sai.RouteEntry {
	return sai.RouteEntry{SwitchID: b.sw.ID.OID(), VrID: b.vr.OID(), Destination: sai.PrefixOf(netip.MustParsePrefix(prefix))}
}

// TestEntries: objects that are named by a struct work as the others do, and the
// objects in their names are in use.
func TestEntries(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	r := route(b, "10.1.0.0/16")
	if err := sai.CreateEntry(b.sw, r, sai.RouteEntryAttrNextHopID.Is(b.rif.OID())); err != nil {
		t.Fatal(err)
	}
	if err := sai.CreateEntry(b.sw, r); !errorIs(err, sai.StatusItemAlreadyExists) {
		t.Error(err)
	}
	if id := must[sai.OID](t)(sai.Get(b.sw, r, sai.RouteEntryAttrNextHopID)); id != b.rif.OID() {
		t.Error(id)
	}
	if a := must[sai.PacketAction](t)(sai.Get(b.sw, r, sai.RouteEntryAttrPacketAction)); a != sai.PacketActionForward {
		t.Error(a)
	}
	fdb := sai.FDBEntry{SwitchID: b.sw.ID.OID(), BvID: b.vlan.OID(), MACAddress: sai.MAC{2}}
	if err := sai.CreateEntry(b.sw, fdb, sai.FDBEntryAttrType.Is(sai.FDBEntryTypeStatic)); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{sai.Remove(b.sw, b.vr), sai.Remove(b.sw, b.rif), sai.Remove(b.sw, b.vlan)} {
		if !errorIs(err, sai.StatusObjectInUse) {
			t.Error(err)
		}
	}
	keys := objects(t, b.sw, sai.RouteEntry{})
	if len(keys) != 1 || string(keys[0].Entry) != string(sai.Bytes(r)) {
		t.Error(keys)
	}
	if err := b.c.Recount(); err != nil {
		t.Error(err)
	}
	for _, err := range []error{sai.Remove(b.sw, r), sai.Remove(b.sw, fdb), sai.Remove(b.sw, b.rif), sai.Remove(b.sw, b.vr), sai.Remove(b.sw, b.vlan)} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := sai.Remove(b.sw, r); !errorIs(err, sai.StatusItemNotFound) {
		t.Error(err)
	}
}

func TestBadEntries(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	other := route(b, "10.0.0.0/8")
	other.SwitchID++
	noVR := route(b, "10.0.0.0/8")
	noVR.VrID = b.vlan.OID()
	before := b.c.Dump()
	for _, r := range []sai.RouteEntry{other, noVR} {
		if err := sai.CreateEntry(b.sw, r); !errorIs(err, sai.StatusInvalidParameter) {
			t.Error(err)
		}
	}
	short := sai.Key{Entry: make([]byte, 5)}
	if _, st := b.sw.Create(sai.RouteEntry{}.Meta(), b.sw.ID.OID(), short, nil); st != sai.StatusInvalidParameter {
		t.Error(st)
	}
	if st := b.sw.Set(sai.RouteEntry{}.Meta(), short, sai.RouteEntryAttrMetaData.Is(1).Attribute); st != sai.StatusItemNotFound {
		t.Error(st)
	}
	if b.c.Dump() != before {
		t.Error("a failed call changed something")
	}
}

// TestMembers: lists of members follow the members.
func TestMembers(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	other := sai.ID[sai.Port](b.c.Ports()[1])
	unbridge(t, b.sw, other)
	bp := must[sai.ID[sai.BridgePort]](t)(sai.Create(b.sw, sai.BridgePortAttrType.Is(sai.BridgePortTypePort), sai.BridgePortAttrPortID.Is(other.OID())))
	m := must[sai.ID[sai.VLANMember]](t)(sai.Create(b.sw, sai.VLANMemberAttrVLANID.Is(b.vlan), sai.VLANMemberAttrBridgePortID.Is(bp)))
	list := must[[]sai.ID[sai.VLANMember]](t)(sai.Get(b.sw, b.vlan, sai.VLANAttrMemberList))
	if len(list) != 1 || list[0] != m {
		t.Error(list)
	}
	if err := sai.Remove(b.sw, m); err != nil {
		t.Fatal(err)
	}
	if list = must[[]sai.ID[sai.VLANMember]](t)(sai.Get(b.sw, b.vlan, sai.VLANAttrMemberList)); len(list) != 0 {
		t.Error(list)
	}
}
