package intent

import (
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// Feature is one orchestrator: what it derives, and what its rows need of the agent.
// What one feature derives, no other sees.
type Feature struct {
	// Shared derives what several ports may use; nil for a feature that has nothing of the
	// kind.
	Shared func(*Snapshot, *graph.Builder)
	// Reads names what Shared depends on: tables, and single rows by their keys. Shared is
	// not called again as long as none of their rows changes. Needed with Shared.
	Reads []string
	// Scarce says that Shared depends on the shortages too.
	Scarce bool
	// Port derives what one port has, from its view alone; nil for nothing.
	Port func(*Device, *PortView, *graph.Builder)
	// Fields names the row's field behind each attribute, for messages.
	Fields []graph.Field
	// Competes are the tables whose rows compete for something scarce, like lanes or packet
	// memory: the feature looks at which of them are in force already (Snapshot.Accepted).
	Competes []string
	// Measured are the tables whose rows are checked against limits of the chip that may
	// change, and that are read again for them.
	Measured []string
}

// DependsOn reports whether Shared depends on a row.
func (f *Feature) DependsOn(k configdb.RowKey) bool {
	return f.Shared != nil && (slices.Contains(f.Reads, k.Table()) || slices.Contains(f.Reads, string(k)))
}
