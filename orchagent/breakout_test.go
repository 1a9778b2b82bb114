package orchagent_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// split are the changes of small that make four ports of Ethernet0, each with buffers
// and queues like it.
func split() rows {
	out := rows{"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet1,Ethernet2,Ethernet3": {"profile_list": "queue"}}
	for i := range 4 {
		name := fmt.Sprintf("Ethernet%d", i)
		out[configdb.Key("PORT", name)] = fields{"lanes": fmt.Sprint(i + 1), "speed": "25000", "mtu": "9100", "admin_status": "up"}
		for k, f := range small() {
			if table, key := k.Table(), k.Key(); strings.Contains(key, "Ethernet0|") || table == "PORT_QOS_MAP" && key == "Ethernet0" {
				out[configdb.Key(table, strings.Replace(key, "Ethernet0", name, 1))] = f
			}
		}
	}
	return out
}

// joined are the changes that undo split.
func joined() rows {
	out := rows{}
	for k := range split() {
		out[k] = small()[k]
	}
	return out
}

// oracle is what a chip has that is strapped with some ports, when rows are loaded.
func oracle(t *testing.T, ports []vsai.PortLayout, content configdb.RawRows) string {
	t.Helper()
	profile := *newChip(t, 2).Profile()
	r := &rig{t: t, chip: vsai.New(vsai.Config{Profile: &profile, Ports: ports}), db: &memory{rows: configdb.RawRows{}}}
	r.start(&recorder{})
	r.load(content)
	defer r.stop()
	return r.actual().String()
}

func apart() []vsai.PortLayout {
	out := layout(2)[1:]
	for lane := range uint32(4) {
		out = append(out, vsai.PortLayout{Lanes: []uint32{lane + 1}, SpeedMbps: 25000})
	}
	return out
}

func applied(content configdb.RawRows, change rows) configdb.RawRows {
	out := maps.Clone(content)
	for k, f := range change {
		if out[k] = f; f == nil {
			delete(out, k)
		}
	}
	return out
}

// TestBreakout: a port is broken into four and put together again, each by one
// transaction; the chip then has what one has that had these ports from the start.
func TestBreakout(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	whole, census := r.actual().String(), r.chip.ObjectCounts()
	out, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(split())})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"release -1 remove PORT Ethernet0\n", "build   -1 create PORT Ethernet3 HW_LANE_LIST=1:4 SPEED=25000\n", "set    QUEUE Ethernet3|3#buffer"} {
		if !strings.Contains(out.Plan.String(), s) {
			t.Errorf("the plan lacks %q:\n%s", s, out.Plan)
		}
	}
	if diff := cmp.Diff(oracle(t, apart(), applied(small(), split())), r.actual().String()); diff != "" {
		t.Errorf("chip: %s", diff)
	}
	r.agent.Published(t.Context())
	dev := r.pub.last.Device
	if len(dev.Ports) != 5 || dev.ByName["Ethernet3"].Planned || r.pub.last.Handles[dev.ByName["Ethernet3"].Queues[3].Buffer.Object()] == sai.Null {
		t.Errorf("the report has %d ports: %+v", len(dev.Ports), dev.ByName["Ethernet3"])
	}
	r.unchanged()
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(joined())}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, r.actual().String()); diff != "" {
		t.Errorf("chip: %s", diff)
	}
	if diff := cmp.Diff(census, r.chip.ObjectCounts()); diff != "" {
		t.Errorf("objects: %s", diff)
	}
	r.unchanged()
}

// unchanged restarts the agent, which writes nothing (I6).
func (r *rig) unchanged() {
	r.t.Helper()
	r.agent.Published(r.t.Context())
	r.stop()
	r.chip.ResetCalls()
	r.start(r.pub)
	r.load()
	if n := r.chip.Writes(); n > 0 {
		r.t.Errorf("a restart made %d writes", n)
	}
	for k, f := range r.agent.Fates() {
		if f.State != statedb.Applied {
			r.t.Errorf("%s: %+v", k, f)
		}
	}
}

