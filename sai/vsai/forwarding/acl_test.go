package forwarding_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// TestMatch: each entry drops one kind of packet and no other.
func TestMatch(t *testing.T) {
	roce := packet("10.1.0.1", "10.2.0.1")
	roce.DstPort, roce.Opcode, roce.QP = dataplane.RoCE, 0x11, 0x123456
	tcp := packet("10.1.0.1", "10.2.0.1")
	tcp.Protocol, tcp.SrcPort = dataplane.TCP, 80
	six := packet("2001:db8::1", "2001:db8:1::1")
	six.SrcPort = 7
	packets := []struct {
		name string
		in   int
		h    dataplane.Header
		m    dataplane.Marks
	}{
		{"roce", 0, tagged(roce, 10), dataplane.Marks{DSCP: 26, TC: 3, PCP: 3, ECN: 2}},
		{"tcp", 1, tcp, dataplane.Marks{DSCP: 46, TC: 5, ECN: 1}},
		{"six", 2, six, dataplane.Marks{}},
		{"lldp", 0, dataplane.Header{SrcMAC: station(1), DstMAC: station(2), EtherType: 0x88CC}, dataplane.Marks{TC: 7}},
	}
	field := func(f forwarding.Field, v, mask uint32) forwarding.Match {
		return forwarding.Match{Fields: map[forwarding.Field]forwarding.Bits{f: {Value: v, Mask: mask}}}
	}
	for _, c := range []struct {
		name string
		m    forwarding.Match
		hits string
	}{
		{"all", forwarding.Match{}, "roce tcp six lldp"},
		{"in port", forwarding.Match{In: []int{0, 2}}, "roce six lldp"},
		{"no port", forwarding.Match{In: []int{}}, ""},
		{"source", forwarding.Match{Src: prefix("10.1.0.0/16")}, "roce tcp"},
		{"destination", forwarding.Match{Dst: prefix("2001:db8:1::/48")}, "six"},
		{"source port", forwarding.Match{SrcPort: forwarding.Range{Min: 7, Max: 80}}, "tcp six"},
		{"destination port", forwarding.Match{DstPort: forwarding.Range{Min: 4791, Max: 4791}}, "roce"},
		{"not IP", field(forwarding.MatchIP, 0, 0xFF), "lldp"},
		{"any IP", field(forwarding.MatchIP, 4, 4), "roce tcp six"},
		{"IPv6", field(forwarding.MatchIP, 6, 0xFF), "six"},
		{"ethertype", field(forwarding.MatchEtherType, 0x0800, 0xFFFF), "roce tcp"},
		{"VLAN", field(forwarding.MatchVLAN, 10, 0xFFF), "roce tcp six lldp"},
		{"PCP", field(forwarding.MatchPCP, 3, 7), "roce"},
		{"no PCP", field(forwarding.MatchPCP, 0, 7), ""},
		{"protocol", field(forwarding.MatchProtocol, 17, 0xFF), "roce six"},
		{"DSCP", field(forwarding.MatchDSCP, 46, 63), "tcp"},
		{"DSCP by bits", field(forwarding.MatchDSCP, 0b001010, 0b001010), "roce tcp"},
		{"ECN", field(forwarding.MatchECN, 2, 3), "roce"},
		{"class", field(forwarding.MatchTC, 7, 0xF), "lldp"},
		{"opcode", field(forwarding.MatchOpcode, 0x11, 0xFF), "roce"},
		{"queue pair", field(forwarding.MatchQP, 0x120000, 0xFF0000), "roce"},
		{"queue pair of none", field(forwarding.MatchQP, 0, 0xFF0000), ""},
		{"metadata", field(forwarding.MatchMeta, 5, 0xFF), "tcp"},
	} {
		b := newBench(t, 4)
		b.lan(10, 0, 1, 2, 3)
		b.do(b.SetPort(1, forwarding.Port{PVID: 10, Meta: 5}))
		b.do(b.SetACL(1, forwarding.ACL{Entries: []forwarding.Entry{{Match: c.m, Do: forwarding.Actions{Verdict: forwarding.Drop}}}}))
		var hits []string
		for _, p := range packets {
			if b.Forward(p.in, &p.h, p.m).Drop == dataplane.DropACL {
				hits = append(hits, p.name)
			}
		}
		if got := strings.Join(hits, " "); got != c.hits {
			t.Errorf("%s: hits %q, want %q", c.name, got, c.hits)
		}
	}
}

