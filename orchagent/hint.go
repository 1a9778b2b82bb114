package orchagent

import (
	"fmt"

	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
)

// hintDisruptive adds to the faults of a transaction that did not fit that it may fit if
// what changes is taken out of use first, provided that this would be another plan.
// The transaction's rows are still those that are derived.
func (t *transaction) hintDisruptive(faults configdb.Faults, req Request) configdb.Faults {
	if req.Disruptive {
		return faults
	}
	for _, f := range faults {
		switch f.Status {
		case sai.StatusInsufficientResources.Name(), sai.StatusTableFull.Name(), sai.StatusNoMemory.Name():
			hitless := t.agent.rec.Plan(t.agent.desired.nodes, reconcile.Options{})
			if d := t.agent.rec.Plan(t.agent.desired.nodes, reconcile.Options{Disruptive: true}); d.String() == hitless.String() {
				return faults
			}
			f.Err = fmt.Errorf("%w; old and new had to fit at once: a disruptive plan, which takes what changes out of use first, may fit "+
				"(xonctl apply --disruptive, or the gRPC metadata xon-disruptive: true)", f.Err)
			return faults
		}
	}
	return faults
}
