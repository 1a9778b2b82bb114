package scripts

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDemoHints runs each command that the demo prints: those that it says are refused
// are, and all others do as they are told.
func TestDemoHints(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	hints, end := startDemo(t)
	defer end()
	env := os.Environ()
	for _, hint := range hints {
		command, comment, _ := strings.Cut(hint, " # ")
		if assignment, ok := strings.CutPrefix(command, "export "); ok {
			env = append(env, assignment)
			continue
		}
		out, err := runHint(t, env, command)
		refused := strings.Contains(comment, "refused")
		if refused != (err != nil) || out == "" || refused && !strings.Contains(out, "refused, nothing was changed") {
			t.Errorf("%s\n%v\n%s", hint, err, out)
		}
	}
	if len(hints) < 12 {
		t.Errorf("commands: %q", hints)
	}
}

// startDemo starts a demo and waits for what it says can be tried.
func startDemo(t *testing.T) (hints []string, end func()) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "x") //nolint:usetesting // unix sockets need a short name
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "xond"), "--demo", "--gnmi", "", "--web", "")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if hint, ok := strings.CutPrefix(lines.Text(), "  "); ok {
			hints = append(hints, hint)
		}
		if strings.HasSuffix(lines.Text(), "/metrics") { // the last one without gNMI over TCP
			break
		}
	}
	return hints, func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		_ = os.RemoveAll(tmp)
	}
}

// runHint runs a command as a shell does. One that goes on until somebody ends it is
// ended at its first line.
func runHint(t *testing.T, env []string, command string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+command)
	cmd.Env = env
	if !strings.Contains(command, " watch ") {
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	line, err := bufio.NewReader(pipe).ReadString('\n')
	cancel()
	_, _ = io.Copy(io.Discard, pipe)
	_ = cmd.Wait()
	return line, err
}
