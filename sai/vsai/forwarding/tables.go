// Package forwarding is what a switch knows of where packets go: VLANs and
// stations, router interfaces, neighbours and routes, groups of next hops, access
// lists.
//
// Tables answers dataplane.Switch about each packet that looks different from
// those before; whatever changes the answer, a station that is heard of included,
// has it ask anew. Objects know each other by IDs that the caller gives, and may be
// given in any order: what refers to something that is not there drops its packets.
//
// What is not here: SAI, time (stations age by Sweep), and what happens to packets
// on the way to where they go.
package forwarding

import (
	"fmt"

	"xon/sai/vsai/dataplane"
)

// ID names an object of the caller's.
type ID uint64

// Tables is a switch's forwarding. Its methods belong to the simulation's goroutine.
type Tables struct {
	sw      *dataplane.Switch
	ports   []Port
	vlans   map[uint16]*vlan
	fdb     map[fdbKey]*FDBEntry
	noFlood uint16

	interfaces map[ID]Interface
	ifaces     map[ifaceKey]ID
	neighbours map[neighbour]dataplane.MAC
	nextHops   map[ID]NextHop
	groups     map[ID][]Member
	vrfs       map[ID]*routes
	hash4      Hash
	hash6      Hash

	acls [stages][]*acl
}

// Port is how a port takes frames in. The zero value has no VLAN for untagged ones.
type Port struct {
	PVID         uint16 // VLAN of untagged frames, 1..4094; 0: none
	DropUntagged bool
	DropTagged   bool
	NoLearning   bool
	Meta         uint32 // what access lists see as metadata to begin with
}

// New makes empty tables, and the forwarding of the switch out of them.
func New(sw *dataplane.Switch) *Tables {
	t := &Tables{
		sw: sw, ports: make([]Port, len(sw.Ports())),
		vlans: map[uint16]*vlan{}, fdb: map[fdbKey]*FDBEntry{},
		interfaces: map[ID]Interface{}, ifaces: map[ifaceKey]ID{}, neighbours: map[neighbour]dataplane.MAC{},
		nextHops: map[ID]NextHop{}, groups: map[ID][]Member{}, vrfs: map[ID]*routes{},
	}
	sw.SetForwarder(t)
	return t
}

// SetPort says how a port takes frames in.
func (t *Tables) SetPort(port int, p Port) error {
	if err := t.checkPorts(port); err != nil {
		return err
	}
	if p.PVID > maxVLAN {
		return fmt.Errorf("port %d: VLAN %d of untagged frames: want 1 to %d, or 0 for none", port, p.PVID, maxVLAN)
	}
	t.ports[port] = p
	t.sw.InvalidateDecisions()
	return nil
}

// SetNoFlood gives the traffic classes, a bit each, whose unicast packets are
// dropped instead of flooded when it is not known where their station is: what is
// flooded in a lossless class can close a circle of pauses.
func (t *Tables) SetNoFlood(classes uint16) {
	t.noFlood = classes
	t.sw.InvalidateDecisions()
}

func (t *Tables) checkPorts(ports ...int) error {
	for _, p := range ports {
		if p < 0 || p >= len(t.ports) {
			return fmt.Errorf("port %d: switch %s has ports 0 to %d", p, t.sw.Name(), len(t.ports)-1)
		}
	}
	return nil
}

func (t *Tables) up(port int) bool { return t.sw.Ports()[port].Up() }
