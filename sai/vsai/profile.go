package vsai

import (
	"fmt"
	"slices"
	"strings"

	"xon/sai"
)

// Profile is what a chip of a class can do.
type Profile struct {
	Name  string // th5
	Class string // the chip's public name: Tomahawk5

	BufferBytes uint64 // packet memory, all of it
	CellBytes   uint32 // the unit in which it is given out
	Slices      int    // parts of the memory that a pool is divided over

	SharedSize SharedSize
	Headroom   Headroom
	Reserve    Reserve
	// HideBuffer says that the size of the packet memory is not known: the chip does not
	// report TOTAL_BUFFER_SIZE, and refuses no pool or profile for its size. BufferBytes
	// is then what packets share as long as nobody has made a pool.
	HideBuffer bool
	// Unmodelled says that packets of such a chip meet something else than this one has:
	// what a simulation of it says is no promise.
	Unmodelled bool
	// PortHeadroomBytes limits what the priority groups of a port may take for
	// themselves and is its QOS_MAXIMUM_HEADROOM_SIZE; 0: no limit is told.
	PortHeadroomBytes uint32

	UnicastQueues, MulticastQueues, CPUQueues int // of a port; of the CPU port
	PriorityGroups                            int
	TrafficClasses                            int
	ForwardingClasses                         int  // 0: as many as traffic classes
	AlphaMin, AlphaMax                        int8 // SHARED_DYNAMIC_TH: the exponent of two
	AlphaTop                                  int8 // greater ones act as it; 0: all act as they are
	// PortAlpha: the share of a priority group is found within that of its port, for
	// which there is a factor of its own (the port's list of ingress profiles).
	PortAlpha bool
	// QueueRoundCells is the number of cells up to whose multiple the limits of queues
	// are rounded; 0 means 1.
	QueueRoundCells           int
	Memory                    MemoryRules
	IngressPools, EgressPools int
	MaxMTU                    uint32
	MaxPorts                  int // front-panel ports, however the lanes are divided

	// HashFields and HashAlgorithms are what flows can be spread by, in the order in
	// which the chip tells them.
	HashFields     []sai.NativeHashField
	HashAlgorithms []sai.HashAlgorithm
	// Trims says that packets can be cut to their headers instead of dropped.
	Trims bool
	// FastECN says that packets can be marked when they leave their queue.
	FastECN bool

	// OfflineLinks says that a port takes another speed, FEC mode, interface or other
	// terms of negotiation only while it is administratively down, as some chips do.
	OfflineLinks bool
	// LaneMbps are the rates that a lane can run at, in Mb/s.
	LaneMbps []uint32
	// Layout makes the ports that a chip is strapped with if it is not told.
	Layout func() []PortLayout
	// Limits are object types of which the chip holds few enough to matter;
	// defaultLimits has the others.
	Limits map[sai.ObjectType]int
}

// MemoryRules are rules of the packet memory that only some chips have. Each comes from
// the thresholds of sonic-mgmt's QoS tests, which are measured on switches: the profile
// says whether the rule is stated there or follows from the numbers.
type MemoryRules struct {
	// SizeHoldsXoff: the reserved size of a lossless priority group contains its room
	// after XOFF, which is not reserved a second time.
	SizeHoldsXoff bool
	// PortQueueCells is what the chip keeps for the queues of each front-panel port, at
	// least, whatever their profiles reserve: the largest ingress pool has so much less.
	PortQueueCells int
	// FrontLanes is the number of lanes that front-panel ports have, from lane 1. A port
	// beyond them is a management port, for whose queues nothing comes off the ingress
	// pool, whatever they reserve. 0: there are none.
	FrontLanes int
	// SliceIn and SliceOut say, for each quarter of the front lanes, which slice of the
	// memory a packet takes: that of SliceIn where it comes in plus that of SliceOut
	// where it leaves.
	SliceIn, SliceOut [4]uint8
	// HeadroomLossCells is what a lossless priority group does not get of its own
	// headroom, on a chip with HeadroomPerPG and a pool without shared headroom.
	HeadroomLossCells int
	// SharedXoffTimes is how many times its XOFF_TH a lossless priority group may take of
	// a shared headroom, on a chip with HeadroomPerPG; 0 means 1.
	SharedXoffTimes int
	// NoPortAlpha: dynamic thresholds in the lists of a port's profiles count for nothing.
	NoPortAlpha bool
	// StaticOverPool: a queue whose static threshold is above the size of its pool is
	// bounded by the threshold alone.
	StaticOverPool bool
	// WREDInCells: WRED and ECN compare the cells that a queue holds, not its bytes.
	WREDInCells bool
}

// SharedSize says how a pool's size relates to what is shared in it
// (rules a, b, c of the dataplane model).
type SharedSize uint8

// Rules of the shared size.
const (
	// SharedIncludesHeadroom: the pool's size contains its shared headroom
	// (XOFF_SIZE) and what is reserved. The text of SAI.
	SharedIncludesHeadroom SharedSize = iota
	// SharedExcludesHeadroom: the shared headroom lies beside the pool, and so
	// does what is reserved.
	SharedExcludesHeadroom
	// SharedPrivate: there is no shared headroom; each priority group's is taken
	// from the pool.
	SharedPrivate
	// SharedDynamic: the pool is what is left of the memory when all that is
	// reserved and the shared headroom are taken off.
	SharedDynamic
)

