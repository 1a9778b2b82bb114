package publish_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

// census counts the rows of ASIC_DB by type.
func census(rows map[string]redisdb.Fields) map[string]int {
	n := map[string]int{}
	for key := range rows {
		typ, _, _ := asicdb.ParseObjectKey(key)
		n[strings.TrimPrefix(typ, "SAI_OBJECT_TYPE_")]++
	}
	return n
}

// with counts the rows that have an attribute.
func with(rows map[string]redisdb.Fields, attr string) int {
	n := 0
	for _, f := range rows {
		if _, ok := f[attr]; ok {
			n++
		}
	}
	return n
}

func TestColdStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, 8)
	r.load(scale.Load(8))
	r.check()

	asic := r.all(redisdb.ASICDB, redisdb.ASICDB.Pattern(asicdb.StateTable))
	got := census(asic)
	for typ, want := range map[string]int{
		"SWITCH": 1, "PORT": 9, "HASH": 2, "VLAN": 1, "VIRTUAL_ROUTER": 1, "HOSTIF": 8, "BUFFER_POOL": 2, "BUFFER_PROFILE": 10, "WRED": 1, "QOS_MAP": 4,
	} {
		if got[typ] != want {
			t.Errorf("%d objects of type %s, want %d", got[typ], typ, want)
		}
	}
	for attr, want := range map[string]int{
		"SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP": 8, "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": 8, "SAI_QUEUE_ATTR_WRED_PROFILE_ID": 16,
		"SAI_QUEUE_ATTR_BUFFER_PROFILE_ID": 64, "SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE": 24, "SAI_SWITCH_ATTR_INIT_SWITCH": 1,
		"SAI_PORT_ATTR_QOS_DOT1P_TO_TC_MAP": 0,
	} {
		if n := with(asic, attr); n != want {
			t.Errorf("%d objects have %s, want %d", n, attr, want)
		}
	}
	if n := len(r.row(redisdb.ASICDB, asicdb.Lanes)); n != 8*scale.LanesPerPort {
		t.Errorf("%d lanes", n)
	}
	hidden := r.row(redisdb.ASICDB, asicdb.Hidden)
	if id := hidden["SAI_SWITCH_ATTR_DEFAULT_VLAN_ID"]; asic[asicdb.ObjectKey("SAI_OBJECT_TYPE_VLAN", id)] == nil {
		t.Errorf("hidden %v: the default VLAN is no object", hidden)
	}
	cold := r.row(redisdb.ASICDB, asicdb.ColdVIDs)
	if n := len(asic) - 8 - 2 - 10 - 1 - 4; len(cold) != n || cold[r.sw.ID.OID().String()] != "SAI_OBJECT_TYPE_SWITCH" {
		t.Errorf("%d objects of the chip's own, want %d", len(cold), n)
	}

	state := redisdb.StateDB
	if diff := cmp.Diff(redisdb.Fields{"max_priority_groups": "8", "max_queues": "20"}, r.row(state, "BUFFER_MAX_PARAM_TABLE|Ethernet4")); diff != "" {
		t.Error(diff)
	}
	if f := r.row(state, "BUFFER_MAX_PARAM_TABLE|global"); f["mmu_size"] == "" {
		t.Error("the size of the packet memory is missing")
	}
	if f := r.row(state, "PORT_TABLE|Ethernet28"); f["state"] != "ok" {
		t.Errorf("port %v", f)
	}
	fates := r.all(state, state.Pattern(statedb.FateTable))
	if len(fates) != len(r.rows) {
		t.Errorf("%d fates of %d rows", len(fates), len(r.rows))
	}
	for key, f := range fates {
		if fate, err := statedb.ParseFate(f); err != nil || fate.State != statedb.Applied {
			t.Errorf("%s: %v, %v", key, fate, err)
		}
	}
	names := slices.Sorted(maps.Keys(r.row(redisdb.CountersDB, countersdb.PoolNameMap)))
	if diff := cmp.Diff([]string{"egress_lossless_pool", "ingress_lossless_pool"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestOneChange: what is not concerned is not written.
func TestOneChange(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.put(scale.Load(4))
	r.load(scale.Load(4))
	w := r.witness(redisdb.ASICDB, redisdb.StateDB, redisdb.CountersDB)
	r.transact(configdb.Op{Kind: configdb.Update, Table: "WRED_PROFILE", Key: "AZURE_LOSSLESS", Fields: configdb.Fields{"green_min_threshold": "260000"}})
	r.check()

	asic := w.tell(redisdb.ASICDB)
	if len(asic) != 1 || !strings.HasPrefix(asic[0], "ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:") {
		t.Errorf("wrote %v", asic)
	} else if f := r.row(redisdb.ASICDB, asic[0]); f["SAI_WRED_ATTR_GREEN_MIN_THRESHOLD"] != "260000" {
		t.Errorf("%v", f)
	}
	want := []string{statedb.AcceptedKey("WRED_PROFILE|AZURE_LOSSLESS"), statedb.AgentKey, statedb.FateKey("WRED_PROFILE|AZURE_LOSSLESS")}
	slices.Sort(want)
	if diff := cmp.Diff(want, w.tell(redisdb.StateDB)); diff != "" {
		t.Error(diff)
	}
	if names := w.tell(redisdb.CountersDB); len(names) > 0 {
		t.Errorf("wrote %v", names)
	}
}

// TestReset: an attribute that was set and is back at its default stays, with that
// value; also when another agent starts.
func TestReset(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	rows := scale.Load(1)
	r.put(rows)
	r.load(rows)
	r.transact(configdb.Op{Kind: configdb.Delete, Table: "BUFFER_QUEUE", Key: "Ethernet0|5"})
	delete(rows, "BUFFER_QUEUE|Ethernet0|5")
	check := func() {
		t.Helper()
		r.check()
		null := 0
		for _, f := range r.all(redisdb.ASICDB, "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:*") {
			if f["SAI_QUEUE_ATTR_BUFFER_PROFILE_ID"] == "oid:0x0" {
				null++
			}
		}
		if null != 1 {
			t.Errorf("%d queues had a profile, want 1", null)
		}
		if f := r.row(redisdb.StateDB, statedb.FateKey("BUFFER_QUEUE|Ethernet0|5")); f != nil {
			t.Errorf("the removed row has the fate %v", f)
		}
	}
	check()
	w := r.witness(redisdb.ASICDB)
	r.stop()
	r.start()
	r.load(rows)
	check()
	if wrote := w.tell(redisdb.ASICDB); len(wrote) > 0 {
		t.Errorf("the next agent wrote %v", wrote)
	}
}

// TestRestart: an agent that finds everything as it should be writes nothing but
// its revision; rows that are wrong or stale are put right.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	rows := scale.Load(4)
	rows["BUFFER_QUEUE|Ethernet99|3"] = configdb.Fields{"profile": "queue3_profile"} // waits
	rows["SNMP|LOCATION"] = configdb.Fields{"NULL": "NULL"}                          // ignored
	r.load(rows)
	before := r.all(redisdb.StateDB, redisdb.Everything)

	again := func() (asic, state, names []string) {
		t.Helper()
		w := r.witness(redisdb.ASICDB, redisdb.StateDB, redisdb.CountersDB)
		r.stop()
		r.start()
		r.load(rows)
		return w.tell(redisdb.ASICDB), w.tell(redisdb.StateDB), w.tell(redisdb.CountersDB)
	}
	asic, state, names := again()
	if diff := cmp.Diff([][]string{nil, {statedb.AgentKey}, nil}, [][]string{asic, state, names}); diff != "" {
		t.Errorf("a restart without a change wrote: %s", diff)
	}
	after := r.all(redisdb.StateDB, redisdb.Everything)
	delete(before, statedb.AgentKey)
	delete(after, statedb.AgentKey)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}

	stale := map[redisdb.ID]map[string]redisdb.Fields{
		redisdb.ASICDB: {
			"ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x13000000000777": {"SAI_WRED_ATTR_WEIGHT": "0"},
			"VIDTORID": {"oid:0x13000000000777": "oid:0x1"},
		},
		redisdb.StateDB: {
			"XON_ROW|QUEUE|Ethernet0|9": {"state": "applied"}, "XON_ACCEPTED|QUEUE|Ethernet0|9": {"a": "b"},
			"BUFFER_MAX_PARAM_TABLE|Ethernet96": {"max_queues": "20"}, "PORT_TABLE|Ethernet96": {"state": "ok"},
			"XON_ROW|WRED_PROFILE|AZURE_LOSSLESS": {"state": "refused", "reason": "x"},
		},
		redisdb.CountersDB: {"COUNTERS_BUFFER_POOL_NAME_MAP": {"gone": "oid:0x1"}},
	}
	strange := map[redisdb.ID]map[string]redisdb.Fields{
		redisdb.ASICDB:     {"TEMP_ASIC_STATE:x": {"a": "b"}},
		redisdb.StateDB:    {"SWITCH_CAPABILITY|switch": {"a": "b"}, "PORT_TABLE|Ethernet0": {"link_training_status": "off"}},
		redisdb.CountersDB: {"RATES:oid:0x1": {"a": "b"}},
	}
	for _, more := range []map[redisdb.ID]map[string]redisdb.Fields{stale, strange} {
		for id, rows := range more {
			var b redisdb.Batch
			for k, f := range rows {
				b.Set(k, f)
			}
			if err := r.client.DB(id).Write(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
	}
	again()
	r.check()
	for id, rows := range stale {
		for key := range rows {
			for name := range rows[key] {
				if got := r.row(id, key); got[name] == rows[key][name] {
					t.Errorf("%s %s is still %v", id, key, got)
				}
			}
		}
	}
	for id, rows := range strange {
		for key, want := range rows {
			got := r.row(id, key)
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s %s is %v", id, key, got)
				}
			}
		}
	}
}

