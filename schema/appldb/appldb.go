// Package appldb names the rows of APPL_DB that others look for.
//
// What is not for here: how rows are stored (schema/redisdb), and what effective
// buffer rows are (orchagent).
package appldb

import "strconv"

// PortTable has a row per port, and two that are signs to others: PortConfigDone,
// once all PORT rows are known, and PortInitDone, once all ports are on the chip.
// Some of SONiC's programs do nothing before they see them.
const (
	PortTable      = "PORT_TABLE"
	PortConfigDone = "PORT_TABLE:PortConfigDone"
	PortInitDone   = "PORT_TABLE:PortInitDone"
)

// PortOper is the field of a port's row that says whether its link is up: Up or Down.
// The other fields are those of the row PORT.
const (
	PortOper = "oper_status"
	Up       = "up"
	Down     = "down"
)

// PortConfigDoneFields are the fields of the row PortConfigDone: how many ports
// have a row.
func PortConfigDoneFields(ports int) map[string]string {
	return map[string]string{"count": strconv.Itoa(ports)}
}

// PortInitDoneFields are the fields of the row PortInitDone. They say nothing; the
// row's existence does.
func PortInitDoneFields() map[string]string { return map[string]string{"lanes": "0"} }

// Tables of effective buffer rows: what the rows of CONFIG_DB come to once headroom
// and pool sizes are worked out.
const (
	BufferPoolTable        = "BUFFER_POOL_TABLE"
	BufferProfileTable     = "BUFFER_PROFILE_TABLE"
	BufferPGTable          = "BUFFER_PG_TABLE"    // key "Ethernet0:3-4"
	BufferQueueTable       = "BUFFER_QUEUE_TABLE" // key "Ethernet0:3-4"
	BufferIngressListTable = "BUFFER_PORT_INGRESS_PROFILE_LIST_TABLE"
	BufferEgressListTable  = "BUFFER_PORT_EGRESS_PROFILE_LIST_TABLE"
)
