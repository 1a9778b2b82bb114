// Package vsai is a virtual switch chip: SAI objects in memory behind sai.Driver.
//
// It is stricter than most vendor libraries. It refuses everything that SAI's metadata
// allows it to refuse (unknown, repeated, read-only and create-only attributes, missing
// mandatory ones, wrong kinds, enums and object types, dangling references, removal of
// objects in use), values that no chip accepts (see ranges.go), and any state that does
// not fit into the chip's packet memory (see memory.go). A fake that accepts too much
// hides the ordering errors of the agent above it.
//
// Every call and every entry of a bulk call can be made to fail (OnCall), calls are
// recorded (Calls), statistics and read-only attributes can be set, and the whole state
// can be printed (Dump).
//
// What is not here: packets. A Plane, in a package of its own, forwards them.
package vsai

import (
	"slices"
	"sync"
	"sync/atomic"

	"xon/sai"
)

// Config configures a new chip.
type Config struct {
	Profile *Profile // nil: the default profile
	// Ports are the initial ports; nil: the profile's layout. Of ports with the same
	// lanes only the first is used (DistinctPorts). The chip has these lanes and those
	// of the profile's layout.
	Ports []PortLayout
	// Record is the maximum number of calls that Calls keeps: 0 means 65,536, negative
	// none, for a chip that runs for months.
	Record int
}

// PortLayout is an initial front-panel port.
type PortLayout struct {
	Lanes     []uint32 // hardware lanes, in the port's order
	SpeedMbps uint32
}

// Chip is one virtual switch chip. Its methods are safe for concurrent use. It
// has no objects until a switch is created.
type Chip struct {
	profile *Profile
	limits  *Profile // current limits of the profile
	layout  []PortLayout
	lanes   map[uint32]bool // all lanes of the chip

	mu      sync.RWMutex
	next    uint64 // index of the next object
	byIndex table
	types   map[*sai.ObjectMeta]*typ
	sw      *object
	ports   map[sai.OID]*port
	cpu     sai.OID
	made    builtins
	uses    map[sai.OID]*profileUse // by buffer profile
	names   names

	hooks  hooks
	events events
	plane  atomic.Pointer[Plane] // nil: the chip has no packets
	meters map[sai.OID]Meter
}

// builtins are built-in objects other than ports.
type builtins struct{ vlan, vr, bridge, ecmp, lag, trapGroup, stp sai.OID }

var (
	_ sai.Driver = (*Chip)(nil)
	_ sai.Names  = (*Chip)(nil)
)

// New returns an uninitialised chip: like a real one it has objects only after Create
// of a switch.
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

// Profile returns the chip's profile.
func (c *Chip) Profile() *Profile { return c.profile }

// Version implements sai.Driver.
func (c *Chip) Version() sai.Version { return sai.FactsVersion }

// Close ends an agent's use of the chip: its notification functions are removed, the
// chip keeps its state.
func (c *Chip) Close() sai.Status {
	for _, n := range sai.Notifications {
		c.Notify(n, nil)
	}
	return sai.StatusSuccess
}

// reset removes every object. The caller holds the lock, or the only reference.
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
