package redisdb_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id              redisdb.ID
		name, key, glob string
	}{
		{redisdb.ApplDB, "APPL_DB", "PORT_TABLE:Ethernet0", "PORT_TABLE:*"},
		{redisdb.ASICDB, "ASIC_DB", "PORT_TABLE:Ethernet0", "PORT_TABLE:*"},
		{redisdb.CountersDB, "COUNTERS_DB", "PORT_TABLE:Ethernet0", "PORT_TABLE:*"},
		{redisdb.ConfigDB, "CONFIG_DB", "PORT_TABLE|Ethernet0", "PORT_TABLE|*"},
		{redisdb.StateDB, "STATE_DB", "PORT_TABLE|Ethernet0", "PORT_TABLE|*"},
		{redisdb.ApplStateDB, "APPL_STATE_DB", "PORT_TABLE:Ethernet0", "PORT_TABLE:*"},
		{99, "database 99", "PORT_TABLE:Ethernet0", "PORT_TABLE:*"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.id.String(); got != tt.name {
				t.Errorf("name %q, want %q", got, tt.name)
			}
			if id, ok := redisdb.ByName(tt.name); ok != (tt.id != 99) || ok && id != tt.id {
				t.Errorf("ByName(%q) = %v, %v", tt.name, id, ok)
			}
			if got := tt.id.Key("PORT_TABLE", "Ethernet0"); got != tt.key {
				t.Errorf("key %q, want %q", got, tt.key)
			}
			if table, row := tt.id.Split(tt.key); table != "PORT_TABLE" || row != "Ethernet0" {
				t.Errorf("split into %q and %q", table, row)
			}
			if got := tt.id.Pattern("PORT_TABLE"); got != tt.glob {
				t.Errorf("pattern %q, want %q", got, tt.glob)
			}
		})
	}
	if got := redisdb.ConfigDB.Pattern(`a*b[c]?\`); got != `a\*b\[c\]\?\\|*` {
		t.Errorf("pattern %q", got)
	}
	if got := redisdb.CountersDB.Key("COUNTERS_PORT_NAME_MAP", ""); got != "COUNTERS_PORT_NAME_MAP" {
		t.Errorf("key %q", got)
	}
	if n := len(redisdb.IDs()); n != 21 {
		t.Errorf("%d databases, want 21", n)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ConfigDB)
	write := func(f func(b *redisdb.Batch)) {
		t.Helper()
		var b redisdb.Batch
		f(&b)
		if err := d.Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	want := func(key string, f redisdb.Fields) {
		t.Helper()
		got, err := d.Row(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", key, diff)
		}
	}

	write(func(b *redisdb.Batch) { b.Set("T|a", redisdb.Fields{"x": "1", "y": "2"}); b.Set("T|b", nil) })
	want("T|a", redisdb.Fields{"x": "1", "y": "2"})
	want("T|b", redisdb.Fields{})
	want("T|c", nil)

	write(func(b *redisdb.Batch) { b.Set("T|a", redisdb.Fields{"y": "3"}); b.SetField("T|b", "z", "") })
	want("T|a", redisdb.Fields{"x": "1", "y": "3"})
	want("T|b", redisdb.Fields{"z": ""})

	write(func(b *redisdb.Batch) { b.Replace("T|a", redisdb.Fields{"w": "ü\r\n\x00"}) })
	want("T|a", redisdb.Fields{"w": "ü\r\n\x00"})

	write(func(b *redisdb.Batch) { b.Change("T|a", redisdb.Fields{"w": "ü\r\n\x00"}, redisdb.Fields{}) })
	want("T|a", redisdb.Fields{})
	write(func(b *redisdb.Batch) { b.Change("T|a", redisdb.Fields{}, redisdb.Fields{"v": "1", "u": "2"}) })
	want("T|a", redisdb.Fields{"v": "1", "u": "2"})
	write(func(b *redisdb.Batch) { b.DeleteFields("T|a", "v"); b.DeleteFields("T|b") })
	want("T|a", redisdb.Fields{"u": "2"})
	write(func(b *redisdb.Batch) {
		b.Change("T|a", redisdb.Fields{"u": "2"}, nil)
		b.Delete()
		b.Change("T|q", nil, nil)
	})
	want("T|a", nil)

	n := uint64(1<<64 - 1)
	write(func(b *redisdb.Batch) {
		b.Rows(redisdb.Lasting, redisdb.NameOf("big"))
		b.Row(redisdb.NameOf("T|n"))
		b.Number(&n)
	})
	want("T|n", redisdb.Fields{"big": "18446744073709551615"})
}

// TestStrangers: what is no row must not stop those that are.
func TestStrangers(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ConfigDB)
	var b redisdb.Batch
	b.SetText("CONFIG_DB_INITIALIZED", "1")
	b.Set("PORT|Ethernet0", redisdb.Fields{"lanes": "1"})
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	all, err := d.All(t.Context(), redisdb.Everything)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]redisdb.Fields{"PORT|Ethernet0": {"lanes": "1"}}, all); diff != "" {
		t.Error(diff)
	}
	keys, err := d.Keys(t.Context(), redisdb.Everything)
	if diff := cmp.Diff([]string{"CONFIG_DB_INITIALIZED", "PORT|Ethernet0"}, keys); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for key, want := range map[string]string{"CONFIG_DB_INITIALIZED": "1", "nothing": ""} {
		if got, err := d.Text(t.Context(), key); got != want || err != nil {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	b.Reset()
	b.Set("CONFIG_DB_INITIALIZED", redisdb.Fields{"a": "b"})
	b.Set("PORT|Ethernet4", redisdb.Fields{"lanes": "5"})
	for name, write := range map[string]func() error{
		"pipeline":    func() error { return d.Write(t.Context(), &b) },
		"transaction": func() error { return d.WriteAtomic(t.Context(), &b) },
	} {
		err := write()
		if want := "write CONFIG_DB: HSET CONFIG_DB_INITIALIZED: WRONGTYPE Operation against a key holding the wrong kind of value"; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	if f, err := d.Row(t.Context(), "PORT|Ethernet4"); f["lanes"] != "5" || err != nil {
		t.Errorf("the row behind a refused one: %v, %v", f, err)
	}
}

// TestMany spans several chunks, in writing, scanning and reading.
func TestMany(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ASICDB)
	want := rows(7000)
	var b redisdb.Batch
	for k, f := range want {
		b.Set(k, f)
	}
	b.Set("OTHER:1", redisdb.Fields{"a": "b"})
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	got, err := d.All(t.Context(), redisdb.ASICDB.Pattern("ASIC_STATE"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ConfigDB)
	type rows = map[string]redisdb.Fields
	start := rows{"T|a": {"x": "1", "y": "2"}, "T|b": {}, "T|c": {"z": "3"}}
	tests := []struct {
		name          string
		before, after rows
		conflict      string
		want          rows
	}{
		{"update", rows{"T|a": {"x": "1", "y": "2"}}, rows{"T|a": {"x": "9", "y": "2"}}, "", rows{"T|a": {"x": "9", "y": "2"}, "T|b": {}, "T|c": {"z": "3"}}},
		{"remove a field", rows{"T|a": {"x": "1", "y": "2"}}, rows{"T|a": {"y": "2"}}, "", rows{"T|a": {"y": "2"}, "T|b": {}, "T|c": {"z": "3"}}},
		{"remove all fields", rows{"T|c": {"z": "3"}}, rows{"T|c": {}}, "", rows{"T|a": {"x": "1", "y": "2"}, "T|b": {}, "T|c": {}}},
		{"placeholder", rows{"T|b": {"NULL": "NULL"}, "T|c": {"z": "3"}}, rows{"T|b": {"NULL": "NULL"}, "T|c": {"NULL": "NULL"}}, "", rows{"T|a": {"x": "1", "y": "2"}, "T|b": {}, "T|c": {}}},
		{"give fields", rows{"T|b": {}}, rows{"T|b": {"z": "3"}}, "", rows{"T|a": {"x": "1", "y": "2"}, "T|b": {"z": "3"}, "T|c": {"z": "3"}}},
		{"create and remove", rows{"T|c": {"z": "3"}, "T|d": nil}, rows{"T|c": nil, "T|d": {"a": "b"}}, "", rows{"T|a": {"x": "1", "y": "2"}, "T|b": {}, "T|d": {"a": "b"}}},
		{"write without looking", nil, rows{"T|a": {"q": "0"}}, "", rows{"T|a": {"q": "0"}, "T|b": {}, "T|c": {"z": "3"}}},
		{"look without writing", rows{"T|c": {"z": "3"}}, nil, "", start},
		{"nothing", nil, nil, "", start},
		{"a value is another", rows{"T|a": {"x": "1", "y": "3"}, "T|c": {"z": "3"}}, rows{"T|c": nil}, "T|a", start},
		{"a field too many", rows{"T|a": {"x": "1"}}, rows{"T|a": nil}, "T|a", start},
		{"it exists", rows{"T|b": nil}, rows{"T|b": {"n": "1"}}, "T|b", start},
		{"it does not exist", rows{"T|d": {}}, rows{"T|d": {"n": "1"}}, "T|d", start},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fill(t, d, start)
			err := d.Commit(t.Context(), tt.before, tt.after)
			var conflict *redisdb.ConflictError
			if errors.As(err, &conflict); (conflict != nil) != (tt.conflict != "") || conflict != nil && (conflict.Key != tt.conflict || !errors.Is(err, redisdb.ErrConflict)) {
				t.Errorf("conflict %v, want one about %q", err, tt.conflict)
			}
			if err != nil && conflict == nil {
				t.Error(err)
			}
			all, err := d.All(t.Context(), redisdb.Everything)
			if diff := cmp.Diff(tt.want, all); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

// fill makes the database hold just these rows.
func fill(t testing.TB, d *redisdb.DB, rows map[string]redisdb.Fields) {
	t.Helper()
	keys, err := d.Keys(t.Context(), redisdb.Everything)
	if err != nil {
		t.Fatal(err)
	}
	var b redisdb.Batch
	b.Delete(keys...)
	for k, f := range rows {
		b.Set(k, f)
	}
	if err := d.WriteAtomic(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// TestCommitOverOtherThings: a key that holds something other than a row is not
// taken for one that is not there; it is replaced or removed when it is known.
func TestCommitOverOtherThings(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ConfigDB)
	type rows = map[string]redisdb.Fields
	other := redisdb.Fields(configdb.NotHash())
	tests := []struct {
		name          string
		before, after rows
		conflict      bool
		want          rows
	}{
		{"not known", rows{"T|a": nil, "T|b": nil}, rows{"T|a": {"x": "1"}, "T|b": {"x": "1"}}, true, rows{"T|a": other}},
		{"replaced", rows{"T|a": other}, rows{"T|a": {"x": "1"}}, false, rows{"T|a": {"x": "1"}}},
		{"removed", rows{"T|a": other}, rows{"T|a": nil, "T|b": {"x": "1"}}, false, rows{"T|b": {"x": "1"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fill(t, d, nil)
			var b redisdb.Batch
			b.SetText("T|a", "text")
			if err := d.Write(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			if err := d.Commit(t.Context(), tt.before, tt.after); errors.Is(err, redisdb.ErrConflict) != tt.conflict || err != nil && !tt.conflict {
				t.Error(err)
			}
			all, err := d.AllAsFound(t.Context(), redisdb.Everything)
			if diff := cmp.Diff(tt.want, all); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}
