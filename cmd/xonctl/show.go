package main

import (
	"context"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
)

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "ports, PFC, queues and buffers in tables",
		RunE: func(c *cobra.Command, args []string) error {
			if err := noArgs(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	cmd.AddCommand(a.portsCommand(), a.pfcCommand(), a.queuesCommand(), a.buffersCommand())
	return cmd
}

// shower reads and makes tables of what it read.
type shower func(ctx context.Context, cl *client.Client, ports portFilter) ([]*table, error)

// portsFlag adds --port.
func (a *app) portsFlag(cmd *cobra.Command, ports *portFilter) {
	cmd.Flags().StringSliceVar((*[]string)(ports), "port", nil, "only these `ports`, separated by commas; * is a wildcard")
	_ = cmd.RegisterFlagCompletionFunc("port", a.completePort) // fails for a flag that is not there
}

// showing makes a command of a shower.
func (a *app) showing(cmd *cobra.Command, show shower) *cobra.Command {
	var ports portFilter
	a.portsFlag(cmd, &ports)
	cmd.Args = noArguments
	cmd.RunE = func(c *cobra.Command, _ []string) error {
		return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
			tables, err := show(ctx, cl, ports)
			if err != nil {
				return err
			}
			return a.print(c.OutOrStdout(), tables...)
		})
	}
	return cmd
}

func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments; a port is named with --port %s", c.CommandPath(), args[0])
	}
	return nil
}
