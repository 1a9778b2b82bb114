package orchagent_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xon/schema/configdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

var seeds = flag.Int("seeds", 40, "random walks of each kind")

const randomPorts = 3

// randomRow returns a row that may be good, wait for another, or be plainly wrong.
// Sizes are such that everything fits into the chip at once.
func randomRow(rng *rand.Rand) (configdb.RowKey, configdb.Fields) {
	name := func(prefix string, n int) string { return prefix + strconv.Itoa(rng.IntN(n)) }
	num := func(n int) string { return strconv.Itoa(rng.IntN(n)) }
	maybe := func(f configdb.Fields, field, value string) {
		if rng.IntN(2) == 0 {
			f[field] = value
		}
	}
	ports := func() string {
		p := scale.PortName(rng.IntN(randomPorts))
		switch rng.IntN(8) {
		case 0:
			q := scale.PortName(rng.IntN(randomPorts))
			if q != p {
				p += "," + q
			}
		case 1:
			p = "Ethernet999"
		}
		return p
	}
	span := func(n int) string {
		lo := rng.IntN(n)
		if rng.IntN(3) > 0 {
			return strconv.Itoa(lo)
		}
		return fmt.Sprintf("%d-%d", lo, lo+1+rng.IntN(2))
	}
	f := configdb.Fields{}
	switch rng.IntN(12) {
	case 0:
		i := rng.IntN(randomPorts)
		lanes := scale.Lanes(i)
		f["lanes"] = strings.Trim(strings.ReplaceAll(fmt.Sprint(lanes), " ", ","), "[]")
		maybe(f, "admin_status", "up")
		maybe(f, "mtu", []string{"1500", "9100", "70000"}[rng.IntN(3)])
		maybe(f, "pfc_asym", "on")
		return configdb.Key("PORT", scale.PortName(i)), f
	case 1:
		return configdb.Key("BUFFER_POOL", name("in", 2)), configdb.Fields{"type": "ingress", "mode": "dynamic", "size": num(1 << 20)}
	case 2:
		maybe(f, "size", num(1<<20))
		f["type"], f["mode"] = "egress", []string{"static", "dynamic", "wrong"}[rng.IntN(3)]
		return configdb.Key("BUFFER_POOL", name("out", 2)), f
	case 3:
		f["pool"], f["size"], f["dynamic_th"] = name([]string{"in", "out"}[rng.IntN(2)], 3), "0", num(4)
		maybe(f, "xoff", num(1024))
		return configdb.Key("BUFFER_PROFILE", name("profile", 4)), f
	case 4:
		return configdb.Key("BUFFER_PG", ports()+"|"+span(9)), configdb.Fields{"profile": name("profile", 5)}
	case 5:
		return configdb.Key("BUFFER_QUEUE", ports()+"|"+span(21)), configdb.Fields{"profile": name("profile", 5)}
	case 6:
		maybe(f, "scheduler", name("sched", 3))
		maybe(f, "wred_profile", name("wred", 3))
		return configdb.Key("QUEUE", ports()+"|"+span(20)), f
	case 7:
		return configdb.Key("SCHEDULER", name("sched", 2)), configdb.Fields{"type": "DWRR", "weight": num(120)}
	case 8:
		return configdb.Key("WRED_PROFILE", name("wred", 2)), configdb.Fields{
			"wred_green_enable": "true", "green_min_threshold": num(1000), "green_max_threshold": num(2000), "junk": "1",
		}
	case 9:
		return configdb.Key("DSCP_TO_TC_MAP", name("map", 2)), configdb.Fields{num(64): num(17)}
	case 10:
		maybe(f, "profile_list", name("profile", 5))
		return configdb.Key("BUFFER_PORT_INGRESS_PROFILE_LIST", ports()), f
	default:
		maybe(f, "dscp_to_tc_map", name("map", 3))
		maybe(f, "pfc_enable", "3,4")
		maybe(f, "scheduler", name("sched", 2))
		return configdb.Key("PORT_QOS_MAP", ports()), f
	}
}

func randomRows(rng *rand.Rand, n int) configdb.RawRows {
	rows := configdb.RawRows{}
	for range n {
		k, f := randomRow(rng)
		rows[k] = f
	}
	return rows
}

// states prints what became of every row, without the moment.
func states(fates map[configdb.RowKey]statedb.Fate) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(fates)) {
		f := fates[k]
		fmt.Fprintf(&b, "%s %v %q %q %q %q\n", k, f.State, f.On, f.Field, f.Reason, f.Warnings)
	}
	return b.String()
}

// TestAnyOrder (I4): the same rows in any order, batching and repetition end in the
// same graph and the same fates.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*seeds) {
		rng := rand.New(rand.NewPCG(seed, 4))
		rows := randomRows(rng, 60)
		whole := newRig(t, randomPorts)
		whole.load(rows)

		steps := newRig(t, randomPorts)
		steps.load()
		keys := slices.Sorted(maps.Keys(rows))
		rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for len(keys) > 0 {
			n := 1 + rng.IntN(min(len(keys), 7))
			batch := configdb.RawRows{}
			for _, k := range keys[:n] {
				batch[k] = rows[k]
			}
			steps.change(batch)
			if rng.IntN(4) == 0 {
				steps.change(batch)
			}
			keys = keys[n:]
		}
		if got, want := steps.actual().String(), whole.actual().String(); got != want {
			t.Fatalf("seed %d: step by step the chip has\n%s\nat once\n%s", seed, got, want)
		}
		if got, want := states(steps.agent.Fates()), states(whole.agent.Fates()); got != want {
			t.Fatalf("seed %d: step by step\n%s\nat once\n%s", seed, got, want)
		}
		whole.stop()
		steps.stop()
	}
}

// TestWalk walks through random rows, bad ones among them. After every step what
// was derived in shards equals what is derived at once, and what a publisher was
// told equals what the agent says. From wherever a walk leads, a good
// configuration is reached, and it is the same as from nothing.
func TestWalk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*seeds) {
		rng := rand.New(rand.NewPCG(seed, 5))
		r := newRig(t, randomPorts)
		r.load()
		for range 40 {
			batch := map[configdb.RowKey]configdb.Fields(randomRows(rng, 1+rng.IntN(5)))
			for _, k := range slices.Sorted(maps.Keys(r.db.snapshot())) {
				if rng.IntN(8) == 0 {
					batch[k] = nil
				}
			}
			r.change(batch)
			if err := r.agent.CheckSharded(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		end := map[configdb.RowKey]configdb.Fields{}
		for k := range r.db.snapshot() {
			end[k] = nil
		}
		maps.Copy(end, small())
		r.change(end)
		fresh := newRig(t, randomPorts)
		fresh.load(small())
		if got, want := r.actual().String(), fresh.actual().String(); got != want {
			t.Fatalf("seed %d: the walk ends at\n%s\nwant\n%s", seed, got, want)
		}
		if got, want := states(r.agent.Fates()), states(fresh.agent.Fates()); got != want {
			t.Fatalf("seed %d: fates\n%s\nwant\n%s", seed, got, want)
		}
		r.stop()
		if got, want := states(r.pub.fates), states(r.agent.Fates()); got != want {
			t.Fatalf("seed %d: published\n%s\nwant\n%s", seed, got, want)
		}
		fresh.stop()
	}
}
