package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"xon/gnmi/admin"
	"xon/gnmi/client"
)

func (a *app) callsCommand() *cobra.Command {
	req := &admin.CallsRequest{Limit: 20}
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "the last calls to the chip: what, how they went, how long they took",
		Long: `calls shows the last SAI calls of the agent, the newest last: a few hundred that change
the chip, and with --reads some that read from it. Calls of an agent before this one are
gone. xonctl history shows what they were for.`,
		Example: `  xonctl calls -n 10
  xonctl calls --failed
  xonctl calls --reads --json`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				resp, err := cl.Admin().Calls(ctx, req)
				if err != nil {
					return err
				}
				if a.json {
					return a.printMessage(c, resp)
				}
				return callsTable(resp.GetCalls()).text(c.OutOrStdout())
			})
		},
	}
	f := cmd.Flags()
	f.VarP(&wholeNumber{hi: math.MaxUint32, set: into(&req.Limit), text: "20"}, "number", "n", "only the newest `N` calls")
	f.BoolVar(&req.Failed, "failed", false, "only calls that did not succeed")
	f.BoolVar(&req.Reads, "reads", false, "calls that read, too")
	return cmd
}

// callsTable has a line for each object of a call.
func callsTable(calls []*admin.Call) *table {
	t := &table{columns: []string{"SEQ", "TIME", "TOOK", "STATUS", "CALL"}}
	for _, c := range calls {
		at := c.GetTime().AsTime()
		first := []any{c.GetSeq(), shown{text: at.Format("15:04:05.000"), value: at}, took(c.GetTook().AsDuration()), c.GetStatus()}
		for _, line := range c.GetLines() {
			t.add(append(first, line)...)
			first = []any{shown{}, shown{}, shown{}, shown{}}
		}
	}
	return t
}
