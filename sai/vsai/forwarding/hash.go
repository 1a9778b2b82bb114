package forwarding

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"net/netip"

	"xon/sai/vsai/dataplane"
)

// Fields is a set of packet fields that are hashed.
type Fields uint16

// Fields, as SAI_NATIVE_HASH_FIELD. Those of RDMA apply to packets to UDP port 4791.
const (
	FieldSrcIP Fields = 1 << iota
	FieldDstIP
	FieldProtocol
	FieldSrcPort
	FieldDstPort
	FieldSrcMAC
	FieldDstMAC
	FieldEtherType
	FieldVLAN
	FieldInPort
	FieldOpcode
	FieldQP

	FiveTuple = FieldSrcIP | FieldDstIP | FieldProtocol | FieldSrcPort | FieldDstPort
)

// Algorithm is a hash algorithm.
type Algorithm uint8

// Algorithms, as SAI_HASH_ALGORITHM. CRC and XOR are linear: the hashes of two seeds
// differ by the same bits for all packets. If an upstream switch has chosen among two,
// four, eight … next hops by the same hash, a different seed alone does not spread its
// packets; a different Offset does.
const (
	Mixed Algorithm = iota // every bit depends on the whole packet and the seed
	CRC                    // CRC-32 of IEEE 802.3, starting with the seed
	XOR                    // of all words and the seed
)

// Hash configures the choice among next hops.
type Hash struct {
	Fields    Fields // 0: FiveTuple
	Algorithm Algorithm
	Seed      uint32
	Offset    uint8 // bits by which the hash is rotated right
}

// SetHash configures the hashes for IPv4 and IPv6.
func (t *Tables) SetHash(ip4, ip6 Hash) {
	t.hash4, t.hash6 = ip4, ip6
	t.sw.InvalidateDecisions()
}

// sum returns the hash of a packet from an ingress port.
func (h *Hash) sum(in int, p *dataplane.Header) uint32 {
	var space [96]byte
	b := h.words(space[:0], in, p)
	n := h.Seed
	switch h.Algorithm {
	case CRC:
		n = crc32.Update(n, crc32.IEEETable, b)
	case XOR:
		for ; len(b) > 0; b = b[4:] {
			n ^= binary.BigEndian.Uint32(b)
		}
	case Mixed:
		for ; len(b) > 0; b = b[4:] {
			n = mix(n ^ binary.BigEndian.Uint32(b))
		}
	}
	return bits.RotateLeft32(n, -int(h.Offset))
}

// mix changes on average half of the bits for each changed bit of n (the finalizer of
// MurmurHash3).
func mix(n uint32) uint32 {
	n += 0x9e3779b9
	n = (n ^ n>>16) * 0x85ebca6b
	n = (n ^ n>>13) * 0xc2b2ae35
	return n ^ n>>16
}

// words appends the hashed fields, each padded to 32-bit words.
func (h *Hash) words(b []byte, in int, p *dataplane.Header) []byte {
	fields := h.Fields
	if fields == 0 {
		fields = FiveTuple
	}
	roce := p.Protocol == dataplane.UDP && p.DstPort == dataplane.RoCE
	number := func(f Fields, n uint32) {
		if fields&f != 0 {
			b = binary.BigEndian.AppendUint32(b, n)
		}
	}
	ip := func(f Fields, a netip.Addr) {
		if fields&f != 0 && a.IsValid() {
			b = append(b, a.Unmap().AsSlice()...)
		}
	}
	mac := func(f Fields, m dataplane.MAC) {
		number(f, uint32(m[0])<<8|uint32(m[1]))
		number(f, binary.BigEndian.Uint32(m[2:]))
	}
	ip(FieldSrcIP, p.Src)
	ip(FieldDstIP, p.Dst)
	number(FieldProtocol, uint32(p.Protocol))
	number(FieldSrcPort, uint32(p.SrcPort))
	number(FieldDstPort, uint32(p.DstPort))
	mac(FieldSrcMAC, p.SrcMAC)
	mac(FieldDstMAC, p.DstMAC)
	number(FieldEtherType, uint32(p.Type()))
	number(FieldVLAN, uint32(p.VLAN))
	number(FieldInPort, uint32(in))
	if roce {
		number(FieldOpcode, uint32(p.Opcode))
		number(FieldQP, p.QP)
	}
	return b
}
