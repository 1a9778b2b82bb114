package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"xon/gnmi/client"
	"xon/gnmi/path"
	"xon/schema/configdb"
)

func (a *app) getCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get PATH...",
		Short: "print a field, rows, tables or a whole database",
		Long: `get prints what is at each path: the bare value of a field, a row with its fields,
all rows of a table. With --json it is the JSON that gNMI gave; for several paths, or
one with wildcards, an object with the paths as names.`,
		Example: `  xonctl get 'PORT|Ethernet0'
  xonctl get PORT/Ethernet0/mtu
  xonctl get 'BUFFER_PG/Ethernet0|*'
  xonctl get STATE_DB/XON_ROW
  xonctl get --json CONFIG_DB`,
		Args:              needs("a path"),
		ValidArgsFunction: a.completePath,
		RunE: func(c *cobra.Command, args []string) error {
			paths, err := parsePaths(args)
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				values, err := cl.Get(ctx, paths...)
				if err != nil {
					return absent(ctx, cl, paths, err)
				}
				single := len(paths) == 1 && !isPattern(paths[0])
				return a.printValues(c.OutOrStdout(), values, single)
			})
		},
	}
}

// absent says, of a path where nothing is, what there is next to it.
func absent(ctx context.Context, cl *client.Client, paths []*gpb.Path, err error) error {
	if client.Code(err) != codes.NotFound || len(paths) > 1 {
		return err
	}
	names, _ := path.Names(paths[0].GetElem()) // patterns are always found
	if len(names) < tableDepth || names[0] != configDB && names[0] != stateDB {
		return err
	}
	tables, failed := cl.Tables(ctx, names[0])
	if failed != nil {
		return err // the first error is the one to tell
	}
	if rows, ok := tables[names[1]]; ok {
		return fmt.Errorf("%w\n%s has the rows: %s", err, names[1], some(sorted(rows)))
	}
	return fmt.Errorf("%w\n%s has the tables: %s", err, names[0], some(sorted(tables)))
}

// some is a list of names, cut when it is long.
func some(names []string) string {
	const most = 24
	if len(names) == 0 {
		return "none"
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

func isPattern(p *gpb.Path) bool {
	return slices.ContainsFunc(p.GetElem(), func(e *gpb.PathElem) bool { return path.IsPattern(e.GetName()) })
}

func (a *app) printValues(w io.Writer, values []client.Value, single bool) error {
	switch {
	case a.json && single:
		return indent(w, json.RawMessage(values[0].JSON))
	case a.json:
		all := map[string]json.RawMessage{}
		for _, v := range values {
			all[place(v.Path)] = v.JSON
		}
		return indent(w, all)
	case len(values) == 0:
		_, err := fmt.Fprintln(w, "no rows")
		return err
	}
	slices.SortFunc(values, func(x, y client.Value) int {
		return configdb.CompareNatural(place(x.Path), place(y.Path))
	})
	for i, v := range values {
		if err := printValue(w, v, single, i > 0); err != nil {
			return err
		}
	}
	return nil
}

// printValue writes a field as it is, and rows with their fields below them.
func printValue(w io.Writer, v client.Value, single, space bool) error {
	var tree any
	if err := json.Unmarshal(v.JSON, &tree); err != nil {
		return fmt.Errorf("answer at %s: %w", place(v.Path), err)
	}
	var b strings.Builder
	if text, ok := tree.(string); ok {
		if !single {
			b.WriteString(strings.TrimPrefix(path.String(&gpb.Path{Elem: v.Path.GetElem()}), "/") + " = ")
		}
		b.WriteString(text + "\n")
	} else {
		if space {
			b.WriteString("\n")
		}
		printTree(&b, place(v.Path), tree)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printTree writes each hash of a tree under its place.
func printTree(b *strings.Builder, at string, tree any) {
	object, _ := tree.(map[string]any)
	names := slices.SortedFunc(maps.Keys(object), configdb.CompareNatural)
	var inner []string
	width := 0
	for _, n := range names {
		if _, ok := object[n].(map[string]any); ok {
			inner = append(inner, n)
		} else {
			width = max(width, len(n))
		}
	}
	if len(inner) == 0 {
		b.WriteString(printable(at) + "\n")
	}
	for _, n := range names {
		if text, ok := object[n].(string); ok {
			fmt.Fprintf(b, "  %-*s  %s\n", width, printable(n), printable(text))
		}
	}
	for i, n := range inner {
		if i > 0 {
			b.WriteString("\n")
		}
		printTree(b, below(at, n), object[n])
	}
}

// below is the place of a member: rows of CONFIG_DB are written with a bar.
func below(at, name string) string {
	table, ok := strings.CutPrefix(at, configDB+"/")
	if ok && !strings.Contains(table, "/") {
		return table + "|" + name
	}
	return at + "/" + name
}
