package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/state"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// maxFaults is how many faults of one row are listed one by one.
const maxFaults = 16

// maxWarnings is how many warnings of one row are listed one by one.
const maxWarnings = 8

// TheChip is what a row waits for whose turn comes with the next try.
const TheChip = "the chip"

// Pause is why rows wait although nothing failed: somebody has to say that it may
// go on. It is an error so that it can stand where failures do.
type Pause struct{ On, Why string }

// Error implements error.
func (p *Pause) Error() string { return p.Why }

// Status says what became of a row. ok is false for one that nobody asks about: it
// is neither in CONFIG_DB nor in force.
func (r *Resolution) Status(k configdb.RowKey, warnings []Warning, stuck error) (f statedb.Fate, ok bool) {
	rec := r.State.Records.Get(k)
	switch {
	case rec == nil:
		return r.judgeRemoved(k, stuck)
	case rec.Foreign:
		return statedb.Fate{State: statedb.Ignored, Reason: outside(k.Table())}, true
	}
	f = r.judgeVersion(k, rec, stuck)
	if f.State == statedb.Applied {
		for f.Loses < len(warnings) && warnings[f.Loses].Loses {
			f.Loses++
		}
		f.Warnings = texts(warnings[:f.Loses])
	}
	for _, name := range rec.Unknown {
		f.Warnings = append(f.Warnings, fmt.Sprintf("field %q is not one of table %s and has no effect", name, k.Table()))
	}
	f.Warnings = append(f.Warnings, rec.Notes...)
	for _, fault := range rec.Lost {
		f.Warnings = append(f.Warnings, fmt.Sprintf("field %q has no effect: %v", fault.Field, fault.Err))
	}
	for _, fault := range rec.Idle {
		f.Warnings = append(f.Warnings, IdleText(fault))
	}
	if w := r.Diverged(k); w != "" {
		f.Warnings = append(f.Warnings, w)
	}
	if f.State == statedb.Applied {
		f.Warnings = append(f.Warnings, texts(warnings[f.Loses:])...)
	} else if applied := r.State.Version(k).Row; !isScarce(stuck) && applied != nil && r.Rows.Get(k) == applied && !r.Out[k] {
		f.Warnings = append(f.Warnings, "what was accepted before stays in force")
	}
	return f, true
}

func isScarce(stuck error) bool { _, ok := stuck.(*Scarce); return ok } //nolint:errorlint // never wrapped

