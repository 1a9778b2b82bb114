package configdb

// Config is all rows that xon understands, by the key behind the table's name.
// Rows are shared between copies and never change once parsed.
type Config struct {
	DeviceMetadata     map[string]*DeviceMetadata
	Ports              map[string]*Port
	CableLengths       map[string]*CableLength
	QoSMaps            [NumMapKinds]map[string]*QoSMap
	Schedulers         map[string]*Scheduler
	WREDProfiles       map[string]*WREDProfile
	Queues             map[string]*Queue
	PortQoSMaps        map[string]*PortQoSMap
	BufferPools        map[string]*BufferPool
	BufferProfiles     map[string]*BufferProfile
	BufferPGs          map[string]*BufferPG
	BufferQueues       map[string]*BufferQueue
	BufferIngressLists map[string]*BufferProfileList
	BufferEgressLists  map[string]*BufferProfileList
}
