package redisdb_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// TestManyRows writes more rows than one script takes, with fields that go in any order, and
// leaves other fields alone.
func TestManyRows(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.CountersDB)
	fill(t, d, map[string]redisdb.Fields{"T:7": {"other": "1", "a": "2"}})
	want := map[string]redisdb.Fields{"T:set": {"x": "1", "y": ""}, "T:put": {"x": "2", "y": "3"}, "T:single": {"z": "ü\r\n"}}
	values := make([]uint64, 6000)
	var b redisdb.Batch
	b.SetRows(redisdb.Lasting, want)
	b.Rows(redisdb.Passing, redisdb.NameOf("b"), redisdb.NameOf("a"))
	for i := range values[:len(values)/2] {
		b.Row(redisdb.NameOf(fmt.Sprint("T:", i)))
		b.Number(&values[2*i])
		b.Number(&values[2*i+1])
		want[fmt.Sprint("T:", i)] = redisdb.Fields{"b": strconv.Itoa(2 * i), "a": strconv.Itoa(2*i + 1)}
	}
	b.Rows(redisdb.Passing, redisdb.NameOf("of none"))
	want["T:7"]["other"] = "1"
	for i := range values {
		values[i] = uint64(i) // they are read when they are written
	}
	if b.Len() > 6 {
		t.Errorf("%d commands", b.Len())
	}
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	all, err := d.All(t.Context(), redisdb.Everything)
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestRowsOverOthers: what is no row is replaced, by its name, and stops no other row.
func TestRowsOverOthers(t *testing.T) {
	t.Parallel()
	d := redistest.Open(t).DB(redisdb.CountersDB)
	var b redisdb.Batch
	b.SetText("T:1", "no row")
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{"write COUNTERS_DB: WRONGTYPE T:1 was no row, and is one now", ""} {
		b.Reset()
		b.SetRows(redisdb.Passing, map[string]redisdb.Fields{"T:0": {"a": "0"}, "T:1": {"a": "1"}, "T:2": {"a": "2"}})
		if err := d.Write(t.Context(), &b); wanted != "" && (err == nil || err.Error() != wanted) || wanted == "" && err != nil {
			t.Errorf("got %v, want %q", err, wanted)
		}
		for i := range 3 {
			if f, err := d.Row(t.Context(), fmt.Sprint("T:", i)); err != nil || f["a"] != strconv.Itoa(i) {
				t.Errorf("row %d is %v: %v", i, f, err)
			}
		}
	}
}

// TestRowsThatPass: what passes is in no file.
func TestRowsThatPass(t *testing.T) {
	t.Parallel()
	dir := redistest.Dir(t)
	s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := redistest.Connect(t, s.Addr()).DB(redisdb.CountersDB)
	var b redisdb.Batch
	b.SetRows(redisdb.Lasting, map[string]redisdb.Fields{"T:lasts": {"a": "1"}})
	b.SetRows(redisdb.Passing, map[string]redisdb.Fields{"T:passes": {"a": "1"}})
	err = errors.Join(d.Write(t.Context(), &b), s.Stop(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(text), "T:lasts") || strings.Contains(string(text), "T:passes") {
		t.Errorf("%v: %s", err, text)
	}
}
