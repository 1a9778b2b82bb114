package orchagent

import (
	"slices"
	"time"

	"github.com/sirupsen/logrus"

	"xon/schema/configdb"
	"xon/schema/statedb"
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
				row.Warn("row refused")
			} else {
				row.WithField("on", f.On).Info("row waiting")
			}
		}
	}
	if more > 0 {
		log.WithField("more", more).Warn("more rows are refused or waiting; xonctl fates lists them")
	}
}

// tellDiverged logs the rows in force of which something was removed that the chip
// keeps, when they come to be so.
func (a *Agent) tellDiverged(fates map[configdb.RowKey]statedb.Fate, now time.Time) {
	for _, k := range sortedRows(fates, statedb.Applied, now) {
		if why := a.diverged(k); why != "" {
			a.log.WithFields(logrus.Fields{"row": k, "reason": why}).Warn("the chip differs from CONFIG_DB")
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
