package scenario_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"xon/cmd/offline"
	"xon/sai/vsai/scenario"
	library "xon/test/scenario"
)

// TestConfigs: scenarios of the library run with a config_db.json in place of their model:
// one of the tree, and those of real switches where they are. What they have no use for
// is said; nothing else stops them.
func TestConfigs(t *testing.T) {
	configs, _ := filepath.Glob("../../../shared/data/config/*/config_db.json") // an extra
	for _, c := range append(configs, "testdata/traditional/config_db.json") {
		for _, name := range []string{"storm.yaml", "lossy-beside-lossless.yaml"} {
			t.Run(filepath.Base(filepath.Dir(c))+" "+name, func(t *testing.T) {
				t.Parallel()
				text, err := fs.ReadFile(library.Files, name)
				if err != nil {
					t.Fatal(err)
				}
				r, err := scenario.Run(t.Context(), name, text, scenario.Options{Config: c, Programmer: offline.Programmer{}})
				if err != nil {
					if !strings.Contains(err.Error(), "all of which already have a link") {
						t.Error(err)
					}
					return
				}
				if len(r.Unmet) > 0 || !strings.Contains(r.Warnings[0], "--config replaces the model") {
					t.Errorf("not applied: %q, warnings %q; want none, that the model is replaced first", r.Unmet, r.Warnings)
				}
				if *r.Measures["delivered"]+*r.Measures["drops"] == 0 {
					t.Error("nothing was sent")
				}
			})
		}
	}
}
