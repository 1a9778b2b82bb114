// Package report is what the agent tells its readers: the databases that show rows and what
// became of them, and counters. Reports wait in a queue beside the agent's loop.
//
// What is not for here: what a reader makes of a report (packages publish and counters).
package report

import (
	"context"
	"maps"
	"slices"
	"time"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Report is what one or more passes did, for those who have to be told: STATE_DB,
// ASIC_DB, counters. Its maps and slices must not be changed.
type Report struct {
	Revision uint64
	Time     time.Time
	// Full says that the report holds everything and what was published before does
	// not count: it is the first one, or the database was out of reach meanwhile.
	Full bool
	// Routine says that a full report is only for comparison: nothing is known to be wrong.
	Routine bool

	// Fates are those that changed; with Full all of them.
	Fates map[configdb.RowKey]statedb.Fate
	// Gone are the rows that no longer have a fate.
	Gone []configdb.RowKey
	// Accepted are the accepted versions that changed, nil for rows that have none
	// any more; with Full all of them.
	Accepted map[configdb.RowKey]configdb.Fields
	// Refused is what the chip said to rows that it refused and what has changed of
	// that, nil for rows that it does not refuse any more; with Full all of it.
	Refused map[configdb.RowKey]*statedb.Refusal

	// Rows are the effective rows, from which everything was derived: those of CONFIG_DB
	// in the versions in effect, with headroom and pool sizes worked out. They are the
	// same pointer from report to report until one of them changes.
	Rows *configdb.Config
	// Effects are the effective buffer rows that changed, nil for those that are gone or
	// not in force; with Full all that are in force.
	Effects map[configdb.RowKey]configdb.Fields
	// Derived are the rows of CONFIG_DB that are to change because of others; with Full
	// all that were derived. nil: somebody else changed the row, and so it is theirs.
	Derived map[configdb.RowKey]*Derived
	Model   string // the buffer model: configdb.Traditional or configdb.Dynamic
	// Buffers are what the buffer manager works with: the same pointer from report to
	// report until it begins anew. nil: it has not begun.
	Buffers *bufmgr.Params
	// Actual is everything that was set on the chip before Writes; nil unless Full.
	Actual graph.Graph
	// Writes are what the chip executed, in order.
	Writes []reconcile.Write
	// Asked are attributes that rows ask for and that the chip has, with or without a
	// write, of nodes of which that changed; empty for those that have none any more.
	// With Full, of all nodes. They are so after Writes.
	Asked map[graph.Key][]graph.Attr
	// Device and Handles are what the chip has, and the handle of every object by
	// its key without facet. Either stays the same map from report to report until
	// something in it changes.
	Device  *intent.Device
	Handles map[graph.Key]sai.OID
}

// Derived is what is to become of a row of CONFIG_DB that others ask for; nil Fields are no
// row. Before are the digests of what may be replaced: all versions that the agent wrote
// and that may still be there, as earlier reports may be published in part, late or not
// at all; "" stands for no row. Any other content is somebody's.
type Derived struct {
	Before []string
	After  configdb.Fields
}

// Replaces reports whether a row with this content, nil for no row, may be replaced.
func (d *Derived) Replaces(have configdb.Fields) bool {
	return slices.Contains(d.Before, have.Digest())
}

// Publisher writes reports to the databases. One that returns an error is given
// the same report again, merged with what happened since.
type Publisher interface {
	Publish(ctx context.Context, r Report) error
}

// merge adds a later report to r.
func (r *Report) merge(later Report) {
	if later.Full {
		later.Routine = later.Routine && r.Routine
		*r = later
		return
	}
	r.Revision, r.Time, r.Rows, r.Device, r.Handles = later.Revision, later.Time, later.Rows, later.Device, later.Handles
	r.Buffers = later.Buffers
	r.Model, r.Effects = later.Model, overlay(r.Effects, later.Effects)
	r.Derived = overlay(r.Derived, later.Derived)
	r.Fates, r.Accepted = overlay(r.Fates, later.Fates), overlay(r.Accepted, later.Accepted)
	r.Refused = overlay(r.Refused, later.Refused)
	gone := map[configdb.RowKey]bool{}
	for _, k := range r.Gone {
		gone[k] = true
	}
	for k := range later.Fates {
		delete(gone, k)
	}
	for _, k := range later.Gone {
		gone[k] = true
		delete(r.Fates, k)
	}
	r.Gone = r.Gone[:0:0]
	for k := range gone {
		r.Gone = append(r.Gone, k)
	}
	r.Writes, r.Asked = append(r.Writes, later.Writes...), overlay(r.Asked, later.Asked)
}

func overlay[K comparable, V any](under, over map[K]V) map[K]V {
	out := make(map[K]V, len(under)+len(over))
	maps.Copy(out, under)
	maps.Copy(out, over)
	return out
}
