package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

func (a *app) rowsCommand() *cobra.Command {
	var only []string
	cmd := &cobra.Command{
		Use:   "rows [TABLE]",
		Short: "what became of each row, and why",
		Long: `rows shows the fate of each row of the configuration: applied; waiting, for what;
refused, why; or ignored, when its table is none of xon's.`,
		Example: `  xonctl show rows
  xonctl show rows BUFFER_PG
  xonctl show rows --state refused,waiting`,
		Args:              atMost(1),
		ValidArgsFunction: a.completeTable,
		RunE: func(c *cobra.Command, args []string) error {
			for _, s := range only {
				if !slices.Contains(states, s) {
					return usagef("--state %q: there are %s", s, strings.Join(states, ", "))
				}
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				fates := &read{elems: []string{stateDB, statedb.FateTable}}
				if len(args) > 0 {
					fates = fatesOf(args[0])
				}
				if err := ask(ctx, cl, fates); err != nil {
					return err
				}
				return a.print(c.OutOrStdout(), rowsTable(fates.rows, only))
			})
		},
	}
	cmd.Flags().StringSliceVar(&only, "state", nil, "only rows in these `states`: "+strings.Join(states, ", "))
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func rowsTable(rows client.Rows, only []string) *table {
	t := &table{
		columns:  []string{"ROW", "STATE", "SINCE", "REVISION", "FIELD", "WAITS FOR", "REASON", "WARNINGS"},
		optional: true,
	}
	for _, row := range sorted(rows) {
		key := configdb.RowKey(row)
		f, _ := fateIn(rows, key.Table(), key.Key())
		if len(only) == 0 || slices.Contains(only, string(f.State)) {
			t.add(row, string(f.State), since(f), f.Revision, f.Field, f.On, f.Reason, warnings(f))
		}
	}
	return t
}
