package sai_test

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"xon/sai"
)

// Every attribute of every object comes back from its text and from its wire
// form as it went in, whatever its value.
func TestCodecsOfAllAttributes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	n := 0
	for _, o := range sai.Objects {
		for _, m := range o.Attrs {
			n++
			values := []sai.Value{{}}
			for range 8 {
				values = append(values, sai.Random(r, m.Kind, m.Enum))
			}
			for _, v := range values {
				checkText(t, m, v)
				checkWire(t, o, m, v)
			}
		}
	}
	if n < 1400 {
		t.Errorf("only %d attributes are in scope", n)
	}
}

// So do values of the kinds that no attribute in scope has now.
func TestCodecsOfAllKinds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for k := sai.KindNone + 1; int(k) < sai.KindCount; k++ {
		m := &sai.AttrMeta{Kind: k}
		o := &sai.ObjectMeta{Attrs: []*sai.AttrMeta{m}}
		for range 20 {
			v := sai.Random(r, k, nil)
			checkText(t, m, v)
			checkWire(t, o, m, v)
		}
	}
}

// A value of another Go type than the kind wants is no value; the zero Value is
// one, but where an object or an enum must be.
func TestCheckOfAllAttributes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	type other struct{}
	for _, o := range sai.Objects {
		for _, m := range o.Attrs {
			if !m.Has(sai.Settable) {
				continue
			}
			if st := o.CheckSet(sai.Attribute{AttrMeta: m, Value: sai.Value{Ref: other{}}}); m.Kind.HasRef() && st != sai.StatusInvalidAttrValue0 {
				t.Errorf("%s takes a value of the wrong type: %s", m.FullName(), st.Name())
			}
			want := sai.StatusSuccess
			if m.Kind == sai.KindOID && !m.Has(sai.NullOK) {
				want = sai.StatusInvalidAttrValue0
			}
			if st := o.CheckSet(sai.Attribute{AttrMeta: m}); st != want && m.Kind != sai.KindEnum {
				t.Errorf("%s: the zero value is %s", m.FullName(), st.Name())
			}
			v := sai.Random(r, m.Kind, m.Enum)
			if st := o.CheckSet(sai.Attribute{AttrMeta: m, Value: v}); st != 0 && m.Kind.HasRef() && m.Kind != sai.KindQoSMapList { // whose enums may be wrong
				t.Errorf("%s: %s is %s", m.FullName(), m.Format(v), st.Name())
			}
		}
	}
}

// Prefixes and addresses have the text that inet_ntop gives.
func TestAddressText(t *testing.T) {
	t.Parallel()
	addr, prefix := &sai.AttrMeta{Kind: sai.KindIPAddr}, &sai.AttrMeta{Kind: sai.KindIPPrefix}
	for _, text := range []string{"0.0.0.0", "10.1.2.3", "::", "::1", "2001:db8::1:0:0:1", "::ffff:10.0.0.1", "::10.0.0.1", "1::"} {
		v, err := addr.Parse(text)
		if err != nil || addr.Format(v) != text {
			t.Errorf("%s is %s, %v", text, addr.Format(v), err)
		}
		v, err = prefix.Parse(text + "/8")
		if err != nil || prefix.Format(v) != text+"/8" {
			t.Errorf("%s/8 is %s, %v", text, prefix.Format(v), err)
		}
	}
	for _, text := range []string{"", "10.0.0.1", "10.0.0.1/33", "::/129", "10.0.0.1/", "::1%eth0/64", "x/8", "10.0.0.1/-1"} {
		if v, err := prefix.Parse(text); err == nil {
			t.Errorf("%q is %s", text, prefix.Format(v))
		}
	}
	if got := prefix.Format(sai.Value{}); got != "0.0.0.0/0" {
		t.Errorf("the zero prefix is %s", got)
	}
	if id, err := sai.ParseOID("oid:0x1a"); err != nil || id != 0x1a {
		t.Errorf("ParseOID = %s, %v", id, err)
	}
}

func checkText(t *testing.T, m *sai.AttrMeta, v sai.Value) {
	t.Helper()
	text := m.Format(v)
	back, err := m.Parse(text)
	if err != nil {
		t.Errorf("Parse(Format): %v", err)
		return
	}
	if !sai.Equal(m.Kind, v, back) || m.Format(back) != text {
		t.Errorf("%s: %q became %q", m.FullName(), text, m.Format(back))
	}
}

func checkWire(t *testing.T, o *sai.ObjectMeta, m *sai.AttrMeta, v sai.Value) {
	t.Helper()
	b := sai.AppendAttribute(nil, sai.Attribute{AttrMeta: m, Value: v})
	a, rest, err := sai.ReadAttribute(o, append(b, 7))
	switch {
	case err != nil:
		t.Errorf("wire of %s: %v", m.FullName(), err)
	case a.AttrMeta != m || !sai.Equal(m.Kind, a.Value, v) || len(rest) != 1 || rest[0] != 7:
		t.Errorf("wire of %s: %q became %q", m.FullName(), m.Format(v), m.Format(a.Value))
	}
	for i := range b {
		if _, _, err := sai.ReadAttribute(o, b[:i]); !errors.Is(err, sai.ErrWire) {
			t.Errorf("%s cut to %d of %d bytes: error %v", m.FullName(), i, len(b), err)
		}
	}
}

