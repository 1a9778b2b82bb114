package vsai_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// boot makes a chip and its switch.
func boot(t testing.TB, cfg vsai.Config) (*vsai.Chip, *sai.Switch) {
	t.Helper()
	c := vsai.New(cfg)
	sw := &sai.Switch{Driver: c}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	return c, sw
}

func profile(t testing.TB, name string) *vsai.Profile {
	t.Helper()
	p, err := vsai.ProfileByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func objects(t testing.TB, sw *sai.Switch, o sai.Object) []sai.Key {
	t.Helper()
	keys, st := sw.Objects(sw.ID.OID(), o.Meta())
	if st != 0 {
		t.Fatal(st)
	}
	return keys
}

// must returns what an API call gives, which must succeed.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// newProfile makes an egress pool and a profile of it.
func newProfile(t testing.TB, sw *sai.Switch) sai.ID[sai.BufferProfile] {
	t.Helper()
	pool, err := sai.Create(sw, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeEgress), sai.BufferPoolAttrSize.Is(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	p, err := sai.Create(sw, sai.BufferProfileAttrPoolID.Is(pool), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic), sai.BufferProfileAttrSharedDynamicTH.Is(0))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unbridge takes a port out of the VLAN that it is in from the start.
func unbridge(t testing.TB, sw *sai.Switch, port sai.ID[sai.Port]) {
	t.Helper()
	for _, m := range objects(t, sw, sai.VLANMember{}) {
		b := must[sai.ID[sai.BridgePort]](t)(sai.Get(sw, sai.ID[sai.VLANMember](m.OID), sai.VLANMemberAttrBridgePortID))
		if must[sai.OID](t)(sai.Get(sw, b, sai.BridgePortAttrPortID)) != port.OID() {
			continue
		}
		for _, err := range []error{sai.Remove(sw, sai.ID[sai.VLANMember](m.OID)), sai.Remove(sw, b)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
