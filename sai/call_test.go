package sai_test

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"xon/sai"
)

// fake is a driver that answers with what a test put into it. Calls that it has
// no answer for panic.
type fake struct {
	sai.Driver
	status sai.Status
	stored map[*sai.AttrMeta]sai.Value
	stats  func(id sai.OID) sai.Status // of one object
	bulk   func(ids []sai.OID, st []sai.Status) sai.Status
	calls  []string
}

func (f *fake) Create(o *sai.ObjectMeta, _ sai.OID, _ sai.Key, attrs []sai.Attribute) (sai.OID, sai.Status) {
	f.calls = append(f.calls, "create "+o.Name)
	for _, a := range attrs {
		f.stored[a.AttrMeta] = a.Value
	}
	return 0x77, f.status
}

func (f *fake) Remove(*sai.ObjectMeta, sai.Key) sai.Status { return f.status }

func (f *fake) Set(_ *sai.ObjectMeta, _ sai.Key, a sai.Attribute) sai.Status {
	f.calls = append(f.calls, "set "+a.String())
	f.stored[a.AttrMeta] = a.Value
	return f.status
}

func (f *fake) Get(_ *sai.ObjectMeta, _ sai.Key, attrs []sai.Attribute) sai.Status {
	for i := range attrs {
		attrs[i].Value = f.stored[attrs[i].AttrMeta]
	}
	return f.status
}

func (f *fake) Stats(_ *sai.ObjectMeta, k sai.Key, ids []uint32, mode sai.StatsMode, out []uint64) sai.Status {
	f.calls = append(f.calls, fmt.Sprintf("stats %s %s", k.OID, mode))
	for i, id := range ids {
		out[i] = uint64(k.OID)*100 + uint64(id)
	}
	if f.stats == nil {
		return f.status
	}
	return f.stats(k.OID)
}

func (f *fake) BulkStats(_ *sai.ObjectMeta, _ sai.OID, keys []sai.OID, ids []uint32, mode sai.StatsMode, st []sai.Status, out []uint64) sai.Status {
	f.calls = append(f.calls, "bulk "+mode.String())
	for i, k := range keys {
		for j, id := range ids {
			out[i*len(ids)+j] = uint64(k)*100 + uint64(id)
		}
	}
	return f.bulk(keys, st)
}

func (f *fake) AttrCapability(sai.OID, *sai.ObjectMeta, uint32) (create, set, get bool, st sai.Status) {
	return true, false, true, f.status
}

func (f *fake) EnumCapability(sai.OID, *sai.ObjectMeta, uint32) ([]int32, sai.Status) {
	return []int32{0, 2}, f.status
}

func (f *fake) StatsCapability(sai.OID, *sai.ObjectMeta) ([]sai.StatCapability, sai.Status) {
	return []sai.StatCapability{{StatEnum: uint32(sai.QueueStatPackets), StatModes: uint32(sai.StatsModeRead | sai.StatsModeBulkRead)}}, f.status
}

func newFake() (*fake, *sai.Switch) {
	f := &fake{stored: map[*sai.AttrMeta]sai.Value{}}
	return f, &sai.Switch{Driver: f, ID: 0x21}
}

// roundTrip sets an attribute and gets it back.
func roundTrip[O sai.Object, V any](t *testing.T, attr sai.Attr[O, V], v V) {
	t.Helper()
	_, sw := newFake()
	if err := sai.Set(sw, sai.ID[O](1), attr.Is(v)); err != nil {
		t.Fatal(err)
	}
	got, err := sai.Get(sw, sai.ID[O](1), attr)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(v) {
		t.Errorf("%s is %v, %v, want %v", attr.AttrMeta.FullName(), got, err, v)
	}
}

