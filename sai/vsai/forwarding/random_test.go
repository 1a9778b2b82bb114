package forwarding_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// TestAnyTables changes tables at random, including invalid values and dangling
// references: every packet is dropped for a reason, goes to the CPU, or leaves by ports
// that are up, each once, and broadcast never by its ingress port.
func TestAnyTables(t *testing.T) {
	const ports = 6
	r := rand.New(rand.NewPCG(11, 12))
	b := newBench(t, ports)
	fates := map[string]int{}
	for range 30000 {
		change(b, r, ports)
		h := packet("10.0.0.1", "10.0.0.2")
		h.SrcMAC, h.DstMAC, h.Dst = station(r.IntN(8)), []dataplane.MAC{router, all, station(r.IntN(8))}[r.IntN(3)], randomAddr(r)
		if r.IntN(2) == 0 {
			h = tagged(h, uint16(r.IntN(5)))
		}
		in := r.IntN(ports)
		w := b.Forward(in, &h, dataplane.Marks{TC: uint8(r.IntN(8))})
		switch {
		case w.Drop != dataplane.Kept:
			fates[w.Drop.String()]++
		case w.CPU:
			fates["cpu"]++
		case len(w.Exits) == 0:
			t.Fatalf("%+v from port %d is lost without a reason", h, in)
		default:
			fates["out"]++
		}
		var seen [ports]bool
		for _, x := range w.Exits {
			if seen[x.Port] || !b.sw.Ports()[x.Port].Up() || x.Port == in && x.Header.DstMAC == all {
				t.Fatalf("%+v from port %d leaves by %s", h, in, tell(w))
			}
			seen[x.Port] = true
		}
	}
	for _, f := range []string{"out", "cpu", "vlan", "flooding", "forwarding", "neighbour", "link", "acl"} {
		if fates[f] == 0 {
			t.Errorf("none of %v is %s", fates, f)
		}
	}
}

// change makes one random change; it may be refused.
func change(b *bench, r *rand.Rand, ports int) {
	id, other := forwarding.ID(r.IntN(6)), forwarding.ID(r.IntN(6))
	vlan, port := uint16(r.IntN(5)), r.IntN(ports)
	prefix := netip.PrefixFrom(randomAddr(r), r.IntN(33))
	target := forwarding.Target{Action: forwarding.Action(r.IntN(6)), ID: other, Port: port}
	member := func() forwarding.Member {
		return forwarding.Member{NextHop: forwarding.ID(r.IntN(6)), Weight: r.IntN(3)}
	}
	var split []int
	for p := range ports {
		if r.IntN(2) == 0 {
			split = append(split, p)
		}
	}
	_ = []func() error{
		func() error { return b.SetPort(port, forwarding.Port{PVID: vlan, NoLearning: r.IntN(4) == 0}) },
		func() error {
			return b.SetVLAN(vlan, forwarding.VLAN{Tagged: split, NoUnknown: r.IntN(4) == 0, NoBroadcast: r.IntN(4) == 0})
		},
		func() error { return b.SetVLAN(vlan, forwarding.VLAN{Untagged: split}) },
		func() error { return b.SetFDBEntry(vlan, station(int(id)), port) },
		func() error { return b.SetInterface(id, forwarding.Interface{Port: port - 1, VLAN: vlan}) },
		func() error { return b.SetNeighbour(id, randomAddr(r), station(int(other))) },
		func() error { return b.SetNextHop(id, forwarding.NextHop{Interface: other, Addr: randomAddr(r)}) },
		func() error { return b.SetGroup(id, []forwarding.Member{member(), member()}) },
		func() error { return b.SetRoute(0, prefix, target) },
		func() error {
			e := forwarding.Entry{Match: forwarding.Match{Dst: prefix, In: split}, Do: forwarding.Actions{Verdict: forwarding.Verdict(r.IntN(4))}}
			return b.SetACL(id, forwarding.ACL{Stage: forwarding.Stage(r.IntN(2)), Entries: []forwarding.Entry{e}})
		},
		func() error { b.down(port, r.IntN(3) == 0); return nil },
		func() error { b.RemoveVLAN(vlan); return nil },
		func() error { b.RemoveInterface(id); return nil },
		func() error { b.RemoveNextHop(id); return nil },
		func() error { b.RemoveGroup(id); return nil },
		func() error { b.RemoveRoute(0, prefix); return nil },
		func() error { b.RemoveACL(id); return nil },
		func() error { b.RemoveFDBEntry(vlan, station(int(id))); return nil },
		func() error { b.Sweep(); return nil },
		func() error { b.SetNoFlood(uint16(r.IntN(256))); return nil },
	}[r.IntN(20)]()
}
