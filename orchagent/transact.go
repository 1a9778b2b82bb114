package orchagent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/schema/configdb"
)

// Transact applies operations as a whole or not at all. They are checked, brought
// to the chip, committed to the database and published, in this order; if a step
// fails those before it are undone.
//
// err is a configdb.Faults when something is wrong with the rows, when the chip
// refuses, or when another client changed one of the rows meanwhile, and again each
// time that the agent retried upon that change. Unknown fields
// refuse a transaction only if it brings them. A row that waits for a headroom
// model alone does not refuse it: such rows are stored, wait, and are listed in
// Warnings, or else nobody could configure what the model will need.
//
// ctx counts until the chip is written to. From then on the outcome is always
// known, and only the wait for the report to be published ends with ctx.
func (a *Agent) Transact(ctx context.Context, req Request) (Outcome, error) {
	var out Outcome
	var report uint64
	var failed error
	err := a.do(ctx, func() {
		for range maxTries {
			a.traced(audit.GNMI, req.Who, func() {
				out, report, failed = a.transact(ctx, req)
				a.trace.refused(failed)
			})
			if !a.catchUp(ctx, failed) {
				break
			}
		}
	})
	if err == nil && failed == nil && report > 0 {
		a.outbox.Wait(ctx, report)
	}
	return out, errors.Join(err, failed)
}

// maxTries is how often a transaction is tried whose rows somebody else changes.
const maxTries = 4

// catchUp takes up rows that were in the way of a transaction because another client had
// changed them, of which the feed has not reported yet: while it lags, each transaction
// about a row that changed would fail, whatever it asks for. It reports whether the
// transaction may succeed now: the rows are in the way no longer.
func (a *Agent) catchUp(ctx context.Context, failed error) bool {
	var faults configdb.Faults
	if !errors.As(failed, &faults) {
		return false
	}
	a.arrive(ctx, faults)
	mark := a.Mark()
	var rows []configdb.Change
	for _, f := range faults {
		if f.Kind != configdb.Conflict {
			return false
		}
		now, err := a.cfg.Store.Row(ctx, f.Row)
		if err != nil || now == nil { // that it is gone, or another program's, is the feed's to report
			return false
		}
		if !maps.Equal(now, a.cur.State.Fields(f.Row)) {
			rows = append(rows, configdb.Change{Row: f.Row, Fields: now})
		}
	}
	if len(rows) == 0 { // a derived row that was on its way has arrived
		return true
	}
	var err error
	a.traced(audit.Redis, "", func() { _, err = a.change(mark, rows) })
	return err == nil
}

// arrive waits for derived rows on their way to the database that were in the way of a
// transaction.
func (a *Agent) arrive(ctx context.Context, faults configdb.Faults) {
	for _, f := range faults {
		if fl := a.flights[f.Row]; fl != nil && f.Kind == configdb.Conflict {
			a.outbox.Wait(ctx, fl.report)
		}
	}
	a.land()
}

// Plan tells what Transact would do, and touches nothing.
func (a *Agent) Plan(ctx context.Context, req Request) (PlanView, error) {
	var view PlanView
	var failed error
	err := a.do(ctx, func() { view, failed = a.plan(req) })
	return view, errors.Join(err, failed)
}

func (a *Agent) plan(req Request) (PlanView, error) {
	t, err := a.propose(req.Ops, nil)
	if err != nil {
		var faults configdb.Faults
		if errors.As(err, &faults) {
			return PlanView{Faults: faults}, nil
		}
		return PlanView{}, err
	}
	view := PlanView{Faults: t.faults(), Warnings: t.warnings(), Rows: t.count(req.Ops)}
	a.become(t.next)
	defer a.become(t.base)
	a.rebind()
	defer a.rebindTo(t.base)
	to, err := t.target()
	if err != nil {
		view.Guard, view.Behind = err.Error(), a.limit.pending.id
	}
	view.Plan = a.rec.Plan(to.nodes, reconcile.Options{Disruptive: req.Disruptive})
	if err == nil && !req.Confirmed {
		view.Guard, _ = a.excess(view.Plan, to, t.changedShare)
	}
	return view, nil
}

