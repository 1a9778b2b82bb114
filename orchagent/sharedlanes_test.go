package orchagent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// sharing is a switch that is strapped with two ports of which one has lanes of the other.
func sharing(t *testing.T) *rig {
	t.Helper()
	profile := *newChip(t, 2).Profile()
	chip := vsai.New(vsai.Config{Profile: &profile, Ports: []vsai.PortLayout{
		{Lanes: []uint32{1, 2, 3, 4}, SpeedMbps: 100000}, {Lanes: []uint32{3, 4}, SpeedMbps: 50000}, {Lanes: []uint32{5, 6, 7, 8}, SpeedMbps: 100000},
	}})
	r := &rig{t: t, chip: chip, db: &memory{rows: configdb.RawRows{}}}
	r.start(&recorder{})
	return r
}

var sharedLanes = map[configdb.RowKey]fields{
	"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
	"PORT|Ethernet2": {"lanes": "4,3", "speed": "50000", "admin_status": "up"},
	"PORT|Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"},
}

// TestSharedLanes: ports that share lanes in a vendor's own file are there, each with a
// warning, in whatever order their rows come, and no other port hears of it.
func TestSharedLanes(t *testing.T) {
	t.Parallel()
	keys := []configdb.RowKey{"PORT|Ethernet0", "PORT|Ethernet2", "PORT|Ethernet4"}
	want := ""
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		r := sharing(t)
		r.load(nil)
		for _, i := range order {
			r.change(rows{keys[i]: sharedLanes[keys[i]]})
		}
		for i, says := range []string{"lane 3 is also of PORT|Ethernet2", "lane 4 is also of PORT|Ethernet0", ""} {
			f := r.agent.Fates()[keys[i]]
			if f.State != statedb.Applied || !strings.Contains(strings.Join(f.Warnings, ";"), says) || says == "" && len(f.Warnings) > 0 {
				t.Errorf("%v: %s: %+v", order, keys[i], f)
			}
		}
		if got := r.actual().String(); want == "" {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: chip: %s", order, diff)
		}
		r.unchangedButWarned()
		r.stop()
	}
}

// unchangedButWarned restarts the agent, which writes nothing (I6).
func (r *rig) unchangedButWarned() {
	r.t.Helper()
	r.agent.Published(r.t.Context())
	r.stop()
	r.chip.ResetCalls()
	r.start(r.pub)
	r.load()
	if n := r.chip.Writes(); n > 0 {
		r.t.Errorf("a restart made %d writes", n)
	}
}

// TestSharedLanesUndone: of two ports that share lanes one goes; if that can't be stored
// it is there again.
func TestSharedLanesUndone(t *testing.T) {
	t.Parallel()
	r := sharing(t)
	defer r.stop()
	content := configdb.RawRows{}
	for k, f := range sharedLanes {
		content[k] = f
	}
	r.load(content)
	before := r.actual().String()
	r.db.fail = errors.New("out of reach")
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"PORT|Ethernet2": nil})}); err == nil {
		t.Error("the database was not asked")
	}
	if diff := cmp.Diff(before, r.actual().String()); diff != "" {
		t.Errorf("chip: %s", diff)
	}
	r.db.fail = nil
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"PORT|Ethernet2": nil})}); err != nil {
		t.Error(err)
	}
	if n := len(r.chip.Ports()); n != 2 {
		t.Errorf("%d ports", n)
	}
	if f := r.agent.Fates()["PORT|Ethernet0"]; f.State != statedb.Applied || len(f.Warnings) > 0 {
		t.Errorf("%+v", f)
	}
}

// TestSharedLanesNotMade: a port is not made of lanes that another has, which is what a
// breakout asks for whose old row is still there.
func TestSharedLanesNotMade(t *testing.T) {
	t.Parallel()
	r := sharing(t)
	defer r.stop()
	r.load(configdb.RawRows{"PORT|Ethernet4": sharedLanes["PORT|Ethernet4"]})
	r.change(rows{"PORT|Ethernet6": {"lanes": "7,8", "speed": "50000"}})
	if f := r.agent.Fates()["PORT|Ethernet6"]; f.State != statedb.Refused || !strings.Contains(f.Reason, "lane 7 belongs to PORT|Ethernet4") {
		t.Errorf("%+v", f)
	}
	if f := r.agent.Fates()["PORT|Ethernet4"]; f.State != statedb.Applied || len(f.Warnings) > 0 {
		t.Errorf("%+v", f)
	}
}
