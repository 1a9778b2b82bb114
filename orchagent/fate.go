package orchagent

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// maxFaults is how many faults of one row are told one by one.
const maxFaults = 16

// maxWarnings is how many warnings of one row are told one by one.
const maxWarnings = 8

// theChip is what a row waits for whose turn comes with the next try.
const theChip = "the chip"

// ledger holds the fate of every row, and what it was judged on.
type ledger map[configdb.RowKey]judgement

type judgement struct {
	fate statedb.Fate
	row  *record // nil for a row that was removed
}

// enter records a fate. Since and Revision stay as they were when only warnings or
// the time of the next try changed. It reports whether anything changed.
func (l ledger) enter(k configdb.RowKey, j judgement, now time.Time, revision uint64) (statedb.Fate, bool) {
	was, ok := l[k]
	j.fate.Since, j.fate.Revision = now, revision
	if ok && was.row == j.row && sameState(was.fate, j.fate) {
		j.fate.Since, j.fate.Revision = was.fate.Since, was.fate.Revision
		if slices.Equal(was.fate.Warnings, j.fate.Warnings) && was.fate.Next.Equal(j.fate.Next) {
			return was.fate, false
		}
	}
	l[k] = j
	return j.fate, true
}

// drop forgets a fate and reports whether there was one.
func (l ledger) drop(k configdb.RowKey) bool {
	_, ok := l[k]
	delete(l, k)
	return ok
}

func sameState(a, b statedb.Fate) bool {
	return a.State == b.State && a.Reason == b.Reason && a.On == b.On && a.Field == b.Field
}

// judge says what became of a row. ok is false for one that nobody asks about: it
// is neither in CONFIG_DB nor in force.
func (r *resolver) judge(k configdb.RowKey, warnings []said, stuck error) (f statedb.Fate, ok bool) {
	rec := r.records[k]
	switch {
	case rec == nil:
		return r.judgeRemoved(k, stuck)
	case rec.foreign:
		return statedb.Fate{State: statedb.Ignored, Reason: outside(k.Table())}, true
	}
	f = r.judgeVersion(k, rec, stuck)
	if f.State == statedb.Applied {
		for f.Loses < len(warnings) && warnings[f.Loses].loses {
			f.Loses++
		}
		f.Warnings = texts(warnings[:f.Loses])
	}
	for _, name := range rec.unknown {
		f.Warnings = append(f.Warnings, fmt.Sprintf("field %q is not one of table %s and has no effect", name, k.Table()))
	}
	f.Warnings = append(f.Warnings, rec.notes...)
	for _, fault := range rec.lost {
		f.Warnings = append(f.Warnings, fmt.Sprintf("field %q has no effect: %v", fault.Field, fault.Err))
	}
	for _, fault := range rec.idle {
		f.Warnings = append(f.Warnings, idleText(fault))
	}
	if w := r.diverged(k); w != "" {
		f.Warnings = append(f.Warnings, w)
	}
	if f.State == statedb.Applied {
		f.Warnings = append(f.Warnings, texts(warnings[f.Loses:])...)
	} else if acc := r.accepted[k].row; acc != nil && r.rows.Get(k) == acc && !r.out[k] {
		f.Warnings = append(f.Warnings, "what was accepted before stays in force")
	}
	return f, true
}

// idleText is the warning of a field, or of a row, that xon does not act on.
func idleText(f *configdb.Fault) string {
	if f.Field == "" {
		return fmt.Sprintf("the row has no effect: %v", f.Err)
	}
	return fmt.Sprintf("field %q has no effect: %v", f.Field, f.Err)
}

// outside says why rows of a table are ignored.
func outside(table string) string {
	if table == "PFC_WD" {
		return "table PFC_WD is outside xon's scope: no PFC watchdog runs yet"
	}
	return "table " + table + " is outside xon's scope"
}

// judgeVersion judges the version to try.
func (r *resolver) judgeVersion(k configdb.RowKey, rec *record, stuck error) statedb.Fate {
	switch {
	case rec.err != nil:
		return statedb.Fate{State: statedb.Refused, Reason: reason(rec.err), Field: fieldOf(rec.err)}
	case r.refused[candidate{k, rec.row}] != nil:
		return refusedFate(r.refused[candidate{k, rec.row}])
	}
	if p, ok := r.verdicts[k]; ok {
		f := statedb.Fate{State: statedb.Refused, Reason: p.Err.Error(), Field: p.Field}
		if p.Severity == graph.Waiting {
			f.State, f.On = statedb.Waiting, p.On
		}
		return f
	}
	if stuck != nil {
		return statedb.Fate{State: statedb.Waiting, On: waitsOn(stuck), Reason: stuck.Error()}
	}
	return statedb.Fate{State: statedb.Applied}
}

