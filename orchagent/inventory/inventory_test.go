package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
)

func boot(t testing.TB, profile string, ports []vsai.PortLayout) (*vsai.Chip, *sai.Switch) {
	t.Helper()
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		t.Fatal(err)
	}
	chip := vsai.New(vsai.Config{Profile: p, Ports: ports})
	sw, cold, err := inventory.Open(chip)
	if err != nil || !cold {
		t.Fatalf("open: cold %v, %v", cold, err)
	}
	return chip, sw
}

func discover(t testing.TB, sw *sai.Switch) *inventory.Inventory {
	t.Helper()
	inv, err := inventory.Discover(sw)
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

func rows(ports map[string][]uint32) map[string]*configdb.Port {
	out := map[string]*configdb.Port{}
	for name, lanes := range ports {
		out[name] = &configdb.Port{Name: name, Lanes: lanes}
	}
	return out
}

func TestOpen(t *testing.T) {
	t.Parallel()
	chip, sw := boot(t, "default", nil)
	again, cold, err := inventory.Open(chip)
	if err != nil || cold || again.ID != sw.ID {
		t.Errorf("opened again: %v, cold %v, %v", again, cold, err)
	}
	if _, _, err := inventory.Open(&driver{Driver: chip, objects: sai.StatusFailure}); err == nil || !strings.Contains(err.Error(), "list switches") {
		t.Errorf("error is %v", err)
	}
	// A library that can't list is asked for a switch.
	fresh := vsai.New(vsai.Config{})
	if _, cold, err := inventory.Open(&driver{Driver: fresh, objects: sai.StatusNotImplemented}); err != nil || !cold {
		t.Errorf("cold %v, %v", cold, err)
	}
	fresh = vsai.New(vsai.Config{})
	fresh.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpCreate {
			return sai.StatusUninitialized
		}
		return 0
	})
	if _, _, err := inventory.Open(fresh); err == nil || !strings.Contains(err.Error(), "initialise the switch") {
		t.Errorf("error is %v", err)
	}
	if _, _, err := inventory.Open(&driver{Driver: chip, twice: true}); err == nil || !strings.Contains(err.Error(), "2 switches") {
		t.Errorf("error is %v", err)
	}
}

// driver is a chip that fails, or boasts, when its objects are listed.
type driver struct {
	sai.Driver
	objects sai.Status
	twice   bool
}

func (d *driver) Objects(sw sai.OID, o *sai.ObjectMeta) ([]sai.Key, sai.Status) {
	if d.objects != 0 {
		return nil, d.objects
	}
	keys, st := d.Driver.Objects(sw, o)
	if d.twice {
		keys = append(keys, keys...)
	}
	return keys, st
}

// TestDefaultChip checks what is found on a chip like SONiC's virtual switch.
func TestDefaultChip(t *testing.T) {
	t.Parallel()
	_, sw := boot(t, "default", nil)
	dev, adopted := discover(t, sw).Name(rows(map[string][]uint32{
		"Ethernet0": {28, 26, 27, 25}, // in another order than the chip's
		"Ethernet4": {29, 30, 31, 32},
		"Ethernet8": {29, 30, 31, 32}, // taken
		"Loopback9": {1000},           // nowhere
	}))
	if len(dev.Ports) != 32 || len(dev.ByName) != 32 || dev.TrafficClasses != 16 || dev.PFCPriorities != 8 || !dev.AsymmetricPFC {
		t.Errorf("device: %d ports, %d classes, PFC apart %v", len(dev.Ports), dev.TrafficClasses, dev.AsymmetricPFC)
	}
	// Ports, their 20 queues, 8 priority groups and 10 of 13 scheduler groups, the switch, its hashes, its router and the port to the CPU.
	if want := 5 + 32*(1+20+8+10); len(adopted) != want {
		t.Errorf("%d objects, want %d", len(adopted), want)
	}
	p := dev.Ports[0]
	if p.Name != "Ethernet0" || !p.Configured || dev.ByName["Ethernet0"] != p || dev.ByName["Ethernet8"] != nil || dev.ByName["Loopback9"] != nil {
		t.Errorf("port: %+v", p)
	}
	if !slices.Equal(p.Lanes, []uint32{25, 26, 27, 28}) {
		t.Errorf("lanes: %v", p.Lanes)
	}
	last := dev.Ports[31]
	if last.Name != "lanes:97,98,99,100" || last.Configured {
		t.Errorf("port without row: %+v", last)
	}
	if got := p.PGs[3].String(); got != "INGRESS_PRIORITY_GROUP Ethernet0|3#buffer" || len(p.PGs) != 8 {
		t.Errorf("priority group %s of %d", got, len(p.PGs))
	}
	q := p.Queues[13]
	if len(p.Queues) != 20 || !q.Multicast || p.Queues[3].Multicast || q.Group != p.Queues[3].Group ||
		q.Group.String() != "SCHEDULER_GROUP Ethernet0|3#sched" || q.Buffer.String() != "QUEUE Ethernet0|13#buffer" || q.WRED.String() != "QUEUE Ethernet0|13#wred" {
		t.Errorf("queue: %+v", q)
	}
	if adopted[intent.SwitchKey] != sw.ID.OID() {
		t.Error("the switch is not adopted")
	}
	checkHandles(t, sw, dev, adopted)
}

