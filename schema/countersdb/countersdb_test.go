package countersdb_test

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"xon/schema/configdb"
	"xon/schema/countersdb"
)

// prefixes are how the statistics of each kind of object begin.
var prefixes = map[countersdb.Object]string{
	countersdb.Port:          "SAI_PORT_STAT_",
	countersdb.Queue:         "SAI_QUEUE_STAT_",
	countersdb.PriorityGroup: "SAI_INGRESS_PRIORITY_GROUP_STAT_",
	countersdb.BufferPool:    "SAI_BUFFER_POOL_STAT_",
	countersdb.Switch:        "SAI_SWITCH_STAT_",
}

// knownStats reads the names of statistics out of SAI's facts, by their prefix. The
// file is read as text, as schema does not know SAI.
func knownStats(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open("../../sai/facts/sai-1.18.facts")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // only read
	known, prefix := map[string]bool{}, ""
	for sc := bufio.NewScanner(f); sc.Scan(); {
		words := strings.Fields(sc.Text())
		switch {
		case !strings.HasPrefix(sc.Text(), " "):
			prefix = ""
			if len(words) == 4 && words[0] == "stats" {
				prefix = words[3]
			}
		case prefix != "" && len(words) > 1:
			known[prefix+words[1]] = true
		}
	}
	return known
}

func TestGroups(t *testing.T) {
	t.Parallel()
	known := knownStats(t)
	names, keys := map[string]bool{}, map[string]bool{}
	for _, g := range countersdb.Groups {
		if names[g.Name] || keys[g.Config] || g.Config == "" || g.Interval < 100*time.Millisecond || len(g.Stats) == 0 {
			t.Errorf("group %+v", g)
		}
		names[g.Name], keys[g.Config] = true, true
		seen := map[string]bool{}
		for _, s := range g.Stats {
			if !known[s] || seen[s] || !strings.HasPrefix(s, prefixes[g.Object]) {
				t.Errorf("%s: statistic %s", g.Name, s)
			}
			seen[s] = true
		}
		if g.Clear != strings.HasSuffix(g.Config, "WATERMARK") {
			t.Errorf("%s: clear %v", g.Name, g.Clear)
		}
	}
	if len(names) != 10 {
		t.Errorf("%d groups", len(names))
	}
}

// TestChunks: the size of a chunk is said to be without effect for just the groups that one
// call reads, or none.
func TestChunks(t *testing.T) {
	t.Parallel()
	for _, g := range append(slices.Clone(countersdb.Groups), countersdb.RatesGroup) {
		f := configdb.Fields{"FLEX_COUNTER_STATUS": "enable", "BULK_CHUNK_SIZE": "8"}
		row, _, err := configdb.Parse(configdb.Key("FLEX_COUNTER_TABLE", g.Config), f)
		if err != nil {
			t.Fatal(err)
		}
		idle, never := configdb.Idle(row, f), g.Object == countersdb.Switch || len(g.Stats) == 0
		if never != (len(idle) == 1) || never && idle[0].Field != "BULK_CHUNK_SIZE" {
			t.Errorf("%s: %v", g.Config, idle)
		}
	}
}

// TestClearings: what can be cleared is a watermark of a group that has it.
func TestClearings(t *testing.T) {
	t.Parallel()
	groups := map[string]countersdb.Group{}
	for _, g := range countersdb.Groups {
		groups[g.Name] = g
	}
	for what, c := range countersdb.Clearings {
		g := groups[c.Group]
		if !g.Clear || !slices.Contains(g.Stats, c.Stat) || (c.Queue != "") != (g.Object == countersdb.Queue) {
			t.Errorf("%s: %+v", what, c)
		}
	}
	if len(countersdb.Clearings) != 7 {
		t.Errorf("%d things to clear", len(countersdb.Clearings))
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	if key := countersdb.CountersKey("oid:0x1000000000002"); key != "COUNTERS:oid:0x1000000000002" {
		t.Errorf("CountersKey = %q", key)
	}
	for w, want := range map[countersdb.Watermark]string{
		countersdb.User: "USER_WATERMARKS:oid:0x1", countersdb.Persistent: "PERSISTENT_WATERMARKS:oid:0x1", countersdb.Periodic: "PERIODIC_WATERMARKS:oid:0x1",
	} {
		if key := w.Key("oid:0x1"); key != want || !strings.HasPrefix(want, w.Name()) {
			t.Errorf("watermark %s has the key %s", w.Name(), key)
		}
	}
	if key := countersdb.RateStateKey("oid:0x1"); key != countersdb.RatesKey("oid:0x1")+":PORT" || countersdb.RatesKey("oid:0x1") != "RATES:oid:0x1" {
		t.Errorf("rates of a port are in %s", key)
	}
	if name := countersdb.ChildName("Ethernet0", 3); name != "Ethernet0:3" {
		t.Errorf("ChildName = %q", name)
	}
}

// TestKinds: every statistic that is polled counts, in each table that has it; what only
// looks like a number is a text.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, g := range countersdb.Groups {
		for _, stat := range g.Stats {
			for _, key := range []string{countersdb.CountersKey("oid:0x1"), countersdb.User.Key("oid:0x1"), countersdb.Periodic.Key("oid:0x1")} {
				if k := countersdb.KindOf(key, stat); k != countersdb.Count {
					t.Errorf("%s of %s is of kind %d", stat, key, k)
				}
			}
		}
		if k := countersdb.KindOf(countersdb.TimesKey, countersdb.TimeField(g.Name)); k != countersdb.Count {
			t.Errorf("time of %s is of kind %d", g.Name, k)
		}
	}
	for key, want := range map[string]countersdb.Kind{
		"RATES:oid:0x1/TX_PPS":                  countersdb.Rate,
		"RATES:oid:0x1/TX_NEW":                  countersdb.Text,
		"RATES:oid:0x1:PORT/INIT_DONE":          countersdb.Text,
		"RATES:PORT/PORT_ALPHA":                 countersdb.Rate,
		"RATES:PORT/TX_BPS":                     countersdb.Text,
		"COUNTERS_PORT_NAME_MAP/SAI_PORT_STAT_": countersdb.Text,
		"COUNTERS:oid:0x1/PFC_WD_ACTION":        countersdb.Text,
		"COUNTERS:oid:0x1/SAI_NOTHING":          countersdb.Text,
		"CRM:STATS/SAI_PORT_STAT_X":             countersdb.Text,
	} {
		row, field, _ := strings.Cut(key, "/")
		if k := countersdb.KindOf(row, field); k != want {
			t.Errorf("%s is of kind %d, want %d", key, k, want)
		}
	}
}
