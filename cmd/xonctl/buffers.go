package main

import (
	"context"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/countersdb"
)

func (a *app) buffersCommand() *cobra.Command {
	want := &choice{}
	cmd := counting(a.showing(&cobra.Command{
		Use:   "buffers",
		Short: "buffer pools, profiles and priority groups as applied, and where they come from",
		Long: `buffers shows pools, the profiles that draw on them, and which profile each priority
group of a port has, as they are applied. FROM says where that comes from: configured
(CONFIG_DB), computed by the dynamic buffer model or partly so, looked up in
pg_profile_lookup.ini by the traditional one, zero_profiles.json for ports that are
down, or staged in APPL_DB by another program; "last applied" stands for a row whose
newer version waits or was refused. Sizes are in bytes. A threshold is "dynamic n" for
2^n times the free buffer, or "static" and bytes. Watermarks are the most bytes that a
pool, or its headroom (xoff), has held. "xonctl explain headroom PORT" shows how a
computed profile comes about.`,
		Example: `  xonctl show buffers
  xonctl show buffers --port Ethernet0 --nonzero
  xonctl show buffers --watermark persistent --json`,
	}, want, showBuffers), want, "")
	return markFlag(cmd, want)
}

const (
	poolTableName    = "BUFFER_POOL"
	profileTableName = "BUFFER_PROFILE"
	pgTableName      = "BUFFER_PG"
	queueTableName   = "BUFFER_QUEUE"
)

const pgStat = "SAI_INGRESS_PRIORITY_GROUP_STAT_"

func showBuffers(ctx context.Context, cl *client.Client, want choice) ([]*table, error) {
	e, polls := newEffective(poolTableName, profileTableName, pgTableName), newPolling()
	drops := &read{elems: []string{countersDB, countersdb.CountersTable, want.ports.pattern(), "PriorityGroups", "*", pgStat + "DROPPED_PACKETS"}}
	if err := ask(ctx, cl, append(append(polls.reads(), e.reads()...), drops)...); err != nil {
		return nil, err
	}
	marks, err := poolMarks(ctx, cl, e.rows(poolTableName), want.mark.table())
	if err != nil {
		return nil, err
	}
	pools, pgs := poolTable(e, marks), pgTable(e, drops.rows, want.ports)
	polls.note(pools, countersdb.PoolWatermarkGroup, poolMarkColumns(e.rows(poolTableName))...)
	polls.note(pgs, countersdb.PGDropGroup, "DROPPED")
	return want.finish(pools, profileTable(e), pgs), nil
}

// poolMarkColumns are the columns of watermarks that pools can have values for.
func poolMarkColumns(pools client.Rows) []string {
	for _, pool := range pools {
		if pool["xoff"] != "" {
			return []string{"WATERMARK", "XOFF WATERMARK"}
		}
	}
	return []string{"WATERMARK"}
}

// poolMarks reads the watermarks of pools.
func poolMarks(ctx context.Context, cl *client.Client, pools client.Rows, table string) (client.Rows, error) {
	var reads []*read
	for _, name := range sorted(pools) {
		reads = append(reads, &read{elems: []string{countersDB, table, name}})
	}
	if err := ask(ctx, cl, reads...); err != nil {
		return nil, err
	}
	marks := client.Rows{}
	for _, r := range reads {
		for name, f := range r.rows {
			marks[name] = f
		}
	}
	return marks, nil
}

func poolTable(e *effective, marks client.Rows) *table {
	t := &table{
		title:   "Pools",
		columns: []string{"POOL", "TYPE", "MODE", "SIZE", "XOFF", "WATERMARK", "XOFF WATERMARK", "FROM", "FATE"},
		keys:    1, counts: []string{"WATERMARK", "XOFF WATERMARK"},
	}
	rows := e.rows(poolTableName)
	for _, name := range sorted(rows) {
		f, m := rows[name], marks[name]
		t.add(name, f["type"], f["mode"], number(f["size"]), number(f["xoff"]),
			number(m["SAI_BUFFER_POOL_STAT_WATERMARK_BYTES"]), xoffMark(f, m),
			e.origin(poolTableName, name), shortFate(e.fates.rows, poolTableName, name))
	}
	return t
}

// xoffMark is the watermark of a pool's headroom; nil if it has none, though the chip may
// count 0 for it.
func xoffMark(pool, marks map[string]string) any {
	mark := marks["SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES"]
	if pool["xoff"] == "" && mark == "0" {
		return nil
	}
	return number(mark)
}

func profileTable(e *effective) *table {
	t := &table{
		title:   "Profiles",
		columns: []string{"PROFILE", "POOL", "SIZE", "XON", "XON OFFSET", "XOFF", "THRESHOLD", "FROM", "FATE"},
		keys:    1, rare: []string{"XON OFFSET"},
	}
	rows := e.rows(profileTableName)
	for _, name := range sorted(rows) {
		f := rows[name]
		t.add(name, f["pool"], number(f["size"]), number(f["xon"]), number(f["xon_offset"]), number(f["xoff"]),
			threshold(f), e.origin(profileTableName, name), shortFate(e.fates.rows, profileTableName, name))
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

func pgTable(e *effective, drops client.Rows, ports portFilter) *table {
	t := &table{title: "Priority groups", columns: []string{"PORT", "PG", "PROFILE", "DROPPED", "FROM", "FATE"}, keys: 2, counts: []string{"DROPPED"}}
	all := e.bindings(pgTableName)
	for _, name := range sorted(all) {
		if b := all[name]; ports.has(b.port) {
			t.add(b.port, uint64(b.index), b.profile, number(drops[name][pgStat+"DROPPED_PACKETS"]), b.from, b.fate)
		}
	}
	return t
}
