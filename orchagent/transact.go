package orchagent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
)

// Transact applies operations as a whole or not at all. They are checked, brought
// to the chip, committed to the database and published, in this order; if a step
// fails those before it are undone.
//
// err is a configdb.Faults when something is wrong with the rows, when the chip
// refuses, or when somebody else changed one of the rows meanwhile. Unknown fields
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
		a.traced(audit.GNMI, req.Who, func() {
			out, report, failed = a.transact(ctx, req)
			a.trace.refused(failed)
		})
	})
	if err == nil && failed == nil && report > 0 {
		a.outbox.wait(ctx, report)
	}
	return out, errors.Join(err, failed)
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
	view := PlanView{Faults: t.faults(), Warnings: t.warnings()}
	bound := a.bound
	a.rebind()
	view.Plan = a.rec.Plan(a.d.nodes, reconcile.Options{Disruptive: req.Disruptive})
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
	t, err := a.propose(req.Ops)
	if err != nil {
		return Outcome{}, 0, err
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
	plan, faults := t.apply(req)
	if len(faults) > 0 {
		return Outcome{}, 0, faults
	}
	if err := t.commit(context.WithoutCancel(ctx)); err != nil {
		return Outcome{}, 0, err
	}
	warnings := t.warnings()
	report := a.conclude(nil)
	return Outcome{Revision: a.revision, Plan: plan, Warnings: warnings}, report, nil
}

// transaction is a set of rows that the agent takes for granted until they are
// refused.
type transaction struct {
	*Agent
	changes map[configdb.RowKey]configdb.Fields
	brought map[configdb.RowKey]configdb.Fields // fields that the request names, by row

	was before
}

// before is what a transaction goes back to.
type before struct {
	revision uint64
	records  map[configdb.RowKey]*record // of the rows that change
	refused  refusals
	out      map[configdb.RowKey]bool
	deviant  map[configdb.RowKey]bool
	adopted  map[graph.Key]sai.OID
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
	t := &transaction{
		Agent: a, changes: changes, brought: brought(ops),
		was: before{
			revision: a.revision, records: map[configdb.RowKey]*record{}, refused: maps.Clone(a.refused),
			out: a.out, deviant: a.deviant, adopted: a.adopted,
		},
	}
	for k, f := range changes {
		t.was.records[k], _ = a.put(k, f)
		a.trace.changed(k, t.was.records[k], f)
	}
	tried := t.retry()
	if len(changes) > 0 {
		a.revision++
	}
	a.resolve(append(tried, slices.Collect(maps.Keys(changes))...))
	return t, nil
}

// brought are the fields that operations bring, by row.
func brought(ops []configdb.Op) map[configdb.RowKey]configdb.Fields {
	rows := map[configdb.RowKey]configdb.Fields{}
	for _, op := range ops {
		if op.Kind == configdb.Delete {
			continue
		}
		k := configdb.Key(op.Table, op.Key)
		if rows[k] == nil {
			rows[k] = configdb.Fields{}
		}
		maps.Copy(rows[k], op.Fields)
	}
	return rows
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
	t.resolve(keys)
}

// faults are why the rows can't all be in force, in order.
func (t *transaction) faults() configdb.Faults {
	named := maps.Clone(t.brought)
	maps.Copy(named, t.changes)
	var faults configdb.Faults
	for _, k := range slices.Sorted(maps.Keys(named)) {
		faults = append(faults, t.faultsOf(k)...)
	}
	if len(faults) > 0 {
		return faults
	}
	for _, k := range slices.Sorted(maps.Keys(t.verdicts)) {
		if _, ok := named[k]; !ok && !t.was.out[k] && !t.was.deviant[k] {
			faults = append(faults, &configdb.Fault{
				Kind: configdb.InUse, Row: k, Field: t.verdicts[k].Field,
				Err: fmt.Errorf("would no longer be in force: %w", t.verdicts[k].Err),
			})
		}
	}
	return faults
}

