package main

import (
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/gnmi/client"
)

func (a *app) deleteCommand() *cobra.Command {
	o := changeOptions{}
	cmd := &cobra.Command{
		Use:   "delete ROW...",
		Short: "remove rows",
		Long: `delete removes rows in one transaction: all are gone when it returns, or none is.
A row that is not there is no fault, and the answer says so; one that others refer to is.
Single fields go
with xonctl set ROW --delete FIELD.`,
		Example: `  xonctl delete 'BUFFER_PG|Ethernet0|3-4'
  xonctl delete 'QUEUE|Ethernet0|3' 'SCHEDULER|lossless' --dry-run`,
		Args: needs("a row"),
		ValidArgsFunction: func(c *cobra.Command, _ []string, typed string) ([]string, directive) {
			return a.completeRow(c, typed)
		},
		RunE: func(c *cobra.Command, args []string) error {
			req := &gpb.SetRequest{}
			for _, arg := range args {
				table, key, err := parseRow(arg)
				if err != nil {
					return err
				}
				req.Delete = append(req.Delete, client.Path(configDB, table, key))
			}
			return a.change(c, req, len(args), &o)
		},
	}
	o.flags(cmd)
	return cmd
}
