package orchagent_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// crowdedRows are rows of two ports of which the traditional model derives headroom.
func crowdedRows() rows {
	return rows{
		"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}, "PORT|Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":     {"Ethernet0": "5m", "Ethernet4": "5m"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"}, "PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3,4"},
		"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "131072"},
	}
}

// crowd has the chip have no room for the given groups of the given port, while full says so.
func (r *rig) crowd(port int, full func() bool, groups ...int) {
	w := &watch{chip: r.chip}
	ids := w.groups(r.chip.Ports()[port])
	crowded := map[sai.OID]bool{}
	for _, i := range groups {
		crowded[ids[i]] = true
	}
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && !c.IsBulk() && crowded[c.Key.OID] && c.Attrs[0].AttrMeta == sai.IngressPriorityGroupAttrBufferProfile.AttrMeta && c.Attrs[0].Num != 0 && full() {
			return sai.StatusInsufficientResources
		}
		return 0
	})
}

// TestNoRoomForOneGroup: a group that finds no room is alone without headroom; its priority
// is not paused, the port comes up all the same, and what is said names port and priority.
func TestNoRoomForOneGroup(t *testing.T) {
	t.Parallel()
	for _, asym := range []bool{false, true} {
		load := crowdedRows()
		if asym {
			load["PORT|Ethernet0"] = withField(load["PORT|Ethernet0"], "pfc_asym", "on")
		}
		var full atomic.Bool
		full.Store(true)
		r, w := crowdedTest(t, load, &full, 4)
		if err := w.err(); err != nil {
			t.Error(err)
		}
		has := slices.Sorted(maps.Keys(r.headroom()))
		if diff := gocmp.Diff([]string{"Ethernet0|3", "Ethernet4|3", "Ethernet4|4"}, has); diff != "" {
			t.Errorf("headroom (-want +got): %s", diff)
		}
		r.pauses(0, 1<<3)
		r.pauses(1, 1<<3|1<<4)
		if rx := w.num(r.chip.Ports()[0], sai.Port{}, sai.PortAttrPriorityFlowControlRx.AttrMeta); asym && rx != 0xff {
			t.Errorf("an asymmetric port obeys pauses of %08b", rx)
		}
		for k, want := range map[configdb.RowKey]struct {
			state statedb.State
			text  string
		}{
			"CABLE_LENGTH|AZURE": {statedb.Applied, ""}, "PORT|Ethernet0": {statedb.Applied, ""}, "BUFFER_PG|Ethernet4|3-4": {statedb.Applied, ""},
			"BUFFER_PG|Ethernet0|3-4": {statedb.Waiting, "the chip has no room for the buffer of priority group Ethernet0|4: SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE: SAI_STATUS_INSUFFICIENT_RESOURCES; it is tried again"},
			"PORT_QOS_MAP|Ethernet0":  {statedb.Applied, "pfc_enable: PFC of priority 4 is off on Ethernet0: the chip has no room for the headroom (BUFFER_PG|Ethernet0|3-4)"},
		} {
			if f := r.agent.Fates()[k]; f.State != want.state || want.text != "" && f.Reason != want.text && !slices.Contains(f.Warnings, want.text) {
				t.Errorf("%s: %+v", k, f)
			}
		}
	}
}

// pauses checks which priorities a port that is up pauses.
func (r *rig) pauses(port int, want uint64) {
	r.t.Helper()
	w := &watch{chip: r.chip}
	id := r.chip.Ports()[port]
	if got := w.paused(id); got != want {
		r.t.Errorf("port %d pauses %08b, want %08b", port, got, want)
	}
	if w.num(id, sai.Port{}, sai.PortAttrAdminState.AttrMeta) == 0 {
		r.t.Errorf("port %d is down", port)
	}
}

// outcome is the states of rows, and what the chip has of headroom and of PFC.
func (r *rig) outcome() string {
	r.t.Helper()
	w, text := &watch{chip: r.chip}, states(r.agent.Fates())
	for _, port := range r.chip.Ports() {
		text += fmt.Sprintf("\nPFC %08b, exposed %08b, up %d", w.paused(port), w.exposed()[port], w.num(port, sai.Port{}, sai.PortAttrAdminState.AttrMeta))
	}
	had := r.headroom()
	for _, k := range slices.Sorted(maps.Keys(had)) {
		text += "\n" + k + " " + had[k]
	}
	return text
}

