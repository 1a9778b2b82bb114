package orchagent_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent"
	"xon/orchagent/inventory"
	"xon/schema/configdb"
	"xon/test/scale"
)

// TestTold: a row that becomes refused or has to wait has a line in the log, once,
// and a flood of them does not flood the log.
func TestTold(t *testing.T) {
	t.Parallel()
	chip := newChip(t, 2)
	sw, _, err := inventory.Open(chip)
	if err != nil {
		t.Fatal(err)
	}
	log, hook := logtest.NewNullLogger()
	a := orchagent.New(orchagent.Config{Log: log, Switch: sw, Names: chip, Store: &memory{}, Publisher: publisher(func() {})})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	lines := func(rows rows) string {
		t.Helper()
		hook.Reset()
		if err := a.Change(ctx, scale.Changes(rows)); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range hook.AllEntries() {
			if strings.Contains(e.Message, "row") {
				fmt.Fprintln(&b, e.Level, e.Message, e.Data["row"], e.Data["field"], e.Data["reason"], e.Data["more"])
			}
		}
		return b.String()
	}
	if err := a.Load(ctx, scale.Changes(small())); err != nil {
		t.Fatal(err)
	}
	got := lines(rows{
		"BUFFER_PG|Ethernet0|0":  {"profile": "nonesuch"},
		"PORT|Ethernet8":         {"lanes": "5,6,7,8"},
		"SCHEDULER|unremarkable": {"type": "WRR"},
	})
	want := "warning row refused PORT|Ethernet8 lanes lane 5 belongs to PORT|Ethernet4 <nil>\n" +
		"info row waiting BUFFER_PG|Ethernet0|0 profile BUFFER_PROFILE|nonesuch does not exist <nil>\n"
	if got != want {
		t.Errorf("logged\n%swant\n%s", got, want)
	}
	if got := lines(rows{"SCHEDULER|more": {"type": "WRR"}}); got != "" {
		t.Errorf("logged again: %s", got)
	}
	flood := rows{}
	for i := range 100 {
		flood[configdb.RowKey("PORT|Ethernet"+strconv.Itoa(100+i))] = configdb.Fields{"lanes": "5"}
	}
	got = lines(flood)
	if n := strings.Count(got, "row refused"); n != 20 || !strings.Contains(got, "more rows are refused or waiting") || !strings.HasSuffix(got, " 80\n") {
		t.Errorf("%d lines:\n%s", n, got)
	}
}
