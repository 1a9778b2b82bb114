package main

import "testing"

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