// again starts another agent on the same chip, and checks that it comes to the same.
func (r *rig) again() {
	r.t.Helper()
	r.agent.Published(r.t.Context())
	want, chip := r.outcome(), r.chip.Dump()
	r.stop()
	r.start(r.pub)
	r.load()
	if diff := gocmp.Diff(want, r.outcome()); diff != "" {
		r.t.Errorf("after a restart (-before +after): %s", diff)
	}
	if diff := gocmp.Diff(chip, r.chip.Dump()); diff != "" {
		r.t.Errorf("a restart changed the chip: %s", diff)
	}
}

// crowdedTest is a rig, watched, with rows loaded, of whose first port priority group 4 finds
// no room while full is true.
func crowdedTest(t *testing.T, load rows, full *atomic.Bool, groups ...int) (*rig, *watch) {
	t.Helper()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.pub.db = r.db
	r.crowd(0, full.Load, groups...)
	w := r.watched()
	r.load(load)
	if err := w.err(); err != nil {
		t.Error(err)
	}
	return r, w
}

// crowdings are rows that ask for the headroom of priority groups 3 and 4 of both ports: it
// is looked up, computed, or written by hand.
func crowdings() map[string]rows {
	written := crowdedRows()
	written["BUFFER_PROFILE|more_lossless"] = configdb.Fields{"pool": "ingress_lossless_pool", "size": "4096", "xon": "4096", "xoff": "32768", "dynamic_th": "1"}
	written["BUFFER_PG|Ethernet0|3-4"] = configdb.Fields{"profile": "more_lossless"}
	written["BUFFER_PG|Ethernet4|3-4"] = configdb.Fields{"profile": "more_lossless"}
	return map[string]rows{"looked up": crowdedRows(), "computed": paused(), "written": written}
}

// TestRoomComesAndGoes: in each of the ways in which headroom comes about, a group without
// room is alone: no retry writes anything, a restart changes nothing, with room all is there, and
// an agent that has room from the start comes to the same.
func TestRoomComesAndGoes(t *testing.T) {
	t.Parallel()
	for name, load := range crowdings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var full atomic.Bool
			full.Store(true)
			r, w := crowdedTest(t, load, &full, 4)
			r.pauses(0, 1<<3)
			r.pauses(1, 1<<3|1<<4)
			if f := r.agent.Fates()["BUFFER_PG|Ethernet0|3-4"]; f.State != statedb.Waiting || f.On != "the chip" || f.Next.IsZero() || !strings.Contains(f.Reason, "Ethernet0|4:") {
				t.Errorf("%+v", f)
			}
			r.again()
			before := r.chip.Dump()
			for range 3 {
				r.chip.ResetCalls()
				r.agent.Retry(t.Context())
				for _, c := range r.chip.Calls() {
					if c.Op.Write() && c.Status == 0 && !c.IsBulk() {
						t.Errorf("a retry wrote %v", c)
					}
				}
				if r.chip.Dump() != before {
					t.Error("a retry changed the chip")
				}
			}
			full.Store(false)
			r.agent.Retry(t.Context())
			r.pauses(0, 1<<3|1<<4)
			for k, f := range r.agent.Fates() {
				if f.State != statedb.Applied {
					t.Errorf("with room %s: %+v", k, f)
				}
			}
			r.again()
			other, _ := crowdedTest(t, load, &full)
			if diff := gocmp.Diff(other.outcome(), r.outcome()); diff != "" {
				t.Errorf("with room from the start (-) and later (+): %s", diff)
			}
			if err := cmp.Or(w.err(), r.agent.CheckResolution(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}

// longer are the rows that ask for more headroom than crowdings do.
func longer() map[string]rows {
	cable := rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "300m", "Ethernet4": "300m"}}
	return map[string]rows{"looked up": cable, "computed": cable, "written": {
		"BUFFER_PROFILE|yet_more_lossless": {"pool": "ingress_lossless_pool", "size": "4096", "xon": "4096", "xoff": "65536", "dynamic_th": "1"},
		"BUFFER_PG|Ethernet0|3-4":          {"profile": "yet_more_lossless"}, "BUFFER_PG|Ethernet4|3-4": {"profile": "yet_more_lossless"},
	}}
}

