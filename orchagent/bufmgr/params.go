package bufmgr

import (
	"cmp"

	"xon/schema/configdb"
)

// Params is what does not come from rows: read from files and the chip, fixed until
// the manager is made anew.
type Params struct {
	Model    string // configdb.Traditional or configdb.Dynamic
	Platform string // DEVICE_METADATA's, for rules that differ by vendor: "x86_64-mlnx_msn4600c-r0"; "" or "vs" for a virtual switch

	Lookup      *Lookup            // pg_profile_lookup.ini; nil: none, so that nothing can be looked up
	ASIC        *ASIC              // the chip's constants; nil: those of BuiltinASIC, if any
	Peripherals map[string]Gearbox // by model
	PortGearbox map[string]string  // the gearbox's model by port, or EveryPort's; ports without one are not in it
	Zero        *ZeroProfiles      // zero_profiles.json; nil: ports that are down just lose their rows

	// Source names those of the files that differ from what was read before, for people.
	Source string
	// Stale says why files newer than these are not in use; nil: there are none.
	Stale error

	MMUBytes uint64 // the chip's packet memory; 0: unknown
	// StatedMMU is what another program states instead of MMUBytes. It does not count while
	// it is less than what is reserved of the memory that is there, or more than that. 0: nothing.
	StatedMMU uint64
	// MemoryKept says why StatedMMU is not what is stated now; "": it is.
	MemoryKept string
	Ports      map[string]PortLimits // by name; a port that is not in it has no limits
}

// IsDynamic reports whether headroom is computed, not looked up.
func (p *Params) IsDynamic() bool { return p.Model == configdb.Dynamic }

// ASIC is what the headroom formula needs to know of a chip.
//
// Source: SONiC's asic_table.json, STATE_DB's ASIC_TABLE.
type ASIC struct {
	Name             string // "MELLANOX-SPECTRUM-3"; rules of single generations go by its last digit
	Source           string // where the numbers are from, for people: a file, or "built in"
	CellBytes        uint64
	PipelineLatency  float64 // KiB that arrive while a pause is decided on
	MACPHYDelay      float64 // KiB that are under way in MAC and PHY
	PeerResponseTime float64 // KiB that a peer still sends, at speeds without a standard value
	PortReservedSHP  uint64  // cells of the shared headroom pool that a port has for itself
	PortMaxSHP       uint64  // cells of the shared headroom pool that a port may use besides
}

// Gearbox is a device between port and chip that delays what passes.
//
// Source: SONiC's peripheral.json, STATE_DB's PERIPHERAL_TABLE.
type Gearbox struct {
	Delay float64 // nanoseconds
}

// PortLimits is what the chip has for one port.
type PortLimits struct {
	Lanes          int
	Queues         int
	PriorityGroups int
	MaxHeadroom    uint64 // bytes that all its priority groups may reserve together; 0: unknown, then it refuses nothing
	// StatedHeadroom is what another program states instead of MaxHeadroom: rows that are
	// applied are not held to it, so that it takes no headroom from under traffic. 0: nothing.
	StatedHeadroom  uint64
	SupportedSpeeds []uint32 // Mb/s; what "all" advertised speeds means
}

// Headroom is the limit that counts for rows that are not applied yet; 0: unknown.
func (l *PortLimits) Headroom() uint64 { return cmp.Or(l.StatedHeadroom, l.MaxHeadroom) }

// ZeroProfiles says what ports that are down get instead of their buffers.
//
// Source: SONiC's zero_profiles.json.
type ZeroProfiles struct {
	Pools    []*configdb.BufferPool
	Profiles []*configdb.BufferProfile
	PGs      []int  // the priority groups that get IngressProfile; the others lose theirs
	Ingress  string // the profile of PGs
	Queues   []int  // the queues that get Egress; nil: all that the port has
	Egress   string // the profile of Queues; "": the lossy egress pool's
}
