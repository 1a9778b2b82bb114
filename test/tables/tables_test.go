package tables_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/redisdb"
)

var update = flag.Bool("update", false, "rewrite what is expected")

// TestTables runs the scripts of testdata. A script is steps between empty lines. Lines
// of a step that begin with "> " are commands to CONFIG_DB, which go there together;
// those that begin with "#" say what for. The others are what comes of it: objects of
// ASIC_DB that appear (+), change (~) and go (-), the rows that are derived (=), as
// CONFIG_DB has them, and those of buffers in APPL_DB (:), and the fates of rows that
// changed.
func TestTables(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got, -update rewrites:\n%s", diff)
			}
		})
	}
}

// run runs a script and returns it with what came of each step.
func run(t *testing.T, script string) string {
	t.Helper()
	r := newRig(t)
	var steps []string
	before, was, others := r.asic(), r.fates(), r.others()
	for step := range strings.SplitSeq(strings.TrimSpace(script), "\n\n") {
		var b redisdb.Batch
		var kept []string
		for line := range strings.Lines(step) {
			line = strings.TrimSuffix(line, "\n")
			text, isCommand := strings.CutPrefix(line, "> ")
			if isCommand {
				command(t, &b, text)
			}
			if isCommand || strings.HasPrefix(line, "#") {
				kept = append(kept, line)
			}
		}
		if b.Len() > 0 {
			r.write(&b)
		}
		after, now, besides := r.asic(), r.fates(), r.others()
		kept = append(kept, difference(before, after, was, now)...)
		steps = append(steps, strings.Join(append(kept, told(others, besides)...), "\n"))
		before, was, others = after, now, besides
	}
	return strings.Join(steps, "\n\n") + "\n"
}

// command adds one command as redis-cli has it: words between spaces, "" for an empty one.
func command(t *testing.T, b *redisdb.Batch, line string) {
	t.Helper()
	words := strings.Fields(line)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, `""`, "")
	}
	switch {
	case words[0] == "HSET" && len(words)%2 == 0 && len(words) > 2:
		for i := 2; i < len(words); i += 2 {
			b.SetField(words[1], words[i], words[i+1])
		}
	case words[0] == "HDEL" && len(words) > 2:
		b.DeleteFields(words[1], words[2:]...)
	case words[0] == "DEL" && len(words) > 1:
		b.Delete(words[1:]...)
	default:
		t.Fatalf("no such command: %s", line)
	}
}
