package main

import (
	"context"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/countersdb"
)

func (a *app) countersCommand() *cobra.Command {
	want := &choice{}
	return counting(a.showing(&cobra.Command{
		Use:   "counters",
		Short: "rates, packets, drops and errors of ports",
		Long: `counters shows for each port and direction the rates of bits and packets, smoothed over
seconds, the load in percent of the port's speed (frames alone, without preambles and
gaps), and packets, bytes, drops and errors since the chip's start. WRED DROPPED and
BUFFER DROPPED, drops by marking profiles and by full buffers, are shown where there
are any. "k", "M", "G" stand for thousand, million, billion; with --json all are numbers.`,
		Example: `  xonctl show counters
  xonctl show counters --nonzero --port 'Ethernet1*'
  xonctl set 'FLEX_COUNTER_TABLE|PORT' FLEX_COUNTER_STATUS=enable`,
	}, want, showCounters), want, "")
}

// direction is one half of a port: its statistics and rates by name.
type direction struct {
	name                  string
	bytesRate, packetRate string
	packets               []string // added up
	bytes, dropped        string
	errors                string
	wredDropped           string // "" where there is none
	bufferDropped         string
}

// Names as in SONiC's portstat: packets are those of unicast and of all else.
var directions = []direction{
	{
		name: "rx", bytesRate: countersdb.RxBytes, packetRate: countersdb.RxPackets,
		packets: []string{"IF_IN_UCAST_PKTS", "IF_IN_NON_UCAST_PKTS"}, bytes: "IF_IN_OCTETS",
		dropped: "IF_IN_DISCARDS", errors: "IF_IN_ERRORS", bufferDropped: "IN_DROPPED_PKTS",
	},
	{
		name: "tx", bytesRate: countersdb.TxBytes, packetRate: countersdb.TxPackets,
		packets: []string{"IF_OUT_UCAST_PKTS", "IF_OUT_NON_UCAST_PKTS"}, bytes: "IF_OUT_OCTETS",
		dropped: "IF_OUT_DISCARDS", errors: "IF_OUT_ERRORS", bufferDropped: "OUT_DROPPED_PKTS", wredDropped: "WRED_DROPPED_PACKETS",
	},
}

func showCounters(ctx context.Context, cl *client.Client, want choice) ([]*table, error) {
	ports, polls := configTable("PORT"), newPolling()
	stats := &read{elems: []string{countersDB, countersdb.CountersTable, want.ports.pattern(), "SAI_PORT_STAT_*"}}
	rates := &read{elems: []string{countersDB, countersdb.RatesTable, want.ports.pattern()}}
	if err := ask(ctx, cl, append(polls.reads(), ports, stats, rates)...); err != nil {
		return nil, err
	}
	t := &table{
		columns: []string{
			"PORT", "DIRECTION", "BITS/S|bits_per_second", "PACKETS/S|packets_per_second", "LOAD|load_percent",
			"PACKETS", "DROPPED", "ERRORS", "WRED DROPPED", "BUFFER DROPPED", "BYTES",
		},
		keys: 2, rare: []string{"WRED DROPPED", "BUFFER DROPPED"},
		counts: []string{"PACKETS", "DROPPED", "ERRORS", "WRED DROPPED", "BUFFER DROPPED", "BYTES"},
	}
	for _, port := range sorted(ports.rows) {
		if want.ports.has(port) {
			for _, d := range directions {
				t.add(d.line(port, ports.rows[port], stats.rows[port], rates.rows[port])...)
			}
		}
	}
	counts, speeds := []string{"PACKETS", "DROPPED", "ERRORS", "BYTES"}, []string{"BITS/S", "PACKETS/S", "LOAD"}
	if !polls.polls(countersdb.PortGroup) { // nor are rates then
		counts, speeds = append(speeds, counts...), nil
	}
	polls.note(t, countersdb.PortGroup, counts...)
	if speeds != nil {
		polls.note(t, countersdb.RatesGroup.Name, speeds...)
	}
	polls.note(t, countersdb.DropGroup, "BUFFER DROPPED")
	polls.note(t, countersdb.PortWREDGroup, "WRED DROPPED")
	return want.finish(t), nil
}

func (d *direction) line(port string, row, stats, rates map[string]string) []any {
	stat := func(name string) any { return number(stats["SAI_PORT_STAT_"+name]) }
	bits, ofSpeed := bitRates(rates[d.bytesRate], row["speed"])
	var wred any
	if d.wredDropped != "" {
		wred = stat(d.wredDropped)
	}
	return []any{
		port, d.name, bits, rate(rates[d.packetRate]), ofSpeed,
		total(stat, d.packets), stat(d.dropped), stat(d.errors), wred, stat(d.bufferDropped), stat(d.bytes),
	}
}

// total adds statistics up; nil if one is not known.
func total(stat func(string) any, names []string) any {
	sum := uint64(0)
	for _, name := range names {
		n, ok := stat(name).(uint64)
		if !ok {
			return nil
		}
		sum += n
	}
	return sum
}

// bitRates makes bits a second, and percent of a speed in Mb/s, of bytes a second.
func bitRates(bytes, speed string) (bits, percent any) {
	f, err := strconv.ParseFloat(bytes, 64)
	if err != nil {
		return nil, nil
	}
	bits = scaled(f * 8)
	if mbps, err := strconv.ParseFloat(speed, 64); err == nil && mbps > 0 {
		p := f * 8 / mbps / 1e4
		percent = shown{text: threeDigits(p) + "%", value: p}
	}
	return bits, percent
}

// rate is a number a second.
func rate(text string) any {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return scaled(f)
}

// scaled is a number that people see with three digits.
func scaled(f float64) any {
	x, unit := f, ""
	for _, next := range []string{"k", "M", "G", "T"} {
		if math.Abs(x) < 999.5 {
			break
		}
		x, unit = x/1000, next
	}
	return shown{text: threeDigits(x) + unit, value: f}
}

// threeDigits writes a number below 1000.
func threeDigits(x float64) string {
	switch size := math.Abs(x); {
	case x == 0 || size >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case size >= 0.01:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return "<0.01"
}
