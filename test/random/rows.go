// Package random makes rows of CONFIG_DB at random for property tests: rows of
// every table that schema/configdb has, good ones, and with Odd set ones that do
// not parse, lead nowhere, contradict others or ask for more than a chip has.
//
// It is driven by the tables' own descriptions, so a field or a table that is added
// takes part by itself. What a row means is none of its business.
package random

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"xon/schema/configdb"
	"xon/test/scale"
)

// Rows makes rows. Equal seeds of Rand give equal rows.
type Rows struct {
	Rand   *rand.Rand
	Ports  int    // how many ports there are, named and laid out as in package scale
	Memory uint64 // bytes of packet memory that sizes are fractions of
	// Odd says how often something is not as a table wants it: once in so many keys,
	// fields and references. 0: never.
	Odd int
	// Apart keeps rows from competing for lanes, memory and how a port is paused: of rows
	// that do, those that came first keep what they have.
	Apart bool
	// Model is the buffer model that the row of DEVICE_METADATA asks for, which is read
	// at start alone; "": any.
	Model string
	// Headroom has every other row be one that the headroom of lossless priority groups
	// comes from, a bad, empty or removed input among them.
	Headroom bool
	// Buffers has every row be one of a table that buffers are computed from, with the
	// values that computing takes, so that most change what others come to.
	Buffers bool
}

// Batch returns up to n rows of any tables.
func (g *Rows) Batch(n int) configdb.RawRows {
	rows := configdb.RawRows{}
	for range n {
		k, f := g.Row()
		rows[k] = f
	}
	return rows
}

// weights say how often a table comes up beside others, where that is not once:
// what most rows rest on has to be there for the others to matter.
var weights = map[string]int{"PORT": 3, "BUFFER_POOL": 3, "BUFFER_PROFILE": 5, "BUFFER_PG": 5, "PORT_QOS_MAP": 3, "BUFFER_QUEUE": 2}

// Row returns a row of any table.
func (g *Rows) Row() (configdb.RowKey, configdb.Fields) {
	if g.Headroom && g.one(2) {
		return g.headroom()
	}
	if g.Buffers {
		return g.buffers()
	}
	var list []*configdb.Table
	for _, t := range configdb.Tables() {
		for range max(1, weights[t.Name]) {
			list = append(list, t)
		}
	}
	return g.RowOf(pick(g, list))
}

// RowOf returns a row of one table.
func (g *Rows) RowOf(t *configdb.Table) (configdb.RowKey, configdb.Fields) {
	key := g.key(t)
	f := configdb.Fields{}
	for i := range t.Fields {
		g.field(t, &t.Fields[i], key, f)
	}
	if g.odd() {
		f["surplus"] = "1"
	}
	if !g.odd() {
		repair(t.Name, key, f)
		g.repairForward(t.Name, key, f)
	}
	if t.Name == "DEVICE_METADATA" && g.Model != "" {
		f["buffer_model"] = g.Model
		delete(f, "platform")
	}
	if len(f) == 0 {
		f["NULL"] = "NULL"
	}
	return configdb.Key(t.Name, key), f
}

func (g *Rows) odd() bool { return g.Odd > 0 && g.one(g.Odd) }

func (g *Rows) one(n int) bool { return g.Rand.IntN(n) == 0 }

func pick[T any](g *Rows, list []T) T { return list[g.Rand.IntN(len(list))] }

// key makes a key of the form that the table describes.
func (g *Rows) key(t *configdb.Table) string {
	if g.odd() && g.one(4) {
		return pick(g, []string{"", "|", "a|b|c", ",", "Ethernet0|-1", "Ethernet0|5-3", "café"})
	}
	switch t.Key {
	case "<name>", "<group>":
		return g.name(t.Name)
	case "<port>":
		return g.port()
	case "<port>[,<port>...]":
		return g.ports()
	case "<port>[,<port>...] or global":
		if g.one(6) {
			return "global"
		}
		return g.ports()
	case "<port>[,<port>...]|<index>[-<index>]":
		return g.ports() + "|" + g.span(t.Name)
	}
	if key, ok := g.forwardKey(t.Key); ok {
		return key
	}
	if !strings.Contains(t.Key, "<") { // the only one
		return t.Key
	}
	panic(fmt.Sprintf("random: keys of table %s have a form that is new: %s", t.Name, t.Key))
}

