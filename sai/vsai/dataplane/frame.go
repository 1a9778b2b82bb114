package dataplane

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Opcodes of MAC control frames, IEEE 802.3 table 31A-1.
const (
	OpPause uint16 = 0x0001 // 802.3x, annex 31B
	OpPFC   uint16 = 0x0101 // 802.1Qbb, annex 31D
)

// Lengths in octets.
const (
	// ControlBytes is the size of a MAC control frame from destination address to FCS.
	ControlBytes = 64
	// WireOverhead is what each frame takes on the wire besides its bytes: preamble and
	// start delimiter 8, gap 12.
	WireOverhead = 20

	maxControlBytes = 1518
	fcsBytes        = 4
)

const (
	typeControl  = 0x8808
	typeTagged   = 0x8100
	typeTaggedBy = 0x88A8 // 802.1ad service tag
)

// Offsets in a MAC control frame.
const (
	atSource = 6
	atType   = 12
	atOpcode = 14
	atPause  = 16 // pause_time of 802.3x
	atVector = 16
	atTimes  = 18 // eight of PFC
)

// ControlMAC is the destination of MAC control frames, which bridges do not forward.
var ControlMAC = MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}

// Faults of a MAC control frame. A MAC that receives such a frame ignores and drops it.
var (
	ErrLength     = errors.New("length")                    // too short or too long
	ErrFCS        = errors.New("frame check sequence")      // damaged
	ErrTagged     = errors.New("VLAN tag")                  // MAC control is link-local, not part of a VLAN
	ErrNotControl = errors.New("not a MAC control frame")   // another EtherType
	ErrAddress    = errors.New("wrong destination address") // neither ControlMAC nor, for 802.3x, the station's own
	ErrOpcode     = errors.New("unsupported opcode")        // neither OpPause nor OpPFC
)

// Control is the content of a MAC control frame.
type Control struct {
	Source MAC
	Opcode uint16 // OpPause or OpPFC
	// Enabled is the class-enable vector of PFC: bit n for priority n. A set bit with
	// quanta 0 resumes the priority.
	Enabled uint8
	// Quanta are pause times in units of 512 bit times at the receiver's rate, per
	// priority; 802.3x uses the first for the port.
	Quanta [Classes]uint16
}

// Frame returns the frame from destination address to FCS: 64 octets.
func (c Control) Frame() []byte {
	b := make([]byte, ControlBytes)
	copy(b, ControlMAC[:])
	copy(b[atSource:], c.Source[:])
	binary.BigEndian.PutUint16(b[atType:], typeControl)
	binary.BigEndian.PutUint16(b[atOpcode:], c.Opcode)
	if c.Opcode == OpPause {
		binary.BigEndian.PutUint16(b[atPause:], c.Quanta[0])
	} else {
		b[atVector+1] = c.Enabled
		for i, q := range c.Quanta {
			binary.BigEndian.PutUint16(b[atTimes+2*i:], q)
		}
	}
	seal(b)
	return b
}

// seal writes the FCS into the frame's last four octets, IEEE 802.3 3.2.9.
func seal(b []byte) {
	body := b[:len(b)-fcsBytes]
	binary.LittleEndian.PutUint32(b[len(body):], crc32.ChecksumIEEE(body))
}

// ParseControl parses a MAC control frame with its FCS, as the station own receives it.
// It ignores padding and the vector's high octet; times of priorities that are not
// enabled are 0. The error is one of those above, with the wrong value.
func ParseControl(frame []byte, own MAC) (Control, error) {
	if err := whole(frame); err != nil {
		return Control{}, err
	}
	switch kind := binary.BigEndian.Uint16(frame[atType:]); kind {
	case typeControl:
	case typeTagged, typeTaggedBy:
		return Control{}, fmt.Errorf("%w: EtherType %#04x", ErrTagged, kind)
	default:
		return Control{}, fmt.Errorf("%w: EtherType %#04x, want %#04x", ErrNotControl, kind, typeControl)
	}
	c := Control{Source: MAC(frame[atSource:atType]), Opcode: binary.BigEndian.Uint16(frame[atOpcode:])}
	to := MAC(frame[:atSource])
	if c.Opcode != OpPause && c.Opcode != OpPFC {
		return Control{}, fmt.Errorf("%w: %#04x, want %#04x or %#04x", ErrOpcode, c.Opcode, OpPause, OpPFC)
	}
	if to != ControlMAC && (c.Opcode != OpPause || to != own) {
		return Control{}, fmt.Errorf("%w: %x, want %x", ErrAddress, to, ControlMAC)
	}
	c.read(frame)
	return c, nil
}

// whole returns the fault of a frame that a MAC does not parse.
func whole(frame []byte) error {
	n := len(frame)
	if n < ControlBytes || n > maxControlBytes {
		return fmt.Errorf("%w: %d octets with FCS, want %d to %d", ErrLength, n, ControlBytes, maxControlBytes)
	}
	body, got := frame[:n-fcsBytes], binary.LittleEndian.Uint32(frame[n-fcsBytes:])
	if want := crc32.ChecksumIEEE(body); got != want {
		return fmt.Errorf("%w: %08x, want %08x", ErrFCS, got, want)
	}
	return nil
}

func (c *Control) read(frame []byte) {
	if c.Opcode == OpPause {
		c.Quanta[0] = binary.BigEndian.Uint16(frame[atPause:])
		return
	}
	c.Enabled = frame[atVector+1]
	for i := range c.Quanta {
		if c.Enabled&(1<<i) != 0 {
			c.Quanta[i] = binary.BigEndian.Uint16(frame[atTimes+2*i:])
		}
	}
}

// Request is a pause request to the peer: two bits per class, 2n to pause class n and
// 2n+1 to resume it.
type Request uint16

// NewRequest makes a request from bit sets of classes.
func NewRequest(pause, resume uint8) Request {
	var r Request
	for c := range Classes {
		r |= Request(pause>>c&1)<<(2*c) | Request(resume>>c&1)<<(2*c+1)
	}
	return r
}

// Pause returns the classes to pause. A class in both sets is paused: an unneeded pause
// costs time, a missing one costs packets.
func (r Request) Pause() uint8 { return r.bits(0) }

// Resume returns the classes to resume.
func (r Request) Resume() uint8 { return r.bits(1) &^ r.bits(0) }

func (r Request) bits(first int) (out uint8) {
	for c := range Classes {
		out |= uint8(r>>(2*c+first)&1) << c
	}
	return out
}

// PFC returns the frame for a request: paused classes have the given quanta, resumed
// ones 0.
func (r Request) PFC(source MAC, quanta uint16) Control {
	c := Control{Source: source, Opcode: OpPFC, Enabled: r.Pause() | r.Resume()}
	for i := range Classes {
		if r.Pause()&(1<<i) != 0 {
			c.Quanta[i] = quanta
		}
	}
	return c
}
