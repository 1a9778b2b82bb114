package orchagent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/sai"
	"xon/schema/configdb"
)

// resolver works out which version of each row is in effect, and what that means
// for the chip.
//
// The version to try is that of CONFIG_DB. Where it does not parse, is refused or
// has to wait, the last accepted one takes its place, so that a bad row loses
// nothing that was in force. A row that was removed stays, as accepted, for as
// long as an unchanged row in force refers to it. All of this is a function of
// records, accepted versions, the chip's refusals and the device: in which order
// they came about makes no difference.
type resolver struct {
	*content
	inv     *inventory.Inventory
	refused refusals
	told    map[configdb.RowKey]*refusal // what of refused was published
	d       *deriver
	effects
	// limit says what the chip would take for an attribute that it refused with err,
	// in words that go on after the status; "" if nobody knows.
	limit func(k graph.Key, attr *sai.AttrMeta, err error) string

	// deferred are rows whose version of CONFIG_DB is not to be tried for now.
	deferred map[configdb.RowKey]bool

	facts   *intent.Facts // nil: nothing was found out
	device  *intent.Device
	adopted map[graph.Key]sai.OID
	named   map[string]*configdb.Port // the rows that device is named by
	lamed   map[string]bool           // ports that had a row in force and have one that is not
	// there is device without the ports that are still to be made.
	there *intent.Device
	// renew says that the ports are to be named anew, whatever the rows are.
	renew bool

	revision uint64
	rows     *configdb.Config // the versions in effect, as CONFIG_DB has them
	// deviant are the rows whose version in effect is not the one to try.
	deviant map[configdb.RowKey]bool
	// verdicts say why the version to try is not in force.
	verdicts map[configdb.RowKey]graph.Problem
	// held are removed rows that are still referred to.
	held map[configdb.RowKey]holders
	// unasked are derived rows that nothing asks for any more; nil but in letGo.
	unasked map[configdb.RowKey]bool
	// asked are the rows that other derived rows refer to; nil but in letGo.
	asked map[configdb.RowKey]bool
	// out are rows of which no version is in force.
	out map[configdb.RowKey]bool
	// stale are rows whose acceptance changed and matters to others that compete.
	stale []configdb.RowKey
}

func newResolver(c *content, inv *inventory.Inventory, files bufmgr.Params) *resolver {
	return &resolver{
		effects: newEffects(files),
		content: c, inv: inv, refused: refusals{}, told: map[configdb.RowKey]*refusal{}, d: newDeriver(), rows: &configdb.Config{},
		deviant: map[configdb.RowKey]bool{}, held: map[configdb.RowKey]holders{},
	}
}

// choose returns the version of a row to try, nil for none.
func (r *resolver) choose(k configdb.RowKey) configdb.Row {
	rec, acc := r.records[k], r.accepted[k].row
	switch {
	case r.deferred[k]:
	case rec == nil && r.refused[candidate{k, nil}] == nil && !configdb.Keeps(k.Table()):
		return nil
	case rec != nil && rec.row != nil && r.refused[candidate{k, rec.row}] == nil:
		return rec.row
	}
	if acc != nil && r.refused[candidate{k, acc}] == nil {
		return acc
	}
	return nil
}

// resolve takes up changed rows: content has their records already.
func (r *resolver) resolve(changed []configdb.RowKey) {
	touched := map[configdb.RowKey]bool{}
	for _, list := range [][]configdb.RowKey{changed, r.stale, r.forget()} {
		for _, k := range list {
			touched[k] = true
		}
	}
	maps.Copy(touched, r.deviant)
	maps.Copy(r.d.judged, touched)
	r.concernHeld()
	r.stale = nil
	r.verdicts, r.deviant = map[configdb.RowKey]graph.Problem{}, map[configdb.RowKey]bool{}
	r.held = map[configdb.RowKey]holders{}
	r.renew = r.device == nil || r.inv.Changed()
	e := r.rows.Edit()
	for k := range touched {
		put(e, k, r.choose(k))
	}
	for {
		r.hold(e, touched)
		r.derive(e.Config(), touched)
		if touched = r.letGo(e); len(touched) > 0 {
			r.derive(e.Config(), touched)
		}
		if touched = r.demote(e); len(touched) == 0 {
			break
		}
	}
	r.concernHeld()
	for k, p := range r.verdicts {
		if r.d.judged[configdb.RowKey(p.On)] { // it may wait for the same for another reason
			r.d.judged[k] = true
		}
	}
}

// concernHeld has the rows looked at that are held, and the rows that hold them.
func (r *resolver) concernHeld() {
	for k, h := range r.held {
		r.d.judged[k], r.d.judged[h.first] = true, true
	}
}

func put(e *configdb.Editor, k configdb.RowKey, row configdb.Row) {
	if row == nil {
		e.Remove(k)
	} else if e.Get(k) != row {
		e.Put(row)
	}
}

