package orchagent

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/sai"
	"xon/schema/configdb"
)

// maxRounds bounds how often one pass goes on after the chip refused something, or because
// what was applied changes what rows ask for. A row has two versions at most, so few
// configurations need more than three.
const maxRounds = 16

// pass is what happened since the last report.
type pass struct {
	start  time.Time
	writes []reconcile.Write
	// failed are the nodes that are not as they should be, and leftover says that
	// replaced objects could not be removed.
	failed       map[graph.Key]*reconcile.Failure
	leftover     bool
	stateUnknown bool // what the chip has is not known
	blocked      map[configdb.RowKey]error
	waits        map[configdb.RowKey]error // rows that wait for somebody, and why
	unsettled    bool                      // urgent news, or the last of maxRounds, left something to do
	// share is the share of the rows that was seen to change; nil: none was.
	share  func() float64
	probes map[graph.Key]graph.Key // see Options.Probe of package reconcile
	// disruptive takes what changes out of use first.
	disruptive bool
	routine    bool // see compare
}

func (a *Agent) begin() {
	a.pass = pass{start: time.Now(), blocked: a.pass.blocked, stateUnknown: a.pass.stateUnknown}
}

// changed is the share of the rows that was seen to change, 0 to 1.
func (p *pass) changed() float64 {
	if p.share == nil {
		return 0
	}
	return p.share()
}

// resolve makes a new State the one that the chip is brought to. It reports whether it asks
// for something else.
func (a *Agent) resolve(e *state.Editor) bool {
	defer lap(&a.trace.stats.Derive, time.Now())
	return a.become(a.followShort(resolve.Resolve(a.cur, e.Done())))
}

// become makes a resolution the one that the chip is brought to. It reports whether it asks
// for something else.
func (a *Agent) become(r *resolve.Resolution) bool {
	renamed := a.cur == nil || a.cur.Device != r.Device
	a.cur = r
	return a.desired.become(r) || renamed
}

// retry tries again what is worth it.
func (a *Agent) retry() {
	a.begin()
	e := a.edit()
	again := e.RetryAll()
	e.Short = nil
	a.resolve(e)
	a.pass.probes = a.probes(again)
	a.converge()
	a.concludeRetry()
}

// probes makes all nodes of rows that are tried again wait for the one that was refused: one
// queue of a range that finds no room must not have the others set and reset each time.
func (a *Agent) probes(rows map[configdb.RowKey]graph.Key) map[graph.Key]graph.Key {
	if len(rows) == 0 {
		return nil
	}
	probes := map[graph.Key]graph.Key{}
	for k := range a.desired.nodes {
		for _, row := range a.cur.RowsOf(k) {
			if first := rows[row]; first.Name != "" {
				probes[k] = first
			}
		}
	}
	return probes
}

// republish has a full report follow one that could not be published: it puts right whatever
// the databases hold now.
func (a *Agent) republish() {
	if a.rec == nil { // nothing was loaded, and the load will report everything
		return
	}
	a.begin()
	actual := a.rec.Actual()
	a.converge()
	a.report(&actual, a.backoff.again)
}

// converge makes the chip follow as far as it can. What the chip refuses is taken back row
// by row, so that a row is applied as a whole or not at all.
func (a *Agent) converge() {
	a.retryOutgrown()
	for range maxRounds {
		if !a.bring() {
			a.acceptPart()
			return
		}
		if !a.follow() {
			return
		}
	}
	a.pass.unsettled = true
}

// acceptPart takes up what the chip has after a plan that was not carried out to its end.
func (a *Agent) acceptPart() {
	if a.pass.stateUnknown || a.rec == nil {
		return
	}
	e := a.edit()
	a.acceptRows(e)
	a.resolve(e)
}

// bring makes the chip what the resolution asks for, as far as it can and may. It returns
// false if it must not go on: the chip can't be read, or the plan was aborted.
func (a *Agent) bring() bool {
	for {
		if a.halted > 0 {
			a.halt()
			return false
		}
		if a.pass.stateUnknown && !a.readback() {
			return false
		}
		a.rebind()
		to := a.refreshPending(a.desiredWithinLimit())
		why := ""
		res := a.reconcile(to, reconcile.BestEffort, reconcile.Options{Disruptive: a.pass.disruptive, Probe: a.pass.probes, Check: func(p reconcile.Plan) bool {
			var lost []graph.Key
			why, lost = a.excess(p, to, a.pass.changed)
			a.approve(lost)
			return why == ""
		}})
		a.record(res)
		switch {
		case why != "":
			a.holdPlan(why)
		case res.Stopped || res.Held:
			a.halt()
			return false
		default:
			return true
		}
	}
}

