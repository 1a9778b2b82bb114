package orchagent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
)

// Transact applies operations as a whole or not at all. They are checked, brought
// to the chip, committed to the database and published, in this order; if a step
// fails those before it are undone.
//
// err is a configdb.Faults when something is wrong with the rows, when the chip
// refuses, or when somebody else changed one of the rows meanwhile, and again each
// time that it was tried anew upon that change. Unknown fields
// refuse a transaction only if it brings them. A row that waits for a headroom
// model alone does not refuse it: such rows are stored, wait, and are told of in
// Warnings, or else nobody could configure what the model will need.
//
// ctx counts until the chip is written to. From then on the outcome is always
// known, and only the wait for the databases' readers to be told ends with ctx.
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
		a.outbox.wait(ctx, report)
	}
	return out, errors.Join(err, failed)
}

// maxTries is how often a transaction is tried whose rows somebody else changes.
const maxTries = 4

// catchUp takes up rows that were in the way of a transaction because somebody else had
// changed them, of which the feed has not told yet: while it is behind, each transaction
// about a row that changed would fail, whatever it asks for. It reports whether any are
// otherwise than the agent knew them, so that it may go another way now.
func (a *Agent) catchUp(ctx context.Context, failed error) bool {
	var faults configdb.Faults
	if !errors.As(failed, &faults) {
		return false
	}
	late := a.arrive(ctx, faults)
	mark := a.Mark()
	var rows []configdb.Change
	for _, f := range faults {
		if f.Kind != configdb.Conflict {
			return false
		}
		now, err := a.cfg.Store.Row(ctx, f.Row)
		if err != nil || now == nil { // that it is gone, or another program's, is the feed's to tell
			return false
		}
		if !maps.Equal(now, a.fields[f.Row]) {
			rows = append(rows, configdb.Change{Row: f.Row, Fields: now})
		}
	}
	if len(rows) == 0 {
		return late
	}
	var err error
	a.traced(audit.Redis, "", func() { _, err = a.change(mark, rows) })
	return err == nil
}

// arrive waits for derived rows on their way to the database that were in the way of a
// transaction. It reports whether there were any.
func (a *Agent) arrive(ctx context.Context, faults configdb.Faults) bool {
	late := false
	for _, f := range faults {
		if fl := a.flights[f.Row]; fl != nil && f.Kind == configdb.Conflict {
			late = true
			a.outbox.wait(ctx, fl.report)
		}
	}
	a.land()
	return late
}

// Plan tells what Transact would do, and touches nothing.
func (a *Agent) Plan(ctx context.Context, req Request) (PlanView, error) {
	var view PlanView
	var failed error
	err := a.do(ctx, func() { view, failed = a.plan(req) })
	return view, errors.Join(err, failed)
}

func (a *Agent) plan(req Request) (PlanView, error) {
	t, err := a.propose(req.Ops)
	if err != nil {
		var faults configdb.Faults
		if errors.As(err, &faults) {
			return PlanView{Faults: faults}, nil
		}
		return PlanView{}, err
	}
	defer a.settled()
	defer t.abandon()
	view := PlanView{Faults: t.faults(), Warnings: t.warnings(), Rows: t.count(req.Ops)}
	bound := a.bound
	a.rebind()
	to, err := t.target()
	if err != nil {
		view.Guard, view.Behind = err.Error(), a.guarded.id
	}
	view.Plan = a.rec.Plan(to.nodes, reconcile.Options{Disruptive: req.Disruptive})
	if err == nil && !req.Confirmed {
		view.Guard, _ = a.excess(view.Plan, to, t.share())
	}
	if a.bound != bound {
		a.rec.Rebind(t.was.adopted)
		a.bound = bound
	}
	return view, nil
}

func (a *Agent) transact(ctx context.Context, req Request) (Outcome, uint64, error) {
	if a.rec != nil && a.pass.dirty && !a.readback() {
		return Outcome{}, 0, errUnreadable
	}
	if slices.ContainsFunc(req.Ops, func(op configdb.Op) bool { return measured[op.Table] }) {
		a.remeasure(false)
	}
	t, err := a.propose(req.Ops)
	if err != nil {
		return Outcome{}, 0, err
	}
	for k, f := range t.changes {
		a.trace.changed(k, t.was.records[k], f)
	}
	if faults := t.faults(); len(faults) > 0 {
		t.abandon()
		a.settled()
		return Outcome{}, 0, faults
	}
	if err := ctx.Err(); err != nil {
		t.abandon()
		a.settled()
		return Outcome{}, 0, err
	}
	a.begin()
	plan, err := t.apply(req)
	if err != nil && len(t.others) > 0 && !a.pass.dirty {
		t, plan, err = t.alone(req, err)
	}
	if err != nil {
		a.conclude(nil)
		return Outcome{}, 0, err
	}
	if err := t.commit(context.WithoutCancel(ctx)); err != nil {
		return Outcome{}, 0, err
	}
	warnings, rows := t.warnings(), t.count(req.Ops)
	if others := append(a.deferAll(nil), a.writeBack()...); len(others) > 0 || a.pass.behind || a.inv.Changed() {
		a.resolve(others)
		a.bestEffort()
	}
	report := a.conclude(nil)
	return Outcome{Revision: a.revision, Plan: plan, Rows: rows, Warnings: warnings}, report, nil
}

// transaction is a set of rows that the agent takes for granted until they are
// refused.
type transaction struct {
	*Agent
	changes map[configdb.RowKey]configdb.Fields
	brought map[configdb.RowKey]configdb.Fields // fields that the request names, by row
	spared  []configdb.RowKey                   // derived rows that the request names to be removed

	// others are rows that are not of the request and were tried along with it, as it
	// changed what they need; known when the chip refused.
	others map[configdb.RowKey]bool

	was before
}

