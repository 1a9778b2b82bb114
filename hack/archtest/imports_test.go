// Package archtest holds the tests of the tree itself.
package archtest

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "xon/"

// A rule says what a package may import from this module, as patterns. The longest
// matching rule wins; a package that matches none fails, so a new folder needs a line.
type rule struct{ pkg, may string }

var rules = []rule{
	{"sai", ""},
	{"sai/facts", ""},
	{"sai/vsai", "sai"},
	{"sai/vsai/dataplane", ""},
	{"sai/vsai/forwarding", "sai/vsai/dataplane"},
	{"sai/vsai/scenario/trace", "sai/vsai/dataplane"},
	{"sai/vsai/scenario/trace/tracetest", "sai/vsai/dataplane sai/vsai/scenario/trace"},
	{"sai/vsai/bridge", "sai sai/vsai sai/vsai/dataplane sai/vsai/forwarding"},
	{"sai/vsai/scenario", "sai/vsai sai/vsai/bridge sai/vsai/dataplane sai/vsai/forwarding sai/vsai/scenario/trace"},
	{"sai/vsai/scenario/report", "sai/vsai/dataplane sai/vsai/scenario sai/vsai/scenario/trace"},
	{"sai/remote", "sai"},
	{"sai/observe", "sai"},
	{"sai/saitest", "sai"},
	{"schema/*", "schema/*"},
	{"orchagent/graph", "orchagent/graph/traits sai schema/configdb"},
	{"orchagent/graph/traits", "sai"},
	{"orchagent/intent", "orchagent/graph sai schema/configdb"},
	{"orchagent/bufmgr", "orchagent/graph schema/configdb schema/platform"},
	{"orchagent/*orch", "orchagent/graph orchagent/intent sai schema/configdb"},
	{"orchagent/bufferorch", "orchagent/graph orchagent/intent sai schema/configdb schema/platform"},
	{"orchagent/inventory", "orchagent/graph orchagent/intent sai schema/configdb"},
	{"orchagent/reconcile", "orchagent/graph orchagent/graph/traits sai"},
	{"orchagent/state", "orchagent/bufmgr orchagent/graph orchagent/intent orchagent/inventory schema/configdb schema/statedb"},
	{"orchagent/resolve", "orchagent/bufmgr orchagent/graph orchagent/intent orchagent/inventory orchagent/state orchagent/*orch sai schema/configdb schema/statedb"},
	{"orchagent/changelimit", "orchagent/graph"},
	{"orchagent/report", "orchagent/bufmgr orchagent/graph orchagent/intent orchagent/reconcile sai schema/configdb schema/statedb"},
	{"orchagent/audit", "orchagent/crash schema/configdb"},
	{"orchagent/crash", ""},
	{"orchagent/feed", "schema/*"},
	{"orchagent/notifications", "sai schema/redisdb"},
	{"orchagent/vstest", "sai schema/redisdb"},
	{"orchagent/publish", "orchagent/bufmgr orchagent/notifications orchagent/graph orchagent/intent orchagent/reconcile orchagent/report sai schema/*"},
	{"orchagent/counters", "orchagent/graph orchagent/crash orchagent/intent sai schema/*"},
	{"orchagent", "orchagent/audit orchagent/bufmgr orchagent/bufferorch orchagent/changelimit orchagent/graph orchagent/crash orchagent/intent orchagent/inventory orchagent/pfcorch orchagent/reconcile orchagent/report orchagent/resolve orchagent/state sai schema/configdb schema/statedb"},
	{"gnmi/*", "gnmi/* schema/*"},
	{"cmd/*", "* */* */*/* */*/*/*"},
	{"test/*", "schema/* test/*"},
	{"hack/*", "sai/facts hack/*/*"},
	{"hack/*/*", "sai/facts"},
}

// TestImports checks import direction, so that "where does this go" has one answer.
func TestImports(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		pkg := strings.TrimPrefix(fields[0], module)
		imports[pkg] = []string{}
		for _, imp := range fields[1:] {
			if rel, ours := strings.CutPrefix(imp, module); ours {
				imports[pkg] = append(imports[pkg], rel)
			}
		}
	}
	for _, fault := range importFaults(rules, imports) {
		t.Error(fault)
	}
}

