package completion_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asProgram has the test binary be the program that bash completes.
const asProgram = "COMPLETION_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	if err := program().Execute(); err != nil {
		os.Exit(1)
	}
}

// ask is what bash is made to do: it sets what it would set for a line, calls the
// function that is registered, and prints what came of it.
const ask = `
set -u
source <(prog completion bash)
compopt() { printf '%s ' "$*"; }
registered=$(complete -p prog)
COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
function=${registered#*-F }
"${function% prog}" prog
printf '[%s]' "${COMPREPLY[@]}"
`

// TestBash: a real bash, with the script as it is printed.
func TestBash(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	wrapper := fmt.Sprintf("#!/bin/sh\n%s=1 exec %s \"$@\"\n", asProgram, self)
	if err := os.WriteFile(filepath.Join(dir, "prog"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"prog get 'PORT|E":     "-o nosort [PORT|Ethernet0][PORT|Ethernet10]",
		`prog get "PORT|$`:     `-o nosort [PORT|\$x]`,
		`prog get PORT\|a\ b`:  `-o nosort [PORT\|a\ b:c=d]`,
		"prog get PORT":        `-o nosort -o nospace [PORT\|]`,
		"prog get --port=E":    "-o nosort [Ethernet0][Ethernet4]",
		"prog file ":           "-o nosort -o bashdefault -o default []",
		"X=1 prog get 'PORT|$": "-o nosort [PORT|$x]",
	} {
		cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", ask, "bash", line)
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
