package orchagent

import (
	"maps"
	"slices"
	"time"

	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// ledger holds the status of every row, and what it was judged on.
type ledger map[configdb.RowKey]judgement

type judgement struct {
	fate statedb.Fate
	row  *state.Record // nil for a row that was removed
}

// enter records a status. Since and Revision stay as they were when only warnings or
// the time of the next try changed. It reports whether anything changed.
func (l ledger) enter(k configdb.RowKey, j judgement, now time.Time, revision uint64) (statedb.Fate, bool) {
	was, ok := l[k]
	j.fate.Since, j.fate.Revision = now, revision
	if ok && was.row == j.row && sameState(was.fate, j.fate) {
		j.fate.Since, j.fate.Revision = was.fate.Since, was.fate.Revision
		if slices.Equal(was.fate.Warnings, j.fate.Warnings) && was.fate.Next.Equal(j.fate.Next) {
			return was.fate, false
		}
	}
	l[k] = j
	return j.fate, true
}

// drop forgets a status and reports whether there was one.
func (l ledger) drop(k configdb.RowKey) bool {
	_, ok := l[k]
	delete(l, k)
	return ok
}

func sameState(a, b statedb.Fate) bool {
	return a.State == b.State && a.Reason == b.Reason && a.On == b.On && a.Field == b.Field
}

// judgeRows enters the statuses of rows and returns those that changed, and the rows
// that no longer have one.
func (a *Agent) judgeRows(rows map[configdb.RowKey]bool, now time.Time) (map[configdb.RowKey]statedb.Fate, []configdb.RowKey) {
	warnings := a.cur.Warnings(rows)
	fates := map[configdb.RowKey]statedb.Fate{}
	var gone []configdb.RowKey
	for k := range rows {
		f, ok := a.cur.Status(k, warnings[k], a.pass.blocked[k])
		if f.On == resolve.TheChip {
			f.Next = a.backoff.at
		}
		switch {
		case ok:
			if f, changed := a.ledger.enter(k, judgement{f, a.cur.State.Records.Get(k)}, now, a.cur.State.Revision); changed {
				fates[k] = f
			}
		case a.ledger.drop(k):
			gone = append(gone, k)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(a.fates, fates)
	for _, k := range gone {
		delete(a.fates, k)
	}
	return fates, gone
}

// Fates returns the status of every row. It may be called at any time.
func (a *Agent) Fates() map[configdb.RowKey]statedb.Fate {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.fates)
}
