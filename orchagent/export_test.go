package orchagent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/sai"
	"xon/schema/configdb"
)

// CheckResolution compares the resolution that the agent came to step by step with what its
// State comes to at once.
func (a *Agent) CheckResolution(ctx context.Context) error {
	var err error
	stopped := a.do(ctx, func() {
		got, want := a.cur, resolve.Resolve(nil, a.cur.State)
		for _, c := range []struct{ what, got, want string }{
			{"rows in effect", rowLines(got.Rows), rowLines(want.Rows)},
			{"effective rows", rowLines(got.Effective.Rows), rowLines(want.Effective.Rows)},
			{"problems", problemLines(got), problemLines(want)},
			{"verdicts", fmt.Sprint(got.Verdicts), fmt.Sprint(want.Verdicts)},
			{"retained", fmt.Sprint(got.Retained), fmt.Sprint(want.Retained)},
			{"out", fmt.Sprint(got.Out), fmt.Sprint(want.Out)},
			{"nodes", a.desired.nodes.String(), nodesOf(want).String()},
		} {
			if c.got != c.want {
				err = fmt.Errorf("%s, step by step:\n%s\nat once:\n%s", c.what, c.got, c.want)
				return
			}
		}
	})
	return cmp.Or(stopped, err)
}

func nodesOf(r *resolve.Resolution) graph.Graph {
	g := graph.Graph{}
	r.Nodes(g, nil)
	return g
}

func rowLines(c *configdb.Config) string {
	var b strings.Builder
	for row := range c.All() {
		fmt.Fprintf(&b, "%s %v\n", row.RowKey(), configdb.Format(row))
	}
	return b.String()
}

func problemLines(r *resolve.Resolution) string {
	var lines []string
	for p := range r.Problems {
		lines = append(lines, fmt.Sprintf("%s %d %s %s %v", p.Row, p.Severity, cmp.Or(string(p.Lacks), string(p.On)), p.Field, p.Err))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Belief is what the agent takes the chip to have, and the names that it knows the
// chip's own objects by.
func (a *Agent) Belief(ctx context.Context) (g graph.Graph, adopted map[graph.Key]sai.OID) {
	_ = a.do(ctx, func() { g, adopted = a.rec.Actual(), a.cur.Adopted })
	return g, adopted
}

// Wanted is what the chip is being brought to, and the objects that there are. Only a hook of the chip may call it,
// while the agent waits for the chip.
func (a *Agent) Wanted() (g graph.Graph, handles map[graph.Key]sai.OID) {
	if a.cur == nil {
		return nil, nil
	}
	handles = maps.Clone(a.cur.Adopted)
	if a.rec != nil { // ports that the agent makes are not adopted
		maps.Copy(handles, a.rec.Handles())
	}
	return a.desired.nodes, handles
}

// EffectiveFields are the fields of an effective row; "" if there is none.
func (a *Agent) EffectiveFields(ctx context.Context, k configdb.RowKey) (text string) {
	_ = a.do(ctx, func() {
		if row := a.cur.Effective.Rows.Get(k); row != nil {
			text = fmt.Sprint(configdb.Format(row))
		}
	})
	return text
}

// Short are the priorities of each port that are to have headroom and for which there is no
// room, by the port's handle.
func (a *Agent) Short(ctx context.Context) map[sai.OID]uint64 {
	out := map[sai.OID]uint64{}
	_ = a.do(ctx, func() {
		for k, x := range a.cur.State.Short {
			if i := strings.LastIndexByte(k.Name, '|'); k.Facet == graph.Buffer && x.Wanted.Lossless() && !x.Lossless {
				n, _ := strconv.Atoi(k.Name[i+1:])
				out[x.Port] |= 1 << n
			}
		}
	})
	return out
}

// Claims are the priorities of each port for which the applied rows in effect ask for headroom,
// by the port's name. Only a hook of the chip may call it.
func (a *Agent) Claims() map[string]uint64 {
	claims, other := map[string]uint64{}, map[string]uint64{}
	if a.cur == nil {
		return claims
	}
	rows, dynamic := a.cur.Rows, a.cur.Params().IsDynamic()
	for key, row := range rows.BufferPGs {
		of := other
		p := rows.BufferProfiles[row.Profile]
		computed := dynamic && (row.Profile == configdb.DynamicHeadroom || p != nil && p.HeadroomType == configdb.Dynamic)
		if a.cur.State.Contested.BufferPGs[key] == row && (computed || p != nil && p.Xoff > 0) {
			of = claims
		}
		for _, name := range row.Ports {
			if port := rows.Ports[name]; port == nil || dynamic && !port.AdminUp {
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
		desired, away = a.desired.nodes.String(), a.rec.Plan(a.desired.nodes, reconcile.Options{})
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
			s := a.cur.State
			c = Condition{Dirty: a.pass.stateUnknown, Unfinished: a.unfinished(), Refused: s.Refused.Len()}
			for x := range s.Refused.All() {
				if rec := s.Records.Get(x.Key); rec == nil && x.Row != nil || rec != nil && rec.Row != x.Row {
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
	a.outbox.Wait(ctx, a.outbox.Taken())
}

// Tell hands over urgent news as Inform does, and does not wait.
func (a *Agent) Tell(change func(*intent.Facts)) { a.urgent.put(&urgentItem{change: change}) }

// CheckTouched compares, for a transaction that is not made, the plan of what was
// touched with the plan of everything. It reports whether there was a plan.
func (a *Agent) CheckTouched(ctx context.Context, ops []configdb.Op) (planned bool, err error) {
	stopped := a.do(ctx, func() {
		t, bad := a.propose(ops, nil)
		if bad != nil {
			return
		}
		a.become(t.next)
		defer a.become(t.base)
		if a.desired.everything || a.bound != a.cur.Device || a.limit.pending.id > 0 {
			return // everything is compared
		}
		want := a.rec.Plan(a.desired.nodes, reconcile.Options{})
		got := a.rec.Plan(a.desired.nodes, reconcile.Options{Touched: append([]graph.Key{}, a.desired.touched...)})
		planned = len(want) > 0
		if got.String() != want.String() {
			err = fmt.Errorf("plan of what was touched\n%s\nplan of everything\n%s", got, want)
		}
	})
	return planned, cmp.Or(stopped, err)
}
