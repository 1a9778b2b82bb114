package orchagent

import (
	"errors"
	"fmt"
	"maps"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/sai"
	"xon/schema/configdb"
)

// lackRoom takes up the failures of a pass that are for want of room. It reports whether
// there are any.
func (a *Agent) lackRoom(e *state.Editor) bool {
	found := intent.Shortages{}
	for k, f := range a.pass.failed {
		if errors.Is(f.Err, reconcile.ErrBlocked) || !sai.Retriable(f.Err) {
			continue
		}
		if x := a.cur.Shortage(k, f.Attr, a.has); x != nil {
			errors.As(f.Err, &x.Status)
			x.Said = a.reason(k, resolve.Blamed{}, f)
			found[k] = x
		}
	}
	if len(found) == 0 {
		return false
	}
	maps.Copy(found, e.Short)
	e.Short = found
	return true
}

// has is what the chip has of a node.
func (a *Agent) has(k graph.Key) *graph.Node {
	if a.rec == nil {
		return nil
	}
	return a.rec.Node(k)
}

// followShort is a resolution with the shortages that follow from it.
func (a *Agent) followShort(r *resolve.Resolution) *resolve.Resolution {
	short := r.Shortages(a.has)
	if maps.Equal(short, r.State.Short) {
		return r
	}
	e := r.State.Edit()
	e.Short = short
	return resolve.Resolve(r, e.Done())
}

// retryOutgrown has the chip asked again about what may find room now, as what is wanted, or
// its pool, changed.
func (a *Agent) retryOutgrown() {
	keys := a.cur.Outgrown()
	if len(keys) == 0 {
		return
	}
	e := a.edit()
	e.Short = maps.Clone(e.Short)
	for _, k := range keys {
		delete(e.Short, k)
	}
	a.resolve(e)
}

// forgetShort has the chip asked again about everything for which it had no room.
func (a *Agent) forgetShort() {
	if len(a.cur.State.Short) == 0 {
		return
	}
	e := a.edit()
	e.Short = nil
	a.resolve(e)
}

// partly reports whether a row that is blocked is in force for some of its priority groups.
func partly(blocked error) bool {
	s, ok := blocked.(*resolve.Scarce) //nolint:errorlint // never wrapped
	return ok && s.Partly()
}

// shortFaults are why a transaction can't be that asks for a profile for which the chip had
// no room before.
func (t *transaction) shortFaults() configdb.Faults {
	var faults configdb.Faults
	for _, k := range resolve.SortedKeys(t.next.State.Short) {
		x, was := t.next.State.Short[k], t.base.State.Short[k]
		if was == nil || was.Profile != x.Profile {
			faults = append(faults, &configdb.Fault{
				Kind: configdb.Chip, Row: t.next.Asks(x), Status: x.Status.Name(),
				Err: fmt.Errorf("%s the buffer of %s: %s", x.Why(), k.Name, x.Said),
			})
		}
	}
	return faults
}
