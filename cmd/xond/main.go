// Command xond is the control-plane agent of a lossless Ethernet switch. Without
// arguments it brings up its own database and the virtual chip; `xond chip` is
// the process that holds the chip.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"xon/orchagent/crash"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// Whoever reads the log may go away: the write fails then, and nothing else does.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings are the signals that end the program in good order. A hangup is none for
// one that was started to outlive its terminal (nohup).
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// errRefused ends the program with 1 after everything has been said.
var errRefused = errors.New("refused")

// run is the program. It returns the exit code: 0, 1 when something went wrong
// or a check found a refused row or what it is strict about, 2 for a wrong command line.
func run(ctx context.Context, args []string, out, errout io.Writer) int {
	cmd := newCommand(ctx, out, errout)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(errout)
	err := cmd.ExecuteContext(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errRefused), errors.Is(err, errStrict):
		return 1
	case errors.As(err, &usage):
		fmt.Fprintf(errout, "xond: %v\nxond --help tells more\n", err)
		return 2
	}
	fmt.Fprintf(errout, "xond: %v\n", err)
	var bug *crash.Panic
	if errors.As(err, &bug) {
		fmt.Fprintf(errout, "This is a fault of xond; please report it with what it was given and these lines:\n%s", bug.Stack)
	}
	return 1
}

// build is what git calls the commit that the program was built of; make sets it.
var build string

// version is that of the program.
func version() string {
	if build != "" {
		return build
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}

// noArgs is cobra.NoArgs with a fault of the command line.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no argument %q, only flags", cmd.CommandPath(), args[0])}
	}
	return nil
}

// usageError is a fault of the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
