package forwarding

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"xon/sai/vsai/dataplane"
)

const maxVLAN = 4094

// VLAN is a virtual LAN. A port is tagged, untagged, or not in it.
type VLAN struct {
	Tagged, Untagged []int
	NoLearning       bool
	// What is not flooded: unicast to stations unheard of, multicast, broadcast.
	NoUnknown, NoMulticast, NoBroadcast bool
}

type vlan struct {
	VLAN
	members []int        // in order
	tagged  map[int]bool // of members
}

// fdbKey of a station.
type fdbKey struct {
	vlan uint16
	mac  dataplane.MAC
}

// FDBEntry is where frames to an address of a VLAN go.
type FDBEntry struct {
	VLAN   uint16
	MAC    dataplane.MAC
	Port   int
	Static bool // was set, and neither moves nor ages
	seen   bool // since the last sweep
}

// SetVLAN makes a VLAN, or changes it. Stations that were learned at ports that
// are no longer in it are forgotten.
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

// RemoveVLAN takes a VLAN away, and what was learned in it.
func (t *Tables) RemoveVLAN(id uint16) {
	delete(t.vlans, id)
	t.Flush(func(s FDBEntry) bool { return s.VLAN == id })
}

func (v *vlan) has(port int) bool {
	_, ok := slices.BinarySearch(v.members, port)
	return ok
}

// SetFDBEntry says for good where an address of a VLAN is.
func (t *Tables) SetFDBEntry(id uint16, mac dataplane.MAC, port int) error {
	if err := t.checkPorts(port); err != nil {
		return fmt.Errorf("station %x of VLAN %d: %w", mac, id, err)
	}
	if id < 1 || id > maxVLAN || group(mac) {
		return fmt.Errorf("station %x of VLAN %d: want an individual address, and a VLAN of 1 to %d", mac, id, maxVLAN)
	}
	t.fdb[fdbKey{id, mac}] = &FDBEntry{VLAN: id, MAC: mac, Port: port, Static: true}
	t.sw.InvalidateDecisions()
	return nil
}

// RemoveFDBEntry forgets an address, static or learned.
func (t *Tables) RemoveFDBEntry(id uint16, mac dataplane.MAC) {
	delete(t.fdb, fdbKey{id, mac})
	t.sw.InvalidateDecisions()
}

// Flush forgets stations that were learned, all of which the function says so.
func (t *Tables) Flush(gone func(FDBEntry) bool) {
	for at, s := range t.fdb {
		if !s.Static && gone(*s) {
			delete(t.fdb, at)
		}
	}
	t.sw.InvalidateDecisions()
}

// Sweep forgets stations that have not sent since the last sweep. Swept every
// ageing time, they are forgotten one to two of it after they fell silent.
func (t *Tables) Sweep() {
	t.Flush(func(s FDBEntry) bool { return !s.seen })
	for _, s := range t.fdb {
		s.seen = false
	}
}

// FDB lists stations by VLAN and address.
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

// learn keeps where a station was heard.
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

// group reports whether an address is of many stations.
func group(m dataplane.MAC) bool { return m[0]&1 != 0 }

var broadcast = dataplane.MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// bridge finds the ways out of a VLAN to an address. Nothing goes back to where it
// came from.
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

// flood finds all ports of a VLAN but that which the packet came in by.
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

// exit gives a packet the tag that the VLAN has at a port.
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
