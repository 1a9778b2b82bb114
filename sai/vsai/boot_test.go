package vsai_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

var update = flag.Bool("update", false, "write golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

// TestCensus counts what each profile's switch has from the start.
func TestCensus(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range vsai.Profiles() {
		c, _ := boot(t, vsai.Config{Profile: p})
		fmt.Fprintf(&b, "# %s\n%s", p.Name, c.ObjectCounts())
		if err := c.Recount(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	golden(t, "census.golden", b.String())
}

// TestDump holds the state of a small switch.
func TestDump(t *testing.T) {
	t.Parallel()
	small := *profile(t, "default")
	small.UnicastQueues, small.MulticastQueues, small.CPUQueues, small.PriorityGroups = 2, 1, 1, 1
	c, sw := boot(t, vsai.Config{Profile: &small, Ports: layout(1)})
	p := newProfile(t, sw)
	q := objects(t, sw, sai.Queue{})[1]
	if err := sai.Set(sw, sai.ID[sai.Queue](q.OID), sai.QueueAttrBufferProfileID.Is(p)); err != nil {
		t.Fatal(err)
	}
	if err := c.SetStat(q.OID, uint32(sai.QueueStatPackets), 7); err != nil {
		t.Fatal(err)
	}
	if err := c.SetNames(map[string]sai.OID{"BUFFER_PROFILE|p": p.OID()}, nil); err != nil {
		t.Fatal(err)
	}
	golden(t, "dump.golden", c.Dump())
}

func TestBeforeCreate(t *testing.T) {
	t.Parallel()
	c := vsai.New(vsai.Config{})
	if keys, st := c.Objects(0, sai.SwitchObject{}.Meta()); st != 0 || len(keys) != 0 {
		t.Fatal(keys, st)
	}
	sw := &sai.Switch{Driver: c}
	if _, err := sai.Create(sw, sai.SchedulerAttrSchedulingWeight.Is(1)); !errorIs(err, sai.StatusUninitialized) {
		t.Fatal(err)
	}
	if _, err := sai.Create(sw, sai.SwitchAttrInitSwitch.Is(false)); !errorIs(err, sai.StatusInvalidAttrValue0) {
		t.Fatal(err)
	}
	if _, err := sai.Create[sai.SwitchObject](sw); !errorIs(err, sai.StatusMandatoryAttributeMissing) {
		t.Fatal(err)
	}
	if c.Dump() != "" {
		t.Fatal("a failed create left something behind")
	}
}

func TestOneSwitch(t *testing.T) {
	t.Parallel()
	_, sw := boot(t, vsai.Config{})
	if _, err := sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); !errorIs(err, sai.StatusItemAlreadyExists) {
		t.Fatal(err)
	}
	keys, st := sw.Objects(0, sai.SwitchObject{}.Meta())
	if st != 0 || len(keys) != 1 || keys[0].OID != sw.ID.OID() {
		t.Fatal(keys, st)
	}
}

// TestRemoveSwitch leaves a chip that can be initialised again.
func TestRemoveSwitch(t *testing.T) {
	t.Parallel()
	c, sw := boot(t, vsai.Config{})
	before := c.Dump()
	newProfile(t, sw)
	if err := sai.Remove(sw, sw.ID); err != nil {
		t.Fatal(err)
	}
	if c.Dump() != "" {
		t.Fatal("something is left")
	}
	if _, err := sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	if c.Dump() != before {
		t.Fatal("the second start differs from the first")
	}
}

// TestSchedulerGroups finds the group of each queue as SONiC's agent does.
func TestSchedulerGroups(t *testing.T) {
	t.Parallel()
	_, sw := boot(t, vsai.Config{})
	ports := must[[]sai.ID[sai.Port]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrPortList))
	if len(ports) != 32 {
		t.Fatal(len(ports))
	}
	queues := must[[]sai.ID[sai.Queue]](t)(sai.Get(sw, ports[5], sai.PortAttrQoSQueueList))
	groups := must[[]sai.ID[sai.SchedulerGroup]](t)(sai.Get(sw, ports[5], sai.PortAttrQoSSchedulerGroupList))
	if len(queues) != 20 || len(groups) != 13 {
		t.Fatal(len(queues), len(groups))
	}
	for i, g := range groups {
		childs := must[[]sai.OID](t)(sai.Get(sw, g, sai.SchedulerGroupAttrChildList))
		n := must[uint32](t)(sai.Get(sw, g, sai.SchedulerGroupAttrChildCount))
		if int(n) != len(childs) {
			t.Errorf("group %d: %d children, a list of %d", i, n, len(childs))
		}
		var want []sai.OID
		switch {
		case i < 10:
			want = []sai.OID{queues[i].OID(), queues[i+10].OID()}
		case i == 10:
			for _, g := range groups[:8] {
				want = append(want, g.OID())
			}
		case i == 11:
			want = []sai.OID{groups[8].OID(), groups[9].OID()}
		case i == 12:
			want = []sai.OID{groups[10].OID(), groups[11].OID()}
		}
		if !slices.Equal(childs, want) {
			t.Errorf("group %d holds %v, want %v", i, childs, want)
		}
	}
	kind := must[sai.QueueType](t)(sai.Get(sw, queues[10], sai.QueueAttrType))
	if kind != sai.QueueTypeMulticast {
		t.Errorf("queue 10 is %v", kind)
	}
}

// TestFacts reads what an agent wants to know of a switch.
func TestFacts(t *testing.T) {
	t.Parallel()
	_, sw := boot(t, vsai.Config{Profile: profile(t, "th5")})
	num := func(a sai.Attr[sai.SwitchObject, uint32]) uint32 { return must[uint32](t)(sai.Get(sw, sw.ID, a)) }
	if n := must[uint64](t)(sai.Get(sw, sw.ID, sai.SwitchAttrTotalBufferSize)); n != 168960 {
		t.Error("TOTAL_BUFFER_SIZE", n)
	}
	for a, want := range map[sai.Attr[sai.SwitchObject, uint32]]uint32{
		sai.SwitchAttrNumberOfActivePorts:     64,
		sai.SwitchAttrNumberOfUnicastQueues:   8,
		sai.SwitchAttrNumberOfMulticastQueues: 4,
		sai.SwitchAttrNumberOfQueues:          12,
		sai.SwitchAttrIngressBufferPoolNum:    4,
		sai.SwitchAttrEgressBufferPoolNum:     4,
		sai.SwitchAttrSharedBufferCellSize:    254,
	} {
		if n := num(a); n != want {
			t.Errorf("%s = %d, want %d", a.AttrMeta.Name, n, want)
		}
	}
	if n := must[uint8](t)(sai.Get(sw, sw.ID, sai.SwitchAttrQoSMaxNumberOfTrafficClasses)); n != 16 {
		t.Error("traffic classes", n)
	}
	ecmp := must[sai.ID[sai.Hash]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrECMPHash))
	lag := must[sai.ID[sai.Hash]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrLAGHash))
	if ecmp == 0 || ecmp >= lag {
		t.Error("hashes", ecmp, lag)
	}
	vlan := must[sai.ID[sai.VLAN]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrDefaultVLANID))
	if id := must[uint16](t)(sai.Get(sw, vlan, sai.VLANAttrVLANID)); id != 1 {
		t.Error("default VLAN", id)
	}
	cpu := must[sai.ID[sai.Port]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrCPUPort))
	if typ := must[sai.PortType](t)(sai.Get(sw, cpu, sai.PortAttrType)); typ != sai.PortTypeCPU {
		t.Error("CPU port", typ)
	}
}

