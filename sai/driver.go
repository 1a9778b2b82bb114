package sai

// A Driver carries calls to an implementation of SAI: a vendor's library, the
// virtual chip, or one of them in another process. Implementations are safe for
// use by several goroutines and keep nothing of what a call hands them.
//
// Every call returns a status; StatusSuccess is 0. Objects that have no id are
// named by Key.Entry, all others by Key.OID.
//
// A bulk call returns StatusSuccess if all entries succeeded, and else
// StatusFailure with the status of each entry in st, which has room for all.
// With stop set, nothing is tried after the first failure: the entries after it
// have StatusNotExecuted. A driver whose library lacks the bulk call returns
// StatusNotImplemented or StatusNotSupported and tries nothing.
type Driver interface {
	// Version is the API version of the library.
	Version() Version
	// Create makes an object. The id is Null where key has an entry. The switch
	// itself is made with sw Null.
	Create(o *ObjectMeta, sw OID, key Key, attrs []Attribute) (OID, Status)
	Remove(o *ObjectMeta, key Key) Status
	Set(o *ObjectMeta, key Key, attr Attribute) Status
	// Get fills in the values. With any status but success none is valid.
	Get(o *ObjectMeta, key Key, attrs []Attribute) Status
	// Stats reads the counters ids into out.
	Stats(o *ObjectMeta, key Key, ids []uint32, mode StatsMode, out []uint64) Status
	ClearStats(o *ObjectMeta, key Key, ids []uint32) Status

	// BulkCreate makes an object from each of attrs. ids[i] is Null where st[i]
	// is not success.
	BulkCreate(o *ObjectMeta, sw OID, attrs [][]Attribute, stop bool, ids []OID, st []Status) Status
	BulkRemove(o *ObjectMeta, keys []Key, stop bool, st []Status) Status
	// BulkSet sets attrs[i] of keys[i].
	BulkSet(o *ObjectMeta, keys []Key, attrs []Attribute, stop bool, st []Status) Status
	// BulkGet fills attrs[i] with the attributes of keys[i].
	BulkGet(o *ObjectMeta, keys []Key, attrs [][]Attribute, st []Status) Status
	// BulkStats reads counter j of keys[i] into out[i*len(ids)+j]. mode is one of
	// the StatsModeBulk values.
	BulkStats(o *ObjectMeta, sw OID, keys []OID, ids []uint32, mode StatsMode, st []Status, out []uint64) Status

	// AttrCapability tells what the library can do with an attribute.
	AttrCapability(sw OID, o *ObjectMeta, id uint32) (create, set, get bool, st Status)
	// EnumCapability lists the values of an enum attribute that the library takes.
	EnumCapability(sw OID, o *ObjectMeta, id uint32) ([]int32, Status)
	// StatsCapability lists the counters that the library has for an object type.
	StatsCapability(sw OID, o *ObjectMeta) ([]StatCapability, Status)

	// Objects lists every object of a type, in the order they were made
	// (sai_get_object_key).
	Objects(sw OID, o *ObjectMeta) ([]Key, Status)

	// Notify has the driver deliver notifications of one kind to f, which must
	// not block: it runs on the library's thread. The value returned is what the
	// attribute of the switch has to be set to for the library to begin.
	Notify(n *NotifyMeta, f func(Notification)) Value
	// Close gives the library up. No call may follow.
	Close() Status
}

// Names keeps what an agent calls its objects. It lives beside the chip and
// outlives the agent, which so knows every object again after a restart. The
// names of objects that are removed go by themselves.
type Names interface {
	// Names returns all names.
	Names() (map[string]OID, error)
	// SetNames adds or changes names and drops those in gone, in one step.
	SetNames(put map[string]OID, gone []string) error
}

// Switch is one switch of a driver.
type Switch struct {
	Driver
	ID ID[SwitchObject]
}
