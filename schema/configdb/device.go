package configdb

// DeviceMetadata is the row DEVICE_METADATA|localhost, as far as it concerns xon.
//
// Source: sonic-device_metadata.yang.
type DeviceMetadata struct {
	ID          RowKey
	Hostname    string
	HWSKU       string
	Platform    string
	Type        string
	MAC         string
	SwitchType  string
	BufferModel string // "traditional" (default) or "dynamic"
	// CreateOnlyConfigDBBuffers limits counters to configured queues and priority groups.
	CreateOnlyConfigDBBuffers bool
	DefaultPFCWDStatus        string // "enable" or "disable"
}

// Port is a row PORT|<name>.
//
// Source: sonic-port.yang.
type Port struct {
	ID      RowKey
	Name    string
	Lanes   []uint32 // in the order given; what a port is recognised by
	Alias   string
	Index   uint32
	Speed   uint32 // Mb/s, 1 to 1600000; 0 when absent
	MTU     uint32 // octets, 68 to 9216; 9100 when absent
	AdminUp bool   // absent means down
	FEC     string // "none", "rs", "fc", "auto", or "" when absent
	Autoneg string // "on", "off", or "" when absent
	// AdvSpeeds are the speeds to advertise, Mb/s; nil means all.
	AdvSpeeds []uint32
	PFCAsym   bool
}

// CableLength is a row CABLE_LENGTH|<name>: the length of each port's cable.
//
// Source: sonic-cable-length.yang.
type CableLength struct {
	ID     RowKey
	Name   string
	Metres map[string]uint32 // by port
}
