package statedb_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
	"xon/schema/statedb"
)

func TestFate(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.UTC)
	tests := []struct {
		name   string
		fate   statedb.Fate
		fields map[string]string
	}{
		{
			name:   "applied",
			fate:   statedb.Fate{State: statedb.Applied, Since: since, Revision: 42},
			fields: map[string]string{"state": "applied", "since": "2026-02-03T04:05:06.007Z", "revision": "42"},
		},
		{
			name: "waiting",
			fate: statedb.Fate{State: statedb.Waiting, On: "PORT|Ethernet0", Reason: "no such port", Since: since},
			fields: map[string]string{
				"state": "waiting", "on": "PORT|Ethernet0", "reason": "no such port", "since": "2026-02-03T04:05:06.007Z", "revision": "0",
			},
		},
		{
			name: "tried again",
			fate: statedb.Fate{State: statedb.Waiting, On: "the chip", Reason: "no room", Next: since.Add(time.Second), Since: since},
			fields: map[string]string{
				"state": "waiting", "on": "the chip", "reason": "no room", "next_try": "2026-02-03T04:05:07.007Z",
				"since": "2026-02-03T04:05:06.007Z", "revision": "0",
			},
		},
		{
			name: "refused",
			fate: statedb.Fate{State: statedb.Refused, Field: "xoff", Reason: "too large", Warnings: []string{"a, b", "c"}, Since: since, Revision: 1<<64 - 1},
			fields: map[string]string{
				"state": "refused", "field": "xoff", "reason": "too large", "warnings": "a, b\nc",
				"since": "2026-02-03T04:05:06.007Z", "revision": "18446744073709551615",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.fate.Format()
			if diff := cmp.Diff(tt.fields, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			back, err := statedb.ParseFate(got)
			if diff := cmp.Diff(tt.fate, back); err != nil || diff != "" {
				t.Errorf("parsed: %v\n%s", err, diff)
			}
		})
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	x := statedb.Refusal{
		Version: "ab", Reason: "no", Field: "speed", Retry: true,
		Needs: map[configdb.RowKey]string{"BUFFER_POOL|b": "cd", "BUFFER_POOL|a b": ""},
	}
	want := map[string]string{"version": "ab", "reason": "no", "field": "speed", "retry": "true", "needs": " BUFFER_POOL|a b\ncd BUFFER_POOL|b"}
	got := x.Format()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	back, err := statedb.ParseRefusal(got)
	if diff := cmp.Diff(x, back); err != nil || diff != "" {
		t.Errorf("parsed: %v\n%s", err, diff)
	}
	for name, f := range map[string]map[string]string{
		"no reason":    {"version": "ab"},
		"half a need":  {"reason": "no", "needs": "cd"},
		"empty a line": {"reason": "no", "needs": "cd a|b\n"},
	} {
		if got, err := statedb.ParseRefusal(f); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFateWithManyLines(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("", 3600)
	f := statedb.Fate{State: statedb.Ignored, Warnings: []string{"a\nb", "c"}, Since: time.Date(2026, 1, 1, 0, 30, 0, 1, east)}.Format()
	if f["warnings"] != "a b\nc" || f["since"] != "2025-12-31T23:30:00.000Z" {
		t.Errorf("fields = %q", f)
	}
}

func TestParseFateNamesEveryFault(t *testing.T) {
	t.Parallel()
	_, err := statedb.ParseFate(map[string]string{"state": "good", "since": "today", "revision": "-1"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{`field "state"`, `field "since"`, `field "revision"`} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("err = %v, which does not name %s", err, field)
		}
	}
}

func FuzzParseFate(f *testing.F) {
	f.Add("applied", "2026-02-03T04:05:06.007Z", "42", "a\nb", "why")
	f.Add("", "0000-01-01T00:00:00.999+23:59", "", "\n", "")
	f.Fuzz(func(t *testing.T, state, since, revision, warnings, reason string) {
		fate, err := statedb.ParseFate(map[string]string{
			"state": state, "since": since, "revision": revision, "warnings": warnings, "reason": reason,
		})
		if err != nil {
			return
		}
		again, err := statedb.ParseFate(fate.Format())
		if err != nil || !again.Since.Equal(fate.Since.Truncate(time.Millisecond)) || again.Revision != fate.Revision || again.Reason != fate.Reason {
			t.Errorf("%+v became %+v, %v", fate, again, err)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	const row = configdb.RowKey("BUFFER_PG|Ethernet0|3-4")
	if key := statedb.FateKey(row); key != "XON_ROW|BUFFER_PG|Ethernet0|3-4" {
		t.Errorf("FateKey = %q", key)
	}
	if key := statedb.AcceptedKey(row); key != "XON_ACCEPTED|BUFFER_PG|Ethernet0|3-4" {
		t.Errorf("AcceptedKey = %q", key)
	}
	if got, ok := statedb.ParseFateKey(statedb.FateKey(row)); got != row || !ok {
		t.Errorf("ParseFateKey = %q, %v", got, ok)
	}
	if got, ok := statedb.ParseAcceptedKey(statedb.AcceptedKey(row)); got != row || !ok {
		t.Errorf("ParseAcceptedKey = %q, %v", got, ok)
	}
	if got, ok := statedb.ParseRefusalKey(statedb.RefusalKey(row)); got != row || !ok {
		t.Errorf("ParseRefusalKey = %q, %v", got, ok)
	}
	for _, key := range []string{"", "XON_ROW", "XON_ROW|", "XON_ROWS|a|b", "XON_ACCEPTED|a|b"} {
		if _, ok := statedb.ParseFateKey(key); ok {
			t.Errorf("ParseFateKey(%q) went through", key)
		}
	}
}

func TestMaxParams(t *testing.T) {
	t.Parallel()
	for _, m := range []statedb.MaxParams{{PriorityGroups: 8, Queues: 20}, {PriorityGroups: 8, Queues: 20, Headroom: 122880}} {
		back, err := statedb.ParseMaxParams(m.Format())
		if back != m || err != nil {
			t.Errorf("%+v became %+v, %v", m, back, err)
		}
	}
	f := statedb.MaxParams{PriorityGroups: 8, Queues: 20}.Format()
	if diff := cmp.Diff(map[string]string{"max_priority_groups": "8", "max_queues": "20"}, f); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if _, err := statedb.ParseMaxParams(map[string]string{"max_queues": "many", "other": "x"}); err == nil || !strings.Contains(err.Error(), `"max_queues"`) {
		t.Errorf("err = %v", err)
	}
}

// TestDeleteDerived: a row that was changed since it was derived is kept.
func TestDeleteDerived(t *testing.T) {
	t.Parallel()
	a, b := configdb.Fields{"profile": "a"}, configdb.Fields{"profile": "b"}
	rows := configdb.RawRows{"BUFFER_PG|Ethernet0|3": a, "BUFFER_PG|Ethernet0|4": b, "BUFFER_PG|Ethernet0|5": a}
	hashes := map[configdb.RowKey][]string{}
	for _, k := range []configdb.RowKey{"BUFFER_PG|Ethernet0|3", "BUFFER_PG|Ethernet0|4", "BUFFER_PG|Ethernet0|6"} {
		row, ok := statedb.ParseDerivedKey(statedb.DerivedKey(k))
		if !ok || row != k {
			t.Errorf("%s is read as %s", k, row)
		}
		hashes[k] = statedb.DerivedDigests(map[string]string{statedb.DerivedHash: a.Digest()})
	}
	c, d := configdb.Fields{"profile": "c"}, configdb.Fields{"profile": "d"}
	for k, f := range map[configdb.RowKey]configdb.Fields{"BUFFER_PG|Ethernet4|3": a, "BUFFER_PG|Ethernet4|4": b, "BUFFER_PG|Ethernet4|5": c, "BUFFER_PG|Ethernet4|6": d} {
		rows[k] = f
		hashes[k] = statedb.DerivedDigests(map[string]string{statedb.DerivedHash: a.Digest(), statedb.DerivedBefore: b.Digest() + "," + c.Digest()})
	}
	statedb.DeleteDerived(rows, hashes)
	if diff := cmp.Diff(configdb.RawRows{"BUFFER_PG|Ethernet0|4": b, "BUFFER_PG|Ethernet0|5": a, "BUFFER_PG|Ethernet4|6": d}, rows); diff != "" {
		t.Error(diff)
	}
}
