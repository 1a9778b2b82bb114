// Command mutants breaks the agent on purpose, one line at a time, and checks that
// the tests notice. A mutant that survives means that a test is missing.
//
// Nothing in the tree is changed: the broken file is laid over the right one for one
// run of go test. The list of mutations is in list.go.
//
//	go run ./hack/mutants [-seeds n] [-timeout d] [part of a name ...]
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mutant is a bug, put in by exchanging text.
type mutant struct {
	name string // what it breaks, in one word, and what it does
	file string // from the top of the tree
	old  string // there exactly once
	new  string
	// same is why the mutant changes nothing that can be seen, if that is so; it is
	// then no failure if it survives.
	same string
}

// suites have the tests that have to notice bugs in files that begin so, the faster
// ones first. The first that fits counts.
var suites = []struct {
	files    string
	packages []string
}{
	{"orchagent/bufmgr/", []string{"./orchagent/bufmgr", "./orchagent"}},
	{"orchagent/publish/", []string{"./orchagent/publish"}},
	{"", []string{"./orchagent/reconcile", "./orchagent"}},
}

// noWalks is the package whose tests have no random walks, nor flags of such.
const noWalks = "./orchagent/publish"

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	seeds := flags.Int("seeds", 30, "random walks of each property test")
	timeout := flags.Duration("timeout", 5*time.Minute, "of the tests of one package: what hangs is noticed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := sound(ctx, *seeds, *timeout); err != nil {
		return err
	}
	var survived, tried int
	for i, m := range mutants {
		if !matches(m.name, flags.Args()) {
			continue
		}
		overlay, err := m.lay(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return err
		}
		start := time.Now()
		by, err := test(ctx, m.packages(), overlay, *seeds, *timeout)
		if err != nil && ctx.Err() != nil {
			return err
		}
		tried++
		switch {
		case err != nil:
			by = err.Error()
			survived++
		case by == "" && m.same != "":
			by = "the same: " + m.same
		case by == "":
			by = "SURVIVED"
			survived++
		}
		fmt.Fprintf(out, "%-60s %4.0fs  %s\n", m.name, time.Since(start).Seconds(), by)
	}
	fmt.Fprintf(out, "%d mutants, %d survived\n", tried, survived)
	if survived > 0 {
		return errors.New("a test is missing for each survivor")
	}
	return nil
}

// sound returns an error if tests fail without any mutant.
func sound(ctx context.Context, seeds int, timeout time.Duration) error {
	var all []string
	for _, s := range suites {
		all = append(all, s.packages...)
	}
	slices.Sort(all)
	if by, err := test(ctx, slices.Compact(all), "", seeds, timeout); err != nil || by != "" {
		return fmt.Errorf("without a mutant the tests fail already: %s", cmp.Or(by, fmt.Sprint(err)))
	}
	return nil
}

func matches(name string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(name, p) {
			return true
		}
	}
	return len(parts) == 0
}

// packages have the tests that have to notice.
func (m *mutant) packages() []string {
	for _, s := range suites {
		if strings.HasPrefix(m.file, s.files) {
			return s.packages
		}
	}
	return nil
}

// apply returns the file with the bug in it.
func (m *mutant) apply() (string, error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s: %s has %q %d times: the mutation is out of date", m.name, m.file, m.old, n)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}

// lay writes the broken file and an overlay that puts it in the place of the right
// one, and returns the overlay's name.
func (m *mutant) lay(prefix string) (string, error) {
	text, err := m.apply()
	if err != nil {
		return "", err
	}
	right, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	broken := prefix + ".go"
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {right: broken}})
	if err != nil {
		return "", err
	}
	return prefix + ".json", errors.Join(os.WriteFile(broken, []byte(text), 0o600), os.WriteFile(prefix+".json", overlay, 0o600))
}

var (
	failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	burst  = regexp.MustCompile(`(?m)^panic: (.*)`)
)

// test runs the tests of packages and returns which one noticed, "" if none did.
// overlay may be "".
func test(ctx context.Context, packages []string, overlay string, seeds int, timeout time.Duration) (by string, err error) {
	for _, pkg := range packages {
		args := []string{"test", "-overlay", overlay, "-failfast", "-count=1", "-timeout", timeout.String(), pkg}
		if pkg != noWalks {
			args = append(args, "-seeds", strconv.Itoa(seeds), "-cut", "0s")
		}
		cmd := exec.CommandContext(ctx, "go", args...)
		text, err := cmd.CombinedOutput()
		switch out := string(text); {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return "", ctx.Err()
		case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
			return "", fmt.Errorf("it does not compile:\n%s", out)
		default:
			return noticed(strings.TrimPrefix(pkg, "./"), out), nil
		}
	}
	return "", nil
}

// noticed names the tests that failed, the first by name of those that have no parts.
func noticed(pkg, out string) string {
	by := "something"
	if m := burst.FindStringSubmatch(out); m != nil {
		by = "panic: " + m[1]
	}
	for _, m := range failed.FindAllStringSubmatch(out, -1) {
		by = m[1] // parts come after their whole
		if strings.Contains(by, "/") {
			break
		}
	}
	return pkg + " " + by
}
