package counters_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/counters"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/test/scale"
)

// walk changes rows and ports at random and keeps what must come of them, worked out
// in the plainest way.
type walk struct {
	*rig
	*rand.Rand
	raw   configdb.RawRows
	ports int
	pools int             // how many of pools there are
	begun map[string]bool // groups that were enabled once, by the key of their row
}

// step changes something.
func (w *walk) step() string {
	switch w.IntN(10) {
	case 0:
		w.ports = w.IntN(4)
		return fmt.Sprintf("%d ports", w.ports)
	case 1:
		w.pools = w.IntN(len(pools) + 1)
		return fmt.Sprintf("%d pools", w.pools)
	case 2, 3:
		key, row := configdb.RowKey("DEVICE_METADATA|localhost"), configdb.Fields{"create_only_config_db_buffers": "true"}
		return w.flip(key, row)
	case 4, 5, 6:
		table, most := "BUFFER_QUEUE", 20
		if w.IntN(2) == 0 {
			table, most = "BUFFER_PG", 8
		}
		lo := w.IntN(most)
		span := fmt.Sprint(lo)
		if hi := lo + w.IntN(most-lo); hi > lo {
			span = fmt.Sprintf("%d-%d", lo, hi)
		}
		first := w.IntN(3)
		key := fmt.Sprintf("%s,%s|%s", scale.PortName(first), scale.PortName(first+1+w.IntN(2)), span)
		profile := []string{"lossy", "egress_lossy_zero_profile"}[w.IntN(2)]
		return w.flip(configdb.Key(table, key), configdb.Fields{"profile": profile})
	default:
		g := countersdb.Groups[w.IntN(len(countersdb.Groups))].Config
		status := []string{"enable", "disable"}[w.IntN(2)]
		return w.flip(configdb.Key("FLEX_COUNTER_TABLE", g), configdb.Fields{"FLEX_COUNTER_STATUS": status, "POLL_INTERVAL": fmt.Sprint(100 + w.IntN(900))})
	}
}

// flip puts a row there, or takes it away, or leaves another.
func (w *walk) flip(key configdb.RowKey, row configdb.Fields) string {
	if w.raw[key] != nil && w.IntN(2) == 0 {
		delete(w.raw, key)
		return "no " + string(key)
	}
	w.raw[key] = row
	return fmt.Sprint(key, row)
}

// configured reports whether buffer rows of a table name an index of a port.
func (w *walk) configured(table, port string, index int) bool {
	if w.raw["DEVICE_METADATA|localhost"] == nil {
		return true
	}
	for k, f := range w.raw {
		if k.Table() != table || strings.Contains(f["profile"], "_zero_") {
			continue
		}
		span, err := configdb.ParseSpan(k.Key(), 255)
		if err == nil && slices.Contains(span.Ports, port) && index >= span.Lo && index <= span.Hi {
			return true
		}
	}
	return false
}

// named are the objects of a kind by their names in COUNTERS_DB.
func (w *walk) named(kind countersdb.Object, dev *intent.Device, handles map[graph.Key]sai.OID) map[string]string {
	all := map[string]string{}
	switch kind {
	case countersdb.Switch:
		all["ASIC"] = w.sw.ID.OID().String()
	case countersdb.BufferPool:
		for _, name := range pools[:w.pools] {
			all[name] = w.rig.pools[name].String()
		}
	default:
		for _, p := range dev.Ports {
			if p.Configured {
				w.namePort(kind, p, handles, all)
			}
		}
	}
	return all
}

func (w *walk) namePort(kind countersdb.Object, p *intent.Port, handles map[graph.Key]sai.OID, all map[string]string) {
	switch kind { //nolint:exhaustive // the others belong to no port
	case countersdb.Port:
		all[p.Name] = handles[p.Object].String()
	case countersdb.Queue:
		for i, q := range p.Queues {
			if w.configured("BUFFER_QUEUE", p.Name, i) {
				all[fmt.Sprint(p.Name, ":", i)] = handles[q.Buffer.Object()].String()
			}
		}
	case countersdb.PriorityGroup:
		for i, k := range p.PGs {
			if w.configured("BUFFER_PG", p.Name, i) {
				all[fmt.Sprint(p.Name, ":", i)] = handles[k.Object()].String()
			}
		}
	}
}

