package orchagent_test

import (
	"maps"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// paused are rows of two ports that are up and pause what has computed headroom.
func paused() rows {
	load := computed()
	load["PORT|Ethernet4"] = configdb.Fields{"lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"}
	load["CABLE_LENGTH|AZURE"] = configdb.Fields{"Ethernet0": "40m", "Ethernet4": "40m"}
	load["BUFFER_PG|Ethernet4|3-4"] = configdb.Fields{"profile": configdb.DynamicHeadroom}
	load["PORT_QOS_MAP|Ethernet0"] = configdb.Fields{"pfc_enable": "3,4"}
	load["PORT_QOS_MAP|Ethernet4"] = configdb.Fields{"pfc_enable": "3,4"}
	delete(load, "BUFFER_PG|Ethernet4|0")
	delete(load, "BUFFER_QUEUE|Ethernet4|3")
	return load
}

// robberies are changes of rows that computed headroom comes from, by which it can't be
// computed, or not as much as there is room for.
func robberies() map[string]rows {
	const cable, pattern, parameter, pool = "CABLE_LENGTH|AZURE", "LOSSLESS_TRAFFIC_PATTERN|AZURE", "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", "BUFFER_POOL|ingress_lossless_pool"
	port := func(more configdb.Fields) rows {
		f := configdb.Fields{"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}
		maps.Copy(f, more)
		maps.DeleteFunc(f, func(_, v string) bool { return v == "-" })
		return rows{"PORT|Ethernet0": f}
	}
	all := map[string]rows{
		"cables gone": {cable: nil}, "cable gone": {cable: {"Ethernet4": "40m"}}, "no cables": {cable: {"NULL": "NULL"}},
		"pattern gone": {pattern: nil}, "pattern empty": {pattern: {"NULL": "NULL"}},
		"pattern without mtu": {pattern: {"small_packet_percentage": "100"}}, "pattern without small packets": {pattern: {"mtu": "1024"}},
		"a pattern before it": {"LOSSLESS_TRAFFIC_PATTERN|A": {"mtu": "1024"}},
		"parameter gone":      {parameter: nil}, "parameter empty": {parameter: {"NULL": "NULL"}},
		"pool gone": {pool: nil}, "pool empty": {pool: {"NULL": "NULL"}}, "pool of no bytes": {pool: {"type": "ingress", "mode": "dynamic", "size": "0"}},
		"pool at egress": {pool: {"type": "egress", "mode": "dynamic", "size": "1048576"}}, "static pool": {pool: {"type": "ingress", "mode": "static", "size": "1048576"}},
		"pool without size": {pool: {"type": "ingress", "mode": "dynamic"}}, "pool of a percentage": {pool: {"type": "ingress", "mode": "dynamic", "percentage": "50"}},
		"no speed": port(configdb.Fields{"speed": "-"}), "a cable before it": {"CABLE_LENGTH|A": {"Ethernet0": "0m"}},
		"everything gone":            {cable: nil, pattern: nil, parameter: nil, pool: nil},
		"no speed and no cable":      {cable: {"Ethernet4": "40m"}, "PORT|Ethernet0": {"lanes": "1,2,3,4", "admin_status": "up"}},
		"a cable that is too long":   {cable: {"Ethernet0": "4000000000m", "Ethernet4": "40m"}},
		"a profile of the same name": {"BUFFER_PROFILE|pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "dynamic_th": "1"}},
	}
	for _, v := range []string{"", "0", "0m", "5", "0.5m", "5 m", "abc", "-5m", "None", "99999999999m", "NULL", "m"} {
		all["cable "+v] = rows{cable: {"Ethernet0": v, "Ethernet4": "40m"}}
	}
	for _, v := range []string{"", "0", "abc", "-1", "1e5", "100G", "18446744073709551616"} {
		all["speed "+v] = port(configdb.Fields{"speed": v})
		all["mtu "+v] = port(configdb.Fields{"mtu": v})
		all["advertised "+v] = port(configdb.Fields{"autoneg": "on", "adv_speeds": v + ",", "speed": "-"})
		all["pattern's mtu "+v] = rows{pattern: {"mtu": v, "small_packet_percentage": "100"}}
		all["small packets "+v] = rows{pattern: {"mtu": "1024", "small_packet_percentage": v + "x"}}
		all["threshold "+v] = rows{parameter: {"default_dynamic_th": v + "x"}}
		all["ratio "+v] = rows{parameter: {"default_dynamic_th": "0", "over_subscribe_ratio": v + "x"}}
		all["size "+v] = rows{pool: {"type": "ingress", "mode": "dynamic", "size": v + "x"}}
		all["type "+v] = rows{pool: {"type": v, "mode": "dynamic", "size": "1048576"}}
		all["mode "+v] = rows{pool: {"type": "ingress", "mode": v, "size": "1048576"}}
	}
	return all
}

// TestHeadroomStays (I1): computed headroom of what is paused stays when an input of it is bad, empty
// or removed, across restarts, and the row says so; other ports go on, and good values count again.
func TestHeadroomStays(t *testing.T) {
	t.Parallel()
	for name, bad := range robberies() {
		t.Run("computed/"+name, func(t *testing.T) {
			t.Parallel()
			headroomStays(t, paused(), bad, true)
		})
		t.Run("looked up/"+name, func(t *testing.T) {
			t.Parallel()
			headroomStays(t, pausedLookedUp(), bad, false)
		})
	}
}

// headroomStays is one of TestHeadroomStays. inputs says that all of the rows matter.
func headroomStays(t *testing.T, load, bad rows, inputs bool) {
	t.Helper()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.pub.db = r.db
	r.load(load)
	r.agent.Published(t.Context())
	before, had := r.actual().String(), r.headroom()
	if len(had) != 4 || r.exposed() != 0 {
		t.Fatalf("%v\n%s", had, before)
	}
	w := r.watched()
	r.change(bad)
	if err := w.err(); err != nil {
		t.Error(err)
	}
	for _, when := range []string{"at once", "after a restart"} {
		if got := r.headroom(); !maps.Equal(got, had) || r.exposed() != 0 {
			t.Fatalf("%s the headroom is %v, it was %v\n%s", when, got, had, fateLines(r.agent.Fates()))
		}
		if inputs && !r.said() && !quiet(bad) {
			t.Errorf("%s nothing is said of it:\n%s", when, fateLines(r.agent.Fates()))
		}
		r.agent.Published(t.Context())
		r.stop()
		r.start(r.pub)
		r.load()
	}
	good := maps.Clone(load)
	for k := range bad {
		if good[k] == nil {
			good[k] = nil
		}
	}
	good["CABLE_LENGTH|AZURE"] = configdb.Fields{"Ethernet0": "40m", "Ethernet4": "5m"}
	r.change(good)
	if now := r.headroom(); now["Ethernet0|3"] != had["Ethernet0|3"] || now["Ethernet4|3"] == had["Ethernet4|3"] || r.exposed() != 0 {
		t.Errorf("with good rows the headroom is %v, it was %v\n%s", now, had, fateLines(r.agent.Fates()))
	}
	if lines := fateLines(r.agent.Fates()); inputs && lines != "" {
		t.Errorf("with good rows\n%s", lines)
	}
}

// pausedLookedUp is paused with headroom that is looked up.
func pausedLookedUp() rows {
	load := paused()
	for _, k := range []configdb.RowKey{"DEVICE_METADATA|localhost", "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", "LOSSLESS_TRAFFIC_PATTERN|AZURE", "BUFFER_PG|Ethernet0|3-4", "BUFFER_PG|Ethernet4|3-4"} {
		delete(load, k)
	}
	return load
}

// quiet reports whether rows are odd but good: headroom does not depend on what is odd.
func quiet(bad rows) bool {
	pool := bad["BUFFER_POOL|ingress_lossless_pool"]
	_, sized := pool["size"]
	return pool["size"] == "0" || pool["mode"] == "static" && sized || pool["type"] == configdb.Ingress && !sized
}

// said reports whether something is said of a row.
func (r *rig) said() bool {
	for _, f := range r.agent.Fates() {
		if f.State != statedb.Applied || len(f.Warnings) > 0 {
			return true
		}
	}
	return false
}

// headroom is the reserved and shared headroom of each priority group that has any, as
// the chip has it.
func (r *rig) headroom() map[string]string {
	r.t.Helper()
	_, adopted := r.agent.Belief(r.t.Context())
	out, g := map[string]string{}, r.readback(adopted)
	for k, n := range g {
		if !strings.HasSuffix(k.String(), "#buffer") || !strings.HasPrefix(k.String(), "INGRESS_PRIORITY_GROUP") {
			continue
		}
		for _, a := range n.Attrs {
			for p := range a.Value.Targets() {
				if profile := g[p]; profile != nil && strings.Contains(profile.Key.Name, "lossless") {
					out[k.Name] = profileText(profile)
				}
			}
		}
	}
	return out
}

func profileText(n *graph.Node) string {
	var b strings.Builder
	for _, a := range n.Attrs {
		b.WriteString(a.String() + " ")
	}
	return b.String()
}

// TestCableKept: what is said of a length that is bad, and that others in the row count.
func TestCableKept(t *testing.T) {
	t.Parallel()
	const cable = "CABLE_LENGTH|AZURE"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.load(paused())
	had := r.headroom()
	r.change(rows{cable: {"Ethernet0": "0.5m", "Ethernet4": "5m"}})
	want := cable + ` applied
	warning field "Ethernet0" has no effect: "0.5m" is not a length in whole metres (0m to 4294967295m)
	warning Ethernet0: there is no length, but BUFFER_PG|Ethernet0|3-4 keeps the headroom of the last applied length, 40m: without it packets would be lost
`
	if now := r.headroom(); now["Ethernet0|3"] != had["Ethernet0|3"] || now["Ethernet4|3"] == had["Ethernet4|3"] {
		t.Errorf("%v, before %v", now, had)
	}
	if got := fateLines(r.agent.Fates()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// What is new has nothing to keep.
	r.change(rows{"BUFFER_PG|Ethernet0|3-4": nil})
	r.change(rows{"BUFFER_PG|Ethernet0|3-4": {"profile": configdb.DynamicHeadroom}})
	if f := r.agent.Fates()["BUFFER_PG|Ethernet0|3-4"]; f.State != statedb.Waiting || f.On != cable {
		t.Errorf("new: %+v", f)
	}
}

// field is the configuration of a bug report, an extra where it is.
func field(t *testing.T, name string) rows {
	t.Helper()
	file, err := configdb.ReadFile("../../shared/data/field/"+name+"/config_db.json", configdb.FileOptions{})
	if err != nil {
		return nil
	}
	return file.Rows
}

// TestCableOfBugReport is TestHeadroomStays with a configuration of the field.
func TestCableOfBugReport(t *testing.T) {
	t.Parallel()
	for i, load := range []rows{paused(), field(t, "01-cable-bad-dynamic")} {
		if load == nil {
			continue
		}
		r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
		if i > 0 {
			load["PORT|Ethernet0"]["lanes"] = "1,2,3,4" // those of this chip
		}
		r.load(load)
		had := r.headroom()
		for _, v := range []string{"5", "0.5m", "5 m", "", "abc", "-5m", "None", "0m"} {
			r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": v, "Ethernet4": "40m"}})
			if now := r.headroom(); len(had) == 0 || !maps.Equal(now, had) || r.exposed() != 0 {
				t.Errorf("%q: %v, before %v", v, now, had)
			}
		}
	}
}

// TestLinkOfPortThatIsUp: another speed and FEC in one change are never tried as a pair
// of which one is old, and a change that the chip refuses leaves the port up as it was.
func TestLinkOfPortThatIsUp(t *testing.T) {
	t.Parallel()
	const port = configdb.RowKey("PORT|Ethernet0")
	up := rows{port: {"lanes": "1,2,3,4", "speed": "100000", "fec": "rs", "mtu": "9100", "admin_status": "up"}}
	for _, load := range []rows{up, field(t, "05-speed-fec-live")} {
		if load == nil {
			continue
		}
		for _, refused := range []*sai.AttrMeta{nil, sai.PortAttrSpeed.AttrMeta, sai.PortAttrFECMode.AttrMeta} {
			for _, gnmi := range []bool{false, true} {
				linkOfPortThatIsUp(t, load, refused, gnmi)
			}
		}
	}
}

func linkOfPortThatIsUp(t *testing.T, load rows, refused *sai.AttrMeta, gnmi bool) {
	t.Helper()
	const port = configdb.RowKey("PORT|Ethernet0")
	r := newRig(t, 2)
	r.load(load)
	before := r.actual().String()
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && !c.IsBulk() && c.Attrs[0].AttrMeta == refused && c.Attrs[0].Num != 100000 && c.Attrs[0].Num != uint64(sai.PortFECModeRs) {
			return sai.StatusInvalidParameter
		}
		return 0
	})
	now := maps.Clone(load[port])
	now["speed"], now["fec"] = "40000", "none"
	if gnmi {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{port: now})})
		if (err != nil) != (refused != nil) {
			t.Errorf("%v", err)
		}
	} else {
		r.change(rows{port: now})
	}
	got := r.actual().String()
	if refused != nil && got != before {
		t.Errorf("refused, the chip has\n%s\nand had\n%s", got, before)
	}
	if refused == nil && (!strings.Contains(got, "SPEED = 40000") || strings.Contains(got, "FEC_MODE = RS") || !strings.Contains(got, "ADMIN_STATE = true")) {
		t.Errorf("the chip has\n%s", got)
	}
}

