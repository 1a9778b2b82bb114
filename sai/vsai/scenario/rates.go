package scenario

import (
	"strconv"

	"xon/sai/vsai/dataplane"
)

// speed is the rate that a switch's rows give a port, in bit/s; 0: none that can be
// determined, or the port is created for its link.
func (n *node) speed(port string) uint64 {
	if n.sw == nil || n.defaultPorts {
		return 0
	}
	mbps, err := strconv.ParseUint(n.field("PORT", port, "speed"), 10, 32)
	if err != nil {
		return 0
	}
	return mbps * 1e6
}

// up reports whether the rows enable a port.
func (n *node) up(port string) bool {
	return n.sw == nil || n.defaultPorts || !n.agent() || n.field("PORT", port, "admin_status") == "up"
}

// field returns a field of a port's row, after "*" is expanded.
func (n *node) field(table, port, field string) string {
	for _, key := range []string{port, "*"} {
		if v, ok := n.setup.Rows[table][key][field]; ok {
			return v
		}
	}
	return n.base[table][port][field]
}

// defaultRate is the rate of links whose ends have none.
const defaultRate = 100e9

// rates gives links without a rate those of their ports. A config_db.json on the
// command line defines its ports' rates, whatever the scenario says.
func (p *plan) rates(o *Options) {
	for _, w := range p.wires {
		var ports uint64
		for i := range w.ends {
			if e := &w.ends[i]; ports == 0 && !e.node.external {
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

// name returns the name of an end.
func (e *end) name() string {
	if e.port == "" {
		return e.node.name
	}
	return e.node.name + "/" + e.port
}

// checkCables notes links that are longer than the rows say, because headroom is
// computed from those.
func (p *plan) checkCables() {
	for _, w := range p.wires {
		for i := range w.ends {
			e := &w.ends[i]
			if e.node.sw == nil || !e.node.agent() {
				continue
			}
			if !e.node.up(e.port) {
				p.problem("%s has a link, but its admin_status is not up: it gets no traffic", e.name())
			}
			text := e.node.cable(e.port)
			var said Metres
			if said.parse(text) != nil || said == 0 {
				continue
			}
			if span := dataplane.Time(float64(said) * float64(nanosecondsPerMetre*dataplane.Nanosecond)); w.delay > span {
				p.note("the link of %s takes %v, the delay of a %s cable, but its CABLE_LENGTH says %s: its headroom may be too small",
					e.name(), w.delay, Length.Format(w.delay.Seconds()*1e9/nanosecondsPerMetre), text)
			}
		}
	}
}

// cable is the cable length of a port in the rows; "" for none.
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
