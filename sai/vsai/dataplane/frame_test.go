package dataplane_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"xon/sai/vsai/dataplane"
)

var station = dataplane.MAC{0x00, 0x1B, 0x21, 0x0A, 0x0B, 0x0C}

// TestR20PFCFrame: 64 octets with the FCS, of which 26 are padding.
func TestR20PFCFrame(t *testing.T) {
	c := dataplane.Control{Source: station, Opcode: dataplane.OpPFC, Enabled: 0b1001, Quanta: [8]uint16{0: 0xFFFF, 3: 0x0011}}
	want := "0180c2000001" + "001b210a0b0c" + "8808" + "0101" + "0009" +
		"ffff" + "0000" + "0000" + "0011" + "0000" + "0000" + "0000" + "0000" + strings.Repeat("00", 26)
	sameFrame(t, c, want)
}

// TestR19PauseFrame: 64 octets with the FCS, of which 42 are padding.
func TestR19PauseFrame(t *testing.T) {
	c := dataplane.Control{Source: station, Opcode: dataplane.OpPause, Quanta: [8]uint16{0x1234}}
	sameFrame(t, c, "0180c2000001"+"001b210a0b0c"+"8808"+"0001"+"1234"+strings.Repeat("00", 42))
}

func sameFrame(t *testing.T, c dataplane.Control, want string) {
	t.Helper()
	b := c.Frame()
	if got := hex.EncodeToString(b[:60]); len(b) != 64 || got != want {
		t.Errorf("%d octets\n%s, want 64\n%s", len(b), got, want)
	}
	// A receiver's CRC over a frame including its FCS has this residue.
	if got := crc32.ChecksumIEEE(b); got != 0x2144DF1C {
		t.Errorf("residue of the FCS %08x, want 2144df1c", got)
	}
	if got, err := dataplane.ParseControl(b, station); err != nil || got != c {
		t.Errorf("read back %+v, %v, want %+v", got, err, c)
	}
	if got := (len(b) + dataplane.WireOverhead) * 8; got != 672 {
		t.Errorf("%d bit times on the wire, want 672", got)
	}
}

// sealed changes a frame and updates its FCS.
func sealed(frame []byte, change func(b []byte)) []byte {
	body := append([]byte(nil), frame[:len(frame)-4]...)
	change(body)
	return binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
}

// pfc is the frame that pauses classes for quanta.
func pfc(classes uint8, quanta uint16) []byte {
	return dataplane.NewRequest(classes, 0).PFC(station, quanta).Frame()
}

func TestParseControlRejects(t *testing.T) {
	good := pfc(1<<3, 0xFFFF)
	pause := dataplane.Control{Source: station, Opcode: dataplane.OpPause}.Frame()
	own := func(b []byte) { copy(b, station[:]) }
	tagged := append(append(append([]byte(nil), good[:12]...), 0x81, 0x00, 0x60, 0x64), good[12:]...)
	damaged := append([]byte(nil), good...)
	damaged[20] ^= 1
	for _, c := range []struct {
		name  string
		frame []byte
		want  error
		says  string
	}{
		{"runt", good[:63], dataplane.ErrLength, "63 octets"},
		{"empty", nil, dataplane.ErrLength, "0 octets"},
		{"giant", make([]byte, 1519), dataplane.ErrLength, "1519 octets"},
		{"damaged", damaged, dataplane.ErrFCS, "want"},
		{"tagged", sealed(tagged, func([]byte) {}), dataplane.ErrTagged, "0x8100"},
		{"other EtherType", sealed(good, func(b []byte) { b[12], b[13] = 0x08, 0x00 }), dataplane.ErrNotControl, "0x0800"},
		{"opcode 0102", sealed(good, func(b []byte) { b[15] = 2 }), dataplane.ErrOpcode, "0x0102"},
		{"other group address", sealed(good, func(b []byte) { b[5] = 2 }), dataplane.ErrAddress, "0180c2000002"},
		{"PFC to the station", sealed(good, own), dataplane.ErrAddress, "001b210a0b0c"},
		{"802.3x to the station", sealed(pause, own), nil, ""},
		{"longer than need be", sealed(append(good[:60:60], make([]byte, 40)...), func([]byte) {}), nil, ""},
		{"padding with something in it", sealed(good, func(b []byte) { b[50] = 7 }), nil, ""},
	} {
		_, err := dataplane.ParseControl(c.frame, station)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v: want it to name %s", c.name, err, c.says)
		}
	}
}

// FuzzParseControl: parsing any octets gives the same as parsing the frame built from
// the result.
func FuzzParseControl(f *testing.F) {
	f.Add(pfc(0xFF, 1), true)
	f.Add(pfc(0, 0), false)
	f.Add(dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{7}}.Frame(), true)
	f.Add([]byte{1, 2, 3}, true)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal && len(b) >= 4 {
			b = sealed(b, func([]byte) {})
		}
		c, err := dataplane.ParseControl(b, station)
		if err != nil {
			if c != (dataplane.Control{}) {
				t.Fatalf("%v, and yet %+v", err, c)
			}
			return
		}
		again, err := dataplane.ParseControl(c.Frame(), station)
		if err != nil || again != c {
			t.Fatalf("%+v, then %+v, %v", c, again, err)
		}
	})
}

// TestR22Request: two bits a class, the first to pause it.
func TestR22Request(t *testing.T) {
	for _, c := range []struct {
		pause, resume uint8
		want          dataplane.Request
	}{
		{1 << 0, 0, 0x0001},
		{0, 1 << 0, 0x0002},
		{1 << 3, 0, 0x0040}, // the fourth class
		{1 << 5, 0, 0x0400}, // the sixth
		{0, 1 << 7, 0x8000},
		{0xFF, 0, 0x5555},
		{0b1001, 0b0110, 0x0069},
	} {
		r := dataplane.NewRequest(c.pause, c.resume)
		if r != c.want || r.Pause() != c.pause || r.Resume() != c.resume {
			t.Errorf("pause %08b, resume %08b: %#04x, which says %08b, %08b; want %#04x", c.pause, c.resume, r, r.Pause(), r.Resume(), c.want)
		}
	}
	if r := dataplane.Request(0x0003); r.Pause() != 1 || r.Resume() != 0 {
		t.Errorf("both asked of a class: pause %08b, resume %08b, want a pause", r.Pause(), r.Resume())
	}
}

// TestS10RequestToFrame: a pause of the fourth class has time 0xFFFF, a resume 0, and
// several classes share a frame.
func TestS10RequestToFrame(t *testing.T) {
	c := dataplane.Request(0x0040).PFC(station, 0xFFFF)
	if want := (dataplane.Control{Source: station, Opcode: dataplane.OpPFC, Enabled: 1 << 3, Quanta: [8]uint16{3: 0xFFFF}}); c != want {
		t.Errorf("pause of the fourth class: %+v, want %+v", c, want)
	}
	c = dataplane.NewRequest(0b10001, 0b1000).PFC(station, 0x00FF)
	if c.Enabled != 0b11001 || c.Quanta != [8]uint16{0: 0xFF, 3: 0, 4: 0xFF} {
		t.Errorf("three classes: %+v", c)
	}
}
