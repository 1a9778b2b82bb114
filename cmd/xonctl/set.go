package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

// setOptions are the flags of `xonctl set`.
type setOptions struct {
	delete, replace bool
	file            string
}

func (a *app) setCommand() *cobra.Command {
	o, change := setOptions{}, changeOptions{}
	cmd := &cobra.Command{
		Use:   "set ROW field=value...",
		Short: "change one row",
		Long: `set changes fields of a row and makes the row if it is not there. With --replace
the row has the fields given and no others. With --delete the fields named are removed;
xonctl delete removes whole rows. --file takes the fields from a file, a JSON object.` + aboutJSON,
		Example: `  xonctl set 'PORT|Ethernet0' admin_status=up mtu=9100
  xonctl set 'PORT_QOS_MAP|Ethernet0' --delete pfc_enable
  xonctl set 'SCHEDULER|scheduler.0' --replace --file scheduler.json`,
		Args:              needs("a row"),
		ValidArgsFunction: a.completeRowAndFields,
		RunE: func(c *cobra.Command, args []string) error {
			req, err := o.request(c.InOrStdin(), args)
			if err != nil {
				return err
			}
			change.named = []configdb.RowKey{configdb.RowKey(args[0])}
			return a.change(c, req, 1, &change)
		},
	}
	cmd.Flags().BoolVar(&o.delete, "delete", false, "remove the fields named")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "remove all other fields of the row")
	cmd.Flags().StringVar(&o.file, "file", "", "JSON object with the fields; - is standard input")
	change.flags(cmd)
	return cmd
}

func (o *setOptions) request(in io.Reader, args []string) (*gpb.SetRequest, error) {
	table, key, err := parseRow(args[0])
	if err != nil {
		return nil, err
	}
	row := client.Path(configDB, table, key)
	if o.delete {
		return o.deletion(table, key, args[1:])
	}
	fields, err := o.fields(in, args[1:])
	if err != nil {
		return nil, err
	}
	u := client.Update(row, fields)
	if o.replace {
		return &gpb.SetRequest{Replace: []*gpb.Update{u}}, nil
	}
	return &gpb.SetRequest{Update: []*gpb.Update{u}}, nil
}

func (o *setOptions) deletion(table, key string, fields []string) (*gpb.SetRequest, error) {
	if o.replace || o.file != "" {
		return nil, usagef("--delete goes with neither --replace nor --file")
	}
	if len(fields) == 0 {
		return nil, usagef("--delete needs the names of fields; xonctl delete '%s|%s' removes the whole row", table, key)
	}
	req := &gpb.SetRequest{}
	for _, f := range fields {
		if strings.Contains(f, "=") {
			return nil, usagef("--delete takes names of fields, not %q", f)
		}
		req.Delete = append(req.Delete, client.Path(configDB, table, key, f))
	}
	return req, nil
}

// fields gathers what the row shall have, as JSON.
func (o *setOptions) fields(in io.Reader, args []string) ([]byte, error) {
	if o.file != "" {
		if len(args) > 0 {
			return nil, usagef("fields come from --file or from the command line, not from both")
		}
		return readFile(in, o.file)
	}
	fields := map[string]string{}
	for _, arg := range args {
		name, text, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, usagef("%q: want field=value", arg)
		}
		fields[name] = text
	}
	if len(fields) == 0 && !o.replace {
		return nil, usagef("no fields given: want field=value, --file, or --replace for a row without fields")
	}
	return json.Marshal(fields)
}

func readFile(in io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}
