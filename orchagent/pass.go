package orchagent

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// maxRounds bounds how often one pass goes on after the chip refused something. A
// row has two versions at most, so few configurations need more than three.
const maxRounds = 16

// pass gathers what happened since the last report.
type pass struct {
	start  time.Time
	writes []reconcile.Write
	// failed are the nodes that are not as they should be, and leftover says that
	// replaced objects could not be removed.
	failed   map[graph.Key]*reconcile.Failure
	leftover bool
	dirty    bool // what the chip has is not known
	stuck    map[configdb.RowKey]error
	waits    map[configdb.RowKey]error // rows that wait for somebody, and why
	behind   bool                      // urgent news left something to do
	share    float64                   // of the rows that was seen to change
	probes   map[graph.Key]graph.Key   // see Options.Probe of package reconcile
	// disruptive takes what changes out of use first.
	disruptive bool
	routine    bool // see compare
}

// retry tries again what is worth it.
func (a *Agent) retry() {
	a.begin()
	again := a.retriable()
	a.resolve(slices.Collect(maps.Keys(again)))
	a.pass.probes = a.probes(again)
	a.bestEffort()
	a.concludeRetry()
}

// retell has a full report follow one that could not be published: it puts right whatever
// the databases hold by now.
func (a *Agent) retell() {
	if a.rec == nil { // nothing was loaded, and the load will tell everything
		return
	}
	a.begin()
	actual := a.rec.Actual()
	a.bestEffort()
	a.report(&actual, a.backoff.again)
}

func (a *Agent) begin() { a.pass = pass{start: time.Now(), stuck: a.pass.stuck, dirty: a.pass.dirty} }

// bestEffort makes the chip follow as far as it can. What the chip refuses is taken
// back row by row, so that a row is in force as a whole or not at all.
func (a *Agent) bestEffort() {
	for range maxRounds {
		if a.halted > 0 {
			a.halt()
			return
		}
		if a.pass.dirty && !a.readback() {
			return
		}
		a.rebind()
		to := a.regard(a.restrain())
		why := ""
		res := a.reconcile(to, reconcile.BestEffort, reconcile.Options{Disruptive: a.pass.disruptive, Probe: a.pass.probes, Check: func(p reconcile.Plan) bool {
			var lost []graph.Key
			why, lost = a.excess(p, to, a.pass.share)
			a.let(lost)
			return why == ""
		}})
		a.took(res)
		if why != "" {
			a.hold(why)
			continue
		}
		if res.Stopped || res.Held {
			a.halt()
			return
		}
		refused := a.refuse(res.Failed)
		if len(refused) == 0 && !a.pass.dirty && !a.pass.behind && !a.outdated() && !a.inv.Changed() {
			if refused = a.writeBack(); len(refused) == 0 {
				a.arrived(&res)
				return
			}
		}
		a.resolve(refused)
	}
}

// rebind tells the reconciler of ports that got other names.
func (a *Agent) rebind() {
	if a.bound != a.device {
		a.rec.Rebind(a.adopted)
		a.bound = a.device
	}
}

// took notes what one reconciliation did.
func (a *Agent) took(res reconcile.Result) {
	a.pass.writes = append(a.pass.writes, res.Writes...)
	a.pass.failed, a.pass.leftover, a.pass.dirty = res.Failed, len(res.Leftover) > 0, res.Dirty
	a.pass.behind = len(res.Urgent) > 0
	if res.Names != nil {
		a.log.WithError(res.Names).Warn("keep the names of objects")
	}
}

// readback reads what the chip has. It reports whether that went well.
func (a *Agent) readback() bool {
	err := a.rediscover()
	var rec *reconcile.Reconciler
	if err == nil {
		rec, err = reconcile.Readback(a.cfg.Switch, a.cfg.Names, a.adopted)
	}
	a.pass.dirty = err != nil
	if err != nil {
		a.log.WithError(err).Error("read the switch back")
		return false
	}
	a.rec, a.bound = rec, a.device
	a.rec.Follow(ports{a})
	return true
}

// rediscover finds out which ports the chip has by now.
func (a *Agent) rediscover() error {
	if a.rec == nil { // they were discovered just now
		return nil
	}
	inv, err := a.inv.Rediscover()
	if err != nil {
		return err
	}
	if a.inv = inv; inv.Changed() {
		a.resolve(nil)
	}
	return nil
}

// ports is what the agent knows of ports, for a reconciler: always its inventory of now.
type ports struct{ *Agent }

// Made implements reconcile.Ports.
func (p ports) Made(ids map[graph.Key]sai.OID) (map[graph.Key]sai.OID, map[graph.Key][]graph.Part, error) {
	return p.inv.Made(ids)
}

// Gone implements reconcile.Ports.
func (p ports) Gone(id sai.OID) []graph.Part { return p.inv.Gone(id) }

// report makes the report of a pass. again schedules the next try.
func (a *Agent) report(actual *graph.Graph, again func()) uint64 {
	if a.inv.Changed() {
		a.resolve(nil)
	}
	before := a.pass.stuck
	a.pass.stuck = a.stuckRows()
	if a.pass.dirty {
		a.doubt(before)
	}
	a.schedule(again)
	concerned := a.concerned(before, actual != nil)
	r := Report{
		Revision: a.revision, Time: time.Now(), Full: actual != nil, Writes: a.pass.writes,
		Rows: a.eff.Rows, Effects: a.tellEffects(actual != nil), Derived: a.tellDerived(actual != nil), Model: a.model(), Buffers: a.params, Device: a.there, Handles: a.rec.Handles(), Accepted: a.acceptRows(concerned),
	}
	r.Fates, r.Gone = a.judgeRows(concerned, r.Time)
	r.Refused = a.tellRefused()
	if !a.pass.dirty { // else nobody knows
		r.Asked = a.reportAsked(actual != nil)
	}
	a.settled()
	a.logPass(&r)
	tellFates(a.log, r.Fates, r.Time)
	a.tellDiverged(r.Fates, r.Time)
	a.tellLeftOut(r.Fates, r.Time)
	a.tellUnmade()
	if actual != nil {
		a.completeReport(&r, *actual)
	} else if len(r.Fates)+len(r.Gone)+len(r.Writes)+len(r.Accepted)+len(r.Refused)+len(r.Effects)+len(r.Derived)+len(r.Asked) == 0 && r.Rows == a.told && r.Buffers == a.toldBuffers {
		return 0
	}
	a.told, a.toldBuffers = r.Rows, r.Buffers
	n := a.outbox.add(r)
	a.reported(r.Derived, n)
	return n
}

