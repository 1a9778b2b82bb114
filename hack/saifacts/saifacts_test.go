package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xon/hack/saifacts/headers"
	"xon/sai/facts"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const sai118 = "../../sai/facts/sai-1.18.facts"

// saifacts runs the command and returns what it prints.
func saifacts(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(args, &out)
	return out.String(), err
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got, -update rewrites):\n%s", file, d)
	}
}

func mustLoad(t *testing.T, file string) *facts.Facts {
	t.Helper()
	f, err := load(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func needCompiler(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("CC") == "" {
		t.Skip("no gcc")
	}
}

func TestExtract(t *testing.T) {
	t.Parallel()
	got, err := saifacts(t, "extract", "testdata/inc")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/inc.facts", got)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	needCompiler(t)
	out, err := saifacts(t, "check", "testdata/inc.facts", "testdata/inc")
	if err != nil || !strings.Contains(out, " checks, 0 wrong") || !strings.Contains(out, " 0 missing") {
		t.Errorf("check: %v\n%s", err, out)
	}
}

// mutations are wrong facts, with what check and diff have to say of each.
var mutations = []struct{ name, old, new, check, diff string }{
	{"value", "17 SHUT", "16 SHUT", "WRONG SAI_GATE_TYPE_SHUT: compiler 17, facts 16", "! value SAI_GATE_TYPE_SHUT: 17 → 16"},
	{"lost value", " 17 SHUT\n", "", "MISSING SAI_GATE_TYPE_SHUT = 17", "- value SAI_GATE_TYPE_SHUT: 17"},
	{"status", "FAILURE -1", "FAILURE -2", "WRONG SAI_STATUS_FAILURE", "! status FAILURE: -1 → -2"},
	{"constant", "SAI_RANGE 15", "SAI_RANGE 16", "WRONG SAI_RANGE", "! const SAI_RANGE: 15 → 16"},
	{"text", `"SAI_COLOR"`, `"SAI_PAINT"`, "WRONG SAI_KEY_COLOR", "! const SAI_KEY_COLOR: SAI_COLOR → SAI_PAINT"},
	{"scalar", "mac_t u8[6]", "mac_t u8[8]", "WRONG type sai_mac_t", "! scalar mac_t: u8[6] → u8[8]"},
	{"size", "gate_entry_t 16 8", "gate_entry_t 14 8", "WRONG sizeof sai_gate_entry_t", "! size gate_entry_t"},
	{"offset", " 4 shape shape", " 8 shape shape", "WRONG offsetof(sai_odd_t, shape)", "! field odd_t.shape: shape at 4 → shape at 8"},
	{"member type", "0 width u8", "0 width s8", "WRONG type of sai_hinge_t.width", "! field hinge_t.width"},
	{"lost member", " 8 name char*\n", "", "MISSING sai_odd_t.name = 8", "- field odd_t.name"},
	{"slot order", " 0 create_gate create\n 1 remove_gate remove\n", " 0 remove_gate remove\n 1 create_gate create\n", "WRONG offsetof sai_gate_api_t.remove_gate", "! slot gate.create_gate: 0, create → 1, create"},
	{"slot shape", "1 remove_gate remove", "1 remove_gate set", "WRONG type of sai_gate_api_t.remove_gate", "! slot gate.remove_gate: 1, remove → 1, set"},
	{"slot without a prototype", "1 remove_gate remove", "1 remove_gate jump", "WRONG prototype of gate.remove_gate", "! slot gate.remove_gate"},
	{"lost slot", " 5 scrape_gate fn:paint_gate_fn\n", "", "MISSING sai_gate_api_t.scrape_gate", "- slot gate.scrape_gate"},
	{"api", "api gate 20", "api gate 19", "WRONG SAI_API_GATE", "! api gate: 20 → 19"},
	{"function", "func api_query status_t (api_t api,", "func api_query status_t (u32 api,", "", "! func api_query"},
	{"function return", "func api_query status_t", "func api_query void", "WRONG type of &sai_api_query", "! func api_query"},
	{"function type", "paint_gate_fn status_t (object_id_t gate_id,", "paint_gate_fn status_t (u8 gate_id,", "WRONG type paint_gate_fn", "! fn paint_gate_fn"},
	{"object", "object gate 1 ", "object gate 3 ", "WRONG SAI_OBJECT_TYPE_GATE", "! object gate: 1 → 3"},
	{"object end", "end=512", "end=511", "WRONG SAI_GATE_ATTR_END", ""},
	{"attribute", " 3 NEXT ", " 4 NEXT ", "WRONG SAI_GATE_ATTR_NEXT", "! attr SAI_GATE_ATTR_NEXT: 3 → 4"},
	{"attribute type", "6 NOW gate_type_t", "6 NOW gate_color_t", "", "! type SAI_GATE_ATTR_NOW: gate_type_t → gate_color_t"},
	{"attribute flags", "TYPE gate_type_t MCK", "TYPE gate_type_t MC", "", "! flags SAI_GATE_ATTR_TYPE: MCK → MC"},
	{"attribute rules", "def=SAI_RANGE", "def=3", "", "! rules SAI_GATE_ATTR_WIDTH: res prec=2 def=SAI_RANGE → res prec=2 def=3"},
	{"lost attribute", " 6 NOW gate_type_t R\n", "", "MISSING SAI_GATE_ATTR_NOW = 6", "- attr SAI_GATE_ATTR_NOW: 6"},
	{"statistic", " 1 CLOSED", " 7 CLOSED", "WRONG SAI_GATE_STAT_CLOSED", "! stat SAI_GATE_STAT_CLOSED: 1 → 7"},
	{"new statistic", " 1 CLOSED", " 1 CLOSED\n 2 SLAMMED", "error", "+ stat SAI_GATE_STAT_SLAMMED: 2"},
}

// Every wrong fact is reported, by the compiler and by a comparison.
func TestMutations(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/inc.facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			wrong := strings.Replace(string(text), m.old, m.new, 1)
			if wrong == string(text) {
				t.Fatalf("no %q in the facts", m.old)
			}
			file := filepath.Join(t.TempDir(), "wrong.facts")
			if err := os.WriteFile(file, []byte(wrong), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := saifacts(t, "diff", "testdata/inc.facts", file)
			if err != nil || !strings.Contains(out, m.diff) {
				t.Errorf("diff: %v\n%s\nwant %q", err, out, m.diff)
			}
			if m.check == "" {
				return
			}
			needCompiler(t)
			switch out, err := saifacts(t, "check", file, "testdata/inc"); {
			case m.check == "error":
				if err == nil || !strings.Contains(err.Error(), "SLAMMED") {
					t.Errorf("check: error %v", err)
				}
			case !errors.Is(err, errDiffer) || !strings.Contains(out, m.check):
				t.Errorf("check: %v\n%s\nwant %q", err, out, m.check)
			}
		})
	}
}

