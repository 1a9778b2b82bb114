package translate_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/gnmi/gnmitest"
	"xon/gnmi/translate"
)

type fields = translate.Fields

func content() *gnmitest.Databases {
	d := &gnmitest.Databases{}
	d.PutAll("CONFIG_DB", map[string]fields{
		"PORT|Ethernet0":           {"mtu": "9100", "speed": "100000"},
		"PORT|Ethernet4":           {"speed": "100000"},
		"PORT_QOS_MAP|Ethernet0":   {"pfc_enable": "3,4"},
		"BUFFER_PG|Ethernet0|3-4":  {"profile": "lossless"},
		"FLAG|x":                   {},
		"LISTS|Ethernet0":          {"profile_list@": "a,b"},
		"BAD|\xff":                 {"x\xff": "y\xff"},
		"BUFFER_POOL|ingress_pool": {"type": "ingress"},
	})
	d.PutAll("COUNTERS_DB", map[string]fields{
		"COUNTERS_PORT_NAME_MAP":        {"Ethernet0": "oid:0x1", "Ethernet4": "oid:0x2"},
		"COUNTERS_QUEUE_NAME_MAP":       {"Ethernet0:0": "oid:0x10", "Ethernet0:1": "oid:0x11", "Ethernet4:0": "oid:0x12"},
		"COUNTERS_PG_NAME_MAP":          {"Ethernet0:3": "oid:0x20"},
		"COUNTERS_BUFFER_POOL_NAME_MAP": {"ingress_pool": "oid:0x30"},
		"COUNTERS:oid:0x1":              {"IN": "1", "OUT": "2"},
		"COUNTERS:oid:0x2":              {"IN": "3"},
		"COUNTERS:oid:0x10":             {"PKTS": "10"},
		"COUNTERS:oid:0x11":             {"PKTS": "11"},
		"COUNTERS:oid:0x12":             {"PKTS": "12"},
		"USER_WATERMARKS:oid:0x20":      {"SHARED": "20"},
		"USER_WATERMARKS:oid:0x30":      {"POOL": "30"},
	})
	return d
}

