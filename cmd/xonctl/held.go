package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"xon/gnmi/admin"
	"xon/gnmi/client"
)

func (a *app) confirmCommand() *cobra.Command {
	req := &admin.ConfirmRequest{}
	cmd := &cobra.Command{
		Use:   "confirm ID",
		Short: "let a plan go on that is held for what it removes or resets, or was aborted",
		Long: `A plan that would remove or reset a large part of what the chip has, without as large a
change of rows, is held until it is confirmed. xonctl status tells of it, xonctl history
--plans shows it. It is planned anew before it goes on.`,
		Example: `  xonctl status
  xonctl confirm 17`,
		Args: needs("the number of the plan, as xonctl status shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := atMost(1)(c, args); err != nil {
				return err
			}
			var err error
			if req.Id, err = strconv.ParseUint(args[0], 10, 64); err != nil || req.GetId() == 0 {
				return usagef("%q is not a number of a plan; xonctl status shows the one that is held", args[0])
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				resp, err := cl.Admin().Confirm(ctx, req)
				if err != nil {
					return a.refused(c, err, nil)
				}
				if a.json {
					return a.printMessage(c, resp)
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "confirmed: plan %d is carried out, revision %d\n", req.GetId(), resp.GetRevision())
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&req.Disruptive, "disruptive", false, "take changed objects out of use first")
	return cmd
}

func (a *app) abortCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "abort",
		Short: "end the plan that is being carried out",
		Long: `abort ends the plan that runs, between two calls to the chip. A transaction is undone and
its caller told; a plan that came from the database stays as far as it got, and goes on
with the next change, or by xonctl confirm. It ends with 1 if no plan was running.`,
		Example: "  xonctl abort",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				resp, err := cl.Admin().Abort(ctx, &admin.AbortRequest{})
				switch {
				case err != nil:
					return err
				case a.json:
					err = a.printMessage(c, resp)
				case resp.GetAborted():
					_, err = fmt.Fprintln(c.OutOrStdout(), "the plan that was running ends; xonctl history tells how")
				default:
					fmt.Fprintln(c.ErrOrStderr(), "no plan is running")
				}
				if err == nil && !resp.GetAborted() {
					return errSaid
				}
				return err
			})
		},
	}
}
