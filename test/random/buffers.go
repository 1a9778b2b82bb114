package random

import (
	"strconv"

	"xon/schema/configdb"
)

// bufferTables are the tables that buffers are computed from, some of them more often.
var bufferTables = []string{
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "CABLE_LENGTH", "CABLE_LENGTH", "LOSSLESS_TRAFFIC_PATTERN",
	"BUFFER_POOL", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_PG", "BUFFER_PG", "BUFFER_QUEUE", "PORT", "PORT", "PORT_QOS_MAP",
}

// buffers is a row of one of bufferTables.
func (g *Rows) buffers() (configdb.RowKey, configdb.Fields) {
	t, _ := configdb.Lookup(pick(g, bufferTables))
	k, f := g.RowOf(t)
	switch {
	case t.Name == "CABLE_LENGTH":
		return k, g.cables()
	case t.Name == "DEFAULT_LOSSLESS_BUFFER_PARAMETER" && g.one(2):
		f["over_subscribe_ratio"] = strconv.Itoa(g.Rand.IntN(4))
	case t.Name == "BUFFER_PG" && g.one(2):
		f["profile"] = configdb.DynamicHeadroom
	case t.Name == "BUFFER_POOL" && g.one(2):
		delete(f, "size") // to be computed
	}
	return k, f
}
