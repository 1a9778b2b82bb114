package forwarding

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"xon/sai/vsai/dataplane"
)

// Stage is where access lists apply.
type Stage uint8

// Stages.
const (
	Ingress Stage = iota // before the forwarding decision
	Egress               // for each egress port
	stages
)

// ACL is an access list. In each list the matching entry with the highest priority
// acts. Lists apply by priority, and the first verdict, class and DSCP stand. Later
// lists see metadata that earlier ones set.
type ACL struct {
	Stage    Stage
	Priority uint32 // higher first; among equals the smaller ID
	Ports    []int  // ingress ports, at Egress egress ports; nil: all
	Entries  []Entry
}

// Entry of an access list. Among equal priorities the first one matches.
type Entry struct {
	Priority uint32
	Match    Match
	Do       Actions
}

// Match selects packets; the zero value matches all.
type Match struct {
	In, Out          []int        // ports; nil: all. Out is available at Egress.
	Src, Dst         netip.Prefix // zero value: any address
	SrcPort, DstPort Range
	Fields           map[Field]Bits
}

// Range of TCP and UDP ports, inclusive; the zero value matches all packets, of other
// protocols too.
type Range struct{ Min, Max uint16 }

// Bits is a value and a mask.
type Bits struct{ Value, Mask uint32 }

// Field is a field that is matched by value and mask. A packet without the field does
// not match.
type Field uint8

// Fields.
const (
	MatchIP        Field = iota // IP version, 4 or 6; 0: not IP
	MatchEtherType              // of any packet
	MatchVLAN                   // VLAN of the tag, or of the port
	MatchPCP                    // of tagged frames
	MatchProtocol               // of IP
	MatchDSCP
	MatchECN
	MatchTC     // traffic class, by the port's maps or an earlier list
	MatchOpcode // of RoCEv2
	MatchQP
	MatchMeta // metadata of the port, or set by an earlier list
	fieldCount
)

// Actions are the actions of an entry; the zero value does nothing.
type Actions struct {
	Verdict  Verdict
	Redirect *Target // overrides the destination; only at Ingress
	TC       Set     // at Ingress it selects priority group and queue, at Egress only the queue
	DSCP     Set
	Meta     Bits // sets the bits of the mask
	Count    *dataplane.Counter
}

// Verdict of an access list.
type Verdict uint8

// Verdicts.
const (
	Undecided Verdict = iota
	Forward           // overrides later lists
	Drop
	Trap // to the CPU only; only at Ingress
)

// Set is an optional new value of a field.
type Set struct {
	On bool
	To uint8
}

// acl is an ACL in the form that packets are matched with.
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

// SetACL creates or changes an access list.
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

// RemoveACL removes an access list.
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

// CheckEntry returns the error that SetACL would return for an entry.
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

// hits reports whether an entry matches a packet.
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

// portSet is a bit set of ports; nil contains all.
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