// derive derives the rows in effect.
func (r *resolver) derive(rows *configdb.Config, touched map[configdb.RowKey]bool) {
	r.rows = rows
	s := &intent.Snapshot{Revision: r.revision, Rows: rows, Accepted: r.competing, Facts: r.facts}
	keys := slices.Collect(maps.Keys(touched))
	if r.renew || slices.ContainsFunc(keys, r.renames) {
		r.name(s)
	}
	s.Device = r.device
	s.Rows, keys = r.effect(rows, keys)
	r.d.derive(s, keys)
}

// demotable reports whether a row has an accepted version that can take the place
// of the one in effect.
func (r *resolver) demotable(e *configdb.Editor, k configdb.RowKey) bool {
	acc := r.accepted[k].row
	return acc != nil && acc != e.Get(k) && r.records[k] != nil && !r.ours[k] && r.refused[candidate{k, acc}] == nil
}

// demote replaces versions that can't be in force by accepted ones, and returns
// the rows replaced. Those that only wait for another row which is replaced are
// looked at again after that.
func (r *resolver) demote(e *configdb.Editor) map[configdb.RowKey]bool {
	bad := r.bad()
	demotable := func(k configdb.RowKey) bool { return r.demotable(e, k) }
	demoted := map[configdb.RowKey]bool{}
	for _, k := range slices.Sorted(maps.Keys(bad)) {
		p := r.origin(k, bad[k])
		blamed := configdb.RowKey(p.Row)
		evicted := blamed != k && r.accepted[blamed].row == nil // see robber
		if (evicted || demotable(blamed)) && !r.waitsForDemotable(bad, p, demotable) && !demoted[blamed] {
			demoted[blamed] = true
			r.verdicts[blamed] = p
		}
	}
	for k := range demoted {
		put(e, k, r.accepted[k].row)
		r.deviant[k] = true
	}
	if len(demoted) > 0 {
		return demoted
	}
	r.out = map[configdb.RowKey]bool{}
	for k, p := range bad {
		r.out[k] = true
		if _, ok := r.verdicts[k]; !ok {
			r.verdicts[k] = p
		}
	}
	return nil
}

// origin puts the refusal of an unchanged row down to the row that it does not fit, or
// one that this needs, if that changed: what was in force must not be lost for what
// changed.
func (r *resolver) origin(k configdb.RowKey, p graph.Problem) graph.Problem {
	if by := r.robber(k, p); by != "" {
		return graph.Problem{Row: string(by), Severity: graph.Refused, Err: fmt.Errorf("%s would lose what it has: %w", k, p.Err)}
	}
	on := candidate{configdb.RowKey(p.On), r.rows.Get(configdb.RowKey(p.On))}
	self := candidate{k, r.rows.Get(k)}
	if p.Severity != graph.Refused || r.accepted[k].row != self.row {
		return p
	}
	switch {
	case on.row == nil:
		on = r.changedOrigin(k)
	case r.accepted[on.key].row == on.row:
		on = r.changedNeed(on)
	}
	if on.key == "" {
		return p
	}
	return graph.Problem{Row: string(on.key), Severity: graph.Refused, Err: fmt.Errorf("%s: %w", k, p.Err)}
}

// bad returns the gravest problem of each row that is not in force.
func (r *resolver) bad() map[configdb.RowKey]graph.Problem {
	bad := map[configdb.RowKey]graph.Problem{}
	for p := range r.problems {
		if p.Severity == graph.Warned {
			continue
		}
		k := configdb.RowKey(p.Row)
		p = r.untried(p)
		if have, ok := bad[k]; !ok || compareProblems(p, have) < 0 {
			bad[k] = p
		}
	}
	return bad
}

// untried is a problem that, if it is about a row which is there but of which no version
// can be tried, says that and not that the row, or what is in it, does not exist.
func (r *resolver) untried(p graph.Problem) graph.Problem {
	if on := configdb.RowKey(p.On); r.records[on] != nil && r.rows.Get(on) == nil {
		p.Err = fmt.Errorf("%s is not in force", on)
	}
	return p
}

// compareProblems puts the gravest problem first.
func compareProblems(a, b graph.Problem) int {
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.On, b.On), cmp.Compare(a.Err.Error(), b.Err.Error()),
	)
}

// waitsForDemotable follows what a row waits for, and reports whether a row on the
// way is about to be replaced.
func (r *resolver) waitsForDemotable(bad map[configdb.RowKey]graph.Problem, p graph.Problem, demotable func(configdb.RowKey) bool) bool {
	for range len(bad) { // rows may wait for each other
		on := configdb.RowKey(p.On)
		next, ok := bad[on]
		switch {
		case p.Severity != graph.Waiting || !ok:
			return false
		case demotable(on):
			return true
		}
		p = next
	}
	return false
}