// judgeRemoved judges a row that is no longer in CONFIG_DB.
func (r *resolver) judgeRemoved(k configdb.RowKey, stuck error) (f statedb.Fate, ok bool) {
	if x := r.refused[candidate{k, nil}]; x != nil {
		f = refusedFate(x)
		f.Reason = "removed, but the chip keeps it: " + f.Reason
		return f, true
	}
	if why := r.diverged(k); why != "" {
		return statedb.Fate{State: statedb.Refused, Reason: why}, true
	}
	if h, held := r.held[k]; held {
		return statedb.Fate{State: statedb.Waiting, On: string(h.first), Reason: "removed, but still referred to by " + h.String()}, true
	}
	if stuck != nil {
		return statedb.Fate{State: statedb.Waiting, On: waitsOn(stuck), Reason: "removed, but the chip still has it: " + stuck.Error()}, true
	}
	return statedb.Fate{}, false
}

// diverged says what the chip still has of a row, or of fields of it, that were
// removed although SAI can set but not take them back; "" if there is nothing.
func (r *resolver) diverged(k configdb.RowKey) string {
	rec, acc := r.records[k], r.accepted[k]
	if acc.row == nil || !configdb.Keeps(k.Table()) {
		return ""
	}
	kept := slices.Sorted(maps.Keys(acc.fields))
	if rec != nil {
		kept = rec.kept
	}
	var said []string
	for _, name := range kept {
		if !strings.HasPrefix(name, "XON_") && name != acc.fields[name] { // NULL=NULL
			said = append(said, name+"="+acc.fields[name])
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "removed, but the switch can't take it back: it keeps " + strings.Join(said, ", ") + " and differs from CONFIG_DB until that is set again"
}

// waitsOn is what a row waits for that is not in place.
func waitsOn(stuck error) string {
	var p *pause
	if errors.As(stuck, &p) {
		return p.on
	}
	return theChip
}

// String lists the rows: "BUFFER_PG|Ethernet0|3 and 12 more".
func (h holders) String() string {
	if h.count == 1 {
		return string(h.first)
	}
	return fmt.Sprintf("%s and %d more", h.first, h.count-1)
}

// refusedFate is the fate of a version that the chip refused. One that is worth a
// retry waits for the chip.
func refusedFate(x *refusal) statedb.Fate {
	f := statedb.Fate{State: statedb.Refused, Field: x.field, Reason: x.reason}
	if x.retry {
		f.State, f.On = statedb.Waiting, theChip
		f.Reason += "; it is tried again"
	}
	return f
}

// reason puts the faults of one row into one line.
func reason(err error) string {
	faults, ok := err.(configdb.Faults) //nolint:errorlint // the parser's own type, never wrapped
	if !ok {
		return err.Error()
	}
	if len(faults) == 1 { // fieldOf says which field
		return faults[0].Err.Error()
	}
	var text strings.Builder
	for i, f := range faults[:min(len(faults), maxFaults)] {
		if i > 0 {
			text.WriteString("; ")
		}
		if f.Field != "" {
			text.WriteString(f.Field + ": ")
		}
		text.WriteString(f.Err.Error())
	}
	if more := len(faults) - maxFaults; more > 0 {
		fmt.Fprintf(&text, "; and %d more faults", more)
	}
	return text.String()
}

func fieldOf(err error) string {
	if faults, ok := err.(configdb.Faults); ok && len(faults) > 0 { //nolint:errorlint // the parser's own type, never wrapped
		return faults[0].Field
	}
	return ""
}

// said is a warning; loses says that lossless packets may be dropped.
type said struct {
	text  string
	loses bool
}

func compareSaid(a, b said) int {
	switch {
	case a.loses == b.loses:
		return cmp.Compare(a.text, b.text)
	case a.loses:
		return -1
	}
	return 1
}

func texts(list []said) []string {
	var all []string
	for _, w := range list {
		all = append(all, w.text)
	}
	return all
}

// warnings gathers what is to be said about rows that are in force, in order: that packets
// are lost first.
func (r *resolver) warningsOf(of map[configdb.RowKey]bool) map[configdb.RowKey][]said {
	all := map[configdb.RowKey][]said{}
	for p := range r.problems {
		if k := configdb.RowKey(p.Row); p.Severity == graph.Warned && of[k] {
			all[k] = append(all[k], said{warning(p), graph.MeansLoss(p.Err)})
		}
	}
	for k := range r.held {
		r.warnReferrers(k, of, all)
	}
	for k, list := range all {
		slices.SortFunc(list, compareSaid)
		if n := len(list); n > maxWarnings {
			list = append(list[:maxWarnings:maxWarnings], said{text: fmt.Sprintf("and %d more", n-maxWarnings)})
		}
		all[k] = list
	}
	return all
}

func warning(p graph.Problem) string {
	if p.Field == "" {
		return p.Err.Error()
	}
	return p.Field + ": " + p.Err.Error()
}

// warnReferrers warns the first row that refers to a removed one.
func (r *resolver) warnReferrers(removed configdb.RowKey, of map[configdb.RowKey]bool, all map[configdb.RowKey][]said) {
	if k := r.held[removed].first; of[k] {
		all[k] = append(all[k], said{text: fmt.Sprintf("%s was removed and stays only because this row refers to it", removed)})
	}
}

// Fates returns the fate of every row by now. It may be called at any time.
func (a *Agent) Fates() map[configdb.RowKey]statedb.Fate {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.fates)
}
