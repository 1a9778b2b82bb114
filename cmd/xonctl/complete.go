package main

import (
	"context"
	"maps"
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

type completion = cobra.ShellCompDirective

// keys asks the agent for the keys of a table; without an agent there are none.
func (a *app) keys(ctx context.Context, table string) []string {
	ctx, cancel := context.WithTimeout(ctx, completionPatience)
	defer cancel()
	var rows client.Rows
	_ = a.connected(ctx, func(ctx context.Context, cl *client.Client) (err error) {
		rows, err = cl.Table(ctx, configDB, table)
		return err
	})
	return slices.SortedFunc(maps.Keys(rows), configdb.CompareNatural)
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

// completePattern completes names of tables, and behind a bar of rows.
func (a *app) completePattern(c *cobra.Command, _ []string, typed string) ([]string, completion) {
	if strings.Contains(typed, "|") {
		return a.completeRow(c, typed)
	}
	return begin(tableNames(), typed), cobra.ShellCompDirectiveNoFileComp
}

// completePorts completes the last of several names between commas.
func (a *app) completePorts(c *cobra.Command, _ []string, typed string) ([]string, completion) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var all []string
	for _, port := range a.keys(c.Context(), "PORT") {
		all = append(all, before+port)
	}
	return begin(all, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

func (a *app) completePort(c *cobra.Command, _ []string, typed string) ([]string, completion) {
	return begin(a.keys(c.Context(), "PORT"), typed), cobra.ShellCompDirectiveNoFileComp
}

// completeRow completes "PORT|Ethernet0": the table first, then the key.
func (a *app) completeRow(c *cobra.Command, typed string) ([]string, completion) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	table, _, keyed := strings.Cut(typed, "|")
	var names []string
	if !keyed {
		for _, t := range tableNames() {
			names = append(names, t+"|")
		}
		return begin(names, typed), directive | cobra.ShellCompDirectiveNoSpace
	}
	for _, k := range a.keys(c.Context(), table) {
		names = append(names, table+"|"+k)
	}
	return begin(names, typed), directive
}

func (a *app) completePath(c *cobra.Command, _ []string, typed string) ([]string, completion) {
	names, directive := a.completeRow(c, typed)
	if !strings.Contains(typed, "|") {
		names = append(names, begin([]string{configDB + "/", stateDB + "/", countersDB + "/", "APPL_DB/", "ASIC_DB/"}, typed)...)
	}
	return names, directive
}

// completeRowAndFields completes the row, then its fields and their values.
func (a *app) completeRowAndFields(c *cobra.Command, args []string, typed string) ([]string, completion) {
	if len(args) == 0 {
		return a.completeRow(c, typed)
	}
	name, _, _ := strings.Cut(args[0], "|")
	t, ok := configdb.Lookup(name)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	field, _, valued := strings.Cut(typed, "=")
	if valued {
		return begin(a.fieldValues(c, t, field), typed), cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, f := range t.Fields {
		if !strings.HasPrefix(f.Name, "<") {
			names = append(names, f.Name+"=")
		}
	}
	return begin(names, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// fieldValues lists what a field may hold, if that can be said.
func (a *app) fieldValues(c *cobra.Command, t *configdb.Table, field string) []string {
	f, ok := t.Field(field)
	if !ok {
		return nil
	}
	values := f.Values
	if f.Refers != "" {
		values = a.keys(c.Context(), f.Refers)
	}
	var all []string
	for _, v := range values {
		all = append(all, field+"="+v)
	}
	return all
}