func (a *Agent) transact(ctx context.Context, req Request) (Outcome, uint64, error) {
	lags := a.rec != nil && a.pass.stateUnknown
	if lags && !a.readback() {
		return Outcome{}, 0, errUnreadable
	}
	if slices.ContainsFunc(req.Ops, func(op configdb.Op) bool { return resolve.Measured[op.Table] }) {
		a.remeasure(false)
	}
	t, err := a.propose(req.Ops, nil)
	if err != nil {
		return Outcome{}, 0, err
	}
	for k, f := range t.changes {
		a.trace.changed(k, t.base.State.Records.Get(k), f)
	}
	if faults := t.faults(); len(faults) > 0 {
		return Outcome{}, 0, faults
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, 0, err
	}
	a.begin()
	plan, err := t.apply(req)
	if err != nil && len(t.bystanders) > 0 && !a.pass.stateUnknown {
		t, plan, err = t.retryWithoutBystanders(req, err)
	}
	if err != nil {
		a.pass.unsettled = a.pass.unsettled || lags // the chip was read back, and may differ from what the rows ask for
		a.conclude(nil)
		return Outcome{}, 0, err
	}
	if err := t.commit(context.WithoutCancel(ctx)); err != nil {
		return Outcome{}, 0, err
	}
	warnings, rows := t.warnings(), t.count(req.Ops)
	if a.release() || a.follow() || len(a.cur.Outgrown()) > 0 {
		a.converge()
	}
	report := a.conclude(nil)
	return Outcome{Revision: a.cur.State.Revision, Plan: plan, Rows: rows, Warnings: warnings}, report, nil
}

// transaction is a set of rows that are taken for granted until they are refused.
type transaction struct {
	agent      *Agent
	base, next *resolve.Resolution // before and with it

	changes map[configdb.RowKey]configdb.Fields
	request map[configdb.RowKey]configdb.Fields // fields that the request names, by row
	kept    []configdb.RowKey                   // derived rows that the request names to be removed

	// bystanders are rows that are not of the request and were tried along with it, as it
	// changed what they need; known when the chip refused.
	bystanders map[configdb.RowKey]bool

	failed   map[graph.Key]*reconcile.Failure // of the pass before
	leftover bool
}

// propose works out what operations come to. withheld are rows that must not be tried along
// with them.
func (a *Agent) propose(ops []configdb.Op, withheld map[configdb.RowKey]bool) (*transaction, error) {
	if a.rec == nil {
		return nil, ErrNotLoaded
	}
	base := a.cur
	if len(withheld) > 0 {
		e := a.edit()
		e.Withhold(withheld)
		base = resolve.Resolve(base, e.Done())
	}
	changes, err := configdb.Apply(base.State, ops)
	if err != nil {
		return nil, err
	}
	keepDerived(base.State, changes)
	t := &transaction{
		agent: a, base: base, changes: changes, request: requestFields(ops), kept: keptDerived(base.State, ops),
		failed: a.pass.failed, leftover: a.pass.leftover,
	}
	e := base.State.Edit()
	for k, f := range changes {
		e.Put(k, f)
	}
	for c := range base.State.Refused.All() { // the chip is asked again about rows of the request
		if _, named := t.request[c.Key]; named {
			e.Forgive(c)
		}
	}
	if len(changes) > 0 {
		e.Revision++
	}
	t.next = a.followShort(resolve.Resolve(base, e.Done()))
	return t, nil
}

// changedShare is the share of rows that the transaction changes.
func (t *transaction) changedShare() float64 { return changedShare(t.base, t.next) }

// findBystanders are the rows, not of the request, of which a version is tried that was not
// applied before. Those that wait for room are not tried, but for what the request asks for.
func (t *transaction) findBystanders() map[configdb.RowKey]bool {
	rows, s, scarce := map[configdb.RowKey]bool{}, t.next.State, t.base.Scarce()
	add := func(k configdb.RowKey) {
		_, changed := t.changes[k]
		_, named := t.request[k]
		if !changed && !named && scarce[k] == nil && !t.next.Out[k] && t.next.Rows.Get(k) != s.Version(k).Row {
			rows[k] = true
		}
	}
	for k := range s.Unapplied.All() {
		add(k)
	}
	for k := range s.Removed.All() {
		add(k)
	}
	return rows
}

// retryWithoutBystanders tries a request once more without the rows that were tried along
// with it: nobody's request may fail for what another row asks for. If it can't do without
// them, the first faults stand.
func (t *transaction) retryWithoutBystanders(req Request, first error) (*transaction, reconcile.Plan, error) {
	a := t.agent
	next, err := a.propose(req.Ops, t.bystanders)
	if err != nil || len(next.faults()) > 0 { // it was proposed before
		return t, nil, first
	}
	a.trace.record.Outcome, a.trace.record.Faults, a.trace.record.FaultsCut = "", nil, 0
	plan, err := next.apply(req)
	if err != nil && a.release() {
		a.converge() // what found no room may have been forgotten with the rows
	}
	return next, plan, err
}

