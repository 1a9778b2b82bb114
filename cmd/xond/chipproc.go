package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent/crash"
	"xon/sai/remote"
	"xon/schema/configdb"
)

// chipStart is how long a chip process may take until it listens.
const chipStart = 10 * time.Second

// connectChip connects to the chip process of o.Dir and starts one if there is none.
// One that is killed at its start is no fault of its settings: another is started, but
// those that go on being killed are given up within chipStart.
func connectChip(ctx context.Context, o *options, layout configdb.RawRows, log logrus.FieldLogger) (*remote.Client, error) {
	if path, ok := strings.CutPrefix(o.Chip, "unix:"); ok {
		return remote.Dial(ctx, path)
	}
	c, err := remote.Dial(ctx, o.chipSocket())
	if err == nil || errors.Is(err, remote.ErrBusy) {
		return c, err
	}
	var left configdb.Faults // rows that a stranger gave names that no file can hold
	if err := configdb.WriteFile(o.chipLayout(), layout); err != nil && !errors.As(err, &left) {
		return nil, fmt.Errorf("layout of the chip: %w", err)
	}
	warnDiffers(o.Profile, layout, log)
	late := time.Now().Add(chipStart)
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		exited, err := startChip(o, log)
		if err != nil {
			return nil, err
		}
		c, err := awaitChip(ctx, o, exited)
		var end *exec.ExitError
		if !errors.As(err, &end) || end.Exited() || time.Now().Add(pause).After(late) {
			return c, err
		}
		log.WithError(err).WithField("again_in", pause).Warn("the chip process was killed, starting another")
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// startChip starts a chip process in a session of its own, so that neither the
// agent's end nor a Ctrl-C at its terminal reaches it. exited yields its end.
func startChip(o *options, log logrus.FieldLogger) (exited <-chan error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	args := []string{"chip", "--socket", o.chipSocket(), "--pid-file", o.chipPIDFile(), "--ports", o.chipLayout(), "--log-level", o.LogLevel}
	args = append(args, "--asic=", "--port-config=") // the layout is complete; the environment is about --config
	if o.Profile != "" {
		args = append(args, "--profile", o.Profile)
	}
	if o.Traffic != "" {
		args = append(args, "--traffic", o.Traffic, "--traffic-scale", strconv.FormatFloat(o.Scale, 'g', -1, 64))
	}
	logFile, err := os.OpenFile(o.chipLog(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("log of the chip process: %w", err)
	}
	defer logFile.Close()
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the chip process: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- crash.Call(log, "the chip process's end", cmd.Wait) }()
	// The chip process writes its number too, but somebody may want to end it before.
	if err := writePID(o.chipPIDFile(), cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, cmd.Process.Kill())
	}
	log.WithFields(logrus.Fields{"pid": cmd.Process.Pid, "log": o.chipLog()}).Info("chip process started")
	return done, nil
}

func writePID(file string, pid int) error {
	if err := os.WriteFile(file, []byte(strconv.Itoa(pid)+"\n"), 0o644); err != nil {
		return fmt.Errorf("pid file: %w", err)
	}
	return nil
}

func awaitChip(ctx context.Context, o *options, exited <-chan error) (*remote.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, chipStart)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := remote.Dial(ctx, o.chipSocket())
		if err == nil {
			return c, nil
		}
		select {
		case err := <-exited:
			return nil, fmt.Errorf("the chip process ended at once (%w); %s says why:\n%s", err, o.chipLog(), lastLines(o.chipLog()))
		case <-ctx.Done():
			return nil, fmt.Errorf("connect to the chip process: %w", err)
		case <-tick.C:
		}
	}
}

// stopChip ends the chip process that xond started in o.Dir.
func stopChip(o *options) error {
	text, err := os.ReadFile(o.chipPIDFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop the chip process: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("stop the chip process: %s: %w", o.chipPIDFile(), err)
	}
	if !isChip(pid, o.chipSocket()) {
		return nil // it ended without a word, and the number may be another's by now
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the chip process %d: %w", pid, err)
	}
	for deadline := time.Now().Add(chipStart); isChip(pid, o.chipSocket()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("the chip process %d does not end", pid)
		}
	}
	return nil
}

// isChip reports whether a process is the chip process of a socket.
func isChip(pid int, socket string) bool {
	cmdline, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return err == nil && slices.Contains(strings.Split(string(cmdline), "\x00"), socket)
}

func (o *options) chipLog() string     { return filepath.Join(o.Dir, "chip.log") }
func (o *options) chipPIDFile() string { return filepath.Join(o.Dir, "chip.pid") }
func (o *options) chipLayout() string  { return filepath.Join(o.Dir, "chip.json") }

// lastLines returns the end of a log, for an error message.
func lastLines(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
