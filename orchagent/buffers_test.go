package orchagent_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestPoolWithoutSize: what rests on a pool whose size can't be computed is told so, with
// the input that is missing, and not that there is no such pool.
func TestPoolWithoutSize(t *testing.T) {
	t.Parallel()
	const pool, profile, pg, lossy = "BUFFER_POOL|ingress_lossless_pool", "BUFFER_PROFILE|lossy", "BUFFER_PG|Ethernet0|3-4", "BUFFER_PG|Ethernet0|0"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = bufmgr.Params{} })
	r.load(rows{
		"DEVICE_METADATA|localhost":               {"buffer_model": configdb.Dynamic, "platform": "unheard-of"},
		"PORT|Ethernet0":                          {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":                      {"Ethernet0": "5m"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
		pool:                                      {"type": "ingress", "mode": "dynamic"},
		profile:                                   {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "1"},
		pg:                                        {"profile": configdb.DynamicHeadroom},
		lossy:                                     {"profile": "lossy"},
	})
	for k, want := range map[configdb.RowKey]string{
		pool: "asic_table.json is not given", profile: "asic_table.json is not given",
		pg: "asic_table.json is not given", lossy: "BUFFER_PROFILE|lossy is not in force",
	} {
		if f := r.agent.Fates()[k]; f.State != statedb.Waiting || !strings.Contains(f.Reason, want) || strings.Contains(f.Reason, "not exist") {
			t.Errorf("%s: %+v", k, f)
		}
	}
	r.change(rows{pool: {"type": "ingress", "mode": "dynamic", "size": "1048576"}})
	for _, k := range []configdb.RowKey{pool, profile, lossy} {
		if f := r.agent.Fates()[k]; f.State != statedb.Applied {
			t.Errorf("with a size, %s: %+v", k, f)
		}
	}
}

// TestStaleFiles: the row that chooses the model says that newer files are not in use,
// until the manager is restarted with good ones.
func TestStaleFiles(t *testing.T) {
	t.Parallel()
	const key = "DEVICE_METADATA|localhost"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = bufmgr.Params{Stale: errors.New("asic_table.json:1: bad")} })
	r.load(rows{key: {"buffer_model": configdb.Traditional}})
	if f := r.agent.Fates()[key]; f.State != statedb.Applied || len(f.Warnings) != 1 || f.Warnings[0] != "asic_table.json:1: bad" {
		t.Errorf("%+v", f)
	}
	if _, err := r.agent.RestartBuffers(t.Context(), bufmgr.Params{}, ""); err != nil {
		t.Fatal(err)
	}
	if f := r.agent.Fates()[key]; len(f.Warnings) > 0 {
		t.Errorf("restarted with good files: %+v", f)
	}
}

// zeroQueues are files by which all queues of ports that are down get a zero profile.
func zeroQueues() bufmgr.Params {
	p := buffers()
	p.Zero.Egress = "queue_zero"
	p.Zero.Profiles = append(p.Zero.Profiles, &configdb.BufferProfile{
		ID: "BUFFER_PROFILE|queue_zero", Name: "queue_zero", Pool: "egress_lossy_pool", HasSize: true, Mode: configdb.Dynamic, DynamicTh: -6, HeadroomType: configdb.Static,
	})
	return p
}

// computed are rows of two ports, one of them down, with headroom that is computed.
func computed() rows {
	return rows{
		"DEVICE_METADATA|localhost":               {"buffer_model": configdb.Dynamic},
		"PORT|Ethernet0":                          {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		"PORT|Ethernet4":                          {"lanes": "5,6,7,8", "speed": "100000", "admin_status": "down"},
		"CABLE_LENGTH|AZURE":                      {"Ethernet0": "5m", "Ethernet4": "5m"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
		"BUFFER_POOL|ingress_lossless_pool":       {"type": "ingress", "mode": "dynamic", "size": "1048576"},
		"BUFFER_POOL|egress_lossy_pool":           {"type": "egress", "mode": "dynamic", "size": "1048576"},
		"BUFFER_PROFILE|lossy":                    {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "1"},
		"BUFFER_PROFILE|queue":                    {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "1"},
		"BUFFER_PG|Ethernet0|3-4":                 {"profile": configdb.DynamicHeadroom},
		"BUFFER_PG|Ethernet4|0":                   {"profile": "lossy"},
		"BUFFER_QUEUE|Ethernet4|3":                {"profile": "queue"},
	}
}

// asFresh checks that the chip has what an agent that begins with the same rows makes.
func (r *rig) asFresh() {
	r.t.Helper()
	had := r.actual().String()
	r.stop()
	r.start(r.pub)
	r.load()
	if diff := cmp.Diff(r.actual().String(), had); diff != "" {
		r.t.Errorf("an agent that begins anew makes it otherwise: %s", diff)
	}
}

// TestBuffersOfNewPort: what a port has that came with a breakout is known to the buffer
// manager at once: the queues of one that is down are taken back.
func TestBuffersOfNewPort(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = zeroQueues() })
	r.load(computed())
	r.change(rows{
		"PORT|Ethernet0":           {"lanes": "1,2", "speed": "50000", "admin_status": "up"},
		"PORT|Ethernet2":           {"lanes": "3,4", "speed": "50000", "admin_status": "down"},
		"CABLE_LENGTH|AZURE":       {"Ethernet0": "5m", "Ethernet2": "5m", "Ethernet4": "5m"},
		"BUFFER_QUEUE|Ethernet2|3": {"profile": "queue"},
	})
	r.asFresh()
}

