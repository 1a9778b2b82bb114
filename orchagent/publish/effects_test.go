package publish_test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/publish"
	"xon/orchagent/report"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

// bufferRows are the effective rows in all databases.
func (r *rig) bufferRows() map[string]redisdb.Fields {
	r.t.Helper()
	all := map[string]redisdb.Fields{}
	for _, id := range []redisdb.ID{redisdb.ApplDB, redisdb.ApplStateDB, redisdb.StateDB} {
		for key, f := range r.all(id, "BUFFER_*") {
			if table, _ := id.Split(key); table != statedb.MaxParamTable {
				all[id.String()+" "+key] = f
			}
		}
	}
	return all
}

// buffersOf are rows of two ports: one of every table, and profiles that overlap.
func buffersOf() configdb.RawRows {
	rows := scale.Ports(2)
	maps.Copy(rows, configdb.RawRows{
		"DEVICE_METADATA|localhost":                  {"buffer_model": "dynamic"},
		"BUFFER_POOL|in":                             {"type": "ingress", "mode": "dynamic", "size": "4194304", "xoff": "65536"},
		"BUFFER_POOL|out":                            {"type": "egress", "mode": "dynamic", "size": "4194304"},
		"BUFFER_PROFILE|lossless":                    {"pool": "in", "size": "1024", "xon": "1024", "xoff": "4096", "dynamic_th": "0", "headroom_type": "static"},
		"BUFFER_PROFILE|lossy":                       {"pool": "in", "size": "0", "dynamic_th": "3"},
		"BUFFER_PROFILE|queue":                       {"pool": "out", "size": "0", "dynamic_th": "3", "packet_discard_action": "drop"},
		"BUFFER_PG|Ethernet0,Ethernet4|3-4":          {"profile": "lossless"},
		"BUFFER_PG|Ethernet4|3-4":                    {"profile": "lossy"},
		"BUFFER_QUEUE|Ethernet0|0-2":                 {"profile": "queue"},
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list@": "lossy"},
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0":  {"profile_list": "queue"},
		"BUFFER_PROFILE|waits":                       {"pool": "nonesuch", "size": "0", "dynamic_th": "3"},
		"BUFFER_QUEUE|Ethernet0|5":                   {"profile": "waits"},
	})
	return rows
}

// TestEffects: effective rows have SONiC's fields in the databases that its programs
// look at, those that are not in force are not there, and nothing is left when the rows
// are gone.
func TestEffects(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(buffersOf())
	lossless := redisdb.Fields{"pool": "in", "size": "1024", "xon": "1024", "xoff": "4096", "dynamic_th": "0"}
	lossy := redisdb.Fields{"pool": "in", "size": "0", "dynamic_th": "3"}
	queue := redisdb.Fields{"pool": "out", "size": "0", "dynamic_th": "3", "packet_discard_action": "drop"}
	in := redisdb.Fields{"type": "ingress", "mode": "dynamic", "size": "4194304", "xoff": "65536"}
	out := redisdb.Fields{"type": "egress", "mode": "dynamic", "size": "4194304"}
	want := map[string]redisdb.Fields{
		"APPL_DB BUFFER_POOL_TABLE:in":                             in,
		"APPL_DB BUFFER_POOL_TABLE:out":                            out,
		"APPL_DB BUFFER_PROFILE_TABLE:lossless":                    lossless,
		"APPL_DB BUFFER_PROFILE_TABLE:lossy":                       lossy,
		"APPL_DB BUFFER_PROFILE_TABLE:queue":                       queue,
		"APPL_DB BUFFER_PG_TABLE:Ethernet0:3-4":                    {"profile": "lossless"},
		"APPL_DB BUFFER_PG_TABLE:Ethernet4:3-4":                    {"profile": "lossy"},
		"APPL_DB BUFFER_QUEUE_TABLE:Ethernet0:0-2":                 {"profile": "queue"},
		"APPL_DB BUFFER_PORT_INGRESS_PROFILE_LIST_TABLE:Ethernet0": {"profile_list": "lossy"},
		"APPL_DB BUFFER_PORT_EGRESS_PROFILE_LIST_TABLE:Ethernet0":  {"profile_list": "queue"},
		"APPL_STATE_DB BUFFER_POOL_TABLE:in":                       {"xoff": "65536"},
		"APPL_STATE_DB BUFFER_PROFILE_TABLE:lossless":              lossless,
		"STATE_DB BUFFER_POOL_TABLE|in":                            in,
		"STATE_DB BUFFER_POOL_TABLE|out":                           out,
		"STATE_DB BUFFER_PROFILE_TABLE|lossless":                   lossless,
		"STATE_DB BUFFER_PROFILE_TABLE|lossy":                      lossy,
		"STATE_DB BUFFER_PROFILE_TABLE|queue":                      queue,
	}
	if diff := cmp.Diff(want, r.bufferRows()); diff != "" {
		t.Fatalf("effective rows (-want +got):\n%s", diff)
	}

	r.put(buffersOf())
	r.transact(configdb.Op{Kind: configdb.Delete, Table: "BUFFER_POOL", Key: "in", Field: "xoff"},
		configdb.Op{Kind: configdb.Delete, Table: "BUFFER_PG", Key: "Ethernet4|3-4"})
	zero := maps.Clone(in)
	zero["xoff"] = "0"
	want["APPL_DB BUFFER_POOL_TABLE:in"], want["STATE_DB BUFFER_POOL_TABLE|in"] = zero, zero
	want["APPL_STATE_DB BUFFER_POOL_TABLE:in"] = redisdb.Fields{"xoff": "0"}
	want["APPL_DB BUFFER_PG_TABLE:Ethernet4:3-4"] = redisdb.Fields{"profile": "lossless"}
	if diff := cmp.Diff(want, r.bufferRows()); diff != "" {
		t.Errorf("without shared headroom (-want +got):\n%s", diff)
	}

	r.load(scale.Ports(2))
	if left := r.bufferRows(); len(left) > 0 {
		t.Errorf("all rows are gone, and this is left: %v", left)
	}
}

