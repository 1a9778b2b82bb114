package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
)

// bundleOptions are the flags of `xonctl support-bundle`.
type bundleOptions struct {
	noRedact bool
	web      string
	logs     []string
}

func (a *app) bundleCommand() *cobra.Command {
	o := bundleOptions{}
	cmd := &cobra.Command{
		Use:   "support-bundle [FILE.tar.gz]",
		Short: "all that a colleague needs to look at a problem from afar, in one file",
		Long: `support-bundle gathers versions, configuration, fates of rows, history with plans, the
last calls to the chip, all databases with their counters, metrics, logs and what the
machine is, as far as it can be had: what can't is named in the bundle's manifest.json.
FILE is xon-support-TIME.tar.gz in this folder if not given, and may be - for standard
output. It works when xond does not: then it has what lies on this machine.

Secrets (keys, passwords, communities, certificates), names of users and addresses of
management are replaced by stand-ins, equal ones by equal ones; --no-redact leaves them
in. Look through it before you give it away: texts that people wrote may tell more.`,
		Example: `  xonctl support-bundle
  xonctl support-bundle --log /var/log/xond.log problem.tar.gz
  tar xzf problem.tar.gz -O manifest.json`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			now := time.Now().UTC()
			name := "xon-support-" + now.Format("20060102-150405") + ".tar.gz"
			if len(args) > 0 {
				name = args[0]
			}
			return a.connected(c.Context(), func(ctx context.Context, cl *client.Client) error {
				return a.bundle(ctx, c, cl, name, now, &o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.noRedact, "no-redact", false, "leave secrets, names and addresses in")
	f.StringVar(&o.web, "web", "", "`URL` of the agent's web server, for metrics and health; its unix socket if not given")
	f.StringSliceVar(&o.logs, "log", nil, "more log `files` to put in, their last 4 MiB")
	return cmd
}

// bundle writes a bundle to a file, or to standard output.
func (a *app) bundle(ctx context.Context, c *cobra.Command, cl *client.Client, name string, now time.Time, o *bundleOptions) (err error) {
	out := c.OutOrStdout()
	if name != "-" {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			return usagef("%s is there already; choose another name", name)
		} else if err != nil {
			return err
		}
		defer func() {
			if err = errors.Join(err, f.Close()); err != nil {
				_ = os.Remove(name) // half a bundle helps nobody
			}
		}()
		out = f
	}
	z := gzip.NewWriter(out)
	b := &bundle{
		app: a, cl: cl, o: o, redactor: newRedactor(), tar: tar.NewWriter(z), now: now, progress: c.ErrOrStderr(),
		manifest: manifest{Made: now, Xonctl: version(), Redacted: !o.noRedact},
	}
	if err := b.gather(ctx); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	if err := errors.Join(b.tar.Close(), z.Close()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	b.conclude(name)
	return nil
}

// manifest is the last file of a bundle: what is in it, and what is not.
type manifest struct {
	Made     time.Time      `json:"made"`
	Xonctl   string         `json:"xonctl"` // its version; the agent's is in status.json
	Redacted bool           `json:"redacted"`
	Files    []bundledFile  `json:"files"`
	Missing  []missingThing `json:"missing"`
}

type bundledFile struct {
	Name   string `json:"name"`
	What   string `json:"what"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

type missingThing struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// bundle is one in the making.
type bundle struct {
	*app
	*redactor

	cl       *client.Client
	o        *bundleOptions
	tar      *tar.Writer
	now      time.Time
	progress io.Writer
	manifest manifest
}

// gather puts everything in. An error is one of writing: what can't be had is noted.
func (b *bundle) gather(ctx context.Context) error {
	for _, p := range b.parts() {
		fmt.Fprintf(b.progress, "%-20s ", p.name)
		part, cancel := context.WithTimeout(ctx, b.timeout)
		text, err := p.get(part)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintln(b.progress, "not there:", err)
			b.manifest.Missing = append(b.manifest.Missing, missingThing{p.name, b.shown(err.Error())})
			continue
		}
		if err := b.add(p.name, text); err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		b.manifest.Files = append(b.manifest.Files, bundledFile{p.name, p.what, len(text), hex.EncodeToString(sum[:])})
		fmt.Fprintln(b.progress, size(len(text)))
	}
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	return b.add("manifest.json", append(text, '\n'))
}

func (b *bundle) add(name string, text []byte) error {
	if err := b.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), ModTime: b.now}); err != nil {
		return err
	}
	_, err := b.tar.Write(text)
	return err
}

// shown is a text as it goes into the bundle.
func (b *bundle) shown(text string) string {
	if b.o.noRedact {
		return text
	}
	return b.text(text)
}

// conclude says what there is.
func (b *bundle) conclude(name string) {
	if len(b.manifest.Missing) > 0 {
		fmt.Fprintf(b.progress, "%s could not be had; manifest.json says why\n", count(len(b.manifest.Missing), "part"))
	}
	if b.o.noRedact {
		fmt.Fprintln(b.progress, "secrets, names and addresses are in it: --no-redact")
	}
	if name != "-" {
		fmt.Fprintf(b.progress, "%s is complete; look through it before you give it away\n", name)
	}
}

// size is "1.5 MB".
func size(bytes int) string {
	switch {
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return count(bytes, "byte")
}