// Values of every shape come back through the typed calls.
func TestTypedValues(t *testing.T) {
	t.Parallel()
	roundTrip(t, sai.PortAttrAdminState, true)
	roundTrip(t, sai.PortAttrPriorityFlowControl, 255)
	roundTrip(t, sai.PortAttrPortVLANID, 4094)
	roundTrip(t, sai.PortAttrSpeed, 800000)
	roundTrip(t, sai.BufferPoolAttrSize, 1<<40)
	roundTrip(t, sai.BufferProfileAttrSharedDynamicTH, -8)
	roundTrip(t, sai.QueueAttrType, sai.QueueTypeMulticast)
	roundTrip(t, sai.QueueAttrWredProfileID, 0x1300000000000a)
	roundTrip(t, sai.PortAttrHwLaneList, []uint32{1, 2})
	roundTrip(t, sai.PortAttrQoSIngressBufferProfileList, []sai.ID[sai.BufferProfile]{1, 2})
	roundTrip(t, sai.HashAttrNativeHashFieldList, []sai.NativeHashField{sai.NativeHashFieldSrcIP})
	roundTrip(t, sai.HostifAttrName, "Ethernet0")
	roundTrip(t, sai.SwitchAttrSrcMACAddress, sai.MAC{1, 2, 3, 4, 5, 6})
	roundTrip(t, sai.MirrorSessionAttrDstIPAddress, netip.MustParseAddr("2001:db8::1"))
	roundTrip(t, sai.ACLRangeAttrLimit, sai.U32Range{Min: 1, Max: 2})
	roundTrip(t, sai.QoSMapAttrMapToValueList, []sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: 3}}})
	roundTrip(t, sai.ACLEntryAttrFieldTC, sai.Match[uint8]{Data: 3, Mask: 7})
	roundTrip(t, sai.ACLEntryAttrFieldSrcMAC, sai.Match[sai.MAC]{Data: sai.MAC{1}, Mask: sai.MAC{255}})
	roundTrip(t, sai.ACLEntryAttrActionPacketAction, sai.PacketActionDrop)
	roundTrip(t, sai.ACLEntryAttrActionSetTC, 5)
	roundTrip(t, sai.ACLEntryAttrActionRedirectList, []sai.OID{1, 2})
	roundTrip(t, sai.PortSerdesAttrTxFirTapsList, [][]int32{{1, -2}, {3}})
	roundTrip(t, sai.SwitchAttrACLCapability, sai.ACLCapability{Actions: []sai.ACLActionType{1}})
}

// What is disabled or empty reads as the zero value.
func TestZeroValues(t *testing.T) {
	t.Parallel()
	_, sw := newFake()
	id := sai.ID[sai.ACLEntry](1)
	if v, err := sai.Get(sw, id, sai.ACLEntryAttrActionSetTC); err != nil || v != 0 {
		t.Errorf("a disabled action reads as %v, %v", v, err)
	}
	if v, err := sai.Get(sw, id, sai.ACLEntryAttrFieldTC); err != nil || v != (sai.Match[uint8]{}) {
		t.Errorf("a disabled field reads as %v, %v", v, err)
	}
	if v, err := sai.Get(sw, id, sai.ACLEntryAttrFieldInPorts); err != nil || v.Data != nil {
		t.Errorf("a disabled list reads as %v, %v", v, err)
	}
}