// TestModelLeavesNothing: no row that one model made stays in effect with the other.
func TestModelLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = zeroQueues() })
	r.load(computed())
	r.change(rows{"DEVICE_METADATA|localhost": {"buffer_model": configdb.Traditional}})
	if _, err := r.agent.RestartBuffers(t.Context(), zeroQueues(), ""); err != nil {
		t.Fatal(err)
	}
	r.asFresh()
}

// TestDerivedRowSpared: a derived row that a request removes stays, and so does what the
// chip has of it: it would only be made again.
func TestDerivedRowSpared(t *testing.T) {
	t.Parallel()
	const profile = "BUFFER_PROFILE|pg_lossless_100000_5m_profile"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.pub.db = r.db
	r.load(rows{
		"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}, "CABLE_LENGTH|AZURE": {"Ethernet0": "5m"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}, "BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "131072"},
	})
	r.agent.Published(t.Context())
	if r.db.snapshot()[profile] == nil {
		t.Fatalf("%v", r.db.snapshot())
	}
	r.chip.ResetCalls()
	out, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{profile: nil})})
	if err != nil || len(out.Warnings) == 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if len(r.agent.Records()) > 1 || r.db.snapshot()[profile] == nil || len(r.chip.Calls()) > 0 {
		t.Errorf("%+v, %d calls, and the row is %v", r.lastRecord(), len(r.chip.Calls()), r.db.snapshot()[profile])
	}
}

// derivedRig has a chip of two ports with derived headroom, in effect and in the database.
func derivedRig(t *testing.T) *rig {
	t.Helper()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.pub.db = r.db
	r.load(rows{
		"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}, "PORT|Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":     {"Ethernet0": "5m", "Ethernet4": "5m"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}, "PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3,4"},
		"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "131072"},
		"BUFFER_POOL|egress":                {"type": "egress", "mode": "static", "size": "1048576"},
		"ACL_TABLE|a":                       {"type": "L3"},
	})
	r.agent.Published(t.Context())
	if have := r.db.snapshot(); have["BUFFER_PG|Ethernet4|3-4"] == nil || have["BUFFER_PROFILE|pg_lossless_100000_5m_profile"] == nil {
		t.Fatalf("%v", have)
	}
	return r
}

