package sai

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// macCodec encodes a MAC.
type macCodec struct{}

func (macCodec) text(b []byte, _ *EnumMeta, ref any) []byte {
	m, _ := ref.(MAC)
	return m.appendTo(b)
}

func (macCodec) parse(s string, _ *EnumMeta) (any, error) { return ParseMAC(s) }

func (macCodec) put(b []byte, ref any) []byte {
	m, _ := ref.(MAC)
	return append(b, m[:]...)
}

func (macCodec) get(b []byte) (any, []byte, error) {
	var m MAC
	if len(b) < len(m) {
		return nil, nil, wireErr("MAC address in %d bytes", len(b))
	}
	return MAC(b[:len(m)]), b[len(m):], nil
}

func (macCodec) equal(x, y any) bool {
	a, _ := x.(MAC)
	b, _ := y.(MAC)
	return a == b
}

func (macCodec) check(_ *EnumMeta, ref any) bool {
	_, ok := ref.(MAC)
	return ok || ref == nil
}

// addrCodec encodes a netip.Addr of 4 or 16 bytes; size 0: either.
type addrCodec struct{ size int }

// of returns the address in ref, or the zero address.
func (r addrCodec) of(ref any) netip.Addr {
	a, _ := ref.(netip.Addr)
	if a.IsValid() {
		return a.WithZone("")
	}
	if r.size == 16 {
		return netip.IPv6Unspecified()
	}
	return netip.IPv4Unspecified()
}

func (r addrCodec) text(b []byte, _ *EnumMeta, ref any) []byte { return appendAddr(b, r.of(ref)) }

// appendAddr formats an address as inet_ntop does. netip differs in one case: it has no
// dotted form for the old IPv4-compatible addresses, ::192.0.2.1.
func appendAddr(b []byte, a netip.Addr) []byte {
	if a.Is6() {
		x := a.As16()
		if [12]byte(x[:12]) == [12]byte{} && (x[12] != 0 || x[13] != 0) {
			return netip.AddrFrom4([4]byte(x[12:])).AppendTo(append(b, "::"...))
		}
	}
	return a.AppendTo(b)
}

func (r addrCodec) parse(s string, _ *EnumMeta) (any, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return nil, fmt.Errorf("%q is not an IP address", clip(s))
	}
	if r.size != 0 && a.BitLen() != r.size*8 {
		return nil, fmt.Errorf("%q is not an address of %d bits", clip(s), r.size*8)
	}
	return a, nil
}

func (r addrCodec) put(b []byte, ref any) []byte {
	s := r.of(ref).AsSlice()
	return append(append(b, byte(len(s))), s...)
}

func (r addrCodec) get(b []byte) (any, []byte, error) {
	a, rest, err := readAddr(b)
	if err == nil && r.size != 0 && a.BitLen() != r.size*8 {
		return nil, nil, wireErr("address of %d bits, want %d", a.BitLen(), r.size*8)
	}
	return a, rest, err
}

func readAddr(b []byte) (netip.Addr, []byte, error) {
	if len(b) == 0 || b[0] != 4 && b[0] != 16 || len(b) < 1+int(b[0]) {
		return netip.Addr{}, nil, wireErr("no IP address")
	}
	n := 1 + int(b[0])
	a, _ := netip.AddrFromSlice(b[1:n])
	return a, b[n:], nil
}

func (r addrCodec) equal(x, y any) bool { return r.of(x) == r.of(y) }

func (r addrCodec) check(_ *EnumMeta, ref any) bool {
	a, ok := ref.(netip.Addr)
	return ref == nil || ok && (r.size == 0 || a.BitLen() == r.size*8)
}

// prefixCodec encodes a netip.Prefix.
type prefixCodec struct{}

func prefixIn(ref any) netip.Prefix {
	p, _ := ref.(netip.Prefix)
	if !p.IsValid() {
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	}
	return p
}

func (prefixCodec) text(b []byte, _ *EnumMeta, ref any) []byte {
	p := prefixIn(ref)
	return strconv.AppendInt(append(appendAddr(b, p.Addr()), '/'), int64(p.Bits()), 10)
}

func (prefixCodec) parse(s string, _ *EnumMeta) (any, error) {
	// ParsePrefix rejects IPv4-mapped IPv6, which inet_pton accepts.
	addr, length, ok := strings.Cut(s, "/")
	a, err := netip.ParseAddr(addr)
	n, nerr := strconv.ParseUint(length, 10, 8)
	if !ok || err != nil || nerr != nil || a.Zone() != "" || int(n) > a.BitLen() {
		return nil, fmt.Errorf("%q is not an IP prefix such as 10.0.0.0/24", clip(s))
	}
	return netip.PrefixFrom(a, int(n)), nil
}

func (prefixCodec) put(b []byte, ref any) []byte {
	p := prefixIn(ref)
	return append(addrCodec{}.put(b, p.Addr()), byte(p.Bits()))
}

func (prefixCodec) get(b []byte) (any, []byte, error) {
	a, rest, err := readAddr(b)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) == 0 || int(rest[0]) > a.BitLen() {
		return nil, nil, wireErr("no prefix length")
	}
	return netip.PrefixFrom(a, int(rest[0])), rest[1:], nil
}

func (prefixCodec) equal(x, y any) bool { return prefixIn(x) == prefixIn(y) }

func (prefixCodec) check(_ *EnumMeta, ref any) bool {
	p, ok := ref.(netip.Prefix)
	return ref == nil || ok && p.IsValid()
}