// TestModelWithoutRoom: that the chip does not take what the dynamic model makes of a pool
// loses nothing of what it has, whether the model is chosen again or for the first time.
func TestModelWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, first := range []rows{{}, {"DEVICE_METADATA|localhost": {"buffer_model": "traditional"}}} {
		r := newRig(t, 1)
		r.load(configdb.RawRows(first))
		r.change(rows{
			"PORT|Ethernet0":                    {"admin_status": "up", "lanes": "1,2,3,4"},
			"BUFFER_POOL|ingress_lossless_pool": {"mode": "static", "size": "12288", "type": "ingress"},
			"BUFFER_PROFILE|p":                  {"pool": "ingress_lossless_pool", "size": "0", "static_th": "8192", "xoff": "1080", "xon": "378"},
			"BUFFER_PG|Ethernet0|6-7":           {"profile": "p"},
			"PORT_QOS_MAP|Ethernet0":            {"pfc_enable": "6,7"},
		})
		w := r.watched()
		r.change(rows{"DEVICE_METADATA|localhost": {"buffer_model": "dynamic"}})
		if _, err := r.agent.RestartBuffers(t.Context(), buffers(), ""); err != nil {
			t.Fatal(err)
		}
		if err := w.err(); err != nil || r.exposed() != 0 {
			t.Errorf("%v first: priorities %#x have no headroom: %v", first, r.exposed(), err)
		}
		if f := r.agent.Fates()["BUFFER_POOL|ingress_lossless_pool"]; f.State != statedb.Waiting || f.On != "the chip" {
			t.Errorf("%v first: the pool: %+v", first, f)
		}
		r.change(rows{"BUFFER_POOL|ingress_lossless_pool": {"mode": "static", "size": "1048576", "type": "ingress"}})
		if f := r.agent.Fates()["BUFFER_POOL|ingress_lossless_pool"]; f.State != statedb.Applied {
			t.Errorf("%v first: the pool with room: %+v", first, f)
		}
		r.stop()
	}
}