// completeReport makes a report tell everything.
func (a *Agent) completeReport(r *Report, actual graph.Graph) {
	r.Actual, r.Routine = actual, a.pass.routine
	r.Fates = a.Fates()
	r.Refused = a.everyRefusal()
	r.Accepted = make(map[configdb.RowKey]configdb.Fields, len(a.accepted))
	for k, v := range a.accepted {
		r.Accepted[k] = v.fields
	}
}

// settled forgets what concerned the pass that is over.
func (a *Agent) settled() {
	// New ones: a map that once held everything takes long to look through for ever.
	a.d.gone, a.d.judged = map[graph.Key][]string{}, map[configdb.RowKey]bool{}
	a.d.anyJudged = false
	a.swept = 0
	a.former = map[configdb.RowKey][]configdb.RowKey{}
}

// stuckRows are rows with nodes that are not in place although the chip refused
// nothing of theirs.
func (a *Agent) stuckRows() map[configdb.RowKey]error {
	stuck := map[configdb.RowKey]error{}
	for _, k := range sortedKeys(a.pass.failed) {
		f := a.pass.failed[k]
		err := f.Err
		if errors.Is(err, reconcile.ErrBlocked) && f.On != (graph.Key{}) {
			err = fmt.Errorf("%s failed: %w", f.On, err)
		}
		rows := a.owners(k)
		for _, row := range rows {
			if stuck[configdb.RowKey(row)] == nil {
				stuck[configdb.RowKey(row)] = err
			}
		}
		if len(rows) == 0 {
			stuck[""] = err // an object that no row asks for
		}
	}
	a.waitHeld()
	maps.Copy(stuck, a.pass.waits)
	return stuck
}

// doubt has rows wait of which nobody knows whether the chip has them: it can't be
// read. before are those that waited already.
func (a *Agent) doubt(before map[configdb.RowKey]error) {
	add := func(k configdb.RowKey, err error) {
		if a.pass.stuck[k] == nil {
			a.pass.stuck[k] = err
		}
	}
	for k, err := range before {
		add(k, err)
	}
	for k := range a.records {
		if row := a.rows.Get(k); row != nil && row != a.accepted[k].row {
			add(k, errUnreadable)
		}
	}
	for k := range a.removed {
		if a.rows.Get(k) == nil {
			add(k, errUnreadable)
		}
	}
}

// concerned are the rows whose fate may have changed.
func (a *Agent) concerned(stuck map[configdb.RowKey]error, all bool) map[configdb.RowKey]bool {
	rows := a.d.judged
	for _, m := range []map[configdb.RowKey]error{stuck, a.pass.stuck} {
		for k := range m {
			rows[k] = true
		}
	}
	if all || a.d.anyJudged {
		for k := range a.records {
			rows[k] = true
		}
		for k := range a.accepted {
			rows[k] = true
		}
		for k := range a.ledger {
			rows[k] = true
		}
	}
	a.behind(rows)
	delete(rows, "")
	return rows
}

// acceptRows takes up versions that came into force, and drops those of rows that
// are gone for good.
func (a *Agent) acceptRows(rows map[configdb.RowKey]bool) map[configdb.RowKey]configdb.Fields {
	changes := acceptance{}
	for k := range rows {
		rec, now := a.records[k], a.rows.Get(k)
		switch {
		case a.pass.stuck[k] != nil || a.pass.dirty:
		case rec == nil && now == nil && a.accepted[k].row != nil:
			changes[k] = version{}
			delete(a.refused, candidate{k, nil}) // there is nothing left to keep
		case rec != nil && now != nil && now == rec.row && !a.out[k] && a.accepted[k].row != now:
			changes[k] = version{fields: rec.whole, row: rec.row}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	a.apply(changes)
	out := make(map[configdb.RowKey]configdb.Fields, len(changes))
	for k, v := range changes {
		out[k] = v.fields
		if contested[k.Table()] {
			a.stale = append(a.stale, k)
		}
	}
	return out
}

// judgeRows enters the fates of rows and returns those that changed, and the rows
// that no longer have one.
func (a *Agent) judgeRows(rows map[configdb.RowKey]bool, now time.Time) (map[configdb.RowKey]statedb.Fate, []configdb.RowKey) {
	warnings := a.warningsOf(rows)
	fates := map[configdb.RowKey]statedb.Fate{}
	var gone []configdb.RowKey
	for k := range rows {
		f, ok := a.judge(k, warnings[k], a.pass.stuck[k])
		if f.On == theChip {
			f.Next = a.backoff.at
		}
		switch {
		case ok:
			if f, changed := a.ledger.enter(k, judgement{f, a.records[k]}, now, a.revision); changed {
				fates[k] = f
			}
		case a.ledger.drop(k):
			gone = append(gone, k)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, f := range fates {
		a.fates[k] = f
	}
	for _, k := range gone {
		delete(a.fates, k)
	}
	return fates, gone
}