// TestEffectsAgain: a full report of what is there already writes nothing, and puts
// right what is not; what others have staged is theirs.
func TestEffectsAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	rows := buffersOf()
	r.load(rows)
	want := r.bufferRows()
	w := r.witness(redisdb.ApplDB, redisdb.ApplStateDB)
	r.load(rows)
	if told := append(w.tell(redisdb.ApplDB), w.tell(redisdb.ApplStateDB)...); len(told) > 0 {
		t.Errorf("written again: %v", told)
	}
	var b redisdb.Batch
	b.Delete("BUFFER_POOL_TABLE:in")
	b.SetField("BUFFER_PG_TABLE:Ethernet0:7", "profile", "lossy")
	b.SetField("BUFFER_PG_TABLE:Ethernet0:6", "profile", "lossy")
	b.SetField("XON_STAGED:BUFFER_PG_TABLE:Ethernet0:6", "profile", "lossy")
	if err := r.client.DB(redisdb.ApplDB).Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	r.load(rows)
	want["APPL_DB BUFFER_PG_TABLE:Ethernet0:6"] = redisdb.Fields{"profile": "lossy"}
	if diff := cmp.Diff(want, r.bufferRows()); diff != "" {
		t.Errorf("put right (-want +got):\n%s", diff)
	}
}

