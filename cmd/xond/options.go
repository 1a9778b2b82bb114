package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xon/cmd/configfile"
	"xon/cmd/endpoint"
)

// options are the flags of xond. Each can also be given as an environment
// variable: XON_ and the flag's name in capitals, dashes as underscores.
type options struct {
	Dir    string             // state: database, certificate, sockets
	Redis  string             // address of an existing Redis; "" for a private one
	Port   int                // that the private one listens on as well; 0 for its unix socket alone
	Config string             // a config_db.json
	Files  configfile.Options // how it is read
	// Buffers is a folder with files of the buffer manager; "": that of Config if some
	// are there, else those that were kept.
	Buffers string

	Chip     string // "process", "inproc", or the socket of a chip process
	Profile  string // of the virtual chip; "" by the configuration's platform
	StopChip bool
	trafficOptions

	GNMI     string // address to listen on; "" for the unix socket alone
	Insecure bool
	Cert     string
	Key      string
	ClientCA string

	Web string // address for HTTP; "" for the unix socket alone

	Check  bool
	Strict bool // Check fails also if lossless packets may be dropped
	DryRun bool
	Demo   bool
	JSON   bool

	LogLevel string
	LogJSON  bool
}

// Where the parts of Dir are.
func (o *options) chipSocket() string  { return filepath.Join(o.Dir, "chip.sock") }
func (o *options) gnmiSocket() string  { return filepath.Join(o.Dir, "gnmi.sock") }
func (o *options) webSocket() string   { return filepath.Join(o.Dir, "web.sock") }
func (o *options) savedConfig() string { return filepath.Join(o.Dir, "config_db.json") }
func (o *options) auditLog() string    { return filepath.Join(o.Dir, "audit.jsonl") }
func (o *options) redisDir() string    { return filepath.Join(o.Dir, "redis") }

const about = `xond programs a lossless Ethernet switch: it takes PFC, buffer, ECN and scheduler
configuration from a Redis database with SONiC's schema or from gNMI, turns it into
SAI calls, proves that the chip took them, and streams the counters back.

Without flags it starts a private redis-server and a process with a virtual chip, and
listens for gNMI on a unix socket and on 127.0.0.1:9339 (TLS, self-made certificate),
and shows metrics and its health over HTTP on a unix socket and on 127.0.0.1:9340.
When it ends the chip process goes on, as a switch should; the next xond finds it,
compares, and writes only what differs.`

const examples = `  xond --demo                                   try it: nothing is left behind
  xond --check --config config_db.json          what would become of each row?
  xond --dry-run --config config_db.json        which chip writes, in which order?
  xond --dir /var/lib/xon --config config_db.json
  xond --redis 127.0.0.1:6379 --chip unix:/run/chip.sock`

func newCommand(ctx context.Context, out, errout io.Writer) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:           "xond",
		Version:       version(),
		Short:         "the control-plane agent of a lossless Ethernet switch",
		Long:          about,
		Example:       examples,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := o.checkSockets(); err != nil {
				return err
			}
			switch {
			case o.Strict && !o.Check:
				return &usageError{errors.New("--strict goes with --check")}
			case o.Check || o.DryRun:
				return check(ctx, o, out)
			case o.Demo:
				return demo(ctx, o, out, errout)
			}
			return serve(ctx, o, o.logger(errout), func() {})
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			return errors.Join(fromEnvironment(c.Flags()), knownLevel(c.Flags()))
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	o.flags(cmd.Flags())
	cmd.AddCommand(chipCommand(ctx, errout))
	completions(cmd)
	return cmd
}

// defaultWeb is where Prometheus finds the metrics if nobody says otherwise. It is
// given up without a word but in the log if another program has it.
const defaultWeb = "127.0.0.1:9340"

