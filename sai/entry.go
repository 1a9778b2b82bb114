package sai

import (
	"encoding/hex"
	"net/netip"
	"unsafe"
)

// PrefixOf converts a prefix for an entry struct, and clears its host bits.
func PrefixOf(x netip.Prefix) IPPrefix {
	a := AddressOf(x.Masked().Addr())
	p := IPPrefix{AddrFamily: a.AddrFamily, Addr: a.Addr}
	m := octets(&p.Mask)
	for i, n := 0, x.Bits(); n > 0; i, n = i+1, n-8 {
		m[i] = byte(0xff << max(0, 8-n))
	}
	return p
}

// AddressOf converts an address for an entry struct.
func AddressOf(x netip.Addr) IPAddress {
	var a IPAddress
	if x.Is6() {
		a.AddrFamily = IPAddrFamilyIPv6
	}
	copy(octets(&a.Addr), x.AsSlice())
	return a
}

// Netip is the inverse of AddressOf.
func (a IPAddress) Netip() netip.Addr {
	b := octets(&a.Addr)
	if a.AddrFamily == IPAddrFamilyIPv6 {
		return netip.AddrFrom16([16]byte(b))
	}
	return netip.AddrFrom4([4]byte(b))
}

// Netip is the inverse of PrefixOf. The length is the number of leading ones in the
// mask.
func (p IPPrefix) Netip() netip.Prefix {
	a, n := IPAddress{AddrFamily: p.AddrFamily, Addr: p.Addr}.Netip(), 0
	m := octets(&p.Mask)
	for n < a.BitLen() && m[n/8]>>(7-n%8)&1 != 0 {
		n++
	}
	return netip.PrefixFrom(a, n)
}

// octets returns the memory of an address, which is in network byte order.
func octets(a *[4]uint32) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(a)), 16) }

// EntryOf reads an entry struct from its bytes. ok is false if the number of bytes is
// wrong.
func EntryOf[E Object](entry []byte) (e E, ok bool) {
	if e.Meta().Entry == 0 || len(entry) != int(unsafe.Sizeof(e)) {
		return e, false
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&e)), len(entry)), entry)
	return e, true
}

// EntryText is the ASIC_DB key of an object without ID: the members of its struct in
// JSON, in alphabetical order.
//
//	{"dest":"10.0.0.0/31","switch_id":"oid:0x21000000000000","vr":"oid:0x3000000000022"}
//
// An entry of an unknown type is printed in hexadecimal.
//
// Source: the keys that SONiC's sairedis writes.
func EntryText(o *ObjectMeta, entry []byte) string {
	switch o {
	case RouteEntry{}.Meta():
		if e, ok := EntryOf[RouteEntry](entry); ok {
			p := e.Destination.Netip()
			return `{"dest":"` + string(prefixCodec{}.text(nil, nil, p)) + `","switch_id":"` + e.SwitchID.String() + `","vr":"` + e.VrID.String() + `"}`
		}
	case NeighborEntry{}.Meta():
		if e, ok := EntryOf[NeighborEntry](entry); ok {
			ip := string(appendAddr(nil, e.IPAddress.Netip()))
			return `{"ip":"` + ip + `","rif":"` + e.RifID.String() + `","switch_id":"` + e.SwitchID.String() + `"}`
		}
	case FDBEntry{}.Meta():
		if e, ok := EntryOf[FDBEntry](entry); ok {
			return `{"bvid":"` + e.BvID.String() + `","mac":"` + e.MACAddress.String() + `","switch_id":"` + e.SwitchID.String() + `"}`
		}
	}
	return hex.EncodeToString(entry)
}
