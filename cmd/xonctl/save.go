package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/statedb"
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
		Use:   "save FILE",
		Short: "write the configuration in force to a file",
		Long: `save writes CONFIG_DB as a config_db.json, which xonctl apply --replace and
xond --config take. FILE may be - for standard output. An existing file is replaced at
once or not at all. Rows that the buffer manager put there because others ask for them are
left out, unless somebody changed them: it makes them again. What xond keeps for itself
it saves after every change without being asked.`,
		Example: `  xonctl config save /etc/sonic/config_db.json
  xonctl config save - | less`,
		Args: needs("a file, or - for standard output"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := atMost(1)(c, args); err != nil {
				return err
			}
			file := args[0]
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				return usagef("%s is a folder; name a file in it, as in %s", file, filepath.Join(file, "config_db.json"))
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				return save(ctx, c, cl, file)
			})
		},
	}, a.toolsCommand())
	return cmd
}

func save(ctx context.Context, c *cobra.Command, cl *client.Client, file string) error {
	hashes := map[configdb.RowKey][]string{}
	if err := derivedRows(ctx, cl, hashes); err != nil {
		return err
	}
	tables, err := cl.Tables(ctx, configDB)
	if err != nil {
		return err
	}
	if err := derivedRows(ctx, cl, hashes); err != nil { // they may have come meanwhile, or gone
		return err
	}
	rows := configdb.RawRows{}
	for table, keys := range tables {
		for key, fields := range keys {
			rows[configdb.Key(table, key)] = configdb.Fields(fields)
		}
	}
	statedb.DeleteDerived(rows, hashes)
	if file == "-" {
		return configdb.Encode(c.OutOrStdout(), rows)
	}
	if err := configdb.WriteFile(file, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "saved %s to %s\n", count(len(rows), "row"), file)
	return err
}

// derivedRows adds the hashes of the rows that xond put into CONFIG_DB by itself.
func derivedRows(ctx context.Context, cl *client.Client, hashes map[configdb.RowKey][]string) error {
	marks, err := cl.Table(ctx, stateDB, statedb.DerivedTable)
	for k, f := range marks {
		hashes[configdb.RowKey(k)] = append(hashes[configdb.RowKey(k)], statedb.DerivedDigests(f)...)
	}
	return err
}
