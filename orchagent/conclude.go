package orchagent

import (
	"maps"
	"time"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/report"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// reported is what the last report was made of: the next one has what differs.
type reported struct {
	resolution *resolve.Resolution // nil: there was none
	inert      map[configdb.RowKey]bool
}

// conclude says what became of every row that is concerned, and reports. actual is nil
// unless everything is to be reported. It returns the report's number.
func (a *Agent) conclude(actual *graph.Graph) uint64 { return a.report(actual, a.soon) }

func (a *Agent) concludeRetry() { a.report(nil, a.backoff.again) }

// compare has a full report follow although nothing happened: others write to the databases
// too, and may have removed what is published there. Writes of the last pass are in its
// report; what it left undone is still so.
func (a *Agent) compare() {
	if a.rec == nil || a.pass.stateUnknown {
		return
	}
	a.pass.start, a.pass.writes, a.pass.routine = time.Now(), nil, true
	actual := a.rec.Actual()
	a.report(&actual, func() {})
	a.pass.routine = false
}

// report makes the report of a pass. again schedules the next try.
func (a *Agent) report(actual *graph.Graph, again func()) uint64 {
	before := a.pass.blocked
	a.pass.blocked = a.blockedRows()
	if a.pass.stateUnknown {
		a.markUnknown(before)
	}
	rescheduled := a.schedule(again)
	full := actual != nil
	rows := a.concerned(before, rescheduled, full)
	was := a.reported
	a.reported = reported{resolution: a.cur, inert: a.cur.Inert(sortedKeys(a.pass.failed))}
	r := report.Report{
		Revision: a.cur.State.Revision, Time: time.Now(), Full: full, Writes: a.pass.writes,
		Rows: a.cur.Effective.Rows, Model: a.cur.State.ModelName(), Buffers: a.cur.Params(), Device: a.cur.There, Handles: a.rec.Handles(),
	}
	r.Effects = a.effectiveDiff(was, full)
	r.Derived = a.derivedDiff(full)
	r.Accepted = a.appliedDiff(was, full)
	r.Refused = a.refusedDiff(was, full)
	r.Fates, r.Gone = a.judgeRows(rows, r.Time)
	if !a.pass.stateUnknown { // else nobody knows
		r.Asked = a.reportAsked(full)
	}
	a.settle()
	a.logPass(&r)
	a.logRows(&r, was.resolution)
	if full {
		r.Actual, r.Routine, r.Fates = *actual, a.pass.routine, a.Fates()
	} else if !isNews(&r, was.resolution) {
		return 0
	}
	n := a.outbox.Add(r)
	a.noteReported(r.Derived, n)
	return n
}

// isNews reports whether a report has anything that the one of before has not.
func isNews(r *report.Report, was *resolve.Resolution) bool {
	return len(r.Fates)+len(r.Gone)+len(r.Writes)+len(r.Accepted)+len(r.Refused)+len(r.Effects)+len(r.Derived)+len(r.Asked) > 0 ||
		was == nil || r.Rows != was.Effective.Rows || r.Buffers != was.Params()
}

// settle forgets what concerned the pass that is over.
func (a *Agent) settle() {
	a.cur = a.cur.Settled()
	a.desired.of, a.reported.resolution = a.cur, a.cur
}

// markUnknown makes rows wait when the chip cannot be read back. before are those that
// waited already.
func (a *Agent) markUnknown(before map[configdb.RowKey]error) {
	add := func(k configdb.RowKey, err error) {
		if a.pass.blocked[k] == nil {
			a.pass.blocked[k] = err
		}
	}
	for k, err := range before {
		add(k, err)
	}
	s := a.cur.State
	for k := range s.Unapplied.All() {
		if row := a.cur.Rows.Get(k); row != nil && row != s.Version(k).Row {
			add(k, errUnreadable)
		}
	}
	for k := range s.Removed.All() {
		if a.cur.Rows.Get(k) == nil {
			add(k, errUnreadable)
		}
	}
}

// concerned are the rows whose status may have changed. before are those that were blocked;
// rescheduled says that the time of the next try is another one.
func (a *Agent) concerned(before map[configdb.RowKey]error, rescheduled, full bool) map[configdb.RowKey]bool {
	was := a.reported.resolution
	if full {
		was = nil
	}
	rows := a.cur.StatusDiff(was)
	for _, m := range []map[configdb.RowKey]error{before, a.pass.blocked} {
		for k := range m {
			rows[k] = true
		}
	}
	if rescheduled { // their statuses say when
		for c := range a.cur.State.Retriable {
			rows[c.Key] = true
		}
	}
	if full {
		for k := range a.ledger {
			rows[k] = true
		}
	}
	delete(rows, "")
	return rows
}

// effectiveDiff returns the effective buffer rows that differ from those of a report, nil
// for those that are not applied; with full every one that is.
func (a *Agent) effectiveDiff(was reported, full bool) map[configdb.RowKey]configdb.Fields {
	rows := map[configdb.RowKey]bool{}
	if full {
		was = reported{}
	}
	for _, k := range a.cur.BufferRowsDiff(was.resolution) {
		rows[k] = true
	}
	inert := a.reported.inert
	if full {
		maps.DeleteFunc(rows, func(k configdb.RowKey, _ bool) bool { return inert[k] })
	} else {
		addFlipped(was.inert, inert, rows)
	}
	if len(rows) == 0 {
		return nil
	}
	out := make(map[configdb.RowKey]configdb.Fields, len(rows))
	for k := range rows {
		out[k] = nil
		if row := a.cur.Effective.Rows.Get(k); row != nil && !inert[k] {
			out[k] = a.cur.FieldsOf(row)
		}
	}
	return out
}

// addFlipped adds the buffer rows that only one of two sets has.
func addFlipped(a, b, to map[configdb.RowKey]bool) {
	for _, m := range []map[configdb.RowKey]bool{a, b} {
		for k := range m {
			if a[k] != b[k] && bufmgr.Makes(k) {
				to[k] = true
			}
		}
	}
}

// appliedDiff returns the last applied versions that differ from those of a report, nil for
// rows that have none any more; with full all of them.
func (a *Agent) appliedDiff(was reported, full bool) map[configdb.RowKey]configdb.Fields {
	before := state.Map[configdb.RowKey, *state.Version]{}
	if !full && was.resolution != nil {
		before = was.resolution.State.Applied
	}
	out := map[configdb.RowKey]configdb.Fields{}
	for k := range before.Diff(a.cur.State.Applied) {
		out[k] = a.cur.State.Version(k).Fields
	}
	return out
}

// refusedDiff returns the refusals that differ from those of a report, nil for rows that
// have none any more; with full all of them.
func (a *Agent) refusedDiff(was reported, full bool) map[configdb.RowKey]*statedb.Refusal {
	var before map[configdb.RowKey]*state.Refusal
	switch {
	case full || was.resolution == nil:
	case was.resolution.State.Refused == a.cur.State.Refused && was.resolution.State.Records == a.cur.State.Records:
		return nil
	default:
		before = was.resolution.State.Reported()
	}
	now, out := a.cur.State.Reported(), map[configdb.RowKey]*statedb.Refusal{}
	for k := range before {
		if now[k] == nil {
			out[k] = nil
		}
	}
	for k, x := range now {
		if before[k] != x {
			out[k] = a.cur.State.Stored(k, x)
		}
	}
	return out
}
