// Command xonctl asks and configures a running xond, over gNMI.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"xon/cmd/completion"
	"xon/cmd/endpoint"
	"xon/gnmi/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errSaid ends the program with 1 when the reason has been printed already.
var errSaid = errors.New("said")

// run is the program. It returns the exit code: 0, 1 when something went wrong, 2
// for a wrong command line.
func run(ctx context.Context, args []string, in io.Reader, out, errout io.Writer) int {
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errout)
	asked, err := cmd.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errSaid):
		return 1
	case errors.As(err, &usage):
		fmt.Fprintf(errout, "xonctl: %v\n%s --help tells more\n", err, asked.CommandPath())
		return 2
	}
	fmt.Fprintf(errout, "xonctl: %v\n", err)
	if hint := hintFor(err); hint != "" {
		fmt.Fprintln(errout, hint)
	}
	return 1
}

// usageError is a fault of the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// hintFor says what to do about an error.
func hintFor(err error) string {
	text := err.Error()
	switch {
	case errors.Is(err, errUnanswered):
		return "Look before you ask again; --timeout gives it longer."
	case errors.Is(err, client.ErrUnreachable) && strings.Contains(text, "certificate"):
		return "Name the file that vouches for the agent with --ca (its own is gnmi-cert.pem in its state folder), or take any with --skip-verify."
	case errors.Is(err, client.ErrUnreachable) && (strings.Contains(text, "first record does not look like") || strings.Contains(text, "EOF")):
		return "An agent that was started with --insecure wants --insecure here too."
	case errors.Is(err, client.ErrUnreachable) && strings.Contains(text, "permission denied"):
		return "The socket belongs to another user or group: use sudo, or join its group."
	case errors.Is(err, client.ErrUnreachable):
		return "Start the agent with xond, or say where it is with --addr or XON_ADDR."
	case client.Code(err) == codes.Unimplemented && strings.Contains(text, "unknown service"):
		return "The agent is older than this xonctl."
	case errors.Is(err, context.DeadlineExceeded) || client.Code(err) == codes.DeadlineExceeded:
		return "Give it longer with --timeout."
	}
	return ""
}

const about = `xonctl shows and changes the configuration of a switch that xond runs, and shows its
counters. Changes are transactions: all of one command is in force when it returns,
or nothing is and the reason is printed. Of a file, rows with bad values are left out and
printed, and the rest is one transaction.

Rows are named as in config_db.json: PORT|Ethernet0, BUFFER_PG|Ethernet0|3-4. Paths
begin with a database, CONFIG_DB if none is named, and may have wildcards:
COUNTERS_DB/COUNTERS/Ethernet*/SAI_PORT_STAT_IF_IN_OCTETS.`

const aboutExamples = `  xonctl status                                     is all as it should be?
  xonctl show ports                                 also: counters, pfc, queues, pgs, buffers
  xonctl status rows --state refused,waiting        which rows are not applied, and why
  xonctl get 'PORT|Ethernet0'
  xonctl set 'PORT_QOS_MAP|Ethernet0' pfc_enable=3,4
  xonctl plan change.json                           what would it do to the chip?
  xonctl apply change.json                          the rows of a file in one transaction
  xonctl explain headroom Ethernet0 --cable 300m    where the number comes from; would it fit?
  xonctl history --plans                            who changed what, and what came of it
  xonctl watch --sample 1s 'COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_RX_PKTS'`

// app is what the commands share.
type app struct {
	connect client.Options
	json    bool
	timeout time.Duration
}

func newCommand() *cobra.Command {
	a := &app{}
	cmd := &cobra.Command{
		Use:           "xonctl",
		Short:         "show and change what xond does",
		Long:          about,
		Example:       aboutExamples,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	f := cmd.PersistentFlags()
	f.SortFlags = false
	endpoint.Var(f, &a.connect.Addr, "addr", defaultAddr(), "the agent's `address`: host:port, or its socket, unix:path or a path with a slash; from XON_ADDR")
	f.StringVar(&a.connect.CA, "ca", "", "`file` with the certificates that vouch for the agent's")
	f.StringVar(&a.connect.Cert, "cert", "", "`file` with a certificate for an agent that asks for one")
	f.StringVar(&a.connect.Key, "key", "", "`file` with the certificate's key")
	f.BoolVar(&a.connect.SkipVerify, "skip-verify", false, "take any certificate of the agent's")
	f.BoolVar(&a.connect.Insecure, "insecure", false, "no TLS")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.DurationVar(&a.timeout, "timeout", 30*time.Second, "how long to wait for an answer")
	cmd.AddCommand(a.statusCommand(), a.showCommand(), a.getCommand(), a.watchCommand(), a.fatesCommand(),
		a.planCommand(), a.setCommand(), a.deleteCommand(), a.applyCommand(), a.configCommand(),
		a.historyCommand(), a.callsCommand(), a.confirmCommand(), a.abortCommand(), a.explainCommand(), a.restartCommand(),
		a.bundleCommand(), a.simulateCommand())
	completion.Add(cmd, newCommand)
	return cmd
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

// defaultAddr is the socket in the agent's state folder.
func defaultAddr() string {
	if addr := os.Getenv("XON_ADDR"); addr != "" {
		return addr
	}
	if dir := os.Getenv("XON_DIR"); dir != "" {
		return "unix:" + dir + "/gnmi.sock"
	}
	return "unix:/var/lib/xon/gnmi.sock"
}

// with runs f with a connection and a limit of time.
func (a *app) with(ctx context.Context, f func(ctx context.Context, c *client.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	return a.connected(ctx, f)
}

func (a *app) connected(ctx context.Context, f func(ctx context.Context, c *client.Client) error) error {
	c, err := client.Dial(a.connect)
	if err != nil {
		return &usageError{err}
	}
	defer c.Close() // nothing is left to lose
	return f(ctx, c)
}

// Arguments, with errors that count as faults of the command line.

// noArgs is for commands that have others below them.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("%q: there is no such command; did you mean %s %s?", args[0], c.CommandPath(), strings.Join(near, " or "))
	}
	return usagef("%q: there is no such command", args[0])
}

func needs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs %s; for example\n%s", c.CommandPath(), what, c.Example)
		}
		return nil
	}
}

func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("%s: %q is one argument too many", c.CommandPath(), args[n])
		}
		return nil
	}
}
