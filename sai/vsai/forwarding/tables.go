// Package forwarding holds the forwarding tables of a switch: VLANs and FDB, router
// interfaces, neighbours, routes, next hop groups, access lists.
//
// Tables implements dataplane.Forwarder. The switch caches decisions; every change of
// the tables, including a learned address, invalidates them. Objects refer to each
// other by IDs that the caller assigns, and may be set in any order: packets are
// dropped where a reference is missing.
//
// What is not here: SAI, time (entries age by Sweep), and what happens to packets in
// queues.
package forwarding

import (
	"fmt"

	"xon/sai/vsai/dataplane"
)

// ID is an object ID that the caller assigns.
type ID uint64

// Tables are the forwarding tables of a switch. Only the simulation's goroutine may
// call its methods.
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

// Port is the ingress configuration of a port. The zero value drops untagged frames.
type Port struct {
	PVID         uint16 // VLAN of untagged frames, 1..4094; 0: none
	DropUntagged bool
	DropTagged   bool
	NoLearning   bool
	Meta         uint32 // initial metadata for access lists
}

// New makes empty tables and sets them as the forwarder of the switch.
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

// SetPort configures ingress at a port.
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

// SetNoFlood sets the traffic classes, one bit each, in which unknown unicast is
// dropped instead of flooded: flooding in a lossless class can cause a PFC deadlock.
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
