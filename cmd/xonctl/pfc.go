package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/statedb"
)

// priorities is how many PFC has.
const priorities = 8

func (a *app) pfcCommand() *cobra.Command {
	want := &choice{}
	return counting(a.showing(&cobra.Command{
		Use:   "pfc",
		Short: "lossless priorities, PFC frames and pause time per port and priority",
		Long: `pfc shows for each port the priorities that are lossless or have counted something: how
many PFC frames were received (RX) and sent (TX), how long received ones paused the port
(RX PAUSED) and sent ones its peer (TX PAUSED), and how often received ones let the
priority go on (RESUMED). With --all it shows the other priorities too. It says so where
XON_PFC|GLOBAL turns PFC off on all ports, and which ports are paused as a whole
(802.3x, XON_PORT). With --json times are in microseconds.`,
		Example: `  xonctl show pfc
  xonctl show pfc --nonzero
  xonctl show pfc --port Ethernet0 --json
  xonctl set 'FLEX_COUNTER_TABLE|PORT' FLEX_COUNTER_STATUS=enable`,
	}, want, showPFC), want, "priorities that are not lossless and have counted nothing too")
}

func showPFC(ctx context.Context, cl *client.Client, want choice) ([]*table, error) {
	all, maps, whole, off := configTable("PORT"), configTable("PORT_QOS_MAP"), configTable("XON_PORT"), configTable("XON_PFC")
	polls, fates := newPolling(), fatesOf("PORT_QOS_MAP")
	counters := &read{elems: []string{countersDB, countersdb.CountersTable, want.ports.pattern(), "SAI_PORT_STAT_PFC_*"}}
	if err := ask(ctx, cl, append(polls.reads(), all, maps, whole, off, fates, counters)...); err != nil {
		return nil, err
	}
	enabled := losslessOf(maps.rows, fates.rows)
	t := &table{
		columns: []string{"PORT", "PRIORITY", "LOSSLESS", "RX", "TX", "RX PAUSED|rx_paused_us", "TX PAUSED|tx_paused_us", "RESUMED", "FATE"},
		keys:    2, rare: []string{"FATE"}, counts: []string{"RX", "TX", "RX PAUSED", "TX PAUSED", "RESUMED"},
	}
	more := pausing(t, whole.rows, off.rows)
	for _, port := range sorted(all.rows) {
		if want.ports.has(port) {
			for _, line := range pfcLines(port, enabled[port], counters.rows[port], want.all) {
				t.add(append(line, more(port)...)...)
			}
		}
	}
	polls.note(t, countersdb.PortGroup, t.counts...)
	return want.finish(t), nil
}

// pfcLines are those of a port's priorities that there is something to say of, or one
// that says so of the port.
func pfcLines(port string, l lossless, stats map[string]string, all bool) (lines [][]any) {
	var cells []any
	for p := range priorities {
		cells = pfcCells(stats, p)
		is := slices.Contains(l.priorities, p)
		if all || is || slices.ContainsFunc(cells, func(c any) bool { return !isZero(c) }) {
			lines = append(lines, slices.Concat([]any{port, uint64(p), yesNo(is)}, cells, []any{l.fate}))
		}
	}
	if lines == nil { // all are like the last
		lines = [][]any{slices.Concat([]any{port, nil, "none"}, cells, []any{l.fate})}
	}
	return lines
}

func pfcCells(stats map[string]string, priority int) []any {
	stat := func(name string) any {
		return number(stats[fmt.Sprintf("SAI_PORT_STAT_PFC_%d_%s", priority, name)])
	}
	return []any{stat("RX_PKTS"), stat("TX_PKTS"), microseconds(stat("RX_PAUSE_DURATION_US")), microseconds(stat("TX_PAUSE_DURATION_US")), stat("ON2OFF_RX_PKTS")}
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// microseconds is a time for people.
func microseconds(n any) any {
	us, ok := n.(uint64)
	if !ok || us > uint64(1<<63-1)/1000 {
		return n
	}
	return shown{text: (time.Duration(us) * time.Microsecond).String(), value: us}
}

// pausing adds what there is to say of pausing beyond priorities, and returns what to
// say of a port.
func pausing(t *table, whole, off client.Rows) func(port string) []any {
	isOff := strings.EqualFold(off["GLOBAL"]["enabled"], "false")
	if isOff {
		t.title = "PFC is off on all ports: XON_PFC|GLOBAL has enabled=false"
		t.columns = append(t.columns, "PFC")
	}
	if len(whole) > 0 {
		t.columns = append(t.columns, "802.3X")
	}
	return func(port string) (cells []any) {
		if isOff {
			cells = append(cells, "off")
		}
		if len(whole) > 0 {
			cells = append(cells, cmp.Or(whole[port]["flow_control"], configdb.FlowControlOff))
		}
		return cells
	}
}

// lossless is what a port's row of PORT_QOS_MAP asks for, and what became of the row
// where it is not applied.
type lossless struct {
	priorities []int
	fate       string
}

// losslessOf finds the lossless priorities by port.
func losslessOf(rows, fates client.Rows) map[string]lossless {
	enabled := map[string]lossless{}
	for key, f := range rows {
		row, _, err := configdb.Parse(configdb.Key("PORT_QOS_MAP", key), configdb.Fields(f))
		m, ok := row.(*configdb.PortQoSMap)
		if err != nil || !ok {
			continue
		}
		l := lossless{fate: unapplied(fates, "PORT_QOS_MAP", key)}
		for p := range priorities {
			if m.PFC&(1<<p) != 0 {
				l.priorities = append(l.priorities, p)
			}
		}
		for _, port := range m.Ports {
			enabled[port] = l
		}
	}
	return enabled
}

// unapplied is the fate of a row in a word, "" when it is applied or not known.
func unapplied(fates client.Rows, table, key string) string {
	if f, _ := fateIn(fates, table, key); f.State != statedb.Applied {
		return string(f.State)
	}
	return ""
}
