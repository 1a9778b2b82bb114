package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xon/sai/facts"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// The files of package sai are what the facts give.
func TestFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := run([]string{"-facts", "../../sai/facts/sai-1.18.facts", "-out", dir}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob("../../sai/z*.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(bases(want), bases(have)); d != "" {
		t.Errorf("files (-generated +there):\n%s", d)
	}
	for _, f := range want {
		old, err := os.ReadFile(filepath.Join("../../sai", filepath.Base(f)))
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(f); !bytes.Equal(text, old) {
			t.Errorf("%s is stale: run go generate ./sai", filepath.Base(f))
		}
	}
}

func bases(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = filepath.Base(f)
	}
	return out
}

// A small SAI, to see what comes of each kind of fact.
func TestGolden(t *testing.T) {
	t.Parallel()
	f, err := readFacts("testdata/small.facts")
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(f, []string{"gate", "switch"})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&got, "-- %s --\n%s", name, files[name])
	}
	golden := "testdata/small.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("(-want +got, -update rewrites):\n%s", d)
	}
}

// Facts that the generator does not understand stop it, with the attribute.
func TestGenerateErrors(t *testing.T) {
	t.Parallel()
	small, err := os.ReadFile("testdata/small.facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"type", "LIMIT u32_range_t", "LIMIT mystery_t", "attribute LIMIT: type mystery_t"},
		{"struct with a pointer", "NUMBERS u16_list_t", "NUMBERS bad_event_t", "attribute NUMBERS: type bad_event_t has no codec"},
		{"member", "LIMIT u32_range_t", "LIMIT gate_entry_t", "member mac_address"},
		{"default", "def=SAI_LIMIT", "def=SAI_NOTHING", `attribute WIDTH: default "SAI_NOTHING"`},
		{"condition of nothing", "valid=TYPE==SHUT", "valid=KIND==SHUT", "no attribute KIND"},
		{"condition value", "valid=TYPE==SHUT", "valid=TYPE==LOCKED", "LOCKED is no number"},
		{"condition operator", "valid=TYPE==SHUT", "valid=TYPE", "not a comparison"},
		{"condition brackets", "if=(TYPE==OPEN|TYPE==SHUT)", "if=(TYPE==OPEN|TYPE==SHUT", "closing bracket"},
		{"condition rest", "valid=TYPE==SHUT", "valid=TYPE==SHUT)", "left over"},
		{"API", "object switch 33 switch", "object switch 33 gate", "no objects of API switch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(string(small), c.old, c.new, 1)
			f, err := facts.Parse(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = generate(f, []string{"gate", "switch"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"BUFFER_PROFILE_ID": "BufferProfileID", "qos_map": "QoSMap", "DST_IPV6": "DstIPv6", "_ODD__NAME_": "OddName",
	} {
		if got := camel(in); got != want {
			t.Errorf("camel(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]int{"": 0, "1.18.3": 11803, "1.18.0+": 11900, "1.2": 0, "a.b.c": 0} {
		if got := version(in); got != want {
			t.Errorf("version(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run([]string{"-h"}, &out); err != nil || !strings.Contains(out.String(), "saifacts extract") {
		t.Errorf("help: %v, %s", err, out.String())
	}
	if err := run([]string{"-facts", "nowhere"}, &out); err == nil {
		t.Error("no error for a file that is not there")
	}
}