// TestHidden: what a chip does not tell it refuses with the attribute's place.
func TestHidden(t *testing.T) {
	t.Parallel()
	c, sw := boot(t, vsai.Config{})
	_, err := sai.Get(sw, sw.ID, sai.SwitchAttrTotalBufferSize)
	if !errorIs(err, sai.StatusAttrNotSupported0) {
		t.Error(err)
	}
	port := sai.ID[sai.Port](c.Ports()[0])
	if _, err = sai.Get(sw, port, sai.PortAttrQoSMaximumHeadroomSize); !errorIs(err, sai.StatusAttrNotSupported0) {
		t.Error(err)
	}
	if err := c.SetReadOnly(port.OID(), sai.PortAttrQoSMaximumHeadroomSize.Is(122880).Attribute); err != nil {
		t.Fatal(err)
	}
	if n := must[uint32](t)(sai.Get(sw, port, sai.PortAttrQoSMaximumHeadroomSize)); n != 122880 {
		t.Error(n)
	}
	attrs := []sai.Attribute{{AttrMeta: sai.SwitchAttrCPUPort.AttrMeta}, {AttrMeta: sai.SwitchAttrTempList.AttrMeta}}
	if st := sw.Get(sai.SwitchObject{}.Meta(), sai.Key{OID: sw.ID.OID()}, attrs); st != sai.StatusAttrNotImplemented0-1 {
		t.Error(st)
	}
}

