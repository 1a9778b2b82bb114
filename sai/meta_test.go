package sai_test

import (
	"cmp"
	"slices"
	"testing"

	"xon/sai"
)

// Every object type, attribute and counter is found by its number and by both of
// its names.
func TestLookups(t *testing.T) {
	t.Parallel()
	for _, o := range sai.Objects {
		if sai.ByType(o.Type) != o {
			t.Errorf("ByType(%s) is not it", o.Type)
		}
		if typ, ok := sai.ObjectTypeByName(o.Type.FullName()); !ok || typ != o.Type {
			t.Errorf("ObjectTypeByName(%s) = %v", o.Type.FullName(), typ)
		}
		if !slices.IsSortedFunc(o.Attrs, func(a, b *sai.AttrMeta) int { return cmp.Compare(a.ID, b.ID) }) {
			t.Errorf("attributes of %s are not in order", o.Name)
		}
		for _, a := range o.Attrs {
			if o.Attr(a.ID) != a || o.AttrByName(a.Name) != a || o.AttrByName(a.FullName()) != a {
				t.Errorf("%s is not found", a.FullName())
			}
		}
		for i := range o.Stats {
			s := &o.Stats[i]
			if o.Stat(s.ID) != s || o.StatByName(s.Name) != s || o.StatByName(s.FullName()) != s {
				t.Errorf("%s is not found", s.FullName())
			}
		}
	}
}

func TestLookupsOfNothing(t *testing.T) {
	t.Parallel()
	o := sai.Queue{}.Meta()
	if o.Attr(9999) != nil || o.AttrByName("NOTHING") != nil || o.AttrByName("") != nil {
		t.Error("an attribute that is not there is found")
	}
	if o.Stat(9999) != nil || o.StatByName("NOTHING") != nil || (sai.Scheduler{}).Meta().StatByName("X") != nil {
		t.Error("a counter that is not there is found")
	}
	if sai.ByType(-1) != nil || sai.ByType(0) != nil || sai.ByType(1<<30) != nil {
		t.Error("an object type that is not there is found")
	}
	if _, ok := sai.ObjectTypeByName("NOTHING"); ok {
		t.Error("a name that is not there is found")
	}
}

func TestFullNames(t *testing.T) {
	t.Parallel()
	stat := sai.Port{}.Meta().Stat(uint32(sai.PortStatIfInOctets))
	for _, c := range [][2]string{
		{sai.QueueAttrBufferProfileID.AttrMeta.FullName(), "SAI_QUEUE_ATTR_BUFFER_PROFILE_ID"},
		{sai.BufferProfileAttrReservedBufferSize.AttrMeta.FullName(), "SAI_BUFFER_PROFILE_ATTR_RESERVED_BUFFER_SIZE"},
		{sai.ObjectTypeIngressPriorityGroup.FullName(), "SAI_OBJECT_TYPE_INGRESS_PRIORITY_GROUP"},
		{sai.ObjectTypeIngressPriorityGroup.String(), "INGRESS_PRIORITY_GROUP"},
		{sai.ObjectType(12345).FullName(), "12345"},
		{stat.FullName(), "SAI_PORT_STAT_IF_IN_OCTETS"},
		{sai.ID[sai.Queue](0x15).String(), "queue:0x15"},
		{sai.OID(0x15).String(), "oid:0x15"},
		{sai.Version(11803).String(), "1.18.3"},
		{sai.BufferProfileAttrSharedDynamicTH.Is(-2).String(), "SHARED_DYNAMIC_TH=-2"},
		{sai.QueueAttrType.Is(sai.QueueTypeMulticast).String(), "TYPE=MULTICAST"},
		{sai.PortAttrHwLaneList.Is([]uint32{1}).String(), "HW_LANE_LIST=1:1"},
		{sai.PortAttrHwLaneList.None().String(), "HW_LANE_LIST=0:null"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attr *sai.AttrMeta
		want string // as FormatNum has it; empty for none
	}{
		{sai.PortAttrAdminState.AttrMeta, "false"},
		{sai.PortAttrMTU.AttrMeta, "1514"},
		{sai.SchedulerAttrSchedulingType.AttrMeta, "WRR"},
		{sai.QueueAttrBufferProfileID.AttrMeta, "oid:0x0"},
		{sai.PortAttrPriorityFlowControlMode.AttrMeta, "COMBINED"},
		{sai.PortAttrQoSIngressBufferProfileList.AttrMeta, "0"},
		{sai.ACLEntryAttrFieldTC.AttrMeta, "0"},
		{sai.VLANMemberAttrVLANTaggingMode.AttrMeta, "UNTAGGED"},
		{sai.BufferProfileAttrSharedDynamicTH.AttrMeta, ""},
		{sai.SwitchAttrSrcMACAddress.AttrMeta, ""},
		{sai.HostifTrapAttrTrapGroup.AttrMeta, ""},
	} {
		n, ok := c.attr.DefaultNum()
		if ok != (c.want != "") || ok && c.attr.FormatNum(n) != c.want {
			t.Errorf("default of %s is %s, %v, want %q", c.attr.FullName(), c.attr.FormatNum(n), ok, c.want)
		}
	}
}

func TestElems(t *testing.T) {
	t.Parallel()
	data := append(sai.Bytes(sai.QueueDeadlockNotificationData{QueueID: 7, AppManagedRecovery: true}),
		sai.Bytes(sai.QueueDeadlockNotificationData{QueueID: 8})...)
	n := sai.Notification{NotifyMeta: sai.OnQueuePFCDeadlock, Data: data}
	got := sai.Elems[sai.QueueDeadlockNotificationData](n)
	if len(got) != 2 || got[0].QueueID != 7 || !got[0].AppManagedRecovery || got[1].QueueID != 8 {
		t.Errorf("Elems = %+v", got)
	}
	if sai.Elems[uint64](n) != nil {
		t.Error("the wrong type gives elements")
	}
	for i, m := range sai.Notifications {
		if m.Index != i || (sai.SwitchObject{}).Meta().Attr(m.Attr).Kind != sai.KindPointer {
			t.Errorf("notification %s is wrong: %+v", m.Name, m)
		}
	}
}

// TestCustomAttribute: xon's own attributes are found as those of SAI's headers are.
func TestCustomAttribute(t *testing.T) {
	a, o := sai.WredAttrXonMarkAtDequeue.AttrMeta, sai.Wred{}.Meta()
	if a.ID < 0x10000000 || o.Attr(a.ID) != a || o.AttrByName("XON_MARK_AT_DEQUEUE") != a || o.AttrByName("SAI_WRED_ATTR_XON_MARK_AT_DEQUEUE") != a {
		t.Error("not found by id or name")
	}
	for _, a := range o.Attrs {
		if o.AttrByName(a.Name) != a {
			t.Errorf("%s is not found by name", a.Name)
		}
	}
}
