package orchagent_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

const heldPorts = 8

// lostRows is a rig whose database lost its rows while no agent ran.
func lostRows(t *testing.T, keep func(configdb.RowKey) bool) (r *rig, chip string) {
	t.Helper()
	r = newRig(t, heldPorts)
	r.load(scale.Load(heldPorts))
	r.agent.Published(t.Context())
	chip = r.chip.Dump()
	r.stop()
	maps.DeleteFunc(r.db.rows, func(k configdb.RowKey, _ configdb.Fields) bool { return !keep(k) })
	return r, chip
}

func none(configdb.RowKey) bool { return false }

// TestHeldLoad: an agent that comes back to a database without rows takes nothing
// away until it is told to, whether or not STATE_DB still knows what was in force.
func TestHeldLoad(t *testing.T) {
	t.Parallel()
	for _, remembers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) { heldLoad(t, remembers) })
	}
}

func heldLoad(t *testing.T, remembers bool) {
	r, chip := lostRows(t, none)
	before := &recorder{}
	if remembers {
		before = r.pub
	}
	var paused uint64
	r.with = func(c *orchagent.Config) { c.Observe = func(s orchagent.Stats) { paused = s.Paused } }
	r.start(before)
	defer r.stop()
	r.load()
	time.Sleep(time.Hour)
	r.load() // as after a lost connection
	if got := r.chip.Dump(); got != chip {
		t.Fatalf("the chip has\n%s\nand had\n%s", got, chip)
	}
	rec := r.agent.Records()[0]
	if rec.Outcome != audit.Held || rec.Writes != 0 || len(rec.Faults) != 1 || !strings.Contains(rec.Faults[0], fmt.Sprintf("xonctl confirm %d", rec.ID)) {
		t.Errorf("record %+v", rec)
	}
	for k, f := range r.agent.Fates() {
		if f.State != statedb.Waiting || f.On != fmt.Sprintf("plan %d", rec.ID) || !strings.Contains(f.Reason, "held by the guard") {
			t.Errorf("%s is %+v", k, f)
		}
	}
	if n := len(r.agent.Fates()); remembers != (n > 0) {
		t.Errorf("%d fates", n)
	}
	if paused != rec.ID {
		t.Errorf("plan %d is told to be paused", paused)
	}
	if err := r.agent.Confirm(t.Context(), rec.ID+1, orchagent.Request{}); !errors.Is(err, orchagent.ErrNoPlan) {
		t.Errorf("confirm of another plan: %v", err)
	}
	r.chip.ResetCalls() // a confirmed transaction confirms itself, and nothing else
	own := orchagent.Request{Ops: ops(rows{"SCHEDULER|own": {"type": "STRICT"}}), Confirmed: true}
	if _, err := r.agent.Transact(t.Context(), own); err != nil || r.chip.Writes() != 1 {
		t.Errorf("a confirmed transaction made %d writes: %v", r.chip.Writes(), err)
	}
	if err := r.agent.Confirm(t.Context(), rec.ID, orchagent.Request{Who: "me"}); err != nil {
		t.Fatal(err)
	}
	if _, away := r.agent.Desired(t.Context()); len(away) > 0 || r.chip.Dump() == chip {
		t.Errorf("confirmed, and there is left to do\n%s", away)
	}
	if rec := r.lastRecord(); rec.Source != audit.Confirm || rec.Outcome != audit.Applied || rec.Who != "me" {
		t.Errorf("record %+v", rec)
	}
	if err := r.agent.Confirm(t.Context(), rec.ID, orchagent.Request{}); !errors.Is(err, orchagent.ErrNoPlan) {
		t.Errorf("confirm once more: %v", err)
	}
}

