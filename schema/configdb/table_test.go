package configdb_test

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"xon/schema/configdb"
)

// keyOf returns a good key of a table.
func keyOf(t *configdb.Table) configdb.RowKey {
	switch {
	case !strings.Contains(t.Key, "<"): // the only one
		return configdb.Key(t.Name, t.Key)
	case strings.Contains(t.Key, "<index>"):
		return configdb.Key(t.Name, "Ethernet0,Ethernet4|3-4")
	case formKeys[t.Key] != "":
		return configdb.Key(t.Name, formKeys[t.Key])
	default:
		return configdb.Key(t.Name, "Ethernet0")
	}
}

// formKeys are good keys of forms that only some tables have.
var formKeys = map[string]string{
	"<vlan>": "Vlan100", "<vlan>|<port>": "Vlan100|Ethernet0", "<vlan> or <vlan>|<address>/<length>": "Vlan100",
	"<loopback> or <loopback>|<address>/<length>": "Loopback0", "<interface>|<address>": "Ethernet0|10.0.0.1", "<prefix> or <vrf>|<prefix>": "10.0.0.0/8",
}

// plainly compares rows, whose addresses have no fields to look at.
var plainly = cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{})

// nameOf returns a good stored name of a field.
func nameOf(f *configdb.Field) string {
	switch {
	case f.Name == "<port>":
		return "Ethernet0"
	case strings.HasPrefix(f.Name, "<"):
		return "0"
	}
	return f.Stored()
}

// needs returns the fewest fields of a good row of a table.
func needs(t *configdb.Table) fields {
	f := fields{}
	for i := range t.Fields {
		if t.Fields[i].Required {
			f[nameOf(&t.Fields[i])] = t.Fields[i].Example
		}
	}
	if t.Name == "BUFFER_PROFILE" { // needed unless another field says otherwise
		f["size"] = "0"
	}
	if strings.HasSuffix(t.Name, "_MAP") && t.Name != "PORT_QOS_MAP" || t.Name == "MAP_PFC_PRIORITY_TO_QUEUE" { // one entry at least
		f["0"] = "3"
	}
	if t.Name == "STATIC_ROUTE" { // this or another way to go
		f["nexthop"] = "10.0.0.1"
	}
	return f
}

func TestTables(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, table := range configdb.Tables() {
		if found, ok := configdb.Lookup(table.Name); !ok || found != table || seen[table.Name] {
			t.Errorf("Lookup(%s) = %v, %v", table.Name, found, ok)
		}
		seen[table.Name] = true
		if table.Doc == "" || table.Key == "" || table.Source == "" || len(table.Fields) == 0 {
			t.Errorf("%s is not described", table.Name)
		}
	}
	if _, ok := configdb.Lookup("PORTCHANNEL"); ok {
		t.Error("PORTCHANNEL is not xon's")
	}
}

// TestFieldsAreAccepted checks that each table takes the fields that it describes
// and no others, under the names described.
func TestFieldsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, table := range configdb.Tables() {
		for i := range table.Fields {
			checkField(t, table, &table.Fields[i])
		}
		if _, isMap := needs(table)["0"]; isMap {
			continue // refused as a whole: see TestMapsAreRefusedAsAWhole
		}
		row := needs(table)
		row["XON no such field"], row["XON no such list@"] = "1", "1"
		_, unknown, err := configdb.Parse(keyOf(table), row)
		if err != nil || !slices.Equal(unknown, []string{"XON no such field", "XON no such list@"}) {
			t.Errorf("%s: unknown = %q, err = %v", table.Name, unknown, err)
		}
		if _, ok := table.Field("XON no such field"); ok {
			t.Errorf("%s describes a field that is not there", table.Name)
		}
	}
}

func checkField(t *testing.T, table *configdb.Table, f *configdb.Field) {
	t.Helper()
	name := nameOf(f)
	if f.Doc == "" || f.Example == "" || f.Type == "" {
		t.Errorf("%s.%s is not described", table.Name, f.Name)
	}
	if found, ok := table.Field(name); !ok || found.Name != f.Name {
		t.Errorf("%s.Field(%s) = %q, %v", table.Name, name, found.Name, ok)
	}
	accepts := func(name, value string) bool {
		row := needs(table)
		delete(row, strings.TrimSuffix(name, "@"))
		row[name] = value
		_, unknown, err := configdb.Parse(keyOf(table), row)
		if err != nil && len(unknown) == 0 {
			t.Logf("%v", err)
		}
		return err == nil && len(unknown) == 0
	}
	if !accepts(name, f.Example) {
		t.Errorf("%s: the example %s=%s is not accepted", table.Name, name, f.Example)
	}
	if f.Default != "" && !accepts(name, f.Default) {
		t.Errorf("%s: the default %s=%s is not accepted", table.Name, name, f.Default)
	}
	for _, v := range f.Values {
		if !accepts(name, v) {
			t.Errorf("%s: %s=%s is not accepted", table.Name, name, v)
		}
	}
	plain := strings.TrimSuffix(name, "@")
	if got := accepts(plain+"@", f.Example); got != f.List {
		t.Errorf("%s: %s@ is accepted: %v, a list: %v", table.Name, plain, got, f.List)
	}
}

