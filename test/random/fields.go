package random

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xon/schema/configdb"
	"xon/test/scale"
)

// field puts a field into a row, or leaves it out.
func (g *Rows) field(t *configdb.Table, d *configdb.Field, key string, f configdb.Fields) {
	switch {
	case d.Passive && !g.one(100), d.Required && g.odd():
		return
	case strings.HasPrefix(d.Name, "<"):
		for range g.Rand.IntN(4) {
			f[g.anyName(d)] = g.value(t, d, key)
		}
		if _, _, isMap := bounds(d.Names); isMap && len(f) == 0 {
			f["0"] = "0" // most maps need an entry
		}
		return
	case !d.Required && g.one(absent(t, d)):
		return
	}
	name := d.Name
	if d.At || d.List && g.odd() {
		name += "@"
	}
	f[name] = g.value(t, d, key)
}

// absent says how seldom a row is without a field.
func absent(t *configdb.Table, d *configdb.Field) int {
	if t.Name == "BUFFER_POOL" && d.Name == "size" {
		return 8 // without, a pool waits for ever, or takes what there is
	}
	return 2
}

// anyName is a name where the description has a placeholder.
func (g *Rows) anyName(d *configdb.Field) string {
	lo, hi, ok := bounds(d.Names)
	if !ok {
		return g.port()
	}
	if g.odd() {
		hi++
	}
	return strconv.FormatInt(lo+g.Rand.Int64N(int64(hi)-lo+1), 10)
}

// special are fields whose values are chosen by what they are for.
var special = map[string]func(g *Rows, key string) string{
	"PORT|lanes":                (*Rows).lanes,
	"PORT|speed":                (*Rows).speed,
	"PORT|adv_speeds":           (*Rows).speed,
	"PORT|fec":                  func(g *Rows, _ string) string { return pick(g, []string{"none", "rs", "auto"}) },
	"BUFFER_POOL|type":          (*Rows).side,
	"BUFFER_POOL|size":          func(g *Rows, _ string) string { return g.bytes(3) },
	"BUFFER_POOL|xoff":          func(g *Rows, _ string) string { return g.bytes(16) },
	"BUFFER_PROFILE|pool":       (*Rows).poolOf,
	"BUFFER_PROFILE|size":       func(g *Rows, _ string) string { return g.bytes(200) },
	"BUFFER_PROFILE|xoff":       func(g *Rows, _ string) string { return g.bytes(200) },
	"BUFFER_PROFILE|xon":        func(g *Rows, _ string) string { return g.bytes(400) },
	"BUFFER_PROFILE|xon_offset": func(g *Rows, _ string) string { return g.bytes(400) },
	"BUFFER_PROFILE|static_th":  func(g *Rows, _ string) string { return g.bytes(8) },
	"BUFFER_PROFILE|dynamic_th": func(g *Rows, _ string) string { return strconv.Itoa(g.Rand.IntN(11) - 7) },
	"BUFFER_PROFILE|headroom_type": func(g *Rows, _ string) string {
		return pick(g, []string{"static", "static", "static", "static", "dynamic"})
	},
	"PORT_QOS_MAP|pfc_enable": func(g *Rows, _ string) string {
		return pick(g, []string{"", "3", "4", "3,4", "0,1,2,3,4,5,6,7", strconv.Itoa(g.Rand.IntN(8))})
	},
	"XON_PORT|flow_control":                         (*Rows).flowControl,
	"BUFFER_PG|profile":                             func(g *Rows, _ string) string { return pick(g, []string{g.profile("in"), g.profile("in"), "NULL"}) },
	"BUFFER_QUEUE|profile":                          func(g *Rows, _ string) string { return g.profile("out") },
	"BUFFER_PORT_INGRESS_PROFILE_LIST|profile_list": func(g *Rows, _ string) string { return g.profile("in") },
	"BUFFER_PORT_EGRESS_PROFILE_LIST|profile_list":  func(g *Rows, _ string) string { return g.profile("out") },

	"DEFAULT_LOSSLESS_BUFFER_PARAMETER|default_dynamic_th": (*Rows).threshold,

	"VLAN_MEMBER|tagging_mode": (*Rows).tagging,
	"VLAN|vlanid":              func(_ *Rows, key string) string { return strings.TrimPrefix(key, "Vlan") },
	"STATIC_ROUTE|nexthop":     (*Rows).hops,
	"STATIC_ROUTE|ifname":      (*Rows).links,
	"STATIC_ROUTE|distance":    func(g *Rows, _ string) string { return strconv.Itoa(g.Rand.IntN(3)) },
	"STATIC_ROUTE|blackhole":   func(g *Rows, _ string) string { return pick(g, []string{"true", "false", "false"}) },
	"STATIC_ROUTE|nexthop-vrf": func(*Rows, string) string { return configdb.DefaultVRF },
	"NEIGH|neigh":              func(g *Rows, _ string) string { return fmt.Sprintf("02:00:00:00:00:%02d", g.Rand.IntN(3)) },
}

