package contract

import (
	"fmt"
	"strconv"

	"xon/schema/configdb"
)

// firstLanes are the first of four lanes of Ethernet0, 4, …, 124 on SONiC's virtual
// switch, a Force10-S6000.
var firstLanes = [32]int{
	25, 29, 33, 37, 45, 41, 1, 5, 13, 9, 17, 21, 53, 49, 57, 61,
	69, 65, 73, 77, 109, 105, 113, 117, 125, 121, 81, 85, 93, 89, 101, 97,
}

// ports are the names of the ports.
func ports() []string {
	names := make([]string, len(firstLanes))
	for i := range names {
		names[i] = "Ethernet" + strconv.Itoa(4*i)
	}
	return names
}

// virtualSwitch is the configuration that SONiC's virtual switch begins with.
func virtualSwitch() configdb.RawRows {
	rows := configdb.RawRows{
		"DEVICE_METADATA|localhost": {"mac": "02:42:ac:11:00:02", "hwsku": "Force10-S6000", "switch_type": "switch", "buffer_model": "traditional", "default_pfcwd_status": "disable"},

		"BUFFER_POOL|ingress_lossless_pool": {"size": "12766208", "type": "ingress", "mode": "dynamic"},
		"BUFFER_POOL|egress_lossless_pool":  {"size": "12766208", "type": "egress", "mode": "static"},
		"BUFFER_POOL|egress_lossy_pool":     {"size": "7326924", "type": "egress", "mode": "dynamic"},

		"BUFFER_PROFILE|ingress_lossy_profile":   {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
		"BUFFER_PROFILE|egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208"},
		"BUFFER_PROFILE|egress_lossy_profile":    {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"},

		"SCHEDULER|scheduler.0": {"type": "DWRR", "weight": "14"},
		"SCHEDULER|scheduler.1": {"type": "DWRR", "weight": "15"},

		"DSCP_TO_TC_MAP|AZURE":            classes(64, map[int]int{3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}, func(int) int { return 1 }),
		"TC_TO_PRIORITY_GROUP_MAP|AZURE":  classes(8, map[int]int{3: 3, 4: 4, 7: 7}, func(int) int { return 0 }),
		"TC_TO_QUEUE_MAP|AZURE":           classes(8, nil, func(i int) int { return i }),
		"MAP_PFC_PRIORITY_TO_QUEUE|AZURE": classes(8, nil, func(i int) int { return i }),
		"PORT_QOS_MAP|global":             {"dscp_to_tc_map": "AZURE"},

		"WRED_PROFILE|AZURE_LOSSLESS": {"ecn": "ecn_all"},
	}
	for _, colour := range []string{"green", "yellow", "red"} {
		w := rows["WRED_PROFILE|AZURE_LOSSLESS"]
		w[colour+"_min_threshold"], w[colour+"_max_threshold"] = "1048576", "2097152"
		w[colour+"_drop_probability"], w["wred_"+colour+"_enable"] = "5", "true"
	}
	cables := configdb.Fields{}
	for i, port := range ports() {
		lane := firstLanes[i]
		rows[configdb.Key("PORT", port)] = configdb.Fields{
			"alias": fmt.Sprintf("fortyGigE0/%d", 4*i), "index": strconv.Itoa(i), "speed": "100000", "subport": "0",
			"lanes": fmt.Sprintf("%d,%d,%d,%d", lane, lane+1, lane+2, lane+3),
		}
		cables[port] = "0m"
		rows[configdb.Key("BUFFER_PG", port+"|0")] = configdb.Fields{"profile": "ingress_lossy_profile"}
		rows[configdb.Key("BUFFER_QUEUE", port+"|3-4")] = configdb.Fields{"profile": "egress_lossless_profile"}
		for _, span := range []string{"0-2", "5-6"} {
			rows[configdb.Key("BUFFER_QUEUE", port+"|"+span)] = configdb.Fields{"profile": "egress_lossy_profile"}
		}
	}
	rows["CABLE_LENGTH|AZURE"] = cables
	return rows
}

// classes maps numbers; those that some does not have by others.
func classes(n int, some map[int]int, others func(int) int) configdb.Fields {
	f := configdb.Fields{}
	for i := range n {
		to, ok := some[i]
		if !ok {
			to = others(i)
		}
		f[strconv.Itoa(i)] = strconv.Itoa(to)
	}
	return f
}
