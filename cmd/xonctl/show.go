package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
)

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "ports, counters, PFC, queues, priority groups and buffers in tables",
		Long: `show has tables of what the switch does. A dash stands for what is not known, and a line
below the table says why: counters are polled by group, once enabled. With --json such
a field is left out, and the line goes to standard error. A terminal that is too narrow
for all columns gets them in parts.`,
		Example: `  xonctl show ports
  xonctl show counters --nonzero
  xonctl show pfc --port Ethernet0
  xonctl show queues --nonzero --json
  xonctl show pgs --watermark persistent
  xonctl show buffers`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := noArgs(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	cmd.AddCommand(a.portsCommand(), a.countersCommand(), a.pfcCommand(), a.queuesCommand(), a.pgsCommand(), a.buffersCommand())
	return cmd
}

// choice is what somebody wants to see.
type choice struct {
	ports   portFilter
	nonzero bool          // only rows that have counted something
	all     bool          // rows about which there is nothing to say, too
	mark    watermarkFlag // which watermarks
}

// shower reads and makes tables of what it read.
type shower func(ctx context.Context, cl *client.Client, want choice) ([]*table, error)

// portsFlag adds --port.
func (a *app) portsFlag(cmd *cobra.Command, ports *portFilter) {
	cmd.Flags().StringSliceVar((*[]string)(ports), "port", nil, "only these `ports`, separated by commas; * is a wildcard")
	_ = cmd.RegisterFlagCompletionFunc("port", a.completePorts) // fails for a flag that is not there
}

// showing makes a command of a shower. want has the defaults, and more flags may set it.
func (a *app) showing(cmd *cobra.Command, want *choice, show shower) *cobra.Command {
	a.portsFlag(cmd, &want.ports)
	cmd.Args, cmd.ValidArgsFunction = noArguments, cobra.NoFileCompletions
	cmd.RunE = func(c *cobra.Command, _ []string) error {
		return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
			if err := want.ports.check(ctx, cl); err != nil {
				return err
			}
			tables, err := show(ctx, cl, *want)
			if err != nil {
				return err
			}
			if err := a.print(c.OutOrStdout(), tables...); err != nil || !a.json {
				return err
			}
			for _, t := range tables {
				for _, n := range t.notes {
					fmt.Fprintln(c.ErrOrStderr(), n)
				}
			}
			return nil
		})
	}
	return cmd
}

// counting adds the flags of tables with counters.
func counting(cmd *cobra.Command, want *choice, all string) *cobra.Command {
	cmd.Flags().BoolVar(&want.nonzero, "nonzero", false, "only rows with a counter that is not zero")
	if all != "" {
		cmd.Flags().BoolVar(&want.all, "all", false, all)
	}
	return cmd
}

// finish leaves out what is not wanted of a table. It comes behind the notes, which are
// about all rows.
func (w choice) finish(tables ...*table) []*table {
	for _, t := range tables {
		if w.nonzero && len(t.counts) > 0 {
			t.dropZeros()
		}
	}
	return tables
}

func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments; a port is named with --port %s", c.CommandPath(), args[0])
	}
	return nil
}
