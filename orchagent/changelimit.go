package orchagent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"xon/orchagent/audit"
	"xon/orchagent/bufferorch"
	"xon/orchagent/changelimit"
	"xon/orchagent/graph"
	"xon/orchagent/pfcorch"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/schema/configdb"
)

// changeLimit is the plan that waits to be confirmed, if any, and what may go without.
type changeLimit struct {
	pending pendingPlan
	// approved are nodes that may go without confirmation: the limit let them go before, or
	// somebody confirmed it.
	approved map[graph.Key]bool
}

// pendingPlan is what the change limit holds back.
type pendingPlan struct {
	id      uint64 // the number of the record; 0: nothing is held back
	why     string
	lost    map[graph.Key]bool
	sources map[graph.Key][]configdb.RowKey // the rows of what is kept, as far as they are known
}

// Held is the error of a transaction that the guard did not let pass. Nothing was
// changed.
type Held struct {
	ID  uint64 // of the held plan that is in the way; 0 if it is this transaction itself
	Why string
}

// Error implements error.
func (h *Held) Error() string { return "held by the guard: " + h.Why }

// target is what is to be brought to the chip.
type target struct {
	nodes graph.Graph
	kept  graph.Graph // nodes that are held back, as the chip has them; nil: nothing is
}

// desiredWithinLimit returns what the rows ask for, but for what is held back: that stays as
// it is, with all it rests on, and so does what would go because of later changes,
// until the plan is confirmed or takes away little again. Ports that are to have other
// lanes stay too: those may belong to one that is kept.
func (a *Agent) desiredWithinLimit() target {
	nodes := a.desired.nodes
	if a.limit.pending.id == 0 {
		return target{nodes: nodes}
	}
	lost := a.rec.Lost(nodes)
	if !changelimit.Exceeds(len(lost), a.rec.Size()) {
		return target{nodes: nodes}
	}
	to := target{}
	to.nodes, to.kept = a.rec.Keep(nodes, append(lost, a.rec.Remade(nodes)...))
	for k := range to.kept {
		a.withoutStormed(to, k)
	}
	return to
}

// withoutStormed takes stormed priorities out of a kept node.
func (a *Agent) withoutStormed(to target, k graph.Key) {
	if k.Facet != graph.PFC || a.facts.Stormed(k.Name) == 0 {
		return
	}
	if n := pfcorch.Calm(to.kept[k], a.facts.Stormed(k.Name)); n != nil {
		to.nodes[k] = n
	} else {
		delete(to.nodes, k)
	}
}

// overlay makes a target follow nodes that were derived again. It returns keys.
func (a *Agent) overlay(to target, keys []graph.Key) []graph.Key {
	if to.kept == nil { // then its nodes are the derived ones
		return keys
	}
	for _, k := range keys {
		switch n := a.desired.nodes[k]; {
		case to.kept[k] != nil:
			a.withoutStormed(to, k)
		case n != nil:
			to.nodes[k] = n
		default:
			delete(to.nodes, k)
		}
	}
	return keys
}

// excess says why a plan is to be confirmed first; "" if it is not, and then lost is what it
// takes away. changed is the share of rows that were seen to change.
func (a *Agent) excess(p reconcile.Plan, to target, changed func() float64) (why string, lost []graph.Key) {
	if to.kept != nil || changelimit.Small(len(p)) {
		return "", nil
	}
	lost = a.rec.Lost(to.nodes)
	why = changelimit.Check(changelimit.Plan{
		Lost: lost, There: a.rec.Size(), Changed: changed(), Unused: a.unused(),
		Approved: func(k graph.Key) bool { return a.limit.approved[k] },
	})
	if why != "" {
		return why, nil
	}
	return "", lost
}

// unused reports which nodes have nothing but zero profiles, those of ports that are down: to
// take them away takes nothing.
func (a *Agent) unused() func(graph.Key) bool {
	profiles := a.cur.Params().Zero
	if profiles == nil {
		return nil
	}
	zero := map[graph.Key]bool{}
	for _, p := range profiles.Profiles {
		zero[bufferorch.ProfileKey(p.Name)] = true
	}
	return func(k graph.Key) bool { return rests(a.rec.Node(k), zero) }
}

// rests reports whether a node is nothing but references to some of the targets.
func rests(n *graph.Node, on map[graph.Key]bool) bool {
	if n == nil || len(n.Attrs) == 0 {
		return false
	}
	for _, attr := range n.Attrs {
		refers := false
		for t := range attr.Value.Targets() {
			if !on[t] {
				return false
			}
			refers = true
		}
		if !refers {
			return false
		}
	}
	return true
}

// approve records removals that need no further confirmation, as when they are retried.
func (a *Agent) approve(keys []graph.Key) {
	if a.limit.approved == nil {
		a.limit.approved = make(map[graph.Key]bool, len(keys))
	}
	for _, k := range keys {
		a.limit.approved[k] = true
	}
}

