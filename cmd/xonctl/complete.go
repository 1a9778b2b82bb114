package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

// completionPatience is how long a completion waits for the agent: a key was
// pressed, and somebody looks.
const completionPatience = time.Second

type directive = cobra.ShellCompDirective

// What the shell is to do with names: nothing more, wait for the rest of the word.
const (
	wholeWords = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	beginnings = wholeWords | cobra.ShellCompDirectiveNoSpace
)

// soon asks the agent something for a completion; without an agent nothing comes.
func (a *app) soon(ctx context.Context, f func(ctx context.Context, cl *client.Client) error) {
	ctx, cancel := context.WithTimeout(ctx, completionPatience)
	defer cancel()
	_ = a.connected(ctx, f)
}

// keys asks the agent for the keys of a table.
func (a *app) keys(ctx context.Context, table string) []string {
	var rows client.Rows
	a.soon(ctx, func(ctx context.Context, cl *client.Client) (err error) {
		rows, err = cl.Table(ctx, configDB, table)
		return err
	})
	return sorted(rows)
}

func tableNames() []string {
	var names []string
	for _, t := range configdb.Tables() {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// begin keeps those of names that begin with what was typed.
func begin(names []string, typed string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, typed) })
}

// prefixed puts a text before each name, and another behind it.
func prefixed(before string, names []string, behind string) []string {
	var all []string
	for _, n := range names {
		all = append(all, before+n+behind)
	}
	return all
}

// completePattern completes names of tables, and behind a bar of rows.
func (a *app) completePattern(c *cobra.Command, _ []string, typed string) ([]string, directive) {
	if strings.Contains(typed, "|") {
		return a.completeRow(c, typed)
	}
	return begin(tableNames(), typed), cobra.ShellCompDirectiveNoFileComp
}

// completePorts completes the last of several names between commas.
func (a *app) completePorts(c *cobra.Command, _ []string, typed string) ([]string, directive) {
	return begin(nextOf(typed, a.keys(c.Context(), "PORT")), typed), beginnings
}

// nextOf puts what is typed up to the last comma before names, but for names that stand
// there already.
func nextOf(typed string, names []string) []string {
	before := typed[:strings.LastIndex(typed, ",")+1]
	there := strings.Split(before, ",")
	left := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(there, n) })
	return prefixed(before, left, "")
}

// completePort completes the one port that a command is about.
func (a *app) completePort(c *cobra.Command, args []string, typed string) ([]string, directive) {
	if len(args) > 0 {
		return nil, wholeWords
	}
	return begin(a.keys(c.Context(), "PORT"), typed), wholeWords
}

// completeRow completes "PORT|Ethernet0": the table first, then the key.
func (a *app) completeRow(c *cobra.Command, typed string) ([]string, directive) {
	table, _, keyed := strings.Cut(typed, "|")
	if !keyed {
		return begin(prefixed("", tableNames(), "|"), typed), beginnings
	}
	keys := a.keys(c.Context(), table)
	if _, key, _ := strings.Cut(typed, "|"); strings.Contains(key, ",") { // a row for several ports
		keys = append(keys, nextOf(key, a.keys(c.Context(), "PORT"))...)
		return begin(prefixed(table+"|", keys, ""), typed), beginnings
	}
	return begin(prefixed(table+"|", keys, ""), typed), wholeWords
}

// completeRowAndFields completes the row, then its fields and their values, or with
// --delete the names of fields alone.
func (a *app) completeRowAndFields(c *cobra.Command, args []string, typed string) ([]string, directive) {
	if len(args) == 0 {
		return a.completeRow(c, typed)
	}
	name, _, _ := strings.Cut(args[0], "|")
	t, ok := configdb.Lookup(name)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := a.fieldNames(c.Context(), t)
	if deleted := c.Flags().Lookup("delete"); deleted != nil && deleted.Changed {
		return begin(names, typed), wholeWords
	}
	if field, value, valued := strings.Cut(typed, "="); valued {
		return begin(a.fieldValues(c.Context(), t, field, value), typed), wholeWords
	}
	return begin(prefixed("", names, "="), typed), beginnings
}

// fieldNames lists the fields of a table, of those whose names are ports the ports.
func (a *app) fieldNames(ctx context.Context, t *configdb.Table) []string {
	var names []string
	for _, f := range t.Fields {
		switch {
		case f.Name == "<port>":
			names = append(names, a.keys(ctx, "PORT")...)
		case !strings.HasPrefix(f.Name, "<"):
			names = append(names, f.Name)
		}
	}
	return names
}

// fieldValues lists what a field may hold, if that can be said; of a list, with what is
// typed of it before the last comma.
func (a *app) fieldValues(ctx context.Context, t *configdb.Table, field, typed string) []string {
	f, ok := t.Field(field)
	if !ok {
		return nil
	}
	values := slices.Clone(f.Values)
	if f.Refers != "" {
		values = a.keys(ctx, f.Refers)
	}
	if f.List {
		values = nextOf(typed, values)
	}
	return prefixed(field+"=", values, "")
}
