package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

func (a *app) portsCommand() *cobra.Command {
	return a.showing(&cobra.Command{
		Use:   "ports",
		Short: "ports with state, speed, lanes, MTU and what became of their rows",
		Long: `ports shows the rows of PORT and what became of them. ADMIN is what the row asks for,
OPER what the link is: up or down. Where a row waits or was refused, so that its port
was not made or is as before, REASON says why.`,
		Example: `  xonctl show ports
  xonctl show ports --port 'Ethernet0,Ethernet1*'`,
	}, &choice{}, showPorts)
}

func showPorts(ctx context.Context, cl *client.Client, want choice) ([]*table, error) {
	rows, fates, oper := configTable("PORT"), fatesOf("PORT"), applTable(appldb.PortTable)
	if err := ask(ctx, cl, rows, fates, oper); err != nil {
		return nil, err
	}
	t := &table{columns: []string{"PORT", "ALIAS", "ADMIN", "OPER", "SPEED", "LANES", "MTU", "FEC", "FATE"}, keys: 1}
	selected := slices.DeleteFunc(sorted(rows.rows), func(port string) bool { return !want.ports.has(port) })
	explained := slices.ContainsFunc(selected, func(port string) bool { return portReason(fates.rows, port) != "" })
	if explained {
		t.columns = append(t.columns, "REASON")
	}
	for _, port := range selected {
		f := rows.rows[port]
		line := []any{
			port, f["alias"], cmp.Or(f["admin_status"], "down"), oper.rows[port][appldb.PortOper], speed(f["speed"]), f["lanes"],
			number(cmp.Or(f["mtu"], "9100")), f["fec"], shortFate(fates.rows, "PORT", port),
		}
		if explained {
			line = append(line, portReason(fates.rows, port))
		}
		t.add(line...)
	}
	return []*table{t}, nil
}

// portReason is why a row of PORT is not in force, "" if it is.
func portReason(fates client.Rows, port string) string {
	switch f, _ := fateIn(fates, "PORT", port); {
	case f.State != statedb.Waiting && f.State != statedb.Refused:
		return ""
	case f.Field != "" && !strings.HasPrefix(f.Reason, f.Field):
		return f.Field + ": " + f.Reason
	default:
		return f.Reason
	}
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
