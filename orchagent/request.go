package orchagent

import (
	"maps"

	"xon/orchagent/reconcile"
	"xon/schema/configdb"
)

// Request is a transaction that somebody asks for.
type Request struct {
	Ops []configdb.Op
	Who string // who asks, for the record: "uid 0 (root) by unix socket"; may be ""
	// Disruptive takes every object that changes out of use first. Such a plan needs
	// no room beyond that of before and after, but traffic notices.
	Disruptive bool
	// Confirmed goes past the guard that holds plans which remove much.
	Confirmed bool
}

// Outcome is what a transaction did.
type Outcome struct {
	Revision uint64
	Plan     reconcile.Plan // what was written to the chip
	Rows     configdb.RowCount
	// Warnings are about rows of the transaction that are in force and look wrong, or
	// that are stored and wait for a headroom model: "ROW: what".
	Warnings []string
}

// PlanView is what a transaction would do.
type PlanView struct {
	Plan     reconcile.Plan
	Rows     configdb.RowCount
	Faults   configdb.Faults // why it would be refused; nil if it would not
	Warnings []string
	// Guard is why the plan would be held until it is confirmed; "" if it would not.
	Guard string
	// Behind is the number of the plan that is held and has to go first; 0 if none has.
	Behind uint64
}

// requestFields are the fields that operations bring, by row.
func requestFields(ops []configdb.Op) map[configdb.RowKey]configdb.Fields {
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
