package forwarding_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// Objects of these tests.
const (
	vrf forwarding.ID = iota + 1
	other
	eth0
	eth1
	eth2
	eth3
	svi
	sub
	hop1
	hop2
	hop3
	hops
)

func addr(s string) netip.Addr     { return netip.MustParseAddr(s) }
func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// newRouter has ports 0 to 3 as interfaces, VLAN 10 at ports 4 and 5 as one, and
// VLAN 7 of port 3 as one more, in another VRF.
func newRouter(t testing.TB) *bench {
	b := newBench(t, 6)
	for i := range 4 {
		b.do(b.SetInterface(eth0+forwarding.ID(i), forwarding.Interface{Port: i, VRF: vrf}))
	}
	b.lan(10, 4, 5)
	b.do(
		b.SetInterface(svi, forwarding.Interface{Port: -1, VLAN: 10, VRF: vrf, MAC: dataplane.MAC{2, 0xAA}}),
		b.SetInterface(sub, forwarding.Interface{Port: 3, VLAN: 7, VRF: other}),
		b.SetRoute(vrf, prefix("10.0.0.0/24"), to(forwarding.ToInterface, eth0)),
		b.SetRoute(vrf, prefix("10.0.10.0/24"), to(forwarding.ToInterface, svi)),
		b.SetRoute(vrf, prefix("10.0.0.1/32"), to(forwarding.ToCPU, 0)),
		b.SetNeighbour(eth0, addr("10.0.0.9"), station(9)),
		b.SetNeighbour(svi, addr("10.0.10.9"), station(10)),
		b.SetNeighbour(eth1, addr("10.0.1.2"), station(11)), b.SetNextHop(hop1, forwarding.NextHop{Interface: eth1, Addr: addr("10.0.1.2")}),
		b.SetNeighbour(eth2, addr("fe80::2"), station(12)), b.SetNextHop(hop2, forwarding.NextHop{Interface: eth2, Addr: addr("fe80::2")}),
		b.SetNeighbour(sub, addr("10.0.7.2"), station(13)), b.SetNextHop(hop3, forwarding.NextHop{Interface: sub, Addr: addr("10.0.7.2")}),
	)
	return b
}

func to(a forwarding.Action, id forwarding.ID) forwarding.Target {
	return forwarding.Target{Action: a, ID: id}
}

func TestRoute(t *testing.T) {
	b := newRouter(t)
	b.do(
		b.SetRoute(vrf, prefix("10.1.0.0/16"), to(forwarding.ToNextHop, hop1)),
		b.SetRoute(vrf, prefix("10.1.2.0/24"), to(forwarding.ToNextHop, hop2)), // of IPv6
		b.SetRoute(vrf, prefix("10.1.2.3/32"), to(forwarding.ToDrop, 0)),
		b.SetRoute(vrf, prefix("2001:db8::/32"), to(forwarding.ToNextHop, hop2)),
		b.SetRoute(vrf, prefix("10.7.0.0/16"), to(forwarding.ToNextHop, hop3)),
		b.SetRoute(vrf, prefix("10.8.0.0/16"), to(forwarding.ToNextHop, 99)),
		b.SetRoute(other, prefix("0.0.0.0/0"), to(forwarding.ToNextHop, hop1)),
	)
	ip := func(dst string) dataplane.Header { return packet("10.9.9.9", dst) }
	b.want(1, ip("10.0.0.9"), "0")
	b.want(1, ip("10.0.0.8"), "drop: neighbour")
	b.want(1, ip("10.0.0.1"), "cpu")
	b.want(0, ip("10.1.1.1"), "1")
	b.want(0, ip("10.1.2.1"), "2")
	b.want(0, ip("10.1.2.3"), "drop: forwarding")
	b.want(0, ip("10.2.0.0"), "drop: forwarding")
	b.want(0, ip("::ffff:10.1.1.1"), "1")
	b.want(0, packet("2001:db8::1", "2001:db8::2"), "2")
	b.want(0, packet("2001:db8::1", "2001:db9::2"), "drop: forwarding")
	b.want(0, ip("10.7.1.1"), "3.7")
	b.want(0, ip("10.8.1.1"), "drop: forwarding")
	b.want(3, tagged(ip("10.200.1.1"), 7), "1") // the other VRF
	b.want(3, tagged(ip("10.200.1.1"), 8), "drop: vlan")
	b.want(3, ip("10.200.1.1"), "drop: forwarding")
	foreign := ip("10.1.1.1")
	foreign.DstMAC = station(3)
	b.want(0, foreign, "drop: forwarding") // for another station
	b.want(4, foreign, "5")                // which a VLAN may have
	b.want(0, frame(station(1), all), "drop: forwarding")
	b.down(1, true)
	b.want(0, ip("10.1.1.1"), "drop: link")
	b.RemoveRoute(vrf, prefix("10.1.0.0/16"))
	b.want(0, ip("10.1.1.1"), "drop: forwarding")
	b.RemoveNeighbour(eth0, addr("10.0.0.9"))
	b.want(1, ip("10.0.0.9"), "drop: neighbour")
	b.RemoveInterface(eth0)
	b.want(2, ip("10.0.0.9"), "drop: forwarding")
	if err := b.SetInterface(99, forwarding.Interface{Port: 1}); err == nil || err.Error() != "interface 0x63: port 1, VLAN 0 is already interface 0x4" {
		t.Error(err)
	}
}

