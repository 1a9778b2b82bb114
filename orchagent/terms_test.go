package orchagent_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

const metadata configdb.RowKey = "DEVICE_METADATA|localhost"

// keeps has a rig watched, and returns what checks that all priority groups still have the
// headroom that they have now.
func (r *rig) keeps(groups int) func(when string) {
	r.t.Helper()
	had, w := r.headroom(), r.watched()
	if len(had) != groups || r.exposed() != 0 {
		r.t.Fatalf("%v\n%s", had, fateLines(r.agent.Fates()))
	}
	return func(when string) {
		r.t.Helper()
		if now := r.headroom(); !maps.Equal(now, had) || r.exposed() != 0 || w.err() != nil {
			r.t.Errorf("%s: %v, it was %v; %v\n%s", when, now, had, w.err(), fateLines(r.agent.Fates()))
		}
	}
}

// reload starts another agent, which loads all rows.
func (r *rig) reload() {
	r.t.Helper()
	r.agent.Published(r.t.Context())
	r.stop()
	r.start(r.pub)
	r.load()
	r.agent.Published(r.t.Context())
}

// warns checks that warnings of a row contain all parts; without parts there must be none.
func (r *rig) warns(k configdb.RowKey, parts ...string) {
	r.t.Helper()
	f := r.agent.Fates()[k]
	text := strings.Join(f.Warnings, "\n")
	if f.State != statedb.Applied || len(parts) == 0 && text != "" {
		r.t.Errorf("%s: %+v", k, f)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			r.t.Errorf("%s: %q is not in %+v", k, part, f)
		}
	}
}

// ownHeadroom are rows by which the ports of paused have headroom with either model.
func ownHeadroom() rows {
	return rows{
		"BUFFER_PROFILE|my_lossless": {"pool": "ingress_lossless_pool", "size": "100352", "xon": "18432", "xoff": "81920", "dynamic_th": "0"},
		"BUFFER_PG|Ethernet0|3-4":    {"profile": "my_lossless"},
		"BUFFER_PG|Ethernet4|3-4":    {"profile": "my_lossless"},
	}
}

// TestModelThatRobs (I1): the traditional model is not taken up while lossless priority
// groups would lose their headroom by it, and it is said what is missing: by a restart of the
// buffer manager, which is refused, and by one of the agent. With all there it is taken up.
func TestModelThatRobs(t *testing.T) {
	t.Parallel()
	missing := []string{"traditional model", "BUFFER_PG|Ethernet0|3-4 names no profile", "BUFFER_PG|Ethernet4|3-4", "buffer_model", "restart buffers"}
	for name, change := range map[string]rows{
		"the row says so": {metadata: {"buffer_model": configdb.Traditional}}, "the row says nothing": {metadata: {"hostname": "x"}}, "the row is gone": {metadata: nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := buffers()
			files.Lookup = nil
			r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = files })
			r.load(paused())
			keeps := r.keeps(4)
			r.change(change)
			_, err := r.agent.RestartBuffers(t.Context(), files, "")
			for _, part := range missing {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
			r.change(rows{"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up", "mtu": "9000"}})
			keeps("at once")
			for range 2 {
				r.reload()
				keeps("after a restart")
				if change[metadata] != nil {
					r.warns(metadata, missing...)
				}
			}
			r.change(ownHeadroom())
			if _, err := r.agent.RestartBuffers(t.Context(), files, ""); err != nil {
				t.Error(err)
			}
			r.agent.Published(t.Context())
			if now := r.headroom(); len(now) != 4 || r.exposed() != 0 || r.pub.last.Model != configdb.Traditional {
				t.Errorf("with all that the other model needs: %v, %s\n%s", now, r.pub.last.Model, fateLines(r.agent.Fates()))
			}
			if change[metadata] != nil {
				r.warns(metadata)
			}
		})
	}
}

// TestModelWhileAway: an agent takes up a model that was asked for while none ran, and rows
// with it, if no headroom is lost by that.
func TestModelWhileAway(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.load(paused())
	r.agent.Published(t.Context())
	r.stop()
	for k, f := range ownHeadroom() {
		r.db.set(k, f)
	}
	r.db.set(metadata, configdb.Fields{"buffer_model": configdb.Traditional})
	r.start(r.pub)
	r.load()
	r.agent.Published(t.Context())
	r.warns(metadata)
	if now := r.headroom(); len(now) != 4 || r.exposed() != 0 || r.pub.last.Model != configdb.Traditional {
		t.Errorf("%v, %s", now, r.pub.last.Model)
	}
}

// TestDynamicModelThatRobs (I1): the same the other way round, for want of the constants of
// the chip or of rows that the dynamic model computes headroom from.
func TestDynamicModelThatRobs(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"unheard-of", ""} {
		t.Run(fmt.Sprintf("platform %q", platform), func(t *testing.T) {
			t.Parallel()
			files := buffers()
			if platform != "" {
				files.ASIC = nil
			}
			r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = files })
			load := pausedLookedUp()
			load[metadata] = configdb.Fields{"buffer_model": configdb.Traditional, "platform": platform}
			r.load(load)
			r.agent.Published(t.Context())
			keeps := r.keeps(4)
			r.change(rows{metadata: {"buffer_model": configdb.Dynamic, "platform": platform}})
			lost := []string{"dynamic model", "BUFFER_PG|Ethernet0|3-4", "BUFFER_PG|Ethernet4|3-4", "restart buffers"}
			_, err := r.agent.RestartBuffers(t.Context(), files, "")
			for _, part := range lost {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
			keeps("at once")
			r.reload()
			keeps("after a restart")
			r.warns(metadata, lost...)
		})
	}
}

