package vsai

import (
	"fmt"
	"slices"
	"strings"

	"xon/sai"
)

// Profile describes a class of chips.
type Profile struct {
	Name  string // th5
	Class string // the chip's public name: Tomahawk5

	BufferBytes uint64 // whole packet memory
	CellBytes   uint32 // allocation unit
	Slices      int    // parts over which a pool is divided

	SharedSize SharedSize
	Headroom   Headroom
	Reserve    Reserve
	// HideBuffer says that the packet memory size is not known: the chip does not
	// report TOTAL_BUFFER_SIZE, and refuses no pool or profile for its size.
	// BufferBytes is then the shared size as long as no pool exists.
	HideBuffer bool
	// Unmodelled says that the dataplane does not model the chip's architecture: a
	// simulation predicts nothing.
	Unmodelled bool
	// PortHeadroomBytes limits the headroom of a port's priority groups, and is its
	// QOS_MAXIMUM_HEADROOM_SIZE; 0: no limit.
	PortHeadroomBytes uint32

	UnicastQueues, MulticastQueues, CPUQueues int // of a port; of the CPU port
	PriorityGroups                            int
	TrafficClasses                            int
	ForwardingClasses                         int  // 0: as many as traffic classes
	AlphaMin, AlphaMax                        int8 // SHARED_DYNAMIC_TH: exponent of two
	AlphaTop                                  int8 // greater exponents are capped; 0: none is
	// PortAlpha: the threshold of a priority group applies within that of its port,
	// which has its own factor (the port's list of ingress profiles).
	PortAlpha bool
	// QueueRoundCells is the number of cells to a multiple of which queue limits are
	// rounded up; 0 means 1.
	QueueRoundCells           int
	Memory                    MemoryRules
	IngressPools, EgressPools int
	MaxMTU                    uint32
	MaxPorts                  int // front-panel ports, for any division of lanes

	// HashFields and HashAlgorithms are the supported hash settings, in the chip's
	// order.
	HashFields     []sai.NativeHashField
	HashAlgorithms []sai.HashAlgorithm
	// Trims: packets can be trimmed to their headers instead of dropped.
	Trims bool
	// FastECN: packets can be marked when they leave their queue.
	FastECN bool

	// OfflineLinks: speed, FEC mode, interface type and autonegotiation of a port can
	// only change while it is administratively down, as on some chips.
	OfflineLinks bool
	// LaneMbps are the speeds of a lane, in Mb/s.
	LaneMbps []uint32
	// Layout returns the initial ports of a chip without Config.Ports.
	Layout func() []PortLayout
	// Limits are the maximum numbers of objects by type that differ from defaultLimits.
	Limits map[sai.ObjectType]int
}

// MemoryRules are packet memory rules that only some chips have. Each comes from the
// thresholds of sonic-mgmt's QoS tests, which are measured on switches: the profile
// says whether the rule is stated there or follows from the numbers.
type MemoryRules struct {
	// SizeHoldsXoff: the reserved size of a lossless priority group includes its
	// headroom, which is not reserved a second time.
	SizeHoldsXoff bool
	// PortQueueCells is the minimum that the chip reserves for the queues of each
	// front-panel port, even if their profiles reserve less; it reduces the largest
	// ingress pool.
	PortQueueCells int
	// FrontLanes is the number of lanes of front-panel ports, from lane 1. A port
	// beyond them is a management port, whose queues do not reduce the ingress pool. 0:
	// all ports are front-panel ports.
	FrontLanes int
	// SliceIn and SliceOut say, for each quarter of the front lanes, which slice of the
	// memory a packet uses: SliceIn of the ingress port plus SliceOut of the egress
	// port.
	SliceIn, SliceOut [4]uint8
	// HeadroomLossCells is the part of its own headroom that a lossless priority group
	// cannot use, on a chip with HeadroomPerPG and a pool without shared headroom.
	HeadroomLossCells int
	// SharedXoffTimes is the multiple of its XOFF_TH that a lossless priority group may
	// use of a shared headroom, on a chip with HeadroomPerPG; 0 means 1.
	SharedXoffTimes int
	// NoPortAlpha: dynamic thresholds in the profile lists of a port have no effect.
	NoPortAlpha bool
	// StaticOverPool: a queue whose static threshold exceeds the size of its pool is
	// limited only by the threshold.
	StaticOverPool bool
	// WREDInCells: WRED and ECN compare the cells of a queue, not its bytes.
	WREDInCells bool
}

// SharedSize says how a pool's size relates to its shared part (rules a, b, c of the
// dataplane model).
type SharedSize uint8

// Rules for the shared part.
const (
	// SharedIncludesHeadroom: the pool's size includes its shared headroom (XOFF_SIZE)
	// and reservations. This is the text of SAI.
	SharedIncludesHeadroom SharedSize = iota
	// SharedExcludesHeadroom: shared headroom and reservations are beside the pool.
	SharedExcludesHeadroom
	// SharedPrivate: there is no shared headroom; the headroom of each priority group
	// comes from the pool.
	SharedPrivate
	// SharedDynamic: the pool is the rest of the memory after all reservations and the
	// shared headroom.
	SharedDynamic
)

// Headroom says where the headroom of a lossless priority group is.
type Headroom uint8

// Headroom models.
const (
	HeadroomPool    Headroom = iota // in a headroom pool that all groups of a pool share
	HeadroomPrivate                 // in the group's own buffer
	HeadroomPerPG                   // in the group's own buffer, whose size includes XON and XOFF, and in the shared headroom if there is one
)

// Reserve says which memory provides reservations.
type Reserve uint8

// Sources of reservations.
const (
	ReserveInPool      Reserve = iota // the profile's pool
	ReserveBesidePools                // the chip, beside the ingress pools
	ReserveInChip                     // the chip
)

// PoolsExcludeHeadroom returns the profile for switches of the class whose pool sizes
// exclude shared headroom and reservations (rule b), while those of others include
// both. Which one applies depends on the platform's SKU.
func (p *Profile) PoolsExcludeHeadroom() *Profile {
	b := *p
	b.SharedSize, b.Reserve = SharedExcludesHeadroom, ReserveBesidePools
	return &b
}

// headroomBesidePool reports whether a pool's shared headroom is beside the pool.
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

// Speeds lists the speeds of a port with a number of lanes, in Mb/s.
func (p *Profile) Speeds(lanes int) []uint32 {
	var out []uint32
	for _, s := range speeds {
		if n := p.lanesFor(s); n > 0 && n <= lanes {
			out = append(out, s)
		}
	}
	return out
}

// lanesFor is the minimum number of lanes for a speed; 0 if the chip does not support
// it.
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

// ProfileByName returns a profile: default, td2, th5, spc4 and so on. SAI profile keys
// may follow, as in "spc4,SAI_KEY_DISABLE_PORT_ALPHA=1". The error lists all profiles,
// or names the key.
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

// even lays out n ports of the same width and speed; the lanes of port i start at first
// + i*stride.
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

// SortPorts sorts ports by their lowest lane, in place, so that the same ports give the
// same chip in any order.
func SortPorts(ports []PortLayout) []PortLayout {
	slices.SortFunc(ports, func(a, b PortLayout) int { return slices.Compare(sorted(a.Lanes), sorted(b.Lanes)) })
	return ports
}

// DistinctPorts returns the ports without duplicates of the same lanes and without
// those that have no lane. Two ports may share some lanes: platforms define such ports
// if only one of the two is used at a time.
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
