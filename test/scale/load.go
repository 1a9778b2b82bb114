// Package scale makes configurations of any size for benchmarks and for tests of
// speed: the same load for every part of the project, so that figures compare.
//
// What is not for here: checks of what a configuration means.
package scale

import (
	"fmt"
	"strconv"

	"xon/schema/configdb"
)

// LanesPerPort is the width of a port.
const LanesPerPort = 4

// SpeedMbps is the speed of a port.
const SpeedMbps = 100000

// PortName names the i-th port as SONiC does: Ethernet0, Ethernet4, Ethernet8.
func PortName(i int) string { return "Ethernet" + strconv.Itoa(LanesPerPort*i) }

// Lanes returns the lanes of the i-th port: 1 to 4, 5 to 8.
func Lanes(i int) []uint32 {
	lanes := make([]uint32, LanesPerPort)
	for l := range lanes {
		lanes[l] = uint32(LanesPerPort*i + l + 1)
	}
	return lanes
}

// bytesPerPort is what each pool has for a port. It holds what a port reserves.
const bytesPerPort = 64 << 10

// MemoryBytes is the packet memory that the load of so many ports needs.
func MemoryBytes(ports int) uint64 { return uint64(ports)*bytesPerPort + 1<<20 }

// Ports returns the PORT rows of n ports, all up.
func Ports(n int) configdb.RawRows {
	rows := configdb.RawRows{}
	for i := range n {
		lanes := Lanes(i)
		rows[configdb.Key("PORT", PortName(i))] = configdb.Fields{
			"lanes": fmt.Sprintf("%d,%d,%d,%d", lanes[0], lanes[1], lanes[2], lanes[3]),
			"alias": "etp" + strconv.Itoa(i+1), "index": strconv.Itoa(i + 1),
			"speed": strconv.Itoa(SpeedMbps), "mtu": "9100", "admin_status": "up",
		}
	}
	return rows
}

// Load returns a whole configuration of n ports: Ports, and QoS for each: eight
// queues with buffers of their own, one lossy and two lossless priority groups,
// four maps, PFC on priorities 3 and 4, and ECN on two queues.
func Load(n int) configdb.RawRows {
	rows := Ports(n)
	addBuffers(rows, n)
	addMaps(rows)
	rows["WRED_PROFILE|AZURE_LOSSLESS"] = configdb.Fields{
		"ecn": "ecn_all", "wred_green_enable": "true", "wred_yellow_enable": "true", "wred_red_enable": "true",
		"green_min_threshold": "250000", "green_max_threshold": "2097152", "green_drop_probability": "5",
		"yellow_min_threshold": "1048576", "yellow_max_threshold": "2097152", "yellow_drop_probability": "5",
		"red_min_threshold": "1048576", "red_max_threshold": "2097152", "red_drop_probability": "5",
	}
	for i := range n {
		addPort(rows, PortName(i))
	}
	return rows
}

func addBuffers(rows configdb.RawRows, n int) {
	size := strconv.FormatUint(uint64(n)*bytesPerPort, 10)
	rows["BUFFER_POOL|ingress_lossless_pool"] = configdb.Fields{"type": "ingress", "mode": "dynamic", "size": size}
	rows["BUFFER_POOL|egress_lossless_pool"] = configdb.Fields{"type": "egress", "mode": "static", "size": size}
	rows["BUFFER_PROFILE|ingress_lossy_profile"] = configdb.Fields{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}
	rows["BUFFER_PROFILE|pg_lossless_100000_5m_profile"] = configdb.Fields{
		"pool": "ingress_lossless_pool", "size": "4096", "xon": "2048", "xoff": "8192", "dynamic_th": "-3",
	}
	for q := range 8 {
		rows[configdb.Key("BUFFER_PROFILE", queueProfile(q))] = configdb.Fields{
			"pool": "egress_lossless_pool", "size": strconv.Itoa(256 * q), "static_th": size,
		}
	}
}

func queueProfile(queue int) string { return fmt.Sprintf("queue%d_profile", queue) }

func addMaps(rows configdb.RawRows) {
	identity, dscp := configdb.Fields{}, configdb.Fields{}
	for i := range 8 {
		identity[strconv.Itoa(i)] = strconv.Itoa(i)
	}
	for i := range 64 {
		dscp[strconv.Itoa(i)] = strconv.Itoa(i / 8)
	}
	rows["DSCP_TO_TC_MAP|AZURE"] = dscp
	for _, t := range []string{"TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE"} {
		rows[configdb.Key(t, "AZURE")] = identity
	}
}

func addPort(rows configdb.RawRows, port string) {
	for q := range 8 {
		rows[configdb.Key("BUFFER_QUEUE", port+"|"+strconv.Itoa(q))] = configdb.Fields{"profile": queueProfile(q)}
	}
	rows[configdb.Key("BUFFER_PG", port+"|0")] = configdb.Fields{"profile": "ingress_lossy_profile"}
	rows[configdb.Key("BUFFER_PG", port+"|3-4")] = configdb.Fields{"profile": "pg_lossless_100000_5m_profile"}
	rows[configdb.Key("PORT_QOS_MAP", port)] = configdb.Fields{
		"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE",
		"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4",
	}
	for _, q := range []string{"3", "4"} {
		rows[configdb.Key("QUEUE", port+"|"+q)] = configdb.Fields{"wred_profile": "AZURE_LOSSLESS"}
	}
}

// Changes returns rows as the feed of a database reports them.
func Changes(rows configdb.RawRows) []configdb.Change {
	list := make([]configdb.Change, 0, len(rows))
	for k, f := range rows {
		list = append(list, configdb.Change{Row: k, Fields: f})
	}
	return list
}
