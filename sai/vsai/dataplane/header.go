package dataplane

import "net/netip"

// MAC is an Ethernet address.
type MAC [6]byte

// Header is what switches read of a packet. What changes from switch to switch
// without a route (DSCP, PCP, ECN, TTL) lies in the packet itself.
type Header struct {
	DstMAC, SrcMAC   MAC
	Tagged           bool   // has an 802.1Q tag, and so a PCP
	VLAN             uint16 // of it; 0: it gives only a priority
	EtherType        uint16 // of what is not IP
	Src, Dst         netip.Addr
	Protocol         uint8
	SrcPort, DstPort uint16
	QP               uint32 // destination queue pair of RoCEv2's base transport header, 24 bits
	Opcode           uint8  // of it
}

// RoCE is the UDP port of RoCEv2.
const RoCE = 4791

// IP reports whether a packet has a header of IP, and so a DSCP.
func (h *Header) IP() bool { return h.Protocol != 0 || h.Dst.IsValid() }

// EtherTypes of IP.
const (
	IPv4 uint16 = 0x0800
	IPv6 uint16 = 0x86DD
)

// Type is the EtherType of what a frame carries.
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

// Header returns the number of a header; equal ones have the same.
func (s *Sim) Header(h Header) uint32 {
	if n, ok := s.headerAt[h]; ok {
		return n
	}
	n := uint32(len(s.headers))
	s.headers = append(s.headers, h)
	s.headerAt[h] = n
	return n
}