// TestDerived: derived rows are written to CONFIG_DB unless somebody else made or
// changed them meanwhile, and STATE_DB says which they are.
func TestDerived(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.load(scale.Ports(1))
	a, b := configdb.Fields{"profile": "a"}, configdb.Fields{"profile": "b"}
	const free, taken, same configdb.RowKey = "BUFFER_PG|Ethernet0|1", "BUFFER_PG|Ethernet0|2", "BUFFER_PG|Ethernet0|3"
	r.put(configdb.RawRows{taken: b})
	none := digests(nil)
	publishDerived := func(rows map[configdb.RowKey]*report.Derived) {
		t.Helper()
		for range 2 { // as after an error
			if err := r.pub.Publisher.Publish(t.Context(), report.Report{Derived: rows, Device: r.device()}); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(rows map[string]redisdb.Fields, derived ...configdb.RowKey) {
		t.Helper()
		if diff := cmp.Diff(rows, r.all(redisdb.ConfigDB, "BUFFER_PG|*")); diff != "" {
			t.Errorf("CONFIG_DB (-want +got):\n%s", diff)
		}
		state, err := publish.Restore(t.Context(), r.client)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(derived, slices.Sorted(maps.Keys(state.Derived))); diff != "" {
			t.Errorf("derived (-want +got):\n%s", diff)
		}
	}
	publishDerived(map[configdb.RowKey]*report.Derived{free: {Before: none, After: a}, taken: {Before: none, After: a}, same: {Before: none, After: b}})
	check(map[string]redisdb.Fields{string(free): redisdb.Fields(a), string(taken): redisdb.Fields(b), string(same): redisdb.Fields(b)}, free, same)

	r.put(configdb.RawRows{same: a})
	publishDerived(map[configdb.RowKey]*report.Derived{free: {Before: digests(nil, a), After: b}, same: {Before: digests(b)}})
	check(map[string]redisdb.Fields{string(free): redisdb.Fields(b), string(taken): redisdb.Fields(b), string(same): redisdb.Fields(a)}, free)

	publishDerived(map[configdb.RowKey]*report.Derived{free: {Before: digests(a, b)}})
	check(map[string]redisdb.Fields{string(taken): redisdb.Fields(b), string(same): redisdb.Fields(a)})
}

// TestDerivedHalfway: between the mark of a derived row and the row itself STATE_DB names all
// versions that may be there; afterwards just the last.
func TestDerivedHalfway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.load(scale.Ports(1))
	const row configdb.RowKey = "BUFFER_PG|Ethernet0|3"
	a, b, c := configdb.Fields{"profile": "a"}, configdb.Fields{"profile": "b"}, configdb.Fields{"profile": "c"}
	r.put(configdb.RawRows{row: a})
	d := &report.Derived{Before: digests(nil, a, b), After: c}
	report := report.Report{Derived: map[configdb.RowKey]*report.Derived{row: d}, Device: r.device()}
	derived := func() []string {
		t.Helper()
		state, err := publish.Restore(t.Context(), r.client)
		if err != nil {
			t.Fatal(err)
		}
		return state.Derived[row]
	}
	permit := func(watch string) { // a commit to CONFIG_DB begins with WATCH
		t.Helper()
		if out, err := exec.Command("redis-cli", "-s", strings.TrimPrefix(r.server.Addr(), "unix:"), "acl", "setuser", "default", watch).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "OK" {
			t.Fatalf("%v: %s", err, out)
		}
	}
	permit("-watch")
	if err := r.pub.Publisher.Publish(t.Context(), report); err == nil {
		t.Error("published although it ended halfway")
	}
	if diff := cmp.Diff(digests(c, a, b), derived()); diff != "" {
		t.Errorf("halfway (-want +got):\n%s", diff)
	}
	permit("+watch")
	if err := r.pub.Publisher.Publish(t.Context(), report); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(digests(c), derived()); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
	if f := r.row(redisdb.ConfigDB, string(row)); f["profile"] != "c" {
		t.Errorf("CONFIG_DB has %v", f)
	}
}

// digests are those of rows; nil is no row.
func digests(rows ...configdb.Fields) []string {
	var list []string
	for _, f := range rows {
		list = append(list, f.Digest())
	}
	return list
}

// TestMarkFirst: a derived row of which it can't be said that it is one is not written.
func TestMarkFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.load(scale.Ports(1))
	const row configdb.RowKey = "BUFFER_PG|Ethernet0|3"
	derive := func() error {
		rows := map[configdb.RowKey]*report.Derived{row: {Before: digests(nil), After: configdb.Fields{"profile": "a"}}}
		return r.pub.Publisher.Publish(t.Context(), report.Report{Derived: rows, Device: r.device()})
	}
	var inTheWay, away redisdb.Batch
	inTheWay.SetText(statedb.DerivedKey(row), "no row")
	away.Delete(statedb.DerivedKey(row))
	state := r.client.DB(redisdb.StateDB)
	if err := state.Write(t.Context(), &inTheWay); err != nil {
		t.Fatal(err)
	}
	if err := derive(); err == nil || r.row(redisdb.ConfigDB, string(row)) != nil {
		t.Errorf("written without a mark; the publisher says %v", err)
	}
	if err := state.Write(t.Context(), &away); err != nil {
		t.Fatal(err)
	}
	if err := derive(); err != nil || r.row(redisdb.ConfigDB, string(row)) == nil {
		t.Errorf("not written: %v", err)
	}
}