// faultsOf are what is wrong with one row of the request.
func (t *transaction) faultsOf(k configdb.RowKey) configdb.Faults {
	rec := t.records[k]
	switch {
	case rec == nil:
		if h, held := t.held[k]; held {
			return configdb.Faults{{Kind: configdb.InUse, Row: k, Err: fmt.Errorf("still referred to by %s", h)}}
		}
		return nil
	case rec.foreign:
		return configdb.Faults{{Row: k, Err: configdb.ErrUnknownTable}}
	}
	var faults configdb.Faults
	for _, name := range rec.unknown {
		if _, ok := t.brought[k][name]; ok {
			faults = append(faults, &configdb.Fault{Row: k, Field: name, Err: fmt.Errorf("table %s has no such field", k.Table())})
		}
	}
	var parse configdb.Faults
	if errors.As(rec.err, &parse) {
		return append(faults, parse...)
	}
	if p, ok := t.verdicts[k]; ok && !t.waitsForModel(p) {
		faults = append(faults, faultOf(p))
	}
	return faults
}

// faultOf is what a problem means for a transaction.
func faultOf(p graph.Problem) *configdb.Fault {
	f := &configdb.Fault{Kind: configdb.Limit, Row: configdb.RowKey(p.Row), Field: p.Field, Err: p.Err}
	if _, ok := configdb.Lookup(configdb.RowKey(p.On).Table()); ok && p.Severity == graph.Waiting {
		f.Kind = configdb.Missing
	}
	return f
}

// waitsForModel reports whether a headroom model is all that a row waits for,
// directly or by way of other rows.
func (t *transaction) waitsForModel(p graph.Problem) bool {
	for p.Severity == graph.Waiting {
		if intent.IsModel(p.On) {
			return true
		}
		next, ok := t.verdicts[configdb.RowKey(p.On)]
		if !ok {
			return false
		}
		p = next
	}
	return false
}

// warnings are what is to be told about rows of the request that are stored.
func (t *transaction) warnings() []string {
	named := map[configdb.RowKey]bool{}
	for k := range t.brought {
		named[k] = true
	}
	for k := range t.changes {
		named[k] = true
	}
	var list []string
	byRow := t.warningsOf(named)
	for _, k := range slices.Sorted(maps.Keys(named)) {
		for _, w := range byRow[k] {
			list = append(list, string(k)+": "+w)
		}
		if why := t.waits(k); why != "" {
			list = append(list, string(k)+": stored, but not in force: "+why)
		}
	}
	return list
}

// waits says what a row that is stored waits for; "" if it is in force.
func (t *transaction) waits(k configdb.RowKey) string {
	if p, ok := t.verdicts[k]; ok && t.waitsForModel(p) {
		return p.Err.Error()
	}
	if t.records[k] != nil && isModelTable(k) {
		return intent.DynamicModel + " is not there yet"
	}
	return ""
}

// apply brings the rows to the chip, or undoes what it could.
func (t *transaction) apply(req Request) (reconcile.Plan, configdb.Faults) {
	a := t.Agent
	a.rebind()
	res := a.reconcile(reconcile.Atomic, reconcile.Options{Disruptive: req.Disruptive})
	a.took(res)
	if !res.RolledBack && !res.Dirty {
		return res.Plan, nil
	}
	faults := t.chipFaults(res)
	a.trace.record.Outcome = audit.Undone
	t.abandon()
	a.pass.failed = nil // of rows that are no more
	if a.pass.dirty || a.bound != a.device {
		a.bestEffort()
	}
	a.conclude(nil)
	return nil, faults
}

// chipFaults are what the chip said, by row and field.
func (t *transaction) chipFaults(res reconcile.Result) configdb.Faults {
	var faults configdb.Faults
	for _, k := range sortedKeys(res.Failed) {
		f := res.Failed[k]
		if errors.Is(f.Err, reconcile.ErrBlocked) {
			continue
		}
		b := t.blame(k, f.Attr)
		fault := &configdb.Fault{Kind: configdb.Chip, Row: b.key, Field: b.field, Err: f.Err}
		if b.by != "" {
			fault.Err = fmt.Errorf("%s: %w", b.by, f.Err)
		}
		if f.Attr != nil {
			fault.Attr = f.Attr.FullName()
		}
		var st sai.Status
		if errors.As(f.Err, &st) {
			fault.Status = st.Name()
		}
		faults = append(faults, fault)
	}
	if len(faults) == 0 {
		faults = configdb.Faults{{Kind: configdb.Chip, Err: fmt.Errorf("undone: %w", errors.Join(res.Err(), res.Names))}}
	}
	return faults
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
	a.took(a.rec.Undo())
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
