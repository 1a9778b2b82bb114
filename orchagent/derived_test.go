package orchagent_test

import (
	"maps"
	"testing"

	"xon/orchagent"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// lookedUp are rows of a port whose priority groups the traditional model derives.
func lookedUp() rows {
	return rows{
		"PORT|Ethernet0":                    {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":                {"Ethernet0": "5m"},
		"PORT_QOS_MAP|Ethernet0":            {"pfc_enable": "3,4"},
		"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "8000000"},
	}
}

// TestDerivedVersions: a derived row has a last applied version like any other, so that
// an agent that restarts begins with what the one before it had.
func TestDerivedVersions(t *testing.T) {
	t.Parallel()
	unsized, mapless := lookedUp(), lookedUp()
	unsized["BUFFER_POOL|ingress_lossless_pool"] = configdb.Fields{"type": "ingress", "mode": "dynamic"}
	mapless["PORT_QOS_MAP|Ethernet0"] = configdb.Fields{"pfc_enable": "3,4", "dscp_to_tc_map": "nonesuch"}
	for name, start := range map[string]rows{"pool with a size": lookedUp(), "pool without a size": unsized, "map that is not there": mapless} {
		for _, profile := range profiles {
			list := []move{{do: "change", rows: start}, {do: "restart"}, {do: "buffers"}, {do: "restart"}}
			if at, err := walkAlong(t, profile, false, list, new(account)); err != nil {
				t.Errorf("%s on %s, move %d: %v", name, profile, at, err)
			}
		}
	}
}

// TestDerivedOfRetainedPort: derived rows of a port that was removed and stays, as others
// refer to it, follow the cable there and back, and are applied.
func TestDerivedOfRetainedPort(t *testing.T) {
	t.Parallel()
	cable := func(length string) rows { return rows{"CABLE_LENGTH|AZURE": {"Ethernet0": length}} }
	for _, changes := range [][]rows{{cable("40m")}, {cable("40m"), cable("5m")}} {
		r, _ := slowRig(t)
		r.change(rows{"PORT|Ethernet0": nil})
		for _, change := range changes {
			r.change(change)
			if f := r.agent.Fates()["BUFFER_PG|Ethernet0|3-4"]; f.State != statedb.Applied {
				t.Errorf("%v: %+v", change, f)
			}
		}
		before := states(r.agent.Fates())
		r.unchangedButWarned()
		if after := states(r.agent.Fates()); after != before {
			t.Errorf("%v: a restart changes what is said: %s", changes, lineDiff(before, after))
		}
		r.stop()
	}
}

// TestBadRowOverDerived: a bad row in the place of a derived one leaves the priority
// groups with their headroom, across restarts and whatever is written to the other derived row.
func TestBadRowOverDerived(t *testing.T) {
	t.Parallel()
	const pg, profile = "BUFFER_PG|Ethernet0|3-4", "BUFFER_PROFILE|pg_lossless_100000_5m_profile"
	for name, bad := range map[string]rows{
		"a profile that is not there": {pg: {"profile": "nonesuch"}},
		"no profile":                  {pg: {"profile": ""}},
		"the other model's":           {pg: {"profile": "NULL"}},
		"a bad profile":               {profile: {"pool": "ingress_lossless_pool", "size": "lots"}},
		"a profile of another pool":   {profile: {"pool": "nonesuch", "size": "18432", "xon": "18432", "xoff": "10880", "dynamic_th": "-3"}},
		"both":                        {pg: {"profile": "nonesuch"}, profile: {"pool": "nonesuch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
			r.pub.db = r.db
			r.load(lookedUp())
			r.agent.Published(t.Context())
			before := r.actual().String()
			if r.exposed() != 0 || r.db.snapshot()[pg] == nil || r.db.snapshot()[profile] == nil {
				t.Fatalf("%v\n%s", r.db.snapshot(), before)
			}
			w := r.watched()
			r.change(bad)
			if err := w.err(); err != nil {
				t.Error(err)
			}
			for _, when := range []string{"at once", "after a restart", "after another"} {
				if got := r.actual().String(); got != before {
					t.Fatalf("%s the chip has\n%s\nand had\n%s", when, got, before)
				}
				for k := range bad {
					if f := r.agent.Fates()[k]; f.State == statedb.Applied {
						t.Errorf("%s, %s is applied", when, k)
					}
				}
				r.agent.Published(t.Context())
				r.stop()
				r.start(r.pub)
				r.load()
			}
			gone := rows{}
			for k := range maps.Keys(bad) {
				gone[k] = nil
			}
			r.change(gone)
			if got := r.actual().String(); got != before {
				t.Errorf("without the bad row the chip has\n%s\nand had\n%s", got, before)
			}
		})
	}
}

// watched looks at the chip after every write from now on.
func (r *rig) watched() *watch {
	w := &watch{chip: r.chip, weather: &weather{}, agent: r.agent, asked: map[string]uint64{}}
	r.chip.AfterCall(w.after)
	w.begin()
	return w
}

// exposed are the priorities that the first port pauses without headroom.
func (r *rig) exposed() uint64 {
	w := &watch{chip: r.chip, weather: &weather{}, asked: map[string]uint64{}}
	return w.exposed()[r.chip.Ports()[0]]
}
