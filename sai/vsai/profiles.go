package vsai

import (
	"slices"

	"xon/sai"
)

// The profiles contain what is public about the chips: packet memory from the vendors'
// product pages, cells and slices from the parameters of sonic-mgmt's QoS tests, which
// are measured on the chips. Unpublished numbers (pools, table sizes, CPU queues) are
// typical ones; only the errors at these limits depend on them.

const (
	kib = 1 << 10
	mib = 1 << 20
)

// portQueueCells is what Tomahawk3 and its successors reserve for the queues of a port:
// 10 queues of 7 cells. It follows from the published thresholds, and from SONiC's
// Tomahawk3 files, whose egress pool is the ingress pool minus headroom, two groups of
// 10 cells and 70 more for each of the 32 front-panel ports, and nothing for the other
// two.
const portQueueCells = 10 * 7

// Further memory rules:
//
// A lookup file of Trident2 has sizes of 56368 bytes, which are XOFF (55120) and 1248
// more: the published thresholds result if only the 1248 bytes are reserved, not the
// sum.
//
// On Tomahawk3 the slice of a packet depends on its egress port: the published test
// fills one slice from 19 of 32 source ports in both halves of the lanes. On Tomahawk
// it depends on both ports. No published test shows which quarters of the lanes (pipes,
// pairs of pipes) make a slice: those here are an assumption, as is that Tomahawk5 is
// like Tomahawk3.
//
// A Tomahawk3 file has queues whose static threshold exceeds their pool's size, and the
// published headroom test holds more in such a queue than the pool size: the pool does
// not limit them. For the vendor's other chips that is an assumption.
//
// Spectrum: 95, 64 and 47 cells of its headroom are unusable for a group, unless the
// headroom is shared, of which it may take twice its XOFF: parameters of sonic-mgmt's
// tests. There, an exponent of 7 acts as 6.
//
// The registers of these chips have WRED thresholds in cells (mlxsw of Linux,
// Broadcom's open SDK), the virtual switch in bytes. No published test shows it.

// Hash settings by chip generation. Which chip has which is typical, not published:
// fields of the outer headers, of inner headers of tunnels, the flow label, and what
// distinguishes RoCEv2 connections.
var (
	outerFields = []sai.NativeHashField{
		sai.NativeHashFieldInPort, sai.NativeHashFieldDstMAC, sai.NativeHashFieldSrcMAC, sai.NativeHashFieldEthertype, sai.NativeHashFieldVLANID,
		sai.NativeHashFieldIPProtocol, sai.NativeHashFieldDstIP, sai.NativeHashFieldSrcIP, sai.NativeHashFieldL4DstPort, sai.NativeHashFieldL4SrcPort,
	}
	innerFields = append(
		slices.Clip(outerFields),
		sai.NativeHashFieldInnerDstMAC, sai.NativeHashFieldInnerSrcMAC, sai.NativeHashFieldInnerEthertype, sai.NativeHashFieldInnerIPProtocol,
		sai.NativeHashFieldInnerDstIP, sai.NativeHashFieldInnerSrcIP, sai.NativeHashFieldInnerL4DstPort, sai.NativeHashFieldInnerL4SrcPort,
	)
	flowFields = append(slices.Clip(innerFields), sai.NativeHashFieldIPv6FlowLabel)
	rdmaFields = append(slices.Clip(flowFields), sai.NativeHashFieldRdmaBthOpcode, sai.NativeHashFieldRdmaBthDestQp)

	plainAlgorithms = []sai.HashAlgorithm{sai.HashAlgorithmCrc, sai.HashAlgorithmXor, sai.HashAlgorithmRandom}
	crcAlgorithms   = []sai.HashAlgorithm{
		sai.HashAlgorithmCrc, sai.HashAlgorithmXor, sai.HashAlgorithmCrc32lo, sai.HashAlgorithmCrc32hi, sai.HashAlgorithmCrcCcitt, sai.HashAlgorithmCrcXor,
	}
	allAlgorithms = append(slices.Clip(crcAlgorithms), sai.HashAlgorithmRandom)
)

