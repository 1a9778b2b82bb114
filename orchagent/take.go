package orchagent

import (
	"maps"
	"slices"

	"xon/orchagent/inventory"
	"xon/schema/configdb"
)

// maxCommitted is how many commits are kept in mind that the feed has seen.
const maxCommitted = 4096

// load takes up the whole content of the database.
func (a *Agent) load(mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error) {
	if err := a.discover(); err != nil {
		return nil, err
	}
	again, changed := a.take(mark, a.complete(rows))
	a.begin()
	a.goesOn()
	a.revision++
	a.recall(a.cfg.Refused)
	a.cfg.Refused = nil
	a.resolve(changed)
	if a.rec == nil && !a.readback() {
		return nil, errUnreadable
	}
	actual := a.rec.Actual()
	a.bestEffort()
	a.conclude(&actual)
	return again, nil
}

// discover finds out what the chip has, once.
func (a *Agent) discover() error {
	if a.resolver != nil {
		return nil
	}
	inv, err := inventory.Discover(a.cfg.Switch)
	if err != nil {
		return err
	}
	a.resolver = newResolver(newContent(a.cfg.Accepted, a.cfg.Derived), inv, a.cfg.Buffers)
	a.limit, a.facts, a.imposed = a.limitOf, a.cfg.Facts, a.cfg.Limits
	a.revision = a.cfg.Revision
	return nil
}

// complete adds to a full list of rows those that are gone.
func (a *Agent) complete(rows []configdb.Change) []configdb.Change {
	listed := make(map[configdb.RowKey]bool, len(rows))
	for _, c := range rows {
		listed[c.Row] = true
	}
	rows = rows[:len(rows):len(rows)]
	for k := range a.records {
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
	again, changed := a.take(mark, rows)
	if len(changed) == 0 {
		return again, nil // an echo
	}
	if slices.ContainsFunc(changed, func(k configdb.RowKey) bool { return measured[k.Table()] }) {
		a.measure(false)
	}
	a.begin()
	a.goesOn()
	a.revision++
	a.resolve(changed)
	a.pass.share = a.trace.share(len(a.records), a.swept)
	a.bestEffort()
	a.conclude(nil)
	return again, nil
}

// take puts rows into the content. Those that a transaction committed after mark
// are left out, and so are late versions of derived rows.
func (a *Agent) take(mark uint64, rows []configdb.Change) (again, changed []configdb.RowKey) {
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
		if before, differs := a.put(c.Row, c.Fields); differs {
			a.trace.changed(c.Row, before, c.Fields)
			changed = append(changed, c.Row)
		}
	}
	return again, changed
}
