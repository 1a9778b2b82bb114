package reconcile

import (
	"fmt"
	"strings"

	"xon/orchagent/graph"
	"xon/sai"
)

// created are the types of object that the agent makes and removes. Objects of any
// other type are the chip's business.
var created = []sai.ObjectType{
	sai.ObjectTypeBufferPool, sai.ObjectTypeBufferProfile, sai.ObjectTypeQoSMap,
	sai.ObjectTypeScheduler, sai.ObjectTypeWred, sai.ObjectTypeHostif,
}

// mark is the name of the switch in sai.Names. Until it is there no agent has made
// anything, so whatever the chip holds is its own.
var mark = graph.Key{Type: sai.ObjectTypeSwitch, Name: "switch"}.String()

// Names that no row can have.
const (
	ownPrefix     = "~chip:" // of a type that agents create, but made by the chip
	unnamedPrefix = "~oid:"  // made by an agent that could not say what for
)

// ownKey names an object of the chip's own. It is never changed or removed, and
// what refers to it counts as set by nobody.
func ownKey(t sai.ObjectType, id sai.OID) graph.Key {
	return graph.Key{Type: t, Name: fmt.Sprintf("%s%#x", ownPrefix, uint64(id))}
}

// unnamedKey names an object that an agent made but has no name for. Nothing will
// want such a name, so the next Diff removes the object.
func unnamedKey(t sai.ObjectType, id sai.OID) graph.Key {
	return graph.Key{Type: t, Name: fmt.Sprintf("%s%#x", unnamedPrefix, uint64(id))}
}

func isOwn(k graph.Key) bool { return strings.HasPrefix(k.Name, ownPrefix) }

// refersOwn reports whether all that a reference names is the chip's own.
func refersOwn(v graph.Value) bool {
	if v.IsNull() {
		return false
	}
	for k := range v.Targets() {
		if !isOwn(k) {
			return false
		}
	}
	return true
}
