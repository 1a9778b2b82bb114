package main

import (
	"cmp"
	"context"
	"maps"
	"strconv"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/countersdb"
)

func (a *app) queuesCommand() *cobra.Command {
	want := &choice{}
	cmd := a.showing(&cobra.Command{
		Use:   "queues",
		Short: "queues with scheduler, WRED, buffer profile, counters, ECN marks and watermarks",
		Long: `queues shows each queue that is configured or has counted something; with --all those
that have not, too. PROFILE is the buffer profile that is applied. WATERMARK is the most
bytes that the queue has held of the shared buffer. WRED DROPPED and TRIMMED, packets
that WRED dropped and that were cut to their header, are shown where there are any.`,
		Example: `  xonctl show queues --port Ethernet0
  xonctl show queues --nonzero
  xonctl show queues --all --json
  xonctl set 'FLEX_COUNTER_TABLE|WRED_ECN_QUEUE' FLEX_COUNTER_STATUS=enable`,
	}, want, showQueues)
	return markFlag(counting(cmd, want, "queues without configuration and traffic too"), want)
}

const queueStat = "SAI_QUEUE_STAT_"

// queueCounters are the columns with counters, and their statistics.
var queueCounters = []struct{ column, stat, group string }{
	{"PACKETS", "PACKETS", countersdb.QueueGroup},
	{"BYTES", "BYTES", countersdb.QueueGroup},
	{"DROPPED", "DROPPED_PACKETS", countersdb.QueueGroup},
	{"ECN MARKED", "WRED_ECN_MARKED_PACKETS", countersdb.QueueWREDGroup},
	{"WRED DROPPED", "WRED_DROPPED_PACKETS", countersdb.QueueWREDGroup},
	{"TRIMMED", "TRIM_PACKETS", countersdb.QueueGroup},
}

// queueView is what is configured of a queue.
type queueView struct{ scheduler, wred, fate string }

func showQueues(ctx context.Context, cl *client.Client, want choice) ([]*table, error) {
	e, polls := newEffective(queueTableName), newPolling()
	queues, schedulers, fates := configTable("QUEUE"), configTable("SCHEDULER"), fatesOf("QUEUE")
	counters := ofChildren(want, countersdb.CountersTable, "Queues", queueStat+"*")
	marks := ofChildren(want, want.mark.table(), "Queues", queueStat+"*")
	reads := append(append(polls.reads(), e.reads()...), queues, schedulers, fates, counters, marks)
	if err := ask(ctx, cl, reads...); err != nil {
		return nil, err
	}
	views := map[string]queueView{}
	spans(queues.rows, func(port string, i int, key string) {
		f := queues.rows[key]
		views[queueName(port, i)] = queueView{describeScheduler(f["scheduler"], schedulers.rows), f["wred_profile"], unapplied(fates.rows, "QUEUE", key)}
	})
	t := queueTable(views, e.bindings(queueTableName), counters.rows, marks.rows, want)
	polls.note(t, countersdb.QueueGroup, "PACKETS", "BYTES", "DROPPED", "TRIMMED")
	polls.note(t, countersdb.QueueWREDGroup, "ECN MARKED", "WRED DROPPED")
	polls.note(t, countersdb.QueueWatermarkGroup, "WATERMARK")
	return want.finish(t), nil
}

func queueName(port string, index int) string { return port + ":" + strconv.Itoa(index) }

// describeScheduler adds to a scheduler's name what it does.
func describeScheduler(name string, schedulers client.Rows) string {
	f, ok := schedulers[name]
	if !ok {
		return name
	}
	kind := cmp.Or(f["type"], "WRR")
	if w := f["weight"]; w != "" && kind != "STRICT" {
		kind += " " + w
	}
	return name + " (" + kind + ")"
}

func queueTable(views map[string]queueView, bound map[string]*binding, counters, marks client.Rows, want choice) *table {
	t := &table{columns: []string{"PORT", "QUEUE", "SCHEDULER", "WRED", "PROFILE"}, keys: 2, rare: []string{"WRED DROPPED", "TRIMMED", "FATE"}}
	for _, c := range queueCounters {
		t.counts = append(t.counts, c.column)
	}
	t.counts = append(t.counts, "WATERMARK")
	t.columns = append(append(t.columns, t.counts...), "FATE")
	for _, name := range names(maps.Keys(views), maps.Keys(bound), maps.Keys(counters), maps.Keys(marks)) {
		port, index, b := childOf(name, bound)
		v, asked := views[name]
		var cells []any
		for _, c := range queueCounters {
			cells = append(cells, number(counters[name][queueStat+c.stat]))
		}
		cells = append(cells, number(marks[name][queueStat+"SHARED_WATERMARK_BYTES"]))
		if want.ports.has(port) && (want.all || asked || bound[name] != nil || anyNonzero(cells)) {
			line := append([]any{port, index, v.scheduler, v.wred, b.profile}, cells...)
			t.add(append(line, cmp.Or(v.fate, b.trouble()))...)
		}
	}
	return t
}
