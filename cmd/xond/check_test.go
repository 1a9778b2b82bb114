package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checks runs xond --check and returns its exit status and what it said.
func checks(t *testing.T, file string, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), append([]string{"--check", "--config", file}, args...), &out, &out)
	return code, out.String()
}

// total is the line of xond --check that counts all rows.
func total(said string) string {
	for line := range strings.Lines(said) {
		if before, ok := strings.CutSuffix(strings.TrimSpace(line), "in all"); ok {
			return strings.Join(strings.Fields(before), " ")
		}
	}
	return ""
}

// TestCheckFiles checks what becomes of files as switches have them: no file is refused
// for one row, field or top-level name.
func TestCheckFiles(t *testing.T) {
	t.Parallel()
	const own, field = "testdata/files", "../../../shared/data/field"
	for _, tt := range []struct {
		file  string
		args  []string
		code  int
		total string // rows, applied, waiting, refused, ignored
		say   []string
	}{
		{file: own + "/spaces.json", total: "5 5 - - -"},
		{file: field + "/03-wred-leading-space/config_db.json", total: "5 5 - - -"},
		{file: own + "/empty-list.json", total: "3 3 - - -"},
		{file: field + "/06-empty-leaf-list/config_db.json", total: "2 2 - - -"},
		{file: own + "/top-names.json", total: "2 2 - - -", say: []string{`table "x" is no table and left out`, `table "_y" is no table`, `table "z" is no table`}},
		{file: field + "/07-file-scalar-top/config_db.json", total: "2 2 - - -", say: []string{`table "platform" is no table and left out`, `table "onie_version" is no table`}},
		{file: own + "/names.json", total: "5 5 - - -", say: []string{"is a reference in the old notation"}},
		{file: field + "/09-name-with-at/config_db.json", total: "4 4 - - -"},
		{file: own + "/shapes.json", code: 1, total: "7 3 - 3 1", say: []string{
			`VLAN|: key ""`, "VLAN|Vlan8: a row must be an object in braces, not null", "SCHEDULER: a table must be an object in braces, not 7",
			`VLAN|Vlan9: field "mtu" is rejected and left out: null is no value`,
		}},
		{file: field + "/14-file-empty-key/config_db.json", code: 1, total: "3 2 - 1 -", say: []string{`PORT_QOS_MAP|: key "": a name is missing`}},
		{file: own + "/several.json", code: 1, say: []string{"several.json:1:1: the file is for several ASICs; say which part to take with --asic: localhost, asic0 or asic1"}},
		{file: own + "/several.json", args: []string{"--asic", "asic0"}, total: "2 2 - - -"},
		{file: own + "/several.json", args: []string{"--asic", "asic7"}, code: 1, say: []string{`no part "asic7"; it has localhost, asic0 and asic1`}},
		{file: own + "/top-names.json", args: []string{"--asic", "asic0"}, code: 1, say: []string{"it is not for several ASICs"}},
		{file: own + "/no-lanes.json", code: 1, total: "3 1 - 2 -"},
		{file: own + "/no-lanes.json", args: []string{"--port-config", own + "/port_config.ini"}, code: 1, total: "3 2 - 1 -", say: []string{
			"PORT|Ethernet4 gets no lanes: testdata/files/port_config.ini: does not have the port",
		}},
		{file: own + "/unknown-platform.json", total: "3 3 - - -", say: []string{"chip class default: a guess", "--profile"}},
		{file: field + "/10-unknown-platform/config_db.json", total: "5 5 - - -", say: []string{"chip class td3"}},
		{file: own + "/trimming-queue.json", code: 1, total: "2 1 - 1 -", say: []string{"unicast queues 0 to 7"}},
		{file: field + "/11-th5-trim-queue/config_db.json", code: 1, total: "3 2 - 1 -", say: []string{"unicast queues 0 to 7"}},
		{file: own + "/lossless.json", args: []string{"--strict"}, total: "15 15 - - -"},
		{file: own + "/lossy-queue.json", args: []string{"--strict"}, code: 1, total: "16 16 - - -", say: []string{
			"lossless packets may be dropped:\n  BUFFER_QUEUE|Ethernet0|3-4: profile: priority 3 is paused, and BUFFER_PROFILE|q_lossy lets its queue 3 of Ethernet0 take 2000000 bytes",
		}},
		{file: own + "/lossy-queue.json", total: "16 16 - - -", say: []string{"lets its queue 4 of Ethernet0 take 2000000 bytes"}},
		{file: own + "/never-paused.json", args: []string{"--strict"}, code: 1, total: "15 15 - - -", say: []string{
			"PORT_QOS_MAP|Ethernet0,Ethernet4: tc_to_pg_map: TC_TO_PRIORITY_GROUP_MAP|m sends class 3 to priority group 0 of Ethernet0, which never pauses",
		}},
		{file: own + "/lossless.json", args: []string{"--profile", "spc4"}, total: "15 15 - - -", say: []string{
			`chip class spc4: chosen with --profile, but the platform "x86_64-mlnx_msn2700-r0" has a chip of class spc1`,
		}},
		{file: own + "/advertised.json", total: "5 5 - - -", say: []string{
			"PORT|Ethernet4: adv_speeds: it has no effect while autoneg is not on",
			"PORT|Ethernet4: adv_interface_types: it has no effect while autoneg is not on",
			"PORT|Ethernet8: adv_speeds: the port can't run at 1,7 Mb/s, only at 1000,10000,25000,40000,50000,100000: no link comes up at another speed",
		}},
		{file: own + "/maps.json", code: 1, total: "5 3 - 2 -", say: []string{`field "four": dscp "four" is not a whole number`, "the map has no entries"}},
	} {
		if _, err := os.Stat(tt.file); os.IsNotExist(err) && strings.HasPrefix(tt.file, field) {
			continue
		}
		t.Run(filepath.Base(strings.TrimSuffix(tt.file, "/config_db.json"))+strings.Join(tt.args, ""), func(t *testing.T) {
			t.Parallel()
			code, said := checks(t, tt.file, tt.args...)
			if code != tt.code || total(said) != tt.total {
				t.Errorf("code %d, %q; want %d, %q\n%s", code, total(said), tt.code, tt.total, said)
			}
			for _, want := range tt.say {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %s\n%s", want, said)
				}
			}
			args := append(slices.DeleteFunc(slices.Clone(tt.args), func(a string) bool { return a == "--strict" }), "--dry-run")
			if code, said := checks(t, tt.file, args...); tt.code == 0 && code != 0 {
				t.Errorf("--dry-run: code %d\n%s", code, said)
			}
		})
	}
}
