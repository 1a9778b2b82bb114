package forwarding_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// newGroup is a router with a group of the three next hops, of weights.
func newGroup(t testing.TB, weights ...int) *bench {
	b := newRouter(t)
	var members []forwarding.Member
	for i, w := range weights {
		members = append(members, forwarding.Member{NextHop: hop1 + forwarding.ID(i), Weight: w})
	}
	b.do(b.SetGroup(hops, members))
	b.do(b.SetRoute(vrf, prefix("10.50.0.0/16"), to(forwarding.ToGroup, hops)))
	b.do(b.SetRoute(vrf, prefix("2001:db8::/32"), to(forwarding.ToGroup, hops)))
	return b
}

// flows are RoCEv2 flows that differ in source port and queue pair.
func flows(n int) []dataplane.Header {
	r := rand.New(rand.NewPCG(7, 8))
	out := make([]dataplane.Header, n)
	for i := range out {
		out[i] = packet("10.9.9.9", "10.50.0.1")
		out[i].SrcPort, out[i].DstPort, out[i].QP = uint16(0xC000|r.IntN(1<<14)), dataplane.RoCE, r.Uint32N(1<<24)
	}
	return out
}

// spread counts flows by the port that they leave by.
func (b *bench) spread(flows []dataplane.Header) map[int]int {
	out := map[int]int{}
	for i := range flows {
		w := b.Forward(0, &flows[i], dataplane.Marks{})
		if w.Drop != dataplane.Kept {
			out[-1]++
			continue
		}
		out[w.Exits[0].Port]++
	}
	return out
}

func TestWeights(t *testing.T) {
	const n = 12000
	b := newGroup(t, 1, 2, 3)
	all := flows(n)
	got := b.spread(all)
	for port, want := range map[int]int{1: n / 6, 2: n / 3, 3: n / 2} {
		if d := got[port] - want; d < -want/10 || d > want/10 {
			t.Errorf("port %d: %d flows, want %d ± 10 %%", port, got[port], want)
		}
	}
	b.down(2, true)
	if got = b.spread(all); got[2] != 0 || got[1] < n/5 || got[1]+got[3] != n {
		t.Errorf("without port 2: %v, want a quarter and three quarters", got)
	}
	b.down(1, true)
	b.down(3, true)
	if got = b.spread(all); got[-1] != n {
		t.Errorf("without any: %v", got)
	}
}

