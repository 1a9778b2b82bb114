package redisdb_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// stage has a producer stage rows of table T; nil removes one.
func stage(t testing.TB, d *redisdb.DB, rows ...any) {
	t.Helper()
	var b redisdb.Batch
	for i := 0; i < len(rows); i += 2 {
		f, _ := rows[i+1].(redisdb.Fields)
		d.Stage(&b, "T", fmt.Sprint(rows[i]), f)
	}
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// pop takes what is staged, in order of keys.
func pop(t testing.TB, d *redisdb.DB, c redisdb.Consumer) []redisdb.Popped {
	t.Helper()
	rows, err := d.Pop(t.Context(), "T", c)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b redisdb.Popped) int { return cmp.Compare(a.Key, b.Key) })
	return rows
}

func all(t testing.TB, d *redisdb.DB) map[string]redisdb.Fields {
	t.Helper()
	rows, err := d.All(t.Context(), redisdb.Everything)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestStaged: what others see of rows while they are handed over.
func TestStaged(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ApplDB)
	type rows = map[string]redisdb.Fields
	equal := func(want, got any) {
		t.Helper()
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	members := func(set string) string {
		t.Helper()
		return fmt.Sprint(raw(t, c.Addr(), redisdb.ApplDB, "SMEMBERS", set))
	}

	stage(t, d, "a", redisdb.Fields{"x": "1", "y": "2"}, "b", redisdb.Fields{})
	equal(rows{"_T:a": {"x": "1", "y": "2"}, "_T:b": {}}, all(t, d))
	equal("[]", members("T_DEL_SET"))
	equal([]redisdb.Popped{{Key: "a", Fields: redisdb.Fields{"x": "1", "y": "2"}}, {Key: "b", Fields: redisdb.Fields{}}}, pop(t, d, redisdb.Consumer{}))
	equal(rows{"T:a": {"x": "1", "y": "2"}, "T:b": {}}, all(t, d))
	equal([]redisdb.Popped{}, pop(t, d, redisdb.Consumer{}))

	// Fields are merged; what is staged twice comes once.
	stage(t, d, "a", redisdb.Fields{"y": "3"}, "a", redisdb.Fields{"z": "4"})
	equal("[a]", members("T_KEY_SET"))
	equal([]redisdb.Popped{{Key: "a", Fields: redisdb.Fields{"y": "3", "z": "4"}}}, pop(t, d, redisdb.Consumer{}))
	equal(redisdb.Fields{"x": "1", "y": "3", "z": "4"}, all(t, d)["T:a"])

	// Removed and staged again in one breath: nothing is left of the old row.
	stage(t, d, "a", redisdb.Fields{"p": "0"}, "a", nil, "a", redisdb.Fields{"q": "5"})
	equal("[a]", members("T_DEL_SET"))
	equal([]redisdb.Popped{{Key: "a", Fields: redisdb.Fields{"q": "5"}, Removed: true}}, pop(t, d, redisdb.Consumer{}))
	equal(redisdb.Fields{"q": "5"}, all(t, d)["T:a"])

	stage(t, d, "a", nil, "b", nil, "c", nil)
	equal([]redisdb.Popped{{Key: "a", Removed: true}, {Key: "b", Removed: true}, {Key: "c", Removed: true}}, pop(t, d, redisdb.Consumer{}))
	equal(rows{}, all(t, d))
	equal("[]", members("T_DEL_SET"))
}

// TestStagedRecord: a consumer keeps what it took, and leaves rows to their owner.
func TestStagedRecord(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d, config := c.DB(redisdb.ApplDB), c.DB(redisdb.ConfigDB)
	consumer := redisdb.Consumer{Record: "REC:T", Owner: "MINE", OwnerDB: redisdb.ConfigDB}
	fill(t, config, map[string]redisdb.Fields{"MINE|p|3-4": {"profile": "x"}})
	fill(t, d, map[string]redisdb.Fields{"T:p:3-4": {"profile": "x"}})

	stage(t, d, "p:3-4", redisdb.Fields{"profile": "y"}, "p:0", redisdb.Fields{"profile": "z"})
	got := pop(t, d, consumer)
	if len(got) != 2 || got[0].Owned || !got[1].Owned {
		t.Errorf("popped %+v, want that p:3-4 has an owner", got)
	}
	stage(t, d, "p:0", redisdb.Fields{"more": "1"})
	pop(t, d, consumer)
	want := map[string]redisdb.Fields{
		"T:p:3-4": {"profile": "x"}, "T:p:0": {"profile": "z", "more": "1"},
		"REC:T:p:3-4": {"profile": "y"}, "REC:T:p:0": {"profile": "z", "more": "1"},
	}
	if diff := gocmp.Diff(want, all(t, d)); diff != "" {
		t.Error(diff)
	}
	stage(t, d, "p:3-4", nil, "p:0", nil)
	pop(t, d, consumer)
	if diff := gocmp.Diff(map[string]redisdb.Fields{"T:p:3-4": {"profile": "x"}}, all(t, d)); diff != "" {
		t.Error(diff)
	}
}

// TestStagedJunk: what is no row spoils itself only.
func TestStagedJunk(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ApplDB)
	var b redisdb.Batch
	b.SetText("_T:junk", "text")
	b.SetText("T:other", "text")
	b.SetText("REC:T:other", "text")
	b.SetText("T_DEL_SET", "text")
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	raw(t, c.Addr(), redisdb.ApplDB, "SADD", "T_KEY_SET", "junk", "", "nothing")
	stage(t, d, "other", redisdb.Fields{"x": "1"})
	want := []redisdb.Popped{{Key: ""}, {Key: "junk", Junk: true}, {Key: "nothing"}, {Key: "other", Fields: redisdb.Fields{"x": "1"}}}
	if diff := gocmp.Diff(want, pop(t, d, redisdb.Consumer{Record: "REC:T"})); diff != "" {
		t.Error(diff)
	}
	if diff := gocmp.Diff(map[string]redisdb.Fields{"T:other": {"x": "1"}, "REC:T:other": {"x": "1"}}, all(t, d)); diff != "" {
		t.Error(diff)
	}
	raw(t, c.Addr(), redisdb.ApplDB, "SET", "T_KEY_SET", "text")
	if _, err := d.Pop(t.Context(), "T", redisdb.Consumer{}); !errors.Is(err, redisdb.ErrWrongType) {
		t.Errorf("a set of keys that is none: %v", err)
	}
}

