package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/gnmi/path"
	"xon/schema/countersdb"
)

// databaseNames are those that gNMI serves.
var databaseNames = []string{configDB, applDB, stateDB, countersDB, "APPL_STATE_DB", "ASIC_DB", "FLEX_COUNTER_DB"}

// completePath completes a row, "PORT|Ethernet0", or a path element by element,
// "COUNTERS_DB/COUNTERS/Ethernet0/Queues/…".
func (a *app) completePath(c *cobra.Command, _ []string, typed string) ([]string, directive) {
	bar, slash := strings.Index(typed, "|"), strings.Index(typed, "/")
	switch {
	case slash < 0 && bar < 0:
		names, how := a.completeRow(c, typed)
		return append(names, begin(prefixed("", databaseNames, "/"), typed)...), how
	case slash < 0 || bar >= 0 && bar < slash:
		return a.completeRow(c, typed)
	}
	return a.completeElement(c.Context(), typed)
}

// completeElement completes the last element of a path.
func (a *app) completeElement(ctx context.Context, typed string) ([]string, directive) {
	head := typed[:lastSlash(typed)+1]
	p, err := parsePath(strings.TrimSuffix(head, "/"))
	if err != nil {
		return nil, wholeWords
	}
	var names []string
	how := wholeWords
	for _, child := range a.below(ctx, p) {
		if text := head + child.name; strings.HasPrefix(text, typed) {
			names = append(names, text)
			if !child.leaf {
				how = beginnings
			}
		}
	}
	return names, how
}

// lastSlash finds the last slash that ends an element.
func lastSlash(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '/' && (i == 0 || text[i-1] != '\\') {
			return i
		}
	}
	return -1
}

// child is what may follow a path.
type child struct {
	name string // escaped, as in a path; with a slash behind it if it is no place to stop
	leaf bool   // nothing may follow
}

func element(name string) string {
	return strings.TrimPrefix(path.String(&gpb.Path{Elem: path.Of(name)}), "/")
}

func folders(names []string) (all []child) {
	for _, n := range names {
		all = append(all, child{name: element(n) + "/"})
	}
	return all
}

// below lists what may follow a path, as far as the agent says it.
func (a *app) below(ctx context.Context, p *gpb.Path) []child {
	elems, err := path.Names(p.GetElem())
	if err != nil {
		return nil
	}
	switch depth := len(elems); {
	case depth == 0:
		return folders(databaseNames)
	case depth == 1 && elems[0] == configDB:
		return folders(tableNames())
	case depth == 1 && elems[0] == countersDB:
		return folders(countersTables)
	case depth == 1:
		return folders(a.tablesOf(ctx, elems[0]))
	case elems[0] == countersDB && depth == tableDepth && isByObject(elems[1]):
		return a.objectNames(ctx)
	}
	all := a.members(ctx, p)
	if elems[0] == countersDB && len(elems) == tableDepth+1 && isByObject(elems[1]) && elems[1] != countersdb.RatesTable {
		all = append(all, folders([]string{"PriorityGroups", "Queues"})...)
	}
	return all
}

// countersTables are the tables of COUNTERS_DB: to read them all would take long.
var countersTables = []string{
	countersdb.CountersTable, countersdb.RatesTable, countersdb.User.Table(), countersdb.Persistent.Table(), countersdb.Periodic.Table(),
	countersdb.PortNameMap, countersdb.QueueNameMap, countersdb.PGNameMap, countersdb.PoolNameMap, countersdb.SwitchNameMap,
	countersdb.QueuePortMap, countersdb.QueueIndexMap, countersdb.QueueTypeMap, countersdb.PGPortMap, countersdb.PGIndexMap,
}

// isByObject reports whether a table of COUNTERS_DB has rows of objects, which go by name.
func isByObject(table string) bool { return slices.Index(countersTables, table) < 5 }

func (a *app) tablesOf(ctx context.Context, db string) []string {
	var tables map[string]client.Rows
	a.soon(ctx, func(ctx context.Context, cl *client.Client) (err error) {
		tables, err = cl.Tables(ctx, db)
		return err
	})
	return sorted(tables)
}

// objectNames are the ports and pools that have counters.
func (a *app) objectNames(ctx context.Context) (all []child) {
	for _, table := range []string{countersdb.PortNameMap, countersdb.PoolNameMap} {
		for _, c := range a.members(ctx, client.Path(countersDB, table)) {
			all = append(all, child{name: c.name})
		}
	}
	return all
}

// members are the names in the objects at a path.
func (a *app) members(ctx context.Context, p *gpb.Path) (all []child) {
	found := map[string]json.RawMessage{}
	a.soon(ctx, func(ctx context.Context, cl *client.Client) error {
		values, err := cl.Get(ctx, p)
		for _, v := range values {
			_ = json.Unmarshal(v.JSON, &found) // a field has no names in it
		}
		return err
	})
	for _, name := range sorted(found) {
		all = append(all, child{name: element(name), leaf: !strings.HasPrefix(string(found[name]), "{")})
	}
	return all
}