func (o *options) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.Config, "config", "", "config_db.json `file`; loaded when the database is empty")
	o.Files.Flags(f)
	f.StringVar(&o.Buffers, "buffers", "", "`folder` with pg_profile_lookup.ini, asic_table.json, peripheral.json or zero_profiles.json; beside --config if not given, and kept in --dir")
	f.BoolVar(&o.Check, "check", false, "say what would become of each row of --config, and end")
	f.BoolVar(&o.Strict, "strict", false, "--check ends with 1 also if lossless packets may be dropped: by groups or priorities without headroom, maps by which a pause is in vain, or sizes that are too little")
	f.BoolVar(&o.DryRun, "dry-run", false, "print the plan that --config would begin with, and end")
	f.BoolVar(&o.Demo, "demo", false, "run with a demo configuration and leave nothing behind")
	f.BoolVar(&o.JSON, "json", false, "print --check as JSON")
	f.StringVar(&o.Dir, "dir", "/var/lib/xon", "`folder` of the database, certificate and sockets")
	endpoint.Var(f, &o.Redis, "redis", "", "join the Redis at `address` (host:port, or its socket: unix:path or a path with a slash) instead of a private one")
	f.IntVar(&o.Port, "redis-port", 0, "have the private Redis listen on this `port` of 127.0.0.1 too, for tools that know no sockets (SONiC's look at 6379); every user of this machine can then change the configuration")
	endpoint.Var(f, &o.Chip, "chip", "process", "the chip: process (started if it does not run), inproc, or the socket of a chip process, unix:`path` or a path with a slash, which is waited for")
	f.StringVar(&o.Profile, "profile", "", "chip `class` of the virtual chip; by the configuration's platform if not given; behind a comma keys of its sai.profile: spc4,SAI_KEY_DISABLE_PORT_ALPHA=1")
	o.trafficOptions.flags(f)
	f.BoolVar(&o.StopChip, "stop-chip", false, "end the chip process too when xond ends")
	f.StringVar(&o.GNMI, "gnmi", "127.0.0.1:9339", "`address` for gNMI over TCP; empty for the unix socket alone")
	f.BoolVar(&o.Insecure, "insecure", false, "gNMI over TCP without TLS")
	f.StringVar(&o.Cert, "cert", "", "TLS certificate `file`; made in --dir at first start if not given")
	f.StringVar(&o.Key, "key", "", "TLS key `file`")
	f.StringVar(&o.ClientCA, "client-ca", "", "ask clients for a certificate signed by one of this `file`")
	f.StringVar(&o.Web, "web", defaultWeb, "`address` for /metrics and /healthz over HTTP; empty for the unix socket alone")
	f.StringVar(&o.LogLevel, "log-level", "info", strings.Join(levels, ", "))
	f.BoolVar(&o.LogJSON, "log-json", false, "log as JSON")
}

// fromEnvironment sets flags that were not given from XON_ variables.
func fromEnvironment(f *pflag.FlagSet) error {
	var first error
	f.VisitAll(func(flag *pflag.Flag) {
		name := "XON_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		v, ok := os.LookupEnv(name)
		if !ok || flag.Changed || first != nil || flag.Name == "help" {
			return
		}
		if err := f.Set(flag.Name, v); err != nil {
			first = &usageError{fmt.Errorf("environment variable %s=%q: %w", name, v, err)}
		}
	})
	return first
}

func (o *options) logger(w io.Writer) *logrus.Logger { return newLogger(w, o.LogLevel, o.LogJSON) }

// levels are the log levels that there are.
var levels = []string{"debug", "info", "warn", "error"}

// knownLevel refuses a log level that there is not: a typing error would hide what
// somebody wants to see.
func knownLevel(f *pflag.FlagSet) error {
	flag := f.Lookup("log-level")
	if flag == nil || slices.Contains(append([]string{"warning"}, levels...), flag.Value.String()) {
		return nil
	}
	return &usageError{fmt.Errorf("--log-level %q: want one of %s", flag.Value, strings.Join(levels, ", "))}
}

// checkSockets refuses what is no chip, and sockets of --chip and --redis that are none.
func (o *options) checkSockets() error {
	path, isSocket := strings.CutPrefix(o.Chip, "unix:")
	if o.Chip != "process" && o.Chip != "inproc" && (!isSocket || path == "") {
		return &usageError{fmt.Errorf("--chip %q: want process, inproc, or the socket of a chip process, as unix:path or as a path with a slash", o.Chip)}
	}
	if isSocket && !socketOrAbsent(path) {
		return &usageError{fmt.Errorf("--chip: %s is not a socket; want the one that a chip process listens on (xond chip --socket)", path)}
	}
	if path, ok := strings.CutPrefix(o.Redis, "unix:"); ok && !socketOrAbsent(path) {
		return &usageError{fmt.Errorf("--redis: %s is not a socket; want the one that a redis-server listens on (its unixsocket)", path)}
	}
	return nil
}

// socketOrAbsent reports whether a path may become that of a server: to wait until a file
// of another kind answers would be to wait for ever. One that is not there yet may come.
func socketOrAbsent(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().Type() == os.ModeSocket
}

func newLogger(w io.Writer, level string, json bool) *logrus.Logger {
	log := logrus.New()
	log.SetOutput(w)
	if l, err := logrus.ParseLevel(level); err == nil { // it is one of levels
		log.SetLevel(l)
	}
	if json {
		log.SetFormatter(&logrus.JSONFormatter{})
	} else {
		log.SetFormatter(&logrus.TextFormatter{FullTimestamp: true})
	}
	return log
}
