package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"xon/sai/facts"
)

// check compares a facts file with headers in both directions: every fact with the
// compiler's result, and every name in its debug information with the facts.
func check(args []string, out io.Writer) error {
	f, err := load(args[0])
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "saifacts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	bin, err := compile(f, args[1:], tmp)
	if err != nil {
		return err
	}
	text, runErr := exec.Command(bin).CombinedOutput()
	fmt.Fprint(out, shorten(string(text), 60))
	missing, seen, err := missingFacts(bin, f)
	if err != nil {
		return fmt.Errorf("debug information: %w", err)
	}
	for _, m := range missing {
		fmt.Fprintln(out, "MISSING", m)
	}
	fmt.Fprintf(out, "%d names in the debug information, %d missing from the facts\n", seen, len(missing))
	if runErr != nil || len(missing) > 0 {
		return errDiffer
	}
	return nil
}

var errDiffer = errors.New("facts and headers differ")

// compile builds the program that compares the facts with the headers.
func compile(f *facts.Facts, dirs []string, tmp string) (bin string, err error) {
	src := filepath.Join(tmp, "check.c")
	bin = filepath.Join(tmp, "check")
	if err := os.WriteFile(src, program(f, dirs), 0o600); err != nil {
		return "", err
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	args := []string{"-w", "-g", "-O0", "-fno-eliminate-unused-debug-types", "-Wl,--unresolved-symbols=ignore-all", "-o", bin, src}
	for _, d := range dirs {
		args = append(args, "-I"+d)
	}
	if text, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cc, err, shorten(string(text), 30))
	}
	return bin, nil
}

// shorten removes lines in the middle of a long text.
func shorten(s string, n int) string {
	l := strings.SplitAfter(s, "\n")
	if len(l) <= n {
		return s
	}
	return strings.Join(l[:n/2], "") + "...\n" + strings.Join(l[len(l)-n/2:], "")
}
