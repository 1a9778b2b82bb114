package scenario

import (
	"strconv"

	"xon/sai/vsai/dataplane"
)

// speed is the rate that a switch's rows give a port, in bit/s; 0: they give none that
// can be told, or the port is made for its link.
func (n *node) speed(port string) uint64 {
	if n.sw == nil || n.strapped {
		return 0
	}
	mbps, err := strconv.ParseUint(n.field("PORT", port, "speed"), 10, 32)
	if err != nil {
		return 0
	}
	return mbps * 1e6
}

// up reports whether rows have a port carry packets.
func (n *node) up(port string) bool {
	return n.sw == nil || n.strapped || !n.agent() || n.field("PORT", port, "admin_status") == "up"
}

// field is a field of a row of a port, as the switch has it once "*" is written out.
func (n *node) field(table, port, field string) string {
	for _, key := range []string{port, "*"} {
		if v, ok := n.setup.Rows[table][key][field]; ok {
			return v
		}
	}
	return n.base[table][port][field]
}

// defaultRate is that of links whose ends do not give any.
const defaultRate = 100e9

// rates gives links without a rate of their own that of their ports. A config_db.json
// that the command line names has its ports' rates, whatever the scenario says.
func (p *plan) rates(o *Options) {
	for _, w := range p.wires {
		var ports uint64
		for i := range w.ends {
			if e := &w.ends[i]; ports == 0 && !e.node.outside {
				ports = e.node.speed(e.port)
			}
		}
		switch {
		case ports != 0 && w.rate != 0 && w.rate != ports && o.Config != "":
			p.note("the link of %s and %s runs at %s, as the rows of --config say; the scenario has %s",
				w.ends[0].name(), w.ends[1].name(), Rate.Format(float64(ports)), Rate.Format(float64(w.rate)))
			w.rate = ports
		case w.rate == 0 && ports != 0:
			w.rate = ports
		case w.rate == 0:
			w.rate = defaultRate
		}
	}
}

// name is that of an end for people.
func (e *end) name() string {
	if e.port == "" {
		return e.node.name
	}
	return e.node.name + "/" + e.port
}

// cables notes links that are longer than the rows say, by which headroom is worked out.
func (p *plan) cables() {
	for _, w := range p.wires {
		for i := range w.ends {
			e := &w.ends[i]
			if e.node.sw == nil || !e.node.agent() {
				continue
			}
			if !e.node.up(e.port) {
				p.problem("%s has a link, but its admin_status is not up: nothing passes", e.name())
			}
			text := e.node.cable(e.port)
			var said Metres
			if said.parse(text) != nil || said == 0 {
				continue
			}
			if span := dataplane.Time(float64(said) * float64(nanosecondsPerMetre*dataplane.Nanosecond)); w.delay > span {
				p.note("the link of %s takes %v, as %s of cable do, its CABLE_LENGTH says %s: its headroom may be too small",
					e.name(), w.delay, Length.Format(w.delay.Seconds()*1e9/nanosecondsPerMetre), text)
			}
		}
	}
}

// cable is the length that rows give a port's cable; "" for none.
func (n *node) cable(port string) string {
	for _, rows := range []Rows{n.setup.Rows, n.base} {
		for _, name := range []string{port, "*"} {
			for _, f := range rows["CABLE_LENGTH"] { // SONiC has one row
				if v, ok := f[name]; ok {
					return v
				}
			}
		}
	}
	return ""
}