// TestHeldGoesOn: while a plan is held other rows come into force, those that rest
// on what is held wait or are refused, storms are heeded, and when the rows come
// back nothing is held any more.
func TestHeldGoesOn(t *testing.T) {
	t.Parallel()
	port := func(k configdb.RowKey) bool { return k.Table() == "PORT" || k.Table() == "BUFFER_POOL" }
	r, _ := lostRows(t, port)
	r.start(&recorder{})
	r.load()
	id := r.lastRecord().ID

	ask := func(k configdb.RowKey, f fields) error {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{k: f})})
		return err
	}
	good := rows{"SCHEDULER|new": {"type": "STRICT"}, "PORT|Ethernet0": maps.Clone(r.db.rows["PORT|Ethernet0"])}
	good["PORT|Ethernet0"]["mtu"] = "1500"
	r.change(good)
	if err := ask("SCHEDULER|more", fields{"type": "WRR", "weight": "3"}); err != nil {
		t.Error(err)
	}
	for _, k := range []configdb.RowKey{"SCHEDULER|new", "SCHEDULER|more", "PORT|Ethernet0"} {
		if f := r.agent.Fates()[k]; f.State != statedb.Applied {
			t.Errorf("%s is %+v", k, f)
		}
	}
	var held *orchagent.Held
	pool := maps.Clone(r.db.rows["BUFFER_POOL|ingress_lossless_pool"])
	pool["size"] = "12345678"
	if err := ask("BUFFER_POOL|ingress_lossless_pool", pool); !errors.As(err, &held) || held.ID != id {
		t.Errorf("a pool that is rested on: %v", err)
	}
	r.change(rows{"BUFFER_POOL|ingress_lossless_pool": pool})
	if f := r.agent.Fates()["BUFFER_POOL|ingress_lossless_pool"]; f.State != statedb.Waiting || f.On != fmt.Sprintf("plan %d", id) {
		t.Errorf("the pool is %+v", f)
	}

	ports := r.pfcPorts(heldPorts)
	if err := r.agent.Inform(t.Context(), "storm", true, func(f *intent.Facts) { f.SetStorm("Ethernet0", 3, true) }); err != nil {
		t.Error(err)
	}
	if m := r.paused(ports["Ethernet0"]); m != 0x10 {
		t.Errorf("Ethernet0 pauses %#x in a storm on 3", m)
	}
	if m := r.paused(ports["Ethernet4"]); m != 0x18 {
		t.Errorf("Ethernet4 pauses %#x", m)
	}
	if err := r.agent.Inform(t.Context(), "calm", false, func(f *intent.Facts) { f.SetStorm("Ethernet0", 3, false) }); err != nil {
		t.Error(err)
	}

	r.change(rows(scale.Load(heldPorts)))
	if err := r.agent.Confirm(t.Context(), id, orchagent.Request{}); !errors.Is(err, orchagent.ErrNoPlan) {
		t.Errorf("the rows are back, and confirm says %v", err)
	}
	if _, away := r.agent.Desired(t.Context()); len(away) > 0 {
		t.Errorf("there is left to do\n%s", away)
	}
	for k, f := range r.agent.Fates() {
		if f.State != statedb.Applied {
			t.Errorf("%s is %+v", k, f)
		}
	}
}

// TestGuardedTransaction: a transaction that takes away much by changing little is
// refused, in numbers, unless it is confirmed.
func TestGuardedTransaction(t *testing.T) {
	t.Parallel()
	r := newRig(t, 32)
	all := scale.Ports(32)
	names := make([]string, 32)
	for i := range names {
		names[i] = scale.PortName(i)
	}
	shared := configdb.Key("BUFFER_QUEUE", strings.Join(names, ",")+"|0-7")
	maps.Copy(all, configdb.RawRows{
		"BUFFER_POOL|out":  {"type": "egress", "mode": "static", "size": "1048576"},
		"BUFFER_PROFILE|q": {"pool": "out", "size": "0", "static_th": "1024"},
		shared:             {"profile": "q"},
		"SCHEDULER|strict": {"type": "STRICT"},
	})
	r.load(all)
	before, db := r.chip.Dump(), r.db.snapshot()
	req := orchagent.Request{Ops: ops(rows{shared: nil})}
	view, err := r.agent.Plan(t.Context(), req)
	if err != nil || !strings.Contains(view.Guard, "256 of the") {
		t.Errorf("plan: %q, %v", view.Guard, err)
	}
	_, err = r.agent.Transact(t.Context(), req)
	var held *orchagent.Held
	if !errors.As(err, &held) || held.ID != 0 || !strings.Contains(held.Why, "256 QUEUE (Ethernet0|0, …)") {
		t.Fatalf("transaction: %v", err)
	}
	if r.chip.Dump() != before || !maps.EqualFunc(db, r.db.snapshot(), maps.Equal[configdb.Fields, configdb.Fields]) {
		t.Error("something changed")
	}
	if rec := r.lastRecord(); rec.Outcome != audit.Refused || rec.Writes != 0 {
		t.Errorf("record %+v", rec)
	}
	req.Confirmed = true
	if view, err := r.agent.Plan(t.Context(), req); err != nil || view.Guard != "" {
		t.Errorf("plan: %q, %v", view.Guard, err)
	}
	if _, err := r.agent.Transact(t.Context(), req); err != nil {
		t.Error(err)
	}
}

