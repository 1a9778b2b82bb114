package saitest

import (
	"slices"

	"xon/sai"
)

// testPorts: a port is removed with its objects, ports with fewer lanes replace it, and
// it is created again.
func (r *rig) testPorts() {
	whole := r.ports[1]
	lanes, speed := read(r, whole, sai.PortAttrHwLaneList), read(r, whole, sai.PortAttrSpeed)
	r.unbridge(whole)
	before := r.countObjects()
	r.fails(r.refused(lanes, speed), sai.StatusObjectInUse, sai.StatusItemAlreadyExists)
	_, profile := r.profile()
	q := read(r, whole, sai.PortAttrQoSQueueList)[0]
	set(r, q, sai.QueueAttrBufferProfileID.Is(profile))
	hostif := create(r, sai.HostifAttrType.Is(sai.HostifTypeNetdev), sai.HostifAttrObjID.Is(whole.OID()), sai.HostifAttrName.Is("whole"))
	r.fails(sai.Remove(r.sw, whole), sai.StatusObjectInUse)
	r.ok(sai.Remove(r.sw, hostif))
	r.ok(sai.Remove(r.sw, whole))
	r.ok(sai.Remove(r.sw, profile)) // the port's queue was its last user
	_, err := sai.Get(r.sw, q, sai.QueueAttrIndex)
	r.fails(err, sai.StatusInvalidObjectID, sai.StatusItemNotFound)
	r.fails(sai.Remove(r.sw, whole), sai.StatusInvalidObjectID, sai.StatusItemNotFound)
	r.wantPorts(-1)

	if len(lanes) > 1 {
		r.createPorts(slices.Collect(slices.Chunk(lanes, len(lanes)/2)))
		r.fails(r.refused(lanes, speed), sai.StatusObjectInUse)
	}
	for _, p := range read(r, r.sw.ID, sai.SwitchAttrPortList)[len(r.ports)-1:] {
		r.ok(sai.Remove(r.sw, p))
	}
	r.createPort(lanes, speed)
	r.wantPorts(0)
	r.ok(sai.Remove(r.sw, r.pools()[0]))
	if after := r.countObjects(); !slices.Equal(after, before) {
		r.t.Errorf("objects by type were %v, are %v", before, after)
	}
}

// createPorts creates ports with the given lanes, at a speed of one lane.
func (r *rig) createPorts(lanes [][]uint32) {
	r.t.Helper()
	for _, part := range lanes {
		p := r.createPort(part, 10000)
		if got := read(r, p, sai.PortAttrHwLaneList); !slices.Equal(got, part) {
			r.t.Errorf("%v has lanes %v, want %v", p, got, part)
		}
		r.indexed(p, read(r, p, sai.PortAttrQoSQueueList), read(r, p, sai.PortAttrIngressPriorityGroupList))
		set(r, p, sai.PortAttrAdminState.Is(true))
	}
	r.wantPorts(len(lanes) - 1)
}

// createPort creates a port, and checks that it has the same objects as the initial
// ports.
func (r *rig) createPort(lanes []uint32, speed uint32) sai.ID[sai.Port] {
	r.t.Helper()
	p, first := create(r, sai.PortAttrHwLaneList.Is(lanes), sai.PortAttrSpeed.Is(speed)), r.ports[0]
	for _, n := range []sai.Attr[sai.Port, uint32]{
		sai.PortAttrQoSNumberOfQueues, sai.PortAttrNumberOfIngressPriorityGroups, sai.PortAttrQoSNumberOfSchedulerGroups,
	} {
		if got, want := read(r, p, n), read(r, first, n); got != want {
			r.t.Errorf("%s is %d, of another port %d", n.AttrMeta.Name, got, want)
		}
	}
	if read(r, p, sai.PortAttrAdminState) {
		r.t.Error("a new port is up")
	}
	return p
}

// refused returns the error of creating a port.
func (r *rig) refused(lanes []uint32, speed uint32) error {
	_, err := sai.Create(r.sw, sai.PortAttrHwLaneList.Is(lanes), sai.PortAttrSpeed.Is(speed))
	return err
}

// wantPorts checks the number of ports: the initial number plus more.
func (r *rig) wantPorts(more int) {
	r.t.Helper()
	list, n := read(r, r.sw.ID, sai.SwitchAttrPortList), read(r, r.sw.ID, sai.SwitchAttrNumberOfActivePorts)
	if len(list) != len(r.ports)+more || int(n) != len(list) {
		r.t.Errorf("a list of %d ports, %d active ones, want %d", len(list), n, len(r.ports)+more)
	}
}

func (r *rig) pools() []sai.ID[sai.BufferPool] {
	r.t.Helper()
	keys, st := r.d.Objects(r.sw.ID.OID(), sai.BufferPool{}.Meta())
	r.status(st, 0)
	ids := make([]sai.ID[sai.BufferPool], len(keys))
	for i, k := range keys {
		ids[i] = sai.ID[sai.BufferPool](k.OID)
	}
	return ids
}

// countObjects counts the objects of every type.
func (r *rig) countObjects() []int {
	r.t.Helper()
	n := make([]int, len(sai.Objects))
	for i, o := range sai.Objects {
		keys, st := r.d.Objects(r.sw.ID.OID(), o)
		r.status(st, 0)
		n[i] = len(keys)
	}
	return n
}

// unbridge removes a port from its initial VLANs, without which it cannot be removed.
func (r *rig) unbridge(port sai.ID[sai.Port]) {
	r.t.Helper()
	bridged, st := r.d.Objects(r.sw.ID.OID(), sai.BridgePort{}.Meta())
	r.status(st, 0)
	members, st := r.d.Objects(r.sw.ID.OID(), sai.VLANMember{}.Meta())
	r.status(st, 0)
	for _, b := range bridged {
		id := sai.ID[sai.BridgePort](b.OID)
		if sai.ID[sai.Port](read(r, id, sai.BridgePortAttrPortID)) != port {
			continue
		}
		for _, m := range members {
			if m := sai.ID[sai.VLANMember](m.OID); read(r, m, sai.VLANMemberAttrBridgePortID) == id {
				r.fails(sai.Remove(r.sw, id), sai.StatusObjectInUse)
				r.ok(sai.Remove(r.sw, m))
			}
		}
		r.fails(sai.Remove(r.sw, port), sai.StatusObjectInUse)
		r.ok(sai.Remove(r.sw, id))
	}
}
