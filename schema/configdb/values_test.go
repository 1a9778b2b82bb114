package configdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

// TestMapsAreRefusedAsAWhole checks, for every table of maps, that a slip in one entry
// refuses the row: to go without that entry would take packets out of their class.
func TestMapsAreRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, table := range configdb.MapTables {
		for _, slip := range []fields{
			{"three": "3"},
			{"3": "three"},
			{"": "3"},
			{"3": ""},
			{"-1": "3"},
			{"3": "-1"},
			{"64": "3"},
			{"3": "256"},
			{"3 4": "3"},
			{"3": "0x3"},
			{"3": "3 4"},
			{"3.0": "3"},
			{"3@": "3"},
			{"description": "x"},
			{"4": "4", "04": "4"},
			{"4": "4", " 4": "4"},
		} {
			row := fields{"0": "0", "1": "1"}
			for name, value := range slip {
				row[name] = value
			}
			if got, unknown, err := configdb.Parse(configdb.Key(table, "AZURE"), row); err == nil || len(unknown) > 0 {
				t.Errorf("%s with %v: %v, unknown %q", table, slip, got, unknown)
			}
		}
	}
}

// TestMapsWithoutEntries checks that Redis' placeholder makes no empty map, but where
// an empty one has a meaning.
func TestMapsWithoutEntries(t *testing.T) {
	t.Parallel()
	for kind, table := range configdb.MapTables {
		_, _, err := configdb.Parse(configdb.Key(table, "AZURE"), fields{"NULL": "NULL"})
		if defaults := configdb.DefaultEntries(configdb.MapKind(kind)) != nil; defaults != (err == nil) {
			t.Errorf("%s: %v", table, err)
		}
		if _, _, err := configdb.Parse(configdb.Key(table, "AZURE"), fields{"NULL": "NULL", "3": "3"}); err != nil {
			t.Errorf("%s with one entry: %v", table, err)
		}
	}
}

// TestNumbers checks which spellings of a number are read as SONiC's daemons read them,
// and that none is guessed at.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"166912": "166912", " 166912": "166912", "166912 ": "166912", "\t\n\v\f\r166912\r\n": "166912", "+166912": "166912", " +166912": "166912", "0166912": "166912",
		"": "", " ": "", "+": "", "-": "", "++1": "", "+-1": "", "1 2": "", "1,2": "", "0x10": "", "1e3": "", "10.0": "", "\u00a01": "", "1\x00": "", "1k": "", "+ 1": "",
	} {
		row, _, err := configdb.Parse("WRED_PROFILE|w", fields{"green_min_threshold": text})
		if (err == nil) != (want != "") {
			t.Errorf("%q: %v", text, err)
		} else if err == nil && configdb.Format(row)["green_min_threshold"] != want {
			t.Errorf("%q is read as %v", text, configdb.Format(row))
		}
	}
	for text, good := range map[string]bool{" -3": true, "-3 ": true, "+3": true, "--3": false, "- 3": false, "": false} {
		_, _, err := configdb.Parse("BUFFER_PROFILE|p", fields{"pool": "x", "size": "0", "dynamic_th": text})
		if good != (err == nil) {
			t.Errorf("dynamic_th %q: %v", text, err)
		}
	}
}

// TestLists checks that white space between the entries of a list is none of them.
func TestLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key  configdb.RowKey
		f    fields
		want fields
	}{
		{"PORT_QOS_MAP|Ethernet0", fields{"pfc_enable": "3, 4"}, fields{"pfc_enable": "3,4"}},
		{"PORT_QOS_MAP|Ethernet0", fields{"pfc_enable": " "}, fields{"pfc_enable": ""}},
		{"PORT|Ethernet0", fields{"lanes": " 1 ,2,\t3, 4 ", "adv_speeds@": "40000, 100000"}, fields{"lanes": "1,2,3,4", "adv_speeds@": "40000,100000"}},
		{"SWITCH_HASH|GLOBAL", fields{"ecmp_hash@": "DST_IP, SRC_IP"}, fields{"ecmp_hash@": "DST_IP,SRC_IP"}},
		{"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0", fields{"profile_list@": "a, b"}, fields{"profile_list@": "a,b"}},
		{"CABLE_LENGTH|AZURE", fields{"Ethernet0": " 5m"}, fields{"Ethernet0": "5m"}},
	} {
		row, _, err := configdb.Parse(tt.key, tt.f)
		if err != nil {
			t.Errorf("%s %v: %v", tt.key, tt.f, err)
		} else if diff := cmp.Diff(tt.want, configdb.Format(row)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.key, diff)
		}
	}
}

// TestKeysHaveOneSpelling checks that what is lenient in values is not so in keys: two
// rows would mean the same.
func TestKeysHaveOneSpelling(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"Ethernet0| 3", "Ethernet0|+3", "Ethernet0|3 ", "Ethernet0|3- 4", "Ethernet0, Ethernet4|3", " Ethernet0|3"} {
		if row, _, err := configdb.Parse(configdb.Key("QUEUE", key), fields{"scheduler": "s"}); err == nil {
			t.Errorf("%q is read as %v", key, row)
		}
	}
}

// titles are names without a pattern in YANG, of rows that others may refer to.
var titles = []string{"TEST@0", "a b", "@", "-x", ".", "#1", "größe", "a,b", "a[0]", "x|", "100%", `q"uote`, "*", "NULL0", "[a", "(x)", "a~1", "~", strings.Repeat("x", 255)}

