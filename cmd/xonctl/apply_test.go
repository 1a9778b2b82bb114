package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/gnmi/translate"
	"xon/schema/configdb"
)

// TestApplyLeavesOut: what of a file is no row does not keep the rest from being applied,
// is printed, and the exit status says whether it was refused.
func TestApplyLeavesOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		said     string
		ops      []configdb.Op
	}{
		{
			name: "names that are no tables", in: `{"platform": "x", "onie": {"a": {}}, "VLAN": {"Vlan20": {"vlanid": 20}}}`,
			said: "applied: 1 row, revision 1\nconfiguration: 1 row added, 0 changed, 0 removed\nstderr:\n" +
				`warning: 1:11: table "platform" is no table and left out, as SONiC does: the name does not begin with a capital letter` + "\n" +
				`warning: 1:24: table "onie" is no table and left out, as SONiC does: the name does not begin with a capital letter` + "\n",
			ops: []configdb.Op{{Kind: configdb.Update, Table: "VLAN", Key: "Vlan20", Fields: configdb.Fields{"vlanid": "20"}}},
		},
		{
			name: "an empty key and a null", in: `{"VLAN": {"Vlan20": {"vlanid": 20, "mtu": null, "members": []}, "": {"vlanid": 1}}}`, code: 1,
			said: "applied: 1 row, revision 1\nconfiguration: 1 row added, 0 changed, 0 removed\nstderr:\n" +
				`refused: VLAN|Vlan20: field "mtu": null is no value; want a string or a list of strings (line 1, column 46)` + "\n" +
				`refused: VLAN|: the row's key is empty` + "\n",
			ops: []configdb.Op{
				{Kind: configdb.Delete, Table: "VLAN", Key: "Vlan20", Field: "members"},
				{Kind: configdb.Update, Table: "VLAN", Key: "Vlan20", Fields: configdb.Fields{"vlanid": "20"}},
			},
		},
		{
			name: "several ASICs", in: `{"localhost": {}, "asic0": {"VLAN": {"Vlan20": {}}}}`, code: 1,
			said: "stderr:\nxonctl: standard input:1:1: the file is for several ASICs; say which part to take with --asic: localhost or asic0\n",
		},
		{
			name: "one of several", in: `{"localhost": {}, "asic0": {"VLAN": {"Vlan20": {}}}}`, args: []string{"--asic", "asic0"},
			said: "applied: 1 row, revision 1\nconfiguration: 1 row added, 0 changed, 0 removed\n",
			ops:  []configdb.Op{{Kind: configdb.Update, Table: "VLAN", Key: "Vlan20", Fields: configdb.Fields{}}},
		},
		{
			name: "nothing left", in: `{"platform": "x"}`, code: 1,
			said: "stderr:\n" + `warning: 1:11: table "platform" is no table and left out, as SONiC does: the name does not begin with a capital letter` + "\n" +
				"xonctl: - has no rows; to empty the switch delete its tables by name\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			code, said := r.xonctl(t, tt.in, append([]string{"apply", "-"}, tt.args...)...)
			if diff := cmp.Diff(tt.said, said); code != tt.code || diff != "" {
				t.Errorf("code %d, want %d (-want +got):\n%s", code, tt.code, diff)
			}
			if diff := cmp.Diff(tt.ops, r.tr.Ops()); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReplaceKeepsWhatIsRefused: a part of a file of which no row can be made does not take
// away what is stored in its place.
func TestReplaceKeepsWhatIsRefused(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"T": {"a": null, "b": {"x": "1"}}}`:         "a f=1 l@=3,4;b x=1",
		`{"T": {"a": {"f": null, "x": "1"}}}`:         "a f=1 x=1",
		`{"T": {"a": {"l": null, "x": "1"}}}`:         "a l@=3,4 x=1",
		`{"T": {"a": {"x": {"y": 1}, "f": "2"}}}`:     "a f=2",
		`{"T": {"c": 5, "b": {"x": "1"}}}`:            "b x=1",
		`{"T": null, "U": {"b": {"x": "1"}}}`:         "a f=1 l@=3,4;o f=1;b x=1",
		`{"T": {"a": [], "a2": {}, "o": {"f": "2"}}}`: "a f=1 l@=3,4;a2;o f=2",
	} {
		r := start(t)
		r.dbs.PutAll("CONFIG_DB", map[string]translate.Fields{"T|a": {"f": "1", "l@": "3,4"}, "T|o": {"f": "1"}})
		if code, said := r.xonctl(t, in, "apply", "--replace", "-"); code != 1 || !strings.Contains(said, "refused: T") {
			t.Errorf("%s: %d\n%s", in, code, said)
		}
		var got []string
		for _, op := range r.tr.Ops() {
			if op.Kind == configdb.Replace {
				words := []string{op.Key}
				for _, name := range slices.Sorted(maps.Keys(op.Fields)) {
					words = append(words, name+"="+op.Fields[name])
				}
				got = append(got, strings.Join(words, " "))
			}
		}
		if s := strings.Join(got, ";"); s != want {
			t.Errorf("%s: %s, want %s", in, s, want)
		}
	}
}

// TestApplyCompletesPorts: PORT rows without lanes get those of a port_config.ini.
func TestApplyCompletesPorts(t *testing.T) {
	t.Parallel()
	r := start(t)
	file := filepath.Join(t.TempDir(), "port_config.ini")
	if err := os.WriteFile(file, []byte("# name lanes alias speed\nEthernet8 9,10 etp3 100000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, said := r.xonctl(t, `{"PORT": {"Ethernet8": {"alias": "x"}, "Ethernet12": {"mtu": "1"}}}`, "apply", "-", "--port-config", file)
	if code != 0 || !strings.Contains(said, "warning: PORT|Ethernet12 gets no lanes: "+file+": does not have the port\n") {
		t.Errorf("%d %s", code, said)
	}
	want := []configdb.Op{
		{Kind: configdb.Update, Table: "PORT", Key: "Ethernet12", Fields: configdb.Fields{"mtu": "1"}},
		{Kind: configdb.Update, Table: "PORT", Key: "Ethernet8", Fields: configdb.Fields{"alias": "x", "lanes": "9,10", "speed": "100000"}},
	}
	if diff := cmp.Diff(want, r.tr.Ops()); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// TestOddKeys: a key is the row that it names, whatever gNMI's paths make of its letters.
func TestOddKeys(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, key := range []string{"a~1b", "a/b", "~0", "~01", "~", "x|y|z", "a b\"é[k=v]", `a\b`, "a=b"} {
		if code, said := r.xonctl(t, "", "set", "ACL_RULE|"+key, "x=1"); code != 0 || r.tr.Ops()[0].Key != key {
			t.Errorf("set %s: %d %s%v", key, code, said, r.tr.Ops())
		}
		if code, said := r.xonctl(t, "", "get", "ACL_RULE|"+key); code != 0 {
			t.Errorf("get %s: %d %s", key, code, said)
		}
		if code, said := r.xonctl(t, "", "delete", "ACL_RULE|"+key); code != 0 || r.tr.Ops()[0].Key != key {
			t.Errorf("delete %s: %d %s%v", key, code, said, r.tr.Ops())
		}
	}
}

// TestApplyLeavesOutBadValues: rows with bad values are refused alone, and what is stored of
// them stays, with --replace too. If no other rows are left the file is refused.
func TestApplyLeavesOutBadValues(t *testing.T) {
	t.Parallel()
	const bad = `refused: T|bad: field "x": "no" is not a number` + "\n"
	for _, tt := range []struct {
		in   string
		args []string
		code int
		said string
		rows string
	}{
		{`{"T": {"bad": {"x": "no"}, "a": {"x": "1"}}}`, nil, 1, "applied: 1 row, revision 1\nconfiguration: 1 row added, 0 changed, 0 removed\nstderr:\n" + bad, "T|a x=1;T|bad f=1"},
		{`{"T": {"bad": {"x": "no"}, "a": {"x": "1"}}}`, []string{"--replace"}, 1, "applied: 1 row, revision 1\nconfiguration: 1 row added, 0 changed, 13 removed\nstderr:\n" + bad, "T|a x=1;T|bad f=1"},
		{`{"T": {"bad": {"x": "no"}}}`, nil, 1, "stderr:\nrefused, nothing was changed: 1 fault\nROW    FIELD  MESSAGE\nT|bad  x      \"no\" is not a number\n", "T|bad f=1"},
	} {
		r := start(t)
		r.dbs.PutAll("CONFIG_DB", map[string]translate.Fields{"T|bad": {"f": "1"}})
		r.tr.Refuse = func(ops []configdb.Op) error {
			for _, op := range ops {
				if op.Fields["x"] == "no" {
					return configdb.Faults{{Kind: configdb.Invalid, Row: op.Row(), Field: "x", Err: errors.New(`"no" is not a number`)}}
				}
			}
			return nil
		}
		code, said := r.xonctl(t, tt.in, append([]string{"apply", "-"}, tt.args...)...)
		if diff := cmp.Diff(tt.said, said); code != tt.code || diff != "" {
			t.Errorf("%s %v: code %d (-want +got):\n%s", tt.in, tt.args, code, diff)
		}
		var got []string
		rows, err := r.dbs.Scan(t.Context(), "CONFIG_DB", "T")
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			for name, text := range rows[key] {
				got = append(got, key+" "+name+"="+text)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		_, said = r.xonctl(t, tt.in, append([]string{"apply", "-", "--json"}, tt.args...)...)
		if !strings.Contains(said, `"field \"x\": \"no\" is not a number"`) && !strings.Contains(said, `"message": "\"no\" is not a number"`) {
			t.Errorf("%s %v: as JSON: %s", tt.in, tt.args, said)
		}
		if s := strings.Join(got, ";"); s != tt.rows {
			t.Errorf("%s %v: rows %s, want %s", tt.in, tt.args, s, tt.rows)
		}
	}
}