// checkHandles checks that every name leads to the object it describes.
func checkHandles(t *testing.T, sw *sai.Switch, dev *intent.Device, adopted map[graph.Key]sai.OID) {
	t.Helper()
	for _, p := range dev.Ports {
		for i, k := range p.PGs {
			id := sai.ID[sai.IngressPriorityGroup](adopted[k.Object()])
			port, err := sai.Get(sw, id, sai.IngressPriorityGroupAttrPort)
			index, err2 := sai.Get(sw, id, sai.IngressPriorityGroupAttrIndex)
			if err != nil || err2 != nil || port.OID() != adopted[p.Object] || int(index) != i {
				t.Fatalf("%s: port %v index %d, %v %v", k, port, index, err, err2)
			}
		}
		for i, q := range p.Queues {
			id := sai.ID[sai.Queue](adopted[q.Buffer.Object()])
			port, err := sai.Get(sw, id, sai.QueueAttrPort)
			index, err2 := sai.Get(sw, id, sai.QueueAttrIndex)
			parent, err3 := sai.Get(sw, id, sai.QueueAttrParentSchedulerNode)
			if err != nil || err2 != nil || err3 != nil || port.OID() != adopted[p.Object] || int(index) != i || parent != adopted[q.Group.Object()] {
				t.Fatalf("%s: port %v index %d parent %v, %v %v %v", q.Buffer, port, index, parent, err, err2, err3)
			}
		}
	}
}

func TestChipsOfAllKinds(t *testing.T) {
	t.Parallel()
	for _, p := range vsai.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			_, sw := boot(t, p.Name, p.Layout()[:2])
			dev, adopted := discover(t, sw).Name(nil)
			want := p.BufferBytes &^ 1023
			if p.HideBuffer {
				want = 0
			}
			if dev.MMUBytes != want || len(dev.Ports) != 2 || len(dev.Ports[0].Queues) != p.Queues() {
				t.Errorf("%d bytes, want %d; %d ports", dev.MMUBytes, want, len(dev.Ports))
			}
			checkHandles(t, sw, dev, adopted)
		})
	}
}

// TestPoorChip checks a chip that has no scheduler groups and no limits to tell,
// and numbers its queues by kind.
func TestPoorChip(t *testing.T) {
	t.Parallel()
	chip, sw := boot(t, "default", []vsai.PortLayout{{Lanes: []uint32{1}, SpeedMbps: 100000}})
	chip.OnCall(func(c vsai.Call) sai.Status {
		for i, a := range c.Attrs {
			switch a.AttrMeta {
			case sai.PortAttrQoSSchedulerGroupList.AttrMeta, sai.SwitchAttrQoSMaxNumberOfTrafficClasses.AttrMeta:
				return sai.StatusAttrNotImplemented0 - sai.Status(i)
			}
		}
		return 0
	})
	sw.Driver = &byKind{sw.Driver}
	dev, adopted := discover(t, sw).Name(nil)
	p := dev.Ports[0]
	if dev.TrafficClasses != 0 || dev.AsymmetricPFC || len(p.Queues) != 20 || p.Queues[0].Group != (graph.Key{}) {
		t.Errorf("%+v, queue %+v", dev, p.Queues[0])
	}
	for i, q := range p.Queues {
		kind, err := sai.Get(sw, sai.ID[sai.Queue](adopted[q.Buffer.Object()]), sai.QueueAttrType)
		if err != nil || (kind == sai.QueueTypeMulticast) != q.Multicast || q.Multicast != (i >= 10) {
			t.Errorf("queue %d: %v, %+v, %v", i, kind, q, err)
		}
	}
}

