package orchagent_test

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// refuseGroup has the chip refuse a profile for priority group 3 of the first port
// while bad says so.
func refuseGroup(bad func() bool) func(vsai.Call) sai.Status {
	return func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeIngressPriorityGroup && !c.IsBulk() &&
			c.Attrs[0].AttrMeta == sai.IngressPriorityGroupAttrBufferProfile.AttrMeta && bad() {
			return sai.StatusInvalidAttrValue0
		}
		return 0
	}
}

// TestRefusalSurvivesRestart: an agent that starts again asks the chip nothing that
// it refused before, unless something changed meanwhile.
func TestRefusalSurvivesRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.chip.OnCall(refuseGroup(func() bool { return true }))
	r.change(rows{
		"BUFFER_PG|Ethernet0|4": {"profile": "lossless"},
		"PORT|Ethernet4":        with("PORT|Ethernet4", fields{"speed": "12345"}),
	})
	want := states(r.agent.Fates())
	if f := r.agent.Fates()["BUFFER_PG|Ethernet0|4"]; f.State != statedb.Refused {
		t.Fatalf("fate %+v", f)
	}
	restart := func(what string, writes bool) {
		t.Helper()
		r.stop()
		r.start(r.pub)
		r.chip.ResetCalls()
		r.load()
		if n := r.chip.Writes(); n > 0 != writes {
			t.Errorf("%s: %d writes", what, n)
		}
	}
	restart("nothing changed", false)
	restart("nothing changed, again", false)
	if got := states(r.agent.Fates()); got != want {
		t.Errorf("fates after\n%s\nbefore\n%s", got, want)
	}
	r.db.set("BUFFER_POOL|ingress", with("BUFFER_POOL|ingress", fields{"size": "1048577"}))
	restart("what it needs changed", true)
	r.chip.OnCall(nil)
	r.db.set("BUFFER_PG|Ethernet0|4", fields{"profile": "lossy"})
	r.db.set("PORT|Ethernet4", small()["PORT|Ethernet4"])
	restart("the rows changed", true)
	for k, f := range r.agent.Fates() {
		if f.State == statedb.Refused {
			t.Errorf("%s: %+v", k, f)
		}
	}
	r.stop() // and so publish the rest
	if len(r.pub.refused) > 0 {
		t.Errorf("still told: %v", r.pub.refused)
	}
}

// TestRemovalRefusedSurvivesRestart is the same for a row that is gone from the
// database.
func TestRemovalRefusedSurvivesRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeSwitch {
			return sai.StatusNotImplemented
		}
		return 0
	})
	r.change(rows{"PORT_QOS_MAP|global": nil})
	want := states(r.agent.Fates())
	r.stop()
	r.start(r.pub)
	r.chip.ResetCalls()
	r.load()
	if n := r.chip.Writes(); n > 0 {
		t.Errorf("%d writes", n)
	}
	if got := states(r.agent.Fates()); got != want {
		t.Errorf("fates after\n%s\nbefore\n%s", got, want)
	}
}

// TestRefusalTwoHops: a row that the chip refused is tried again when something
// changed that it needs by way of another row.
func TestRefusalTwoHops(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	small := true
	r.chip.OnCall(refuseGroup(func() bool { return small }))
	r.change(rows{"BUFFER_PG|Ethernet0|4": {"profile": "lossless"}})
	if f := r.agent.Fates()["BUFFER_PG|Ethernet0|4"]; f.State != statedb.Refused {
		t.Fatalf("fate %+v", f)
	}
	small = false
	r.change(rows{"BUFFER_POOL|ingress": with("BUFFER_POOL|ingress", fields{"size": "2097152"})})
	if f := r.agent.Fates()["BUFFER_PG|Ethernet0|4"]; f.State != statedb.Applied {
		t.Errorf("fate %+v", f)
	}
}

// TestRefusalSaysLimit: what the chip would take is in the fate and in the answer.
func TestRefusalSaysLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	bad := with("PORT|Ethernet4", fields{"speed": "12345"})
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"PORT|Ethernet4": bad})})
	r.change(rows{"PORT|Ethernet4": bad})
	for _, text := range []string{err.Error(), r.agent.Fates()["PORT|Ethernet4"].Reason} {
		if !strings.Contains(text, "SAI_PORT_ATTR_SPEED") || !strings.Contains(text, "the port takes 1000, ") {
			t.Errorf("no limit in %q", text)
		}
	}
}

// TestRefusalSaysValues: of an enum, the values that the chip has are told, to readers of
// the fate and of the answer.
func TestRefusalSaysValues(t *testing.T) {
	t.Parallel()
	profile := *vsai.Profiles()[0]
	profile.HideBuffer, profile.OfflineLinks, profile.Trims = false, true, false
	r := &rig{t: t, chip: vsai.New(vsai.Config{Profile: &profile, Ports: layout(2)}), db: &memory{rows: configdb.RawRows{}}}
	r.start(&recorder{})
	r.load(small())
	const row = "BUFFER_PROFILE|trimming"
	bad := fields{"pool": "ingress", "size": "0", "dynamic_th": "1", "packet_discard_action": "trim"}
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{row: bad})})
	r.change(rows{row: bad})
	if err == nil {
		t.Fatal("a chip that can't trim takes a profile that does")
	}
	for _, text := range []string{err.Error(), r.agent.Fates()[row].Reason} {
		if !strings.HasSuffix(text, "; the chip has only DROP") {
			t.Errorf("no values in %q", text)
		}
	}
}