// TestGuardLetsPass: what is asked for row by row is no accident, nor is what gets
// another name, and what fails of it is tried again without asking.
func TestGuardLetsPass(t *testing.T) {
	t.Parallel()
	half, renamed := rows{}, rows{}
	for k := range scale.Load(heldPorts) {
		if _, key, _ := strings.Cut(string(k), "|"); strings.HasPrefix(key, "Ethernet") {
			half[k] = nil
		}
	}
	for k, f := range scale.Load(heldPorts) {
		if k.Table() == "PORT" || half[k] == nil && strings.Contains(string(k), "|Ethernet") {
			renamed[k] = nil
			renamed[configdb.RowKey(strings.Replace(string(k), "|Ethernet", "|Port", 1))] = f
		}
	}
	for name, change := range map[string]rows{"removed": half, "renamed": renamed} {
		for _, fails := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, heldPorts)
				defer r.stop()
				r.load(scale.Load(heldPorts))
				if fails {
					n := 0
					r.chip.OnCall(func(c vsai.Call) sai.Status {
						if n++; c.Op.Write() && n < 200 {
							return sai.StatusObjectInUse
						}
						return 0
					})
				}
				r.change(change)
				time.Sleep(time.Hour)
				if _, away := r.agent.Desired(t.Context()); len(away) > 0 {
					t.Errorf("%s: there is left to do\n%s", name, away)
				}
				for _, rec := range r.agent.Records() {
					if rec.Outcome == audit.Held {
						t.Errorf("%s: held: %v", name, rec.Faults)
					}
				}
			})
		}
	}
}

// TestDisruptive: a change that does not fit while old and new are both there is
// undone exactly, and the answer says how to ask for it; asked so it is applied.
func TestDisruptive(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	memory := scale.MemoryBytes(2)
	if p := vsai.Profiles()[0].BufferBytes; p > memory {
		memory = p
	}
	size := func(n uint64) string { return fmt.Sprint(n) }
	all := scale.Ports(2)
	maps.Copy(all, configdb.RawRows{
		"BUFFER_POOL|in":        {"type": "ingress", "mode": "dynamic", "size": size(memory * 9 / 10)},
		"BUFFER_PROFILE|a":      {"pool": "in", "size": size(memory * 9 / 20), "xoff": "40960", "dynamic_th": "1"},
		"BUFFER_PG|Ethernet0|0": {"profile": "a"},
		"BUFFER_PG|Ethernet4|0": {"profile": "a"},
	})
	r.load(all)
	if got := fateLines(r.agent.Fates()); got != "" {
		t.Fatal(got)
	}
	before := r.chip.Dump()
	change := ops(rows{
		"BUFFER_PROFILE|b":      {"pool": "in", "size": size(memory * 12 / 20), "dynamic_th": "1"},
		"BUFFER_PG|Ethernet0|0": {"profile": "b"},
		"BUFFER_PROFILE|c":      {"pool": "in", "size": size(memory * 6 / 20), "dynamic_th": "1"},
		"BUFFER_PG|Ethernet4|0": {"profile": "c"},
	})
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: change})
	if !errors.Is(err, sai.StatusInsufficientResources) || !strings.Contains(err.Error(), "--disruptive") {
		t.Fatalf("hitless: %v", err)
	}
	if got := r.chip.Dump(); got != before {
		t.Errorf("undone, and the chip has\n%s\nand had\n%s", got, before)
	}
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: change, Disruptive: true}); err != nil {
		t.Fatalf("disruptive: %v", err)
	}
	over := ops(rows{"BUFFER_PROFILE|b": {"pool": "in", "size": size(memory * 3), "dynamic_th": "1"}})
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: over, Disruptive: true}); err == nil || strings.Contains(err.Error(), "--disruptive") {
		t.Errorf("what never fits: %v", err)
	}
}

