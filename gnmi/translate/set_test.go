package translate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/path"
	"xon/gnmi/translate"
	"xon/gnmi/value"
	"xon/schema/configdb"
)

// text writes operations as "replace TABLE|key f=v".
func text(ops []configdb.Op) []string {
	var all []string
	for _, op := range ops {
		s := [...]string{"delete", "replace", "update"}[op.Kind] + " " + op.Table + "|" + op.Key
		if op.Field != "" {
			s += "." + op.Field
		}
		if op.Passes() {
			s += " passes"
		}
		for _, f := range slices.Sorted(maps.Keys(op.Fields)) {
			s += " " + f + "=" + op.Fields[f]
		}
		all = append(all, s)
	}
	return all
}

func node(t *testing.T, json string) value.Node {
	t.Helper()
	n, err := value.ParseJSON([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWriteOps(t *testing.T) {
	t.Parallel()
	const table = `{"Ethernet0":{"mtu":9100,"up":true},"Ethernet4":{}}`
	tests := []struct {
		path, value     string
		replace, update []string
	}{
		{
			"/CONFIG_DB", `{"PORT":` + table + `}`,
			[]string{"delete |", "replace PORT|Ethernet0 mtu=9100 up=true", "replace PORT|Ethernet4"},
			[]string{"update PORT|Ethernet0 mtu=9100 up=true", "update PORT|Ethernet4"},
		},
		{
			"/CONFIG_DB/PORT", table,
			[]string{"delete PORT|", "replace PORT|Ethernet0 mtu=9100 up=true", "replace PORT|Ethernet4"},
			[]string{"update PORT|Ethernet0 mtu=9100 up=true", "update PORT|Ethernet4"},
		},
		{"/CONFIG_DB/PORT", `{}`, []string{"delete PORT|"}, nil},
		{
			"/CONFIG_DB/BUFFER_PG/Ethernet0|3-4", `{"profile":"x"}`,
			[]string{"replace BUFFER_PG|Ethernet0|3-4 profile=x"},
			[]string{"update BUFFER_PG|Ethernet0|3-4 profile=x"},
		},
		{"/CONFIG_DB/A/b", `{"NULL":"NULL"}`, []string{"replace A|b"}, []string{"update A|b"}},
		{"/CONFIG_DB/A/b", `{"l":["x",1]}`, []string{"replace A|b l@=x,1"}, []string{"update A|b l@=x,1"}},
		{"/CONFIG_DB/A/b/mtu", `9100`, []string{"update A|b mtu=9100"}, []string{"update A|b mtu=9100"}},
		{"/CONFIG_DB/A/b/mtu", `{"mtu":"9100"}`, []string{"update A|b mtu=9100"}, []string{"update A|b mtu=9100"}},
		{"/CONFIG_DB/A/b/l", `["x"]`, []string{"update A|b l@=x"}, []string{"update A|b l@=x"}},
		{"/CONFIG_DB/A/b/l", `[]`, []string{"delete A|b.l"}, []string{"delete A|b.l"}},
		{"/CONFIG_DB/A/b/l@", `{"l":[]}`, []string{"delete A|b.l@"}, []string{"delete A|b.l@"}},
		{"/CONFIG_DB/A/b", `{"l":[],"m":1}`, []string{"replace A|b m=1"}, []string{"delete A|b.l", "update A|b m=1"}},
		{"/CONFIG_DB", `{"A":{"b":{"l@":[]}}}`, []string{"delete |", "replace A|b"}, []string{"delete A|b.l@", "update A|b"}},
	}
	for _, tt := range tests {
		q, v := query(t, tt.path), node(t, tt.value)
		for kind, want := range map[configdb.OpKind][]string{configdb.Replace: tt.replace, configdb.Update: tt.update} {
			ops, err := q.WriteOps(kind, v)
			if d := cmp.Diff(want, text(ops)); d != "" || err != nil {
				t.Errorf("%s = %s: %v (-want +got):\n%s", tt.path, tt.value, err, d)
			}
		}
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, value, want string }{
		{"/CONFIG_DB", `"x"`, "want an object of tables, not a scalar"},
		{"/CONFIG_DB", `{"PORT":{"Ethernet0":7}}`, "PORT: Ethernet0: want an object of fields, not a scalar"},
		{"/CONFIG_DB/PORT", `{"":{}}`, "an empty name in an object of rows"},
		{"/CONFIG_DB/PORT/Ethernet0", `{"":"x"}`, "an empty name in an object of fields"},
		{"/CONFIG_DB/PORT/Ethernet0", `{"mtu":null}`, "mtu: null is no value"},
		{"/CONFIG_DB/PORT/Ethernet0", `[1]`, "not a list"},
		{"/CONFIG_DB/PORT/Ethernet0/mtu", `{"speed":1}`, "not an object"},
		{"/CONFIG_DB/PORT/Ethernet0/l", `["a,b"]`, `"a,b" of a list has a comma`},
		{"/CONFIG_DB/PORT/*", `{}`, "wildcards"},
	}
	for _, tt := range tests {
		_, err := query(t, tt.path).WriteOps(configdb.Update, node(t, tt.value))
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s = %s: %v, want %q", tt.path, tt.value, err, tt.want)
		}
	}
	if err := query(t, "/STATE_DB/X").CheckWritable(); status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
}

// A path that ends with "..." means all of what is above it to those who read. Who
// writes it may have meant a row.
func TestSetTakesNoRest(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"/CONFIG_DB/...", "/CONFIG_DB/PORT/...", "/CONFIG_DB/PORT/Ethernet0/...", "/CONFIG_DB/PORT/*/..."} {
		if err := query(t, p).CheckWritable(); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// The key of a row may look like a wildcard: whoever names that row loses no other.
func TestDeleteOfOddKeys(t *testing.T) {
	t.Parallel()
	dbs := content()
	for _, key := range []string{"*", "Ethernet*"} {
		dbs.Put("CONFIG_DB", "PORT|"+key, map[string]string{"mtu": "1", "speed": "2"})
	}
	for p, want := range map[string][]string{
		"/CONFIG_DB/PORT/*":             {"delete PORT|*"},
		"/CONFIG_DB/PORT/Ethernet*":     {"delete PORT|Ethernet*"},
		"/CONFIG_DB/PORT/Ethernet*/mtu": {"delete PORT|Ethernet*.mtu"},
		"/CONFIG_DB/PORT/*0":            {"delete PORT|Ethernet0"},
	} {
		ops, err := query(t, p).DeleteOps(t.Context(), dbs)
		if d := cmp.Diff(want, text(ops)); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", p, err, d)
		}
	}
}

func TestDeleteOps(t *testing.T) {
	t.Parallel()
	dbs := content()
	tests := []struct {
		path string
		want []string
	}{
		{"/CONFIG_DB", []string{"delete |"}},
		{"/CONFIG_DB/*", []string{"delete |"}},
		{"/CONFIG_DB/*/*/*", []string{"delete |"}},
		{"/CONFIG_DB/PORT", []string{"delete PORT|"}},
		{"/CONFIG_DB/PORT/*", []string{"delete PORT|"}},
		{"/CONFIG_DB/PORT/Ethernet8", []string{"delete PORT|Ethernet8"}},
		{"/CONFIG_DB/PORT/Ethernet0/*", []string{"delete PORT|Ethernet0"}},
		{"/CONFIG_DB/PORT/Ethernet0/mtu", []string{"delete PORT|Ethernet0.mtu"}},
		{"/CONFIG_DB/PORT/*0", []string{"delete PORT|Ethernet0"}},
		{"/CONFIG_DB/PORT/*/speed", []string{"delete PORT|Ethernet0.speed", "delete PORT|Ethernet4.speed"}},
		{"/CONFIG_DB/P*", []string{"delete PORT|", "delete PORT_QOS_MAP|"}},
		{"/CONFIG_DB/*/Ethernet0", []string{"delete LISTS|Ethernet0 passes", "delete PORT|Ethernet0", "delete PORT_QOS_MAP|Ethernet0"}},
		{"/CONFIG_DB/*/*0/x*", nil},
		{"/CONFIG_DB/*/Ethernet*/profile_list", []string{"delete LISTS|Ethernet0.profile_list@ passes"}},
		{"/CONFIG_DB/LIST*", []string{"delete LISTS| passes"}}, // of another program, and not named
		{"/CONFIG_DB/LISTS/*0", []string{"delete LISTS|Ethernet0"}},
		{"/CONFIG_DB/NO*", nil},
	}
	for _, tt := range tests {
		ops, err := query(t, tt.path).DeleteOps(t.Context(), dbs)
		if d := cmp.Diff(tt.want, text(ops)); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.path, err, d)
		}
	}
}

func FuzzWriteOps(f *testing.F) {
	f.Add("sonic-db:/CONFIG_DB/PORT", []byte(`{"Ethernet0":{"mtu":9100}}`))
	f.Add("/CONFIG_DB", []byte(`{"A":{"b":{"c":[1,2]}}}`))
	f.Fuzz(func(t *testing.T, at string, doc []byte) {
		v, err := value.Decode(&gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: doc}})
		if err != nil {
			return
		}
		all, err := translate.Parse(nil, parsed(at))
		if err != nil {
			return
		}
		for _, q := range all {
			ops, err := q.WriteOps(configdb.Replace, v)
			if err != nil && status.Code(err) != codes.InvalidArgument {
				t.Fatalf("%s = %s: %v", at, doc, err)
			}
			if _, err := configdb.Apply(configdb.RawRows{}, ops); err != nil {
				t.Logf("refused: %v", err) // by the next layer, which is its right
			}
		}
	})
}

// parsed is the root for what is no path.
func parsed(text string) *gpb.Path {
	p, err := path.Parse(text)
	if err != nil {
		return nil
	}
	return p
}
