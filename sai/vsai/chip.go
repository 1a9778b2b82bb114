// Package vsai is a virtual switch chip: the objects of SAI in memory, behind
// sai.Driver.
//
// It is stricter than most vendors. It refuses all that SAI's metadata lets it
// refuse (unknown, repeated, read-only and create-only attributes, missing
// mandatory ones, wrong kinds, enums and object types, dangling references, the
// removal of what is in use), values that no chip takes (see ranges.go), and any
// state that does not fit in the chip's packet memory (see memory.go). A fake
// that accepts too much hides the ordering errors of the agent above it.
//
// Any call and any entry of a bulk call can be made to fail (OnCall), calls are
// recorded (Calls), statistics and read-only attributes can be set, and the
// whole state prints as text (Dump).
//
// What is not here: packets. A Plane, which is a package of its own, moves them.
package vsai

import (
	"slices"
	"sync"
	"sync/atomic"

	"xon/sai"
)

// Config is the chip to simulate.
type Config struct {
	Profile *Profile // nil: the default profile
	// Ports is how the chip is strapped; nil: the profile's own layout. Of ports with the
	// same lanes it has the first (DistinctPorts). The chip has these lanes and those of
	// the profile's layout.
	Ports []PortLayout
	// Record is how many calls Calls keeps at most: 0 means 65,536 and a
	// negative number none, for a chip that runs for months.
	Record int
}

// PortLayout is a front-panel port as the chip is strapped.
type PortLayout struct {
	Lanes     []uint32 // hardware lanes, in the order of the port
	SpeedMbps uint32
}

// Chip is one virtual switch chip. Its methods are safe for concurrent use. It
// has no objects until a switch is created.
type Chip struct {
	profile *Profile
	limits  *Profile // what counts of profile now
	layout  []PortLayout
	lanes   map[uint32]bool // all that it has

	mu      sync.RWMutex
	next    uint64 // index of the next object
	byIndex table
	types   map[*sai.ObjectMeta]*typ
	sw      *object
	ports   map[sai.OID]*port
	cpu     sai.OID
	made    builtins
	uses    map[sai.OID]*profileUse // of buffer profiles
	names   names

	hooks  hooks
	events events
	plane  atomic.Pointer[Plane] // nil: the chip has no packets
	meters map[sai.OID]Meter
}

// builtins is what the chip makes itself beside its ports.
type builtins struct{ vlan, vr, bridge, ecmp, lag, trapGroup, stp sai.OID }

var (
	_ sai.Driver = (*Chip)(nil)
	_ sai.Names  = (*Chip)(nil)
)

// New returns a chip that nobody has initialised: like a real one it has its
// objects only after Create of a switch.
func New(cfg Config) *Chip {
	if cfg.Profile == nil {
		cfg.Profile = profiles[0]
	}
	if cfg.Ports == nil {
		cfg.Ports = cfg.Profile.Layout()
	}
	c := &Chip{profile: cfg.Profile, layout: DistinctPorts(cfg.Ports), lanes: map[uint32]bool{}}
	for _, p := range slices.Concat(c.layout, c.profile.Layout()) {
		for _, lane := range p.Lanes {
			c.lanes[lane] = true
		}
	}
	c.hooks.init(cfg.Record)
	c.reset()
	return c
}

// Profile returns what the chip is like.
func (c *Chip) Profile() *Profile { return c.profile }

// Version implements sai.Driver.
func (c *Chip) Version() sai.Version { return sai.FactsVersion }

// Close ends an agent's use of the chip: its notification functions are
// forgotten, the chip itself goes on as it is.
func (c *Chip) Close() sai.Status {
	for _, n := range sai.Notifications {
		c.Notify(n, nil)
	}
	return sai.StatusSuccess
}

// reset forgets every object. The caller holds the lock, or the only reference.
func (c *Chip) reset() {
	c.next = 0
	c.byIndex = table{}
	c.types = map[*sai.ObjectMeta]*typ{}
	c.limits = c.fullProfile()
	c.sw, c.cpu, c.made = nil, 0, builtins{}
	c.ports = map[sai.OID]*port{}
	c.uses = map[sai.OID]*profileUse{}
	c.names = names{}
	c.meters = map[sai.OID]Meter{}
}
