package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/gnmi/client"
)

// setOptions are the flags of `xonctl set`.
type setOptions struct {
	delete, replace bool
	file            string
}

func (a *app) setCommand() *cobra.Command {
	o := setOptions{}
	cmd := &cobra.Command{
		Use:   "set ROW field=value...",
		Short: "change one row",
		Long: `set changes fields of a row and makes the row if it is not there. With --replace
the row has the fields given and no others. With --delete it is removed, or the
fields named are. --file takes the fields from a file, a JSON object.`,
		Example: `  xonctl set 'PORT|Ethernet0' admin_status=up mtu=9100
  xonctl set 'PORT_QOS_MAP|Ethernet0' --delete pfc_enable
  xonctl set 'BUFFER_PG|Ethernet0|3-4' --delete
  xonctl set 'SCHEDULER|scheduler.0' --replace --file scheduler.json`,
		Args:              needs("a row"),
		ValidArgsFunction: a.completeRowAndFields,
		RunE: func(c *cobra.Command, args []string) error {
			req, err := o.request(c.InOrStdin(), args)
			if err != nil {
				return err
			}
			return a.set(c, req, 1)
		},
	}
	cmd.Flags().BoolVar(&o.delete, "delete", false, "remove the row, or the fields named")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "remove all other fields of the row")
	cmd.Flags().StringVar(&o.file, "file", "", "JSON object with the fields; - is standard input")
	return cmd
}

func (o *setOptions) request(in io.Reader, args []string) (*gpb.SetRequest, error) {
	table, key, err := parseRow(args[0])
	if err != nil {
		return nil, err
	}
	row := client.Path(configDB, table, key)
	if o.delete {
		return o.deletion(row, table, key, args[1:])
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

func (o *setOptions) deletion(row *gpb.Path, table, key string, fields []string) (*gpb.SetRequest, error) {
	if o.replace || o.file != "" {
		return nil, usagef("--delete goes with neither --replace nor --file")
	}
	if len(fields) == 0 {
		return &gpb.SetRequest{Delete: []*gpb.Path{row}}, nil
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
		return nil, usagef("no fields given: want field=value, --file, --replace for a row without fields, or --delete")
	}
	return json.Marshal(fields)
}

func readFile(in io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}

// set sends a request that concerns a number of rows and prints what became of it.
func (a *app) set(c *cobra.Command, req *gpb.SetRequest, rows int) error {
	return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
		out, err := cl.Set(ctx, req)
		if err != nil {
			return a.refused(c, err)
		}
		if a.json {
			done := map[string]any{"applied": true, "rows": rows, "revision": out.Revision}
			if len(out.Warnings) > 0 {
				done["warnings"] = out.Warnings
			}
			return indent(c.OutOrStdout(), done)
		}
		fmt.Fprintf(c.OutOrStdout(), "applied: %s, revision %d\n", count(rows, "row"), out.Revision)
		for _, w := range out.Warnings {
			fmt.Fprintln(c.ErrOrStderr(), "warning:", w)
		}
		return nil
	})
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
