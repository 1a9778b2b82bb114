package orchagent_test

import (
	"errors"
	"strings"
	"testing"

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
