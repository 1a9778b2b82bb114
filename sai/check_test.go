package sai_test

import (
	"slices"
	"testing"

	"xon/sai"
)

// settings drops the object types.
func settings[O sai.Object](s ...sai.Setting[O]) []sai.Attribute {
	out := make([]sai.Attribute, len(s))
	for i := range s {
		out[i] = s[i].Attribute
	}
	return out
}

func TestCheck(t *testing.T) {
	t.Parallel()
	profile, port, entry := sai.BufferProfile{}.Meta(), sai.Port{}.Meta(), sai.ACLEntry{}.Meta()
	pool, size := sai.BufferProfileAttrPoolID.Is(1), sai.BufferProfileAttrReservedBufferSize.Is(18432)
	dynamic := sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic)
	alpha := sai.BufferProfileAttrSharedDynamicTH.Is(-2)
	lanes, speed := sai.PortAttrHwLaneList.Is([]uint32{1}), sai.PortAttrSpeed.Is(100000)
	raw := func(m *sai.AttrMeta, v sai.Value) sai.Attribute { return sai.Attribute{AttrMeta: m, Value: v} }
	for _, c := range []struct {
		name  string
		o     *sai.ObjectMeta
		attrs []sai.Attribute
		want  sai.Status
	}{
		{"all well", profile, settings(pool, size, dynamic, alpha), 0},
		{"meaningless but allowed", profile, settings(pool, size, dynamic, alpha, sai.BufferProfileAttrXoffTH.Is(9)), 0},
		{"unknown", profile, append(settings(pool), raw(&sai.AttrMeta{ID: 9999}, sai.Value{})), sai.StatusUnknownAttribute0 - 1},
		{"no metadata", profile, []sai.Attribute{{}}, sai.StatusUnknownAttribute0},
		{"of another object", profile, settings(sai.QueueAttrType.Is(0)), sai.StatusUnknownAttribute0},
		{"given twice", profile, settings(pool, size, dynamic, alpha, size), sai.StatusInvalidAttribute0 - 4},
		{"read only", port, settings(lanes, speed, sai.PortAttrOperStatus.Is(1)), sai.StatusInvalidAttribute0 - 2},
		{"mandatory missing", profile, settings(size, dynamic, alpha), sai.StatusMandatoryAttributeMissing},
		{"condition missing", profile, settings(pool, size, dynamic), sai.StatusMandatoryAttributeMissing},
		{"condition not met", profile, settings(pool, size, dynamic, alpha, sai.BufferProfileAttrSharedStaticTH.Is(1)), sai.StatusInvalidAttribute0 - 4},
		{"no object", profile, settings(sai.BufferProfileAttrPoolID.Is(0), size, dynamic, alpha), 0},
		{"no object where one must be", sai.VLANMember{}.Meta(), settings(sai.VLANMemberAttrVLANID.Is(0), sai.VLANMemberAttrBridgePortID.Is(1)), sai.StatusInvalidAttrValue0},
		{"enum value", profile, settings(pool, size, sai.BufferProfileAttrThresholdMode.Is(7), alpha), sai.StatusInvalidAttrValue0 - 2},
		{"number too wide", profile, append(settings(pool, size, dynamic), raw(alpha.AttrMeta, sai.Value{Num: 128})), sai.StatusInvalidAttrValue0 - 3},
		{"bool of 2", port, append(settings(lanes, speed), raw(sai.PortAttrAdminState.AttrMeta, sai.Value{Num: 2})), sai.StatusInvalidAttrValue0 - 2},
		{"list of the wrong type", port, append(settings(speed), raw(lanes.AttrMeta, sai.Value{Ref: []uint16{1}})), sai.StatusInvalidAttrValue0 - 1},
		{"list with no object", port, settings(lanes, speed, sai.PortAttrQoSIngressBufferProfileList.Is([]sai.ID[sai.BufferProfile]{1, 0})), sai.StatusInvalidAttrValue0 - 2},
		{"VLAN", port, settings(lanes, speed, sai.PortAttrPortVLANID.Is(4096)), sai.StatusInvalidAttrValue0 - 2},
		{"ACL field", entry, settings(sai.ACLEntryAttrTableID.Is(1), sai.ACLEntryAttrFieldACLIPType.Is(sai.Match[sai.ACLIPType]{Data: 99})), sai.StatusInvalidAttrValue0 - 1},
	} {
		if got := c.o.Check(c.attrs); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Name(), c.want.Name())
		}
	}
}

func TestCheckSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    *sai.ObjectMeta
		a    sai.Attribute
		want sai.Status
	}{
		{"settable", sai.Queue{}.Meta(), sai.QueueAttrWredProfileID.None().Attribute, 0},
		{"unknown", sai.Queue{}.Meta(), sai.Attribute{AttrMeta: &sai.AttrMeta{ID: 9999}}, sai.StatusUnknownAttribute0},
		{"no metadata", sai.Queue{}.Meta(), sai.Attribute{}, sai.StatusUnknownAttribute0},
		{"create only", sai.BufferProfile{}.Meta(), sai.BufferProfileAttrPoolID.Is(1).Attribute, sai.StatusInvalidAttribute0},
		{"read only", sai.Port{}.Meta(), sai.PortAttrOperStatus.Is(1).Attribute, sai.StatusInvalidAttribute0},
		{"value", sai.Port{}.Meta(), sai.PortAttrFECMode.Is(99).Attribute, sai.StatusInvalidAttrValue0},
	} {
		if got := c.o.CheckSet(c.a); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Name(), c.want.Name())
		}
	}
}

// Conditions with and, or and brackets, over what is given and over defaults.
func TestConditions(t *testing.T) {
	t.Parallel()
	bridge := sai.Bridge{}.Meta()
	flood := sai.BridgeAttrUnknownUnicastFloodGroup
	kind, control := sai.BridgeAttrType, sai.BridgeAttrUnknownUnicastFloodControlType
	if want := "TYPE==1D&(UNKNOWN_UNICAST_FLOOD_CONTROL_TYPE==L2MC_GROUP|UNKNOWN_UNICAST_FLOOD_CONTROL_TYPE==COMBINED)"; flood.AttrMeta.Valid != want {
		t.Fatalf("condition is %s", flood.AttrMeta.Valid)
	}
	for _, c := range []struct {
		name  string
		given []sai.Attribute
		want  bool
	}{
		{"first of or", settings(kind.Is(sai.BridgeType1d), control.Is(sai.BridgeFloodControlTypeL2mcGroup)), true},
		{"second of or", settings(kind.Is(sai.BridgeType1d), control.Is(sai.BridgeFloodControlTypeCombined)), true},
		{"neither", settings(kind.Is(sai.BridgeType1d), control.Is(sai.BridgeFloodControlTypeNone)), false},
		{"default of the second", settings(kind.Is(sai.BridgeType1d)), false},
		{"and fails", settings(kind.Is(sai.BridgeType1q), control.Is(sai.BridgeFloodControlTypeCombined)), false},
		{"nothing known of the first", settings(control.Is(sai.BridgeFloodControlTypeCombined)), false},
	} {
		have := func(m *sai.AttrMeta) (sai.Value, bool) {
			i := slices.IndexFunc(c.given, func(a sai.Attribute) bool { return a.AttrMeta == m })
			if i < 0 {
				return sai.Value{}, false
			}
			return c.given[i].Value, true
		}
		if got := bridge.Matters(flood.AttrMeta, have); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if !bridge.Wants(flood.AttrMeta, have) {
			t.Errorf("%s: an attribute without If is not wanted", c.name)
		}
	}
}