// TestStagedMany: a heap is taken bit by bit.
func TestStagedMany(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ApplDB)
	var b redisdb.Batch
	for i := range 1200 {
		d.Stage(&b, "T", fmt.Sprint(i), redisdb.Fields{"x": "1"})
	}
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		rows := pop(t, d, redisdb.Consumer{})
		if len(rows) == 0 {
			break
		}
		n += len(rows)
	}
	if n != 1200 || len(all(t, d)) != 1200 {
		t.Errorf("%d rows were popped, %d are there, want 1200", n, len(all(t, d)))
	}
}

// TestWatchStaged: a watch tells that something was staged, once it is.
func TestWatchStaged(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.ApplDB)
	w := d.Watch(t.Context(), redisdb.ApplDB.Pattern("PLAIN"), "T", "U")
	t.Cleanup(w.Stop)
	resync(t, w)
	stage(t, d, "a", redisdb.Fields{"x": "1"})
	collect(t, w, "T_KEY_SET")
	var b redisdb.Batch
	d.Stage(&b, "U", "b", nil)
	b.Set("PLAIN:switch", nil)
	if err := d.WriteAtomic(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	collect(t, w, "U_KEY_SET", "PLAIN:switch")
	if got := pop(t, d, redisdb.Consumer{}); len(got) != 1 {
		t.Errorf("popped %+v", got)
	}
}
