package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders are the top-level folders; there are no others.
var folders = []string{"cmd", "docs", "gnmi", "hack", "orchagent", "sai", "schema", "test"}

// TestFolders keeps the top of the tree as docs/ARCHITECTURE.md draws it.
func TestFolders(t *testing.T) {
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if hidden := strings.HasPrefix(e.Name(), "."); e.IsDir() && !hidden && !slices.Contains(folders, e.Name()) && e.Name() != "bin" && e.Name() != "run" {
			t.Errorf("folder %s is not one of %v", e.Name(), folders)
		}
	}
}

const maxFileLines = 400

// TestFileLength: a file that nobody can hold in mind hides things.
func TestFileLength(t *testing.T) {
	eachGoFile(t, func(name string, text []byte) {
		if strings.HasPrefix(filepath.Base(name), "z") || strings.HasSuffix(name, "_test.go") {
			return
		}
		if n := strings.Count(string(text), "\n"); n > maxFileLines {
			t.Errorf("%s has %d lines, over %d", name, n, maxFileLines)
		}
	})
}

var exits = regexp.MustCompile(`\b(os\.Exit|log\.Fatal\w*|logrus\.(Fatal|Exit|Panic)\w*|syscall\.Exit)\b|\.Fatal(f|ln)?\(`)

// TestNoExit: nothing but a main function ends the process.
func TestNoExit(t *testing.T) {
	eachGoFile(t, func(name string, text []byte) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "../../sai/saitest/") || filepath.Base(name) == "main.go" {
			return
		}
		if hit := exits.Find(text); hit != nil {
			t.Errorf("%s: %s outside main", name, hit)
		}
	})
}

func eachGoFile(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		f(name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
