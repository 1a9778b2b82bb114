package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

// priorities is how many PFC has.
const priorities = 8

func (a *app) pfcCommand() *cobra.Command {
	return a.showing(&cobra.Command{
		Use:   "pfc",
		Short: "lossless priorities and PFC frames per port and priority",
		Long: `pfc shows for each port which priorities are lossless and how many PFC frames were
received (rx) and sent (tx) for each priority. The frames are counted once the row
FLEX_COUNTER_TABLE|PORT is there and enabled. It says so where XON_PFC|GLOBAL turns PFC
off on all ports, and which ports are paused as a whole (802.3x, XON_PORT).`,
		Example: `  xonctl show pfc
  xonctl show pfc --port Ethernet0 --json`,
	}, showPFC)
}

func showPFC(ctx context.Context, cl *client.Client, ports portFilter) ([]*table, error) {
	all, maps, whole, off := configTable("PORT"), configTable("PORT_QOS_MAP"), configTable("XON_PORT"), configTable("XON_PFC")
	counters := &read{elems: []string{countersDB, "COUNTERS", ports.pattern(), "SAI_PORT_STAT_PFC_*_PKTS"}}
	if err := ask(ctx, cl, all, maps, whole, off, counters); err != nil {
		return nil, err
	}
	enabled := losslessOf(maps.rows)
	t := &table{columns: []string{"PORT", "LOSSLESS", "DIRECTION"}}
	for p := range priorities {
		t.columns = append(t.columns, fmt.Sprintf("PFC%d", p))
	}
	more := pausing(t, whole.rows, off.rows)
	for _, port := range sorted(all.rows) {
		if !ports.has(port) {
			continue
		}
		for _, direction := range []string{"rx", "tx"} {
			line := []any{port, enabled[port], direction}
			for p := range priorities {
				stat := fmt.Sprintf("SAI_PORT_STAT_PFC_%d_%s_PKTS", p, strings.ToUpper(direction))
				line = append(line, number(counters.rows[port][stat]))
			}
			t.add(append(line, more(port)...)...)
		}
	}
	return []*table{t}, nil
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

// losslessOf lists the lossless priorities by port: "3,4".
func losslessOf(rows client.Rows) map[string]string {
	enabled := map[string]string{}
	for key, f := range rows {
		row, _, err := configdb.Parse(configdb.Key("PORT_QOS_MAP", key), configdb.Fields(f))
		m, ok := row.(*configdb.PortQoSMap)
		if err != nil || !ok {
			continue
		}
		for _, port := range m.Ports {
			enabled[port] = f["pfc_enable"]
		}
	}
	return enabled
}