// An error names the operation, the object, the attribute and the status.
func TestErrors(t *testing.T) {
	t.Parallel()
	f, sw := newFake()
	queue := sai.ID[sai.Queue](0x15)
	pool, size := sai.BufferProfileAttrPoolID.Is(1), sai.BufferProfileAttrReservedBufferSize.Is(2)
	for _, c := range []struct {
		status sai.Status
		call   func() error
		want   string
		is     sai.Status
		attr   *sai.AttrMeta
	}{
		{sai.StatusTableFull, func() error { return sai.Remove(sw, queue) }, "sai: remove queue oid:0x15: table full", sai.StatusTableFull, nil},
		{sai.StatusInvalidAttrValue0 - 1, func() error { _, err := sai.Create(sw, pool, size); return err }, "sai: create buffer_profile: RESERVED_BUFFER_SIZE: invalid attr value", sai.StatusInvalidAttrValue0, size.AttrMeta},
		{sai.StatusInvalidAttrValue0 + 1, func() error { _, err := sai.Create(sw, pool, size); return err }, "sai: create buffer_profile: RESERVED_BUFFER_SIZE: invalid attr value", sai.StatusInvalidAttrValue0, size.AttrMeta},
		{sai.StatusInvalidAttrValue0 - 9, func() error { _, err := sai.Create(sw, pool, size); return err }, "sai: create buffer_profile: invalid attr value 9", sai.StatusInvalidAttrValue0, nil},
		{sai.StatusMandatoryAttributeMissing, func() error { _, err := sai.Create(sw, size); return err }, "sai: create buffer_profile: POOL_ID: mandatory attribute missing", sai.StatusMandatoryAttributeMissing, pool.AttrMeta},
		{sai.StatusObjectInUse, func() error { return sai.Set(sw, queue, sai.QueueAttrWredProfileID.None()) }, "sai: set queue oid:0x15: WRED_PROFILE_ID: object in use", sai.StatusObjectInUse, sai.QueueAttrWredProfileID.AttrMeta},
		{sai.StatusNotSupported, func() error { _, err := sai.Get(sw, queue, sai.QueueAttrType); return err }, "sai: get queue oid:0x15: TYPE: not supported", sai.StatusNotSupported, sai.QueueAttrType.AttrMeta},
		{sai.StatusFailure, func() error {
			return sai.Stats(sw, queue, []sai.Stat[sai.Queue]{0}, make([]uint64, 1))
		}, "sai: get stats of queue oid:0x15: failure", sai.StatusFailure, nil},
		{sai.StatusFailure, func() error { return sai.CreateEntry(sw, sai.RouteEntry{}) }, "sai: create route_entry: failure", sai.StatusFailure, nil},
		{sai.StatusNotImplemented, func() error { _, err := sai.Supported(sw, sai.QueueAttrType); return err }, "sai: query queue: TYPE: not implemented", sai.StatusNotImplemented, sai.QueueAttrType.AttrMeta},
		{sai.StatusNotImplemented, func() error { _, err := sai.SupportedValues(sw, sai.QueueAttrType); return err }, "sai: query values of queue: TYPE: not implemented", sai.StatusNotImplemented, sai.QueueAttrType.AttrMeta},
		{sai.StatusNotImplemented, func() error { _, err := sai.SupportedStats[sai.Queue](sw); return err }, "sai: query stats of queue: not implemented", sai.StatusNotImplemented, nil},
	} {
		f.status = c.status
		err := c.call()
		var e *sai.Error
		if !errors.As(err, &e) || e.Error() != c.want || e.Attr != c.attr || !errors.Is(err, c.is) || errors.Is(err, sai.StatusNoMemory) || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestSupport(t *testing.T) {
	t.Parallel()
	_, sw := newFake()
	if s, err := sai.Supported(sw, sai.QueueAttrType); err != nil || s != (sai.Support{Create: true, Get: true}) {
		t.Errorf("Supported = %+v, %v", s, err)
	}
	if v, err := sai.SupportedValues(sw, sai.QueueAttrType); err != nil || len(v) != 2 || v[1] != 2 {
		t.Errorf("SupportedValues = %v, %v", v, err)
	}
	if s, err := sai.SupportedStats[sai.Queue](sw); err != nil || len(s) != 1 || s[sai.QueueStatPackets]&sai.StatsModeBulkRead == 0 {
		t.Errorf("SupportedStats = %v, %v", s, err)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	f, sw := newFake()
	id, err := sai.Create(sw, sai.SchedulerAttrSchedulingWeight.Is(5))
	if err != nil || id != 0x77 || f.calls[0] != "create scheduler" {
		t.Errorf("Create = %v, %v, %v", id, err, f.calls)
	}
	prefix := netip.MustParsePrefix("10.1.2.3/20")
	if err := sai.CreateEntry(sw, sai.RouteEntry{SwitchID: 0x21, Destination: sai.PrefixOf(prefix)}); err != nil {
		t.Error(err)
	}
	if err := sai.Remove(sw, id); err != nil {
		t.Error(err)
	}
	out := make([]uint64, 2)
	if err := sai.Stats(sw, sai.ID[sai.Queue](3), []sai.Stat[sai.Queue]{1, 2}, out); err != nil || out[0] != 301 || out[1] != 302 {
		t.Errorf("Stats = %v, %v", out, err)
	}
	want := sai.IPPrefix{Addr: [4]uint32{0x0000010a}, Mask: [4]uint32{0x00f0ffff}}
	if got := sai.PrefixOf(prefix); got != want {
		t.Errorf("PrefixOf(%s) = %x, want %x", prefix, got, want)
	}
	if got := sai.PrefixOf(netip.MustParsePrefix("2001:db8::/33")); got.AddrFamily != sai.IPAddrFamilyIPv6 || got.Mask != [4]uint32{0xffffffff, 0x80} {
		t.Errorf("PrefixOf = %x", got)
	}
}