// byKind numbers queues from 0 for each kind, and sets no PFC apart.
type byKind struct{ sai.Driver }

func (b *byKind) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	all := b.Driver.BulkGet(o, keys, attrs, st)
	for i := range attrs {
		for j := range attrs[i] {
			if attrs[i][j].AttrMeta == sai.QueueAttrIndex.AttrMeta {
				attrs[i][j].Num %= 10
			}
		}
	}
	return all
}

func (b *byKind) AttrCapability(sai.OID, *sai.ObjectMeta, uint32) (create, set, get bool, st sai.Status) {
	return false, false, true, 0
}

// TestErrors checks that what can't be read is named.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		attr *sai.AttrMeta
		st   sai.Status
		want []string
	}{
		{sai.SwitchAttrPortList.AttrMeta, sai.StatusAttrNotImplemented0, []string{"discover the switch", "SAI_SWITCH_ATTR_PORT_LIST"}},
		{sai.SwitchAttrCPUPort.AttrMeta, sai.StatusInvalidAttrValue0, []string{"discover the switch", "SWITCH oid:0x21", "CPU_PORT"}},
		{sai.PortAttrHwLaneList.AttrMeta, sai.StatusAttrNotSupported0, []string{"discover ports", "port oid:0x1", "SAI_PORT_ATTR_HW_LANE_LIST"}},
		{sai.PortAttrQoSQueueList.AttrMeta, sai.StatusInvalidAttrValue0, []string{"PORT oid:0x1", "QOS_QUEUE_LIST"}},
		{sai.QueueAttrIndex.AttrMeta, sai.StatusInvalidAttrValue0, []string{"QUEUE oid:0x15", "INDEX"}},
		{sai.IngressPriorityGroupAttrIndex.AttrMeta, sai.StatusInvalidAttrValue0, []string{"INGRESS_PRIORITY_GROUP oid:0x1a", "INDEX"}},
		{sai.SchedulerGroupAttrChildList.AttrMeta, sai.StatusInvalidAttrValue0, []string{"SCHEDULER_GROUP oid:0x17", "CHILD_LIST"}},
	} {
		chip, sw := boot(t, "default", nil)
		chip.OnCall(func(c vsai.Call) sai.Status {
			for i, a := range c.Attrs {
				if a.AttrMeta == tt.attr {
					return tt.st - sai.Status(i)
				}
			}
			return 0
		})
		_, err := inventory.Discover(sw)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error is %v, want %q in it", tt.attr.FullName(), err, want)
			}
		}
	}
}

// TestFewCalls checks that discovery asks in bulk.
func TestFewCalls(t *testing.T) {
	t.Parallel()
	chip, sw := boot(t, "th5", nil)
	chip.ResetCalls()
	discover(t, sw)
	asked := 0 // what the chip can do, which no bulk call tells
	for _, c := range chip.Calls() {
		if c.Op == vsai.OpCapability {
			asked++
		}
	}
	if n := len(chip.Calls()) - asked; n > 8 || asked > 25 {
		t.Errorf("%d calls for 64 ports, and %d about capabilities", n, asked)
	}
}

func BenchmarkDiscover(b *testing.B) {
	for _, n := range []int{64, 128, 512} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ports := make([]vsai.PortLayout, n)
			names := map[string][]uint32{}
			for i := range ports {
				ports[i] = vsai.PortLayout{Lanes: []uint32{uint32(i + 1)}, SpeedMbps: 100000}
				names[fmt.Sprintf("Ethernet%d", i)] = ports[i].Lanes
			}
			_, sw := boot(b, "th5", ports)
			config := rows(names)
			b.ReportAllocs()
			for b.Loop() {
				discover(b, sw).Name(config)
			}
		})
	}
}
