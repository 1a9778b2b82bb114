package bufferorch

import (
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
)

// stay asks for what the chip has of something for which it has no room otherwise.
func stay(x *intent.Shortage, b *graph.Builder) {
	if x.Has != nil {
		b.Add(x.Row, x.Has.Key, slices.Clone(x.Has.Attrs)...)
	}
}

// addRests asks for the profiles, and their pools, that priority groups keep for want of
// room and that no row asks for any more.
func addRests(s *intent.Snapshot, b *graph.Builder) {
	for _, k := range slices.SortedFunc(maps.Keys(s.Short), graph.Key.Compare) {
		for _, n := range s.Short[k].Rests {
			if !b.Has(n.Key) {
				b.Add(s.Short[k].Row, n.Key, slices.Clone(n.Attrs)...)
			}
		}
	}
}
