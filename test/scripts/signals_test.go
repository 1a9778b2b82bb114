package scripts

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestDemoLeavesNothing: whichever signal ends the demo, and at whatever moment, no
// process and no file of it is left.
func TestDemoLeavesNothing(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	for i := range 30 {
		sig, after := signals[i%len(signals)], time.Duration(rng.IntN(600))*time.Millisecond
		t.Run(fmt.Sprint(sig, " after ", after), func(t *testing.T) {
			t.Parallel()
			endDemo(t, sig, after)
		})
	}
}

// heedSignals gives the programs started from here on the signals that this one was
// started without, as nohup and shells that start something in the background do: a
// signal that comes before a program listens would be lost on it.
func heedSignals(t *testing.T) {
	t.Helper()
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			c := make(chan os.Signal, 1)
			signal.Notify(c, s) // what is caught here is not ignored there
			t.Cleanup(func() { signal.Stop(c) })
		}
	}
}

func endDemo(t *testing.T, sig syscall.Signal, after time.Duration) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "x") //nolint:usetesting // unix sockets need a short name
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "xond"), "--demo", "--gnmi", "", "--web", "")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after) // the moment is what is tried
	if err := cmd.Process.Signal(sig); err != nil {
		t.Error(err)
	}
	killer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !killer.Stop() {
		t.Errorf("it did not end within %v", patience)
	}
	// SIGQUIT before the program has begun to listen for it is answered by Go's runtime.
	if err != nil && sig != syscall.SIGQUIT && cmd.ProcessState.Sys().(syscall.WaitStatus).Exited() { //nolint:errcheck // on Linux it is that
		t.Errorf("it ended with %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	for _, pid := range mentioning(tmp) {
		t.Errorf("process %d is left", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if t.Failed() {
		t.Logf("it said:\n%s", said.String())
	}
}

// mentioning lists the processes that have a text in their command line.
func mentioning(text string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is good
	for _, f := range files {
		cmdline, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(cmdline, []byte(text)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