// TestForeignRow: a row that the chip refuses, or refused before, fails nobody
// else's transaction that changes what the row needs, and is tried again after it.
func TestForeignRow(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]rows{
		"refused": {"BUFFER_PG|Ethernet0|4": {"profile": "lossless"}},
		"waiting": {"BUFFER_PG|Ethernet0|4": {"profile": "other"}},
		"removed": {"BUFFER_PG|Ethernet0|3": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small())
			asked := 0
			r.chip.OnCall(refuseGroup(func() bool { asked++; return true }))
			r.change(before)
			want := rows{
				"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "65536"}),
				"BUFFER_PROFILE|other":    {"pool": "ingress", "size": "1024", "dynamic_th": "1"},
				"BUFFER_POOL|ingress":     with("BUFFER_POOL|ingress", fields{"size": "1048577"}),
			}
			was := asked
			if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(want)}); err != nil {
				t.Fatal(err)
			}
			if name != "removed" && asked == was {
				t.Error("the row was not tried again")
			}
			for k, f := range want {
				if !maps.Equal(r.db.snapshot()[k], f) || r.agent.Fates()[k].State != statedb.Applied {
					t.Errorf("%s: %v, %+v", k, r.db.snapshot()[k], r.agent.Fates()[k])
				}
			}
			for k := range before {
				if f := r.agent.Fates()[k]; f.State != statedb.Refused {
					t.Errorf("%s: %+v", k, f)
				}
			}
			r.chip.OnCall(nil)
			r.chip.ResetCalls()
			if err := r.agent.CheckResolution(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestListsApart: a bad list of one direction takes nothing from the other.
func TestListsApart(t *testing.T) {
	t.Parallel()
	const ingress, egress = configdb.RowKey("BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0"), configdb.RowKey("BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0")
	for _, batches := range [][]rows{
		{{ingress: {"profile_list": "lossless"}}, {egress: {"profile_list": "lossless"}}},
		{{egress: {"profile_list": "lossless"}}, {ingress: {"profile_list": "lossless"}}},
		{{ingress: {"profile_list": "lossless"}, egress: {"profile_list": "lossless"}}},
	} {
		r := newRig(t, 2)
		base := small()
		delete(base, "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0,Ethernet4")
		r.load(base)
		for _, b := range batches {
			r.change(b)
		}
		fates := r.agent.Fates()
		if fates[ingress].State != statedb.Applied || fates[egress].State != statedb.Refused || fates[egress].Field != "profile_list" {
			t.Errorf("ingress %+v\negress %+v", fates[ingress], fates[egress])
		}
		chip := r.actual().String()
		r.stop()
		r.start(r.pub)
		r.chip.ResetCalls()
		r.load()
		if diff := cmp.Diff(chip, r.actual().String()); diff != "" || r.chip.Writes() > 0 {
			t.Errorf("a restart made %d writes and changed\n%s", r.chip.Writes(), diff)
		}
	}
}

// TestForeignBadProfile: a profile that is refused for its pool refuses no change of
// the ports that use the version in force.
func TestForeignBadProfile(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]rows{
		"profile": {"BUFFER_PROFILE|lossy": with("BUFFER_PROFILE|lossy", fields{"pool": "egress"})},
		"pool":    {"BUFFER_POOL|egress": with("BUFFER_POOL|egress", fields{"type": "ingress", "size": "100"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small())
			r.change(bad)
			port := rows{"PORT|Ethernet0": with("PORT|Ethernet0", fields{"mtu": "1500"})}
			if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(port)}); err != nil {
				t.Error(err)
			}
			r.change(rows{"PORT|Ethernet4": with("PORT|Ethernet4", fields{"mtu": "1500"})})
			for k, f := range r.agent.Fates() {
				if _, is := bad[k]; is != (f.State == statedb.Refused) {
					t.Errorf("%s: %+v", k, f)
				}
			}
		})
	}
}

// TestRefusedPortStays: a port whose row can't be in force in any version is left where
// it is, and goes only with its row.
func TestRefusedPortStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, refusedPortStays)
}

func refusedPortStays(t *testing.T) {
	r := newRig(t, 2)
	defer r.stop()
	r.load(small())
	census := func() int {
		keys, _ := r.chip.Objects(r.sw.ID.OID(), sai.Port{}.Meta())
		return len(keys)
	}
	before := census()
	removed := 0
	r.chip.OnCall(func(c vsai.Call) sai.Status { // refuses the new version in part, and so the way back
		switch {
		case c.Object.Type != sai.ObjectTypePort || c.IsBulk():
		case c.Op == vsai.OpRemove:
			removed++
		case c.Op == vsai.OpSet && (c.Attrs[0].AttrMeta == sai.PortAttrMTU.AttrMeta && c.Attrs[0].Num != 9122 ||
			c.Attrs[0].AttrMeta == sai.PortAttrFECMode.AttrMeta && c.Attrs[0].Num != 0):
			return sai.StatusInvalidAttrValue0
		}
		return 0
	})
	r.change(rows{"PORT|Ethernet4": with("PORT|Ethernet4", fields{"fec": "none", "mtu": "1500"})})
	if f := r.agent.Fates()["PORT|Ethernet4"]; f.State != statedb.Refused {
		t.Fatalf("fate %+v", f)
	}
	if n := census(); n != before || removed > 0 {
		t.Errorf("%d ports, had %d; %d removed", n, before, removed)
	}
	r.chip.OnCall(nil)
	r.empty()
	if n := census(); n != before-2 {
		t.Errorf("%d ports after the rows went, had %d", n, before)
	}
}