// names are what rows are called, few enough that references often lead somewhere.
// Pools and profiles have a side of the chip in their names.
var names = map[string][]string{
	"BUFFER_POOL":    {"ingress_lossless_pool", "in1", "out0", "out1"}, // the first is the buffer manager's
	"BUFFER_PROFILE": {"in0", "in1", "in2", "in3", "out0", "out1", "out2"},

	// Tables of one row, by its name: of several the first counts.
	"CABLE_LENGTH": {"AZURE"}, "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE"}, "LOSSLESS_TRAFFIC_PATTERN": {"AZURE"},

	"FLEX_COUNTER_TABLE": {"PORT", "PORT_RATES", "QUEUE", "PG_WATERMARK", "ACL"},
}

func (g *Rows) name(table string) string {
	list := names[table]
	if list == nil {
		list = []string{"a", "b@0", "c d"} // YANG has no pattern for most
	}
	if g.odd() {
		return pick(g, []string{"nonesuch", "NULL", "~1", "~oid:0x1", "a~1"})
	}
	return pick(g, list)
}

func (g *Rows) port() string {
	if g.odd() && !g.Apart {
		return pick(g, []string{"Ethernet999", "FortyGigabitEthernet1", "A", "lanes:1,2,3,4"})
	}
	return scale.PortName(g.Rand.IntN(g.Ports))
}

func (g *Rows) ports() string {
	p := g.port()
	if q := g.port(); g.one(6) && (q != p || g.odd()) {
		p += "," + q
	}
	return p
}

// span makes indexes: most of them low, where those of a chip are.
func (g *Rows) span(table string) string {
	limit := 8
	if table != "BUFFER_PG" && g.one(4) {
		limit = 20
	}
	if g.odd() {
		limit += 2
	}
	lo := g.Rand.IntN(limit)
	hi := min(lo+g.Rand.IntN(3), limit-1)
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return fmt.Sprintf("%d-%d", lo, hi)
}

// repair makes fields of a row agree with each other, as most people's do.
func repair(table, key string, f configdb.Fields) {
	switch table {
	case "PORT_QOS_MAP":
		if key == "global" {
			maps.DeleteFunc(f, func(name, _ string) bool { return name != "dscp_to_tc_map" })
		}
	case "BUFFER_PROFILE":
		if f["dynamic_th"] != "" && f["static_th"] != "" {
			delete(f, "static_th")
		} else if f["dynamic_th"] == "" && f["static_th"] == "" {
			f["dynamic_th"] = "0"
		}
		if f["size"] == "" {
			f["size"] = "0"
		}
	case "BUFFER_POOL":
		if f["size"] != "" {
			delete(f, "percentage")
		}
	case "SCHEDULER":
		order(f, "cir", "pir")
		order(f, "cbs", "pbs")
	case "WRED_PROFILE":
		for _, colour := range []string{"green", "yellow", "red"} {
			order(f, colour+"_min_threshold", colour+"_max_threshold")
		}
	}
}

// order exchanges two numbers that are the wrong way round.
func order(f configdb.Fields, low, high string) {
	lo, err1 := strconv.ParseUint(f[low], 10, 64)
	hi, err2 := strconv.ParseUint(f[high], 10, 64)
	if err1 == nil && err2 == nil && lo > hi {
		f[low], f[high] = f[high], f[low]
	}
}

// Changes returns n rows to write or, once in gone, to remove (nil fields).
func (g *Rows) Changes(n, gone int) map[configdb.RowKey]configdb.Fields {
	rows := map[configdb.RowKey]configdb.Fields(g.Batch(n))
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if g.one(gone) && (g.Model == "" || k.Table() != "DEVICE_METADATA") {
			rows[k] = nil
		}
	}
	return rows
}

func commas(list []string) string { return strings.Join(list, ",") }