func (g *Rows) value(t *configdb.Table, d *configdb.Field, key string) string {
	if g.odd() {
		return pick(g, []string{"", "lots", "-1", "18446744073709551616", "70000", ",", "\xff", "café", "0x10", "NULL"})
	}
	if f := special[t.Name+"|"+d.Name]; f != nil {
		return f(g, key)
	}
	n := 1
	switch {
	case d.List && d.Type == configdb.Choice: // of which each may be there once
		words := make([]string, 1+g.Rand.IntN(min(3, len(d.Values))))
		for i, at := range g.Rand.Perm(len(d.Values))[:len(words)] {
			words[i] = d.Values[at]
		}
		return commas(words)
	case d.List:
		n = g.Rand.IntN(4)
	}
	list := make([]string, n)
	for i := range list {
		list[i] = g.scalar(d)
	}
	return commas(list)
}

func (g *Rows) scalar(d *configdb.Field) string {
	switch d.Type {
	case configdb.Choice, configdb.Boolean:
		return pick(g, d.Values)
	case configdb.Reference:
		return g.name(d.Refers)
	case configdb.Integer:
		return g.integer(d)
	case configdb.Length:
		return pick(g, []string{"0m", "5m", "40m", "300m"})
	case configdb.MAC, configdb.Text:
		return d.Example
	}
	panic(fmt.Sprintf("random: field %s has a type that is new: %s", d.Name, d.Type))
}

// integer is a number in range. Where that is all that 64 bits can hold, it is one
// that fits into the memory.
func (g *Rows) integer(d *configdb.Field) string {
	lo, hi, ok := bounds(d.Range)
	switch {
	case !ok:
		panic(fmt.Sprintf("random: field %s has a range that is new: %s", d.Name, d.Range))
	case hi > math.MaxUint32:
		return g.bytes(8)
	case g.one(16):
		return strconv.FormatUint(hi, 10)
	}
	n := strconv.FormatInt(lo+g.Rand.Int64N(int64(hi)-lo+1), 10)
	if strings.HasSuffix(n, "5") {
		return " " + n + "\t" // the same number, as some write it
	}
	return n
}

// bounds reads "0 to 7 each".
func bounds(text string) (lo int64, hi uint64, ok bool) {
	n, err := fmt.Sscanf(text, "%d to %d", &lo, &hi)
	return lo, hi, n == 2 && err == nil
}

// bytes is a size: a fraction of the memory, seldom much more, often a round one.
func (g *Rows) bytes(fraction uint64) string {
	limit := g.Memory / fraction
	if g.Apart {
		limit /= 64
	} else if g.one(40) {
		limit = g.Memory * 2
	}
	n := g.Rand.Uint64N(limit + 1)
	if g.one(2) {
		n &^= 0xfff
	}
	return strconv.FormatUint(n, 10)
}

// lanes are those of the port, or now and then those of another.
func (g *Rows) lanes(key string) string {
	i := g.Rand.IntN(g.Ports)
	if g.Apart || !g.one(5) {
		for n := range g.Ports {
			if scale.PortName(n) == key {
				i = n
			}
		}
	}
	list := make([]string, scale.LanesPerPort)
	for n, l := range scale.Lanes(i) {
		list[n] = strconv.FormatUint(uint64(l), 10)
	}
	if g.one(8) { // the order does not matter
		list[0], list[1] = list[1], list[0]
	}
	return commas(list)
}

// flowControl is 802.3x, which competes with PFC: the one in force stays.
func (g *Rows) flowControl(string) string {
	if g.Apart {
		return configdb.FlowControlOff
	}
	return pick(g, []string{configdb.FlowControlOff, configdb.FlowControlRx, configdb.FlowControlTx, configdb.FlowControlBoth})
}

// threshold is one that every chip takes if it is headroom that the rows are about, else any.
func (g *Rows) threshold(string) string {
	if g.Headroom {
		return strconv.Itoa(g.Rand.IntN(4))
	}
	return strconv.Itoa(g.Rand.IntN(17) - 8)
}

func (g *Rows) speed(string) string {
	return pick(g, []string{"10000", "25000", "40000", "50000", "100000", "100000", "100000"})
}

// side is the direction of a pool by its name, now and then another: then it has to
// be made anew.
func (g *Rows) side(key string) string {
	switch {
	case g.one(8):
		return pick(g, []string{configdb.Ingress, configdb.Egress, configdb.Both})
	case strings.HasPrefix(key, "out"):
		return configdb.Egress
	}
	return configdb.Ingress
}

// poolOf is a pool on the side of a profile.
func (g *Rows) poolOf(key string) string {
	pools := names["BUFFER_POOL"]
	if strings.HasPrefix(key, "out") {
		return pick(g, pools[2:])
	}
	return pick(g, pools[:2])
}

// profile is a profile on a side of the chip, seldom on the other.
func (g *Rows) profile(side string) string {
	if g.one(20) {
		return g.name("BUFFER_PROFILE")
	}
	n := 4
	if side == "out" {
		n = 3
	}
	return side + strconv.Itoa(g.Rand.IntN(n))
}