// TestLayout takes the ports of a configuration.
func TestLayout(t *testing.T) {
	t.Parallel()
	_, sw := boot(t, vsai.Config{Profile: profile(t, "th"), Ports: []vsai.PortLayout{
		{Lanes: []uint32{101, 102}, SpeedMbps: 40000}, {Lanes: []uint32{1}, SpeedMbps: 10000},
	}})
	ports := must[[]sai.ID[sai.Port]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrPortList))
	if lanes := must[[]uint32](t)(sai.Get(sw, ports[0], sai.PortAttrHwLaneList)); !slices.Equal(lanes, []uint32{101, 102}) {
		t.Error(lanes)
	}
	if s := must[[]uint32](t)(sai.Get(sw, ports[0], sai.PortAttrSupportedSpeed)); !slices.Equal(s, []uint32{1000, 10000, 25000, 40000, 50000}) {
		t.Error(s)
	}
	if s := must[[]uint32](t)(sai.Get(sw, ports[1], sai.PortAttrSupportedSpeed)); !slices.Equal(s, []uint32{1000, 10000, 25000}) {
		t.Error(s)
	}
	if err := sai.Set(sw, ports[0], sai.PortAttrSpeed.Is(100000)); !errorIs(err, sai.StatusInvalidAttrValue0) {
		t.Error(err)
	}
	if err := sai.Set(sw, ports[0], sai.PortAttrSpeed.Is(50000)); err != nil {
		t.Error(err)
	}
}

func TestProfileByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"spc4,SAI_KEY_DISABLE_PORT_ALPHA=1": "", "spc4,SAI_KEY_DISABLE_PORT_ALPHA=0": "",
		"spc4,SAI_KEY_DISABLE_PORT_ALPHA=yes": "want 0 or 1",
		"spc4,SAI_INIT_CONFIG_FILE=x":         `unknown key "SAI_INIT_CONFIG_FILE"`,
		"th5,SAI_KEY_DISABLE_PORT_ALPHA=1":    "th5: unknown key",
	} {
		p, err := vsai.ProfileByName(name)
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", name, err, want)
		case want == "" && (err != nil || p.PortAlpha == strings.HasSuffix(name, "1")):
			t.Errorf("%s: %v, port alpha wrong", name, err)
		}
	}
	if p, err := vsai.ProfileByName("spc4"); err != nil || !p.PortAlpha {
		t.Error("the profile itself has changed:", err)
	}
	if _, err := vsai.ProfileByName("td9"); err == nil || !strings.Contains(err.Error(), "default spc1 spc2 spc3 spc4 spc5 spc6 td2 td3 th th2 th3 th4 th5 voq") {
		t.Error(err)
	}
}