// TestMembers: members go with their ports, that of a VLAN's interface with the
// port where its neighbour was heard, and come back.
func TestMembers(t *testing.T) {
	b := newGroup(t, 1)
	b.do(b.SetNextHop(hop2, forwarding.NextHop{Interface: svi, Addr: addr("10.0.10.9")}))
	b.do(b.SetGroup(hops, []forwarding.Member{{NextHop: hop1, Weight: 1}, {NextHop: hop2, Weight: 1}, {NextHop: 999, Weight: 5}}))
	some := flows(100)
	both := func(want ...int) {
		t.Helper()
		got := b.spread(some)
		for _, p := range want {
			if got[p] == 0 {
				t.Errorf("%v, want some by each of %v", got, want)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v, want those of %v", got, want)
		}
	}
	b.do(b.SetFDBEntry(10, station(10), 5))
	both(1, 5)
	b.down(5, true)
	both(1)
	b.down(5, false)
	b.RemoveNextHop(hop1)
	both(5)
	b.RemoveGroup(hops)
	both(-1)
}

// TestHashFields: the hash depends on the selected fields, and only on them.
func TestHashFields(t *testing.T) {
	change := map[forwarding.Fields]func(*dataplane.Header, *rand.Rand){
		forwarding.FieldSrcIP:     func(h *dataplane.Header, r *rand.Rand) { h.Src = randomAddr(r) },
		forwarding.FieldDstIP:     func(h *dataplane.Header, r *rand.Rand) { h.Dst = netip.AddrFrom4([4]byte{10, 50, 0, byte(r.Uint32())}) },
		forwarding.FieldProtocol:  func(h *dataplane.Header, r *rand.Rand) { h.Protocol = uint8(1 + r.IntN(16)) },
		forwarding.FieldSrcPort:   func(h *dataplane.Header, r *rand.Rand) { h.SrcPort = uint16(r.Uint32()) },
		forwarding.FieldDstPort:   func(h *dataplane.Header, r *rand.Rand) { h.DstPort = uint16(r.Uint32()) },
		forwarding.FieldSrcMAC:    func(h *dataplane.Header, r *rand.Rand) { h.SrcMAC = station(r.IntN(1 << 16)) },
		forwarding.FieldEtherType: func(h *dataplane.Header, r *rand.Rand) { h.Dst = addr([]string{"10.50.0.1", "2001:db8::1"}[r.IntN(2)]) },
		forwarding.FieldOpcode:    func(h *dataplane.Header, r *rand.Rand) { h.Opcode = uint8(r.Uint32()) },
		forwarding.FieldQP:        func(h *dataplane.Header, r *rand.Rand) { h.QP = r.Uint32N(1 << 24) },
	}
	for field, vary := range change {
		r := rand.New(rand.NewPCG(9, uint64(field)))
		some := flows(1)
		for range 200 {
			h := some[0]
			vary(&h, r)
			some = append(some, h)
		}
		b := newGroup(t, 1, 1, 1)
		for _, a := range []forwarding.Algorithm{forwarding.Mixed, forwarding.CRC, forwarding.XOR} {
			most := 0
			for seed := range uint32(8) { // two values alone may meet
				with := forwarding.Hash{Fields: field, Algorithm: a, Seed: seed}
				b.SetHash(with, with)
				most = max(most, len(b.spread(some)))
			}
			if most < 2 {
				t.Errorf("field %#x, algorithm %d: one port, whatever the seed", field, a)
			}
			without := forwarding.Hash{Fields: forwarding.FieldInPort | forwarding.FieldVLAN | forwarding.FieldDstMAC, Algorithm: a}
			b.SetHash(without, without)
			if got := b.spread(some); len(got) != 1 {
				t.Errorf("field %#x not hashed, algorithm %d: %v, want one port", field, a, got)
			}
		}
	}
}

// TestPolarisation: two switches one after the other, each with two next hops. With
// one hash at both, all that the first sends to a port leaves the second by one
// port too, and half of its links are idle. Another seed helps if the hash is not
// linear; another offset always does.
func TestPolarisation(t *testing.T) {
	const n = 4000
	for _, c := range []struct {
		name          string
		first, second forwarding.Hash
		spread        bool
	}{
		{"one seed", forwarding.Hash{Seed: 10}, forwarding.Hash{Seed: 10}, false},
		{"two seeds", forwarding.Hash{Seed: 10}, forwarding.Hash{Seed: 25}, true},
		{"CRC, one seed", forwarding.Hash{Algorithm: forwarding.CRC, Seed: 10}, forwarding.Hash{Algorithm: forwarding.CRC, Seed: 10}, false},
		{"CRC, two seeds", forwarding.Hash{Algorithm: forwarding.CRC, Seed: 10}, forwarding.Hash{Algorithm: forwarding.CRC, Seed: 25}, false},
		{"CRC, two offsets", forwarding.Hash{Algorithm: forwarding.CRC}, forwarding.Hash{Algorithm: forwarding.CRC, Offset: 5}, true},
		{"XOR, two seeds", forwarding.Hash{Algorithm: forwarding.XOR, Seed: 10}, forwarding.Hash{Algorithm: forwarding.XOR, Seed: 25}, false},
	} {
		first, second := newGroup(t, 1, 1), newGroup(t, 1, 1)
		first.SetHash(c.first, c.first)
		second.SetHash(c.second, c.second)
		var there []dataplane.Header
		for _, h := range flows(n) {
			if x := first.Forward(0, &h, dataplane.Marks{}).Exits[0]; x.Port == 1 {
				there = append(there, h)
			}
		}
		if len(there) < n/2-n/10 || len(there) > n/2+n/10 {
			t.Errorf("%s: %d of %d flows at the second switch, want half", c.name, len(there), n)
		}
		got := second.spread(there)
		t.Logf("%s: the second switch sends %v", c.name, got)
		if least := min(got[1], got[2]); c.spread != (least > len(there)*2/5) || !c.spread && least != 0 {
			t.Errorf("%s: the second switch sends %v, want them spread: %v", c.name, got, c.spread)
		}
	}
}
