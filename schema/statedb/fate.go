// Package statedb has the rows that xon writes to STATE_DB, in typed form.
//
// What is not for here: how rows are stored (schema/redisdb) and what they
// follow from (orchagent).
package statedb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tables of STATE_DB that are xon's own. A row's key is the key of the row of
// CONFIG_DB that it is about: "XON_ROW|BUFFER_PG|Ethernet0|3-4".
const (
	FateTable     = "XON_ROW"      // what became of a row, a Fate
	AcceptedTable = "XON_ACCEPTED" // the fields of a row's version that stands in for it
)

// State is what became of a row.
type State string

// The states.
const (
	Applied State = "applied" // in force
	Waiting State = "waiting" // for Fate.On
	Refused State = "refused" // Fate.Reason says why
	Ignored State = "ignored" // of a table outside xon's scope
)

// Fate is the fate of one row of CONFIG_DB.
type Fate struct {
	State    State
	Reason   string    // why it waits or is refused, "" when applied
	On       string    // Waiting: the row or the thing that it waits for
	Field    string    // the field at fault, if it is one
	Warnings []string  // about a row that is applied but looks wrong
	Since    time.Time // of this state, to the millisecond
	Revision uint64    // of the configuration that brought the state
}

// Format returns the fields of the row: state, since and revision always; reason,
// on, field and warnings (one a line) where there is something to say.
func (f Fate) Format() map[string]string {
	fields := map[string]string{
		"state":    string(f.State),
		"since":    f.Since.UTC().Format(timeLayout),
		"revision": strconv.FormatUint(f.Revision, 10),
	}
	for name, v := range map[string]string{
		"reason": f.Reason, "on": f.On, "field": f.Field, "warnings": strings.Join(f.Warnings, "\n"),
	} {
		if v != "" {
			fields[name] = v
		}
	}
	return fields
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// ParseFate is the inverse of Format. The error names every field that is wrong.
func ParseFate(fields map[string]string) (Fate, error) {
	f := Fate{State: State(fields["state"]), Reason: fields["reason"], On: fields["on"], Field: fields["field"]}
	if w := fields["warnings"]; w != "" {
		f.Warnings = strings.Split(w, "\n")
	}
	var err error
	switch f.State {
	case Applied, Waiting, Refused, Ignored:
	default:
		err = fmt.Errorf("field \"state\": no such state %q", fields["state"])
	}
	var e error
	if f.Since, e = time.Parse(timeLayout, fields["since"]); e != nil {
		err = errors.Join(err, fmt.Errorf("field \"since\": %w", e))
	}
	if f.Revision, e = strconv.ParseUint(fields["revision"], 10, 64); e != nil {
		err = errors.Join(err, fmt.Errorf("field \"revision\": %w", e))
	}
	return f, err
}
