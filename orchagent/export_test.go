package orchagent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/configdb"
)

// CheckSharded compares what the agent derived step by step with what Derive makes
// of the same rows at once.
func (a *Agent) CheckSharded(ctx context.Context) error {
	var err error
	stopped := a.do(ctx, func() {
		before := a.d.nodes.String()
		a.resolve(nil) // takes up what was accepted last
		defer a.settled()
		if after := a.d.nodes.String(); after != before {
			err = fmt.Errorf("not settled, before:\n%s\nafter:\n%s", before, after)
			return
		}
		effective := bufmgr.Effective(*a.params, bufmgr.Input{Rows: a.rows, Derived: a.derivedRows(), Accepted: a.competing})
		if got, want := rowLines(a.eff.Rows), rowLines(effective.Rows); got != want {
			err = fmt.Errorf("effective rows, sharded:\n%s\nfull:\n%s", got, want)
			return
		}
		if got, want := problemLines(a.eff.Problems), problemLines(effective.Problems); got != want {
			err = fmt.Errorf("problems of the buffer manager, sharded:\n%s\nfull:\n%s", got, want)
			return
		}
		s := &intent.Snapshot{Revision: a.revision, Rows: effective.Rows, Accepted: a.competing, Device: a.device, Facts: a.facts}
		full := Derive(s)
		if got, want := a.d.nodes.String(), full.Nodes.String(); got != want {
			err = fmt.Errorf("sharded:\n%s\nfull:\n%s", got, want)
			return
		}
		if got, want := problemLines(slices.Collect(a.d.problems)), problemLines(full.Problems); got != want {
			err = fmt.Errorf("sharded:\n%s\nfull:\n%s", got, want)
		}
	})
	return cmp.Or(stopped, err)
}

func rowLines(c *configdb.Config) string {
	var b strings.Builder
	for row := range c.All() {
		fmt.Fprintf(&b, "%s %v\n", row.RowKey(), configdb.Format(row))
	}
	return b.String()
}

func problemLines(problems []graph.Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = fmt.Sprintf("%s %d %s %s %v", p.Row, p.Severity, p.On, p.Field, p.Err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Belief is what the agent takes the chip to have, and the names that it knows the
// chip's own objects by.
func (a *Agent) Belief(ctx context.Context) (g graph.Graph, adopted map[graph.Key]sai.OID) {
	_ = a.do(ctx, func() { g, adopted = a.rec.Actual(), a.adopted })
	return g, adopted
}

// Wanted is what the chip is being brought to, and the objects that there are. Only a hook of the chip may call it,
// while the agent waits for the chip.
func (a *Agent) Wanted() (g graph.Graph, handles map[graph.Key]sai.OID) {
	if a.resolver == nil {
		return nil, nil
	}
	handles = maps.Clone(a.adopted)
	if a.rec != nil { // ports that the agent makes are not adopted
		maps.Copy(handles, a.rec.Handles())
	}
	return a.d.nodes, handles
}

// Claims are the priorities of each port for which the applied rows in effect ask for headroom,
// by the port's name. Only a hook of the chip may call it.
func (a *Agent) Claims() map[string]uint64 {
	claims, other := map[string]uint64{}, map[string]uint64{}
	if a.resolver == nil || a.params == nil {
		return claims
	}
	for key, row := range a.rows.BufferPGs {
		of := other
		p := a.rows.BufferProfiles[row.Profile]
		computed := a.params.IsDynamic() && (row.Profile == configdb.DynamicHeadroom || p != nil && p.HeadroomType == configdb.Dynamic)
		if a.competing.BufferPGs[key] == row && (computed || p != nil && p.Xoff > 0) {
			of = claims
		}
		for _, name := range row.Ports {
			if port := a.rows.Ports[name]; port == nil || a.params.IsDynamic() && !port.AdminUp {
				continue
			}
			for i := row.Lo; i <= row.Hi; i++ {
				of[name] |= 1 << i
			}
		}
	}
	for name := range claims {
		claims[name] &^= other[name]
	}
	return claims
}

// Desired is what rows, accepted versions and refusals ask for, and how many steps
// away the chip is from it.
func (a *Agent) Desired(ctx context.Context) (desired string, away reconcile.Plan) {
	_ = a.do(ctx, func() {
		a.resolve(nil)
		defer a.settled()
		desired, away = a.d.nodes.String(), a.rec.Plan(a.d.nodes, reconcile.Options{})
	})
	return desired, away
}

// Condition is what an agent knows of how it stands.
type Condition struct {
	Dirty      bool // what the chip has is not known
	Unfinished bool // there is something to try again
	Refused    int  // versions of rows that the chip refused
	Untold     int  // of them, those that CONFIG_DB does not have, which nobody is told of
}

// Condition tells how the agent stands.
func (a *Agent) Condition(ctx context.Context) (c Condition) {
	_ = a.do(ctx, func() {
		if a.rec != nil {
			c = Condition{Dirty: a.pass.dirty, Unfinished: a.unfinished(), Refused: len(a.refused)}
			for x := range a.refused {
				if rec := a.records[x.key]; rec == nil && x.row != nil || rec != nil && rec.row != x.row {
					c.Untold++
				}
			}
		}
	})
	return c
}

// Retry does what the agent does when it is time to try again.
func (a *Agent) Retry(ctx context.Context) {
	_ = a.do(ctx, func() { a.traced(audit.Retry, "", a.retry) })
}

// Published returns when everything that was reported so far has been published.
func (a *Agent) Published(ctx context.Context) {
	a.outbox.mu.Lock()
	n := a.outbox.put
	a.outbox.mu.Unlock()
	a.outbox.wait(ctx, n)
}

// Tell hands over urgent news as Inform does, and does not wait.
func (a *Agent) Tell(change func(*intent.Facts)) { a.news.put(&item{change: change}) }

// CheckTouched compares, for a transaction that is not made, the plan of what was
// touched with the plan of everything. It reports whether there was a plan.
func (a *Agent) CheckTouched(ctx context.Context, ops []configdb.Op) (planned bool, err error) {
	stopped := a.do(ctx, func() {
		t, bad := a.propose(ops)
		if bad != nil {
			return
		}
		defer a.settled()
		defer t.abandon()
		if a.d.anyTouched || a.bound != a.device || a.guarded.id > 0 {
			return // everything is compared
		}
		want := a.rec.Plan(a.d.nodes, reconcile.Options{})
		got := a.rec.Plan(a.d.nodes, reconcile.Options{Touched: append([]graph.Key{}, a.d.touched...)})
		planned = len(want) > 0
		if got.String() != want.String() {
			err = fmt.Errorf("plan of what was touched\n%s\nplan of everything\n%s", got, want)
		}
	})
	return planned, cmp.Or(stopped, err)
}

// DeriveNodes is Derive as the agent does it, without the list of origins.
func DeriveNodes(s *intent.Snapshot) graph.Graph {
	d := newDeriver()
	d.derive(s, nil)
	return d.nodes
}
