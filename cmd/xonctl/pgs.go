package main

import (
	"context"
	"iter"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/countersdb"
)

func (a *app) pgsCommand() *cobra.Command {
	want := &choice{}
	cmd := a.showing(&cobra.Command{
		Use:   "pgs",
		Short: "priority groups with profile, drops and watermarks",
		Long: `pgs shows each ingress priority group that has a profile or has counted something: the
profile that is applied, packets that were dropped for want of buffer, and the most
bytes that it has held of the shared buffer and of its headroom (xoff). With --all it
shows the other groups too.`,
		Example: `  xonctl show pgs
  xonctl show pgs --nonzero --watermark persistent
  xonctl set 'FLEX_COUNTER_TABLE|PG_WATERMARK' FLEX_COUNTER_STATUS=enable`,
	}, want, showPGs)
	return markFlag(counting(cmd, want, "groups without a profile and traffic too"), want)
}

func showPGs(ctx context.Context, cl *client.Client, want choice) ([]*table, error) {
	e, polls := newEffective(pgTableName), newPolling()
	drops, marks := ofChildren(want, countersdb.CountersTable, "PriorityGroups", pgStat+"*"), ofChildren(want, want.mark.table(), "PriorityGroups", pgStat+"*")
	if err := ask(ctx, cl, append(append(polls.reads(), e.reads()...), drops, marks)...); err != nil {
		return nil, err
	}
	t := &table{
		columns: []string{"PORT", "PG", "PROFILE", "DROPPED", "SHARED WATERMARK", "XOFF WATERMARK", "FATE"},
		keys:    2, rare: []string{"FATE"}, counts: []string{"DROPPED", "SHARED WATERMARK", "XOFF WATERMARK"},
	}
	bound := e.bindings(pgTableName)
	for _, name := range names(maps.Keys(bound), maps.Keys(drops.rows), maps.Keys(marks.rows)) {
		port, index, b := childOf(name, bound)
		d, m := drops.rows[name], marks.rows[name]
		cells := []any{number(d[pgStat+"DROPPED_PACKETS"]), number(m[pgStat+"SHARED_WATERMARK_BYTES"]), number(m[pgStat+"XOFF_ROOM_WATERMARK_BYTES"])}
		if want.ports.has(port) && (want.all || bound[name] != nil || anyNonzero(cells)) {
			t.add(append(append([]any{port, index, b.profile}, cells...), b.trouble())...)
		}
	}
	polls.note(t, countersdb.PGDropGroup, "DROPPED")
	polls.note(t, countersdb.PGWatermarkGroup, "SHARED WATERMARK", "XOFF WATERMARK")
	return want.finish(t), nil
}

// ofChildren asks for statistics of the queues or the priority groups of ports.
func ofChildren(want choice, table, part, stats string) *read {
	return &read{elems: []string{countersDB, table, want.ports.pattern(), part, "*", stats}}
}

// names puts several lists of names, as "Ethernet0:3", into one.
func names(lists ...iter.Seq[string]) []string {
	all := map[string]bool{}
	for _, list := range lists {
		for name := range list {
			all[name] = true
		}
	}
	return sorted(all)
}

// childOf takes a name apart, and finds its binding, an empty one if it has none.
func childOf(name string, bound map[string]*binding) (port string, index any, b binding) {
	port, text, _ := strings.Cut(name, ":")
	index = text
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		index = n
	}
	if found := bound[name]; found != nil {
		b = *found
	}
	return port, index, b
}

// trouble is the fate of a binding's row where it is not applied.
func (b binding) trouble() string {
	if strings.HasPrefix(b.fate, "applied") {
		return ""
	}
	return b.fate
}

func anyNonzero(cells []any) bool {
	for _, c := range cells {
		if !isZero(c) {
			return true
		}
	}
	return false
}
