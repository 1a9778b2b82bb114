package orchagent_test

import (
	"errors"
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
