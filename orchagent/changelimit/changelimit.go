// Package changelimit says when a plan takes away so much of what a switch has that a
// person should confirm it first.
//
// What is not for here: holding a plan back, and who confirms it (package orchagent).
package changelimit

import (
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/graph"
)

// A plan is to be confirmed that takes away more than one in share of the nodes that are
// there, and least at least, unless a large enough share of the rows was seen to change.
const (
	share = 5
	least = 32
)

// Exceeds reports whether it is too much that goes of what is there.
func Exceeds(lost, there int) bool { return lost >= least && lost*share > there }

// Small reports whether a plan is too small to take away too much.
func Small(steps int) bool { return steps < least }

// Plan is what there is to know of a plan.
type Plan struct {
	Lost  []graph.Key // the nodes that it takes away
	There int         // how many nodes there are
	// Changed is the share of the rows that was seen to change, 0 to 1: a plan may take
	// away up to twice as large a share.
	Changed float64
	// Approved reports whether a node may go without being counted; nil: none may.
	Approved func(graph.Key) bool
	// Unused reports whether a node has nothing that anything uses, so that it is no loss. It
	// is asked only if too many would go otherwise; nil: none is.
	Unused func(graph.Key) bool
}

// Check says why a plan is to be confirmed; "" if it is not.
func Check(p Plan) string {
	counted := without(p.Lost, p.Approved)
	if Exceeds(len(counted), p.There) {
		counted = without(counted, p.Unused)
	}
	if !Exceeds(len(counted), p.There) || 2*p.Changed*float64(p.There) >= float64(len(counted)) {
		return ""
	}
	return fmt.Sprintf("it would remove or reset %d of the %d objects and groups of settings that the chip has, while %.0f%% of the rows were seen to change: %s",
		len(counted), p.There, 100*p.Changed, Examples(counted))
}

func without(keys []graph.Key, which func(graph.Key) bool) []graph.Key {
	if which == nil {
		return keys
	}
	return slices.DeleteFunc(slices.Clone(keys), which)
}

// Grown says how much a plan takes away that waits to be confirmed and has grown.
func Grown(lost []graph.Key, there int) string {
	return fmt.Sprintf("it would now remove or reset %d of the %d objects and groups of settings that the chip has: %s", len(lost), there, Examples(lost))
}

// Examples counts keys, which are in order, by type, and names the first ones.
func Examples(keys []graph.Key) string {
	count := map[string]int{}
	for _, k := range keys {
		count[k.Type.String()]++
	}
	var parts []string
	for i, k := range keys {
		if i == 0 || k.Type != keys[i-1].Type {
			parts = append(parts, fmt.Sprintf("%d %s (%s, …)", count[k.Type.String()], k.Type, k.Name))
		}
	}
	return strings.Join(parts, ", ")
}
