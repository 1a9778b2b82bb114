package vsai

import (
	"slices"
	"strings"
)

// allProfiles are all profiles sorted by name, so that the default is the first.
var allProfiles = slices.SortedFunc(slices.Values(slices.Concat(profiles, lessMeasured)), func(a, b *Profile) int {
	return strings.Compare(a.Name, b.Name)
})

// lessMeasured are profiles with fewer published measurements than the others. Cells,
// slices and Spectrum's rules are from sonic-mgmt's QoS parameters and SONiC's
// asic_table.j2; other sources are given with the number.
var lessMeasured = []*Profile{
	{
		// Trident3: 32 MB, cells of 256 bytes. How a pool's size relates to its shared
		// part is not published: as in SAI's text.
		Name: "td3", Class: "Trident3", BufferBytes: 32 * mib, CellBytes: 256, Slices: 1,
		SharedSize: SharedIncludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveInChip,
		UnicastQueues: 10, MulticastQueues: 10, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 128,
		Memory:     MemoryRules{StaticOverPool: true, WREDInCells: true},
		HashFields: innerFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000},
		Layout:   even(32, 4, 100000, 1, 4),
	},
	{
		// Tomahawk2: 42 MB over 4 crossbar elements, cells of 208 bytes. The rules of
		// Tomahawk, including slices; with them the published thresholds are two cells
		// too high.
		Name: "th2", Class: "Tomahawk2", BufferBytes: 42 * mib, CellBytes: 208, Slices: 4,
		SharedSize: SharedExcludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveBesidePools,
		UnicastQueues: 10, MulticastQueues: 10, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 128,
		QueueRoundCells: 8,
		Memory:          MemoryRules{FrontLanes: 256, SliceIn: [4]uint8{0, 2, 2, 0}, SliceOut: [4]uint8{0, 0, 1, 1}, StaticOverPool: true, WREDInCells: true},
		HashFields:      innerFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000},
		Layout:   even(64, 4, 100000, 1, 4),
	},
	{
		// Tomahawk4: about 113 MB, not exact, over 2 traffic managers, cells of 254
		// bytes. The memory rules are not published: those of Tomahawk3. Queues:
		// SONiC's platform files have 8 + 4 (max_queues 12).
		Name: "th4", Class: "Tomahawk4", BufferBytes: 113 * mib, HideBuffer: true, CellBytes: 254, Slices: 2,
		SharedSize: SharedIncludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveInPool,
		UnicastQueues: 8, MulticastQueues: 4, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 256,
		Memory:     MemoryRules{PortQueueCells: portQueueCells, FrontLanes: 512, SliceOut: [4]uint8{0, 1, 1, 0}, StaticOverPool: true, WREDInCells: true},
		HashFields: flowFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{10000, 25000, 50000},
		Layout:   even(64, 8, 400000, 1, 8),
	},
	{
		// Spectrum-2: 42 MB, cells of 144 bytes.
		Name: "spc2", Class: "Spectrum-2", BufferBytes: 42 * mib, CellBytes: 144, Slices: 1,
		SharedSize: SharedDynamic, Headroom: HeadroomPerPG, Reserve: ReserveBesidePools,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -8, AlphaMax: 7, AlphaTop: 6, IngressPools: 8, EgressPools: 8, MaxMTU: 10240, MaxPorts: 128,
		Memory:     MemoryRules{HeadroomLossCells: 64, SharedXoffTimes: 2, WREDInCells: true},
		HashFields: flowFields, HashAlgorithms: plainAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000, 50000},
		Layout:   even(32, 4, 200000, 0, 4),
	},
	{
		// Spectrum-5: cells of 192 bytes; the packet memory size is not published.
		// Without a pool, Spectrum-4's is used.
		Name: "spc5", Class: "Spectrum-5", BufferBytes: 160 * mib, HideBuffer: true, CellBytes: 192, Slices: 1,
		SharedSize: SharedDynamic, Headroom: HeadroomPerPG, Reserve: ReserveBesidePools,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -8, AlphaMax: 7, AlphaTop: 6, IngressPools: 8, EgressPools: 8, MaxMTU: 10240, MaxPorts: 512,
		PortAlpha:  true,
		Memory:     MemoryRules{HeadroomLossCells: 47, SharedXoffTimes: 2, WREDInCells: true},
		HashFields: rdmaFields, HashAlgorithms: plainAlgorithms, Trims: true, FastECN: true,
		LaneMbps: []uint32{10000, 25000, 50000, 100000},
		Layout:   even(64, 8, 800000, 0, 8),
	},
	{
		// Spectrum-6: cells of 256 bytes; packet memory size and rules are not
		// published. Without a pool, Spectrum-4's size is used, and always its rules.
		Name: "spc6", Class: "Spectrum-6", BufferBytes: 160 * mib, HideBuffer: true, CellBytes: 256, Slices: 1,
		SharedSize: SharedDynamic, Headroom: HeadroomPerPG, Reserve: ReserveBesidePools,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -8, AlphaMax: 7, AlphaTop: 6, IngressPools: 8, EgressPools: 8, MaxMTU: 10240, MaxPorts: 512,
		PortAlpha:  true,
		Memory:     MemoryRules{HeadroomLossCells: 47, SharedXoffTimes: 2, WREDInCells: true},
		HashFields: rdmaFields, HashAlgorithms: plainAlgorithms, Trims: true, FastECN: true,
		LaneMbps: []uint32{10000, 25000, 50000, 100000, 200000},
		Layout:   even(64, 8, 1600000, 0, 8),
	},
	{
		// The Jericho family: virtual output queues at ingress, over deep buffers of
		// unpublished size (units of 4096 bytes). Its configuration can be checked; the
		// dataplane models a different architecture.
		Name: "voq", Class: "Jericho (virtual output queues)", BufferBytes: 1 << 30, HideBuffer: true, CellBytes: 4096, Slices: 1,
		SharedSize: SharedIncludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveInChip,
		Unmodelled:    true,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 8,
		AlphaMin: -8, AlphaMax: 7, IngressPools: 8, EgressPools: 8, MaxMTU: 9416, MaxPorts: 512,
		HashFields: flowFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000, 50000, 100000},
		Layout:   even(32, 8, 400000, 1, 8),
	},
}
