package orchagent

import (
	"fmt"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// holders are the rows that refer to a removed one.
type holders struct {
	first configdb.RowKey
	count int
}

// hold puts removed rows back into effect that unchanged rows in effect refer to. A
// changed row gains nothing by that: it has to wait for the removed row as if that
// were gone already, or else the moment of the change would matter.
func (r *resolver) hold(e *configdb.Editor, touched map[configdb.RowKey]bool) {
	if len(r.removed) == 0 {
		return
	}
	for {
		h := holding{resolver: r, needs: bufmgr.NewNeeds(e.Config(), r.removedRows()), held: map[configdb.RowKey]holders{}, wants: map[configdb.RowKey][]configdb.RowKey{}}
		h.scan(e.Config())
		evicted := false
		for k, targets := range h.wants {
			for _, t := range targets {
				if _, held := h.held[t]; held {
					r.evict(e, k, t)
					touched[k], evicted = true, true
					break
				}
			}
		}
		if !evicted {
			r.settleHeld(e, h.held, touched)
			return
		}
	}
}

// evict takes a changed row out of effect, as it refers to a removed one.
func (r *resolver) evict(e *configdb.Editor, k, removed configdb.RowKey) {
	r.verdicts[k] = graph.Problem{
		Row: string(k), Severity: graph.Waiting, On: string(removed), Err: fmt.Errorf("%s was removed", removed),
	}
	r.deviant[k] = true
	if r.demotable(e, k) {
		put(e, k, r.accepted[k].row)
		return
	}
	e.Remove(k)
}

// holding finds out which removed rows are held.
type holding struct {
	*resolver
	needs *bufmgr.Needs
	held  map[configdb.RowKey]holders
	wants map[configdb.RowKey][]configdb.RowKey // the removed rows that changed rows refer to
}

func (h *holding) scan(c *configdb.Config) {
	visit := func(row configdb.Row) bool {
		switch k := row.RowKey(); {
		case h.removed[k]: // in effect only if it is held itself
		case h.accepted[k].row == row:
			h.refer(row)
		default:
			h.want(row)
		}
		return true
	}
	c.Placed(visit)
	for _, p := range c.BufferProfiles {
		visit(p)
	}
}

// refer has a row in force hold what it refers to.
func (h *holding) refer(row configdb.Row) {
	for _, k := range h.needs.Of(row) {
		if !h.removed[k] || h.follows(row, k) {
			continue
		}
		was, again := h.held[k]
		if !again {
			was.first = row.RowKey()
		}
		h.held[k] = holders{first: min(was.first, row.RowKey()), count: was.count + 1}
		if !again {
			h.refer(h.accepted[k].row)
		}
	}
}

// follows reports whether a derived row goes with a removed one that it refers to: the
// port that it is derived for, or any, if nothing asks for the derived row any more.
func (h *holding) follows(row configdb.Row, removed configdb.RowKey) bool {
	k := row.RowKey()
	return h.ours[k] && (removed.Table() == "PORT" || h.unasked[k] && !h.asked[removed])
}

// letGo takes removed rows out of effect that were held by derived rows alone which
// nothing asks for any more, as what they are derived from is gone too. That shows only
// when rows were derived with the removed ones in effect. It returns the rows that went.
func (r *resolver) letGo(e *configdb.Editor) map[configdb.RowKey]bool {
	if len(r.held) == 0 {
		return nil
	}
	r.unasked, r.asked = map[configdb.RowKey]bool{}, map[configdb.RowKey]bool{}
	for _, row := range r.eff.Derived { // in the place of one that went there may be another
		for _, k := range configdb.References(row) {
			r.asked[k] = true
		}
	}
	for k := range r.ours {
		if r.eff.Derived[k] == nil {
			r.unasked[k] = true
		}
	}
	touched := map[configdb.RowKey]bool{}
	if len(r.unasked) > 0 {
		r.hold(e, touched)
	}
	r.unasked, r.asked = nil, nil
	return touched
}

func (h *holding) want(row configdb.Row) {
	for _, k := range h.needs.Of(row) {
		if h.removed[k] {
			h.wants[row.RowKey()] = append(h.wants[row.RowKey()], k)
		}
	}
}

// settleHeld makes the removed rows in effect those of now.
func (r *resolver) settleHeld(e *configdb.Editor, now map[configdb.RowKey]holders, touched map[configdb.RowKey]bool) {
	for k := range r.removed {
		_, hold := now[k]
		row := r.choose(k) // not nil if the chip refused to remove it
		if hold {
			row = r.accepted[k].row
		}
		if e.Get(k) != row {
			put(e, k, row)
			touched[k] = true
		}
		if row != nil && r.choose(k) == nil {
			r.deviant[k] = true
		}
	}
	r.held = now
}

// removedRows are the removed rows as they were last applied.
func (r *resolver) removedRows() map[configdb.RowKey]configdb.Row {
	rows := make(map[configdb.RowKey]configdb.Row, len(r.removed))
	for k := range r.removed {
		rows[k] = r.accepted[k].row
	}
	return rows
}
