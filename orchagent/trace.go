package orchagent

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// StepKind is a kind of step of a plan.
type StepKind struct {
	Phase reconcile.Phase
	Verb  reconcile.Verb
}

// Stats is what one pass did and cost, for metrics.
type Stats struct {
	Source  string // of package audit
	Outcome string // of package audit; "" when there was nothing to do

	// Took is all of the pass. Of that, Derive is working out what the rows ask for,
	// Diff planning, and Apply the chip's share.
	Took, Derive, Diff, Apply time.Duration

	Steps    map[StepKind]int // planned
	Writes   int              // executed
	Calls    int              // that carried them, those that failed included
	Bulk     int              // of Calls, those for several objects
	Failures map[string]int   // failed steps by name of the status, e.g. "SAI_STATUS_TABLE_FULL"; "" for those without

	Requests int                   // that wait for the loop
	Fates    map[statedb.State]int // of all rows
	Warned   int                   // rows that are warned of
	Losing   int                   // of Warned, those that are as lossless packets may be dropped
	RetryIn  time.Duration         // until the next retry; 0 if none is due
	Paused   uint64                // the number of the plan that waits for Confirm; 0 if none does
}

// trace gathers what is to be told of a pass: to whom it may concern, in a Record,
// and to metrics, in Stats.
type trace struct {
	start  time.Time
	record audit.Record
	stats  Stats
}

// traced runs one pass and tells of it.
func (a *Agent) traced(source, who string, pass func()) {
	a.trace = trace{
		start:  time.Now(),
		record: audit.Record{Source: source, Who: who},
		stats:  Stats{Source: source, Steps: map[StepKind]int{}, Failures: map[string]int{}},
	}
	a.aborter.begin(Progress{Source: source, Who: who, Since: a.trace.start})
	pass()
	a.tell()
}

// tell makes the record of the pass that is over, if there is something to record,
// and has it observed.
func (a *Agent) tell() {
	a.faultRows()
	t := &a.trace
	r, s := &t.record, &t.stats
	if a.pass.stateUnknown && r.Outcome == "" {
		t.fault(errUnreadable.Error())
	}
	if r.Outcome == "" && (r.Steps > 0 || r.Writes > 0 || len(r.Faults) > 0 || len(r.Rows) > 0) {
		r.Outcome = audit.Applied
		if len(r.Faults) > 0 || len(a.pass.failed) > 0 {
			r.Outcome = audit.Partly
		}
	}
	r.Time, r.Took = t.start, time.Since(t.start)
	if r.Outcome != "" {
		r.Revision = a.cfg.Revision
		if a.cur != nil {
			r.Revision = a.cur.State.Revision
		}
		a.cfg.Audit.Add(*r)
	}
	if a.cfg.Observe == nil {
		return
	}
	s.Outcome, s.Took, s.Writes = r.Outcome, r.Took, r.Writes
	s.Requests = int(a.waiting.Load())
	a.census(s)
	s.RetryIn, s.Paused = a.backoff.in(), cmp.Or(a.halted, a.limit.pending.id)
	a.cfg.Observe(*s)
}

// faultRows notes the rows that changed and are not in force, but for transactions
// that are refused, which say why themselves, and for what the chip refused.
func (a *Agent) faultRows() {
	t := &a.trace
	if t.record.Outcome != "" || len(t.record.Faults) > 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range t.record.Rows {
		if f := a.fates[c.Row]; f.State == statedb.Refused || f.State == statedb.Waiting {
			t.fault(string(c.Row) + ": " + f.Reason)
		}
	}
}

// number returns the number of the record of the pass that runs.
func (a *Agent) number() uint64 {
	if a.trace.record.ID == 0 {
		a.trace.record.ID = a.cfg.Audit.Reserve()
	}
	return a.trace.record.ID
}

// Records returns the records of the last passes that did or were asked something,
// the newest last. It may be called at any time.
func (a *Agent) Records() []audit.Record { return a.cfg.Audit.Records() }

// changed notes a row that changed.
func (t *trace) changed(k configdb.RowKey, before *state.Record, after configdb.Fields) {
	r := &t.record
	if len(r.Rows) >= audit.MaxRows {
		r.RowsCut++
		return
	}
	c := audit.RowChange{Row: k, After: after}
	if before != nil {
		c.Before = before.Fields
	}
	r.Rows = append(r.Rows, c)
}