// holdPlan holds back what the plan at hand would take away.
func (a *Agent) holdPlan(why string) {
	p := pendingPlan{id: a.number(), why: why, lost: map[graph.Key]bool{}, sources: a.limit.pending.sources}
	if p.sources == nil {
		p.sources = map[graph.Key][]configdb.RowKey{}
	}
	for _, k := range a.rec.Lost(a.desired.nodes) {
		p.lost[k] = true
	}
	a.limit.pending = p
	a.trace.record.Outcome = audit.Held
	a.trace.fault("held by the guard: " + why + "; let it go on with: xonctl confirm " + fmt.Sprint(p.id))
	a.log.WithField("plan", p.id).WithField("why", why).Error("held by the guard until it is confirmed")
}

// refreshPending notes what is held back now: nothing, if the reason is gone; by another
// number, if more would go than the operator has seen.
func (a *Agent) refreshPending(to target) target {
	switch {
	case a.limit.pending.id == 0:
	case to.kept == nil:
		a.log.WithField("plan", a.limit.pending.id).Info("no longer held by the guard")
		a.limit.pending = pendingPlan{}
	default:
		lost := a.rec.Lost(a.desired.nodes)
		if slices.ContainsFunc(lost, func(k graph.Key) bool { return !a.limit.pending.lost[k] }) {
			a.holdPlan(changelimit.Grown(lost, a.rec.Size()))
		}
	}
	return to
}

// waitForConfirm makes the rows wait whose nodes are held back.
func (a *Agent) waitForConfirm() {
	p := &a.limit.pending
	if p.id == 0 {
		return
	}
	why := &resolve.Pause{
		On:  fmt.Sprintf("plan %d", p.id),
		Why: fmt.Sprintf("held by the guard, plan %d; let it go on with: xonctl confirm %d", p.id, p.id),
	}
	kept := a.desiredWithinLimit().kept
	for k, n := range kept {
		if want := a.desired.nodes[k]; want != nil && slices.Equal(want.Attrs, n.Attrs) {
			continue
		}
		if rows := a.cur.Owners(k); len(rows) > 0 {
			p.sources[k] = rows
		}
		a.pass.wait(a.sourcesOfKept(k), why)
	}
	for k := range a.pass.failed {
		if a.blockedByKept(k, kept) {
			a.pass.wait(a.cur.Owners(k), why)
		}
	}
	for k := range a.cur.State.Removed.All() {
		if _, used := a.cur.Retained[k]; !used {
			a.pass.wait([]configdb.RowKey{k}, why)
		}
	}
}

// blockedByKept reports whether a node could not be had because of what is held back: of a
// port that is to have the lanes of one that stays, neither it nor what belongs to it.
func (a *Agent) blockedByKept(k graph.Key, kept graph.Graph) bool {
	for range a.pass.failed {
		f := a.pass.failed[k]
		if f == nil || !errors.Is(f.Err, reconcile.ErrBlocked) {
			return false
		}
		if k = f.On; kept[k] != nil {
			return true
		}
	}
	return false
}

// sourcesOfKept returns the rows of what is held back. After a restart nobody knows which rows
// something was for that no row asks for; that a port is up can only be its own row's.
func (a *Agent) sourcesOfKept(k graph.Key) []configdb.RowKey {
	if rows := a.limit.pending.sources[k]; len(rows) > 0 {
		return rows
	}
	if row := configdb.Key("PORT", k.Name); k.Facet == graph.Admin && a.cur.State.Records.Has(row) {
		return []configdb.RowKey{row}
	}
	return nil
}

// passDone ends what a pass was allowed to take away: the chip has all that was asked,
// or what is still to be tried again takes nothing away.
func (a *Agent) passDone() {
	if a.pass.stateUnknown || (len(a.pass.failed) > 0 || a.pass.leftover) && len(a.rec.Lost(a.desired.nodes)) > 0 {
		return
	}
	for c := range a.cur.State.Retriable {
		if a.cur.State.Applied.Has(c.Key) { // of a row that is new nothing can go
			return
		}
	}
	a.limit.approved = nil
}

// ErrNoPlan is the error of a Confirm of what does not wait for it.
var ErrNoPlan = errors.New("no such plan waits to be confirmed")

// Confirm lets a plan go on that was held or aborted: id is the number of its
// record. Of req only Who and Disruptive count. It returns when the chip has
// followed as far as it could. The error matches ErrNoPlan if the plan does not wait
// any more, or another one does.
func (a *Agent) Confirm(ctx context.Context, id uint64, req Request) error {
	var failed error
	err := a.do(ctx, func() {
		if id == 0 || id != a.halted && id != a.limit.pending.id {
			failed = fmt.Errorf("%w: %d", ErrNoPlan, id)
			return
		}
		a.traced(audit.Confirm, req.Who, func() { a.confirm(id, req) })
	})
	return errors.Join(err, failed)
}

func (a *Agent) confirm(id uint64, req Request) {
	a.begin()
	if id == a.limit.pending.id {
		a.limit.pending = pendingPlan{}
		a.approve(a.rec.Lost(a.desired.nodes))
	}
	a.unhalt()
	a.pass.disruptive = req.Disruptive
	a.converge()
	a.conclude(nil)
}
