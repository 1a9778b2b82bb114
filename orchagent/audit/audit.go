// Package audit keeps a record of everything that the agent did to the chip or
// was asked to do: who asked, for which rows, by which plan, and how it ended.
//
// What is not for here: what the chip executed call by call (ASIC_DB, and the
// chip process's own log), and what became of a row by now (STATE_DB).
package audit

import (
	"maps"
	"slices"
	"time"

	"xon/schema/configdb"
)

// Sources of a pass: what caused it.
const (
	GNMI    = "gnmi"    // a transaction, by gNMI or xonctl
	Redis   = "redis"   // rows that changed in CONFIG_DB
	Start   = "start"   // all of CONFIG_DB: at start, or after it was out of reach
	Retry   = "retry"   // the time to try again had come
	Urgent  = "urgent"  // something found out that could not wait, as a storm
	Facts   = "facts"   // something found out that could
	Buffers = "buffers" // the buffer manager began anew
	Confirm = "confirm" // a plan that was held, and was let go on
)

// Outcomes of a pass.
const (
	Applied  = "applied"  // all of it is in force
	Partly   = "partly"   // some of it is not; Faults say what
	Refused  = "refused"  // nothing was tried: rows are wrong, or the guard held a transaction
	Undone   = "undone"   // the chip refused a transaction, and is as it was before
	Conflict = "conflict" // the database did, and the chip is as it was before
	Held     = "held"     // the guard holds what would be removed until it is confirmed
	Aborted  = "aborted"  // ended on request: a transaction is undone, other plans stand where they were
)

// Record is one pass.
type Record struct {
	// ID counts records from 1, on over restarts if they are kept in a file. It is
	// also the number of the plan that a pass held, for who confirms it.
	ID       uint64    `json:"id"`
	Revision uint64    `json:"revision"` // of the configuration
	Time     time.Time `json:"time"`     // of the begin
	Who      string    `json:"who,omitempty"`
	Source   string    `json:"source"`

	Rows    []RowChange `json:"rows,omitempty"`     // those that changed, at most MaxRows
	RowsCut int         `json:"rows_cut,omitempty"` // how many more there were
	Plan    []string    `json:"plan,omitempty"`     // one line a step, at most MaxLines
	PlanCut int         `json:"plan_cut,omitempty"` // how many more there were

	Steps     int           `json:"steps"`  // planned
	Writes    int           `json:"writes"` // executed by the chip, those of an undo included
	Outcome   string        `json:"outcome"`
	Faults    []string      `json:"faults,omitempty"`     // one line each, at most MaxLines
	FaultsCut int           `json:"faults_cut,omitempty"` // how many more there were
	Took      time.Duration `json:"took_ns"`
}

// RowChange is what happened to one row.
type RowChange struct {
	Row    configdb.RowKey `json:"row"`
	Before configdb.Fields `json:"before"` // null: there was none
	After  configdb.Fields `json:"after"`  // null: it is gone
}

// Limits of one record. What is left out is counted.
const (
	MaxRows  = 256
	MaxLines = 256
	MaxText  = 512 // bytes of a field's value, a plan line or a fault; longer ones end in "…"
)

// limit brings the lists and texts of r down to their limits. It changes no list or
// map in place.
func (r *Record) limit() {
	r.Rows, r.RowsCut = cut(r.Rows, r.RowsCut, MaxRows)
	r.Plan, r.PlanCut = cut(r.Plan, r.PlanCut, MaxLines)
	r.Faults, r.FaultsCut = cut(r.Faults, r.FaultsCut, MaxLines)
	r.Plan, r.Faults = shortAll(r.Plan), shortAll(r.Faults)
	r.Rows = slices.Clone(r.Rows)
	for i, c := range r.Rows {
		r.Rows[i].Before, r.Rows[i].After = shortFields(c.Before), shortFields(c.After)
	}
}

func cut[T any](list []T, already, limit int) (kept []T, left int) {
	if n := len(list) - limit; n > 0 {
		return list[:limit:limit], already + n
	}
	return list, already
}

func shortAll(lines []string) []string {
	if !slices.ContainsFunc(lines, func(s string) bool { return len(s) > MaxText }) {
		return lines
	}
	lines = slices.Clone(lines)
	for i, s := range lines {
		lines[i] = short(s)
	}
	return lines
}

func shortFields(f configdb.Fields) configdb.Fields {
	cloned := false
	for name, v := range f {
		if len(v) <= MaxText {
			continue
		}
		if !cloned {
			f, cloned = maps.Clone(f), true
		}
		f[name] = short(v)
	}
	return f
}

// short cuts a text between two characters.
func short(s string) string {
	if len(s) <= MaxText {
		return s
	}
	end := MaxText
	for end > 0 && s[end]&0xc0 == 0x80 {
		end--
	}
	return s[:end] + "…"
}