// TestRoomRunsOut: a group that is to have more headroom in service than there is room for
// keeps what it has, and its priority stays paused; others get more.
func TestRoomRunsOut(t *testing.T) {
	t.Parallel()
	for name, load := range crowdings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var full atomic.Bool
			r, w := crowdedTest(t, load, &full, 4)
			had := r.headroom()
			r.agent.Published(t.Context())
			full.Store(true)
			more := longer()[name]
			r.change(more)
			now := r.headroom()
			for k, was := range had {
				if kept := now[k] == was; kept != (k == "Ethernet0|4") || now[k] == "" {
					t.Errorf("%s has %s, had %s", k, now[k], was)
				}
			}
			r.pauses(0, 1<<3|1<<4)
			r.pauses(1, 1<<3|1<<4)
			for _, k := range []configdb.RowKey{"CABLE_LENGTH|AZURE", "PORT_QOS_MAP|Ethernet0", "PORT|Ethernet0", "BUFFER_PG|Ethernet4|3-4"} {
				if f := r.agent.Fates()[k]; f.State != statedb.Applied {
					t.Errorf("%s: %+v", k, f)
				}
			}
			if f := r.agent.Fates()["BUFFER_PG|Ethernet0|3-4"]; f.State != statedb.Waiting {
				t.Errorf("%+v", f)
			}
			r.again()
			before := r.chip.Dump()
			if r.agent.Retry(t.Context()); r.chip.Dump() != before {
				t.Error("a retry changed the chip")
			}
			r.change(rows{"PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3"}, "SCHEDULER|other": {"weight": "3"}})
			if got := r.headroom()["Ethernet0|4"]; got != had["Ethernet0|4"] {
				t.Errorf("after another change it has %q", got)
			}
			r.change(rows{"PORT_QOS_MAP|Ethernet4": load["PORT_QOS_MAP|Ethernet4"]})
			full.Store(false)
			r.agent.Retry(t.Context())
			if got := r.headroom(); got["Ethernet0|4"] != got["Ethernet0|3"] {
				t.Errorf("with room it has %v", got)
			}
			if err := cmp.Or(w.err(), r.agent.CheckResolution(t.Context())); err != nil {
				t.Error(err)
			}
			r.again()
		})
	}
}