func TestNamesWithoutPattern(t *testing.T) {
	t.Parallel()
	for _, name := range titles {
		good := !strings.ContainsAny(name, "|~")
		for _, table := range []string{"SCHEDULER", "WRED_PROFILE", "BUFFER_POOL", "BUFFER_PROFILE", "CABLE_LENGTH", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN", "DSCP_TO_TC_MAP"} {
			tab, _ := configdb.Lookup(table)
			if _, _, err := configdb.Parse(configdb.Key(table, name), needs(tab)); good != (err == nil) {
				t.Errorf("%s|%s: %v", table, name, err)
			}
		}
		row, _, err := configdb.Parse("QUEUE|Ethernet0|0", fields{"scheduler": name})
		if good != (err == nil) {
			t.Errorf("a reference to %s: %v", name, err)
		} else if good && configdb.References(row)[1] != configdb.Key("SCHEDULER", name) {
			t.Errorf("%s refers to %v", name, configdb.References(row))
		}
	}
	for _, name := range []string{"", " a", "a ", "a\n", "a\x00b", "\u202ea", "[SCHEDULER|x]", "[x]", strings.Repeat("x", 256)} {
		if _, _, err := configdb.Parse(configdb.Key("SCHEDULER", name), fields{}); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
}

// TestOldReferences checks every field that is a reference: "[TABLE|name]" is the name,
// and a warning.
func TestOldReferences(t *testing.T) {
	t.Parallel()
	n := 0
	for _, table := range configdb.Tables() {
		for _, f := range table.Fields {
			if f.Type != configdb.Reference {
				continue
			}
			n++
			plain, old := needs(table), needs(table)
			plain[f.Stored()], old[f.Stored()] = "x", fmt.Sprintf("[%s|x]", f.Refers)
			checkOld(t, table, f.Stored(), plain, old, "x")
			if f.List {
				plain[f.Stored()], old[f.Stored()] = "x,y,z", fmt.Sprintf("[%[1]s|x], y,[%[1]s|z]", f.Refers)
				checkOld(t, table, f.Stored(), plain, old, "x,y,z")
			}
			for _, bad := range []string{"[x]", "[ALIEN|x]", "[" + f.Refers + "|]", "[" + f.Refers + "|a|b]", "[" + f.Refers + "|NULL]"} {
				row := needs(table)
				row[f.Stored()] = bad
				if got, _, err := configdb.Parse(keyOf(table), row); err == nil {
					t.Errorf("%s.%s=%s is read as %v", table.Name, f.Name, bad, got)
				}
			}
		}
	}
	if n < 18 {
		t.Errorf("only %d fields are references", n)
	}
}

func checkOld(t *testing.T, table *configdb.Table, field string, plain, old fields, read string) {
	t.Helper()
	want, _, err := configdb.Parse(keyOf(table), plain)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := configdb.Parse(keyOf(table), old)
	if err != nil {
		t.Errorf("%s: %v", table.Name, err)
		return
	}
	if diff := cmp.Diff(configdb.Format(want), configdb.Format(got)); diff != "" {
		t.Errorf("%s.%s (-want +got):\n%s", table.Name, field, diff)
	}
	note := fmt.Sprintf("field %q: %q is a reference in the old notation, which SONiC refuses since 2021; it is read as %s", field, old[field], read)
	if diff := cmp.Diff([]string{note}, configdb.OldReferences(keyOf(table), old)); diff != "" {
		t.Errorf("notes of %s.%s (-want +got):\n%s", table.Name, field, diff)
	}
	if diff := cmp.Diff(read, configdb.Plain(got, old)[field]); diff != "" {
		t.Errorf("%s.%s for readers of today (-want +got):\n%s", table.Name, field, diff)
	}
	if notes := configdb.OldReferences(keyOf(table), plain); notes != nil {
		t.Errorf("notes of the plain name: %q", notes)
	}
}

// TestPlain checks that the fields of a row keep their names and what they mean.
func TestPlain(t *testing.T) {
	t.Parallel()
	f := fields{"lanes@": " 1, 2", "speed": " 100000", "mtu": "9100 ", "admin_status": "down", "description": " x ", "colour": " red", "adv_speeds": "40000, 100000"}
	row, _, err := configdb.Parse("PORT|Ethernet0", f)
	if err != nil {
		t.Fatal(err)
	}
	want := fields{"lanes@": "1,2", "speed": "100000", "mtu": "9100 ", "admin_status": "down", "description": " x ", "colour": " red", "adv_speeds": "40000,100000"}
	if diff := cmp.Diff(want, configdb.Plain(row, f)); diff != "" { // the default has no form of its own
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFieldInputs reads the configurations that real switches had, if they are there.
func TestFieldInputs(t *testing.T) {
	t.Parallel()
	for dir, left := range map[string]int{
		"03-wred-leading-space": 0, "06-empty-leaf-list": 0, "07-file-scalar-top": 2, "09-name-with-at": 0, "14-file-empty-key": 0,
	} {
		file, err := configdb.ReadFile(filepath.Join("../../../shared/data/field", dir, "config_db.json"), configdb.FileOptions{})
		if os.IsNotExist(err) {
			continue
		}
		if err != nil || len(file.Refused) != 0 || len(file.Notes) != left {
			t.Errorf("%s: %v, %+v", dir, err, file)
			continue
		}
		for key, f := range file.Rows {
			_, unknown, err := configdb.Parse(key, f)
			if bad := key == "PORT_QOS_MAP|"; bad != (err != nil) || len(unknown) > 0 {
				t.Errorf("%s: %s: %v, unknown %q", dir, key, err, unknown)
			}
		}
	}
}
