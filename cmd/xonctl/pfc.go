package main

import (
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
FLEX_COUNTER_TABLE|PORT is there and enabled.`,
		Example: `  xonctl show pfc
  xonctl show pfc --port Ethernet0 --json`,
	}, showPFC)
}

func showPFC(ctx context.Context, cl *client.Client, ports portFilter) ([]*table, error) {
	all, maps := configTable("PORT"), configTable("PORT_QOS_MAP")
	counters := &read{elems: []string{countersDB, "COUNTERS", ports.pattern(), "SAI_PORT_STAT_PFC_*_PKTS"}}
	if err := ask(ctx, cl, all, maps, counters); err != nil {
		return nil, err
	}
	enabled := losslessOf(maps.rows)
	t := &table{columns: []string{"PORT", "LOSSLESS", "DIRECTION"}}
	for p := range priorities {
		t.columns = append(t.columns, fmt.Sprintf("PFC%d", p))
	}
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
			t.add(line...)
		}
	}
	return []*table{t}, nil
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
