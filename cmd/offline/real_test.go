package offline_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xon/cmd/offline"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// tryOut loads rows into a new chip and says what became of them.
func tryOut(t *testing.T, rows configdb.RawRows, folder string) (*vsai.Chip, map[configdb.RowKey]statedb.Fate) {
	t.Helper()
	buffers, _, err := offline.ReadBuffers(folder)
	if err != nil {
		t.Fatal(err)
	}
	chip := offline.NewChip(nil, rows)
	a, err := offline.Start(t.Context(), chip, rows, buffers)
	if err != nil {
		t.Fatal(err)
	}
	fates := a.Fates()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return chip, fates
}

// switchOf is a small configuration of a switch with pools that no chip of today holds.
func switchOf(platform string) configdb.RawRows {
	return configdb.RawRows{
		"DEVICE_METADATA|localhost": {"platform": platform, "hwsku": "some"},
		"PORT|Ethernet0":            {"lanes": "1,2,3,4", "speed": "100000"},
		"BUFFER_POOL|in":            {"type": "ingress", "mode": "dynamic", "size": "9000000000", "xoff": "4000000000"},
		"BUFFER_POOL|out":           {"type": "egress", "mode": "static", "size": "9000000000"},
		"BUFFER_PROFILE|pg":         {"pool": "in", "size": "5000000", "xoff": "100000", "dynamic_th": "0"},
		"BUFFER_PG|Ethernet0|3-4":   {"profile": "pg"},
	}
}

// TestGuessedChip: rows of a switch whose packet memory is not known are applied, and
// what is not known is said, with what to do about it.
func TestGuessedChip(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ class, platform, pool string }{
		"x86_64-acme_9000-r0":       {"default", "--profile CLASS", "is not known, nor its packet memory"},
		"x86_64-nvidia_sn9900-r0":   {"default", "--profile CLASS", "is not known, nor its packet memory"},
		"x86_64-nvidia_sn5640-r0":   {"spc5", "", "packet memory not published (class spc5)"},
		"x86_64-nvidia_sn6600-r0":   {"spc6", "", "packet memory not published (class spc6)"},
		"x86_64-arista_7060dx5_64s": {"th4", "", "packet memory not published exactly (about 113 MB)"},
		"x86_64-arista_7280r3":      {"voq", "", "packet memory not published (class voq: deep buffers"},
		"x86_64-kvm_x86_64-r0":      {"default", "", ""},
	} {
		chip, fates := tryOut(t, switchOf(name), "")
		if got := chip.Profile().Name; got != want.class {
			t.Errorf("%s: class %s", name, got)
		}
		for k, f := range fates {
			if f.State != statedb.Applied {
				t.Errorf("%s: %s is %s: %s", name, k, f.State, f.Reason)
			}
		}
		for row, says := range map[configdb.RowKey]string{"DEVICE_METADATA|localhost": want.platform, "BUFFER_POOL|in": want.pool, "BUFFER_POOL|out": want.pool} {
			switch w := strings.Join(fates[row].Warnings, "; "); {
			case says == "" && w != "":
				t.Errorf("%s: %s: %s", name, row, w)
			case !strings.Contains(w, says):
				t.Errorf("%s: %s: %q, want %q", name, row, w, says)
			}
		}
	}
}

// TestKnownChip: of a chip whose packet memory is published sizes are refused.
func TestKnownChip(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"x86_64-arista_7050cx3_32s", "x86_64-arista_7260cx3_64", "x86_64-mlnx_msn3700-r0", "x86_64-dell_s6000_s1220-r0"} {
		_, fates := tryOut(t, switchOf(name), "")
		if f := fates["BUFFER_POOL|in"]; f.State != statedb.Refused || f.Field != "size" || len(fates["DEVICE_METADATA|localhost"].Warnings) > 0 {
			t.Errorf("%s: %+v, %v", name, f, fates["DEVICE_METADATA|localhost"].Warnings)
		}
	}
}

// TestGuess: what --check says of the class.
func TestGuess(t *testing.T) {
	t.Parallel()
	th, err := vsai.ProfileByName("th")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		given    *vsai.Profile
		platform string
		want     string
	}{
		{nil, "x86_64-acme_9000-r0", `the platform "x86_64-acme_9000-r0" is not known`},
		{nil, "", "names no platform"},
		{th, "x86_64-acme_9000-r0", ""},
		{th, "x86_64-arista_7060_cx32s", ""},
		{th, "x86_64-kvm_x86_64-r0", ""},
		{th, "x86_64-mlnx_msn2700-r0", `the platform "x86_64-mlnx_msn2700-r0" has a chip of class spc1: what holds of th need not`},
		{th, "x86_64-nvidia_sn6600-r0", `the platform "x86_64-nvidia_sn6600-r0" has a chip of class spc6`},
		{nil, "x86_64-dell_s6000_s1220-r0", ""},
		{nil, "x86_64-kvm_x86_64-r0", ""},
		{nil, "x86_64-nvidia_sn6600-r0", "packet memory not published"},
		{nil, "x86_64-arista_7280r3", "what packets meet is not modelled"},
	} {
		rows := switchOf(tt.platform)
		got := offline.Guess(offline.NewChip(tt.given, rows), tt.given != nil, rows)
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.platform, got, tt.want)
		}
	}
}

// TestTrimmingQueue: trimmed packets go to a unicast queue that the switch has.
func TestTrimmingQueue(t *testing.T) {
	t.Parallel()
	for queue, want := range map[string]statedb.State{"0": statedb.Applied, "7": statedb.Applied, "8": statedb.Refused, "9": statedb.Refused} {
		rows := configdb.RawRows{
			"DEVICE_METADATA|localhost": {"platform": "x86_64-arista_7060x6_64pe_b"},
			"PORT|Ethernet0":            {"lanes": "17,18,19,20,21,22,23,24", "speed": "800000"},
			"SWITCH_TRIMMING|GLOBAL":    {"size": "256", "dscp_value": "48", "queue_index": queue},
		}
		_, fates := tryOut(t, rows, "")
		f := fates["SWITCH_TRIMMING|GLOBAL"]
		if f.State != want || want == statedb.Refused && (f.Field != "queue_index" || !strings.Contains(f.Reason, "queues 0 to 7")) {
			t.Errorf("queue %s: %+v", queue, f)
		}
	}
}

// TestRealSwitches: of real configurations no row is refused, nor waits. An extra: only
// where they are.
func TestRealSwitches(t *testing.T) {
	t.Parallel()
	classes := map[string]string{
		"7060x6-ft2-64x800g": "th5", "acs-sn5600-t1": "spc4", "s6000-t1": "td2", "s6100-t1-66x": "th", "sn2700-t1": "spc1",
		"sn4600c-t0-88x": "spc3", "sn4600c-t1-64x-dynamic": "spc3", "th-7060cx-t1": "th", "th3-z9332f-o32-t1": "th3", "th5-p32o64-t1": "th5",
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		dir := filepath.Join("../../../shared/data/config", name)
		if _, err := os.Stat(dir); err != nil {
			return
		}
		file, err := configdb.ReadFile(filepath.Join(dir, "config_db.json"), configdb.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		chip, fates := tryOut(t, file.Rows, dir)
		if got := chip.Profile().Name; got != classes[name] {
			t.Errorf("%s: class %s, want %s", name, got, classes[name])
		}
		for k, f := range fates {
			if f.State == statedb.Refused || f.State == statedb.Waiting {
				t.Errorf("%s: %s is %s: %s %s", name, k, f.State, f.On, f.Reason)
			}
		}
	}
}
