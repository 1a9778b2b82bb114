package audit_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent/audit"
	"xon/schema/configdb"
)

func quiet() logrus.FieldLogger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

func open(t *testing.T, cfg audit.Config) *audit.Log {
	t.Helper()
	cfg.Log = quiet()
	l, err := audit.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func closed(t *testing.T, l *audit.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

var sample = audit.Record{
	Revision: 7, Time: time.Date(2024, 2, 29, 12, 0, 0, 5e6, time.UTC), Who: "CN=ops", Source: audit.GNMI,
	Rows: []audit.RowChange{
		{Row: "BUFFER_PG|Ethernet0|3", Before: configdb.Fields{"profile": "a"}},
		{Row: "BUFFER_PG|Ethernet0|4", After: configdb.Fields{"profile": "b<c"}},
	},
	Plan: []string{"build   1 set QUEUE Ethernet0|3"}, Steps: 1, Writes: 2, Outcome: audit.Undone, Faults: []string{"no"}, Took: time.Millisecond,
}

// TestLogOverRestart: numbers and history go on, and a line that a power failure
// cut off harms no other.
func TestLogOverRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, audit.Config{Path: path})
	if id := l.Add(sample); id != 1 {
		t.Errorf("first record is %d", id)
	}
	l.Add(sample)
	closed(t, l)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":3,"revi`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, audit.Config{Path: path})
	if id := l.Add(sample); id != 3 {
		t.Errorf("record after the restart is %d", id)
	}
	closed(t, l)
	want := make([]audit.Record, 3)
	for i := range want {
		want[i] = sample
		want[i].ID = uint64(i + 1)
	}
	for _, l := range []*audit.Log{l, open(t, audit.Config{Path: path})} {
		if diff := cmp.Diff(want, l.Records()); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	}
}

// TestLogRotates: no file grows over the limit, only so many are kept, and nothing
// in between is missing.
func TestLogRotates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.log")
	const most = 4 << 10
	l := open(t, audit.Config{Path: path, MaxBytes: most, Files: 2, Keep: 5})
	for range 100 {
		l.Add(sample)
	}
	closed(t, l)
	var ids []uint64
	for _, name := range []string{"audit.log.2", "audit.log.1", "audit.log"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > most {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		for line := range bytes.Lines(data) {
			var r audit.Record
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			ids = append(ids, r.ID)
		}
	}
	for i, id := range ids {
		if id != uint64(100-len(ids)+1+i) {
			t.Fatalf("records in the files: %v", ids)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("files %v, %v", entries, err)
	}
	if got := l.Records(); len(got) != 5 || got[4].ID != 100 {
		t.Errorf("in memory: %d records", len(got))
	}
}

// TestLogCountsLost: a file that can't be written loses nothing silently, and is
// written again when it can be.
func TestLogCountsLost(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "audit.log")
	var said bytes.Buffer
	log := logrus.New()
	log.SetOutput(&said)
	l, err := audit.New(audit.Config{Path: path, MaxBytes: 1, Log: log}) // a new file for each record
	if err != nil {
		t.Fatal(err)
	}
	l.Add(sample)
	closed(t, l)
	if l.Lost() != 0 {
		t.Fatalf("lost %d", l.Lost())
	}
	l.Add(sample) // after Close
	if l.Lost() != 1 || len(l.Records()) != 2 {
		t.Errorf("lost %d of %d", l.Lost(), len(l.Records()))
	}

	if l, err = audit.New(audit.Config{Path: path, MaxBytes: 1, Log: log}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	l.Add(sample)
	closed(t, l)
	if l.Lost() != 1 || !strings.Contains(said.String(), "lost=1") {
		t.Errorf("lost %d; said %s", l.Lost(), said.String())
	}
}

// TestCut: what is too long is cut, counted, and left as it was where it came from.
func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", audit.MaxText)
	fields := configdb.Fields{"long": long, "short": "x"}
	r := audit.Record{RowsCut: 2}
	for range audit.MaxRows + 3 {
		r.Rows = append(r.Rows, audit.RowChange{Row: "A|b", After: fields})
	}
	for range audit.MaxLines + 4 {
		r.Plan = append(r.Plan, long)
	}
	l := open(t, audit.Config{})
	l.Add(r)
	r = l.Records()[0]
	if len(r.Rows) != audit.MaxRows || r.RowsCut != 5 || len(r.Plan) != audit.MaxLines || r.PlanCut != 4 {
		t.Errorf("%d rows and %d, %d lines and %d", len(r.Rows), r.RowsCut, len(r.Plan), r.PlanCut)
	}
	for _, text := range []string{r.Rows[0].After["long"], r.Plan[0]} {
		if len(text) > audit.MaxText+len("…") || !utf8.ValidString(text) || !strings.HasSuffix(text, "…") {
			t.Errorf("cut to %q", text)
		}
	}
	if fields["long"] != long || r.Rows[0].After["short"] != "x" {
		t.Error("a row was changed")
	}
}
