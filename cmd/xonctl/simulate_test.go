package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	library "xon/test/scenario"
)

// TestHelpExample: the scenario that --help shows does what it says, at a switch that a
// config_db.json configures: its storm comes, its assertions hold.
func TestHelpExample(t *testing.T) {
	_, rest, ok := strings.Cut(aboutSimulate, "A small one:\n\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	if !ok {
		t.Fatal("there is no example")
	}
	dir := t.TempDir()
	put := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("mine.yaml", []byte(regexp.MustCompile(`(?m)^  `).ReplaceAllString(text, "")))
	for _, name := range []string{"config_db.json", "pg_profile_lookup.ini"} {
		file, err := os.ReadFile(filepath.Join("../../test/scenario/testdata/traditional", name))
		if err != nil {
			t.Fatal(err)
		}
		put(name, file)
	}
	var out, errout bytes.Buffer
	if code := run(t.Context(), []string{"simulate", filepath.Join(dir, "mine.yaml")}, nil, &out, &errout); code != 0 {
		t.Errorf("exit status %d\n%s%s", code, &out, &errout)
	}
	if !strings.Contains(out.String(), "✓ first_mark before first_pause") || strings.Contains(out.String(), "problem") {
		t.Errorf("want marks before pauses, and no problem\n%s", &out)
	}
}

// TestWithConfig: of each scenario that xonctl brings along only what its switches are
// is replaced.
func TestWithConfig(t *testing.T) {
	files, err := library.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := library.Files.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		got := string(withConfig(text, "a b.json"))
		before, rest, _ := strings.Cut(string(text), "\nswitch:")
		_, after, _ := strings.Cut(rest, "\nworkloads:")
		if want := before + "\nswitch: {config: \"a b.json\"}\nworkloads:" + after; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name(), got, want)
		}
	}
	if got, want := string(withConfig([]byte("duration: 1ms\n"), "c")), "duration: 1ms\nswitch: {config: \"c\"}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