// TestBreakoutRowByRow: rows that come one after the other, in any order, lead to the
// same.
func TestBreakoutRowByRow(t *testing.T) {
	t.Parallel()
	want := oracle(t, apart(), applied(small(), split()))
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			r := newRig(t, 2)
			defer r.stop()
			r.load(small())
			whole := r.actual().String()
			for i, change := range []rows{split(), joined()} {
				keys := slices.Sorted(maps.Keys(change))
				rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
				for _, k := range keys {
					r.change(rows{k: change[k]})
				}
				time.Sleep(time.Minute)
				if diff := cmp.Diff([]string{want, whole}[i], r.actual().String()); diff != "" {
					t.Fatalf("seed %d: %s\nfates\n%s", seed, diff, fateLines(r.agent.Fates()))
				}
			}
		})
	}
}

// nth fails the n-th call that writes, or the n-th that reads, an entry of a bulk call
// counting as a call.
func nth(n int, write bool) func(vsai.Call) sai.Status {
	return func(c vsai.Call) sai.Status {
		if c.Op.Write() != write || c.IsBulk() {
			return 0
		}
		if n--; n == 0 {
			return sai.StatusNoMemory
		}
		return 0
	}
}

// TestBreakoutUndone: whichever call fails, a transaction that breaks a port up leaves
// the chip with the former port and everything it had, and so it does if the database
// has other rows by now.
func TestBreakoutUndone(t *testing.T) {
	t.Parallel()
	for _, write := range []bool{true, false} {
		failed := 0
		for n := 1; ; n++ {
			ok := false
			synctest.Test(t, func(t *testing.T) { ok = breakoutFailsAt(t, nth(n, write)) })
			if ok {
				break
			}
			failed++
		}
		if write && failed < 60 || failed == 0 {
			t.Errorf("only %d calls", failed)
		}
	}
	r := newRig(t, 2)
	r.load(small())
	before := r.actual().String()
	r.db.fail = errors.New("out of reach")
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(split())}); err == nil {
		t.Error("the database was not asked")
	}
	if diff := cmp.Diff(before, r.actual().String()); diff != "" {
		t.Errorf("chip: %s", diff)
	}
}

// breakoutFailsAt reports whether all went well.
func breakoutFailsAt(t *testing.T, fault func(vsai.Call) sai.Status) bool {
	r := newRig(t, 2)
	defer r.stop()
	r.load(small())
	before, content := r.actual().String(), r.db.snapshot()
	r.chip.OnCall(fault)
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(split())})
	r.chip.OnCall(nil)
	if err == nil {
		return true
	}
	time.Sleep(time.Minute)
	if diff := cmp.Diff(before, r.actual().String()); diff != "" {
		t.Fatalf("%v\nchip: %s", err, diff)
	}
	if diff := cmp.Diff(content, r.db.snapshot()); diff != "" {
		t.Fatalf("%v\ndatabase: %s", err, diff)
	}
	belief, adopted := r.agent.Belief(t.Context())
	if diff := cmp.Diff(belief.String(), r.readback(adopted).String()); diff != "" {
		t.Fatalf("%v\nbelief: %s", err, diff)
	}
	return false
}

// TestBreakoutRetried: whichever write fails for a while, rows of the database arrive.
func TestBreakoutRetried(t *testing.T) {
	t.Parallel()
	want := oracle(t, apart(), applied(small(), split()))
	for n := 1; n < 100; n += 3 {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 2)
			defer r.stop()
			r.load(small())
			r.chip.OnCall(nth(n, true))
			r.change(split())
			r.chip.OnCall(nil)
			time.Sleep(10 * time.Minute)
			if diff := cmp.Diff(want, r.actual().String()); diff != "" {
				t.Fatalf("call %d: %s\nfates\n%s", n, diff, fateLines(r.agent.Fates()))
			}
		})
	}
}