// TestPoolGoesWithDerivedRows: a pool can go in the request that takes away what its
// derived profiles come from, whatever that is, and not while something still asks for
// one of them.
func TestPoolGoesWithDerivedRows(t *testing.T) {
	t.Parallel()
	const pool = "BUFFER_POOL|ingress_lossless_pool"
	noQoS := rows{pool: nil, "PORT_QOS_MAP|Ethernet0": nil, "PORT_QOS_MAP|Ethernet4": nil}
	for _, tt := range []struct {
		name string
		ops  []configdb.Op
		left []configdb.RowKey // nil: refused
	}{
		{"with the rows of PFC", ops(noQoS), []configdb.RowKey{"ACL_TABLE|a", "BUFFER_POOL|egress", "CABLE_LENGTH|AZURE", "PORT|Ethernet0", "PORT|Ethernet4"}},
		{
			"with pfc_enable", append(ops(rows{pool: nil}),
				configdb.Op{Table: "PORT_QOS_MAP", Key: "Ethernet0", Field: "pfc_enable"}, configdb.Op{Kind: configdb.Replace, Table: "PORT_QOS_MAP", Key: "Ethernet4", Fields: configdb.Fields{"pfc_enable": ""}}),
			[]configdb.RowKey{"ACL_TABLE|a", "BUFFER_POOL|egress", "CABLE_LENGTH|AZURE", "PORT_QOS_MAP|Ethernet4", "PORT|Ethernet0", "PORT|Ethernet4"},
		},
		{
			"with the ports", ops(rows{pool: nil, "PORT|Ethernet0": nil, "PORT|Ethernet4": nil, "PORT_QOS_MAP|Ethernet0": nil, "PORT_QOS_MAP|Ethernet4": nil, "CABLE_LENGTH|AZURE": nil}),
			[]configdb.RowKey{"ACL_TABLE|a", "BUFFER_POOL|egress"},
		},
		{"with rows for the same priorities", ops(rows{
			pool: nil, "BUFFER_POOL|mine": {"type": "ingress", "mode": "dynamic", "size": "524288"}, "BUFFER_PROFILE|mine": {"pool": "mine", "size": "4096", "xoff": "32768", "xon": "4096", "dynamic_th": "1"},
			"BUFFER_PG|Ethernet0|3": {"profile": "mine"}, "BUFFER_PG|Ethernet4|3-4": {"profile": "mine"},
		}), []configdb.RowKey{
			"ACL_TABLE|a", "BUFFER_PG|Ethernet0|3", "BUFFER_PG|Ethernet4|3-4", "BUFFER_POOL|egress", "BUFFER_POOL|mine", "BUFFER_PROFILE|mine", "CABLE_LENGTH|AZURE",
			"PORT_QOS_MAP|Ethernet0", "PORT_QOS_MAP|Ethernet4", "PORT|Ethernet0", "PORT|Ethernet4",
		}},
		{"everything", []configdb.Op{{}}, []configdb.RowKey{"ACL_TABLE|a"}},
		{"alone", ops(rows{pool: nil}), nil},
		{"with the PFC of one port of two", ops(rows{pool: nil, "PORT_QOS_MAP|Ethernet4": nil}), nil},
		{"with one priority of two", ops(rows{pool: nil, "PORT_QOS_MAP|Ethernet0": nil, "PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3"}}), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := derivedRig(t)
			before, chip := r.db.snapshot(), r.chip.Dump()
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: tt.ops, Confirmed: true})
			if tt.left == nil {
				if err == nil || !strings.Contains(err.Error(), pool+": still referred to by BUFFER_PROFILE|pg_lossless_100000_5m_profile") {
					t.Errorf("%v", err)
				}
				if diff := cmp.Diff(before, r.db.snapshot()); diff != "" || r.chip.Dump() != chip {
					t.Errorf("refused, but changed: %s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r.agent.Published(t.Context())
			if diff := cmp.Diff(tt.left, slices.Sorted(maps.Keys(r.db.snapshot()))); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if strings.Contains(r.chip.Dump(), "pg_lossless") {
				t.Errorf("the chip has\n%s", r.chip.Dump())
			}
		})
	}
}

// TestPoolGoesByRedis: what a request takes away at once, another program takes away row
// by row, in any order; the pool waits until nothing asks for what is derived from it.
func TestPoolGoesByRedis(t *testing.T) {
	t.Parallel()
	const pool, map0, map4 = "BUFFER_POOL|ingress_lossless_pool", "PORT_QOS_MAP|Ethernet0", "PORT_QOS_MAP|Ethernet4"
	for _, order := range [][]configdb.RowKey{{pool, map0, map4}, {map0, pool, map4}, {map4, map0, pool}} {
		r := derivedRig(t)
		for _, k := range order {
			r.change(rows{k: nil})
		}
		r.agent.Published(t.Context())
		want := []configdb.RowKey{"ACL_TABLE|a", "BUFFER_POOL|egress", "CABLE_LENGTH|AZURE", "PORT|Ethernet0", "PORT|Ethernet4"}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(r.db.snapshot()))); diff != "" {
			t.Errorf("%v: rows (-want +got):\n%s", order, diff)
		}
		if f, ok := r.agent.Fates()[pool]; ok || strings.Contains(r.chip.Dump(), "pg_lossless") {
			t.Errorf("%v: the pool is %s: %s", order, f.State, f.Reason)
		}
	}
}

// TestPortTakesDerivedRowsAlong: a request that removes a port with all its rows
// does not name those that are derived for it; they go too.
func TestPortTakesDerivedRowsAlong(t *testing.T) {
	t.Parallel()
	const pg = "BUFFER_PG|Ethernet4|3"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.pub.db = r.db
	r.load(rows{
		"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}, "PORT|Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":     {"Ethernet0": "5m", "Ethernet4": "5m"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"}, "PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3"},
		"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "131072"},
	})
	r.agent.Published(t.Context())
	if r.db.snapshot()[pg] == nil {
		t.Fatalf("%v", r.db.snapshot())
	}
	out, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{
		"PORT|Ethernet4": nil, "PORT_QOS_MAP|Ethernet4": nil, "CABLE_LENGTH|AZURE": {"Ethernet0": "5m"},
	})})
	if err != nil {
		t.Fatalf("%+v, %v", out, err)
	}
	r.agent.Published(t.Context())
	if have := r.db.snapshot(); have[pg] != nil || have["PORT|Ethernet4"] != nil || have["BUFFER_PG|Ethernet0|3"] == nil {
		t.Errorf("%v", have)
	}
}
