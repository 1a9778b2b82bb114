package reconcile

import (
	"fmt"

	"xon/orchagent/graph"
	"xon/sai"
)

// created are the types of object that the agent makes and removes. Objects of any
// other type are the chip's business.
var created = []sai.ObjectType{
	sai.ObjectTypeBufferPool, sai.ObjectTypeBufferProfile, sai.ObjectTypeQoSMap,
	sai.ObjectTypeScheduler, sai.ObjectTypeWred, sai.ObjectTypeHostif,
	sai.ObjectTypeVLAN, sai.ObjectTypeBridgePort, sai.ObjectTypeVLANMember,
	sai.ObjectTypeRouterInterface, sai.ObjectTypeNextHop, sai.ObjectTypeNextHopGroup, sai.ObjectTypeNextHopGroupMember,
}

// entries are those types of objects without handle that the agent makes and removes.
var entries = []sai.ObjectType{sai.ObjectTypeRouteEntry, sai.ObjectTypeNeighborEntry}

// mark is the name of the switch in sai.Names. Until it is there no agent has made
// anything, so whatever the chip holds is its own.
var mark = graph.Key{Type: sai.ObjectTypeSwitch, Name: "switch"}.String()

// unnamedPrefix is what the name of an object begins with that an agent made that could
// not say what for. No row can have it.
const unnamedPrefix = "~oid:"

// ownKey names an object of the chip's own. It is never changed or removed, and
// what refers to it counts as set by nobody.
func ownKey(t sai.ObjectType, id sai.OID) graph.Key {
	return graph.Key{Type: t, Name: fmt.Sprintf("%s%#x", graph.Own, uint64(id))}
}

// unnamedKey names an object that an agent made but has no name for. Nothing will
// want such a name, so the next Diff removes the object.
func unnamedKey(t sai.ObjectType, id sai.OID) graph.Key {
	return graph.Key{Type: t, Name: fmt.Sprintf("%s%#x", unnamedPrefix, uint64(id))}
}

// refersOwn reports whether all that a reference names is the chip's own.
func refersOwn(v graph.Value) bool {
	if v.IsNull() {
		return false
	}
	for k := range v.Targets() {
		if !k.Own() {
			return false
		}
	}
	return true
}
