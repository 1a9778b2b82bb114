package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/statedb"
)

func (a *app) buffersCommand() *cobra.Command {
	return a.showing(&cobra.Command{
		Use:   "buffers",
		Short: "buffer pools, profiles and priority groups",
		Long: `buffers shows pools, the profiles that draw on them, and which profile each priority
group of a port has. Sizes are in bytes. A threshold is "dynamic n" for 2^n times the
free buffer, or "static" and bytes.`,
		Example: `  xonctl show buffers
  xonctl show buffers --port Ethernet0`,
	}, showBuffers)
}

func showBuffers(ctx context.Context, cl *client.Client, ports portFilter) ([]*table, error) {
	pools, profiles, pgs := configTable("BUFFER_POOL"), configTable("BUFFER_PROFILE"), configTable("BUFFER_PG")
	fates := &read{elems: []string{stateDB, statedb.FateTable, "BUFFER_P*"}}
	drops := &read{elems: []string{countersDB, "COUNTERS", ports.pattern(), "PriorityGroups", "*", pgDrops}}
	if err := ask(ctx, cl, pools, profiles, pgs, fates, drops); err != nil {
		return nil, err
	}
	return []*table{
		poolTable(pools.rows, fates.rows),
		profileTable(profiles.rows, fates.rows),
		pgTable(pgs.rows, fates.rows, drops.rows, ports),
	}, nil
}

const pgDrops = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"

func poolTable(rows, fates client.Rows) *table {
	t := &table{title: "Pools", columns: []string{"POOL", "TYPE", "MODE", "SIZE", "XOFF", "FATE"}}
	for _, name := range sorted(rows) {
		f := rows[name]
		t.add(name, f["type"], f["mode"], number(f["size"]), number(f["xoff"]), shortFate(fates, "BUFFER_POOL", name))
	}
	return t
}

func profileTable(rows, fates client.Rows) *table {
	t := &table{title: "Profiles", columns: []string{"PROFILE", "POOL", "SIZE", "XON", "XON OFFSET", "XOFF", "THRESHOLD", "FATE"}}
	for _, name := range sorted(rows) {
		f := rows[name]
		t.add(name, f["pool"], number(f["size"]), number(f["xon"]), number(f["xon_offset"]), number(f["xoff"]),
			threshold(f), shortFate(fates, "BUFFER_PROFILE", name))
	}
	return t
}

func threshold(f map[string]string) string {
	if th, ok := f["dynamic_th"]; ok {
		return "dynamic " + th
	}
	if th, ok := f["static_th"]; ok {
		return "static " + th
	}
	return ""
}

// pgView is one priority group as it is shown.
type pgView struct {
	port    string
	index   int
	profile string
	fate    string
}

func pgTable(rows, fates, drops client.Rows, ports portFilter) *table {
	views := map[string]pgView{}
	spans(rows, func(port string, i int, key string) {
		views[port+":"+strconv.Itoa(i)] = pgView{port, i, rows[key]["profile"], shortFate(fates, "BUFFER_PG", key)}
	})
	t := &table{title: "Priority groups", columns: []string{"PORT", "PG", "PROFILE", "DROPPED", "FATE"}}
	for _, name := range sorted(views) {
		if v := views[name]; ports.has(v.port) {
			t.add(v.port, uint64(v.index), v.profile, number(drops[name][pgDrops]), v.fate)
		}
	}
	return t
}
