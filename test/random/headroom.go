package random

import (
	"strconv"

	"xon/schema/configdb"
	"xon/test/scale"
)

// headroom is a row that the headroom of lossless priority groups comes from: most of
// them good, so that there is headroom to lose, others so that it can't be known.
func (g *Rows) headroom() (configdb.RowKey, configdb.Fields) {
	port := scale.PortName(g.Rand.IntN(g.Ports))
	switch g.Rand.IntN(8) {
	case 0, 1:
		return "CABLE_LENGTH|AZURE", g.cables()
	case 2:
		f := scale.Ports(g.Ports)[configdb.Key("PORT", port)]
		f["speed"] = g.input("100000", "40000")
		return configdb.Key("PORT", port), g.thinned(f, "speed")
	case 3:
		return "LOSSLESS_TRAFFIC_PATTERN|AZURE", g.thinned(configdb.Fields{"mtu": g.input("1024", "1500"), "small_packet_percentage": "100"}, "mtu")
	case 4:
		f := configdb.Fields{"default_dynamic_th": g.input("0", "1"), "over_subscribe_ratio": g.input("0", "2")}
		return "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", g.thinned(f, "default_dynamic_th")
	case 5:
		f := configdb.Fields{"type": g.input(configdb.Ingress, configdb.Ingress), "mode": "dynamic", "size": strconv.FormatUint(g.Memory/4, 10)}
		return "BUFFER_POOL|ingress_lossless_pool", g.thinned(f, "size")
	case 6:
		return configdb.Key("PORT_QOS_MAP", port), configdb.Fields{"pfc_enable": "3,4"}
	}
	return configdb.Key("BUFFER_PG", port+"|3-4"), configdb.Fields{"profile": configdb.DynamicHeadroom}
}

// cables are lengths of most ports.
func (g *Rows) cables() configdb.Fields {
	f := configdb.Fields{}
	for i := range g.Ports {
		if !g.one(6) {
			f[scale.PortName(i)] = g.input("5m", "40m", "300m")
		}
	}
	if len(f) == 0 {
		f["NULL"] = "NULL"
	}
	return f
}

// input is one of the good values or, now and then, a bad one.
func (g *Rows) input(good ...string) string {
	if g.one(6) {
		return pick(g, []string{"", "0m", "0", "5", "0.5m", "abc", "-5m", "None", "99999999999"})
	}
	return pick(g, good)
}

// thinned is a row that now and then is without a field.
func (g *Rows) thinned(f configdb.Fields, field string) configdb.Fields {
	if g.one(6) {
		delete(f, field)
	}
	return f
}
