package publish_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/bufmgr"
	"xon/orchagent/publish"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/schema/statedb"
	"xon/test/scale"
)

// dynamicRows are two lossless priorities of a port in the dynamic model, whose pool is
// computed.
func dynamicRows() configdb.RawRows {
	return configdb.RawRows{
		"DEVICE_METADATA|localhost":               {"buffer_model": "dynamic", "platform": "vs"},
		"PORT|Ethernet0":                          {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":                      {"Ethernet0": "5m"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
		"BUFFER_POOL|ingress_lossless_pool":       {"type": "ingress", "mode": "dynamic"},
		"BUFFER_PG|Ethernet0|3":                   {"profile": "NULL"},
	}
}

const (
	portLimit = "BUFFER_MAX_PARAM_TABLE|Ethernet0"
	mmuLimit  = "BUFFER_MAX_PARAM_TABLE|global"
)

func newLimitsRig(t *testing.T) *rig {
	t.Helper()
	profile := *vsai.Profiles()[0]
	profile.HideBuffer, profile.BufferBytes = false, 32<<20
	r := newRigOn(t, vsai.Config{Profile: &profile, Ports: []vsai.PortLayout{{Lanes: scale.Lanes(0), SpeedMbps: scale.SpeedMbps}}})
	r.load(dynamicRows())
	return r
}

// follow has the agent follow limits until the test, or the function that it returns, ends it.
func (r *rig) follow() (stop func()) {
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	agent := r.agent
	go func() { done <- publish.RunLimits(ctx, r.client, r.log, agent.SetLimits) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	}
}

func (r *rig) field(id redisdb.ID, key, field string) string { return r.row(id, key)[field] }

func (r *rig) hset(key, field, text string) {
	r.t.Helper()
	var b redisdb.Batch
	b.SetField(key, field, text)
	if err := r.client.DB(redisdb.StateDB).Write(r.t.Context(), &b); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) poolSize() string {
	r.t.Helper()
	return r.field(redisdb.ApplDB, "BUFFER_POOL_TABLE:ingress_lossless_pool", "size")
}

// TestLimitsOfSilentChip: what another program states of a chip that does not tell its memory
// is there as long as that program has it there, whenever everything is published.
func TestLimitsOfSilentChip(t *testing.T) {
	t.Parallel()
	profile := *vsai.Profiles()[0]
	profile.HideBuffer = true
	r := newRigOn(t, vsai.Config{Profile: &profile, Ports: []vsai.PortLayout{{Lanes: scale.Lanes(0), SpeedMbps: scale.SpeedMbps}}})
	r.load(dynamicRows())
	if f := r.row(redisdb.StateDB, mmuLimit); len(f) > 0 {
		t.Fatalf("the chip tells its memory: %v", f)
	}
	r.hset(mmuLimit, "mmu_size", "16777216")
	r.stop()
	r.start()
	r.load(r.rows)
	if got := r.field(redisdb.StateDB, mmuLimit, "mmu_size"); got != "16777216" {
		t.Errorf("mmu_size is %q", got)
	}
}

// TestStatedLimits: limits that somebody else writes count while they are there, also for the
// next agent, and are not written over; those that the chip tells of come back after.
func TestStatedLimits(t *testing.T) {
	t.Parallel()
	r := newLimitsRig(t)
	stop := r.follow()
	own, size := r.row(redisdb.StateDB, mmuLimit), r.poolSize()
	if own["mmu_size"] != "33554432" || size == "" {
		t.Fatalf("at first %v, a pool of %q", own, size)
	}
	r.hset(mmuLimit, "mmu_size", "16777216")
	redistest.Eventually(t, "the pool follows", func() bool { return r.poolSize() != size })
	less := r.poolSize()

	pg := configdb.RowKey("BUFFER_PG|Ethernet0|4")
	r.hset(portLimit, "max_headroom_size", "140000") // room for one such group, and not for two
	r.rows[pg] = configdb.Fields{"profile": "NULL"}
	redistest.Eventually(t, "the limit is taken up", func() bool {
		e, err := r.agent.Headroom(t.Context(), "Ethernet0", bufmgr.Override{})
		return err == nil && e.Fit.PortLimit == 140000
	})
	if err := r.agent.Change(t.Context(), []configdb.Change{{Row: pg, Fields: r.rows[pg]}}); err != nil {
		t.Fatal(err)
	}
	if f := r.agent.Fates()[pg]; f.State != statedb.Refused {
		t.Errorf("beyond the limit: %v", f)
	}

	stop()
	writes := r.chip.Writes()
	r.stop()
	r.start()
	r.load(r.rows)
	stop = r.follow()
	defer func() { stop() }()
	if n := r.chip.Writes() - writes; n > 0 {
		t.Errorf("the next agent made %d writes", n)
	}
	if f := r.agent.Fates()[pg]; f.State != statedb.Refused || r.poolSize() != less {
		t.Errorf("the next agent has %v and a pool of %s, want it refused and %s", f, r.poolSize(), less)
	}
	if got := r.field(redisdb.StateDB, mmuLimit, "mmu_size"); got != "16777216" {
		t.Errorf("mmu_size is %s", got)
	}

	// What is applied keeps its headroom, however little is stated.
	r.hset(portLimit, "max_headroom_size", "1000")
	redistest.Eventually(t, "the limit is said", func() bool { return len(r.agent.Fates()["BUFFER_PG|Ethernet0|3"].Warnings) > 0 })
	if f := r.row(redisdb.ApplDB, "BUFFER_PG_TABLE:Ethernet0:3"); f["profile"] == "" || r.agent.Fates()["BUFFER_PG|Ethernet0|3"].State != statedb.Applied {
		t.Errorf("the group that was applied has %v", f)
	}

	r.hset(portLimit, "max_headroom_size", "much") // is none
	redistest.Eventually(t, "the group is applied", func() bool { return r.agent.Fates()[pg].State == statedb.Applied })
	r.remove(redisdb.StateDB, mmuLimit, portLimit)
	redistest.Eventually(t, "the pool follows the chip", func() bool { return r.poolSize() != less })
	r.stop()
	r.every = 20 * time.Millisecond
	r.start()
	r.load(r.rows)
	redistest.Eventually(t, "the chip's limits are back", func() bool { return cmp.Equal(own, r.row(redisdb.StateDB, mmuLimit)) })
}