// follow makes the State follow what the chip did: what it refused is refused, or else what
// it has is applied, which may change what rows ask for. It reports whether there is more to
// bring to the chip.
func (a *Agent) follow() bool {
	for range maxRounds {
		e, before := a.edit(), a.cur.State
		short := a.lackRoom(e)
		refused := a.refuse(e) || short
		if !refused && !a.pass.stateUnknown && !a.pass.unsettled {
			a.acceptRows(e)
			a.writeBack(e)
		}
		switch differs := a.resolve(e); {
		case differs || refused || a.pass.stateUnknown || a.pass.unsettled:
			return true
		case a.cur.State.Same(before):
			a.passDone()
			return false
		}
	}
	return true
}

// rebind tells the reconciler of ports that got other names.
func (a *Agent) rebind() { a.rebindTo(a.cur) }

// rebindTo is rebind for a resolution that comes next.
func (a *Agent) rebindTo(r *resolve.Resolution) {
	if a.bound != r.Device {
		a.rec.Rebind(r.Adopted)
		a.bound = r.Device
	}
}

// record notes what one reconciliation did.
func (a *Agent) record(res reconcile.Result) {
	a.pass.writes = append(a.pass.writes, res.Writes...)
	a.pass.failed, a.pass.leftover, a.pass.stateUnknown = res.Failed, len(res.Leftover) > 0, res.Dirty
	a.pass.unsettled = len(res.Urgent) > 0
	if res.Names != nil {
		a.log.WithError(res.Names).Warn("keep the names of objects")
	}
}

// readback reads what the chip has. It reports whether that went well.
func (a *Agent) readback() bool {
	err := a.rediscover()
	var rec *reconcile.Reconciler
	if err == nil {
		rec, err = reconcile.Readback(a.cfg.Switch, a.cfg.Names, a.cur.Adopted)
	}
	a.pass.stateUnknown = err != nil
	if err != nil {
		a.log.WithError(err).Error("read the switch back")
		return false
	}
	a.rec, a.bound = rec, a.cur.Device
	a.rec.Follow(ports{a})
	a.forgetShort() // what it has may be something else
	return true
}

// rediscover finds out which ports the chip has now.
func (a *Agent) rediscover() error {
	if a.rec == nil { // they were discovered just now
		return nil
	}
	inv, err := a.inv.Rediscover()
	if err != nil {
		return err
	}
	if a.inv != inv {
		a.inv = inv
		a.resolve(a.edit())
	}
	return nil
}

// ports is what the agent knows of ports, for a reconciler.
type ports struct{ agent *Agent }

// Made implements reconcile.Ports.
func (p ports) Made(ids map[graph.Key]sai.OID) (named map[graph.Key]sai.OID, parts map[graph.Key][]graph.Part, err error) {
	p.agent.inv, named, parts, err = p.agent.inv.Made(ids)
	return named, parts, err
}

// Gone implements reconcile.Ports.
func (p ports) Gone(id sai.OID) (parts []graph.Part) {
	p.agent.inv, parts = p.agent.inv.Gone(id)
	return parts
}

// blockedRows are rows with nodes that are not in place although the chip refused
// nothing of theirs, and those that wait for somebody.
func (a *Agent) blockedRows() map[configdb.RowKey]error {
	blocked := map[configdb.RowKey]error{}
	for _, k := range sortedKeys(a.pass.failed) {
		f := a.pass.failed[k]
		err := f.Err
		if errors.Is(err, reconcile.ErrBlocked) && f.On != (graph.Key{}) {
			err = fmt.Errorf("%s failed: %w", f.On, err)
		}
		rows := a.cur.Owners(k)
		for _, row := range rows {
			if blocked[row] == nil {
				blocked[row] = err
			}
		}
		if len(rows) == 0 {
			blocked[""] = err // an object that no row asks for
		}
	}
	for row, s := range a.cur.Scarce() {
		blocked[row] = s
	}
	a.waitForConfirm()
	maps.Copy(blocked, a.pass.waits)
	return blocked
}

// acceptRows takes up versions that the chip has now, and drops those of rows that are
// gone for good.
func (a *Agent) acceptRows(e *state.Editor) {
	if e.Unapplied.Len()+e.Removed.Len() == 0 {
		return
	}
	blocked := a.blockedRows()
	changes := map[configdb.RowKey]state.Version{}
	for k := range e.Unapplied.All() {
		rec := e.Records.Get(k)
		if (blocked[k] == nil || partly(blocked[k])) && a.cur.Rows.Get(k) == rec.Row && !a.cur.Out[k] {
			changes[k] = state.Version{Fields: rec.Whole, Row: rec.Row}
		}
	}
	for k := range e.Removed.All() {
		if (blocked[k] == nil || partly(blocked[k])) && a.cur.Rows.Get(k) == nil {
			changes[k] = state.Version{}
			e.Forgive(state.Candidate{Key: k}) // there is nothing left to keep
		}
	}
	e.Apply(changes)
}
