package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/cmd/configfile"
	"xon/gnmi/client"
	"xon/schema/configdb"
)

// aboutApply is the help of xonctl apply.
const aboutApply = `apply sends the rows of a file in one transaction: they are applied when it
returns, or nothing has changed and each fault is printed. Rows that the file does
not have stay as they are; with --replace they are removed, but for those of tables that
xon does not manage (BGP, TACACS, …). Such rows in the file are stored and have no effect.

Rows with a bad value in a field, and what of the file is no row, an empty key or a null, are
left out and printed; it then ends with 1 although the rest is applied. With --replace too, what is stored in its place stays. Top-level names that do not begin with a capital
letter are left out as SONiC does. FILE may be - for standard input.` + aboutJSON

func (a *app) applyCommand() *cobra.Command {
	replace, files, o := false, configfile.Options{}, changeOptions{}
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "apply a config_db.json, or a part of one",
		Long:  aboutApply,
		Example: `  xonctl apply qos.json
  xonctl apply --replace config_db.json
  xonctl apply --replace --dry-run config_db.json        what it would do
  xonctl apply --asic asic0 config_db.json               of a file for several ASICs
  echo '{"PORT": {"Ethernet0": {"mtu": "9100"}}}' | xonctl apply -`,
		Args: needs("a file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := atMost(1)(c, args); err != nil {
				return err
			}
			req, file, err := a.applyRequest(c, args[0], &files, replace, &o)
			configfile.Print(c.ErrOrStderr(), file)
			if err != nil {
				return err
			}
			if err := a.change(c, req, len(file.Rows), &o); err != nil {
				return err
			}
			return saidOf(file)
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "make the file the whole configuration, but for tables that xon does not manage")
	files.Flags(cmd.Flags())
	o.flags(cmd)
	return cmd
}

// saidOf is errSaid if a part of a file was refused, which has been printed.
func saidOf(file *configdb.File) error {
	if file != nil && len(file.Refused) > 0 {
		return errSaid
	}
	return nil
}

func (a *app) applyRequest(c *cobra.Command, name string, files *configfile.Options, replace bool, o *changeOptions) (*gpb.SetRequest, *configdb.File, error) {
	file, err := readRows(c.InOrStdin(), name, files)
	if err != nil {
		return nil, nil, err
	}
	if len(file.Rows) == 0 {
		return nil, file, fmt.Errorf("%s has no rows; to empty the switch delete its tables by name", name)
	}
	req, err := a.fileRequest(c.Context(), file, replace)
	o.file, o.without = file, a.leaveOut(c, file, replace)
	return req, file, err
}

// fileRequest is the request for the rows of a file.
func (a *app) fileRequest(ctx context.Context, file *configdb.File, replace bool) (*gpb.SetRequest, error) {
	if replace {
		if err := a.keepStored(ctx, file); err != nil {
			return nil, err
		}
	}
	doc, err := json.Marshal(tablesOf(file))
	if err != nil {
		return nil, err
	}
	u := client.Update(client.Path(configDB), doc)
	if replace {
		return &gpb.SetRequest{Replace: []*gpb.Update{u}}, nil
	}
	return &gpb.SetRequest{Update: []*gpb.Update{u}}, nil
}

// leaveOut has a file go without the rows that hold bad values, once each: what is stored
// of such a row stays. A file that has no other rows is refused as a whole.
func (a *app) leaveOut(c *cobra.Command, file *configdb.File, replace bool) func([]client.Fault) (*gpb.SetRequest, int, error) {
	gone := map[configdb.RowKey]bool{}
	return func(faults []client.Fault) (*gpb.SetRequest, int, error) {
		bad := badRows(file, faults, gone)
		for _, f := range bad {
			gone[f.Row] = true
		}
		if len(bad) == 0 || !slices.ContainsFunc(slices.Collect(maps.Keys(file.Rows)), func(k configdb.RowKey) bool { return !gone[k] }) {
			return nil, 0, nil
		}
		for _, f := range bad {
			delete(file.Rows, f.Row)
			delete(file.Empty, f.Row)
		}
		rows := len(file.Rows)
		file.Refused = append(file.Refused, bad...)
		configfile.Print(c.ErrOrStderr(), &configdb.File{Refused: bad})
		req, err := a.fileRequest(c.Context(), file, replace)
		return req, rows, err
	}
}

// badRows are the rows of a file that faults say hold bad values, but for those that are
// gone already.
func badRows(file *configdb.File, faults []client.Fault, gone map[configdb.RowKey]bool) (bad []*configdb.Fault) {
	for _, f := range faults {
		k := configdb.RowKey(f.Row)
		if _, ok := file.Rows[k]; !ok || gone[k] || f.Field == "" || f.Reason != configdb.Invalid.String() {
			continue
		}
		// It is the row that is left out, not the field.
		bad = append(bad, &configdb.Fault{Row: k, Err: fmt.Errorf("field %q: %s", f.Field, f.Message)})
	}
	return bad
}

// tablesOf are the rows of a file as gNMI takes them, with the lists that are to be empty:
// merged into a row they take the field away.
func tablesOf(file *configdb.File) map[string]map[string]map[string]any {
	tables := map[string]map[string]map[string]any{}
	for k, f := range file.Rows {
		if tables[k.Table()] == nil {
			tables[k.Table()] = map[string]map[string]any{}
		}
		row := make(map[string]any, len(f))
		for name, text := range f {
			row[name] = text
		}
		for _, name := range file.Empty[k] {
			row[name] = []string{}
		}
		tables[k.Table()][k.Key()] = row
	}
	return tables
}

// readRows reads a file, or what stands for it. gNMI has no path to a row with an empty
// key, so such a row is refused here.
func readRows(in io.Reader, name string, files *configfile.Options) (*configdb.File, error) {
	read := func() (*configdb.File, error) { return files.Read(name) }
	if name == "-" {
		read = func() (*configdb.File, error) { return files.Decode(in, "standard input") }
	}
	file, err := read()
	if err != nil {
		return nil, err
	}
	for _, k := range slices.Sorted(maps.Keys(file.Rows)) {
		if k.Key() == "" {
			delete(file.Rows, k)
			file.Refused = append(file.Refused, &configdb.Fault{Row: k, Err: errors.New("the row's key is empty")})
		}
	}
	return file, nil
}
