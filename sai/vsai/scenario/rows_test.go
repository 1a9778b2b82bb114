package scenario_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/sai/vsai"
	"xon/sai/vsai/scenario"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scribe notes the rows that a switch's agent would get.
type scribe struct {
	t    *testing.T
	file scenario.Rows // that every config_db.json has
	got  strings.Builder
}

func (s *scribe) Read(string) (scenario.Rows, error) { return s.file, nil }

func (s *scribe) Profile(string, string) *vsai.Profile { return vsai.Profiles()[0] }

func (s *scribe) Chip(profile *vsai.Profile, rows scenario.Rows) (*vsai.Chip, error) {
	fmt.Fprintf(&s.got, "# %s, a %s\n", rows["DEVICE_METADATA"]["localhost"]["hostname"], profile.Name)
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, key := range slices.Sorted(maps.Keys(rows[table])) {
			fmt.Fprintf(&s.got, "%s|%s %v\n", table, key, rows[table][key])
		}
	}
	return vsai.New(vsai.Config{Profile: profile}), nil
}

var errNoAgent = errors.New("there is no agent")

func (s *scribe) Start(context.Context, *vsai.Chip, scenario.Rows, string) (scenario.Program, error) {
	return nil, errNoAgent
}

// TestRows: ports, interfaces, neighbours and routes of a topology, and rows of each
// port that has a link.
func TestRows(t *testing.T) {
	text := `duration: 1ms
topology:
  leaf-spine: {leaves: 2, spines: 2, hosts: 1, rate: 100G}
  switches:
    leaf1:
      chip: spc1
      config: some.json
      rows:
        PORT: {Ethernet4: {mtu: 1500}}
        CABLE_LENGTH: {AZURE: {"*": 40m, Ethernet0: 5m}}
        BUFFER_PG: {"*|3-4": {profile: "NULL"}, "Ethernet0|3-4": {profile: lossless}}
        VLAN: {Vlan1: }
workloads:
  w: {pattern: pairs, from: h1, to: h2, bytes: 1MB}
`
	s := &scribe{t: t, file: scenario.Rows{
		"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
		"VLAN":            {"Vlan1": {"vlanid": "1"}, "Vlan2": {"vlanid": "2"}},
		"CABLE_LENGTH":    {"AZURE": {"Ethernet0": "1m", "Ethernet4": "1m", "Ethernet12": "1m"}},
		"BUFFER_PG":       {"Ethernet4|3-4": {"profile": "lossless"}, "Ethernet12|3-4": {"profile": "lossless"}},
	}}
	_, err := scenario.Run(t.Context(), "s.yaml", []byte(text), scenario.Options{Programmer: s})
	if err == nil || !strings.Contains(err.Error(), "it has no configuration") {
		t.Errorf("error %v for switches without configuration", err)
	}
	text = strings.Replace(text, "workloads:", "switch: {chip: spc1}\nworkloads:", 1)
	if _, err := scenario.Run(t.Context(), "s.yaml", []byte(text), scenario.Options{Programmer: s}); !errors.Is(err, errNoAgent) {
		t.Fatalf("error %v, want %v", err, errNoAgent)
	}
	golden(t, "rows.golden", s.got.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got)\n%s", path, d)
	}
}