// TestRanges checks that the ranges described are those enforced.
func TestRanges(t *testing.T) {
	t.Parallel()
	for _, table := range configdb.Tables() {
		for i := range table.Fields {
			f := &table.Fields[i]
			var lo, hi string
			if n, _ := fmt.Sscanf(f.Range, "%s to %s", &lo, &hi); f.Type != configdb.Integer || n != 2 || f.Name == "vlanid" { // which the key tells
				continue
			}
			for _, v := range []string{lo, hi, " " + hi, hi + "\n"} {
				if err := parseWith(table, f, v); err != nil {
					t.Errorf("%s.%s: %s is within %s, but %v", table.Name, f.Name, v, f.Range, err)
				}
			}
			for _, v := range []string{"-9", hi + "0", "99999999999999999999999", "", "+" + hi + "0", "0x1", "1 2"} {
				if err := parseWith(table, f, v); err == nil && (!f.List || v != "") {
					t.Errorf("%s.%s: %q is accepted, want %s", table.Name, f.Name, v, f.Range)
				}
			}
		}
	}
}

func parseWith(table *configdb.Table, f *configdb.Field, value string) error {
	row := needs(table)
	row[nameOf(f)] = value
	_, _, err := configdb.Parse(keyOf(table), row)
	return err
}

// TestDefaultsAreWhatAbsenceMeans compares a row with all defaults spelled out with
// one that has none of them.
func TestDefaultsAreWhatAbsenceMeans(t *testing.T) {
	t.Parallel()
	for _, table := range configdb.Tables() {
		short, long := needs(table), needs(table)
		for i := range table.Fields {
			if f := &table.Fields[i]; f.Default != "" {
				long[nameOf(f)] = f.Default
			}
		}
		a, _, errA := configdb.Parse(keyOf(table), short)
		b, _, errB := configdb.Parse(keyOf(table), long)
		if diff := cmp.Diff(a, b, plainly, cmp.FilterPath(isPresence, cmp.Ignore())); diff != "" || errA != nil || errB != nil {
			t.Errorf("%s: %v, %v\n%s", table.Name, errA, errB, diff)
		}
	}
}

// isPresence reports whether a row says by something that a field is there: that is shown
// in ASIC_DB, and means nothing else.
func isPresence(p cmp.Path) bool { return strings.HasPrefix(p.Last().String(), ".Has") }

// drawValue makes a value that a field should take, most of the time.
func drawValue(t *rapid.T, f *configdb.Field) string {
	var one *rapid.Generator[string]
	switch f.Type {
	case configdb.Integer:
		one = rapid.OneOf(rapid.StringMatching(`[0-9]`), rapid.StringMatching(`-?[0-9]{1,6}`), rapid.Just(f.Example))
	case configdb.Choice, configdb.Boolean:
		one = rapid.SampledFrom(f.Values)
	case configdb.Length:
		one = rapid.StringMatching(`[0-9]{1,5}m`)
	case configdb.Reference:
		one = rapid.StringMatching(`[a-z]{1,3}|NULL`)
	case configdb.MAC:
		one = rapid.Just(f.Example)
	default:
		one = rapid.String()
	}
	if !f.List {
		return one.Draw(t, f.Name)
	}
	return strings.Join(rapid.SliceOfN(one, 0, 4).Draw(t, f.Name), ",")
}

func drawRow(t *rapid.T) (configdb.RowKey, fields) {
	table := rapid.SampledFrom(configdb.Tables()).Draw(t, "table")
	row := fields{}
	for i := range table.Fields {
		f := &table.Fields[i]
		switch {
		case f.Name == "<port>":
			for _, port := range rapid.SliceOfN(rapid.StringMatching(`Ethernet[0-9]`), 0, 3).Draw(t, "ports") {
				row[port] = drawValue(t, f)
			}
		case strings.HasPrefix(f.Name, "<"):
			for _, n := range rapid.SliceOfN(rapid.StringMatching(`[0-7]`), 0, 8).Draw(t, "codes") {
				row[n] = drawValue(t, f)
			}
		case f.Required || rapid.Bool().Draw(t, "there"):
			row[f.Stored()] = drawValue(t, f)
		}
	}
	return keyOf(table), row
}

// TestParseFormat checks that a row means the same after being written and read.
func TestParseFormat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key, f := drawRow(t)
		before := maps.Clone(f)
		row, _, err := configdb.Parse(key, f)
		if !maps.Equal(before, f) {
			t.Fatalf("Parse changed its input")
		}
		if err != nil {
			var faults configdb.Faults
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("err = %v", err)
			}
			t.Skip("a bad row") // another is drawn; it fails if too many are bad
		}
		checkRoundTrip(t, row)
	})
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, row configdb.Row) {
	text := configdb.Format(row)
	again, unknown, err := configdb.Parse(row.RowKey(), text)
	if err != nil || len(unknown) > 0 {
		t.Fatalf("%s: %q does not parse: %v, unknown %q", row.RowKey(), text, err, unknown)
	}
	if diff := cmp.Diff(row, again, plainly); diff != "" {
		t.Fatalf("%s after format and parse:\n%s", row.RowKey(), diff)
	}
	if diff := cmp.Diff(text, configdb.Format(again)); diff != "" {
		t.Fatalf("%s is formatted differently:\n%s", row.RowKey(), diff)
	}
}

func TestDefaultEntries(t *testing.T) {
	t.Parallel()
	for kind := range configdb.NumMapKinds {
		entries := configdb.DefaultEntries(kind)
		if want := kind == configdb.DOT1PToTC || kind == configdb.TCToQueue; (len(entries) == 8) != want {
			t.Errorf("kind %d: %v", kind, entries)
		}
		for n, e := range entries {
			if int(e.From) != n || e.To != e.From {
				t.Errorf("kind %d: entry %d = %v", kind, n, e)
			}
		}
	}
}
