package forwarding_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

func TestBridge(t *testing.T) {
	b := newBench(t, 6)
	b.do(
		b.SetVLAN(10, forwarding.VLAN{Untagged: []int{0, 1}, Tagged: []int{2, 3}}),
		b.SetVLAN(20, forwarding.VLAN{Untagged: []int{4}, Tagged: []int{3}}),
		b.SetPort(0, forwarding.Port{PVID: 10}), b.SetPort(1, forwarding.Port{PVID: 10}),
		b.SetPort(4, forwarding.Port{PVID: 20}), b.SetPort(2, forwarding.Port{PVID: 20}),
	)
	b.want(0, frame(station(1), station(2)), "1 2.10 3.10")                  // not heard of yet
	b.want(3, tagged(frame(station(2), station(1)), 10), "0")                // learned
	b.want(0, frame(station(1), station(2)), "3.10")                         // so now
	b.want(4, frame(station(1), station(2)), "3.20")                         // another VLAN, another station
	b.want(0, frame(station(1), all), "1 2.10 3.10")                         // broadcast
	b.want(0, frame(station(1), dataplane.MAC{1}), "1 2.10 3.10")            // multicast
	b.want(0, tagged(frame(station(1), station(2)), 0), "3.10")              // a tag of priority alone
	b.want(0, tagged(frame(station(1), station(2)), 10), "3.10")             // tagged on an untagged port
	b.want(0, tagged(frame(station(1), station(2)), 20), "drop: vlan")       // the port is not in it
	b.want(0, tagged(frame(station(1), station(2)), 30), "drop: vlan")       // nobody is
	b.want(2, frame(station(1), station(2)), "drop: vlan")                   // its PVID's VLAN does not have it
	b.want(5, frame(station(1), station(2)), "drop: vlan")                   // it has none
	b.want(3, tagged(frame(station(9), station(2)), 10), "drop: forwarding") // back where it came from
	b.down(3, true)
	b.want(0, frame(station(1), station(2)), "drop: link")
	b.want(0, frame(station(1), all), "1 2.10")
	b.down(3, false)
	b.do(b.SetPort(0, forwarding.Port{PVID: 10, DropUntagged: true}), b.SetPort(3, forwarding.Port{DropTagged: true}))
	b.want(0, frame(station(1), station(2)), "drop: vlan")
	b.want(0, tagged(frame(station(1), station(2)), 10), "3.10")
	b.want(3, tagged(frame(station(2), station(1)), 10), "drop: vlan")
}

func TestFloodControl(t *testing.T) {
	b := newBench(t, 3)
	b.lan(20, 0, 1, 2)
	unknown, multi, broad := frame(station(1), station(2)), frame(station(1), dataplane.MAC{1}), frame(station(1), all)
	for _, c := range []struct {
		vlan               forwarding.VLAN
		unknown, multi, to string
	}{
		{forwarding.VLAN{NoUnknown: true}, "drop: flooding", "1 2", "1 2"},
		{forwarding.VLAN{NoMulticast: true}, "1 2", "drop: flooding", "1 2"},
		{forwarding.VLAN{NoBroadcast: true}, "1 2", "1 2", "drop: flooding"},
	} {
		c.vlan.Untagged = []int{0, 1, 2}
		b.do(b.SetVLAN(20, c.vlan))
		b.want(0, unknown, c.unknown)
		b.want(0, multi, c.multi)
		b.want(0, broad, c.to)
	}
	b.lan(20, 0, 1, 2)
	b.SetNoFlood(1<<3 | 1<<4)
	for tc, want := range []string{"1 2", "1 2", "1 2", "drop: flooding", "drop: flooding", "1 2"} {
		if got := tell(b.Forward(0, &unknown, dataplane.Marks{TC: uint8(tc)})); got != want {
			t.Errorf("unknown unicast of class %d: %s, want %s", tc, got, want)
		}
	}
	if got := tell(b.Forward(0, &broad, dataplane.Marks{TC: 3})); got != "1 2" {
		t.Errorf("broadcast of class 3: %s, want 1 2", got)
	}
}

