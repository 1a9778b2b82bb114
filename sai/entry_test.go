package sai_test

import (
	"net/netip"
	"testing"

	"xon/sai"
)

// TestEntryText checks the keys of objects without id against those that SONiC's
// sairedis writes.
func TestEntryText(t *testing.T) {
	t.Parallel()
	route := func(p string) []byte {
		return sai.Bytes(sai.RouteEntry{SwitchID: 0x21000000000000, VrID: 0x3000000000022, Destination: sai.PrefixOf(netip.MustParsePrefix(p))})
	}
	neighbor := func(a string) []byte {
		return sai.Bytes(sai.NeighborEntry{SwitchID: 0x21000000000000, RifID: 0x600000000065d, IPAddress: sai.AddressOf(netip.MustParseAddr(a))})
	}
	fdb := sai.Bytes(sai.FDBEntry{SwitchID: 0x21000000000000, MACAddress: sai.MAC{0, 0x11, 0x22, 0xab, 0xcd, 0xef}, BvID: 0x26000000000013})
	for _, tt := range []struct {
		o     sai.Object
		entry []byte
		want  string
	}{
		{sai.RouteEntry{}, route("10.0.0.1/31"), `{"dest":"10.0.0.0/31","switch_id":"oid:0x21000000000000","vr":"oid:0x3000000000022"}`},
		{sai.RouteEntry{}, route("0.0.0.0/0"), `{"dest":"0.0.0.0/0","switch_id":"oid:0x21000000000000","vr":"oid:0x3000000000022"}`},
		{sai.RouteEntry{}, route("fc00::1/128"), `{"dest":"fc00::1/128","switch_id":"oid:0x21000000000000","vr":"oid:0x3000000000022"}`},
		{sai.NeighborEntry{}, neighbor("10.0.0.5"), `{"ip":"10.0.0.5","rif":"oid:0x600000000065d","switch_id":"oid:0x21000000000000"}`},
		{sai.NeighborEntry{}, neighbor("fc00::72"), `{"ip":"fc00::72","rif":"oid:0x600000000065d","switch_id":"oid:0x21000000000000"}`},
		{sai.FDBEntry{}, fdb, `{"bvid":"oid:0x26000000000013","mac":"00:11:22:AB:CD:EF","switch_id":"oid:0x21000000000000"}`},
		{sai.RouteEntry{}, fdb, "0000000000002100001122abcdef00001300000000002600"},
	} {
		if got := sai.EntryText(tt.o.Meta(), tt.entry); got != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
}

// TestEntryOf checks that entry structs and what they hold come back from bytes.
func TestEntryOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0.0.0.0/0", "10.1.2.0/23", "10.0.0.1/32", "::/0", "2001:db8:0:8000::/49", "fc00::1/128"} {
		p := netip.MustParsePrefix(text)
		e, ok := sai.EntryOf[sai.RouteEntry](sai.Bytes(sai.RouteEntry{SwitchID: 1, VrID: 2, Destination: sai.PrefixOf(p)}))
		if !ok || e.SwitchID != 1 || e.VrID != 2 || e.Destination.Netip() != p {
			t.Errorf("%s: %+v, %v, %s", text, e, ok, e.Destination.Netip())
		}
		if a := p.Addr(); sai.AddressOf(a).Netip() != a {
			t.Errorf("%s: %s", a, sai.AddressOf(a).Netip())
		}
	}
	if _, ok := sai.EntryOf[sai.RouteEntry](make([]byte, 8)); ok {
		t.Error("8 bytes are a route")
	}
}
