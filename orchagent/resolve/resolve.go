// Package resolve works out what a State means: which version of each row is in effect,
// what that asks of the switch, and what there is to say about each row.
//
// The version to try is that of CONFIG_DB. Where it does not parse, is refused or has to
// wait, the last applied one takes its place, so that a bad row loses nothing that the
// switch has. A row that was removed stays, as applied, for as long as an unchanged row in
// effect refers to it.
//
// A Resolution is a function of a State: in which order things came about makes no
// difference, and the one before only saves work.
//
// What is not for here: bringing a Resolution to the switch (package reconcile), and what
// comes of that (package orchagent).
package resolve

import (
	"maps"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/state"
	"xon/sai"
	"xon/schema/configdb"
)

// Resolution is what a State comes to. It does not change.
type Resolution struct {
	State *state.State
	// Rows are the versions in effect, as CONFIG_DB has them.
	Rows *configdb.Config
	// Buffers is the buffer manager of Rows.
	Buffers *bufmgr.Manager
	// Effective is what Rows come to once headroom and pool sizes are worked out: all else is
	// derived from its Rows.
	Effective bufmgr.Output
	// Verdicts say why the version to try of a row is not applied.
	Verdicts map[configdb.RowKey]graph.Problem
	// Deviant are the rows whose version in effect is not the one to try.
	Deviant map[configdb.RowKey]bool
	// Retained are removed rows that are still referred to.
	Retained map[configdb.RowKey]Referrers
	// Out are the rows of which no version can be applied.
	Out map[configdb.RowKey]bool

	// Device is the switch with its ports named, as there is to be; There is Device without
	// the ports that are still to be made, and Adopted the handles of what is there.
	Device, There *intent.Device
	Adopted       map[graph.Key]sai.OID

	naming  naming
	params  *parameters // of Buffers
	d       *derivation
	applied *appliedMemo
	// past is the resolution before, as long as something that it asked for may still be in
	// the switch: that can't be put down to a row of now. nil: there is none.
	past *Resolution
}

// Settled is r without its past: the switch has what r asks for, or failed to do so in a way
// that is reported.
func (r *Resolution) Settled() *Resolution {
	if r.past == nil {
		return r
	}
	c := *r
	c.past = nil
	return &c
}

// Params is what the buffer manager works with: the same pointer until it begins again.
func (r *Resolution) Params() *bufmgr.Params { return &r.params.Params }

// resolving is a resolution while it is being worked out.
type resolving struct {
	*Resolution
	prev    *Resolution
	rows    *configdb.Editor         // of Rows
	edited  bool                     // since the last derivation
	changed map[configdb.RowKey]bool // since the last derivation; also rows that are applied or derived now
	sources map[configdb.RowKey]bool // what derived rows refer to; nil but in releaseUnasked
	unasked map[configdb.RowKey]bool // derived rows that nothing asks for; nil but in releaseUnasked
}

// Resolve returns what a State comes to. prev is the resolution of another State, from which
// it takes what is the same; nil if there is none.
func Resolve(prev *Resolution, s *state.State) *Resolution {
	if prev != nil && prev.State.Revision == s.Revision && prev.State.Same(s) {
		return prev
	}
	w := begin(prev, s)
	if prev != nil && onlyFacts(prev.State, s) {
		w.derive()
		return w.Resolution
	}
	w.Verdicts, w.Deviant, w.Retained = map[configdb.RowKey]graph.Problem{}, map[configdb.RowKey]bool{}, map[configdb.RowKey]Referrers{}
	for k := range w.touched() {
		w.put(k, s.Choose(k))
	}
	for {
		w.retain()
		w.derive()
		if w.releaseUnasked() {
			w.derive()
		}
		if !w.demote() {
			return w.Resolution
		}
	}
}

func begin(prev *Resolution, s *state.State) *resolving {
	w := &resolving{prev: prev, changed: map[configdb.RowKey]bool{}}
	if prev == nil {
		w.Resolution = &Resolution{State: s, Rows: &configdb.Config{}, d: &derivation{}, applied: &appliedMemo{}}
	} else {
		next := *prev
		next.State, next.past = s, prev
		w.Resolution = &next
	}
	w.rows = w.Rows.Edit()
	return w
}

// onlyFacts reports whether two States differ in facts about the network alone: then the
// versions in effect are the same, as facts decide what ports do and no row's fate.
func onlyFacts(a, b *state.State) bool {
	c := *a
	c.Facts = b.Facts
	return c.Same(b)
}

// touched are the rows of which another version may be in effect.
func (w *resolving) touched() map[configdb.RowKey]bool {
	rows, s := map[configdb.RowKey]bool{}, w.State
	was := &state.State{}
	if w.prev != nil {
		was = w.prev.State
		maps.Copy(rows, w.prev.Deviant)
	}
	for k := range was.Records.Diff(s.Records) {
		rows[k] = true
		if was.StillDerived[k] != s.StillDerived[k] {
			w.changed[k] = true
		}
	}
	for k := range was.Applied.Diff(s.Applied) {
		rows[k] = true
		if Contested[k.Table()] {
			w.changed[k] = true
		}
	}
	for c := range was.Refused.Diff(s.Refused) {
		rows[c.Key] = true
	}
	maps.Copy(rows, was.Withheld)
	maps.Copy(rows, s.Withheld)
	return rows
}

// put makes a version of a row the one in effect; nil: none is.
func (w *resolving) put(k configdb.RowKey, row configdb.Row) {
	if w.rows.Get(k) == row {
		return
	}
	w.changed[k], w.edited = true, true
	if row == nil {
		w.rows.Remove(k)
	} else {
		w.rows.Put(row)
	}
}

// derive works out what the rows in effect ask for.
func (w *resolving) derive() {
	if w.edited {
		w.Rows, w.edited = w.rows.Config(), false
	}
	s := &intent.Snapshot{Revision: w.State.Revision, Rows: w.Rows, Accepted: w.State.Contested, Facts: w.State.Facts, Short: w.State.Short}
	w.name(s)
	s.Device = w.Device
	changed := w.effective()
	s.Rows = w.Effective.Rows
	w.d = w.d.next(s, changed)
	w.changed = map[configdb.RowKey]bool{}
}

// effective works out the effective rows. It returns all rows that changed, in either form.
func (w *resolving) effective() []configdb.RowKey {
	changed := keysOf(w.changed)
	before := w.Effective
	p := parametersFor(w.State, w.Device, w.params)
	same := p == w.params
	if same && len(changed) == 0 {
		return nil
	}
	if !same {
		w.params, w.Buffers = p, bufmgr.New(p.Params)
	}
	w.Buffers = w.Buffers.Next(bufmgr.Input{Rows: w.Rows, Derived: w.State.StillDerived, Accepted: w.State.Contested}, changed)
	w.Effective = w.Buffers.Output()
	if same {
		return append(changed, w.Effective.Changed...)
	}
	if before.Rows == nil {
		before.Rows = &configdb.Config{}
	}
	for k := range before.Rows.Diff(w.Effective.Rows) {
		changed = append(changed, k)
	}
	return changed
}

// demotable reports whether a row has an applied version that can take the place of the
// one in effect.
func (w *resolving) demotable(k configdb.RowKey) bool {
	s := w.State
	applied := s.Version(k).Row
	return applied != nil && applied != w.rows.Get(k) && s.Records.Has(k) && !s.StillDerived[k] && !s.Refused.Has(state.Candidate{Key: k, Row: applied})
}