// IdleText is the warning of a field, or of a row, that xon does not act on.
func IdleText(f *configdb.Fault) string {
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
func (r *Resolution) judgeVersion(k configdb.RowKey, rec *state.Record, stuck error) statedb.Fate {
	switch {
	case rec.Err != nil:
		return statedb.Fate{State: statedb.Refused, Reason: reason(rec.Err), Field: fieldOf(rec.Err)}
	case r.State.Refused.Get(state.Candidate{Key: k, Row: rec.Row}) != nil:
		return refusedFate(r.State.Refused.Get(state.Candidate{Key: k, Row: rec.Row}))
	}
	if p, ok := r.Verdicts[k]; ok {
		f := statedb.Fate{State: statedb.Refused, Reason: p.Err.Error(), Field: p.Field}
		if p.Severity == graph.Waiting {
			f.State, f.On = statedb.Waiting, p.WaitsFor()
		}
		return f
	}
	if stuck != nil {
		return statedb.Fate{State: statedb.Waiting, On: waitsOn(stuck), Reason: stuck.Error()}
	}
	return statedb.Fate{State: statedb.Applied}
}

// judgeRemoved judges a row that is no longer in CONFIG_DB.
func (r *Resolution) judgeRemoved(k configdb.RowKey, stuck error) (f statedb.Fate, ok bool) {
	if x := r.State.Refused.Get(state.Candidate{Key: k}); x != nil {
		f = refusedFate(x)
		f.Reason = "removed, but the chip keeps it: " + f.Reason
		return f, true
	}
	if why := r.Diverged(k); why != "" {
		return statedb.Fate{State: statedb.Refused, Reason: why}, true
	}
	if h, ok := r.Retained[k]; ok {
		return statedb.Fate{State: statedb.Waiting, On: string(h.First), Reason: "removed, but still referred to by " + h.String()}, true
	}
	if stuck != nil {
		return statedb.Fate{State: statedb.Waiting, On: waitsOn(stuck), Reason: "removed, but the chip still has it: " + stuck.Error()}, true
	}
	return statedb.Fate{}, false
}

// Diverged says what the chip still has of a row, or of fields of it, that were
// removed although SAI can set but not take them back; "" if there is nothing.
func (r *Resolution) Diverged(k configdb.RowKey) string {
	rec, applied := r.State.Records.Get(k), r.State.Version(k)
	if applied.Row == nil || !configdb.Keeps(k.Table()) {
		return ""
	}
	kept := slices.Sorted(maps.Keys(applied.Fields))
	if rec != nil {
		kept = rec.Kept
	}
	var parts []string
	for _, name := range kept {
		if !strings.HasPrefix(name, "XON_") && name != applied.Fields[name] { // NULL=NULL
			parts = append(parts, name+"="+applied.Fields[name])
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "removed, but the switch can't take it back: it keeps " + strings.Join(parts, ", ") + " and differs from CONFIG_DB until that is set again"
}

// waitsOn is what a row waits for that is not in place.
func waitsOn(stuck error) string {
	var p *Pause
	if errors.As(stuck, &p) {
		return p.On
	}
	return TheChip
}

// refusedFate is the fate of a version that the chip refused. One that is worth a
// retry waits for the chip.
func refusedFate(x *state.Refusal) statedb.Fate {
	f := statedb.Fate{State: statedb.Refused, Field: x.Field, Reason: x.Reason}
	if x.Retry {
		f.State, f.On = statedb.Waiting, TheChip
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

// Warning is something to say about an applied row. Loses says that lossless packets may be dropped.
type Warning struct {
	Text  string
	Loses bool
}

func compareWarnings(a, b Warning) int {
	switch {
	case a.Loses == b.Loses:
		return cmp.Compare(a.Text, b.Text)
	case a.Loses:
		return -1
	}
	return 1
}

func texts(list []Warning) []string {
	var all []string
	for _, w := range list {
		all = append(all, w.Text)
	}
	return all
}

// Warnings gathers what there is to say about applied rows, in order: that packets are lost
// first.
func (r *Resolution) Warnings(of map[configdb.RowKey]bool) map[configdb.RowKey][]Warning {
	all := map[configdb.RowKey][]Warning{}
	for p := range r.Problems {
		if k := p.Row; p.Severity == graph.Warned && of[k] {
			all[k] = append(all[k], Warning{warning(p), graph.MeansLoss(p.Err)})
		}
	}
	for k := range r.Retained {
		r.warnReferrers(k, of, all)
	}
	for k, list := range all {
		slices.SortFunc(list, compareWarnings)
		list = fold(k, list)
		if n := len(list); n > maxWarnings {
			list = append(list[:maxWarnings:maxWarnings], Warning{Text: fmt.Sprintf("and %d more", n-maxWarnings)})
		}
		all[k] = list
	}
	return all
}

// fold puts together the warnings of a row that differ in the port alone.
func fold(k configdb.RowKey, list []Warning) []Warning {
	all := make([]statedb.Said, len(list))
	for i, w := range list {
		all[i] = statedb.Said{Row: k, Text: w.Text, Loses: w.Loses}
	}
	list = list[:0]
	for _, s := range statedb.Fold(all) {
		list = append(list, Warning{s.Text, s.Loses})
	}
	return list
}

func warning(p graph.Problem) string {
	if p.Field == "" {
		return p.Err.Error()
	}
	return p.Field + ": " + p.Err.Error()
}

// warnReferrers warns the first row that refers to a removed one.
func (r *Resolution) warnReferrers(removed configdb.RowKey, of map[configdb.RowKey]bool, all map[configdb.RowKey][]Warning) {
	if k := r.Retained[removed].First; of[k] {
		all[k] = append(all[k], Warning{Text: fmt.Sprintf("%s was removed and stays only because this row refers to it", removed)})
	}
}