func TestActions(t *testing.T) {
	set := func(v uint8) forwarding.Set { return forwarding.Set{On: true, To: v} }
	one := func(d forwarding.Actions) []forwarding.Entry { return []forwarding.Entry{{Do: d}} }
	meta := map[forwarding.Field]forwarding.Bits{forwarding.MatchMeta: {Value: 1, Mask: 1}}
	toPort, toHop := forwarding.Target{Action: forwarding.ToPort, Port: 2}, to(forwarding.ToNextHop, hop2)
	h := packet("10.9.9.9", "10.0.0.9") // routed to port 0
	for _, c := range []struct {
		name  string
		lists []forwarding.ACL
		want  string
	}{
		{"none", nil, "0 tc - queue - dscp -"},
		{"drop", []forwarding.ACL{{Entries: one(forwarding.Actions{Verdict: forwarding.Drop})}}, "drop: acl"},
		{"trap", []forwarding.ACL{{Entries: one(forwarding.Actions{Verdict: forwarding.Trap})}}, "cpu"},
		{"redirect", []forwarding.ACL{{Entries: one(forwarding.Actions{Redirect: &toPort})}}, "2 tc - queue - dscp -"},
		{"to next hop", []forwarding.ACL{{Entries: one(forwarding.Actions{Redirect: &toHop})}}, "2 tc - queue - dscp -"},
		{"remark", []forwarding.ACL{{Entries: one(forwarding.Actions{TC: set(4), DSCP: set(32)})}}, "0 tc 4 queue - dscp 32"},
		{"remark at egress", []forwarding.ACL{{Stage: forwarding.Egress, Entries: one(forwarding.Actions{TC: set(4), DSCP: set(32)})}}, "0 tc - queue 4 dscp 32"},
		{"drop at egress", []forwarding.ACL{{Stage: forwarding.Egress, Ports: []int{0}, Entries: one(forwarding.Actions{Verdict: forwarding.Drop})}}, "drop: acl"},
		{"of another port", []forwarding.ACL{{Ports: []int{2}, Entries: one(forwarding.Actions{Verdict: forwarding.Drop})}}, "0 tc - queue - dscp -"},
		{"metadata of an earlier list", []forwarding.ACL{
			{Priority: 2, Entries: one(forwarding.Actions{Meta: forwarding.Bits{Value: 3, Mask: 1}})},
			{Priority: 1, Entries: []forwarding.Entry{{Match: forwarding.Match{Fields: meta}, Do: forwarding.Actions{TC: set(5)}}}},
		}, "0 tc 5 queue - dscp -"},
		{"metadata of a later list", []forwarding.ACL{
			{Priority: 1, Entries: one(forwarding.Actions{Meta: forwarding.Bits{Value: 3, Mask: 1}})},
			{Priority: 2, Entries: []forwarding.Entry{{Match: forwarding.Match{Fields: meta}, Do: forwarding.Actions{TC: set(5)}}}},
		}, "0 tc - queue - dscp -"},
		{"metadata of the first stage", []forwarding.ACL{
			{Entries: one(forwarding.Actions{Meta: forwarding.Bits{Value: 3, Mask: 1}})},
			{Stage: forwarding.Egress, Entries: []forwarding.Entry{{Match: forwarding.Match{Fields: meta, Out: []int{0}}, Do: forwarding.Actions{TC: set(5)}}}},
		}, "0 tc - queue 5 dscp -"},
		{"the first list stands", []forwarding.ACL{
			{Priority: 1, Entries: one(forwarding.Actions{Verdict: forwarding.Drop, TC: set(1), DSCP: set(1)})},
			{Priority: 2, Entries: one(forwarding.Actions{Verdict: forwarding.Forward, TC: set(2)})},
		}, "0 tc 2 queue - dscp 1"},
		{"class given is matched at egress", []forwarding.ACL{
			{Entries: one(forwarding.Actions{TC: set(6), DSCP: set(50)})},
			{Stage: forwarding.Egress, Entries: []forwarding.Entry{{Match: forwarding.Match{Fields: map[forwarding.Field]forwarding.Bits{
				forwarding.MatchTC: {Value: 6, Mask: 15}, forwarding.MatchDSCP: {Value: 50, Mask: 63},
			}}, Do: forwarding.Actions{TC: set(7)}}}},
		}, "0 tc 6 queue 7 dscp 50"},
	} {
		b := newRouter(t)
		for i, a := range c.lists {
			b.do(b.SetACL(forwarding.ID(i), a))
		}
		w := b.Forward(1, &h, dataplane.Marks{})
		got := tell(w)
		if len(w.Exits) > 0 {
			got += fmt.Sprintf(" tc %s queue %s dscp %s", kept(w.TC), kept(w.Exits[0].TC), kept(w.Exits[0].DSCP))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for i := range c.lists {
			b.RemoveACL(forwarding.ID(i))
		}
		b.want(1, h, "0")
	}
}

func kept(v uint8) string {
	if v == dataplane.Keep {
		return "-"
	}
	return fmt.Sprint(v)
}

// TestOrder applies random lists, and compares with the definition: in each list, by
// priority, the first matching entry by priority.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	b := newRouter(t)
	for range 500 {
		var said []uint8
		lists := make([]forwarding.ACL, 1+r.IntN(4))
		for i := range lists {
			lists[i].Priority = r.Uint32N(3)
			for range r.IntN(8) {
				e := forwarding.Entry{Priority: r.Uint32N(4)}
				e.Match.Dst = netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(r.IntN(16))}), 28+r.IntN(5))
				e.Do.DSCP = forwarding.Set{On: true, To: uint8(r.IntN(64))}
				lists[i].Entries = append(lists[i].Entries, e)
			}
			b.do(b.SetACL(forwarding.ID(i), lists[i]))
		}
		h := packet("10.9.9.9", "10.0.0.9")
		slices.SortStableFunc(lists, func(x, y forwarding.ACL) int { return cmp.Compare(y.Priority, x.Priority) })
		for _, a := range lists {
			best := -1
			for i, e := range a.Entries {
				if e.Match.Dst.Contains(h.Dst) && (best < 0 || e.Priority > a.Entries[best].Priority) {
					best = i
				}
			}
			if best >= 0 {
				said = append(said, a.Entries[best].Do.DSCP.To)
			}
		}
		said = append(said, dataplane.Keep)
		if w := b.Forward(1, &h, dataplane.Marks{}); w.Exits[0].DSCP != said[0] {
			t.Fatalf("DSCP %d of %+v, want %d", w.Exits[0].DSCP, lists, said[0])
		}
		for i := range lists {
			b.RemoveACL(forwarding.ID(i))
		}
	}
}
