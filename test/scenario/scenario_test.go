package scenario_test

import (
	"bytes"
	"io/fs"
	"testing"

	"xon/cmd/trial"
	"xon/sai/vsai/scenario"
	library "xon/test/scenario"
)

// TestLibrary runs each scenario; all of its assertions hold, and a second run is equal.
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
			var digest string
			for range 2 {
				r, err := scenario.Run(t.Context(), name, text, scenario.Options{Programmer: trial.Programmer{}, Record: true})
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
				if digest == "" {
					digest = r.Digest
				}
				if digest != r.Digest {
					t.Errorf("digest %s, then %s", digest, r.Digest)
				}
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
