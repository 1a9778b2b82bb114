package orchagent

import (
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// What operators look for in the logs of SONiC's daemons, at the places where these have it.
//
// Source: contract of SONiC's buffer manager and its switch and QoS orchestrators.
const (
	droppedPhrase  = "Failed to process invalid entry, drop it" // a row that the buffer manager can't go by
	divergedPhrase = "ASIC and CONFIG DB are diverged"          // something was removed that the chip keeps
	unknownPhrase  = "Unknown field"
)

// maxTold is how many rows of one pass are logged by name.
const maxTold = 20

// tellFates logs the rows that are refused or waiting since now: whoever wrote them to
// the database got no answer.
func tellFates(log logrus.FieldLogger, fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	told, more := 0, 0
	for _, state := range []statedb.State{statedb.Refused, statedb.Waiting} {
		for _, k := range sortedRows(fates, state, now) {
			if told++; told > maxTold {
				more++
				continue
			}
			f := fates[k]
			row := log.WithFields(logrus.Fields{"row": k, "reason": f.Reason})
			if f.Field != "" {
				row = row.WithField("field", f.Field)
			}
			if state == statedb.Refused {
				row.Warn(refusedText(k))
			} else {
				row.WithField("on", f.On).Info("row waiting")
			}
		}
	}
	if more > 0 {
		log.WithField("more", more).Warn("more rows are refused or waiting; xonctl fates lists them")
	}
}

// refusedText is the message about a refused row: "row refused", behind the buffer manager's
// own words if it is one of its rows.
func refusedText(k configdb.RowKey) string {
	const text = "row refused"
	if bufmgr.Makes(k) || k.Table() == "CABLE_LENGTH" {
		return droppedPhrase + ": " + text
	}
	return text
}

// tellUnmade logs rows that others ask for and that can't be made, such as the headroom of
// a port that the lookup file has no line for, when they come to be so.
func (a *Agent) tellUnmade() {
	if sameProblems(a.unmadeOf, a.eff.Problems) {
		return
	}
	now, lines := map[string]bool{}, 0
	for _, p := range a.eff.Problems {
		k := configdb.RowKey(p.Row)
		if p.Severity != graph.Refused || a.rows.Get(k) != nil && !a.ours[k] {
			continue
		}
		text := p.Row + ": " + p.Err.Error()
		if now[text] = true; a.unmadeTold[text] {
			continue
		}
		if lines++; lines <= maxTold {
			a.log.WithFields(logrus.Fields{"row": k, "reason": p.Err.Error()}).Warn(droppedPhrase)
		}
	}
	if more := lines - maxTold; more > 0 {
		a.log.WithField("more", more).Warn(droppedPhrase + ": more rows; xonctl fates lists them")
	}
	a.unmadeOf, a.unmadeTold = a.eff.Problems, now
}

// tellLeftOut logs fields of applied rows that are left out, because the table does not have
// them or their value is none, when the row comes to be so.
func (a *Agent) tellLeftOut(fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	lines := 0
	for _, k := range sortedRows(fates, statedb.Applied, now) {
		rec := a.records[k]
		if rec == nil || len(rec.unknown)+len(rec.lost) == 0 {
			continue
		}
		if lines++; lines > maxTold {
			continue
		}
		row := a.log.WithField("row", k)
		if len(rec.unknown) > 0 {
			row.WithField("fields", strings.Join(rec.unknown, ",")).Warn(unknownPhrase)
		}
		for _, fault := range rec.lost {
			row.WithFields(logrus.Fields{"field": fault.Field, "reason": fault.Err.Error()}).Warn(droppedPhrase)
		}
	}
	if more := lines - maxTold; more > 0 {
		a.log.WithField("more", more).Warn("more rows have fields that are left out; xonctl fates lists them")
	}
}

// tellDiverged logs the rows in force of which something was removed that the chip
// keeps, when they come to be so.
func (a *Agent) tellDiverged(fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	for _, k := range sortedRows(fates, statedb.Applied, now) {
		if why := a.diverged(k); why != "" {
			a.log.WithFields(logrus.Fields{"row": k, "reason": why}).Warn(divergedPhrase)
		}
	}
}

func sortedRows(fates map[configdb.RowKey]statedb.Fate, s statedb.State, since time.Time) []configdb.RowKey {
	var rows []configdb.RowKey
	for k, f := range fates {
		if f.State == s && f.Since.Equal(since) {
			rows = append(rows, k)
		}
	}
	slices.SortFunc(rows, func(a, b configdb.RowKey) int { return configdb.CompareNatural(string(a), string(b)) })
	return rows
}

func (a *Agent) logPass(r *Report) {
	log := a.log.WithFields(logrus.Fields{
		"revision": r.Revision, "writes": len(r.Writes), "fates": len(r.Fates) + len(r.Gone),
		"took": time.Since(a.pass.start),
	})
	switch {
	case a.pass.dirty || len(a.pass.failed) > 0:
		log.WithField("failed", len(a.pass.failed)).Warn("not all is in force; will try again")
	case len(r.Writes) > 0:
		log.Info("applied")
	default:
		log.Debug("nothing to write")
	}
}
