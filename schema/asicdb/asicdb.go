// Package asicdb has the forms in which SONiC keeps the objects of a chip in
// ASIC_DB. Handles are "oid:0x1000000000002", types and attributes SAI's full names.
//
// What is not for here: the text of values (sai) and how rows are stored
// (schema/redisdb).
package asicdb

import "strings"

// StateTable holds a hash for each object, a field per attribute that was set. An
// object that nobody set an attribute of has the field NULL with the value NULL.
const StateTable = "ASIC_STATE"

// The hashes between the handles that SONiC hands out and the chip's own. xon hands
// out the chip's, so each maps every handle to itself.
const (
	VIDToRID = "VIDTORID"
	RIDToVID = "RIDTOVID"
)

// SONiC's syncd keeps notes beside them: what it found on the chip when it started.
// xon writes them for others to read, but for VIDCounter: the handles are the
// chip's, so there is nothing to count.
const (
	Lanes      = "LANES"      // hash: a lane's number → oid of the port, the chip's
	Hidden     = "HIDDEN"     // hash: an attribute, "SAI_SWITCH_ATTR_DEFAULT_VLAN_ID" → oid of the object, the chip's
	ColdVIDs   = "COLDVIDS"   // hash: oid of an object that the chip made itself → "SAI_OBJECT_TYPE_PORT"
	VIDCounter = "VIDCOUNTER" // a number in decimal, not a hash: the handle handed out last, without its type
)

// ObjectKey names the hash of an object:
// "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15000000000001". Entries, which have no
// handle, have their key in JSON in its place.
func ObjectKey(objectType, oid string) string { return StateTable + ":" + objectType + ":" + oid }

// IsEntry reports whether what ParseObjectKey returns as a handle is the key of an entry.
func IsEntry(oid string) bool { return strings.HasPrefix(oid, "{") }

// ParseObjectKey is the inverse of ObjectKey; ok is false for anything else.
func ParseObjectKey(key string) (objectType, oid string, ok bool) {
	rest, ok := strings.CutPrefix(key, StateTable+":")
	if !ok {
		return "", "", false
	}
	objectType, oid, ok = strings.Cut(rest, ":")
	return objectType, oid, ok && objectType != "" && oid != ""
}