// The forms are those of ASIC_DB.
func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attr *sai.AttrMeta
		v    sai.Value
		want string
	}{
		{sai.PortAttrAdminState.AttrMeta, sai.PortAttrAdminState.Is(true).Value, "true"},
		{sai.PortAttrPriorityFlowControl.AttrMeta, sai.PortAttrPriorityFlowControl.Is(0x18).Value, "24"},
		{sai.BufferProfileAttrSharedDynamicTH.AttrMeta, sai.BufferProfileAttrSharedDynamicTH.Is(-3).Value, "-3"},
		{sai.BufferProfileAttrPoolID.AttrMeta, sai.BufferProfileAttrPoolID.Is(0x1800000000001a).Value, "oid:0x1800000000001a"},
		{sai.QueueAttrWredProfileID.AttrMeta, sai.Value{}, "oid:0x0"},
		{sai.QueueAttrType.AttrMeta, sai.QueueAttrType.Is(sai.QueueTypeUnicast).Value, "SAI_QUEUE_TYPE_UNICAST"},
		{sai.QueueAttrType.AttrMeta, sai.QueueAttrType.Is(77).Value, "77"},
		{sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta, sai.SwitchAttrECMPDefaultHashAlgorithm.Is(sai.HashAlgorithmCrc).Value, "SAI_HASH_ALGORITHM_CRC"},
		{sai.QoSMapAttrType.AttrMeta, sai.QoSMapAttrType.Is(sai.QoSMapTypeTCAndColorToDSCP).Value, "SAI_QOS_MAP_TYPE_TC_AND_COLOR_TO_DSCP"},
		{sai.PortAttrHwLaneList.AttrMeta, sai.PortAttrHwLaneList.Is([]uint32{29, 30, 31, 32}).Value, "4:29,30,31,32"},
		{sai.PortAttrHwLaneList.AttrMeta, sai.Value{}, "0:null"},
		{sai.PortAttrQoSIngressBufferProfileList.AttrMeta, sai.PortAttrQoSIngressBufferProfileList.Is([]sai.ID[sai.BufferProfile]{1, 255}).Value, "2:oid:0x1,oid:0xff"},
		{sai.HashAttrNativeHashFieldList.AttrMeta, sai.HashAttrNativeHashFieldList.Is([]sai.NativeHashField{sai.NativeHashFieldDstIP}).Value, "1:SAI_NATIVE_HASH_FIELD_DST_IP"},
		{sai.SwitchAttrSrcMACAddress.AttrMeta, sai.SwitchAttrSrcMACAddress.Is(sai.MAC{2, 0, 0x5e, 0, 0x53, 0xab}).Value, "02:00:5E:00:53:AB"},
		{sai.HostifAttrName.AttrMeta, sai.HostifAttrName.Is(`Ethernet0\` + "\n").Value, `Ethernet0\\\x0A`},
		{sai.ACLTableAttrACLBindPointTypeList.AttrMeta, sai.ACLTableAttrACLBindPointTypeList.Is([]sai.ACLBindPointType{0, 1}).Value, "2:SAI_ACL_BIND_POINT_TYPE_PORT,SAI_ACL_BIND_POINT_TYPE_LAG"},
		{sai.ACLEntryAttrFieldTC.AttrMeta, sai.ACLEntryAttrFieldTC.Is(sai.Match[uint8]{Data: 3, Mask: 255}).Value, "3&mask:0xff"},
		{sai.ACLEntryAttrFieldTC.AttrMeta, sai.Value{}, "disabled"},
		{sai.ACLEntryAttrFieldInPorts.AttrMeta, sai.ACLEntryAttrFieldInPorts.Is(sai.Match[[]sai.ID[sai.Port]]{Data: []sai.ID[sai.Port]{1, 2}}).Value, "2:oid:0x1,oid:0x2"},
		{sai.ACLEntryAttrFieldSrcIP.AttrMeta, sai.ACLEntryAttrFieldSrcIP.Is(sai.Match[netip.Addr]{Data: netip.MustParseAddr("10.0.0.1"), Mask: netip.MustParseAddr("255.255.255.0")}).Value, "10.0.0.1&mask:255.255.255.0"},
		{sai.ACLEntryAttrFieldACLIPType.AttrMeta, sai.ACLEntryAttrFieldACLIPType.Is(sai.Match[sai.ACLIPType]{Data: sai.ACLIPTypeAny}).Value, "SAI_ACL_IP_TYPE_ANY&mask:0xffffffffffffffff"},
		{sai.ACLEntryAttrActionPacketAction.AttrMeta, sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop).Value, "SAI_PACKET_ACTION_DROP"},
		{sai.ACLRangeAttrLimit.AttrMeta, sai.ACLRangeAttrLimit.Is(sai.U32Range{Min: 1, Max: 4094}).Value, "1,4094"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, sai.QoSMapAttrMapToValueList.Is([]sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: 3}, Value: sai.QoSMapParams{TC: 4}}}).Value, `{"count":1,"list":[` +
			`{"key":{"color":"SAI_PACKET_COLOR_GREEN","dot1p":0,"dscp":3,"fc":0,"mpls_exp":0,"pg":0,"prio":0,"qidx":0,"tc":0},` +
			`"value":{"color":"SAI_PACKET_COLOR_GREEN","dot1p":0,"dscp":0,"fc":0,"mpls_exp":0,"pg":0,"prio":0,"qidx":0,"tc":4}}]}`},
		{sai.QoSMapAttrMapToValueList.AttrMeta, sai.Value{}, `{"count":0,"list":null}`},
		{sai.SwitchAttrPortStateChangeNotify.AttrMeta, sai.Value{Num: 0x55}, "0x55"},
	} {
		if got := c.attr.Format(c.v); got != c.want {
			t.Errorf("%s = %s, want %s", c.attr.FullName(), got, c.want)
		}
		back, err := c.attr.Parse(c.want)
		if err != nil || !sai.Equal(c.attr.Kind, back, c.v) {
			t.Errorf("%s: Parse(%q) = %v, %v", c.attr.FullName(), c.want, back, err)
		}
	}
}

// Blanks, quotes around numbers and members left out do no harm in JSON.
func TestParseLooseJSON(t *testing.T) {
	t.Parallel()
	m := sai.QoSMapAttrMapToValueList
	v, err := m.AttrMeta.Parse(` { "list" : [ { "key" : { "dscp" : "3" } , "value" : { } } ] ,
		"count" : "1" } `)
	if want := m.Is([]sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: 3}}}); err != nil || !sai.Equal(m.AttrMeta.Kind, v, want.Value) {
		t.Errorf("Parse = %v, %v", v, err)
	}
}

// What is no value is refused, naming the attribute and what is allowed.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attr       *sai.AttrMeta
		text, want string
	}{
		{sai.PortAttrAdminState.AttrMeta, "up", "neither true nor false"},
		{sai.PortAttrPriorityFlowControl.AttrMeta, "256", "0..255"},
		{sai.PortAttrPriorityFlowControl.AttrMeta, "0x18", "0..255"},
		{sai.BufferProfileAttrSharedDynamicTH.AttrMeta, "128", "-128..127"},
		{sai.BufferPoolAttrSize.AttrMeta, "-1", "0..18446744073709551615"},
		{sai.QueueAttrWredProfileID.AttrMeta, "0x1", "object id"},
		{sai.QueueAttrType.AttrMeta, "SAI_QUEUE_TYPE_NONE", "queue_type_t"},
		{sai.PortAttrHwLaneList.AttrMeta, "2:1", "count is 2,"},
		{sai.PortAttrHwLaneList.AttrMeta, "4294967295:1", "count is 4294967295,"},
		{sai.PortAttrHwLaneList.AttrMeta, "1,2", "not a list"},
		{sai.PortAttrHwLaneList.AttrMeta, "0:", "0:null"},
		{sai.SwitchAttrSrcMACAddress.AttrMeta, "02:00:5e:00:53", "MAC"},
		{sai.HostifAttrName.AttrMeta, `a\n`, "backslash"},
		{sai.HostifAttrName.AttrMeta, `a\x00`, "zero byte"},
		{sai.HostifAttrName.AttrMeta, strings.Repeat("x", 33), "at most 32"},
		{sai.ACLEntryAttrFieldTC.AttrMeta, "3", "mask"},
		{sai.ACLEntryAttrFieldTC.AttrMeta, "3&mask:0x100", "0xff"},
		{sai.ACLEntryAttrFieldSrcIP.AttrMeta, "::1&mask:::", "32 bits"},
		{sai.ACLRangeAttrLimit.AttrMeta, "1", "range"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":2,"list":[]}`, "count is 2,"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":1,"list":[{"kay":{}}]}`, `no member "kay"`},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":1,"list":[{"key":{"tc":256}}]}`, "element 0: key: tc"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `[]`, "JSON wants '{'"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":1,"list":[{"key":{"tc":1`, "JSON wants '}'"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":1,"list":[{"ke\u0079":{}}]}`, "backslash"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":0,"list":null} x`, "after the end"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"list":null}`, "count is none,"},
		{sai.QoSMapAttrMapToValueList.AttrMeta, `{"count":0,"lost":null}`, `no member "lost"`},
		{sai.SwitchAttrACLCapability.AttrMeta, "true;0:null", "four members"},
		{sai.MirrorSessionAttrDstIPAddress.AttrMeta, "fe80::1%eth0", "not an IP address"},
	} {
		_, err := c.attr.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.attr.FullName()+": ") {
			t.Errorf("%s: Parse(%q): error %v, want one about %s", c.attr.FullName(), c.text, err, c.want)
		}
	}
}
