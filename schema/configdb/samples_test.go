package configdb_test

import (
	"os"
	"path/filepath"
	"testing"

	"xon/schema/configdb"
)

// TestSamples reads real switches' files where there are any: in $XON_SAMPLES,
// or beside the project. The other tests are complete without them.
func TestSamples(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("XON_SAMPLES")
	if dir == "" {
		dir = "../../../shared/data/config"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "config_db.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no samples in " + dir)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			loadSample(t, file)
		})
	}
}

func loadSample(t *testing.T, file string) {
	read, err := configdb.ReadFile(file, configdb.FileOptions{})
	if err != nil || len(read.Refused)+len(read.Notes) > 0 {
		t.Fatal(err, read)
	}
	rows := read.Rows
	good, foreign, extra := 0, 0, 0
	for key, fields := range rows {
		if _, ok := configdb.Lookup(key.Table()); !ok {
			foreign++
			continue
		}
		_, unknown, err := configdb.Parse(key, fields)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		good++
		if len(unknown) > 0 {
			extra++
			t.Logf("%s has unknown fields %q", key, unknown)
		}
	}
	t.Logf("%d rows: %d parsed, %d of other tables, %d with unknown fields", len(rows), good, foreign, extra)
}
