package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// secrets are in the rig's databases, history, metrics and logs.
var secrets = []string{"hunter2hunter2", "swordfish99", "alice", "192.0.2.77", "public77"}

// unpack reads a bundle.
func unpack(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.dbs.PutAll("CONFIG_DB", map[string]fields{
		"TACPLUS|global":                    {"passkey": "hunter2hunter2"},
		"SNMP_COMMUNITY|public77":           {"TYPE": "RO"},
		"MGMT_INTERFACE|eth0|192.0.2.77/24": {"gwaddr": "192.0.2.1"},
	})
	r.dbs.Put("STATE_DB", "XON_ROW|SNMP_COMMUNITY|public77", fields{"state": "ignored", "since": "2026-01-02T03:04:05.000Z", "revision": "1"})
	r.dbs.Put("ASIC_DB", "ASIC_STATE:SAI_OBJECT_TYPE_PORT:oid:0x1", fields{"SAI_PORT_ATTR_MTU": "9122"})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `xon_peer{addr="192.0.2.77"} 1`)
	}))
	t.Cleanup(web.Close)
	dir := t.TempDir()
	log := filepath.Join(dir, "xond.log")
	if err := os.WriteFile(log, []byte("login by user=alice from 192.0.2.77:22 with hunter2hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "b.tar.gz")
	code, said := r.xonctl(t, "", "support-bundle", file, "--log", log, "--web", web.URL)
	if code != 0 || !strings.Contains(said, "is complete") {
		t.Fatal(code, said)
	}
	files := unpack(t, file)
	for _, s := range secrets {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if strings.Contains(files[name], s) {
				t.Errorf("%s has %s:\n%s", name, s, files[name])
			}
		}
		if strings.Contains(said, s) {
			t.Errorf("the progress has %s", s)
		}
	}
	checkManifest(t, files)
	for name, text := range map[string]string{
		"config_db.json":   `"passkey": "<secret-`,
		"history.json":     "is too short",
		"fates.json":       "SNMP_COMMUNITY|<secret-",
		"status.json":      "v0.1.0",
		"calls.json":       "get port oid:0x1 MTU=9122",
		"counters_db.json": `"SAI_PORT_STAT_PFC_3_RX_PKTS": "12"`,
		"asic_db.json":     "SAI_PORT_ATTR_MTU",
		"metrics.txt":      "xon_peer",
		"health.txt":       "200 OK",
		"log/xond.log":     "login by user=<user-",
	} {
		if !strings.Contains(files[name], text) {
			t.Errorf("%s lacks %s:\n%s", name, text, files[name])
		}
	}

	open := filepath.Join(dir, "open.tar.gz")
	if code, said := r.xonctl(t, "", "support-bundle", open, "--no-redact"); code != 0 || !strings.Contains(said, "secrets, names and addresses are in it") {
		t.Error(code, said)
	}
	if files := unpack(t, open); !strings.Contains(files["config_db.json"], "hunter2hunter2") || !strings.Contains(files["history.json"], "swordfish99") {
		t.Errorf("--no-redact hides: %s", files["config_db.json"])
	}
	if code, said := r.xonctl(t, "", "support-bundle", file); code != 2 || !strings.Contains(said, "choose another name") {
		t.Error(code, said)
	}
}

// checkManifest compares the manifest with what is there.
func checkManifest(t *testing.T, files map[string]string) {
	t.Helper()
	var m manifest
	if err := json.Unmarshal([]byte(files["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	names := []string{"manifest.json"}
	for _, f := range m.Files {
		names = append(names, f.Name)
		sum := sha256.Sum256([]byte(files[f.Name]))
		if hex.EncodeToString(sum[:]) != f.SHA256 || f.Bytes != len(files[f.Name]) {
			t.Errorf("%s is not what the manifest says", f.Name)
		}
	}
	slices.Sort(names)
	if d := cmp.Diff(slices.Sorted(maps.Keys(files)), names); d != "" {
		t.Error(d)
	}
	if !m.Redacted {
		t.Error("not said to be redacted")
	}
}

// TestBundleAlone: without an agent there is what lies on the machine.
func TestBundleAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "chip.log"), []byte("chip ready\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "b.tar.gz")
	code, said := (&rig{addr: "unix:" + dir + "/gnmi.sock"}).xonctl(t, "", "support-bundle", file)
	if code != 0 || !strings.Contains(said, "status.json          not there: nobody answers") {
		t.Fatal(code, said)
	}
	files := unpack(t, file)
	if files["log/chip.log"] != "chip ready\n" || files["platform.txt"] == "" {
		t.Errorf("%v", files)
	}
}