// fault notes why something is not in force.
func (t *trace) fault(text string) {
	r := &t.record
	if len(r.Faults) >= audit.MaxLines {
		r.FaultsCut++
		return
	}
	r.Faults = append(r.Faults, text)
}

// refused notes the answer to a transaction that is not in force.
func (t *trace) refused(err error) {
	if err == nil {
		return
	}
	t.record.Faults, t.record.FaultsCut = nil, 0
	if t.record.Outcome == "" {
		t.record.Outcome = audit.Refused
	}
	var faults configdb.Faults
	if !errors.As(err, &faults) {
		t.fault(err.Error())
	}
	for _, f := range faults {
		t.fault(f.Error())
	}
}

// planned notes a plan.
func (t *trace) planned(p reconcile.Plan) {
	r := &t.record
	r.Steps += len(p)
	for i := range p {
		t.stats.Steps[StepKind{p[i].Phase, p[i].Verb}]++
	}
	room := max(0, audit.MaxLines-len(r.Plan))
	r.PlanCut += max(0, len(p)-room)
	text := strings.TrimSuffix(p[:min(room, len(p))].String(), "\n")
	if text != "" {
		r.Plan = slices.AppendSeq(r.Plan, strings.SplitSeq(text, "\n"))
	}
}

// did notes what a plan did.
func (t *trace) did(res *reconcile.Result) {
	t.record.Writes += len(res.Writes)
	t.stats.Calls += res.Calls
	t.stats.Bulk += res.Bulk
	for _, k := range sortedKeys(res.Failed) {
		f := res.Failed[k]
		if errors.Is(f.Err, reconcile.ErrBlocked) {
			continue
		}
		t.fault(f.Err.Error())
		var st sai.Status
		name := ""
		if errors.As(f.Err, &st) {
			name = st.Name()
		}
		t.stats.Failures[name]++
	}
}

// lap adds the time since start to d.
func lap(d *time.Duration, start time.Time) { *d += time.Since(start) }

// reconcile brings a target to the chip. opt.Check may be nil.
func (a *Agent) reconcile(to target, mode reconcile.Mode, opt reconcile.Options) reconcile.Result {
	t, start, check := &a.trace, time.Now(), opt.Check
	opt.Check = func(p reconcile.Plan) bool {
		lap(&t.stats.Diff, start)
		start = time.Now()
		t.planned(p)
		a.aborter.planned(len(p))
		return check == nil || check(p)
	}
	opt.Between = a.aborter.goOn
	opt.Urgent = func() []graph.Key { return a.overlay(to, a.hearBetween()) }
	opt.Touched = a.desired.takeTouched()
	if to.kept != nil { // it is not the derived graph, and what comes next differs from it anyhow
		opt.Touched, a.desired.everything = nil, true
	}
	res := a.rec.Reconcile(to.nodes, mode, opt)
	a.aborter.over()
	lap(&t.stats.Apply, start)
	a.urgent.answerApplied()
	t.did(&res)
	return res
}

// changedShare is the share of rows that changed or went between two resolutions, of those
// that were there. Those count too that others took with them.
func changedShare(before, after *resolve.Resolution) float64 {
	was, is := before.State.Records, after.State.Records
	changed := after.Swept(before)
	for k := range was.Diff(is) {
		if was.Has(k) {
			changed++
		}
	}
	return float64(changed) / float64(max(1, was.Len()))
}

// undo takes back what a transaction did to the chip.
func (a *Agent) undo() {
	defer lap(&a.trace.stats.Apply, time.Now())
	res := a.rec.Undo()
	a.trace.did(&res)
	a.record(res)
	a.urgent.answerApplied()
}

// census counts the rows by fate, and those that are warned of.
func (a *Agent) census(s *Stats) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.Fates = map[statedb.State]int{}
	for _, f := range a.fates {
		s.Fates[f.State]++
		if len(f.Warnings) > 0 {
			s.Warned++
		}
		if f.Loses > 0 {
			s.Losing++
		}
	}
}