func query(t *testing.T, text string) *translate.Query {
	t.Helper()
	all, err := translate.Parse(nil, mustPath(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// lines writes rows as "TABLE/key f=v f=v".
func lines(rows []translate.Row) []string {
	var all []string
	for _, r := range rows {
		s := strings.Join(r.Elems, "/")
		for _, f := range slices.Sorted(maps.Keys(r.Fields)) {
			s += " " + f + "=" + r.Fields[f]
		}
		if r.Fields == nil {
			s += " gone"
		}
		all = append(all, s)
	}
	return all
}

func TestAll(t *testing.T) {
	t.Parallel()
	dbs := content()
	tests := []struct {
		path string
		want []string
	}{
		{"/CONFIG_DB/PORT", []string{"PORT/Ethernet0 mtu=9100 speed=100000", "PORT/Ethernet4 speed=100000"}},
		{"/CONFIG_DB/PORT/Ethernet0", []string{"PORT/Ethernet0 mtu=9100 speed=100000"}},
		{"/CONFIG_DB/PORT/Ethernet8", nil},
		{"/CONFIG_DB/PORT/*/mtu", []string{"PORT/Ethernet0 mtu=9100"}},
		{"/CONFIG_DB/PORT*/Ethernet0/*", []string{"PORT/Ethernet0 mtu=9100 speed=100000", "PORT_QOS_MAP/Ethernet0 pfc_enable=3,4"}},
		{"/CONFIG_DB/*/Ethernet0|*", []string{"BUFFER_PG/Ethernet0|3-4 profile=lossless"}},
		{"/CONFIG_DB/FLAG", []string{"FLAG/x"}},
		{"/CONFIG_DB/LISTS/Ethernet0/profile_list", []string{"LISTS/Ethernet0 profile_list@=a,b"}},
		{"/CONFIG_DB/PORT/Ethernet0/mtu@", []string{"PORT/Ethernet0 mtu=9100"}},
		{"/CONFIG_DB/BAD", []string{"BAD/\uFFFD x\uFFFD=y\uFFFD"}},
		{"/COUNTERS_DB/COUNTERS_PORT_NAME_MAP", []string{"COUNTERS_PORT_NAME_MAP Ethernet0=oid:0x1 Ethernet4=oid:0x2"}},
		{"/COUNTERS_DB/COUNTERS_PORT_NAME_MAP/Ethernet4", []string{"COUNTERS_PORT_NAME_MAP Ethernet4=oid:0x2"}},
		{"/COUNTERS_DB/COUNTERS/oid:0x10", []string{"COUNTERS/oid:0x10 PKTS=10"}},
		{"/COUNTERS_DB/COUNTERS/Ethernet0", []string{"COUNTERS/Ethernet0 IN=1 OUT=2"}},
		{"/COUNTERS_DB/COUNTERS/Ethernet*/IN", []string{"COUNTERS/Ethernet0 IN=1", "COUNTERS/Ethernet4 IN=3"}},
		{"/COUNTERS_DB/COUNTERS/Ethernet0/Queues", []string{"COUNTERS/Ethernet0/Queues/Ethernet0:0 PKTS=10", "COUNTERS/Ethernet0/Queues/Ethernet0:1 PKTS=11"}},
		{"/COUNTERS_DB/COUNTERS/Ethernet*/Queues/*:0/PKTS", []string{"COUNTERS/Ethernet0/Queues/Ethernet0:0 PKTS=10", "COUNTERS/Ethernet4/Queues/Ethernet4:0 PKTS=12"}},
		{"/COUNTERS_DB/USER_WATERMARKS/Ethernet0/PriorityGroups", []string{"USER_WATERMARKS/Ethernet0/PriorityGroups/Ethernet0:3 SHARED=20"}},
		{"/COUNTERS_DB/USER_WATERMARKS/ingress_pool", []string{"USER_WATERMARKS/ingress_pool POOL=30"}},
		{"/COUNTERS_DB/COUNTERS/Ethernet8", nil},
	}
	for _, tt := range tests {
		rows, err := query(t, tt.path).Open(dbs).All(t.Context())
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
		}
		if d := cmp.Diff(tt.want, lines(rows)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.path, d)
		}
	}
	dbs.Fail(errors.New("away"))
	if _, err := query(t, "/CONFIG_DB/PORT").Open(dbs).All(t.Context()); err == nil || !strings.Contains(err.Error(), "CONFIG_DB/PORT: away") {
		t.Error(err)
	}
}

func TestSome(t *testing.T) {
	t.Parallel()
	dbs := content()
	v := query(t, "/CONFIG_DB/PORT/Ethernet*/mtu").Open(dbs)
	dbs.Put("CONFIG_DB", "PORT|Ethernet0", nil)
	rows, again, err := v.Some(t.Context(), []string{"PORT|Ethernet0", "PORT|Ethernet4", "PORT_QOS_MAP|Ethernet0"})
	if d := cmp.Diff([]string{"PORT/Ethernet0 gone", "PORT/Ethernet4 gone"}, lines(rows)); d != "" || again || err != nil {
		t.Errorf("%s%v %v", d, again, err)
	}

	v = query(t, "/COUNTERS_DB/COUNTERS/Ethernet0").Open(dbs)
	if v.Touches("COUNTERS:oid:0x1") {
		t.Error("a view that has not read touches a number")
	}
	if _, err := v.All(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"COUNTERS:oid:0x1": true, "COUNTERS:oid:0x2": false, "COUNTERS_PORT_NAME_MAP": true, "COUNTERS_QUEUE_NAME_MAP": false} {
		if v.Touches(name) != want {
			t.Errorf("Touches(%s) = %v", name, !want)
		}
	}
	rows, again, err = v.Some(t.Context(), []string{"COUNTERS:oid:0x1", "COUNTERS:oid:0x2"})
	if d := cmp.Diff([]string{"COUNTERS/Ethernet0 IN=1 OUT=2"}, lines(rows)); d != "" || again || err != nil {
		t.Errorf("%s%v %v", d, again, err)
	}
	if _, again, _ := v.Some(t.Context(), []string{"COUNTERS_PORT_NAME_MAP"}); !again {
		t.Error("a new name map does not have all read again")
	}
}

func TestClasses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][4]bool{ // writable, operational, counters, pattern
		"/CONFIG_DB/PORT":                     {true, false, false, false},
		"/APPL_DB/PORT_TABLE":                 {false, false, false, false},
		"/STATE_DB/*":                         {false, true, false, true},
		"/COUNTERS_DB/COUNTERS/Ethernet*":     {false, true, true, true},
		"/COUNTERS_DB/COUNTERS_PORT_NAME_MAP": {false, true, false, false},
	} {
		q := query(t, text)
		if got := [4]bool{q.Writable(), q.Operational(), q.Counters(), q.IsPattern()}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