// Headroom says where a lossless priority group finds room after XOFF.
type Headroom uint8

// Styles of headroom.
const (
	HeadroomPool    Headroom = iota // in a headroom pool that all of a pool's groups share
	HeadroomPrivate                 // in its own
	HeadroomPerPG                   // in its own buffer, whose size holds XON and XOFF, and in the shared headroom if there is one
)

// Reserve says where the memory comes from that profiles reserve.
type Reserve uint8

// Places of reserved memory.
const (
	ReserveInPool      Reserve = iota // within the profile's pool
	ReserveBesidePools                // in the chip, beside the ingress pools
	ReserveInChip                     // anywhere in the chip
)

// PoolsExcludeHeadroom returns the profile for switches of the class whose pools are
// configured without their shared headroom and without what is reserved (rule b), where
// those of others contain both. Which do is a matter of the platform's SKU.
func (p *Profile) PoolsExcludeHeadroom() *Profile {
	b := *p
	b.SharedSize, b.Reserve = SharedExcludesHeadroom, ReserveBesidePools
	return &b
}

// headroomBesidePool reports whether a pool's shared headroom lies beside the pool.
func (p *Profile) headroomBesidePool() bool {
	return p.SharedSize == SharedExcludesHeadroom || p.SharedSize == SharedDynamic
}

// Queues is the number of queues of a front-panel port.
func (p *Profile) Queues() int { return p.UnicastQueues + p.MulticastQueues }

func (p *Profile) forwardingClasses() int {
	if p.ForwardingClasses > 0 {
		return p.ForwardingClasses
	}
	return p.TrafficClasses
}

func (p *Profile) limit(t sai.ObjectType) int {
	if n, ok := p.Limits[t]; ok {
		return n
	}
	return defaultLimits[t]
}

// speeds of Ethernet, in Mb/s.
var speeds = []uint32{1000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, 1600000}

// Speeds lists what a port of a number of lanes can run at, in Mb/s.
func (p *Profile) Speeds(lanes int) []uint32 {
	var out []uint32
	for _, s := range speeds {
		if n := p.lanesFor(s); n > 0 && n <= lanes {
			out = append(out, s)
		}
	}
	return out
}

// lanesFor is the fewest lanes that a speed takes; 0 if the chip can't do it.
func (p *Profile) lanesFor(speed uint32) int {
	fewest := 0
	for _, lane := range p.LaneMbps {
		n := int(speed / lane)
		if speed == 40000 && lane == 25000 { // two lanes of 20G
			n = 2
		} else if speed%lane != 0 || n&(n-1) != 0 {
			continue
		}
		if fewest == 0 || n < fewest {
			fewest = n
		}
	}
	return fewest
}

// Profiles lists the profiles; the first is the default.
func Profiles() []*Profile { return slices.Clone(allProfiles) }

// ProfileByName finds a profile: default, td2, th5, spc4 and so on. Behind the name there
// may be keys of SAI's profile, as in "spc4,SAI_KEY_DISABLE_PORT_ALPHA=1". The error names
// all profiles, or the key.
func ProfileByName(name string) (*Profile, error) {
	name, keys, _ := strings.Cut(name, ",")
	names := make([]string, len(allProfiles))
	for i, p := range allProfiles {
		if p.Name == name {
			return p.withKeys(keys)
		}
		names[i] = p.Name
	}
	return nil, fmt.Errorf("chip profile %q: unknown, one of %s", name, strings.Join(names, " "))
}

// even lays out n ports of the same width and speed; port i has lanes from
// first + i*stride.
func even(n, lanes int, speed, first, stride uint32) func() []PortLayout {
	return func() []PortLayout {
		out := make([]PortLayout, n)
		for i := range out {
			out[i] = PortLayout{Lanes: make([]uint32, lanes), SpeedMbps: speed}
			for l := range out[i].Lanes {
				out[i].Lanes[l] = first + uint32(i)*stride + uint32(l)
			}
		}
		return out
	}
}

// SortPorts puts ports in the order of their lowest lanes, in place, so that the
// same ports give the same chip however they were listed.
func SortPorts(ports []PortLayout) []PortLayout {
	slices.SortFunc(ports, func(a, b PortLayout) int { return slices.Compare(sorted(a.Lanes), sorted(b.Lanes)) })
	return ports
}

// DistinctPorts returns ports without those that have just the lanes of one before them,
// or no lane at all. Two can have some lanes in common: chips are strapped so where only
// one of the two is used at a time.
func DistinctPorts(ports []PortLayout) []PortLayout {
	out := make([]PortLayout, 0, len(ports))
	seen := map[string]bool{}
	for _, p := range ports {
		if lanes := fmt.Sprint(sorted(p.Lanes)); len(p.Lanes) > 0 && !seen[lanes] {
			seen[lanes] = true
			out = append(out, p)
		}
	}
	return out
}

func sorted(lanes []uint32) []uint32 { return slices.Sorted(slices.Values(lanes)) }
