package main

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
)

func (a *app) queuesCommand() *cobra.Command {
	all := false
	cmd := a.showing(&cobra.Command{
		Use:   "queues",
		Short: "queues with scheduler, WRED, buffer profile and counters",
		Long: `queues shows each queue that is configured or has counted something; with --all
those that have not, too. Counters are there once their groups are polled:
rows FLEX_COUNTER_TABLE|QUEUE and FLEX_COUNTER_TABLE|WRED_ECN_QUEUE.`,
		Example: `  xonctl show queues --port Ethernet0
  xonctl show queues --all --json
  xonctl set 'FLEX_COUNTER_TABLE|QUEUE' FLEX_COUNTER_STATUS=enable`,
	}, func(ctx context.Context, cl *client.Client, ports portFilter) ([]*table, error) {
		return showQueues(ctx, cl, ports, all)
	})
	cmd.Flags().BoolVar(&all, "all", false, "queues without configuration and traffic too")
	return cmd
}

// queueStats are the counters shown, in the order of their columns.
var queueStats = []string{"PACKETS", "BYTES", "DROPPED_PACKETS", "WRED_ECN_MARKED_PACKETS"}

// queueView is one queue as it is shown.
type queueView struct {
	port                     string
	index                    int
	scheduler, wred, profile string
}

func showQueues(ctx context.Context, cl *client.Client, ports portFilter, all bool) ([]*table, error) {
	queues, buffers, schedulers := configTable("QUEUE"), configTable("BUFFER_QUEUE"), configTable("SCHEDULER")
	counters := &read{elems: []string{countersDB, "COUNTERS", ports.pattern(), "Queues", "*", "SAI_QUEUE_STAT_*"}}
	if err := ask(ctx, cl, queues, buffers, schedulers, counters); err != nil {
		return nil, err
	}
	views := map[string]*queueView{}
	for name, stats := range counters.rows {
		if all || counted(stats) {
			queueAt(views, name)
		}
	}
	spans(queues.rows, func(port string, i int, key string) {
		v, f := queueAt(views, queueName(port, i)), queues.rows[key]
		v.scheduler, v.wred = describeScheduler(f["scheduler"], schedulers.rows), f["wred_profile"]
	})
	spans(buffers.rows, func(port string, i int, key string) {
		queueAt(views, queueName(port, i)).profile = buffers.rows[key]["profile"]
	})
	return []*table{queueTable(views, counters.rows, ports)}, nil
}

func queueName(port string, index int) string { return port + ":" + strconv.Itoa(index) }

// queueAt returns the view of a queue by its name, "Ethernet0:3".
func queueAt(views map[string]*queueView, name string) *queueView {
	if views[name] == nil {
		port, index, _ := strings.Cut(name, ":")
		n, _ := strconv.Atoi(index) // names that are none sort first
		views[name] = &queueView{port: port, index: n}
	}
	return views[name]
}

func counted(stats map[string]string) bool {
	for _, s := range queueStats {
		if v := stats["SAI_QUEUE_STAT_"+s]; v != "" && v != "0" {
			return true
		}
	}
	return false
}

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

func queueTable(views map[string]*queueView, counters client.Rows, ports portFilter) *table {
	t := &table{columns: []string{"PORT", "QUEUE", "SCHEDULER", "WRED", "PROFILE", "PACKETS", "BYTES", "DROPPED", "ECN MARKED"}}
	for _, name := range sorted(views) {
		v := views[name]
		if !ports.has(v.port) {
			continue
		}
		line := []any{v.port, uint64(v.index), v.scheduler, v.wred, v.profile}
		for _, s := range queueStats {
			line = append(line, number(counters[name]["SAI_QUEUE_STAT_"+s]))
		}
		t.add(line...)
	}
	return t
}