// TestWalk changes rows at random. What is written change by change must be what a
// full comparison would write.
func TestWalk(t *testing.T) {
	t.Parallel()
	const ports = 3
	r := newRig(t, ports)
	full := scale.Load(ports)
	now := maps.Clone(full)
	r.load(now)
	rnd := rand.New(rand.NewPCG(1, 2))
	keys := slices.Sorted(maps.Keys(full))
	for step := range 60 {
		changes := map[configdb.RowKey]configdb.Fields{}
		for range 1 + rnd.IntN(4) {
			k := keys[rnd.IntN(len(keys))]
			switch {
			case now[k] == nil:
				now[k] = full[k]
			case k.Table() == "WRED_PROFILE" || rnd.IntN(3) == 0 && full[k]["size"] != "":
				f := maps.Clone(full[k])
				if f["size"] != "" {
					f["size"] = strconv.Itoa(1024 + 256*rnd.IntN(9))
				} else {
					f["green_min_threshold"] = strconv.Itoa(250000 + step)
				}
				now[k] = f
			default:
				delete(now, k)
			}
			changes[k] = now[k]
		}
		if err := r.agent.Change(t.Context(), scale.Changes(changes)); err != nil {
			t.Fatal(err)
		}
		if step%20 == 19 {
			r.settle(now)
		}
	}
}