// TestPortRows: what becomes of ports when rows come and go.
func TestPortRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	r.load(small())
	lanes := func() string {
		var list []string
		for _, id := range r.chip.Ports() {
			l, err := sai.Get(r.sw, sai.ID[sai.Port](id), sai.PortAttrHwLaneList)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprint(l))
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	const k = "PORT|Ethernet9"
	for _, step := range []struct {
		change rows
		want   string
		says   string // of k
	}{
		{rows{k: {"lanes": "9,10", "speed": "50000"}}, "[1 2 3 4] [5 6 7 8] [9 10]", ""}, // a port that nobody named goes for it
		{rows{k: {"lanes": "11", "speed": "25000"}}, "[1 2 3 4] [11] [5 6 7 8]", ""},
		{rows{k: {"lanes": "4,12", "speed": "50000"}}, "[1 2 3 4] [11] [5 6 7 8]", "lane 4 belongs to PORT|Ethernet0"},
		{rows{k: {"lanes": "9,10"}}, "[1 2 3 4] [11] [5 6 7 8]", "no port has lanes 9,10: to make one its speed has to be given"},
		{rows{k: {"lanes": "9,300", "speed": "50000"}}, "[1 2 3 4] [11] [5 6 7 8]", "the chip has lanes 1-128"},
		{rows{k: {"lanes": "300", "speed": "100000"}}, "[1 2 3 4] [11] [5 6 7 8]", "the chip has lanes 1-128"},
		{rows{k: nil}, "[1 2 3 4] [5 6 7 8]", ""},
		{rows{"PORT|Ethernet4": nil}, "[1 2 3 4] [5 6 7 8]", ""}, // others refer to it
		{rows{"PORT|Ethernet4": small()["PORT|Ethernet4"], k: {"lanes": "9", "speed": "25000"}}, "[1 2 3 4] [5 6 7 8] [9]", ""},
	} {
		r.change(step.change)
		if got := lanes(); got != step.want {
			t.Errorf("%v: ports %s, want %s", step.change, got, step.want)
		}
		if f := r.agent.Fates()[k]; step.says != "" && (f.State != statedb.Refused || !strings.Contains(f.Reason, step.says)) || step.says == "" && f.Reason != "" {
			t.Errorf("%v: %+v", step.change, f)
		}
	}
}

// TestLanesInAnyOrder: a port that is made for a row is the one that the chip would have
// had for its lanes, in whatever order the row lists them.
func TestLanesInAnyOrder(t *testing.T) {
	t.Parallel()
	row := small()["PORT|Ethernet4"]
	row["lanes"] = "6,5,8,7"
	content := applied(small(), rows{"PORT|Ethernet4": row})
	want := oracle(t, layout(2), content)
	if diff := cmp.Diff(want, oracle(t, layout(2)[:1], content)); diff != "" {
		t.Errorf("a chip that had no such port: %s", diff)
	}
}

// TestHeldBreakout: of a breakout that the guard holds nothing is done, or a port would
// go to make room for one that can't be made yet.
func TestHeldBreakout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 2)
		defer func() { r.stop() }()
		r.load(small())
		r.change(split())
		r.agent.Published(t.Context())
		before := r.chip.Dump()
		r.stop()
		for k, f := range joined() { // while no agent ran, so that nothing is seen to change
			r.db.set(k, f)
		}
		r.start(r.pub)
		r.load()
		time.Sleep(time.Hour)
		held := r.lastRecord()
		for _, rec := range r.agent.Records() {
			if rec.Outcome == audit.Held {
				held = rec
			}
		}
		if f := r.agent.Fates()["PORT|Ethernet0"]; f.State != statedb.Waiting || f.On != fmt.Sprintf("plan %d", held.ID) {
			t.Errorf("%+v", f)
		}
		if diff := cmp.Diff(before, r.chip.Dump()); diff != "" {
			t.Errorf("chip: %s", diff)
		}
		if err := r.agent.Confirm(t.Context(), held.ID, orchagent.Request{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(oracle(t, layout(2), small()), r.actual().String()); diff != "" {
			t.Errorf("confirmed: %s", diff)
		}
	})
}

// TestHeldNewPort: a port that can't be made while those that have its lanes are held,
// and all that belongs to it, waits for the held plan, and says how to let it go on.
func TestHeldNewPort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 2)
		defer func() { r.stop() }()
		r.load(small())
		r.change(split())
		r.agent.Published(t.Context())
		r.stop()
		fresh := rows{}
		for k := range split() { // while no agent ran, so that nothing is seen to change
			r.db.set(k, nil)
		}
		for k, f := range small() {
			if name := configdb.RowKey(strings.Replace(string(k), "Ethernet0", "Ethernet40", 1)); name != k {
				fresh[name] = f
				r.db.set(k, nil)
				r.db.set(name, f)
			}
		}
		r.start(r.pub)
		r.load()
		time.Sleep(time.Hour)
		for k := range fresh {
			if f := r.agent.Fates()[k]; f.State != statedb.Waiting || !strings.HasPrefix(f.On, "plan ") || !strings.Contains(f.Reason, "xonctl confirm") {
				t.Errorf("%s: %+v", k, f)
			}
		}
	})
}