// All facts of SAI 1.18 written as headers and read again are the same facts.
func TestExtractAll(t *testing.T) {
	t.Parallel()
	want := mustLoad(t, sai118)
	f, err := headers.Parse(synthesize(want))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	got, err := facts.Parse(&text)
	if err != nil {
		t.Fatal(err)
	}
	if got.Version != want.Version {
		t.Errorf("version %s, want %s", got.Version, want.Version)
	}
	lines, _ := compare(flat(want), flat(got))
	for _, l := range lines {
		t.Error(l)
	}
}

// The compiler finds every fact of SAI 1.18 in such headers, and nothing else.
func TestCheckAll(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	needCompiler(t)
	dir := t.TempDir()
	for _, h := range synthesize(mustLoad(t, sai118)) {
		text := "#ifndef GUARD_" + strings.TrimSuffix(h.Name, ".h") + "\n#define GUARD_" + strings.TrimSuffix(h.Name, ".h") + "\n" + h.Text + "#endif\n"
		if err := os.WriteFile(filepath.Join(dir, h.Name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := saifacts(t, "check", sai118, dir)
	if err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
	t.Log(out)
}

func TestDiff(t *testing.T) {
	t.Parallel()
	out, err := saifacts(t, "diff", "testdata/inc.facts", "testdata/next.facts")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/diff.txt", out)
	if out, err := saifacts(t, "diff", sai118, sai118); err != nil || out != "" {
		t.Errorf("a file differs from itself: %v\n%s", err, out)
	}
}

// Facts carry the first version that has them as they are.
func TestSince(t *testing.T) {
	t.Parallel()
	out, err := saifacts(t, "since", "testdata/inc.facts", "testdata/next.facts")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/since.facts", out)
	head := filepath.Join(t.TempDir(), "head.facts")
	text, err := os.ReadFile("testdata/next.facts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(head, []byte(strings.Replace(string(text), "2.4.0", "2.3.1", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err = saifacts(t, "since", "testdata/inc.facts", head)
	if err != nil || !strings.Contains(out, " 18 LOCKED since=2.3.1+\n") {
		t.Errorf("what came after the last release is not marked so: %v\n%s", err, out)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"frobnicate"}} {
		if _, err := saifacts(t, args...); !errors.Is(err, errUsage) {
			t.Errorf("saifacts %v: error %v", args, err)
		}
	}
	out, err := saifacts(t, "--help")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if !strings.Contains(out, "saifacts "+c.name+" "+c.args) {
			t.Errorf("help does not have %s", c.name)
		}
		if _, err := saifacts(t, c.name); err == nil || !strings.Contains(err.Error(), c.args) {
			t.Errorf("saifacts %s: error %v", c.name, err)
		}
		args := []string{c.name, "nowhere", "nowhere"}
		if _, err := saifacts(t, args...); err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("saifacts %v: error %v", args, err)
		}
	}
}