var profiles = []*Profile{
	{
		// SONiC's virtual switch: topology from its tests, which count 32 ports, 10 +
		// 10 queues, 8 priority groups, 13 scheduler groups. It does not report
		// TOTAL_BUFFER_SIZE, and configurations exist whose pools include and exclude
		// reservations.
		Name: "default", Class: "virtual switch", BufferBytes: 16 * mib, HideBuffer: true, CellBytes: 256, Slices: 1,
		SharedSize: SharedIncludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveInChip,
		UnicastQueues: 10, MulticastQueues: 10, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -8, AlphaMax: 7, IngressPools: 8, EgressPools: 8, MaxMTU: 9416, MaxPorts: 128,
		HashFields: rdmaFields, HashAlgorithms: allAlgorithms, Trims: true, FastECN: true,
		LaneMbps: []uint32{1000, 10000, 25000, 50000, 100000},
		Layout:   vsLayout,
	},
	{
		// Trident2: 12 MB, cells of 208 bytes, no shared headroom.
		Name: "td2", Class: "Trident2", BufferBytes: 12_779_520, CellBytes: 208, Slices: 1,
		SharedSize: SharedPrivate, Headroom: HeadroomPrivate, Reserve: ReserveInPool,
		UnicastQueues: 10, MulticastQueues: 10, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 104,
		Memory:     MemoryRules{SizeHoldsXoff: true, StaticOverPool: true, WREDInCells: true},
		HashFields: outerFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{1000, 10000},
		Layout:   even(32, 4, 40000, 1, 4),
	},
	{
		// Tomahawk: 16 MB over 4 crossbar elements, cells of 208 bytes.
		Name: "th", Class: "Tomahawk", BufferBytes: 16 * mib, CellBytes: 208, Slices: 4,
		SharedSize: SharedExcludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveBesidePools,
		UnicastQueues: 10, MulticastQueues: 10, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 128,
		QueueRoundCells: 8,
		Memory:          MemoryRules{FrontLanes: 128, SliceIn: [4]uint8{0, 2, 2, 0}, SliceOut: [4]uint8{0, 0, 1, 1}, StaticOverPool: true, WREDInCells: true},
		HashFields:      innerFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000},
		Layout:   even(32, 4, 100000, 1, 4),
	},
	{
		// Tomahawk3: 64 MB over 2 traffic managers, cells of 254 bytes.
		Name: "th3", Class: "Tomahawk3", BufferBytes: 64 * mib, CellBytes: 254, Slices: 2,
		SharedSize: SharedIncludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveInPool,
		UnicastQueues: 10, MulticastQueues: 10, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 128,
		Memory:     MemoryRules{PortQueueCells: portQueueCells, FrontLanes: 256, SliceOut: [4]uint8{0, 1, 1, 0}, StaticOverPool: true, WREDInCells: true},
		HashFields: flowFields, HashAlgorithms: crcAlgorithms,
		LaneMbps: []uint32{10000, 25000, 50000},
		Layout:   even(32, 8, 400000, 1, 8),
	},
	{
		// Tomahawk5: 165 MB over 2 traffic managers, cells of 254 bytes. Queues: SONiC's
		// platform files have 8 + 4 (max_queues 12).
		Name: "th5", Class: "Tomahawk5", BufferBytes: 165 * mib, CellBytes: 254, Slices: 2,
		SharedSize: SharedIncludesHeadroom, Headroom: HeadroomPool, Reserve: ReserveInPool,
		UnicastQueues: 8, MulticastQueues: 4, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -7, AlphaMax: 3, IngressPools: 4, EgressPools: 4, MaxMTU: 9416, MaxPorts: 256,
		Memory:     MemoryRules{PortQueueCells: portQueueCells, FrontLanes: 512, SliceOut: [4]uint8{0, 1, 1, 0}, StaticOverPool: true, WREDInCells: true},
		HashFields: rdmaFields, HashAlgorithms: crcAlgorithms, Trims: true, FastECN: true,
		LaneMbps: []uint32{10000, 25000, 50000, 100000},
		Layout:   even(64, 8, 800000, 1, 8),
	},
	{
		// Spectrum: 16 MB, cells of 96 bytes.
		Name: "spc1", Class: "Spectrum", BufferBytes: 16 * mib, CellBytes: 96, Slices: 1,
		SharedSize: SharedDynamic, Headroom: HeadroomPerPG, Reserve: ReserveBesidePools,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 8,
		AlphaMin: -8, AlphaMax: 7, AlphaTop: 6, IngressPools: 8, EgressPools: 8, MaxMTU: 10240, MaxPorts: 64,
		Memory:     MemoryRules{HeadroomLossCells: 95, SharedXoffTimes: 2, WREDInCells: true},
		HashFields: innerFields, HashAlgorithms: plainAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000},
		Layout:   even(32, 4, 100000, 0, 4),
	},
	{
		// Spectrum-3: 64 MB, cells of 144 bytes.
		Name: "spc3", Class: "Spectrum-3", BufferBytes: 64 * mib, CellBytes: 144, Slices: 1,
		SharedSize: SharedDynamic, Headroom: HeadroomPerPG, Reserve: ReserveBesidePools,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -8, AlphaMax: 7, AlphaTop: 6, IngressPools: 8, EgressPools: 8, MaxMTU: 10240, MaxPorts: 128,
		Memory:     MemoryRules{HeadroomLossCells: 64, SharedXoffTimes: 2, WREDInCells: true},
		HashFields: flowFields, HashAlgorithms: plainAlgorithms,
		LaneMbps: []uint32{1000, 10000, 25000, 50000},
		Layout:   even(64, 4, 100000, 0, 8),
	},
	{
		// Spectrum-4: 160 MB, cells of 192 bytes.
		Name: "spc4", Class: "Spectrum-4", BufferBytes: 160 * mib, CellBytes: 192, Slices: 1,
		SharedSize: SharedDynamic, Headroom: HeadroomPerPG, Reserve: ReserveBesidePools,
		UnicastQueues: 8, MulticastQueues: 8, CPUQueues: 8, PriorityGroups: 8, TrafficClasses: 16,
		AlphaMin: -8, AlphaMax: 7, AlphaTop: 6, IngressPools: 8, EgressPools: 8, MaxMTU: 10240, MaxPorts: 256,
		PortAlpha:  true,
		Memory:     MemoryRules{HeadroomLossCells: 47, SharedXoffTimes: 2, WREDInCells: true},
		HashFields: rdmaFields, HashAlgorithms: plainAlgorithms, Trims: true, FastECN: true,
		LaneMbps: []uint32{10000, 25000, 50000, 100000},
		Layout:   even(64, 8, 800000, 0, 8),
	},
}

