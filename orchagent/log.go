package orchagent

import (
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent/bufmgr"
	"xon/orchagent/report"
	"xon/orchagent/resolve"
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

// maxLogged is how many rows of one pass are logged by name.
const maxLogged = 20

// logFates logs the rows that are refused or waiting since now: whoever wrote them to
// the database got no answer.
func logFates(log logrus.FieldLogger, fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	lines, more := 0, 0
	for _, state := range []statedb.State{statedb.Refused, statedb.Waiting} {
		for _, k := range sortedRows(fates, state, now) {
			if lines++; lines > maxLogged {
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
		log.WithField("more", more).Warn("more rows are refused or waiting; xonctl status rows lists them")
	}
}

// logRows logs what a report says of rows. was is the resolution of the report before.
func (a *Agent) logRows(r *report.Report, was *resolve.Resolution) {
	logFates(a.log, r.Fates, r.Time)
	a.logDiverged(r.Fates, r.Time)
	a.logLeftOut(r.Fates, r.Time)
	a.logUnmade(was)
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

// logUnmade logs rows that others ask for and that can't be made, such as the headroom of
// a port that the lookup file has no line for, when they come to be so.
func (a *Agent) logUnmade(was *resolve.Resolution) {
	lines := 0
	for _, p := range a.cur.UnmadeDiff(was) {
		if lines++; lines <= maxLogged {
			a.log.WithFields(logrus.Fields{"row": p.Row, "reason": p.Err.Error()}).Warn(droppedPhrase)
		}
	}
	if more := lines - maxLogged; more > 0 {
		a.log.WithField("more", more).Warn(droppedPhrase + ": more rows; xonctl status rows lists them")
	}
}

// logLeftOut logs fields of applied rows that are left out, because the table does not have
// them or their value is none, when the row comes to be so.
func (a *Agent) logLeftOut(fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	lines := 0
	for _, k := range sortedRows(fates, statedb.Applied, now) {
		rec := a.cur.State.Records.Get(k)
		if rec == nil || len(rec.Unknown)+len(rec.Lost) == 0 {
			continue
		}
		if lines++; lines > maxLogged {
			continue
		}
		row := a.log.WithField("row", k)
		if len(rec.Unknown) > 0 {
			row.WithField("fields", strings.Join(rec.Unknown, ",")).Warn(unknownPhrase)
		}
		for _, fault := range rec.Lost {
			row.WithFields(logrus.Fields{"field": fault.Field, "reason": fault.Err.Error()}).Warn(droppedPhrase)
		}
	}
	if more := lines - maxLogged; more > 0 {
		a.log.WithField("more", more).Warn("more rows have fields that are left out; xonctl status rows lists them")
	}
}

// logDiverged logs the rows in force of which something was removed that the chip
// keeps, when they come to be so.
func (a *Agent) logDiverged(fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	for _, k := range sortedRows(fates, statedb.Applied, now) {
		if why := a.cur.Diverged(k); why != "" {
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

func (a *Agent) logPass(r *report.Report) {
	log := a.log.WithFields(logrus.Fields{
		"revision": r.Revision, "writes": len(r.Writes), "fates": len(r.Fates) + len(r.Gone),
		"took": time.Since(a.pass.start),
	})
	switch {
	case a.pass.stateUnknown || len(a.pass.failed) > 0:
		log.WithField("failed", len(a.pass.failed)).Warn("not all is in force; will try again")
	case len(r.Writes) > 0:
		log.Info("applied")
	default:
		log.Debug("nothing to write")
	}
}