// TestNoRoomForProfile: where the chip has no room for a profile that nobody wrote, the groups
// alone wait that are to have it; those in service keep what they have.
func TestNoRoomForProfile(t *testing.T) {
	t.Parallel()
	for name, load := range crowdings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
			r.pub.db = r.db
			r.load(load)
			had, w := r.headroom(), r.watched()
			full := true
			r.chip.OnCall(func(c vsai.Call) sai.Status {
				if c.Op == vsai.OpCreate && c.Object.Type == sai.ObjectTypeBufferProfile && !c.IsBulk() && full {
					return sai.StatusInsufficientResources
				}
				return 0
			})
			more := longer()[name]
			delete(more, "BUFFER_PG|Ethernet4|3-4")
			if cable := more["CABLE_LENGTH|AZURE"]; cable != nil {
				cable["Ethernet4"] = load["CABLE_LENGTH|AZURE"]["Ethernet4"]
			}
			r.change(more)
			if got := r.headroom(); !maps.Equal(got, had) {
				t.Errorf("headroom %v, had %v", got, had)
			}
			r.pauses(0, 1<<3|1<<4)
			r.pauses(1, 1<<3|1<<4)
			for k, state := range map[configdb.RowKey]statedb.State{"CABLE_LENGTH|AZURE": statedb.Applied, "BUFFER_PG|Ethernet0|3-4": statedb.Waiting, "BUFFER_PG|Ethernet4|3-4": statedb.Applied, "PORT_QOS_MAP|Ethernet0": statedb.Applied} {
				if f := r.agent.Fates()[k]; f.State != state {
					t.Errorf("%s: %+v", k, f)
				}
			}
			r.again()
			if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}})}); err != nil {
				t.Error(err)
			}
			r.pauses(0, 1<<3)
			r.change(rows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"}})
			r.again()
			before, mine := r.chip.Dump(), maps.Clone(more)
			if cable := more["CABLE_LENGTH|AZURE"]; cable != nil {
				mine["CABLE_LENGTH|AZURE"] = withField(cable, "Ethernet4", cable["Ethernet0"])
			} else {
				mine["BUFFER_PG|Ethernet4|3-4"] = more["BUFFER_PG|Ethernet0|3-4"]
			}
			if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(mine)}); err == nil || !strings.Contains(err.Error(), "BUFFER_PG|Ethernet4|3-4") || r.chip.Dump() != before {
				t.Errorf("a transaction asks for the profile too: %v", err)
			}
			full = false
			r.agent.Retry(t.Context())
			if got := r.headroom(); got["Ethernet0|3"] == had["Ethernet0|3"] || got["Ethernet0|3"] != got["Ethernet0|4"] || got["Ethernet4|3"] != had["Ethernet4|3"] {
				t.Errorf("with room %v, had %v", got, had)
			}
			if lines := fateLines(r.agent.Fates()); strings.Contains(lines, "waiting") {
				t.Error(lines)
			}
			if err := cmp.Or(w.err(), r.agent.CheckResolution(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTransactionWithoutRoom: a transaction that asks for headroom for which there is no room
// is refused, and nothing changed; one about something else is not, whatever has none.
func TestTransactionWithoutRoom(t *testing.T) {
	t.Parallel()
	for name, load := range crowdings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var full atomic.Bool
			r, w := crowdedTest(t, load, &full, 4)
			r.agent.Published(t.Context())
			full.Store(true)
			before, db := r.chip.Dump(), r.db.snapshot()
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(longer()[name])})
			if err == nil || !strings.Contains(err.Error(), "BUFFER_PG|Ethernet0|3-4") || !strings.Contains(err.Error(), "INSUFFICIENT") {
				t.Errorf("%v", err)
			}
			if diff := gocmp.Diff(db, r.db.snapshot()); diff != "" || r.chip.Dump() != before {
				t.Errorf("refused, but changed: %s", diff)
			}
			r.change(longer()[name])
			had := r.headroom()
			for _, other := range []rows{
				{"PORT|Ethernet0": withField(load["PORT|Ethernet0"], "description", "x")},
				{"SCHEDULER|other": {"weight": "3"}},
				{"BUFFER_POOL|ingress_lossless_pool": withField(load["BUFFER_POOL|ingress_lossless_pool"], "size", "1048577")},
				{"PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3"}},
				{"PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3,4"}},
			} {
				if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(other)}); err != nil {
					t.Errorf("%v: %v", other, err)
				}
			}
			if diff := gocmp.Diff(had, r.headroom()); diff != "" {
				t.Errorf("headroom (-before +after): %s", diff)
			}
			r.pauses(0, 1<<3|1<<4)
			if err := cmp.Or(w.err(), r.agent.CheckResolution(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}

func withField(f configdb.Fields, name, value string) configdb.Fields {
	f = maps.Clone(f)
	f[name] = value
	return f
}

// TestRoomOfAnotherPort: a shortage is that of a port of the chip, whatever it is called.
func TestRoomOfAnotherPort(t *testing.T) {
	t.Parallel()
	for name, load := range crowdings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var full atomic.Bool
			r, w := crowdedTest(t, load, &full, 4)
			had := r.headroom()["Ethernet0|4"]
			full.Store(true)
			r.change(longer()[name])
			port0, port4 := load["PORT|Ethernet0"], load["PORT|Ethernet4"]
			r.change(rows{"PORT|Ethernet0": withField(port0, "lanes", port4["lanes"]), "PORT|Ethernet4": withField(port4, "lanes", port0["lanes"])})
			got := r.headroom()
			if got["Ethernet4|4"] != had || got["Ethernet0|4"] == had || got["Ethernet0|4"] == "" {
				t.Errorf("headroom %v; %s is that of before", got, had)
			}
			if err := cmp.Or(w.err(), r.agent.CheckResolution(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRoomAsPoolChanges: what finds no room is tried again as soon as its pool or its profile
// is another one, after the transaction that changes it, and that does not rest on it.
func TestRoomAsPoolChanges(t *testing.T) {
	t.Parallel()
	const pool, profile = "BUFFER_POOL|ingress_lossless_pool", "BUFFER_PROFILE|more_lossless"
	for name, load := range crowdings() {
		for _, k := range []configdb.RowKey{pool, profile} {
			if load[k] == nil {
				continue
			}
			for _, room := range []bool{false, true} {
				var full atomic.Bool
				full.Store(true)
				r, _ := crowdedTest(t, load, &full, 4)
				full.Store(!room)
				_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{k: withField(load[k], "size", "1048448")})})
				if f := r.agent.Fates()["BUFFER_PG|Ethernet0|3-4"]; err != nil || room != (f.State == statedb.Applied) {
					t.Errorf("%s, %s, room %t: %v, %+v", name, k, room, err, f)
				}
			}
		}
	}
}

// TestPartlyApplied: the groups of a row that found room keep it when a later version is bad.
func TestPartlyApplied(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	full.Store(true)
	r, w := crowdedTest(t, crowdings()["written"], &full, 4)
	had := r.headroom()
	for _, bad := range []string{"nonesuch", ""} {
		r.change(rows{"BUFFER_PG|Ethernet0|3-4": {"profile": bad}})
		if got := r.headroom(); !maps.Equal(had, got) {
			t.Errorf("with profile %q the headroom is %v, was %v", bad, got, had)
		}
		r.pauses(0, 1<<3)
	}
	if err := w.err(); err != nil {
		t.Error(err)
	}
}

// TestNoRoomForFiles: a derived profile that newer files make larger than there is room for
// stays as it is, with all that use it, and no row is refused for it.
func TestNoRoomForFiles(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	r, w := crowdedTest(t, crowdedRows(), &full)
	r.agent.Published(t.Context())
	had := r.headroom()
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeBufferProfile && !c.IsBulk() {
			return sai.StatusInsufficientResources
		}
		return 0
	})
	files := buffers()
	for i := range files.Lookup.Entries {
		files.Lookup.Entries[i].Xoff *= 2
	}
	if _, err := r.agent.RestartBuffers(t.Context(), files, ""); err != nil {
		t.Fatal(err)
	}
	if got := r.headroom(); !maps.Equal(had, got) {
		t.Errorf("headroom %v, was %v", got, had)
	}
	for k, f := range r.agent.Fates() {
		if waits := k == "BUFFER_PROFILE|pg_lossless_100000_5m_profile"; waits != (f.State == statedb.Waiting) || f.State == statedb.Refused {
			t.Errorf("%s: %+v", k, f)
		}
	}
	r.chip.OnCall(nil)
	r.agent.Retry(t.Context())
	if got := r.headroom(); maps.Equal(had, got) || len(got) != len(had) {
		t.Errorf("with room the headroom is %v, was %v", got, had)
	}
	if err := cmp.Or(w.err(), r.agent.CheckResolution(t.Context())); err != nil {
		t.Error(err)
	}
}

