package configdb_test

import (
	"slices"
	"testing"

	"xon/schema/configdb"
)

func parse(t *testing.T, key configdb.RowKey, f fields) configdb.Row {
	t.Helper()
	row, _, err := configdb.Parse(key, f)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func keys(c *configdb.Config) []configdb.RowKey {
	var list []configdb.RowKey
	for row := range c.All() {
		list = append(list, row.RowKey())
	}
	return list
}

func TestConfigHoldsEveryTable(t *testing.T) {
	t.Parallel()
	edit := new(configdb.Config).Edit()
	var want []configdb.RowKey
	for _, table := range configdb.Tables() {
		row := parse(t, keyOf(table), needs(table))
		edit.Put(row)
		want = append(want, row.RowKey())
		if edit.Get(row.RowKey()) != row {
			t.Errorf("%s is not there after Put", row.RowKey())
		}
	}
	c := edit.Config()
	if got := keys(c); !slices.Equal(got, want) {
		t.Errorf("rows = %q\nwant   %q", got, want)
	}
	for _, key := range want {
		if row := c.Get(key); row == nil || row.RowKey() != key {
			t.Errorf("Get(%s) = %v", key, row)
		}
		edit.Remove(key)
	}
	if left := keys(edit.Config()); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if len(keys(c)) != len(want) {
		t.Error("a result was changed by what the editor did later")
	}
}

func TestEditLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	a := parse(t, "SCHEDULER|a", fields{"weight": "1"})
	first := new(configdb.Config).With(a, parse(t, "QUEUE|Ethernet10|3", fields{}), parse(t, "QUEUE|Ethernet2|3", fields{}))
	if want := []configdb.RowKey{"SCHEDULER|a", "QUEUE|Ethernet2|3", "QUEUE|Ethernet10|3"}; !slices.Equal(keys(first), want) {
		t.Errorf("rows = %q, want %q", keys(first), want)
	}

	edit := first.Edit()
	edit.Remove("SCHEDULER|a")
	edit.Remove("SCHEDULER|never there")
	edit.Remove("PORTCHANNEL|PortChannel1")
	edit.Put(parse(t, "QUEUE|Ethernet2|3", fields{"scheduler": "b"}))
	second := edit.Config()
	if first.Get("SCHEDULER|a") != a || second.Get("SCHEDULER|a") != nil {
		t.Error("Remove changed the original, or nothing")
	}
	if first.Queues["Ethernet2|3"].Scheduler != "" || second.Queues["Ethernet2|3"].Scheduler != "b" {
		t.Error("Put changed the original, or nothing")
	}
	edit.Put(a)
	if second.Get("SCHEDULER|a") != nil {
		t.Error("an editor changed a result that it had given away")
	}
	if first.Get("PORTCHANNEL|PortChannel1") != nil {
		t.Error("a row of an unknown table is there")
	}
	for range first.All() {
		break // All can be left early
	}
}

// TestEditSharesTables checks that tables that were not touched are not copied.
func TestEditSharesTables(t *testing.T) {
	t.Parallel()
	c := new(configdb.Config).With(parse(t, "SCHEDULER|a", fields{}), parse(t, "QUEUE|Ethernet0|3", fields{}))
	edit := c.Edit()
	edit.Remove("SCHEDULER|b")
	edit.Put(parse(t, "QUEUE|Ethernet0|4", fields{}))
	next := edit.Config()
	next.Schedulers["mark"] = nil // seen through both, if they share the map
	if _, shared := c.Schedulers["mark"]; !shared {
		t.Error("an untouched table was copied")
	}
	if len(c.Queues) != 1 || len(next.Queues) != 2 {
		t.Errorf("%d and %d queues", len(c.Queues), len(next.Queues))
	}
}

func TestPutOfABadIDPanics(t *testing.T) {
	t.Parallel()
	for _, row := range []configdb.Row{&configdb.Port{}, &configdb.Port{ID: "VLAN|x"}, &configdb.Port{ID: "QUEUE|x|1"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Put(%q) went through", row.RowKey())
				}
			}()
			new(configdb.Config).Edit().Put(row)
		}()
	}
}
