package dataplane_test

import (
	"errors"
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestPFCConformance is what a test laboratory sends to a bridge with PFC, and which
// classes port 1 must not send afterwards. Nothing of it is forwarded.
func TestPFCConformance(t *testing.T) {
	const all = 0xFFFF
	on3 := pfc(1<<3, all)
	set := func(at int, value byte) []byte { return sealed(on3, func(b []byte) { b[at] = value }) }
	type result struct{ heard, ignored, errors uint64 }
	heard, ignored, bad := result{heard: 1}, result{ignored: 1}, result{errors: 1}
	for _, c := range []struct {
		name   string
		frames [][]byte
		want   uint8 // classes that are paused
		counts result
	}{
		{"class 3", [][]byte{on3}, 1 << 3, heard},
		{"65535, then 0", [][]byte{on3, pfc(1<<3, 0)}, 0, result{heard: 2}},
		{"65535, then 0 of another class", [][]byte{on3, pfc(1<<4, 0)}, 1 << 3, heard},
		{"no class enabled", [][]byte{sealed(on3, func(b []byte) { b[17] = 0 })}, 0, result{}},
		{"time of a class that is not enabled", [][]byte{sealed(on3, func(b []byte) { b[18] = 0xFF })}, 1 << 3, heard},
		{"two classes in a frame", [][]byte{pfc(1<<3|1<<5, all)}, 1<<3 | 1<<5, heard},
		{"all classes in a frame", [][]byte{pfc(0xFF, all)}, 0xFF, heard},
		{"high octet of the vector", [][]byte{set(16, 0xFF)}, 1 << 3, heard},
		{"other multicast destination", [][]byte{set(5, 0x02)}, 0, ignored},
		{"the bridge's address", [][]byte{sealed(on3, func(b []byte) { copy(b, station[:]) })}, 0, ignored},
		{"broadcast", [][]byte{sealed(on3, func(b []byte) { copy(b, "\xFF\xFF\xFF\xFF\xFF\xFF") })}, 0, ignored},
		{"opcode 0102", [][]byte{set(15, 2)}, 0, ignored},
		{"opcode 0103", [][]byte{set(15, 3)}, 0, ignored},
		{"opcode 0104", [][]byte{set(15, 4)}, 0, ignored},
		{"opcode 0105", [][]byte{set(15, 5)}, 0, ignored},
		{"opcode 0106", [][]byte{set(15, 6)}, 0, ignored},
		{"opcode 0107", [][]byte{set(15, 7)}, 0, ignored},
		{"802.3x", [][]byte{dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{all}}.Frame()}, 0, result{}},
		{"damaged", [][]byte{append(on3[:63:63], on3[63]^1)}, 0, bad},
		{"runt", [][]byte{sealed(on3[:40], func([]byte) {})}, 0, bad},
		{"in a VLAN", [][]byte{sealed(append(append(append([]byte(nil), on3[:12]...), 0x81, 0, 0x60, 100), on3[12:]...), func([]byte) {})}, 0, ignored},
		{"damaged, then whole", [][]byte{append(on3[:63:63], on3[63]^1), on3}, 1 << 3, result{heard: 1, errors: 1}},
	} {
		b := newBench(t, receivingPFC(100e9))
		for _, f := range c.frames {
			b.deliver(t, f)
		}
		b.pass(t, 10*dataplane.Microsecond)
		for class := range dataplane.Classes {
			if got, want := b.port.Paused(class), c.want&(1<<class) != 0; got != want {
				t.Errorf("%s: class %d paused %v, want %v", c.name, class, got, want)
			}
		}
		s := b.port.Stats
		if got := (result{s.PFCHeard[3], s.ControlIgnored, s.InErrors}); got != c.counts {
			t.Errorf("%s: counted %+v, want %+v", c.name, got, c.counts)
		}
		for _, i := range []int{0, 2} {
			if n := b.sw.Ports()[i].Stats.OutPackets; n != 0 {
				t.Errorf("%s: %d frames left by port %d, want none", c.name, n, i)
			}
		}
	}
}

// TestPFCEachClass: one of eight backlogged classes stops, each in its turn.
func TestPFCEachClass(t *testing.T) {
	for class := range uint8(dataplane.Classes) {
		b := newBench(t, receivingPFC(100e9), 0, 1, 2, 3, 4, 5, 6, 7)
		b.pass(t, 20*dataplane.Microsecond)
		at := b.Now()
		b.deliver(t, pfc(1<<class, 0xFFFF))
		b.pass(t, 20*dataplane.Microsecond)
		for other := range uint8(dataplane.Classes) {
			if got := len(b.after(at, other)); (got == 0) != (other == class) {
				t.Errorf("pause of class %d: %d packets of class %d", class, got, other)
			}
		}
	}
}

// TestPFCInAnyVLAN: a class is paused whatever the VLAN.
func TestPFCInAnyVLAN(t *testing.T) {
	b := newBench(t, receivingPFC(100e9))
	for i, vlan := range []uint16{100, 200} {
		h := dataplane.Header{DstMAC: b.hosts[1].Config().MAC, Tagged: true, VLAN: vlan}
		if _, err := b.AddFlow(dataplane.FlowConfig{From: b.hosts[2*i], To: b.hosts[1], Class: 3, Payload: benchPayload, Header: &h}); err != nil {
			t.Fatal(err)
		}
	}
	b.pass(t, 20*dataplane.Microsecond)
	before := [2]uint64{b.Flows()[0].Stats.Received, b.Flows()[1].Stats.Received}
	if before[0] == 0 || before[1] == 0 {
		t.Fatalf("%v packets arrived before the pause, want some of each VLAN", before)
	}
	b.deliver(t, pfc(1<<3, 0xFFFF))
	b.pass(t, 100*dataplane.Nanosecond) // of which one frame takes 15
	stopped := [2]uint64{b.Flows()[0].Stats.Received, b.Flows()[1].Stats.Received}
	b.pass(t, 100*dataplane.Microsecond)
	if after := [2]uint64{b.Flows()[0].Stats.Received, b.Flows()[1].Stats.Received}; after != stopped {
		t.Errorf("%v packets had arrived of the VLANs soon after the pause, %v in the end", stopped, after)
	}
}

// TestInjectRefuses: frames that are not MAC control frames, and a port without a link.
func TestInjectRefuses(t *testing.T) {
	b := newBench(t, receivingPFC(100e9))
	data := sealed(pfc(1, 1), func(b []byte) { b[12], b[13] = 0x08, 0x00 })
	if err := b.Inject(b.port, data); !errors.Is(err, dataplane.ErrNotControl) {
		t.Errorf("a frame of data: %v, want %v", err, dataplane.ErrNotControl)
	}
	down := receivingPFC(100e9)
	down.Down = true
	b.SetPort(b.hosts[1].Port(), down)
	if err := b.Inject(b.port, pfc(1, 1)); err == nil || b.port.Paused(0) {
		t.Errorf("over a link that is down: %v, want an error", err)
	}
	if s := b.port.Stats; s.InPackets != 0 || s.InErrors != 0 {
		t.Errorf("%d packets, %d errors were counted, want none", s.InPackets, s.InErrors)
	}
}
