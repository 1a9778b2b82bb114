package orchagent

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/sai"
	"xon/schema/configdb"
)

// faults are why the rows can't all be in force, in order.
func (t *transaction) faults() configdb.Faults {
	named := maps.Clone(t.request)
	maps.Copy(named, t.changes)
	var faults configdb.Faults
	for _, k := range slices.Sorted(maps.Keys(named)) {
		faults = append(faults, t.faultsOf(k)...)
	}
	if len(faults) > 0 {
		return faults
	}
	for _, k := range slices.Sorted(maps.Keys(t.next.Verdicts)) {
		if t.next.State.Records.Get(k) == nil && t.next.Verdicts[k].Severity == graph.Waiting {
			continue // nobody wrote it; the buffer manager will once it knows enough
		}
		if _, ok := named[k]; !ok && !t.base.Out[k] && !t.base.Deviant[k] {
			faults = append(faults, &configdb.Fault{
				Kind: configdb.InUse, Row: k, Field: t.next.Verdicts[k].Field,
				Err: fmt.Errorf("would no longer be in force: %w", t.next.Verdicts[k].Err),
			})
		}
	}
	return append(faults, t.shortFaults()...)
}

// faultsOf are what is wrong with one row of the request.
func (t *transaction) faultsOf(k configdb.RowKey) configdb.Faults {
	rec := t.next.State.Records.Get(k)
	switch {
	case rec == nil:
		if h, held := t.next.Retained[k]; held {
			return configdb.Faults{{Kind: configdb.InUse, Row: k, Err: fmt.Errorf("still referred to by %s", h)}}
		}
		return nil
	case rec.Foreign:
		return nil // stored as it is, and said in the warnings
	}
	var faults configdb.Faults
	for _, name := range rec.Unknown {
		if _, ok := t.request[k][name]; ok {
			faults = append(faults, &configdb.Fault{Row: k, Field: name, Err: fmt.Errorf("table %s has no such field", k.Table())})
		}
	}
	for _, fault := range rec.Lost {
		if _, ok := t.request[k][fault.Field]; ok {
			faults = append(faults, fault)
		}
	}
	var parse configdb.Faults
	if errors.As(rec.Err, &parse) {
		return append(faults, parse...)
	}
	if p, ok := t.next.Verdicts[k]; ok && !t.next.WaitsForModel(p) {
		faults = append(faults, faultOf(p))
	}
	return faults
}

// faultOf is what a problem means for a transaction.
func faultOf(p graph.Problem) *configdb.Fault {
	f := &configdb.Fault{Kind: configdb.Limit, Row: p.Row, Field: p.Field, Err: p.Err}
	if _, ok := configdb.Lookup(p.On.Table()); ok && p.Severity == graph.Waiting {
		f.Kind = configdb.Missing
	}
	return f
}

// warnings are what is to be told about rows of the request that are stored.
func (t *transaction) warnings() []string {
	named := map[configdb.RowKey]bool{}
	for k := range t.request {
		named[k] = true
	}
	for k := range t.changes {
		named[k] = true
	}
	list := t.notes(slices.Sorted(maps.Keys(named)))
	byRow := t.next.Warnings(named)
	for _, k := range slices.Sorted(maps.Keys(named)) {
		for _, w := range byRow[k] {
			list = append(list, string(k)+": "+w.Text)
		}
		if rec := t.next.State.Records.Get(k); rec != nil {
			for _, fault := range rec.Idle {
				list = append(list, string(k)+": "+resolve.IdleText(fault))
			}
		}
		if why := t.next.Diverged(k); why != "" {
			list = append(list, string(k)+": "+why)
		}
		if why := t.waits(k); why != "" {
			list = append(list, string(k)+": stored, but not in force: "+why)
		}
	}
	for _, k := range t.kept {
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
	for i := range t.next.Effective.Shared {
		s := &t.next.Effective.Shared[i]
		was := bufmgr.Shared{Xoff: s.Xoff}
		if j := slices.IndexFunc(t.base.Effective.Shared, func(w bufmgr.Shared) bool { return w.Pool == s.Pool }); j >= 0 {
			was = t.base.Effective.Shared[j]
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
	for p := range t.next.Problems {
		if k := p.Row; p.Severity == graph.Warned && !named[k] {
			others[k] = true
		}
	}
	var list []string
	for k, warnings := range t.next.Warnings(others) {
		for _, w := range warnings {
			if !slices.Contains(t.agent.ledger[k].fate.Warnings, w.Text) {
				list = append(list, string(k)+": "+w.Text)
			}
		}
	}
	slices.Sort(list)
	return list
}

// waits says what a row that is stored waits for; "" if it is in force.
func (t *transaction) waits(k configdb.RowKey) string {
	if p, ok := t.next.Verdicts[k]; ok && t.next.WaitsForModel(p) {
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
		b := t.next.Blame(k, f.Attr)
		fault := &configdb.Fault{Kind: configdb.Chip, Row: b.Key, Field: b.Field, Err: f.Err}
		if b.By != "" {
			fault.Err = fmt.Errorf("%s: %w", b.By, f.Err)
		}
		if more := t.agent.limitOf(k, f.Attr, f.Err) + t.agent.poolRoom(k, t.next.Effective.Rows, f.Err); more != "" {
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
