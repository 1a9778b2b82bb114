package orchagent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
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
		s := &intent.Snapshot{Revision: a.revision, Rows: a.rows, Accepted: a.competing, Device: a.device}
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
