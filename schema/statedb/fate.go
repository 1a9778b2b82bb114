// Package statedb has the rows that xon writes to STATE_DB, in typed form: the fate
// of every row of CONFIG_DB, accepted versions, and the limits that SONiC's tools
// look up.
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
	Warnings []string  // about a row that is applied but looks wrong; none is empty
	Loses    int       // how many Warnings, the first ones, say that lossless packets may be dropped; not stored
	Next     time.Time // Waiting for the chip: when it is tried again, to the millisecond; zero if not known
	Since    time.Time // of this state, to the millisecond
	Revision uint64    // of the configuration that brought the state
}

// The fields of a Fate.
const (
	stateField    = "state"
	reasonField   = "reason"
	onField       = "on"
	fieldField    = "field"
	warningsField = "warnings" // one a line
	nextField     = "next_try" // RFC 3339, UTC
	sinceField    = "since"    // RFC 3339, UTC
	revisionField = "revision"
)

// Format returns the fields of the row: state, since and revision always; reason,
// on, field, next_try and warnings where there is something to say. Fields that an earlier
// fate had may be missing, so the row is to be replaced. A line break within a
// warning is written as a space.
func (f Fate) Format() map[string]string {
	fields := map[string]string{
		stateField:    string(f.State),
		sinceField:    f.Since.UTC().Format(timeLayout),
		revisionField: strconv.FormatUint(f.Revision, 10),
	}
	for name, v := range map[string]string{
		reasonField: f.Reason, onField: f.On, fieldField: f.Field, warningsField: joinLines(f.Warnings), nextField: formatTime(f.Next),
	} {
		if v != "" {
			fields[name] = v
		}
	}
	return fields
}

// formatTime has "" for no time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

func joinLines(warnings []string) string {
	lines := make([]string, len(warnings))
	for i, w := range warnings {
		lines[i] = strings.ReplaceAll(w, "\n", " ")
	}
	return strings.Join(lines, "\n")
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// ParseFate is the inverse of Format. The error names every field that is wrong.
func ParseFate(fields map[string]string) (Fate, error) {
	f := Fate{
		State:  State(fields[stateField]),
		Reason: fields[reasonField],
		On:     fields[onField],
		Field:  fields[fieldField],
	}
	if w := fields[warningsField]; w != "" {
		f.Warnings = strings.Split(w, "\n")
	}
	var stateErr, nextErr, sinceErr, revisionErr error
	switch f.State {
	case Applied, Waiting, Refused, Ignored:
	default:
		stateErr = fmt.Errorf("field %q: no such state %q", stateField, f.State)
	}
	if f.Since, sinceErr = time.Parse(timeLayout, fields[sinceField]); sinceErr != nil {
		sinceErr = fmt.Errorf("field %q: %w", sinceField, sinceErr)
	}
	if text := fields[nextField]; text != "" {
		if f.Next, nextErr = time.Parse(timeLayout, text); nextErr != nil {
			nextErr = fmt.Errorf("field %q: %w", nextField, nextErr)
		}
	}
	if f.Revision, revisionErr = strconv.ParseUint(fields[revisionField], 10, 64); revisionErr != nil {
		revisionErr = fmt.Errorf("field %q: %w", revisionField, revisionErr)
	}
	return f, errors.Join(stateErr, nextErr, sinceErr, revisionErr)
}
