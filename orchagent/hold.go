package orchagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/audit"
	"xon/orchagent/bufferorch"
	"xon/orchagent/graph"
	"xon/orchagent/pfcorch"
	"xon/orchagent/reconcile"
	"xon/schema/configdb"
)

// The guard holds a plan that takes away more than one in heldShare of the nodes that
// are there, and heldLeast at least, unless a large enough share of the rows was
// seen to change.
const (
	heldShare = 5
	heldLeast = 32
)

// hold is what the guard holds back.
type hold struct {
	id     uint64 // the number of the record; 0: nothing is held
	why    string
	lost   map[graph.Key]bool
	origin map[graph.Key][]string // the rows of what is kept, as far as they are known
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

// restrain returns what the rows ask for, but for what is held back: that stays as
// it is, with all it rests on, and so does what would go because of later changes,
// until the plan is confirmed or takes away little again. Ports that are to have other
// lanes stay too: those may belong to one that is kept.
func (a *Agent) restrain() target {
	if a.guarded.id == 0 {
		return target{nodes: a.d.nodes}
	}
	lost := a.rec.Lost(a.d.nodes)
	if !tooMany(len(lost), a.rec.Size()) {
		return target{nodes: a.d.nodes}
	}
	to := target{}
	to.nodes, to.kept = a.rec.Keep(a.d.nodes, append(lost, a.rec.Remade(a.d.nodes)...))
	for k := range to.kept {
		a.calm(to, k)
	}
	return to
}

// calm takes stormed priorities out of a kept node.
func (a *Agent) calm(to target, k graph.Key) {
	if k.Facet != graph.PFC || a.facts.Stormed(k.Name) == 0 {
		return
	}
	if n := pfcorch.Calm(to.kept[k], a.facts.Stormed(k.Name)); n != nil {
		to.nodes[k] = n
	} else {
		delete(to.nodes, k)
	}
}

// overlay has a target follow nodes that were derived anew. It returns keys.
func (a *Agent) overlay(to target, keys []graph.Key) []graph.Key {
	if to.kept == nil { // then its nodes are the derived ones
		return keys
	}
	for _, k := range keys {
		switch {
		case to.kept[k] != nil:
			a.calm(to, k)
		case a.d.nodes[k] != nil:
			to.nodes[k] = a.d.nodes[k]
		default:
			delete(to.nodes, k)
		}
	}
	return keys
}

// tooMany reports whether it is too much that goes of what is there.
func tooMany(lost, there int) bool { return lost >= heldLeast && lost*heldShare > there }

// excess says why a plan is to be held; "" if it is not, and then lost is what it takes
// away. share is that of the rows that changed: a plan may take away up to twice as
// large a share, beside what may go already.
func (a *Agent) excess(p reconcile.Plan, to target, share float64) (why string, lost []graph.Key) {
	if to.kept != nil || len(p) < heldLeast {
		return "", nil
	}
	lost = a.rec.Lost(to.nodes)
	there := a.rec.Size()
	fresh := slices.DeleteFunc(slices.Clone(lost), func(k graph.Key) bool { return a.licence[k] })
	if tooMany(len(fresh), there) {
		fresh = a.ofUse(fresh)
	}
	if !tooMany(len(fresh), there) || 2*share*float64(there) >= float64(len(fresh)) {
		return "", lost
	}
	return fmt.Sprintf("it would remove or reset %d of the %d objects and groups of settings that the chip has, while %.0f%% of the rows were seen to change: %s",
		len(fresh), there, 100*share, examples(fresh)), nil
}

// ofUse leaves out what has nothing but zero profiles, those of ports that are down: who
// takes them away takes nothing.
func (a *Agent) ofUse(keys []graph.Key) []graph.Key {
	if a.params.Zero == nil {
		return keys
	}
	zero := map[graph.Key]bool{}
	for _, p := range a.params.Zero.Profiles {
		zero[bufferorch.ProfileKey(p.Name)] = true
	}
	has := a.rec.Actual()
	return slices.DeleteFunc(keys, func(k graph.Key) bool { return rests(has[k], zero) })
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

// let has keys go without being asked about again, as when they are tried once more.
func (a *Agent) let(keys []graph.Key) {
	if a.licence == nil {
		a.licence = make(map[graph.Key]bool, len(keys))
	}
	for _, k := range keys {
		a.licence[k] = true
	}
}

// examples counts keys by type, and names the first ones.
func examples(keys []graph.Key) string {
	count := map[string]int{}
	for _, k := range keys {
		count[k.Type.String()]++
	}
	var parts []string
	for i, k := range keys {
		if i == 0 || k.Type != keys[i-1].Type {
			parts = append(parts, fmt.Sprintf("%d %s (%s, …)", count[k.Type.String()], k.Type, k.Name))
		}
	}
	return strings.Join(parts, ", ")
}

// hold holds back what the plan at hand would take away.
func (a *Agent) hold(why string) {
	h := hold{id: a.number(), why: why, lost: map[graph.Key]bool{}, origin: a.guarded.origin}
	if h.origin == nil {
		h.origin = map[graph.Key][]string{}
	}
	for _, k := range a.rec.Lost(a.d.nodes) {
		h.lost[k] = true
	}
	a.guarded = h
	a.trace.record.Outcome = audit.Held
	a.trace.fault("held by the guard: " + why + "; let it go on with: xonctl confirm " + fmt.Sprint(h.id))
	a.log.WithField("plan", h.id).WithField("why", why).Error("held by the guard until it is confirmed")
}

// regard takes note of what is held back by now: nothing, if the reason is gone; by
// another number, if more would go than whoever confirms has been told.
func (a *Agent) regard(to target) target {
	switch {
	case a.guarded.id == 0:
	case to.kept == nil:
		a.log.WithField("plan", a.guarded.id).Info("no longer held by the guard")
		a.guarded = hold{}
	default:
		lost := a.rec.Lost(a.d.nodes)
		if slices.ContainsFunc(lost, func(k graph.Key) bool { return !a.guarded.lost[k] }) {
			a.hold(fmt.Sprintf("it would by now remove or reset %d of the %d objects and groups of settings that the chip has: %s",
				len(lost), a.rec.Size(), examples(lost)))
		}
	}
	return to
}

// waitHeld has the rows wait whose nodes are held back.
func (a *Agent) waitHeld() {
	h := &a.guarded
	if h.id == 0 {
		return
	}
	why := &pause{
		on:  fmt.Sprintf("plan %d", h.id),
		why: fmt.Sprintf("held by the guard, plan %d; let it go on with: xonctl confirm %d", h.id, h.id),
	}
	kept := a.restrain().kept
	for k, n := range kept {
		if want := a.d.nodes[k]; want != nil && slices.Equal(want.Attrs, n.Attrs) {
			continue
		}
		if rows := a.owners(k); len(rows) > 0 {
			h.origin[k] = rows
		}
		a.pass.wait(a.originOf(k), why)
	}
	for k := range a.pass.failed {
		if a.behindHeld(k, kept) {
			a.pass.wait(a.owners(k), why)
		}
	}
	for k := range a.removed {
		if _, used := a.held[k]; !used {
			a.pass.wait([]string{string(k)}, why)
		}
	}
}

// behindHeld reports whether a node could not be had because of what is held back: of a
// port that is to have the lanes of one that stays, neither it nor what belongs to it.
func (a *Agent) behindHeld(k graph.Key, kept graph.Graph) bool {
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

// originOf returns the rows of what is held. After a restart nobody knows which rows
// something was for that no row asks for; that a port is up can only be its own row's.
func (a *Agent) originOf(k graph.Key) []string {
	if rows := a.guarded.origin[k]; len(rows) > 0 {
		return rows
	}
	if row := configdb.Key("PORT", k.Name); k.Facet == graph.Admin && a.records[row] != nil {
		return []string{string(row)}
	}
	return nil
}

// arrived ends what a pass was allowed to take away: the chip has all that was asked,
// or what is still to be tried again takes nothing away.
func (a *Agent) arrived(res *reconcile.Result) {
	if res.Dirty || len(res.Failed)+len(res.Leftover) > 0 && len(a.rec.Lost(a.d.nodes)) > 0 {
		return
	}
	for c, x := range a.refused {
		if x.retry && a.accepted[c.key].row != nil { // of a row that is new nothing can go
			return
		}
	}
	a.licence = nil
}

// share is the share of rows that changed or went, of those that were there; rows
// are there now. Those count too that others, swept, took with them.
func (t *trace) share(rows, swept int) float64 {
	return float64(t.replaced+t.removed+swept) / float64(max(1, rows-t.added+t.removed))
}

// share is the share of rows that the transaction changes.
func (t *transaction) share() float64 {
	var c trace
	for k, before := range t.was.records {
		c.changed(k, before, t.changes[k])
	}
	return c.share(len(t.records), t.swept)
}

// target returns what the transaction brings to the chip. It leaves alone what the
// guard holds, confirmed or not, as that is another plan; it can't be if its rows are
// part of that.
func (t *transaction) target() (target, error) {
	to := t.restrain()
	for k, n := range to.kept {
		if want := t.d.nodes[k]; want != nil && slices.Equal(want.Attrs, n.Attrs) {
			continue
		}
		for _, row := range t.owners(k) {
			if _, mine := t.changes[configdb.RowKey(row)]; mine {
				return to, &Held{ID: t.guarded.id, Why: fmt.Sprintf("%s is a part of plan %d, or rests on it: %s", row, t.guarded.id, t.guarded.why)}
			}
		}
	}
	return to, nil
}

// dropped takes back a transaction that was not begun.
func (t *transaction) dropped(err error) error {
	t.trace.record.Outcome = audit.Refused
	t.abandon()
	t.pass.failed, t.pass.leftover = t.was.failed, t.was.leftover
	t.rebind()
	if t.halted > 0 {
		t.halt()
	}
	return err
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
		if id == 0 || id != a.halted && id != a.guarded.id {
			failed = fmt.Errorf("%w: %d", ErrNoPlan, id)
			return
		}
		a.traced(audit.Confirm, req.Who, func() { a.confirm(id, req) })
	})
	return errors.Join(err, failed)
}

func (a *Agent) confirm(id uint64, req Request) {
	a.begin()
	if id == a.guarded.id {
		a.guarded = hold{}
		a.let(a.rec.Lost(a.d.nodes))
	}
	a.goesOn()
	a.pass.disruptive = req.Disruptive
	a.bestEffort()
	a.conclude(nil)
}
