// Package archtest holds the tests of the tree itself.
package archtest

import (
	"bufio"
	"bytes"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "xon/"

// rules says what a package may import from this module. The longest matching
// pattern wins; a package that matches none fails, so a new folder needs a line.
var rules = []struct{ pkg, may string }{
	{"sai", ""},
	{"sai/meta", "sai"},
	{"sai/facts", ""},
	{"sai/vsai", "sai sai/meta"},
	{"sai/vsai/dataplane", ""},
	{"sai/vsai/forwarding", "sai/vsai/dataplane"},
	{"sai/vsai/scenario/trace", "sai/vsai/dataplane"},
	{"sai/vsai/scenario/trace/tracetest", "sai/vsai/dataplane sai/vsai/scenario/trace"},
	{"sai/vsai/bridge", "sai sai/meta sai/vsai sai/vsai/dataplane sai/vsai/forwarding"},
	{"sai/vsai/scenario", "sai sai/vsai sai/vsai/bridge sai/vsai/dataplane sai/vsai/forwarding sai/vsai/scenario/trace"},
	{"sai/vsai/scenario/report", "sai/vsai/dataplane sai/vsai/scenario sai/vsai/scenario/trace"},
	{"sai/remote", "sai sai/meta"},
	{"sai/observe", "sai sai/meta"},
	{"sai/saitest", "sai sai/meta"},
	{"schema/*", "schema/*"},
	{"orchagent/graph", "sai sai/meta schema/configdb"},
	{"orchagent/intent", "orchagent/graph sai sai/meta schema/configdb"},
	{"orchagent/bufmgr", "orchagent/graph schema/configdb schema/platform"},
	{"orchagent/*orch", "orchagent/graph orchagent/intent sai sai/meta schema/configdb"},
	{"orchagent/bufferorch", "orchagent/graph orchagent/intent sai sai/meta schema/configdb schema/platform"},
	{"orchagent/inventory", "orchagent/graph orchagent/intent sai sai/meta schema/configdb"},
	{"orchagent/reconcile", "orchagent/graph sai sai/meta"},
	{"orchagent/state", "orchagent/bufmgr orchagent/graph orchagent/intent orchagent/inventory schema/configdb schema/statedb"},
	{"orchagent/resolve", "orchagent/bufmgr orchagent/graph orchagent/intent orchagent/inventory orchagent/state orchagent/*orch sai schema/configdb schema/statedb"},
	{"orchagent/changelimit", "orchagent/graph"},
	{"orchagent/audit", "orchagent/guard schema/configdb"},
	{"orchagent/guard", ""},
	{"orchagent/feed", "schema/*"},
	{"orchagent/events", "sai schema/redisdb"},
	{"orchagent/inject", "sai schema/redisdb"},
	{"orchagent/publish", "orchagent orchagent/* sai schema/*"},
	{"orchagent/counters", "orchagent orchagent/* sai schema/*"},
	{"orchagent", "orchagent/* sai sai/meta schema/configdb schema/statedb"},
	{"gnmi/*", "gnmi/* schema/*"},
	{"cmd/*", "* */* */*/* */*/*/*"},
	{"test/*", "* */* */*/* */*/*/*"},
	{"hack/*", "sai sai/facts hack/* hack/*/*"},
	{"hack/*/*", "sai/facts"},
}

// TestImports checks import direction, so that "where does this go" has one answer.
func TestImports(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		pkg := strings.TrimPrefix(fields[0], module)
		may, ok := allowed(pkg)
		if !ok {
			t.Errorf("%s: no rule; add one to this file and to docs/ARCHITECTURE.md", pkg)
			continue
		}
		for _, imp := range fields[1:] {
			if rel, ours := strings.CutPrefix(imp, module); ours && !matches(may, rel) {
				t.Errorf("%s must not import %s", pkg, rel)
			}
		}
	}
}

func allowed(pkg string) (may string, ok bool) {
	best := -1
	for _, r := range rules {
		if hit, _ := path.Match(r.pkg, pkg); hit && len(r.pkg) > best {
			best, may, ok = len(r.pkg), r.may, true
		}
	}
	return may, ok
}

func matches(patterns, pkg string) bool {
	for p := range strings.FieldsSeq(patterns) {
		if hit, _ := path.Match(p, pkg); hit {
			return true
		}
	}
	return false
}
