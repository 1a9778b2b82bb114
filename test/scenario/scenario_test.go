package scenario_test

import (
	"bytes"
	"io/fs"
	"testing"

	"xon/cmd/offline"
	"xon/sai/vsai/scenario"
	library "xon/test/scenario"
)

// TestLibrary runs each scenario; all of its assertions hold.
func TestLibrary(t *testing.T) {
	files, err := fs.Glob(library.Files, "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenarios: %v, %v", files, err)
	}
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := fs.ReadFile(library.Files, name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := scenario.Run(t.Context(), name, text, scenario.Options{Programmer: offline.Programmer{}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Assertions) == 0 || !r.OK() {
				var b bytes.Buffer
				_ = r.Print(&b) // a buffer takes everything
				t.Errorf("want assertions that hold\n%s", &b)
			}
			if len(r.Unmet) > 0 {
				t.Errorf("rows are not in force: %q", r.Unmet)
			}
		})
	}
}

// TestHeadroom: with a step more of headroom than headroom-short has nothing is lost.
func TestHeadroom(t *testing.T) {
	text, err := fs.ReadFile(library.Files, "headroom-short.yaml")
	if err != nil {
		t.Fatal(err)
	}
	enough := bytes.Replace(text, []byte("headroom: 38KB"), []byte("headroom: 39KB"), 1)
	r, err := scenario.Run(t.Context(), "enough.yaml", enough, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := *r.Measures["drops"]; n != 0 || bytes.Equal(text, enough) {
		t.Errorf("%g drops, want none", n)
	}
}

// TestAgain: a run with an agent is the same again, recorded or not.
func TestAgain(t *testing.T) {
	text, err := fs.ReadFile(library.Files, "dynamic-buffers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var digests []string
	for _, record := range []bool{false, true} {
		r, err := scenario.Run(t.Context(), "again.yaml", text, scenario.Options{Programmer: offline.Programmer{}, Record: record})
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, r.Digest)
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %v, want equal ones", digests)
	}
}
