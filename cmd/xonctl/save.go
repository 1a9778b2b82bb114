package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "the configuration as a whole",
		RunE: func(c *cobra.Command, args []string) error {
			if err := noArgs(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "save [FILE]",
		Short: "write the configuration in force to a file",
		Long: `save writes CONFIG_DB as a config_db.json, which xonctl apply --replace and
xond --config take. FILE is config_db.json in this folder if not given, and may be -
for standard output. An existing file is replaced at once or not at all.`,
		Example: `  xonctl config save /etc/sonic/config_db.json
  xonctl config save - | less`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			file := "config_db.json"
			if len(args) > 0 {
				file = args[0]
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				return save(ctx, c, cl, file)
			})
		},
	})
	return cmd
}

func save(ctx context.Context, c *cobra.Command, cl *client.Client, file string) error {
	tables, err := cl.Tables(ctx, configDB)
	if err != nil {
		return err
	}
	rows := configdb.RawRows{}
	for table, keys := range tables {
		for key, fields := range keys {
			rows[configdb.Key(table, key)] = configdb.Fields(fields)
		}
	}
	if file == "-" {
		return configdb.Encode(c.OutOrStdout(), rows)
	}
	if err := configdb.WriteFile(file, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "saved %s to %s\n", count(len(rows), "row"), file)
	return err
}
