package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus/hooks/test"

	"xon/cmd/offline"
	"xon/orchagent/bufmgr"
)

// TestBufferFiles: the files beside the configuration are taken and kept for later
// starts, a folder that is named comes first, and a bad file changes nothing.
func TestBufferFiles(t *testing.T) {
	t.Parallel()
	state, config, other, empty := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(config, "pg_profile_lookup.ini", "# speed cable size xon xoff threshold\n100000 5m 18432 18432 55120 -3\n")
	write(other, "asic_table.json", `[{"ASIC_TABLE:X": {"cell_size": "64", "pipeline_latency": "1", "mac_phy_delay": "1", "peer_response_time": "1"}, "OP": "SET"}]`)
	log, _ := test.NewNullLogger()
	o := &options{Dir: state, Config: filepath.Join(config, "config_db.json")}
	take := func(lookup int, asic string) {
		t.Helper()
		b, err := o.startBuffers(log)
		if err != nil {
			t.Fatal(err)
		}
		p, k := b.params, &keeper{o: o, log: log, buffers: b}
		k.acceptedBuffers(&p)
		entries, name := 0, ""
		if p.Lookup != nil {
			entries = len(p.Lookup.Entries)
		}
		if p.ASIC != nil {
			name = p.ASIC.Name
		}
		if entries != lookup || name != asic {
			t.Errorf("%d lines and the chip %q, want %d and %q", entries, name, lookup, asic)
		}
	}
	take(1, "")
	o.Config = filepath.Join(empty, "config_db.json")
	take(1, "") // as kept
	o.Buffers = other
	take(0, "X")
	o.Buffers = ""
	take(0, "X")

	write(config, "pg_profile_lookup.ini", "100000 5m 18432 18432 55120 -3\n100000 forty 1 1 1 1\n")
	o.Config = filepath.Join(config, "config_db.json")
	const bad = "pg_profile_lookup.ini:2"
	if _, _, err := o.findBuffers(); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("a bad file: %v", err)
	}
	take(0, "X") // as kept, for want of better ones
	if b, _ := o.startBuffers(log); b.params.Stale == nil || !strings.Contains(b.params.Stale.Error(), bad) {
		t.Errorf("nothing is said of a bad file: %v", b.params.Stale)
	}
	first := &options{Dir: t.TempDir(), Config: o.Config}
	if _, err := first.startBuffers(log); err == nil || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "none were kept") {
		t.Errorf("a bad file, and none kept: %v", err)
	}
	o.Config = ""
	take(0, "X")
	o.Buffers = empty
	take(0, "X") // as kept, for want of any
	if b, _ := o.startBuffers(log); b.params.Stale == nil || !strings.Contains(b.params.Stale.Error(), empty) {
		t.Errorf("nothing is said of a folder without files: %v", b.params.Stale)
	}
	if _, _, err := o.findBuffers(); err == nil || !strings.Contains(err.Error(), empty) {
		t.Errorf("a folder without files for a restart of the buffer manager: %v", err)
	}
	first.Buffers = empty
	if _, err := first.startBuffers(log); err == nil || !strings.Contains(err.Error(), empty) {
		t.Errorf("a folder without files, and none kept: %v", err)
	}
	o.Buffers, o.Config = "", ""
	write(o.buffers(), "asic_table.json", "[")
	if _, err := o.startBuffers(log); err == nil || !strings.Contains(err.Error(), "remove it, or give a good one with --buffers") {
		t.Errorf("a bad file that was kept: %v", err)
	}
}

// TestBufferFilesWait: files of a start are kept only once the agent goes by them, and until
// then those of before are at hand.
func TestBufferFilesWait(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(cell string) {
		t.Helper()
		text := `[{"ASIC_TABLE:X": {"cell_size": "` + cell + `", "pipeline_latency": "1", "mac_phy_delay": "1", "peer_response_time": "1"}, "OP": "SET"}]`
		if err := os.WriteFile(filepath.Join(dir, "asic_table.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log, _ := test.NewNullLogger()
	o := &options{Dir: t.TempDir(), Buffers: dir}
	start := func() *keeper {
		t.Helper()
		b, err := o.startBuffers(log)
		if err != nil {
			t.Fatal(err)
		}
		return &keeper{o: o, log: log, buffers: b}
	}
	kept := func(want uint64) {
		t.Helper()
		p, _, err := offline.ReadBuffers(o.buffers())
		if err != nil || p.ASIC == nil || p.ASIC.CellBytes != want {
			t.Errorf("%+v, %v", p.ASIC, err)
		}
	}
	write("64")
	k := start()
	k.acceptedBuffers(&bufmgr.Params{Source: k.buffers.params.Source})
	kept(64)
	write("128")
	k = start()
	if was := k.buffers.kept; was == nil || was.ASIC.CellBytes != 64 || k.buffers.params.Source != filepath.Join(dir, "asic_table.json") {
		t.Errorf("%+v, %q", was, k.buffers.params.Source)
	}
	k.acceptedBuffers(&bufmgr.Params{}) // the agent goes by those of before
	kept(64)
	k = start()
	k.acceptedBuffers(&bufmgr.Params{Source: k.buffers.params.Source})
	kept(128)
	if k = start(); k.buffers.kept != nil || k.buffers.texts != nil {
		t.Errorf("the same files again: %+v", k.buffers)
	}
}
