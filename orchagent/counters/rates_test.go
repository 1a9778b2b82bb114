package counters_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/counters"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// rateStats are the statistics that rates are worked out of.
var rateStats = []string{
	"SAI_PORT_STAT_IF_IN_OCTETS", "SAI_PORT_STAT_IF_IN_UCAST_PKTS", "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS",
	"SAI_PORT_STAT_IF_OUT_OCTETS", "SAI_PORT_STAT_IF_OUT_UCAST_PKTS", "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS",
}

// TestRate: the first reading is remembered, the second gives the rates, and each after
// it counts by alpha. One that failed is none: the next is for the time since the last
// that did not.
func TestRate(t *testing.T) {
	t.Parallel()
	var r counters.Rates
	var at time.Time
	for i, step := range []struct {
		counts []uint64 // nil: it failed
		after  time.Duration
		rates  map[string]string
		state  string
	}{
		{[]uint64{1000, 10, 1, 500, 5, 0}, 0, map[string]string{}, "COUNTERS_LAST"},
		{[]uint64{3000, 20, 3, 500, 5, 2}, 2 * time.Second, map[string]string{"RX_BPS": "1000", "RX_PPS": "6", "TX_BPS": "0", "TX_PPS": "1"}, "DONE"},
		{[]uint64{5000, 20, 3, 600, 5, 2}, time.Second, map[string]string{"RX_BPS": "1250", "RX_PPS": "4.5", "TX_BPS": "25", "TX_PPS": "0.75"}, "DONE"},
		// A counter that begins anew counts nothing.
		{[]uint64{100, 24, 3, 700, 5, 2}, time.Second, map[string]string{"RX_BPS": "937.5", "RX_PPS": "4.375", "TX_BPS": "43.75", "TX_PPS": "0.5625"}, "DONE"},
		{nil, time.Second, map[string]string{"RX_BPS": "937.5", "RX_PPS": "4.375", "TX_BPS": "43.75", "TX_PPS": "0.5625"}, "DONE"},
		{[]uint64{1975, 24, 3, 700, 5, 2}, time.Second, map[string]string{"RX_BPS": "937.5", "RX_PPS": "3.28125", "TX_BPS": "32.8125", "TX_PPS": "0.421875"}, "DONE"},
	} {
		at = at.Add(step.after)
		reading := &counters.Reading{Time: at, Objects: []sai.OID{1}, Stats: rateStats, Values: step.counts}
		if step.counts == nil {
			reading.Failed = map[sai.OID]bool{1: true}
		}
		r.Add(reading, 0.25)
		rates, state := r.Rows(1)
		if rates["SAI_PORT_STAT_IF_IN_OCTETS_last"] == "" || len(rates) != 6+len(step.rates) {
			t.Errorf("reading %d: fields %v", i, rates)
		}
		for name, want := range step.rates {
			if rates[name] != want {
				t.Errorf("reading %d: %s is %s, want %s", i, name, rates[name], want)
			}
		}
		if state["INIT_DONE"] != step.state {
			t.Errorf("reading %d: state %v", i, state)
		}
	}
}

// TestRateRows: rates follow the statistics of ports, unless they have a row of their
// own, and the smoothing is that of the database.
func TestRateRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	dev, handles := r.device(1)
	id := handles[dev.Ports[0].Object]
	r.rows = parse(t, configdb.RawRows{"FLEX_COUNTER_TABLE|PORT": {"FLEX_COUNTER_STATUS": "enable"}, "FLEX_COUNTER_TABLE|PORT_RATES": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "100"}})
	c := r.collector(nil)
	c.Follow(enabled(t, "PORT"), dev, handles)
	r.pass(c)
	if f := r.row("RATES:" + id.String()); f != nil {
		t.Errorf("rates are disabled, and are %v", f)
	}
	if diff := cmp.Diff(redisdb.Fields{"PORT_ALPHA": "0.18", "PORT_SMOOTH_INTERVAL": "10"}, r.row("RATES:PORT")); diff != "" {
		t.Errorf("RATES:PORT (-want +got):\n%s", diff)
	}
	r.put("RATES:PORT", redisdb.Fields{"PORT_ALPHA": "0"}) // then the first rate stays
	c.Follow(r.rows, dev, handles)
	r.pass(c)
	if got := r.row("RATES:" + id.String() + ":PORT")["INIT_DONE"]; got != "COUNTERS_LAST" {
		t.Errorf("after one reading the state is %q", got)
	}
	first := ""
	for i := 0; i < 2; {
		before := r.row("RATES:" + id.String())["SAI_PORT_STAT_IF_IN_OCTETS_last"]
		if err := r.chip.AddStat(id, uint32(sai.PortStatIfInOctets), 1<<40); err != nil {
			t.Fatal(err)
		}
		r.pass(c) // reads as often as it takes for 100 ms to be over
		f := r.row("RATES:" + id.String())
		if f["SAI_PORT_STAT_IF_IN_OCTETS_last"] == before {
			continue
		}
		if i++; i == 1 {
			first = f["RX_BPS"]
		}
		if f["RX_BPS"] == "" || f["RX_BPS"] == "0" || f["RX_BPS"] != first || f["TX_PPS"] != "0" {
			t.Errorf("rates %v after %s", f, first)
		}
	}
	c.Follow(r.rows, dev, handles)
	none, _ := r.device(0)
	c.Follow(r.rows, none, nil)
	r.pass(c)
	if f := r.row("RATES:" + id.String()); f != nil || r.row("RATES:"+id.String()+":PORT") != nil {
		t.Errorf("a port that is gone has rates %v", f)
	}
	if r.row("RATES:PORT") == nil {
		t.Error("the settings are gone")
	}
	if g := r.flex()["FLEX_COUNTER_GROUP_TABLE:"+countersdb.RatesGroup.Name]; g["FLEX_COUNTER_STATUS"] != "enable" || g["POLL_INTERVAL"] != "100" {
		t.Errorf("the group of rates is %v", g)
	}
}

// TestRatesFollowPorts: without a row of their own, rates are there when ports are.
func TestRatesFollowPorts(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	for status, want := range map[string]string{"enable": "enable", "disable": "disable"} {
		r.rows = parse(t, configdb.RawRows{"FLEX_COUNTER_TABLE|PORT": {"FLEX_COUNTER_STATUS": status}})
		c := r.collector(nil)
		r.follow(c, 1)
		r.pass(c)
		if got := r.flex()["FLEX_COUNTER_GROUP_TABLE:"+countersdb.RatesGroup.Name]["FLEX_COUNTER_STATUS"]; got != want {
			t.Errorf("ports are %sd and rates %sd", status, got)
		}
	}
}
