package vsai_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// TestBadPorts are ports that the chip does not make: what is at fault, and that
// nothing changed.
func TestBadPorts(t *testing.T) {
	t.Parallel()
	small := *profile(t, "default")
	small.MaxPorts = 3
	c, sw := boot(t, vsai.Config{Profile: &small, Ports: []vsai.PortLayout{
		{Lanes: []uint32{1, 2, 3, 4}, SpeedMbps: 100000}, {Lanes: []uint32{200, 201}, SpeedMbps: 33000},
	}})
	before := c.Dump()
	lanes, speed := sai.PortAttrHwLaneList, sai.PortAttrSpeed
	for _, x := range []struct {
		what  string
		attrs []sai.Attribute
		want  sai.Status
	}{
		{"no speed", with(lanes.Is([]uint32{5})), sai.StatusMandatoryAttributeMissing},
		{"no lanes", with(speed.Is(25000)), sai.StatusMandatoryAttributeMissing},
		{"an empty list", with(speed.Is(25000), lanes.Is(nil)), sai.StatusInvalidAttrValue0},
		{"a lane of another port", with(lanes.Is([]uint32{4, 5}), speed.Is(25000)), sai.StatusObjectInUse},
		{"a lane that the chip lacks", with(speed.Is(25000), lanes.Is([]uint32{999})), sai.StatusInvalidAttrValue0 - 1},
		{"a lane twice", with(lanes.Is([]uint32{5, 5}), speed.Is(25000)), sai.StatusInvalidAttrValue0},
		{"three lanes", with(lanes.Is([]uint32{5, 6, 7}), speed.Is(25000)), sai.StatusInvalidAttrValue0},
		{"sixteen lanes", with(lanes.Is([]uint32{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}), speed.Is(25000)), sai.StatusInvalidAttrValue0},
		{"too fast for one lane", with(lanes.Is([]uint32{5}), speed.Is(400000)), sai.StatusInvalidAttrValue0 - 1},
		{"a speed that other lanes are strapped for", with(lanes.Is([]uint32{5, 6}), speed.Is(33000)), sai.StatusInvalidAttrValue0 - 1},
	} {
		if _, st := sw.Create(sai.Port{}.Meta(), sw.ID.OID(), sai.Key{}, x.attrs); st != x.want {
			t.Errorf("%s: %v, want %v", x.what, st, x.want)
		}
	}
	cpu := must[sai.ID[sai.Port]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrCPUPort))
	if err := sai.Remove(sw, cpu); !errorIs(err, sai.StatusNotSupported) {
		t.Error("the CPU's port:", err)
	}
	if after := c.Dump(); after != before {
		t.Errorf("the chip is another one:\n%s", after)
	}
	must[sai.ID[sai.Port]](t)(sai.Create(sw, lanes.Is([]uint32{5}), speed.Is(25000)))
	if _, err := sai.Create(sw, lanes.Is([]uint32{6}), speed.Is(25000)); !errorIs(err, sai.StatusInsufficientResources) {
		t.Error("one port too many:", err)
	}
	if n := must[uint32](t)(sai.Get(sw, sw.ID, sai.SwitchAttrMaxNumberOfSupportedPorts)); n != 3 {
		t.Error("the limit is", n)
	}
}

// TestStrappedSpeed: a port that comes back runs at the speed that its lanes are
// strapped for, whatever the profile says.
func TestStrappedSpeed(t *testing.T) {
	t.Parallel()
	c, sw := boot(t, vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{201, 200}, SpeedMbps: 33000}}})
	unbridge(t, sw, sai.ID[sai.Port](c.Ports()[0]))
	if err := sai.Remove(sw, sai.ID[sai.Port](c.Ports()[0])); err != nil {
		t.Fatal(err)
	}
	id := must[sai.ID[sai.Port]](t)(sai.Create(sw, sai.PortAttrHwLaneList.Is([]uint32{200, 201}), sai.PortAttrSpeed.Is(33000), sai.PortAttrAdminState.Is(true)))
	if up := must[sai.PortOperStatus](t)(sai.Get(sw, id, sai.PortAttrOperStatus)); up != sai.PortOperStatusUp {
		t.Error("a port made to be up is", up)
	}
	if err := c.Recount(); err != nil {
		t.Error(err)
	}
}

// TestSharedLanes: a chip that is strapped with two ports that share a lane has both, also
// after one was away; ports that it is not strapped with share none.
func TestSharedLanes(t *testing.T) {
	t.Parallel()
	c, sw := boot(t, vsai.Config{Ports: []vsai.PortLayout{
		{Lanes: []uint32{1, 2, 3, 4}, SpeedMbps: 100000}, {Lanes: []uint32{4, 3}, SpeedMbps: 50000}, {Lanes: []uint32{2, 1, 4, 3}, SpeedMbps: 100000},
	}})
	if n := len(c.Ports()); n != 2 {
		t.Fatalf("%d ports, want those of different lanes", n)
	}
	unbridge(t, sw, sai.ID[sai.Port](c.Ports()[1]))
	if err := sai.Remove(sw, sai.ID[sai.Port](c.Ports()[1])); err != nil {
		t.Fatal(err)
	}
	for _, lanes := range [][]uint32{{1, 2}, {4}, {4, 3, 2, 1}} {
		if _, err := sai.Create(sw, sai.PortAttrHwLaneList.Is(lanes), sai.PortAttrSpeed.Is(25000)); !errorIs(err, sai.StatusObjectInUse) {
			t.Errorf("%v: %v", lanes, err)
		}
	}
	if _, err := sai.Create(sw, sai.PortAttrHwLaneList.Is([]uint32{3, 4}), sai.PortAttrSpeed.Is(50000)); err != nil {
		t.Error(err)
	}
}
