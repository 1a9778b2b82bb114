package sai

// A Driver carries calls to an implementation of SAI: a vendor's library, the virtual
// chip, or either in another process. Implementations are safe for concurrent use and
// do not keep the arguments of a call.
//
// Every call returns a status; StatusSuccess is 0. Objects without IDs are identified
// by Key.Entry, all others by Key.OID.
//
// A bulk call returns StatusSuccess if all entries succeeded, otherwise StatusFailure
// with the status of each entry in st, which has room for all. With stop set, nothing
// is tried after the first failure: later entries have StatusNotExecuted. A driver
// whose library lacks the bulk call returns StatusNotImplemented or StatusNotSupported
// and tries nothing.
type Driver interface {
	// Version is the API version of the library.
	Version() Version
	// Create creates an object. The returned ID is Null if key has an entry. To create
	// the switch itself, sw is Null.
	Create(o *ObjectMeta, sw OID, key Key, attrs []Attribute) (OID, Status)
	Remove(o *ObjectMeta, key Key) Status
	Set(o *ObjectMeta, key Key, attr Attribute) Status
	// Get fills in the values. If the status is not success no value is valid.
	Get(o *ObjectMeta, key Key, attrs []Attribute) Status
	// Stats reads the counters ids into out.
	Stats(o *ObjectMeta, key Key, ids []uint32, mode StatsMode, out []uint64) Status
	ClearStats(o *ObjectMeta, key Key, ids []uint32) Status

	// BulkCreate creates an object from each of attrs. ids[i] is Null unless st[i] is
	// success.
	BulkCreate(o *ObjectMeta, sw OID, attrs [][]Attribute, stop bool, ids []OID, st []Status) Status
	BulkRemove(o *ObjectMeta, keys []Key, stop bool, st []Status) Status
	// BulkSet sets attrs[i] of keys[i].
	BulkSet(o *ObjectMeta, keys []Key, attrs []Attribute, stop bool, st []Status) Status
	// BulkGet fills attrs[i] with the attributes of keys[i].
	BulkGet(o *ObjectMeta, keys []Key, attrs [][]Attribute, st []Status) Status
	// BulkStats reads counter j of keys[i] into out[i*len(ids)+j]. mode is one of
	// the StatsModeBulk values.
	BulkStats(o *ObjectMeta, sw OID, keys []OID, ids []uint32, mode StatsMode, st []Status, out []uint64) Status

	// AttrCapability returns how the library supports an attribute.
	AttrCapability(sw OID, o *ObjectMeta, id uint32) (create, set, get bool, st Status)
	// EnumCapability lists the supported values of an enum attribute.
	EnumCapability(sw OID, o *ObjectMeta, id uint32) ([]int32, Status)
	// StatsCapability lists the supported counters of an object type.
	StatsCapability(sw OID, o *ObjectMeta) ([]StatCapability, Status)

	// Objects lists every object of a type in creation order (sai_get_object_key).
	Objects(sw OID, o *ObjectMeta) ([]Key, Status)

	// Notify makes the driver deliver notifications of one kind to f. f must not block:
	// it runs on the library's thread. To start delivery, set the switch's attribute
	// for the notification to the returned value.
	Notify(n *NotifyMeta, f func(Notification)) Value
	// Close releases the library. No call may follow.
	Close() Status
}

// Names stores the names that an agent gives to objects. It is stored with the chip and
// outlives the agent, so the agent identifies every object again after a restart. Names
// of removed objects disappear.
type Names interface {
	// Names returns all names.
	Names() (map[string]OID, error)
	// SetNames sets the names in put and removes those in gone, atomically.
	SetNames(put map[string]OID, gone []string) error
}

// Switch is one switch of a driver.
type Switch struct {
	Driver
	ID ID[SwitchObject]
}
