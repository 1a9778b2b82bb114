package orchagent_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
)

// Each test here is about a mistake in the smallest configuration that shows it. The
// random walks found them, or did not when they were put in on purpose.

// A transaction that the database refuses leaves no trace in the chip, not even of an
// attribute that SAI states no default for: here the speed of a port without a row.
func TestConflictLeavesNoTrace(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	r.load(small())
	before := r.actual().String()
	r.db.fail = &configdb.Fault{Kind: configdb.Conflict, Row: "PORT|Ethernet8"}
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"PORT|Ethernet8": {"lanes": "9,10,11,12", "speed": "50000"}})})
	if err == nil {
		t.Fatal("no conflict")
	}
	if diff := cmp.Diff(before, r.actual().String()); diff != "" {
		t.Errorf("the chip differs (-before +after):\n%s", diff)
	}
}

// refuseNull has the chip refuse to take a profile off a priority group.
func refuseNull(c vsai.Call) sai.Status {
	if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeIngressPriorityGroup && !c.IsBulk() && c.Attrs[0].Num == 0 {
		return sai.StatusFailure
	}
	return 0
}

// strange starts an agent on a chip on which one before it, of which nothing is known
// any more, has bound a priority group, and which does not let go of that.
func strange(t *testing.T, now rows) *rig {
	r := newRig(t, 2)
	r.load(small(), configdb.RawRows{"BUFFER_PG|Ethernet0|5": {"profile": "lossy"}})
	r.stop()
	accepted := maps.Clone(r.pub.accepted)
	delete(accepted, "BUFFER_PG|Ethernet0|5")
	r.db.set("BUFFER_PG|Ethernet0|5", nil)
	for k, f := range now {
		r.db.set(k, f)
	}
	r.start(&recorder{accepted: accepted})
	r.chip.OnCall(refuseNull)
	r.load()
	return r
}

// What is stuck because of something that no row asks for is tried again, after a
// transaction that was undone too.
func TestUndoneTransactionForgetsNothing(t *testing.T) {
	t.Parallel()
	r := strange(t, nil)
	hit := failAt(r.chip, 1, sai.StatusNotSupported)
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"SCHEDULER|new": {"type": "WRR"}})})
	if err == nil || !*hit {
		t.Fatalf("hit %v: %v", *hit, err)
	}
	r.chip.OnCall(nil)
	if !r.agent.Condition(t.Context()).Unfinished {
		t.Error("nothing is left to do")
	}
	r.agent.Retry(t.Context())
	if n := r.actual()[graph.Key{Type: sai.ObjectTypeIngressPriorityGroup, Name: "Ethernet0|5", Facet: graph.Buffer}]; n != nil {
		t.Errorf("still there: %v", n.Attrs)
	}
}

// A row is accepted when the chip has it, and not while something that no row asks for
// is in its way.
func TestStuckIsNotAccepted(t *testing.T) {
	t.Parallel()
	const lossy = "BUFFER_PROFILE|lossy"
	r := strange(t, rows{lossy: with(lossy, fields{"dynamic_th": "1"})})
	r.agent.Published(t.Context())
	if th := r.accepted(lossy)["dynamic_th"]; th == "1" {
		t.Error("accepted while stuck")
	}
	r.chip.OnCall(nil)
	r.agent.Retry(t.Context())
	r.agent.Published(t.Context())
	if th := r.accepted(lossy)["dynamic_th"]; th != "1" {
		t.Errorf("dynamic_th %q is accepted in the end", th)
	}
}

// The accepted version of a row goes with the row.
func TestRemovedIsNotAccepted(t *testing.T) {
	t.Parallel()
	const row = "SCHEDULER|new"
	r := newRig(t, 2)
	r.load(small(), configdb.RawRows{row: {"type": "WRR"}})
	r.agent.Published(t.Context())
	if r.accepted(row) == nil {
		t.Error("not accepted")
	}
	r.change(rows{row: nil})
	r.agent.Published(t.Context())
	if f := r.accepted(row); f != nil {
		t.Errorf("still accepted: %v", f)
	}
}

// accepted is the accepted version of a row that was published.
func (r *rig) accepted(k configdb.RowKey) configdb.Fields {
	r.pub.mu.Lock()
	defer r.pub.mu.Unlock()
	return r.pub.accepted[k]
}

