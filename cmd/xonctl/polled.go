package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"xon/schema/countersdb"
	"xon/schema/flexcounterdb"
)

// polling is what the agent says of groups of counters: which are polled, how often,
// and when they were read last.
type polling struct{ groups, times *read }

func newPolling() *polling {
	return &polling{
		groups: &read{elems: []string{"FLEX_COUNTER_DB", flexcounterdb.GroupTable}},
		times:  &read{elems: []string{countersDB, countersdb.CountersTable, "TIME_STAMP"}},
	}
}

func (p *polling) reads() []*read { return []*read{p.groups, p.times} }

// polls reports whether a group is polled.
func (p *polling) polls(group string) bool {
	return p.groups.rows[group][flexcounterdb.Status] == flexcounterdb.Enabled
}

// note says below a table why columns with counters of a group have no values, or old
// ones, and what to do about it.
func (p *polling) note(t *table, group string, columns ...string) {
	known, unknown := t.split(columns)
	at, polled := p.readAt(group), p.polls(group)
	var note string
	switch {
	case !polled && len(known) > 0:
		note = fmt.Sprintf("%s: not polled now; what is shown is of %s. %s", strings.Join(columns, ", "), timeText(at), p.command(group))
	case !polled:
		note = fmt.Sprintf("%s: not polled. %s", strings.Join(unknown, ", "), p.command(group))
	case len(unknown) == 0 || len(t.rows) == 0:
		return
	case at.IsZero() && group != countersdb.RatesGroup.Name:
		note = fmt.Sprintf("%s: not read yet; they are read every %s", strings.Join(unknown, ", "), p.interval(group))
	default:
		note = fmt.Sprintf("%s: polled every %s, without a value yet: the chip may not count them", strings.Join(unknown, ", "), p.interval(group))
	}
	t.notes = append(t.notes, note)
}

// split separates the columns that have a value in any row from those that have none.
func (t *table) split(columns []string) (known, unknown []string) {
	for _, name := range columns {
		i := t.index(name)
		if slices.ContainsFunc(t.rows, func(row []any) bool { return row[i] != nil }) {
			known = append(known, name)
		} else {
			unknown = append(unknown, name)
		}
	}
	return known, unknown
}

// readAt is when a group was read last; zero if never.
func (p *polling) readAt(group string) time.Time {
	for _, row := range p.times.rows {
		if ns, err := strconv.ParseInt(row[countersdb.TimeField(group)], 10, 64); err == nil {
			return time.Unix(0, ns)
		}
	}
	return time.Time{}
}

func timeText(at time.Time) string {
	if at.IsZero() {
		return "an unknown time"
	}
	return at.UTC().Format("2006-01-02 15:04:05Z07:00")
}

// interval is how often a group is read.
func (p *polling) interval(group string) string {
	text := p.groups.rows[group][flexcounterdb.PollInterval]
	if ms, err := strconv.ParseUint(text, 10, 32); err == nil {
		return (time.Duration(ms) * time.Millisecond).String()
	}
	return text + " ms"
}

// command is how a group is enabled. Rates are worked out of the counters of ports, and
// are enabled with them unless they have a row of their own.
func (p *polling) command(group string) string {
	key := countersdb.Groups[0].Config
	if p.polls(countersdb.PortGroup) {
		key = countersdb.RatesGroup.Config
	}
	for _, g := range countersdb.Groups {
		if g.Name == group {
			key = g.Config
		}
	}
	return "To poll them:\n  xonctl set 'FLEX_COUNTER_TABLE|" + key + "' FLEX_COUNTER_STATUS=enable"
}
