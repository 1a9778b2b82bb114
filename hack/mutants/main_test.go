package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBroken: tests that fail anyway notice no mutant, so none is tried.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho '--- FAIL: TestFlaky (0.01s)'\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	var out strings.Builder
	err := run(t.Context(), nil, &out)
	if err == nil || !strings.Contains(err.Error(), "TestFlaky") || out.String() != "" {
		t.Errorf("%v, said %q", err, out.String())
	}
}

// TestUpToDate: every mutation finds its place.
func TestUpToDate(t *testing.T) {
	t.Chdir("../..")
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.name] {
			t.Errorf("%s is there twice", m.name)
		}
		seen[m.name] = true
		if text, err := m.apply(); err != nil {
			t.Error(err)
		} else if text == "" {
			t.Errorf("%s leaves nothing", m.name)
		}
	}
}