// release lets rows be tried again that were withheld. It reports whether that asks the chip
// for something else.
func (a *Agent) release() bool {
	if len(a.cur.State.Withheld) == 0 {
		return false
	}
	e := a.edit()
	e.Withhold(nil)
	return a.resolve(e)
}

// apply brings the rows to the chip, or undoes what it could.
func (t *transaction) apply(req Request) (reconcile.Plan, error) {
	a := t.agent
	a.become(t.next)
	a.rebind()
	to, err := t.target()
	if err != nil {
		return nil, t.reject(err)
	}
	why := ""
	res := a.reconcile(to, reconcile.Atomic, reconcile.Options{Disruptive: req.Disruptive, Check: func(p reconcile.Plan) bool {
		if !req.Confirmed {
			why, _ = a.excess(p, to, t.changedShare)
		}
		return why == ""
	}})
	if why != "" {
		return nil, t.reject(&Held{Why: why})
	}
	a.record(res)
	if !res.RolledBack && !res.Held && !res.Dirty {
		a.unhalt()
		a.refreshPending(to)
		a.passDone()
		return res.Plan, nil
	}
	err = t.failure(&res, req)
	t.abandon()
	if a.pass.stateUnknown || a.pass.unsettled || a.bound != a.cur.Device || a.halted > 0 {
		a.converge()
	}
	return nil, err
}

// abandon goes back to what was before, with what is known of chip and network now.
func (t *transaction) abandon() {
	a := t.agent
	a.become(t.base)
	a.resolve(a.edit())
	a.pass.failed, a.pass.leftover = t.failed, t.leftover
}

// reject takes back a transaction that was not begun.
func (t *transaction) reject(err error) error {
	a := t.agent
	a.trace.record.Outcome = audit.Refused
	t.abandon()
	a.rebind()
	if a.halted > 0 {
		a.halt()
	}
	return err
}

// target returns what the transaction brings to the chip. It leaves alone what the change
// limit holds back, confirmed or not, as that is another plan; it can't be if its rows are
// part of that.
func (t *transaction) target() (target, error) {
	a := t.agent
	to, pending := a.desiredWithinLimit(), &a.limit.pending
	for k, n := range to.kept {
		if want := a.desired.nodes[k]; want != nil && slices.Equal(want.Attrs, n.Attrs) {
			continue
		}
		for _, row := range t.next.Owners(k) {
			if _, mine := t.changes[row]; mine {
				return to, &Held{ID: pending.id, Why: fmt.Sprintf("%s is a part of plan %d, or rests on it: %s", row, pending.id, pending.why)}
			}
		}
	}
	return to, nil
}

// failure is the answer to a transaction that is undone, or was not begun.
func (t *transaction) failure(res *reconcile.Result, req Request) error {
	a := t.agent
	if res.Stopped || res.Held {
		a.trace.record.Outcome = audit.Aborted
		return ErrAborted
	}
	for _, f := range res.Failed {
		if chipLost(f) {
			return ErrChipLost
		}
	}
	t.bystanders = t.findBystanders()
	a.trace.record.Outcome = audit.Undone
	return t.hintDisruptive(t.chipFaults(*res), req)
}

// commit writes the rows to the database, or takes them back from the chip.
func (t *transaction) commit(ctx context.Context) error {
	a := t.agent
	if len(t.changes) == 0 {
		return nil
	}
	before := make(map[configdb.RowKey]configdb.Fields, len(t.changes))
	for k := range t.changes {
		before[k] = t.base.State.Fields(k)
	}
	err := a.cfg.Store.Commit(ctx, before, t.changes)
	if err == nil {
		n := a.commits.Add(1)
		for k := range t.changes {
			a.committed[k] = n
		}
		return nil
	}
	a.trace.record.Outcome = audit.Conflict
	a.undo()
	t.abandon()
	a.release()
	a.converge()
	a.conclude(nil)
	var faults configdb.Faults
	var fault *configdb.Fault
	switch {
	case errors.As(err, &faults):
		return faults
	case errors.As(err, &fault):
		return configdb.Faults{fault}
	}
	return fmt.Errorf("commit to the database: %w", err)
}