// TestImportFaults checks that each kind of fault is found.
func TestImportFaults(t *testing.T) {
	t.Parallel()
	good := []rule{{"orchagent", "orchagent/a sai"}, {"orchagent/a", "sai"}, {"orchagent/b", "sai"}, {"sai", ""}}
	imports := map[string][]string{"orchagent": {"orchagent/a", "sai"}, "orchagent/a": {"sai"}, "orchagent/b": {"sai"}, "sai": {}}
	if faults := importFaults(good, imports); len(faults) != 0 {
		t.Errorf("faults where there are none: %q", faults)
	}
	with := func(pkg, may string) []rule {
		return append(slices.DeleteFunc(slices.Clone(good), func(r rule) bool { return r.pkg == pkg }), rule{pkg, may})
	}
	for _, tt := range []struct {
		rules []rule
		want  string
	}{
		{good[1:], "orchagent: no rule; add one to this file and to docs/ARCHITECTURE.md"},
		{with("orchagent/a", ""), "orchagent/a must not import sai"},
		{with("orchagent/a", "sai schema/*"), "orchagent/a may import schema/* and does not"},
		{append(slices.Clone(good), rule{"gnmi", ""}), "no package is called gnmi"},
		{with("orchagent/a", "sai orchagent"), "orchagent may import itself by way of others: orchagent orchagent/a orchagent"},
	} {
		if faults := importFaults(tt.rules, imports); !slices.Contains(faults, tt.want) {
			t.Errorf("faults %q, want %q", faults, tt.want)
		}
	}
	imports["orchagent/b"] = []string{"orchagent", "sai"}
	if faults := importFaults(with("orchagent/b", "orchagent sai"), imports); !slices.Contains(faults, "orchagent/b must not import the agent's loop") {
		t.Errorf("faults of an import upward: %q", faults)
	}
}

// importFaults returns what is wrong with the imports of packages, and with the rules:
// a permission that no package uses, and a way round in the permissions of orchagent.
func importFaults(rules []rule, imports map[string][]string) (faults []string) {
	say := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	pkgs := slices.Sorted(maps.Keys(imports))
	used := map[rule]bool{} // a rule with one of its patterns
	found := map[string]bool{}
	for _, pkg := range pkgs {
		r, ok := ruleOf(rules, pkg)
		if !ok {
			say("%s: no rule; add one to this file and to docs/ARCHITECTURE.md", pkg)
			continue
		}
		found[r.pkg] = true
		for _, imp := range imports[pkg] {
			may := matching(r.may, imp)
			if len(may) == 0 {
				say("%s must not import %s", pkg, imp)
			}
			for _, p := range may {
				used[rule{r.pkg, p}] = true
			}
		}
		if strings.HasPrefix(pkg, loop+"/") && slices.Contains(imports[pkg], loop) {
			say("%s must not import the agent's loop", pkg)
		}
	}
	for _, r := range rules {
		if !found[r.pkg] {
			say("no package is called %s", r.pkg)
		}
		for p := range strings.FieldsSeq(r.may) {
			if found[r.pkg] && !used[rule{r.pkg, p}] {
				say("%s may import %s and does not", r.pkg, p)
			}
		}
	}
	for _, pkg := range pkgs {
		if way := wayBack(rules, pkgs, []string{pkg}); way != nil {
			say("%s may import itself by way of others: %s", pkg, strings.Join(way, " "))
		}
	}
	return faults
}

// loop is the package of the agent's loop.
const loop = "orchagent"

// wayBack extends a way of permitted imports inside orchagent until it is back at its
// first package; nil if it never is.
func wayBack(rules []rule, pkgs, way []string) []string {
	at := way[len(way)-1]
	if at != loop && !strings.HasPrefix(at, loop+"/") {
		return nil
	}
	r, _ := ruleOf(rules, at)
	for _, next := range pkgs {
		switch {
		case len(matching(r.may, next)) == 0:
		case next == way[0]:
			return append(way, next)
		case !slices.Contains(way, next):
			if back := wayBack(rules, pkgs, append(slices.Clip(way), next)); back != nil {
				return back
			}
		}
	}
	return nil
}

func ruleOf(rules []rule, pkg string) (best rule, ok bool) {
	for _, r := range rules {
		if hit, _ := path.Match(r.pkg, pkg); hit && (!ok || len(r.pkg) > len(best.pkg)) {
			best, ok = r, true
		}
	}
	return best, ok
}

// matching are those of some patterns that a package matches.
func matching(patterns, pkg string) (hits []string) {
	for p := range strings.FieldsSeq(patterns) {
		if hit, _ := path.Match(p, pkg); hit {
			hits = append(hits, p)
		}
	}
	return hits
}