// before is what a transaction goes back to.
type before struct {
	revision uint64
	elected  *configdb.DeviceMetadata
	records  map[configdb.RowKey]*record // of the rows that change
	refused  refusals
	out      map[configdb.RowKey]bool
	deviant  map[configdb.RowKey]bool
	adopted  map[graph.Key]sai.OID
	failed   map[graph.Key]*reconcile.Failure
	leftover bool
	shared   []bufmgr.Shared
}

// alone tries a request once more without the rows that were tried along with it:
// nobody's request may fail for what another row asks for. If it can't do without
// them, the first faults stand.
func (t *transaction) alone(req Request, first error) (*transaction, reconcile.Plan, error) {
	a := t.Agent
	a.resolve(a.deferAll(t.others))
	next, err := a.propose(req.Ops)
	if err != nil { // it was proposed before
		a.resolve(a.deferAll(nil))
		return t, nil, first
	}
	if len(next.faults()) > 0 {
		next.abandon()
		return t, nil, first
	}
	a.trace.record.Outcome, a.trace.record.Faults, a.trace.record.FaultsCut = "", nil, 0
	plan, err := next.apply(req)
	return next, plan, err
}

// newcomers are the rows, not of the request, of which a version is tried that was
// not in force before.
func (t *transaction) newcomers() map[configdb.RowKey]bool {
	rows := map[configdb.RowKey]bool{}
	add := func(k configdb.RowKey) {
		_, changed := t.changes[k]
		_, named := t.brought[k]
		if !changed && !named && !t.out[k] && t.rows.Get(k) != t.accepted[k].row {
			rows[k] = true
		}
	}
	for k := range t.records {
		add(k)
	}
	for k := range t.removed {
		add(k)
	}
	return rows
}

// propose takes operations up into the content and resolves it.
func (a *Agent) propose(ops []configdb.Op) (*transaction, error) {
	if a.rec == nil {
		return nil, ErrNotLoaded
	}
	changes, err := configdb.Apply(a.fields, ops)
	if err != nil {
		return nil, err
	}
	a.spare(changes)
	t := &transaction{
		Agent: a, changes: changes, brought: brought(ops), spared: a.sparedBy(ops),
		was: before{
			revision: a.revision, elected: a.elected, records: map[configdb.RowKey]*record{}, refused: maps.Clone(a.refused),
			out: a.out, deviant: a.deviant, adopted: a.adopted, failed: a.pass.failed, leftover: a.pass.leftover,
			shared: a.eff.Shared,
		},
	}
	for k, f := range changes {
		t.was.records[k], _ = a.put(k, f)
	}
	tried := t.retry()
	if len(changes) > 0 {
		a.revision++
	}
	a.resolve(append(tried, slices.Collect(maps.Keys(changes))...))
	return t, nil
}

// retry has the chip asked again about rows of the request that it refused.
func (t *transaction) retry() []configdb.RowKey {
	var rows []configdb.RowKey
	for c := range t.refused {
		if _, named := t.brought[c.key]; named {
			delete(t.refused, c)
			rows = append(rows, c.key)
		}
	}
	return rows
}

// abandon goes back to the rows that were before.
func (t *transaction) abandon() {
	keys := slices.Collect(maps.Keys(t.was.records))
	for k, rec := range t.was.records {
		t.set(k, rec)
	}
	for _, refused := range []refusals{t.refused, t.was.refused} {
		for c := range refused {
			keys = append(keys, c.key)
		}
	}
	t.refused, t.revision = t.was.refused, t.was.revision
	t.elect(t.was.elected)
	t.resolve(append(keys, t.deferAll(nil)...))
}

// apply brings the rows to the chip, or undoes what it could.
func (t *transaction) apply(req Request) (reconcile.Plan, error) {
	a := t.Agent
	a.rebind()
	to, err := t.target()
	if err != nil {
		return nil, t.dropped(err)
	}
	why := ""
	res := a.reconcile(to, reconcile.Atomic, reconcile.Options{Disruptive: req.Disruptive, Check: func(p reconcile.Plan) bool {
		if !req.Confirmed {
			why, _ = a.excess(p, to, t.share())
		}
		return why == ""
	}})
	if why != "" {
		return nil, t.dropped(&Held{Why: why})
	}
	a.took(res)
	if !res.RolledBack && !res.Held && !res.Dirty {
		a.goesOn()
		a.regard(to)
		a.arrived(&res)
		return res.Plan, nil
	}
	err = t.failure(&res, req)
	t.abandon()
	a.pass.failed, a.pass.leftover = t.was.failed, t.was.leftover
	if a.pass.dirty || a.pass.behind || a.bound != a.device || a.halted > 0 {
		a.bestEffort()
	}
	return nil, err
}

// failure is the answer to a transaction that is undone, or was not begun.
func (t *transaction) failure(res *reconcile.Result, req Request) error {
	if res.Stopped || res.Held {
		t.trace.record.Outcome = audit.Aborted
		return ErrAborted
	}
	for _, f := range res.Failed {
		if chipLost(f) {
			return ErrChipLost
		}
	}
	t.others = t.newcomers()
	t.trace.record.Outcome = audit.Undone
	return t.roomier(t.chipFaults(*res), req)
}

// commit writes the rows to the database, or takes them back from the chip.
func (t *transaction) commit(ctx context.Context) error {
	a := t.Agent
	if len(t.changes) == 0 {
		return nil
	}
	held := make(map[configdb.RowKey]configdb.Fields, len(t.changes))
	for k, rec := range t.was.records {
		held[k] = nil
		if rec != nil {
			held[k] = rec.fields
		}
	}
	err := a.cfg.Store.Commit(ctx, held, t.changes)
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
	a.bestEffort()
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
