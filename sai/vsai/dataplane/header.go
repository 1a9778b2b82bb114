package dataplane

import "net/netip"

// MAC is an Ethernet address.
type MAC [6]byte

// Header is what switches read of a packet. Fields that change from hop to hop without
// routing (DSCP, PCP, ECN, TTL) are in the packet itself.
type Header struct {
	DstMAC, SrcMAC   MAC
	Tagged           bool   // has an 802.1Q tag, and so a PCP
	VLAN             uint16 // of the tag; 0: priority only
	EtherType        uint16 // if not IP
	Src, Dst         netip.Addr
	Protocol         uint8
	SrcPort, DstPort uint16
	QP               uint32 // destination queue pair of RoCEv2's base transport header, 24 bits
	Opcode           uint8  // of the base transport header
}

// RoCE is the UDP port of RoCEv2.
const RoCE = 4791

// IP reports whether a packet has an IP header, and so a DSCP.
func (h *Header) IP() bool { return h.Protocol != 0 || h.Dst.IsValid() }

// EtherTypes of IP.
const (
	IPv4 uint16 = 0x0800
	IPv6 uint16 = 0x86DD
)

// Type returns the EtherType of the payload.
func (h *Header) Type() uint16 {
	switch {
	case !h.IP():
		return h.EtherType
	case h.Dst.Is6() && !h.Dst.Is4In6():
		return IPv6
	}
	return IPv4
}

// Protocols of IP.
const (
	TCP uint8 = 6
	UDP uint8 = 17
)

// Header returns the number of a header; equal headers have the same number.
func (s *Sim) Header(h Header) uint32 {
	if n, ok := s.headerAt[h]; ok {
		return n
	}
	n := uint32(len(s.headers))
	s.headers = append(s.headers, h)
	s.headerAt[h] = n
	return n
}
