package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"xon/cmd/configfile"
	"xon/sai/remote"
	"xon/sai/vsai"
	"xon/schema/configdb"
)

// chipOptions are the flags of `xond chip`.
type chipOptions struct {
	Socket   string
	Profile  string
	Ports    string
	Files    configfile.Options
	PIDFile  string
	Record   string // a file
	LogLevel string
	LogJSON  bool
	trafficOptions
}

const aboutChip = `chip is the process that holds the switch chip. One agent at a time connects to its
socket; when that agent ends or is killed the chip goes on, and the next one finds it
as it was. Only the virtual chip can be held so far.`

func chipCommand(ctx context.Context, errout io.Writer) *cobra.Command {
	o := &chipOptions{}
	cmd := &cobra.Command{
		Use:     "chip",
		Short:   "hold the chip for an agent",
		Long:    aboutChip,
		Example: "  xond chip --socket /run/xon/chip.sock --profile th5 --ports config_db.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return serveChip(ctx, o, newLogger(errout, o.LogLevel, o.LogJSON))
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Socket, "socket", "/var/lib/xon/chip.sock", "unix socket to serve, a `path`")
	f.StringVar(&o.Profile, "profile", "", "chip `class`: "+strings.Join(profileNames(), ", ")+"; by the platform of --ports if not given; behind a comma SAI_KEY_DISABLE_PORT_ALPHA=1, as in sai.profile, for chips that have factors of ports")
	f.StringVar(&o.Ports, "ports", "", "lay the ports out as the PORT rows of this config_db.json `file`")
	o.Files.Flags(f)
	o.flags(f)
	f.StringVar(&o.PIDFile, "pid-file", "", "write the process id to this `file`")
	f.StringVar(&o.Record, "record", "", aboutRecord)
	f.StringVar(&o.LogLevel, "log-level", "info", strings.Join(levels, ", "))
	f.BoolVar(&o.LogJSON, "log-json", false, "log as JSON")
	return cmd
}

func profileNames() []string {
	var names []string
	for _, p := range vsai.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

func serveChip(ctx context.Context, o *chipOptions, log *logrus.Logger) error {
	var rows configdb.RawRows
	if o.Ports != "" {
		file, err := o.Files.Read(o.Ports)
		if err != nil {
			return err
		}
		logLeft(file, log)
		rows = file.Rows
	}
	warnDiffers(o.Profile, rows, log)
	chip, err := newChip(o.Profile, rows)
	if err != nil {
		return err
	}
	if o.Record != "" {
		r, err := openRecord(o.Record, log)
		if err != nil {
			return err
		}
		defer r.file.Close()
		chip.AfterCall(r.take)
	}
	if err := o.start(ctx, chip, rows, log); err != nil {
		return err
	}
	ln, err := listenUnix(ctx, o.Socket)
	if err != nil {
		return err
	}
	if o.PIDFile != "" {
		if err := writePID(o.PIDFile, os.Getpid()); err != nil {
			return err
		}
		defer func() { _ = os.Remove(o.PIDFile) }() // nothing is left to do about it
	}
	log.WithFields(logrus.Fields{"socket": o.Socket, "profile": chip.Profile().Name}).Info("chip ready")
	return remote.Serve(ctx, ln, chip, chip, log)
}

// listenUnix listens on a socket that only its owner and group may use. A socket
// file that nobody listens on is what a killed process left, and goes.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) {
		if c, err := net.Dial("unix", path); err == nil {
			_ = c.Close() // it was only to see whether somebody answers
			return nil, fmt.Errorf("listen on %s: another process does already", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("listen on %s: %w", path, err)
		}
		ln, err = lc.Listen(ctx, "unix", path)
	}
	if errors.Is(err, syscall.ENOENT) {
		return nil, fmt.Errorf("listen on %s: the folder %s does not exist; make it, or choose another socket with --socket", path, filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; choose another socket with --socket", path, err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		_ = ln.Close() // the first error is the one to report
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return ln, nil
}