// defaultLimits are typical table sizes.
var defaultLimits = map[sai.ObjectType]int{
	sai.ObjectTypeBufferProfile:      1024,
	sai.ObjectTypeWred:               128,
	sai.ObjectTypeScheduler:          1024,
	sai.ObjectTypeQoSMap:             128,
	sai.ObjectTypePolicer:            1024,
	sai.ObjectTypeMirrorSession:      4,
	sai.ObjectTypeACLTable:           64,
	sai.ObjectTypeACLEntry:           4 * kib,
	sai.ObjectTypeACLCounter:         4 * kib,
	sai.ObjectTypeVLAN:               4094,
	sai.ObjectTypeLAG:                512,
	sai.ObjectTypeVirtualRouter:      64,
	sai.ObjectTypeRouterInterface:    4 * kib,
	sai.ObjectTypeNextHop:            16 * kib,
	sai.ObjectTypeNextHopGroup:       512,
	sai.ObjectTypeNextHopGroupMember: 16 * kib,
	sai.ObjectTypeRouteEntry:         128 * kib,
	sai.ObjectTypeNeighborEntry:      16 * kib,
	sai.ObjectTypeFDBEntry:           64 * kib,
}

// vsLayout is the layout of SONiC's virtual switch (an S6000): its ports are not in
// lane order.
func vsLayout() []PortLayout {
	first := []uint32{
		25, 29, 33, 37, 45, 41, 1, 5, 13, 9, 17, 21, 53, 49, 57, 61,
		69, 65, 73, 77, 109, 105, 113, 117, 125, 121, 81, 85, 93, 89, 101, 97,
	}
	out := make([]PortLayout, len(first))
	for i, l := range first {
		out[i] = PortLayout{Lanes: []uint32{l, l + 1, l + 2, l + 3}, SpeedMbps: 100000}
	}
	return out
}
