package vsai_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// TestChoices: a chip takes every value that it tells, and no other.
func TestChoices(t *testing.T) {
	t.Parallel()
	for _, p := range vsai.Profiles() {
		_, sw := boot(t, vsai.Config{Profile: p, Ports: layout(1)})
		for _, x := range []struct {
			o sai.Object
			a *sai.AttrMeta
		}{
			{sai.SwitchObject{}, sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta},
			{sai.SwitchObject{}, sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta},
			{sai.SwitchObject{}, sai.SwitchAttrPacketTrimDSCPResolutionMode.AttrMeta},
			{sai.SwitchObject{}, sai.SwitchAttrPacketTrimQueueResolutionMode.AttrMeta},
			{sai.Hash{}, sai.HashAttrNativeHashFieldList.AttrMeta},
		} {
			id := sw.ID.OID()
			if x.a.Kind != sai.KindEnum {
				id = must[sai.ID[sai.Hash]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrLAGHash)).OID()
			}
			able := choicesOf(t, sw, x.o, x.a)
			for _, v := range x.a.Enum.Values {
				st := sw.Set(x.o.Meta(), sai.Key{OID: id}, valueOf(x.a, v))
				want := sai.StatusInvalidAttrValue0
				switch {
				case able[v]:
					want = 0
				case !p.Trims && x.a != sai.HashAttrNativeHashFieldList.AttrMeta && x.a.Enum != sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta.Enum:
					want = sai.StatusAttrNotSupported0
				}
				if st != want {
					t.Errorf("%s: %s %s: %v, want %v", p.Name, x.a.Name, x.a.Enum.Text(v), st, want)
				}
			}
		}
	}
}

func valueOf(a *sai.AttrMeta, v int32) sai.Attribute {
	if a.Kind == sai.KindEnum {
		return sai.Attribute{AttrMeta: a, Value: sai.Value{Num: uint64(v)}}
	}
	return sai.Attribute{AttrMeta: a, Value: sai.Value{Ref: []int32{v}}}
}

func choicesOf(t *testing.T, sw *sai.Switch, o sai.Object, a *sai.AttrMeta) map[int32]bool {
	t.Helper()
	list, st := sw.EnumCapability(sw.ID.OID(), o.Meta(), a.ID)
	if st != 0 {
		t.Fatal(st)
	}
	able := map[int32]bool{}
	for _, v := range list {
		able[v] = true
	}
	return able
}

// TestTrimming: only profiles of queues trim, whatever comes first.
func TestTrimming(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{})
	action := sai.BufferProfileAttrPacketAdmissionFailAction
	trim, drop := sai.BufferProfilePacketAdmissionFailActionDropAndTrim, sai.BufferProfilePacketAdmissionFailActionDrop
	refused := func(what string, err error) {
		t.Helper()
		if !errorIs(err, sai.StatusInvalidAttrValue0) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	pg, list := sai.IngressPriorityGroupAttrBufferProfile, sai.PortAttrQoSEgressBufferProfileList
	ok(sai.Set(b.sw, b.pg, pg.Is(b.ingress)))
	refused("a profile of a priority group", sai.Set(b.sw, b.ingress, action.Is(trim)))
	ok(sai.Set(b.sw, b.pg, pg.Is(0)))
	ok(sai.Set(b.sw, b.ingress, action.Is(trim)))
	refused("a priority group", sai.Set(b.sw, b.pg, pg.Is(b.ingress)))

	ok(sai.Set(b.sw, b.queue, sai.QueueAttrBufferProfileID.Is(b.egress)))
	ok(sai.Set(b.sw, b.port, list.Is([]sai.ID[sai.BufferProfile]{b.egress})))
	refused("a profile of a port", sai.Set(b.sw, b.egress, action.Is(trim)))
	ok(sai.Set(b.sw, b.port, list.Is(nil)))
	ok(sai.Set(b.sw, b.egress, action.Is(trim)))
	refused("a port", sai.Set(b.sw, b.port, list.Is([]sai.ID[sai.BufferProfile]{b.egress})))
	ok(sai.Set(b.sw, b.egress, action.Is(drop)))
	ok(sai.Set(b.sw, b.port, list.Is([]sai.ID[sai.BufferProfile]{b.egress})))
}

// TestCustomAttribute: a chip tells whether it has xon's own attribute, and refuses it
// if not.
func TestCustomAttribute(t *testing.T) {
	t.Parallel()
	mark := sai.WredAttrXonMarkAtDequeue
	for _, p := range vsai.Profiles() {
		_, sw := boot(t, vsai.Config{Profile: p, Ports: layout(1)})
		able := must[sai.Support](t)(sai.Supported(sw, mark))
		if able.Set != p.FastECN || able.Create != p.FastECN {
			t.Errorf("%s: %+v", p.Name, able)
		}
		if _, err := sai.Create(sw, mark.Is(true)); p.FastECN != (err == nil) || err != nil && !errorIs(err, sai.StatusAttrNotSupported0) {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
