// Package faults kills, stops, starves and cuts off the real programs at random
// moments while configuration is written, and checks that the end is always the
// same: what a fresh agent makes of the same database.
//
// A few dozen cycles run with the other tests. XON_SOAK=1h (a duration), or
// XON_KILLS=1000, runs until then; `make soak` does. XON_SEED repeats a run: what
// is written, what is killed and when is drawn from it, though not how fast the
// machine is. XON_BLOW names the only thing to be done to the processes.
package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// programs is the folder of xond and xonctl.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "xon-bin-")
	if err == nil {
		programs = dir
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func build(dir string) error {
	out, err := exec.Command("go", "build", "-o", dir+"/", "xon/cmd/...").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// extent is how long a test goes on.
type extent struct {
	seed  uint64
	until time.Time // of a soak; zero otherwise
	kills int       // of a soak by number; 0: cycles count
	least int       // cycles of a short run
}

// extentOf reads what the environment asks for.
func extentOf(t testing.TB, cycles int) extent {
	t.Helper()
	e := extent{seed: 1, least: cycles}
	if text := os.Getenv("XON_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		e.seed = n
	}
	if text := os.Getenv("XON_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		must(t, err)
		e.until = time.Now().Add(d)
	}
	if text := os.Getenv("XON_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		e.kills = n
	}
	return e
}

func (e *extent) soak() bool { return e.kills > 0 || !e.until.IsZero() }

// more reports whether there is another cycle.
func (e *extent) more(cycles, kills int) bool {
	switch {
	case e.kills > 0 && kills >= e.kills:
		return false
	case !e.until.IsZero():
		return time.Now().Before(e.until)
	case e.kills > 0:
		return true
	}
	return cycles < e.least
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errEnded says that there is nothing to wait for.
var errEnded = errors.New("xond ended by itself")

// patience is how long anything may take to come right.
const patience = 30 * time.Second

// eventually waits until something holds; why says what is still wrong.
func eventually(t testing.TB, what string, why func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if err = why(); err == nil {
			return
		}
		if errors.Is(err, errEnded) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	t.Fatalf("%s: not within %v: %v", what, patience, err)
}