// TestPolledSet: whatever happened, what is polled, what tells of it, and what it
// is called are what the rows say.
func TestPolledSet(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3)
			r.withPools(new(configdb.Config))
			w := &walk{rig: r, Rand: rand.New(rand.NewPCG(seed, 1)), raw: configdb.RawRows{}, begun: map[string]bool{}}
			c := r.collector(nil)
			var did []string
			for len(did) < 60 && !t.Failed() {
				did = append(did, w.step())
				w.check(c)
				if t.Failed() {
					t.Logf("after %s", strings.Join(did, "\n      "))
				}
			}
		})
	}
}

// check compares the databases with what must be there.
func (w *walk) check(c *counters.Collector) {
	rows := parse(w.t, w.raw)
	for _, name := range pools[:w.pools] {
		rows = rows.With(&configdb.BufferPool{ID: configdb.Key("BUFFER_POOL", name), Name: name})
	}
	dev, handles := w.device(w.ports)
	handles = w.withHandles(handles)
	c.Follow(rows, dev, handles)
	w.pass(c)
	flex, stats, names := map[string]bool{}, map[string]map[string]bool{}, map[string]map[string]string{}
	if ports := w.named(countersdb.Port, dev, handles); len(ports) > 0 {
		names["COUNTERS_PORT_NAME_MAP"] = ports
	}
	for _, g := range countersdb.Groups {
		on := w.raw[configdb.Key("FLEX_COUNTER_TABLE", g.Config)]["FLEX_COUNTER_STATUS"] == "enable"
		if w.begun[g.Config] = w.begun[g.Config] || on; !w.begun[g.Config] {
			continue
		}
		objects := w.named(g.Object, dev, handles)
		if table := nameTables[g.Object]; len(objects) > 0 && table != "" {
			names[table] = objects
		}
		for _, id := range objects {
			flex["FLEX_COUNTER_TABLE:"+g.Name+":"+id] = true
			if on {
				stats["COUNTERS:"+id] = merge(stats["COUNTERS:"+id], g.Stats)
			}
		}
	}
	w.compare(flex, stats, names)
}

var nameTables = map[countersdb.Object]string{
	countersdb.Queue: "COUNTERS_QUEUE_NAME_MAP", countersdb.PriorityGroup: "COUNTERS_PG_NAME_MAP", countersdb.Switch: "COUNTERS_SWITCH_NAME_MAP",
}

func merge(into map[string]bool, names []string) map[string]bool {
	out := maps.Clone(into)
	if out == nil {
		out = map[string]bool{}
	}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// compare compares. An object that is not polled now may have what was read of it
// while its group was enabled.
func (w *walk) compare(flex map[string]bool, stats map[string]map[string]bool, names map[string]map[string]string) {
	w.t.Helper()
	got := map[string]bool{}
	for key := range w.flex() {
		if strings.HasPrefix(key, "FLEX_COUNTER_TABLE:") {
			got[key] = true
		}
	}
	if diff := cmp.Diff(flex, got); diff != "" {
		w.t.Errorf("FLEX_COUNTER_DB (-want +got):\n%s", diff)
	}
	rows := w.stored()
	for key, want := range stats {
		for stat := range want {
			if rows[key][stat] == "" {
				w.t.Errorf("%s has no %s", key, stat)
			}
		}
	}
	for key, f := range rows {
		table, id, _ := strings.Cut(strings.TrimSuffix(key, ":PORT"), ":")
		known := slices.ContainsFunc(countersdb.Groups, func(g countersdb.Group) bool { return flex["FLEX_COUNTER_TABLE:"+g.Name+":"+id] })
		switch {
		case strings.HasSuffix(table, "_NAME_MAP"):
			if diff := cmp.Diff(names[table], f); diff != "" {
				w.t.Errorf("%s (-want +got):\n%s", table, diff)
			}
			delete(names, table)
		case !strings.HasSuffix(table, "_MAP") && !known:
			w.t.Errorf("%s is about nothing that is polled", key)
		}
	}
	if len(names) > 0 {
		w.t.Errorf("there are no names %v", names)
	}
}
