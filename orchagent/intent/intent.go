// Package intent is the input of every orchestrator: one immutable snapshot of
// the rows in effect together with the facts that also shape the wanted state
// (what the chip has, storms, and later DCBX results).
package intent

import (
	"slices"
	"strconv"

	"xon/orchagent/graph"
	"xon/sai"
	"xon/schema/configdb"
)

// Snapshot is what the operator and the network ask for at one moment.
type Snapshot struct {
	Revision uint64           // grows with every change
	Rows     *configdb.Config // the rows to derive from
	// Accepted are the rows in force, of which some may have changed since. A row
	// that did not is in both by the same pointer. It may be nil. Where rows compete
	// for something scarce, those in force come first, so that a new row can't take
	// from them.
	Accepted *configdb.Config
	Device   *Device
	Facts    *Facts    // nil: nothing was found out
	Short    Shortages // what the chip has no room for
}

// Device is what the chip has, as discovery found it.
type Device struct {
	Ports  []*Port // in the chip's order, those without a PORT row too
	ByName map[string]*Port

	MaxPorts       int    // ports that there can be, without the CPU's; 0 if the chip does not say
	MMUBytes       uint64 // packet memory; 0 if the chip does not say
	TrafficClasses int    // traffic classes that maps may use; 0 if the chip does not say
	// ForwardingClasses is how many forwarding classes maps may use; 0: there are none.
	ForwardingClasses int
	UnicastQueues     int  // of a port; 0 if the chip does not say
	PFCPriorities     int  // 8
	AsymmetricPFC     bool // PFC TX and RX can be set apart
	Link              Linking
	FlowControl       bool // a port can be paused as a whole (802.3x)
	MarkAtDequeue     bool // packets can be marked as they leave their queue
	PFCDLRInit        bool // an agent can take a queue through recovery from a deadlock

	Routes bool   // the chip has a virtual router and a port to the CPU
	MAC    string // of the chip, as SAI writes it; "" if the chip does not say

	ECMP, LAG Hashing
	Trimming  Trimming
}

// There returns what is there already: d itself, or a copy without the ports that
// are planned.
func (d *Device) There() *Device {
	planned := func(p *Port) bool { return p.Planned }
	if !slices.ContainsFunc(d.Ports, planned) {
		return d
	}
	there := *d
	there.Ports, there.ByName = slices.DeleteFunc(slices.Clone(d.Ports), planned), make(map[string]*Port, len(d.Ports))
	for _, p := range there.Ports {
		there.ByName[p.Name] = p
	}
	return &there
}

// Has reports whether the chip has a port with just these lanes, in whatever order.
func (d *Device) Has(lanes []uint32) bool {
	want := slices.Sorted(slices.Values(lanes))
	return slices.ContainsFunc(d.Ports, func(p *Port) bool {
		return !p.Planned && len(p.Lanes) == len(want) && slices.Equal(slices.Sorted(slices.Values(p.Lanes)), want)
	})
}

// Port is one port of the chip with the keys of the objects below it, built once
// because they are needed on every derivation.
type Port struct {
	Name       string  // of its PORT row, or "lanes:1,2,3,4" for a port without one
	ID         sai.OID // its handle; Null while it is planned
	Configured bool    // it has a PORT row
	Planned    bool    // it is not there yet: what is below it is what other ports have
	Lanes      []uint32

	Object graph.Key   // without facet
	PGs    []graph.Key // "buffer" facets, by index
	Queues []Queue     // by index

	MaxHeadroom uint64   // bytes that its priority groups may reserve together; 0 if the chip does not say
	Speeds      []uint32 // Mb/s that it can run at; nil if the chip does not say
}

// Queue is one queue of a port.
type Queue struct {
	Buffer graph.Key // its "buffer" facet
	WRED   graph.Key // its "wred" facet
	// Group is the "sched" facet of the scheduler group that serves the queue;
	// zero if it has none.
	Group     graph.Key
	Multicast bool
	Any       bool // serves unicast and multicast alike
}

// Facet returns the key of one of the port's own facets.
func (p *Port) Facet(f graph.Facet) graph.Key {
	k := p.Object
	k.Facet = f
	return k
}

// SwitchKey is the key of the switch itself, without facet.
var SwitchKey = graph.Key{Type: sai.ObjectTypeSwitch, Name: "switch"}

// CPUKey is the key of the port to the CPU, which is the chip's own.
var CPUKey = graph.Key{Type: sai.ObjectTypePort, Name: graph.Own + "cpu"}

// ECMPHashKey and LAGHashKey are the keys, without facet, of the objects that say
// which fields of packets the chip hashes to spread flows over paths and over the
// members of a LAG.
var (
	ECMPHashKey = graph.Key{Type: sai.ObjectTypeHash, Name: "ecmp"}
	LAGHashKey  = graph.Key{Type: sai.ObjectTypeHash, Name: "lag"}
)

// ChildName names an object of a port: "Ethernet0|3".
func ChildName(port string, index int) string { return port + "|" + strconv.Itoa(index) }