// TestRoomForLess: a group that finds no room for one profile gets another one at once, though
// others go on to have the first.
func TestRoomForLess(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"looked up", "computed"} {
		var full atomic.Bool
		r, w := crowdedTest(t, crowdings()[name], &full, 4)
		full.Store(true)
		r.change(longer()[name])
		full.Store(false)
		r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "40m", "Ethernet4": "300m"}})
		if got := r.headroom(); got["Ethernet0|4"] != got["Ethernet0|3"] || got["Ethernet0|3"] == got["Ethernet4|3"] {
			t.Errorf("%s: headroom %v", name, got)
		}
		if err := w.err(); err != nil {
			t.Error(err)
		}
	}
}

// TestShortAfterRefusal: what finds no room is known as well after a transaction that was
// refused for it, whose retry leaves out what waits.
func TestShortAfterRefusal(t *testing.T) {
	t.Parallel()
	start := crowdedRows()
	delete(start, "CABLE_LENGTH|AZURE")
	full := trouble{kind: crowded, seed: 1}
	for kind := range 3 {
		list := []move{
			{do: "change", rows: start},
			{do: "change", rows: rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "300m", "Ethernet4": "300m"}}, trouble: full},
			{do: "change", rows: rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "long", "Ethernet4": "300m"}}},
			{do: "transact", ops: []configdb.Op{{Kind: configdb.OpKind(kind), Table: "CABLE_LENGTH", Key: "AZURE", Fields: configdb.Fields{"Ethernet0": "40m"}}}, trouble: full},
		}
		if at, err := walkAlong(t, "default", false, list, new(account)); err != nil {
			t.Errorf("kind %d, move %d: %v", kind, at, err)
		}
	}
}