// TestRewrite: a routed packet gets the addresses of the next link and a lower TTL; a
// bridged one is unchanged.
func TestRewrite(t *testing.T) {
	b := newRouter(t)
	h := packet("10.9.9.9", "10.0.0.9")
	w := b.Forward(1, &h, dataplane.Marks{})
	got := w.Exits[0].Header
	if !w.Route || got.SrcMAC != router || got.DstMAC != station(9) || got.Src != h.Src || got.Dst != h.Dst || got.Tagged {
		t.Errorf("routed: %+v", w)
	}
	h.DstMAC = station(2)
	b.want(5, frame(station(2), all), "4")
	if w = b.Forward(4, &h, dataplane.Marks{}); w.Route || w.Exits[0].Header != h {
		t.Errorf("bridged: %+v", w)
	}
}

// TestVLANInterface: packets go to the port where the neighbour was heard, and
// while it was not, to all of the VLAN, unless their class may not be flooded.
func TestVLANInterface(t *testing.T) {
	b := newRouter(t)
	h := packet("10.0.0.9", "10.0.10.9")
	b.want(0, h, "4 5")
	b.SetNoFlood(1 << 3)
	if got := tell(b.Forward(0, &h, dataplane.Marks{TC: 3})); got != "drop: flooding" {
		t.Errorf("class 3: %s", got)
	}
	b.want(0, h, "4 5")
	back := packet("10.0.10.9", "10.0.0.9")
	back.SrcMAC = station(10)
	b.want(5, back, "4") // not the address of its router
	back.DstMAC = dataplane.MAC{2, 0xAA}
	b.want(5, back, "0")
	b.want(0, h, "5")
	back.Dst = addr("10.0.10.9")
	b.want(5, back, "5") // routed back into the VLAN that it came from
}

// TestLongestPrefix compares with a search through all routes.
func TestLongestPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := newBench(t, 2)
	b.do(b.SetInterface(eth0, forwarding.Interface{Port: 0, VRF: vrf}), b.SetInterface(eth1, forwarding.Interface{Port: 1, VRF: vrf}))
	there := map[netip.Prefix]forwarding.ID{}
	for range 4000 {
		p := netip.PrefixFrom(randomAddr(r), 0)
		p = netip.PrefixFrom(p.Addr(), r.IntN(p.Addr().BitLen()+1)).Masked()
		switch id := forwarding.ID(1000 + r.IntN(1000)); {
		case r.IntN(3) == 0 && len(there) > 0:
			for p = range there {
				break
			}
			delete(there, p)
			b.RemoveRoute(vrf, p)
		default:
			there[p] = id
			b.do(
				b.SetRoute(vrf, p, to(forwarding.ToNextHop, id)), b.SetNextHop(id, forwarding.NextHop{Interface: eth1, Addr: hopAddr(id)}),
				b.SetNeighbour(eth1, hopAddr(id), station(int(id))),
			)
		}
		h := packet("10.0.0.1", "10.0.0.2")
		h.Dst = randomAddr(r)
		want, bits := "drop: forwarding", -1
		for q, id := range there {
			if q.Contains(h.Dst) && q.Bits() > bits {
				want, bits = fmt.Sprintf("%x", station(int(id))), q.Bits()
			}
		}
		w := b.Forward(0, &h, dataplane.Marks{})
		got := tell(w)
		if len(w.Exits) > 0 {
			got = fmt.Sprintf("%x", w.Exits[0].Header.DstMAC)
		}
		if got != want {
			t.Fatalf("%v goes to %s, want %s by /%d", h.Dst, got, want, bits)
		}
	}
}

// randomAddr is one of few, so that prefixes are met.
func randomAddr(r *rand.Rand) netip.Addr {
	if r.IntN(2) == 0 {
		return netip.AddrFrom4([4]byte{10, byte(r.IntN(2)), byte(r.IntN(4)), byte(r.IntN(256))})
	}
	return netip.AddrFrom16([16]byte{0x20, 1, byte(r.IntN(2)), 8: byte(r.IntN(4)), 15: byte(r.IntN(256))})
}

func hopAddr(id forwarding.ID) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 168, byte(id >> 8), byte(id)})
}

// BenchmarkForward is the cost of a packet that looks like none before, with 1,000
// routes of ten lengths, groups of four, and 100 entries of access lists.
func BenchmarkForward(b *testing.B) {
	r := newRouter(b)
	r.do(r.SetGroup(hops, []forwarding.Member{{hop1, 1}, {hop2, 1}, {hop1, 1}, {hop2, 1}}))
	for i := range 1000 {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 0}), 16+i%10)
		r.do(r.SetRoute(vrf, p, to(forwarding.ToGroup, hops)))
	}
	var entries []forwarding.Entry
	for i := range 100 {
		entries = append(entries, forwarding.Entry{Match: forwarding.Match{Dst: netip.PrefixFrom(netip.AddrFrom4([4]byte{11, byte(i)}), 16)}})
	}
	r.do(r.SetACL(1, forwarding.ACL{Entries: entries}))
	h := packet("10.9.9.9", "10.1.1.1")
	b.ReportAllocs()
	for i := range b.N {
		h.SrcPort = uint16(i)
		r.Forward(0, &h, dataplane.Marks{})
	}
}