// TestLicenceIsForWhatWentThrough: what the guard let pass, and what is tried again
// for ever, lets nothing else pass.
func TestLicenceIsForWhatWentThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, heldPorts)
		defer r.stop()
		r.load(scale.Load(heldPorts))
		r.chip.OnCall(func(c vsai.Call) sai.Status { // a row that was accepted stays in need of a try
			if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeWred {
				return sai.StatusTableFull
			}
			return 0
		})
		wred := maps.Clone(scale.Load(heldPorts)["WRED_PROFILE|AZURE_LOSSLESS"])
		wred["green_max_threshold"] = "2000000"
		gone := rows{"WRED_PROFILE|AZURE_LOSSLESS": wred}
		for k := range scale.Load(heldPorts) {
			if k.Table() == "BUFFER_QUEUE" {
				gone[k] = nil
			}
		}
		r.change(gone)
		time.Sleep(time.Hour)
		if rec := r.agent.Records()[1]; rec.Outcome == audit.Held {
			t.Fatalf("a removal row by row is held: %v", rec.Faults)
		}
		maps.DeleteFunc(r.db.rows, func(k configdb.RowKey, _ configdb.Fields) bool { return k.Table() != "PORT" })
		chip := r.chip.Dump()
		r.load()
		time.Sleep(time.Hour)
		if rec := r.lastRecord(); !slices.ContainsFunc(r.agent.Records(), func(rec audit.Record) bool { return rec.Outcome == audit.Held }) {
			t.Errorf("nothing is held; the last record is %+v", rec)
		}
		if got := r.chip.Dump(); got != chip {
			t.Errorf("the chip has\n%s\nand had\n%s", got, chip)
		}
	})
}

// closing are rows that take all ports down, and those of a dynamic model, in which the
// ports then give back all of their buffers.
func closing() (load configdb.RawRows, down rows) {
	load, down = scale.Load(heldPorts), rows{}
	load["DEVICE_METADATA|localhost"] = fields{"buffer_model": configdb.Dynamic}
	for k, f := range load {
		if k.Table() == "PORT" {
			f = maps.Clone(f)
			f["admin_status"] = "up"
			load[k] = f
			f = maps.Clone(f)
			f["admin_status"] = "down"
			down[k] = f
		}
	}
	return load, down
}

// TestGuardLetsPortsGoDown: taking ports down is asked for by their rows alone.
func TestGuardLetsPortsGoDown(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*rig, rows) error{
		"by Redis": func(r *rig, down rows) error { r.change(down); return nil },
		"by a transaction": func(r *rig, down rows) error {
			_, err := r.agent.Transact(r.t.Context(), orchagent.Request{Ops: ops(down)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, heldPorts)
			load, down := closing()
			r.load(load)
			there := len(r.actual())
			if err := ask(r, down); err != nil {
				t.Fatal(err)
			}
			if rec := r.lastRecord(); rec.Outcome != audit.Applied || len(r.actual()) > there*4/5 {
				t.Errorf("%d of %d nodes are left: %s, %v", len(r.actual()), there, rec.Outcome, rec.Faults)
			}
		})
	}
}

// TestHeldPorts: what is held since a restart, and which no row asks for any more, has
// the row of its port wait: it is not in force.
func TestHeldPorts(t *testing.T) {
	t.Parallel()
	r := newRig(t, heldPorts)
	load, down := closing()
	r.load(load)
	r.agent.Published(t.Context())
	r.stop()
	maps.Copy(r.db.rows, down) // while no agent ran
	r.start(r.pub)
	r.load()
	id := r.lastRecord().ID
	for k := range down {
		if f := r.agent.Fates()[k]; f.State != statedb.Waiting || f.On != fmt.Sprintf("plan %d", id) {
			t.Errorf("%s is %+v", k, f)
		}
	}
}

// TestGuardLetsZeroProfilesGo: ports that are down have zero profiles at all their
// queues, which go with one pool. That takes nothing away.
func TestGuardLetsZeroProfilesGo(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, heldPorts, func(cfg *orchagent.Config) {
		cfg.Buffers = buffers()
		cfg.Buffers.Zero.Profiles = append(cfg.Buffers.Zero.Profiles, &configdb.BufferProfile{
			ID: "BUFFER_PROFILE|queue_zero", Name: "queue_zero", Pool: "egress_lossless_pool", HasSize: true, Mode: configdb.Static, HeadroomType: configdb.Static,
		})
		cfg.Buffers.Zero.Egress = "queue_zero"
	})
	load, down := closing()
	r.load(load)
	r.change(down)
	if rec := r.lastRecord(); rec.Outcome != audit.Applied {
		t.Fatalf("ports down: %s, %v", rec.Outcome, rec.Faults)
	}
	for _, table := range []string{"PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PROFILE", "BUFFER_POOL"} {
		gone := rows{}
		for k := range r.db.snapshot() {
			if k.Table() == table {
				gone[k] = nil
			}
		}
		r.change(gone)
		if rec := r.lastRecord(); rec.Outcome == audit.Held {
			t.Errorf("%s: %v", table, rec.Faults)
		}
	}
}
