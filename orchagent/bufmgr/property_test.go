package bufmgr_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
	"xon/test/random"
	"xon/test/scale"
)

// TestIncremental: after any change of rows a manager says what one without history
// says (rig.change checks it), tells exactly what differs, and an equal row stays the
// same row.
func TestIncremental(t *testing.T) {
	t.Parallel()
	for seed := range random.Seeds(t, 30) {
		g := &random.Rows{Rand: rand.New(rand.NewPCG(seed, 0)), Ports: 4, Memory: 1 << 24}
		p := virtual(t)
		if seed%2 == 0 {
			p = lookedUp(t, "vs")
		}
		r := newRig(t, p, twoPorts())
		for range 40 {
			before := r.out.Rows
			r.change(goodChanges(g))
			checkChanged(t, before, r.out)
			if t.Failed() {
				t.Fatal(random.Again(t, seed))
			}
			if p.Model == configdb.Traditional {
				r.settle()
			}
		}
	}
}

// TestBranches: what follows a manager does not change it, so that several may follow one
// and each says what one without history says.
func TestBranches(t *testing.T) {
	t.Parallel()
	for seed := range random.Seeds(t, 10) {
		g := &random.Rows{Rand: rand.New(rand.NewPCG(seed, 1)), Ports: 4, Memory: 1 << 24}
		p := virtual(t)
		if seed%2 == 0 {
			p = lookedUp(t, "vs")
		}
		r := newRig(t, p, twoPorts())
		past := []rig{*r}
		for range 40 {
			branch := past[g.Rand.IntN(len(past))]
			branch.derived = maps.Clone(branch.derived)
			branch.change(goodChanges(g))
			past = append(past, branch)
			if t.Failed() {
				t.Fatal(random.Again(t, seed))
			}
		}
		for _, r := range past {
			if r.manager.Input().Rows != r.rows {
				t.Fatal("a manager has the rows of another one")
			}
			checkEqual(t, r.manager.Output(), bufmgr.Effective(p, r.manager.Input()))
		}
	}
}

// goodChanges are changes whose rows all parse.
func goodChanges(g *random.Rows) map[configdb.RowKey]configdb.Fields {
	change := g.Changes(1+g.Rand.IntN(4), 4)
	maps.DeleteFunc(change, func(k configdb.RowKey, f configdb.Fields) bool {
		_, _, err := configdb.Parse(k, f)
		return f != nil && err != nil
	})
	return change
}

func checkChanged(t *testing.T, before *configdb.Config, out bufmgr.Output) {
	t.Helper()
	told := map[configdb.RowKey]bool{}
	for _, k := range out.Changed {
		told[k] = true
	}
	for _, c := range []*configdb.Config{before, out.Rows} {
		for row := range c.All() {
			k := row.RowKey()
			if differs := before.Get(k) != out.Rows.Get(k); differs != told[k] {
				t.Errorf("%s differs: %v, told so: %v", k, differs, told[k])
			}
		}
	}
	if !slices.IsSorted(out.Changed) {
		t.Errorf("out of order: %v", out.Changed)
	}
}

// BenchmarkChange is one row of a switch with 512 ports, with the dynamic model.
func BenchmarkChange(b *testing.B) {
	const ports = 512
	p := bufmgr.Params{Model: configdb.Dynamic, Platform: "vs", MMUBytes: 1 << 30, Ports: map[string]bufmgr.PortLimits{}}
	load, cables := scale.Load(ports), fields{}
	for i := range ports {
		p.Ports[scale.PortName(i)] = bufmgr.PortLimits{Lanes: 4, Queues: 20, PriorityGroups: 8}
		cables[scale.PortName(i)] = "5m"
		load[configdb.Key("BUFFER_PG", scale.PortName(i)+"|3-4")] = fields{"profile": "NULL"}
	}
	maps.Copy(load, rows{
		"BUFFER_POOL|ingress_lossless_pool":       {"type": "ingress", "mode": "dynamic"},
		"BUFFER_POOL|egress_lossless_pool":        {"type": "egress", "mode": "dynamic", "size": "1073741824"},
		"BUFFER_PROFILE|queue3_profile":           {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "8"},
		"BUFFER_PROFILE|queue4_profile":           {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "8"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
		"CABLE_LENGTH|AZURE":                      cables,
	})
	versions := func(k configdb.RowKey, name string, values ...string) []configdb.Row {
		var list []configdb.Row
		for _, v := range values {
			f := fields{}
			maps.Copy(f, load[k])
			f[name] = v
			row, _, err := configdb.Parse(k, f)
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, row)
		}
		return list
	}
	for name, rows := range map[string][]configdb.Row{
		"mtu":        versions("PORT|Ethernet4", "mtu", "1500", "9100"),
		"cable":      versions("CABLE_LENGTH|AZURE", "Ethernet4", "40m", "5m"),
		"irrelevant": versions("SCHEDULER|x", "weight", "1", "2"),
	} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, p, load)
			states := make([]*configdb.Config, len(rows))
			for i, row := range rows {
				states[i] = r.rows.With(row)
			}
			changed := []configdb.RowKey{rows[0].RowKey()}
			for i := 0; b.Loop(); i++ {
				r.manager = r.manager.Next(bufmgr.Input{Rows: states[i%len(states)]}, changed)
			}
		})
	}
}
