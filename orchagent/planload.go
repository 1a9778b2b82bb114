package orchagent

import (
	"xon/orchagent/reconcile"
	"xon/schema/configdb"
)

// PlanLoad tells what the first Load of rows would do to the chip of cfg, and only
// reads from it. Of cfg it needs Log, Switch and Names. What the chip would refuse
// it can't tell.
func PlanLoad(cfg Config, rows []configdb.Change) (reconcile.Plan, error) {
	a := New(cfg)
	if err := a.discover(); err != nil {
		return nil, err
	}
	_, changed := a.take(a.Mark(), rows)
	a.resolve(changed)
	if !a.readback() {
		return nil, errUnreadable
	}
	return a.rec.Plan(a.d.nodes, reconcile.Options{}), nil
}
