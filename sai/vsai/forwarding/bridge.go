package forwarding

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"xon/sai/vsai/dataplane"
)

const maxVLAN = 4094

// VLAN is a virtual LAN. A port is a tagged member, an untagged member, or no member.
type VLAN struct {
	Tagged, Untagged []int
	NoLearning       bool
	// Disable flooding of unknown unicast, multicast and broadcast.
	NoUnknown, NoMulticast, NoBroadcast bool
}

type vlan struct {
	VLAN
	members []int        // sorted
	tagged  map[int]bool // membership is tagged
}

// fdbKey is the key of an FDB entry.
type fdbKey struct {
	vlan uint16
	mac  dataplane.MAC
}

// FDBEntry is the port of a MAC address in a VLAN.
type FDBEntry struct {
	VLAN   uint16
	MAC    dataplane.MAC
	Port   int
	Static bool // configured: it does not move or age
	seen   bool // since the last Sweep
}

// SetVLAN creates or changes a VLAN. It removes entries that were learned on ports that
// are no longer members.
func (t *Tables) SetVLAN(id uint16, v VLAN) error {
	if id < 1 || id > maxVLAN {
		return fmt.Errorf("VLAN %d: want 1 to %d", id, maxVLAN)
	}
	n := &vlan{VLAN: v, tagged: map[int]bool{}}
	n.members = slices.Concat(v.Tagged, v.Untagged)
	slices.Sort(n.members)
	if err := t.checkPorts(n.members...); err != nil {
		return fmt.Errorf("VLAN %d: %w", id, err)
	}
	if len(slices.Compact(slices.Clone(n.members))) != len(n.members) {
		return fmt.Errorf("VLAN %d: a port is in it twice: want tagged or untagged", id)
	}
	for _, p := range v.Tagged {
		n.tagged[p] = true
	}
	t.vlans[id] = n
	t.Flush(func(s FDBEntry) bool { return s.VLAN == id && !n.has(s.Port) })
	return nil
}

// RemoveVLAN removes a VLAN and the entries learned in it.
func (t *Tables) RemoveVLAN(id uint16) {
	delete(t.vlans, id)
	t.Flush(func(s FDBEntry) bool { return s.VLAN == id })
}

func (v *vlan) has(port int) bool {
	_, ok := slices.BinarySearch(v.members, port)
	return ok
}

// SetFDBEntry adds a static entry.
func (t *Tables) SetFDBEntry(id uint16, mac dataplane.MAC, port int) error {
	if err := t.checkPorts(port); err != nil {
		return fmt.Errorf("FDB entry %x of VLAN %d: %w", mac, id, err)
	}
	if id < 1 || id > maxVLAN || group(mac) {
		return fmt.Errorf("FDB entry %x of VLAN %d: want an individual address, and a VLAN of 1 to %d", mac, id, maxVLAN)
	}
	t.fdb[fdbKey{id, mac}] = &FDBEntry{VLAN: id, MAC: mac, Port: port, Static: true}
	t.sw.InvalidateDecisions()
	return nil
}

// RemoveFDBEntry removes a static or learned entry.
func (t *Tables) RemoveFDBEntry(id uint16, mac dataplane.MAC) {
	delete(t.fdb, fdbKey{id, mac})
	t.sw.InvalidateDecisions()
}

// Flush removes the learned entries for which gone returns true.
func (t *Tables) Flush(gone func(FDBEntry) bool) {
	for at, s := range t.fdb {
		if !s.Static && gone(*s) {
			delete(t.fdb, at)
		}
	}
	t.sw.InvalidateDecisions()
}

// Sweep removes learned entries whose address has not sent since the last Sweep. If it
// is called once per ageing time, entries live for one to two ageing times after the
// last frame.
func (t *Tables) Sweep() {
	t.Flush(func(s FDBEntry) bool { return !s.seen })
	for _, s := range t.fdb {
		s.seen = false
	}
}

// FDB lists entries by VLAN and address.
func (t *Tables) FDB() []FDBEntry {
	out := make([]FDBEntry, 0, len(t.fdb))
	for _, s := range t.fdb {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b FDBEntry) int {
		return cmp.Or(cmp.Compare(a.VLAN, b.VLAN), bytes.Compare(a.MAC[:], b.MAC[:]))
	})
	return out
}

// learn records the port of a source address.
func (t *Tables) learn(id uint16, v *vlan, port int, mac dataplane.MAC) {
	if v.NoLearning || t.ports[port].NoLearning || group(mac) || mac == (dataplane.MAC{}) {
		return
	}
	s := t.fdb[fdbKey{id, mac}]
	switch {
	case s == nil:
		t.fdb[fdbKey{id, mac}] = &FDBEntry{VLAN: id, MAC: mac, Port: port, seen: true}
	case s.Port == port || s.Static:
		s.seen = true
		return
	default:
		s.Port, s.seen = port, true
	}
	t.sw.InvalidateDecisions()
}

// group reports whether an address is a group address.
func group(m dataplane.MAC) bool { return m[0]&1 != 0 }

var broadcast = dataplane.MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// bridge decides about a packet in a VLAN. A packet never leaves by its ingress port.
func (t *Tables) bridge(p *packet, id uint16, h dataplane.Header) decision {
	v := t.vlans[id]
	switch {
	case v == nil:
		return dropFor(dataplane.DropVLAN)
	case h.DstMAC == broadcast:
		return t.flood(p, id, h, v.NoBroadcast)
	case group(h.DstMAC):
		return t.flood(p, id, h, v.NoMulticast)
	}
	s := t.fdb[fdbKey{id, h.DstMAC}]
	switch {
	case s == nil:
		return t.flood(p, id, h, v.NoUnknown || t.noFlood&(1<<p.class()) != 0)
	case !v.has(s.Port):
		return dropFor(dataplane.DropVLAN)
	case s.Port == p.in && !p.routed:
		return dropFor(dataplane.DropForward)
	case !t.up(s.Port):
		return dropFor(dataplane.DropLink)
	}
	return decision{exits: []dataplane.Exit{v.exit(id, s.Port, h)}}
}

// flood sends a packet to all members of a VLAN except its ingress port.
func (t *Tables) flood(p *packet, id uint16, h dataplane.Header, disabled bool) decision {
	if disabled {
		return dropFor(dataplane.DropFlood)
	}
	v := t.vlans[id]
	var o decision
	for _, port := range v.members {
		if port != p.in && t.up(port) {
			o.exits = append(o.exits, v.exit(id, port, h))
		}
	}
	if len(o.exits) == 0 {
		o.drop = dataplane.DropForward
	}
	return o
}

// exit tags or untags a packet for a member port.
func (v *vlan) exit(id uint16, port int, h dataplane.Header) dataplane.Exit {
	h.Tagged, h.VLAN = false, 0
	if v.tagged[port] {
		h.Tagged, h.VLAN = true, id
	}
	return exit(port, h)
}

func exit(port int, h dataplane.Header) dataplane.Exit {
	return dataplane.Exit{Port: port, Header: h, TC: dataplane.Keep, DSCP: dataplane.Keep}
}
