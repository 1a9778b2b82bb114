package forwarding

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"xon/sai/vsai/dataplane"
)

// Stage is when access lists are looked at.
type Stage uint8

// Stages.
const (
	Ingress Stage = iota // before it is known where a packet goes
	Egress               // for each port that it leaves by
	stages
)

// ACL is an access list. Of each that a packet meets, the matching entry of the
// greatest priority acts; lists are met by priority, and what an earlier one says of
// a packet's fate, class or DSCP stands. Metadata are seen by later lists.
type ACL struct {
	Stage    Stage
	Priority uint32 // the greater first, of equal ones the smaller ID
	Ports    []int  // that packets come in by, at Egress that they leave by; nil: all
	Entries  []Entry
}

// Entry of an access list. Of equal priorities the earlier acts.
type Entry struct {
	Priority uint32
	Match    Match
	Do       Actions
}

// Match says which packets an entry is for; the zero value: for all.
type Match struct {
	In, Out          []int        // ports; nil: all. Out is known at Egress.
	Src, Dst         netip.Prefix // zero: any address
	SrcPort, DstPort Range
	Fields           map[Field]Bits
}

// Range of ports of TCP and UDP, ends included; zero: all, and of other protocols too.
type Range struct{ Min, Max uint16 }

// Bits is a value, and which of its bits count.
type Bits struct{ Value, Mask uint32 }

// Field is something that is compared by bits. A packet that does not have it is
// not matched.
type Field uint8

// Fields.
const (
	MatchIP        Field = iota // version of IP, 4 or 6; 0: not IP
	MatchEtherType              // of all packets
	MatchVLAN                   // which the packet is in, its tag's or the port's
	MatchPCP                    // of tagged frames
	MatchProtocol               // of IP
	MatchDSCP
	MatchECN
	MatchTC     // traffic class, by the port's maps or an earlier stage
	MatchOpcode // of RoCEv2
	MatchQP
	MatchMeta // metadata of the port, or of an earlier list
	fieldCount
)

// Actions is what an entry does with a packet; the zero value: nothing.
type Actions struct {
	Verdict  Verdict
	Redirect *Target // where it goes instead; only at Ingress
	TC       Set     // at Ingress of priority group and queue, at Egress of the queue alone
	DSCP     Set
	Meta     Bits // sets the bits of the mask
	Count    *dataplane.Counter
}

// Verdict of a packet.
type Verdict uint8

// Fates.
const (
	Undecided Verdict = iota
	Forward           // whatever later lists say
	Drop
	Trap // to the CPU, and nowhere else; only at Ingress
)

// Set gives a field a value.
type Set struct {
	On bool
	To uint8
}

// acl is an ACL as it is looked at.
type acl struct {
	id       ID
	stage    Stage
	priority uint32
	ports    portSet
	entries  []entry
}

type entry struct {
	in, out          portSet
	src, dst         netip.Prefix
	srcPort, dstPort Range
	bits             [fieldCount]Bits
	do               Actions
}

// SetACL makes an access list, or changes it.
func (t *Tables) SetACL(id ID, a ACL) error {
	if err := t.checkACL(&a); err != nil {
		return fmt.Errorf("access list %#x: %w", id, err)
	}
	n := &acl{id: id, stage: a.Stage, priority: a.Priority, ports: newPortSet(a.Ports)}
	entries := slices.Clone(a.Entries)
	slices.SortStableFunc(entries, func(x, y Entry) int { return cmp.Compare(y.Priority, x.Priority) })
	for i := range entries {
		n.entries = append(n.entries, newEntry(&entries[i]))
	}
	t.RemoveACL(id)
	list := append(t.acls[a.Stage], n)
	slices.SortFunc(list, func(x, y *acl) int {
		return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.id, y.id))
	})
	t.acls[a.Stage] = list
	return nil
}

// RemoveACL takes an access list away.
func (t *Tables) RemoveACL(id ID) {
	for i := range t.acls {
		t.acls[i] = slices.DeleteFunc(t.acls[i], func(a *acl) bool { return a.id == id })
	}
	t.sw.InvalidateDecisions()
}

func (t *Tables) checkACL(a *ACL) error {
	if a.Stage >= stages {
		return fmt.Errorf("stage %d: want ingress or egress", a.Stage)
	}
	if err := t.checkPorts(a.Ports...); err != nil {
		return err
	}
	for i := range a.Entries {
		if err := t.CheckEntry(a.Stage, &a.Entries[i]); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return nil
}

// CheckEntry reports what SetACL would refuse of an entry.
func (t *Tables) CheckEntry(s Stage, e *Entry) error {
	if err := t.checkPorts(slices.Concat(e.Match.In, e.Match.Out)...); err != nil {
		return err
	}
	if r := e.Do.Redirect; r != nil && r.Action == ToPort {
		if err := t.checkPorts(r.Port); err != nil {
			return err
		}
	}
	for f := range e.Match.Fields {
		if f >= fieldCount {
			return fmt.Errorf("field %d: want less than %d", f, fieldCount)
		}
	}
	switch {
	case s == Egress && (e.Do.Redirect != nil || e.Do.Verdict == Trap):
		return fmt.Errorf("redirect or trap at egress: want it at ingress")
	case s == Ingress && e.Match.Out != nil:
		return fmt.Errorf("ports that packets leave by at ingress: want them at egress")
	case e.Do.TC.On && e.Do.TC.To >= dataplane.MaxTC:
		return fmt.Errorf("traffic class %d: want 0 to %d", e.Do.TC.To, dataplane.MaxTC-1)
	case e.Do.DSCP.On && e.Do.DSCP.To > 63:
		return fmt.Errorf("DSCP %d: want 0 to 63", e.Do.DSCP.To)
	}
	return nil
}

func newEntry(e *Entry) entry {
	n := entry{
		in: newPortSet(e.Match.In), out: newPortSet(e.Match.Out), src: e.Match.Src, dst: e.Match.Dst,
		srcPort: e.Match.SrcPort, dstPort: e.Match.DstPort, do: e.Do,
	}
	for f, b := range e.Match.Fields {
		n.bits[f] = b
	}
	return n
}

// hits reports whether an entry is for a packet.
func (e *entry) hits(p *packet) bool {
	for f := range e.bits {
		if b := &e.bits[f]; b.Mask != 0 && (p.has&(1<<f) == 0 || (p.values[f]^b.Value)&b.Mask != 0) {
			return false
		}
	}
	h := p.header
	return e.in.has(p.in) && e.out.has(p.out) && within(e.src, h.Src) && within(e.dst, h.Dst) &&
		e.srcPort.has(h, h.SrcPort) && e.dstPort.has(h, h.DstPort)
}

func within(p netip.Prefix, a netip.Addr) bool {
	return p == (netip.Prefix{}) || p.Contains(a.Unmap())
}

func (r Range) has(h *dataplane.Header, port uint16) bool {
	return r == (Range{}) || (h.Protocol == dataplane.TCP || h.Protocol == dataplane.UDP) && r.Min <= port && port <= r.Max
}

// portSet has a bit for each port; nil has all.
type portSet []uint64

func newPortSet(ports []int) portSet {
	if ports == nil {
		return nil
	}
	s := make(portSet, 1)
	for _, p := range ports {
		for p/64 >= len(s) {
			s = append(s, 0)
		}
		s[p/64] |= 1 << (p % 64)
	}
	return s
}

func (s portSet) has(port int) bool {
	return s == nil || port/64 < len(s) && s[port/64]&(1<<(port%64)) != 0
}
