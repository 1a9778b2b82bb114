package orchagent

import (
	"maps"
	"slices"

	"xon/orchagent/inventory"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/schema/configdb"
)

// maxCommitted is how many commits are kept in mind that the feed has seen.
const maxCommitted = 4096

// load takes up the whole content of the database.
func (a *Agent) load(mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error) {
	e, err := a.discover()
	if err != nil {
		return nil, err
	}
	again, _ = a.take(e, mark, a.complete(rows))
	e.Revision++
	e.Restore(a.cfg.Refused)
	a.cfg.Refused = nil
	if a.cur == nil {
		e = a.elect(e)
	}
	a.begin()
	a.unhalt()
	a.resolve(e)
	if a.rec == nil && !a.readback() {
		return nil, errUnreadable
	}
	actual := a.rec.Actual()
	a.converge()
	a.conclude(&actual)
	return again, nil
}

// discover is edit, and before the first Load finds out what the chip has.
func (a *Agent) discover() (*state.Editor, error) {
	if a.cur != nil {
		return a.edit(), nil
	}
	inv, err := inventory.Discover(a.cfg.Switch)
	if err != nil {
		return nil, err
	}
	a.inv, a.facts = inv, a.cfg.Facts
	e := state.New(a.cfg.Accepted, a.cfg.Derived, resolve.Contested).Edit()
	e.Inventory, e.Facts, e.Revision, e.Limits, e.Files = a.inv, a.facts, a.cfg.Revision, a.cfg.Limits, &a.cfg.Buffers
	return e, nil
}

// complete adds to a full list of rows those that are gone.
func (a *Agent) complete(rows []configdb.Change) []configdb.Change {
	listed := make(map[configdb.RowKey]bool, len(rows))
	for _, c := range rows {
		listed[c.Row] = true
	}
	if a.cur == nil {
		return rows
	}
	rows = rows[:len(rows):len(rows)]
	for k := range a.cur.State.Records.All() {
		if !listed[k] {
			rows = append(rows, configdb.Change{Row: k})
		}
	}
	return rows
}

// change takes up rows that changed.
func (a *Agent) change(mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error) {
	if a.rec == nil {
		return nil, ErrNotLoaded
	}
	e := a.edit()
	again, changed := a.take(e, mark, rows)
	if len(changed) == 0 {
		return again, nil // an echo
	}
	if slices.ContainsFunc(changed, func(k configdb.RowKey) bool { return resolve.Measured[k.Table()] }) {
		a.measure(false)
		e.Inventory = a.inv
	}
	e.Revision++
	before := a.cur
	a.begin()
	a.unhalt()
	a.resolve(e)
	a.pass.share = func() float64 { return changedShare(before, a.cur) }
	a.converge()
	a.conclude(nil)
	return again, nil
}

// take puts rows into a State. Those that a transaction committed after mark are left out,
// and so are late versions of derived rows.
func (a *Agent) take(e *state.Editor, mark uint64, rows []configdb.Change) (again, changed []configdb.RowKey) {
	if len(a.committed) > maxCommitted { // marks only grow
		maps.DeleteFunc(a.committed, func(_ configdb.RowKey, n uint64) bool { return n <= mark })
	}
	a.land()
	for _, c := range rows {
		if a.late(c) {
			continue
		}
		if a.committed[c.Row] > mark {
			again = append(again, c.Row)
			continue
		}
		if before, differs := e.Put(c.Row, c.Fields); differs {
			a.trace.changed(c.Row, before, c.Fields)
			changed = append(changed, c.Row)
		}
	}
	return again, changed
}

// edit begins a State after that of now, with what is known of the chip and of the network.
func (a *Agent) edit() *state.Editor {
	e := a.cur.State.Edit()
	e.Inventory, e.Facts = a.inv, a.facts
	return e
}

// PlanLoad tells what the first Load of rows would do to the chip of cfg, and only
// reads from it. Of cfg it needs Log, Switch and Names. What the chip would refuse
// it can't tell.
func PlanLoad(cfg Config, rows []configdb.Change) (reconcile.Plan, error) {
	a := New(cfg)
	e, err := a.discover()
	if err != nil {
		return nil, err
	}
	a.take(e, a.Mark(), rows)
	a.resolve(e)
	if !a.readback() {
		return nil, errUnreadable
	}
	return a.rec.Plan(a.desired.nodes, reconcile.Options{}), nil
}
