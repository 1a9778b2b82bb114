package translate_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/gnmi/translate"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	client := redistest.Open(t)
	dbs := translate.Redis{Client: client}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events, err := dbs.Watch(ctx, "CONFIG_DB")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]fields{"PORT|Ethernet0": {"mtu": "9100"}, "PORT|Ethernet4": {"mtu": "1500"}, "PORT_QOS_MAP|x": {"a": "b"}, "FLAG|x": {}}
	if err := client.DB(redisdb.ConfigDB).Commit(ctx, nil, rows); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for len(seen) < len(rows) {
		for _, name := range <-events {
			seen[name] = true
		}
	}
	if err := client.DB(redisdb.CountersDB).Commit(ctx, nil, map[string]fields{
		"COUNTERS_PORT_NAME_MAP": {"Ethernet0": "oid:0x1"}, "COUNTERS:oid:0x1": {"IN": "1"},
	}); err != nil {
		t.Fatal(err)
	}
	var stray redisdb.Batch
	stray.Set("PORT", redisdb.Fields{"a": "b"}) // names no row
	if err := client.DB(redisdb.ConfigDB).Write(ctx, &stray); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"/CONFIG_DB/PORT":                     {"PORT/Ethernet0 mtu=9100", "PORT/Ethernet4 mtu=1500"},
		"/CONFIG_DB/FLAG":                     {"FLAG/x"},
		"/CONFIG_DB/P*":                       {"PORT/Ethernet0 mtu=9100", "PORT/Ethernet4 mtu=1500", "PORT_QOS_MAP/x a=b"},
		"/COUNTERS_DB/COUNTERS/Ethernet*":     {"COUNTERS/Ethernet0 IN=1"},
		"/COUNTERS_DB/COUNTERS_PORT_NAME_MAP": {"COUNTERS_PORT_NAME_MAP Ethernet0=oid:0x1"},
		"/STATE_DB":                           nil,
	} {
		got, err := query(t, path).Open(dbs).All(ctx)
		if d := cmp.Diff(want, lines(got)); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", path, err, d)
		}
	}
	cancel()
	for range events { // ends
	}
	if _, err := dbs.Read(t.Context(), "NO_DB", []string{"x"}); err == nil {
		t.Error("an unknown database: no error")
	}
	keyless, err := dbs.Scan(t.Context(), "COUNTERS_DB", "COUNTERS_PORT_NAME_MAP")
	if err != nil || !slices.Equal(lines([]translate.Row{{Elems: []string{"x"}, Fields: keyless["COUNTERS_PORT_NAME_MAP"]}}), []string{"x Ethernet0=oid:0x1"}) {
		t.Errorf("%v %v", keyless, err)
	}
}
