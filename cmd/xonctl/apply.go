package main

import (
	"encoding/json"
	"fmt"
	"io"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

func (a *app) applyCommand() *cobra.Command {
	replace, o := false, changeOptions{}
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "put a config_db.json, or a part of one, in force",
		Long: `apply sends all rows of a file in one transaction: they are in force when it
returns, or nothing has changed and each fault is printed. Rows that the file does
not have stay as they are; with --replace they are removed. FILE may be - for
standard input.`,
		Example: `  xonctl apply qos.json
  xonctl apply --replace config_db.json
  xonctl apply --replace --dry-run config_db.json        what it would do
  echo '{"PORT": {"Ethernet0": {"mtu": "9100"}}}' | xonctl apply -`,
		Args: needs("a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := atMost(1)(c, args); err != nil {
				return err
			}
			req, rows, err := applyRequest(c.InOrStdin(), args[0], replace)
			if err != nil {
				return err
			}
			return a.change(c, req, rows, &o)
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "make the file the whole configuration")
	o.flags(cmd)
	return cmd
}

func applyRequest(in io.Reader, file string, replace bool) (*gpb.SetRequest, int, error) {
	rows, err := readRows(in, file)
	if err != nil {
		return nil, 0, err
	}
	if len(rows) == 0 {
		return nil, 0, fmt.Errorf("%s has no rows; to empty the switch delete its tables by name", file)
	}
	tree := map[string]map[string]configdb.Fields{}
	for k, f := range rows {
		if tree[k.Table()] == nil {
			tree[k.Table()] = map[string]configdb.Fields{}
		}
		tree[k.Table()][k.Key()] = f
	}
	doc, err := json.Marshal(tree)
	if err != nil {
		return nil, 0, err
	}
	u := client.Update(client.Path(configDB), doc)
	if replace {
		return &gpb.SetRequest{Replace: []*gpb.Update{u}}, len(rows), nil
	}
	return &gpb.SetRequest{Update: []*gpb.Update{u}}, len(rows), nil
}

func readRows(in io.Reader, file string) (configdb.RawRows, error) {
	if file != "-" {
		return configdb.ReadFile(file)
	}
	rows, err := configdb.Decode(in)
	if err != nil {
		return nil, fmt.Errorf("standard input:%w", err)
	}
	return rows, nil
}
