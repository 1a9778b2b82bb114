package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/configdb"
)

func (a *app) portsCommand() *cobra.Command {
	return a.showing(&cobra.Command{
		Use:   "ports",
		Short: "ports with speed, lanes, MTU and what became of their rows",
		Example: `  xonctl show ports
  xonctl show ports --port Ethernet0,Ethernet1*`,
	}, showPorts)
}

func showPorts(ctx context.Context, cl *client.Client, ports portFilter) ([]*table, error) {
	rows, fates := configTable("PORT"), fatesOf("PORT")
	if err := ask(ctx, cl, rows, fates); err != nil {
		return nil, err
	}
	t := &table{columns: []string{"PORT", "ALIAS", "ADMIN", "SPEED", "LANES", "MTU", "FEC", "FATE"}}
	for _, port := range sorted(rows.rows) {
		if !ports.has(port) {
			continue
		}
		f := rows.rows[port]
		t.add(port, f["alias"], cmp.Or(f["admin_status"], "down"), speed(f["speed"]), f["lanes"],
			number(cmp.Or(f["mtu"], "9100")), f["fec"], shortFate(fates.rows, "PORT", port))
	}
	return []*table{t}, nil
}

// sorted lists keys as people do, Ethernet2 before Ethernet10.
func sorted[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), configdb.CompareNatural)
}

// speed is Mb/s, for people as it stands on the front of a switch.
func speed(mbps string) any {
	v := number(mbps)
	if n, ok := v.(uint64); ok && n > 0 && n%1000 == 0 {
		return shown{text: strconv.FormatUint(n/1000, 10) + "G", value: n}
	}
	return v
}

// number makes a number of a text that is one.
func number(text string) any {
	if text == "" {
		return nil
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	return text
}