// A profile that loses its headroom is told of at the ports that pause on it, although
// nothing else of theirs changed.
func TestHeadroomGoes(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.change(rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": ""})})
	if err := r.agent.CheckResolution(t.Context()); err != nil {
		t.Error(err)
	}
	if w := r.agent.Fates()["PORT_QOS_MAP|Ethernet0"].Warnings; len(w) == 0 {
		t.Error("no warning")
	}
}

// Which pools are in force matters to one that got no memory: it is told how much the
// others have, those included that came after it by name.
func TestCompetitorsHear(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	pool := func(mib string) fields { return fields{"type": "ingress", "mode": "dynamic", "size": mib + "000000"} }
	r.change(rows{"BUFFER_POOL|a": pool("8"), "BUFFER_POOL|b": pool("9"), "BUFFER_POOL|c": pool("1")})
	if err := r.agent.CheckResolution(t.Context()); err != nil {
		t.Error(err)
	}
}

// A replaced object that could not be removed is removed by and by.
func TestLeftoverIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpRemove {
			return sai.StatusObjectInUse
		}
		return 0
	})
	change := ops(rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"dynamic_th": "", "static_th": "65536"})})
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: change}); err != nil {
		t.Fatal(err)
	}
	old := graph.Key{Type: sai.ObjectTypeBufferProfile, Name: "lossless~1"}
	if r.actual()[old] == nil || !r.agent.Condition(t.Context()).Unfinished {
		t.Error("nothing is left over, or nobody minds")
	}
	r.chip.OnCall(nil)
	r.agent.Retry(t.Context())
	if r.actual()[old] != nil {
		t.Error("the old object is still there")
	}
}

// That nobody knows what the chip has is not forgotten until it could be read back.
func TestNotKnowingIsRemembered(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	writes := 0
	r.chip.OnCall(func(c vsai.Call) sai.Status { // goes away at the second write
		if c.Op.Write() && !c.IsBulk() {
			writes++
		}
		if writes > 1 {
			return sai.StatusUninitialized
		}
		return 0
	})
	r.change(rows{"SCHEDULER|a": {"type": "WRR"}, "SCHEDULER|b": {"type": "WRR"}})
	if !r.agent.Condition(t.Context()).Dirty {
		t.Fatal("the agent is sure of what the chip has")
	}
	r.agent.Retry(t.Context()) // still away
	r.chip.OnCall(nil)
	_, handles := r.agent.Belief(t.Context()) // what was under way was done after all
	port := handles[graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0"}]
	if st := r.chip.Set(sai.Port{}.Meta(), sai.Key{OID: port}, sai.PortAttrMTU.Is(1500).Attribute); st != 0 {
		t.Fatal(st)
	}
	r.agent.Retry(t.Context())
	belief, adopted := r.agent.Belief(t.Context())
	if diff := cmp.Diff(r.readback(adopted).String(), belief.String()); diff != "" || r.agent.Condition(t.Context()).Dirty {
		t.Errorf("chip (-) and belief (+):\n%s", diff)
	}
	if r.actual()[graph.Key{Type: sai.ObjectTypeScheduler, Name: "b"}] == nil {
		t.Error("b does not arrive")
	}
}

// away is a name store that can't be read.
type away struct{}

// Names implements sai.Names.
func (away) Names() (map[string]sai.OID, error) { return nil, errors.New("the name store is away") }

// SetNames implements sai.Names.
func (away) SetNames(map[string]sai.OID, []string) error { return errors.New("the name store is away") }

// Nothing is written, and no transaction taken, while the first load has not
// succeeded: here the chip has told what it is, but not what it holds.
func TestNothingBeforeLoad(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Names = away{} })
	writes := r.chip.Writes() // of whoever opened the switch
	if err := r.agent.Load(t.Context(), nil); err == nil {
		t.Fatal("loaded without the names of objects")
	}
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"SCHEDULER|new": {"type": "WRR"}})})
	if !errors.Is(err, orchagent.ErrNotLoaded) {
		t.Errorf("got %v", err)
	}
	if n := r.chip.Writes() - writes; n > 0 {
		t.Errorf("%d writes", n)
	}
}

// A transaction that could not be undone is not tried once more without the rows that
// were tried along with it: nobody knows what the chip has.
func TestNotKnowingEndsTransaction(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small(), configdb.RawRows{"PORT_QOS_MAP|Ethernet4": with("PORT_QOS_MAP|Ethernet4", fields{"pfc_to_queue_map": "new"})})
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpCreate {
			return 0
		}
		return sai.StatusFailure
	})
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"MAP_PFC_PRIORITY_TO_QUEUE|new": {"3": "3"}})})
	if err == nil || !r.agent.Condition(t.Context()).Dirty {
		t.Errorf("the agent is sure of what the chip has: %v", err)
	}
	r.chip.OnCall(nil)
	r.agent.Retry(t.Context())
	belief, adopted := r.agent.Belief(t.Context())
	if diff := cmp.Diff(r.readback(adopted).String(), belief.String()); diff != "" || r.agent.Condition(t.Context()).Unfinished {
		t.Errorf("chip (-) and belief (+):\n%s", diff)
	}
}