func TestStations(t *testing.T) {
	b := newBench(t, 4)
	b.lan(10, 0, 1, 2, 3)
	hear := func(port, n int) { b.want(port, frame(station(n), dataplane.MAC{2, 9}), others(port)) }
	at := func(want string) {
		t.Helper()
		got := ""
		for _, s := range b.FDB() {
			got += fmt.Sprintf("%d@%d ", s.MAC[5], s.Port)
		}
		if got != want {
			t.Errorf("stations %q, want %q", got, want)
		}
	}
	b.do(b.SetFDBEntry(10, station(7), 3))
	hear(0, 1)
	hear(1, 2)
	hear(2, 7)
	at("1@0 2@1 7@3 ") // one that was set does not move
	hear(2, 1)
	at("1@2 2@1 7@3 ")
	b.Sweep()
	at("1@2 2@1 7@3 ")
	hear(2, 1)
	b.Sweep()
	at("1@2 7@3 ")
	b.Sweep()
	at("7@3 ")
	b.do(b.SetPort(0, forwarding.Port{PVID: 10, NoLearning: true}))
	hear(0, 1)
	b.want(1, frame(all, station(7)), "3")
	at("7@3 ")
	hear(1, 2)
	hear(2, 3)
	b.do(b.SetVLAN(10, forwarding.VLAN{Untagged: []int{0, 1, 3}}))
	at("2@1 7@3 ")
	b.Flush(func(s forwarding.FDBEntry) bool { return s.Port == 1 })
	b.RemoveFDBEntry(10, station(7))
	at("")
}

func others(port int) string {
	return []string{"1 2 3", "0 2 3", "0 1 3", "0 1 2"}[port]
}

// TestMoves moves stations randomly and compares with where they were last seen.
func TestMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := newBench(t, 8)
	b.lan(10, 0, 1, 2, 3, 4, 5, 6, 7)
	last := map[dataplane.MAC]int{}
	for range 20000 {
		from, to, in := station(r.IntN(30)), station(r.IntN(30)), r.IntN(8)
		h := frame(from, to)
		got := b.Forward(in, &h, dataplane.Marks{})
		last[from] = in
		port, heard := last[to]
		switch {
		case !heard && len(got.Exits) != 7, heard && port == in && got.Drop != dataplane.DropForward,
			heard && port != in && (len(got.Exits) != 1 || got.Exits[0].Port != port):
			t.Fatalf("%x to %x from port %d: %s; heard at %d, %v", from, to, in, tell(got), port, heard)
		}
	}
}

func TestRefused(t *testing.T) {
	b := newBench(t, 4)
	for _, c := range []struct {
		err  error
		want string
	}{
		{b.SetPort(4, forwarding.Port{}), "port 4: switch sw has ports 0 to 3"},
		{b.SetPort(0, forwarding.Port{PVID: 4095}), "port 0: VLAN 4095 of untagged frames: want 1 to 4094, or 0 for none"},
		{b.SetVLAN(0, forwarding.VLAN{}), "VLAN 0: want 1 to 4094"},
		{b.SetVLAN(1, forwarding.VLAN{Tagged: []int{-1}}), "VLAN 1: port -1: switch sw has ports 0 to 3"},
		{b.SetVLAN(1, forwarding.VLAN{Tagged: []int{1}, Untagged: []int{1}}), "VLAN 1: a port is in it twice: want tagged or untagged"},
		{b.SetFDBEntry(1, all, 1), "FDB entry ffffffffffff of VLAN 1: want an individual address, and a VLAN of 1 to 4094"},
		{b.SetInterface(1, forwarding.Interface{Port: -1}), "interface 0x1: port -1: switch sw has ports 0 to 3"},
		{b.SetInterface(1, forwarding.Interface{VLAN: 5000}), "interface 0x1: VLAN 5000: want 1 to 4094, or 0 for untagged frames of a port"},
		{b.SetGroup(1, []forwarding.Member{{NextHop: 2}}), "group 0x1: next hop 0x2 has weight 0: want 1 or more"},
		{
			b.SetACL(1, forwarding.ACL{Stage: forwarding.Egress, Entries: []forwarding.Entry{{Do: forwarding.Actions{Verdict: forwarding.Trap}}}}),
			"access list 0x1: entry 0: redirect or trap at egress: want it at ingress",
		},
		{
			b.SetACL(1, forwarding.ACL{Entries: []forwarding.Entry{{}, {Do: forwarding.Actions{TC: forwarding.Set{On: true, To: 16}}}}}),
			"access list 0x1: entry 1: traffic class 16: want 0 to 15",
		},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	if len(b.FDB()) != 0 {
		t.Error("what was refused is there")
	}
}
