package orchagent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/orchagent/inventory"
	"xon/schema/configdb"
	"xon/test/scale"
)

// TestPhrases: lines that operators look for in the logs of SONiC are there, once for each
// cause, with the row and what is wrong with it.
func TestPhrases(t *testing.T) {
	t.Parallel()
	chip := newChip(t, 2)
	sw, _, err := inventory.Open(chip)
	if err != nil {
		t.Fatal(err)
	}
	lookup, err := bufmgr.ParseLookup("lookup.ini", []byte("100000 5m 56368 18432 55120 -3"))
	if err != nil {
		t.Fatal(err)
	}
	log, hook := logtest.NewNullLogger()
	a := orchagent.New(orchagent.Config{
		Log: log, Switch: sw, Names: chip, Store: &memory{}, Publisher: publisher(func() {}), Buffers: bufmgr.Params{Lookup: lookup}, Compare: -1,
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	if err := a.Load(ctx, scale.Changes(configdb.RawRows{
		"DEVICE_METADATA|localhost":         {"buffer_model": "traditional"},
		"PORT|Ethernet0":                    {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1048576"},
		"PORT_QOS_MAP|Ethernet0":            {"pfc_enable": "3"},
		"CABLE_LENGTH|AZURE":                {"Ethernet0": "5m"},
		"SWITCH_HASH|GLOBAL":                {"ecmp_hash_algorithm": "XOR"},
	})); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rows rows
		want string
	}{
		{rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "7m"}}, "Failed to process invalid entry, drop it|BUFFER_PG|Ethernet0|3"},
		{rows{"SCHEDULER|other": {"type": "WRR"}}, ""},
		{rows{"BUFFER_PROFILE|bad": {"pool": "ingress_lossless_pool", "size": "x", "dynamic_th": "0"}}, "Failed to process invalid entry, drop it: row refused|BUFFER_PROFILE|bad"},
		{rows{"SCHEDULER|other": {"type": "WRR", "priority": "3"}}, "Unknown field|SCHEDULER|other"},
		{rows{"SWITCH_HASH|GLOBAL": {"lag_hash_algorithm": "XOR"}}, "ASIC and CONFIG DB are diverged|SWITCH_HASH|GLOBAL"},
	} {
		hook.Reset()
		if err := a.Change(ctx, scale.Changes(tt.rows)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range hook.AllEntries() {
			if e.Level <= logrus.WarnLevel { // warnings and worse
				got = append(got, fmt.Sprintf("%s|%v", e.Message, e.Data["row"]))
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%v (-want +logged):\n%s", tt.rows, diff)
		}
	}
}
