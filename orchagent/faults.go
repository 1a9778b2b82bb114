package orchagent

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
)

// faults are why the rows can't all be in force, in order.
func (t *transaction) faults() configdb.Faults {
	named := maps.Clone(t.brought)
	maps.Copy(named, t.changes)
	var faults configdb.Faults
	for _, k := range slices.Sorted(maps.Keys(named)) {
		faults = append(faults, t.faultsOf(k)...)
	}
	if len(faults) > 0 {
		return faults
	}
	for _, k := range slices.Sorted(maps.Keys(t.verdicts)) {
		if t.records[k] == nil && t.verdicts[k].Severity == graph.Waiting {
			continue // nobody wrote it; the buffer manager will once it knows enough
		}
		if _, ok := named[k]; !ok && !t.was.out[k] && !t.was.deviant[k] {
			faults = append(faults, &configdb.Fault{
				Kind: configdb.InUse, Row: k, Field: t.verdicts[k].Field,
				Err: fmt.Errorf("would no longer be in force: %w", t.verdicts[k].Err),
			})
		}
	}
	return faults
}

// faultsOf are what is wrong with one row of the request.
func (t *transaction) faultsOf(k configdb.RowKey) configdb.Faults {
	rec := t.records[k]
	switch {
	case rec == nil:
		if h, held := t.held[k]; held {
			return configdb.Faults{{Kind: configdb.InUse, Row: k, Err: fmt.Errorf("still referred to by %s", h)}}
		}
		return nil
	case rec.foreign:
		return nil // stored as it is, and said in the warnings
	}
	var faults configdb.Faults
	for _, name := range rec.unknown {
		if _, ok := t.brought[k][name]; ok {
			faults = append(faults, &configdb.Fault{Row: k, Field: name, Err: fmt.Errorf("table %s has no such field", k.Table())})
		}
	}
	for _, fault := range rec.lost {
		if _, ok := t.brought[k][fault.Field]; ok {
			faults = append(faults, fault)
		}
	}
	var parse configdb.Faults
	if errors.As(rec.err, &parse) {
		return append(faults, parse...)
	}
	if p, ok := t.verdicts[k]; ok && !t.waitsForModel(p) {
		faults = append(faults, faultOf(p))
	}
	return faults
}

// faultOf is what a problem means for a transaction.
func faultOf(p graph.Problem) *configdb.Fault {
	f := &configdb.Fault{Kind: configdb.Limit, Row: configdb.RowKey(p.Row), Field: p.Field, Err: p.Err}
	if _, ok := configdb.Lookup(configdb.RowKey(p.On).Table()); ok && p.Severity == graph.Waiting {
		f.Kind = configdb.Missing
	}
	return f
}

// waitsForModel reports whether the buffer manager, or something that it needs, is all
// that a row waits for, directly or by way of other rows.
func (t *transaction) waitsForModel(p graph.Problem) bool {
	for range len(t.verdicts) + 1 { // rows may wait for each other
		if p.Severity != graph.Waiting {
			return false
		}
		if p.On == intent.DynamicModel || t.modelWaits(configdb.RowKey(p.Row)) {
			return true
		}
		next, ok := t.verdicts[configdb.RowKey(p.On)]
		if !ok {
			return false
		}
		p = next
	}
	return false
}

// warnings are what is to be told about rows of the request that are stored.
func (t *transaction) warnings() []string {
	named := map[configdb.RowKey]bool{}
	for k := range t.brought {
		named[k] = true
	}
	for k := range t.changes {
		named[k] = true
	}
	list := t.notes(slices.Sorted(maps.Keys(named)))
	byRow := t.warningsOf(named)
	for _, k := range slices.Sorted(maps.Keys(named)) {
		for _, w := range byRow[k] {
			list = append(list, string(k)+": "+w.text)
		}
		if rec := t.records[k]; rec != nil {
			for _, fault := range rec.idle {
				list = append(list, string(k)+": "+idleText(fault))
			}
		}
		if why := t.diverged(k); why != "" {
			list = append(list, string(k)+": "+why)
		}
		if why := t.waits(k); why != "" {
			list = append(list, string(k)+": stored, but not in force: "+why)
		}
	}
	for _, k := range t.spared {
		list = append(list, string(k)+": stays: it is derived, and goes when nothing asks for it any more; xonctl explain headroom tells what does")
	}
	list = append(list, t.newWarnings(named)...)
	return append(list, t.sharing()...)
}

// sharing are the pools of which all groups together may need more shared headroom than
// there is, where the request makes that so or more so: that it is shared is meant so, but
// the client that asks for more should know for how many it is enough.
func (t *transaction) sharing() []string {
	var list []string
	for i := range t.eff.Shared {
		s := &t.eff.Shared[i]
		was := bufmgr.Shared{Xoff: s.Xoff}
		if j := slices.IndexFunc(t.was.shared, func(w bufmgr.Shared) bool { return w.Pool == s.Pool }); j >= 0 {
			was = t.was.shared[j]
		}
		if s.Short() && (s.Needed > was.Needed || s.Xoff < was.Xoff) {
			list = append(list, fmt.Sprintf("%s: %s (before: %d of %d)", configdb.Key("BUFFER_POOL", s.Pool), s, was.Needed, was.Xoff))
		}
	}
	return list
}

// newWarnings are those about other rows that the request brings up, such as that a
// priority which is paused has no headroom any more.
func (t *transaction) newWarnings(named map[configdb.RowKey]bool) []string {
	others := map[configdb.RowKey]bool{}
	for p := range t.problems {
		if k := configdb.RowKey(p.Row); p.Severity == graph.Warned && !named[k] {
			others[k] = true
		}
	}
	var list []string
	for k, warnings := range t.warningsOf(others) {
		for _, w := range warnings {
			if !slices.Contains(t.ledger[k].fate.Warnings, w.text) {
				list = append(list, string(k)+": "+w.text)
			}
		}
	}
	slices.Sort(list)
	return list
}

// waits says what a row that is stored waits for; "" if it is in force.
func (t *transaction) waits(k configdb.RowKey) string {
	if p, ok := t.verdicts[k]; ok && t.waitsForModel(p) {
		return p.Err.Error()
	}
	return ""
}

// chipFaults are what the chip said, by row and field.
func (t *transaction) chipFaults(res reconcile.Result) configdb.Faults {
	var faults configdb.Faults
	for _, k := range sortedKeys(res.Failed) {
		f := res.Failed[k]
		if errors.Is(f.Err, reconcile.ErrBlocked) {
			continue
		}
		b := t.blame(k, f.Attr)
		fault := &configdb.Fault{Kind: configdb.Chip, Row: b.key, Field: b.field, Err: f.Err}
		if b.by != "" {
			fault.Err = fmt.Errorf("%s: %w", b.by, f.Err)
		}
		if more := t.limit(k, f.Attr, f.Err); more != "" {
			fault.Err = fmt.Errorf("%w%s", fault.Err, more)
		}
		if f.Attr != nil {
			fault.Attr = f.Attr.FullName()
		}
		var st sai.Status
		if errors.As(f.Err, &st) {
			fault.Status = st.Name()
		}
		faults = append(faults, fault)
	}
	if len(faults) == 0 {
		faults = configdb.Faults{{Kind: configdb.Chip, Err: fmt.Errorf("undone: %w", errors.Join(res.Err(), res.Names))}}
	}
	return faults
}
