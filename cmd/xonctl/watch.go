package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/gnmi/path"
)

func (a *app) watchCommand() *cobra.Command {
	w := client.Watch{}
	cmd := &cobra.Command{
		Use:   "watch PATH...",
		Short: "print changes as they come",
		Long: `watch prints each field at the paths and then each change, until it is interrupted.
Counters change all the time: they come once a second, or as --sample says.`,
		Example: `  xonctl watch PORT 'PORT_QOS_MAP|Ethernet0'
  xonctl watch STATE_DB/XON_ROW
  xonctl watch --sample 1s 'COUNTERS_DB/COUNTERS/Ethernet*/SAI_PORT_STAT_PFC_3_RX_PKTS'`,
		Args:              needs("a path"),
		ValidArgsFunction: a.completePath,
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if w.Paths, err = parsePaths(args); err != nil {
				return err
			}
			return a.connected(c.Context(), func(ctx context.Context, cl *client.Client) error {
				return a.watch(ctx, c.OutOrStdout(), c.ErrOrStderr(), cl, w)
			})
		},
	}
	cmd.Flags().DurationVar(&w.Sample, "sample", 0, "send all values this often instead of changes")
	cmd.Flags().BoolVar(&w.UpdatesOnly, "updates-only", false, "leave out what is there at the start")
	return cmd
}

// watch prints until it is interrupted, which is its good end.
func (a *app) watch(ctx context.Context, out, errout io.Writer, cl *client.Client, w client.Watch) error {
	print := printChange
	if a.json {
		print = printChangeJSON
	}
	some := w.UpdatesOnly
	changed := func(ch client.Change) error { some = true; return print(out, ch) }
	err := cl.Watch(ctx, w, changed, func() error {
		if !some { // somebody may have mistyped the path
			fmt.Fprintln(errout, "nothing is there yet; what comes will be printed")
		}
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func watchedPath(p *gpb.Path) string {
	return strings.TrimPrefix(path.String(&gpb.Path{Elem: p.GetElem()}), "/")
}

func printChange(w io.Writer, c client.Change) error {
	line := c.Time.Format("15:04:05.000") + "  " + watchedPath(c.Path)
	switch {
	case c.Gone:
		line += " is gone"
	case c.Duplicates > 0:
		line += fmt.Sprintf(" = %s  (and %s not shown)", c.Value, count(int(c.Duplicates), "earlier value"))
	default:
		line += " = " + c.Value
	}
	_, err := fmt.Fprintln(w, printable(line))
	return err
}

func printChangeJSON(w io.Writer, c client.Change) error {
	o := map[string]any{"time": c.Time.Format(time.RFC3339Nano), "path": watchedPath(c.Path)}
	if c.Gone {
		o["gone"] = true
	} else {
		o["value"] = c.Value
	}
	if c.Duplicates > 0 {
		o["duplicates"] = c.Duplicates
	}
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}
