package resolve

import (
	"fmt"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// Referrers are the rows that refer to a removed one.
type Referrers struct {
	First configdb.RowKey
	Count int
}

// String lists the rows: "BUFFER_PG|Ethernet0|3 and 12 more".
func (r Referrers) String() string {
	if r.Count == 1 {
		return string(r.First)
	}
	return fmt.Sprintf("%s and %d more", r.First, r.Count-1)
}

// retain puts removed rows back into effect that unchanged rows in effect refer to. A
// changed row gains nothing by that: it has to wait for the removed row as if that
// were gone already, or else the moment of the change would matter.
func (w *resolving) retain() {
	if w.State.Removed.Len() == 0 {
		return
	}
	for {
		x := retention{
			resolving: w, needs: bufmgr.NewNeeds(w.rows.Config(), w.removedRows()),
			retained: map[configdb.RowKey]Referrers{}, wants: map[configdb.RowKey][]configdb.RowKey{},
		}
		x.scan(w.rows.Config())
		if !x.evict() {
			w.restore(x.retained)
			return
		}
	}
}

// retention finds out which removed rows are retained.
type retention struct {
	*resolving
	needs    *bufmgr.Needs
	retained map[configdb.RowKey]Referrers
	wants    map[configdb.RowKey][]configdb.RowKey // the removed rows that changed rows refer to
}

func (x *retention) scan(c *configdb.Config) {
	visit := func(row configdb.Row) bool {
		switch k := row.RowKey(); {
		case x.State.Removed.Has(k): // in effect only if it is retained itself
		case x.State.IsApplied(row):
			x.refer(row)
		default:
			x.want(row)
		}
		return true
	}
	c.Placed(visit)
	for _, p := range c.BufferProfiles {
		visit(p)
	}
}

// refer has a row that is applied retain what it refers to.
func (x *retention) refer(row configdb.Row) {
	for _, k := range x.needs.Of(row) {
		if !x.State.Removed.Has(k) || x.follows(row, k) {
			continue
		}
		was, again := x.retained[k]
		if !again {
			was.First = row.RowKey()
		}
		x.retained[k] = Referrers{First: min(was.First, row.RowKey()), Count: was.Count + 1}
		if !again {
			x.refer(x.State.Version(k).Row)
		}
	}
}

// follows reports whether a derived row goes with a removed one that it refers to: the
// port that it is derived for, or any, if nothing asks for the derived row any more.
func (x *retention) follows(row configdb.Row, removed configdb.RowKey) bool {
	k := row.RowKey()
	return x.State.StillDerived[k] && (removed.Table() == "PORT" || x.unasked[k] && !x.sources[removed])
}

func (x *retention) want(row configdb.Row) {
	for _, k := range x.needs.Of(row) {
		if x.State.Removed.Has(k) && !x.follows(row, k) {
			x.wants[row.RowKey()] = append(x.wants[row.RowKey()], k)
		}
	}
}

// evict takes changed rows out of effect that refer to a retained row. It reports whether
// there were any.
func (x *retention) evict() (evicted bool) {
	for k, targets := range x.wants {
		for _, t := range targets {
			if _, retained := x.retained[t]; retained {
				x.wait(k, t)
				evicted = true
				break
			}
		}
	}
	return evicted
}

// wait takes a changed row out of effect, as it refers to a removed one.
func (w *resolving) wait(k, removed configdb.RowKey) {
	w.Verdicts[k] = graph.Problem{
		Row: k, Severity: graph.Waiting, On: removed, Err: fmt.Errorf("%s was removed", removed),
	}
	w.Deviant[k] = true
	if w.demotable(k) {
		w.put(k, w.State.Version(k).Row)
		return
	}
	w.put(k, nil)
}

// restore makes the removed rows in effect those that are retained now.
func (w *resolving) restore(retained map[configdb.RowKey]Referrers) {
	for k := range w.State.Removed.All() {
		_, keep := retained[k]
		chosen := w.State.Choose(k) // not nil if the chip refused to remove it
		row := chosen
		if keep {
			row = w.State.Version(k).Row
		}
		w.put(k, row)
		if row != nil && chosen == nil {
			w.Deviant[k] = true
		}
	}
	w.Retained = retained
}

// releaseUnasked takes removed rows out of effect that were retained by derived rows alone
// which nothing asks for any more, as what they are derived from is gone too. That shows
// only when rows were derived with the removed ones in effect. It reports whether rows
// went.
func (w *resolving) releaseUnasked() bool {
	if len(w.Retained) == 0 {
		return false
	}
	w.unasked, w.sources = map[configdb.RowKey]bool{}, map[configdb.RowKey]bool{}
	for _, row := range w.Effective.Derived { // in the place of one that went there may be another
		for _, k := range configdb.References(row) {
			w.sources[k] = true
		}
	}
	for k := range w.State.StillDerived {
		if w.Effective.Derived[k] == nil {
			w.unasked[k] = true
		}
	}
	if len(w.unasked) > 0 {
		w.retain()
	}
	w.unasked, w.sources = nil, nil
	return w.edited
}

// removedRows are the removed rows as they were last applied.
func (w *resolving) removedRows() map[configdb.RowKey]configdb.Row {
	rows := make(map[configdb.RowKey]configdb.Row, w.State.Removed.Len())
	for k := range w.State.Removed.All() {
		rows[k] = w.State.Version(k).Row
	}
	return rows
}
