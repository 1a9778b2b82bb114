package orchagent

import (
	"errors"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/sai"
)

// refuse takes up the failures of a pass, each against the version of the row that was
// tried. It reports whether any was not refused before.
func (a *Agent) refuse(e *state.Editor) bool {
	refused := false
	for _, k := range sortedKeys(a.pass.failed) {
		f := a.pass.failed[k]
		if errors.Is(f.Err, reconcile.ErrBlocked) || chipLost(f) || e.Short[k] != nil {
			continue // the chip was not asked, or went away, or has no room
		}
		b := a.cur.Blame(k, f.Attr)
		if b.Key == "" || e.Refused.Has(b.Candidate) || b.Row == nil && (e.Records.Has(b.Key) || !e.Applied.Has(b.Key)) {
			continue // no row to blame, or nothing to go back to
		}
		if a.hasBefore(k, b) {
			continue // without the row the chip would lose what it has: what failed is tried again
		}
		if b = a.cur.SpareInput(b); b.Key == "" {
			continue // no new row asks for it: what failed is tried again
		}
		e.Refuse(b.Candidate, a.cur.Refusal(k, b, a.reason(k, b, f), sai.Retriable(f.Err)))
		refused = true
	}
	return refused
}

// hasBefore reports whether what failed is a change, for reasons of others, of what the chip
// has of an applied row: of a pool that the dynamic model gives another size, say. To refuse
// the row would take away what the chip goes on with.
func (a *Agent) hasBefore(k graph.Key, b resolve.Blamed) bool {
	return b.By == "" && a.cur.State.IsApplied(b.Row) && a.rec.Node(k) != nil
}

// chipLost reports whether a step failed because the chip went away in the middle of
// it, which says nothing of any row.
func chipLost(f *reconcile.Failure) bool { return errors.Is(f.Err, sai.StatusUninitialized) }

// reason says what the chip said.
func (a *Agent) reason(k graph.Key, b resolve.Blamed, f *reconcile.Failure) string {
	text := f.Err.Error()
	if f.Attr != nil {
		var st sai.Status
		errors.As(f.Err, &st)
		text = f.Attr.FullName() + ": " + st.Name() + a.limitOf(k, f.Attr, f.Err)
	}
	text += a.poolRoom(k, a.cur.Effective.Rows, f.Err)
	if b.By != "" {
		text = string(b.By) + ": " + text
	}
	return text
}

func sortedKeys(failed map[graph.Key]*reconcile.Failure) []graph.Key {
	keys := make([]graph.Key, 0, len(failed))
	for k := range failed {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}