// TestStatedMemoryThatRobs (I1): a stated packet memory that does not hold what is reserved,
// or is stated no longer, does not count where the chip reports none: the one of before
// stays, over a restart as well, and pools say so.
func TestStatedMemoryThatRobs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stated uint64
		groups int
	}{{0, 4}, {1 << 10, 4}, {1 << 10, 0}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			limits := statedb.Limits{MMUBytes: 64 << 20}
			profile := *vsai.Profiles()[0] // reports no memory
			profile.OfflineLinks = true
			r := &rig{t: t, chip: vsai.New(vsai.Config{Profile: &profile, Ports: layout(2)}), db: &memory{rows: configdb.RawRows{}}}
			r.with = func(cfg *orchagent.Config) { cfg.Buffers, cfg.Limits = buffers(), limits }
			r.start(&recorder{})
			const pool = "BUFFER_POOL|ingress_lossless_pool"
			load := paused()
			load[pool] = configdb.Fields{"type": "ingress", "mode": "dynamic"}
			load["BUFFER_POOL|egress_lossless_pool"] = configdb.Fields{"type": "egress", "mode": "static"}
			if tt.groups == 0 { // for a pool of lossy traffic alone
				maps.DeleteFunc(load, func(k configdb.RowKey, _ configdb.Fields) bool {
					return k.Table() == "PORT_QOS_MAP" || k.Table() == "BUFFER_PG"
				})
			}
			r.load(load)
			keeps := r.keeps(tt.groups)
			size := r.agent.EffectiveFields(t.Context(), pool)
			set := func(n uint64) {
				t.Helper()
				limits = statedb.Limits{MMUBytes: n}
				if err := r.agent.SetLimits(t.Context(), limits); err != nil {
					t.Fatal(err)
				}
			}
			stays := func(when string) {
				t.Helper()
				keeps(when)
				if now := r.agent.EffectiveFields(t.Context(), pool); now != size || size == "" {
					t.Errorf("%s: %s, it was %s", when, now, size)
				}
				r.warns(pool, "STATE_DB states", "67108864 bytes of before stay", "mmu_size")
			}
			set(tt.stated)
			stays("at once")
			r.change(rows{"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up", "mtu": "9000"}})
			stays("after a change")
			for range 2 {
				r.reload()
				stays("after a restart")
			}
			if _, err := r.agent.RestartBuffers(t.Context(), buffers(), ""); err != nil {
				t.Error(err)
			}
			stays("after a restart of the buffer manager")
			set(32 << 20)
			r.warns(pool)
			if now := r.agent.EffectiveFields(t.Context(), pool); now == size || now == "" {
				t.Errorf("with enough: %s", now)
			}
		})
	}
}

// TestFilesThatRobAtStart (I1): an agent that begins with files by which headroom would be
// lost goes on with those of before, and the row that chooses the model says so.
func TestFilesThatRobAtStart(t *testing.T) {
	t.Parallel()
	files, before := buffers(), buffers()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) {
		if cfg.Buffers = files; cfg.Before != nil {
			cfg.Before.Files = &before
		}
	})
	r.load(paused())
	keeps := r.keeps(4)
	asic := *files.ASIC
	asic.CellBytes = 1 << 40
	files.ASIC, files.Source = &asic, "new/asic_table.json"
	for range 2 {
		r.reload()
		keeps("with files that rob")
		r.warns(metadata, "new/asic_table.json", "by these files", "BUFFER_PG|Ethernet0|3-4", "restart buffers")
	}
	files.ASIC, files.Source = buffers().ASIC, ""
	files.Lookup = &bufmgr.Lookup{Entries: slices.Clone(files.Lookup.Entries)}
	r.reload()
	keeps("with good files")
	r.warns(metadata)
}

// TestModelThatRobsPools (I1): the same for want of the size of a pool, which only the
// dynamic model computes, although the rows of priority groups have all that they need.
func TestModelThatRobsPools(t *testing.T) {
	t.Parallel()
	const pool = "BUFFER_POOL|ingress_lossless_pool"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	load := paused()
	maps.Copy(load, ownHeadroom())
	load[pool] = configdb.Fields{"type": "ingress", "mode": "dynamic"}
	r.load(load)
	keeps := r.keeps(4)
	r.change(rows{metadata: {"buffer_model": configdb.Traditional}})
	if _, err := r.agent.RestartBuffers(t.Context(), buffers(), ""); err == nil || !strings.Contains(err.Error(), "traditional model") || !strings.Contains(err.Error(), pool) || !strings.Contains(err.Error(), "size") {
		t.Errorf("%v", err)
	}
	keeps("at once")
	r.reload()
	keeps("after a restart")
	r.warns(metadata, "traditional model", pool)
	r.change(rows{pool: {"type": "ingress", "mode": "dynamic", "size": "1048576"}})
	if _, err := r.agent.RestartBuffers(t.Context(), buffers(), ""); err != nil {
		t.Error(err)
	}
	keeps("with a size")
	r.warns(metadata)
}