// settle waits until all is published, and has everything compared.
func (r *rig) settle(rows configdb.RawRows) {
	r.t.Helper()
	const last = "SCHEDULER|last"
	r.transact(configdb.Op{Kind: configdb.Replace, Table: "SCHEDULER", Key: "last", Fields: configdb.Fields{"type": "DWRR", "weight": strconv.Itoa(1 + len(rows)%99)}})
	rows[last] = configdb.Fields(r.row(redisdb.ConfigDB, last))
	r.check()
	w := r.witness(redisdb.ASICDB, redisdb.StateDB, redisdb.CountersDB)
	r.load(rows)
	for id, want := range map[redisdb.ID][]string{redisdb.ASICDB: nil, redisdb.StateDB: {statedb.AgentKey}, redisdb.CountersDB: nil} {
		if diff := cmp.Diff(want, w.tell(id)); diff != "" {
			r.t.Errorf("%s was not what it should be: %s", id, diff)
		}
	}
}

// replaced are operations that have objects of all kinds of way to go: a profile
// that is replaced before the old one goes, a pool that goes first, sets, removals.
func replaced(pool, size string) []configdb.Op {
	op := func(kind configdb.OpKind, row configdb.RowKey, f configdb.Fields) configdb.Op {
		return configdb.Op{Kind: kind, Table: row.Table(), Key: row.Key(), Fields: f}
	}
	ops := []configdb.Op{
		op(configdb.Update, "BUFFER_PROFILE|ingress_lossy_profile", configdb.Fields{"pool": pool}),
		op(configdb.Update, "BUFFER_PROFILE|queue3_profile", configdb.Fields{"size": size}),
		op(configdb.Update, "BUFFER_POOL|spare", configdb.Fields{"type": "ingress", "mode": "dynamic", "size": size}),
		op(configdb.Delete, "BUFFER_QUEUE|Ethernet0|5", nil),
	}
	if pool == "spare" {
		return append(ops, op(configdb.Replace, "SCHEDULER|dwrr", configdb.Fields{"type": "DWRR", "weight": "7"}))
	}
	return append(ops, op(configdb.Delete, "SCHEDULER|dwrr", nil))
}

// TestReplaced: objects that are replaced, made and removed by transactions.
func TestReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.put(scale.Load(2))
	r.load(scale.Load(2))
	for i, pool := range []string{"spare", "ingress_lossless_pool", "spare"} {
		r.transact(replaced(pool, strconv.Itoa(1024+256*i))...)
		r.check()
	}
	r.transact(
		configdb.Op{Kind: configdb.Update, Table: "BUFFER_PROFILE", Key: "ingress_lossy_profile", Fields: configdb.Fields{"pool": "ingress_lossless_pool"}},
		configdb.Op{Kind: configdb.Delete, Table: "BUFFER_POOL", Key: "spare"},
	)
	r.check()
}

// TestUndone: a transaction that the chip refuses at any of its writes leaves the
// databases with what the chip has.
func TestUndone(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.put(scale.Load(2))
	r.load(scale.Load(2))
	undone := 0
	for at := range 20 {
		n := 0
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if !c.Op.Write() || c.IsBulk() {
				return 0
			}
			if n++; n == at+1 {
				return sai.StatusInsufficientResources
			}
			return 0
		})
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: replaced("spare", "2048")})
		r.chip.OnCall(nil)
		// This one is published after what came before.
		r.transact(configdb.Op{Kind: configdb.Replace, Table: "WRED_PROFILE", Key: "other", Fields: configdb.Fields{
			"wred_green_enable": "true", "green_min_threshold": strconv.Itoa(1000 + at), "green_max_threshold": "2000",
		}})
		r.check()
		if t.Failed() {
			t.Fatalf("refused at write %d", at+1)
		}
		if err == nil {
			break
		}
		undone++
	}
	if undone < 5 || undone == 20 {
		t.Errorf("%d transactions were undone", undone)
	}
}
