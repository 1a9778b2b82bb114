package intent

import (
	"errors"

	"xon/schema/configdb"
)

// ref is one reference of a row to another.
type ref struct {
	field string // that holds it; "" when the row's key does
	table string // "" when name is a headroom model
	name  string
}

// target is the key of the row referred to, or the name of a headroom model.
func (r ref) target() string {
	if r.table == "" {
		return r.name
	}
	return r.table + "|" + r.name
}

// MapFields names the field of PORT_QOS_MAP that takes each kind of map.
//
// Source: sonic-port-qos-map.yang, SONiC's qosorch.
var MapFields = [configdb.NumMapKinds]string{
	configdb.DSCPToTC:                   "dscp_to_tc_map",
	configdb.DOT1PToTC:                  "dot1p_to_tc_map",
	configdb.TCToQueue:                  "tc_to_queue_map",
	configdb.TCToPriorityGroup:          "tc_to_pg_map",
	configdb.TCToDSCP:                   "tc_to_dscp_map",
	configdb.PFCPriorityToQueue:         "pfc_to_queue_map",
	configdb.PFCPriorityToPriorityGroup: "pfc_to_pg_map",
	configdb.MPLSTCToTC:                 "mpls_tc_to_tc_map",
	configdb.TCToDOT1P:                  "tc_to_dot1p_map",
	configdb.DSCPToFC:                   "dscp_to_fc_map",
	configdb.EXPToFC:                    "exp_to_fc_map",
}

// DynamicModel is what rows wait for that only the dynamic buffer model gives a meaning
// to, and ErrTraditional why they do not have one.
const DynamicModel = "the dynamic buffer model"

// ErrTraditional says that a row needs the other buffer model.
var ErrTraditional = errors.New("the traditional buffer model is in use, and only the dynamic one computes it: " +
	"set buffer_model of DEVICE_METADATA|localhost to dynamic, then xonctl restart buffers")

// references calls f for everything that a row which names ports refers to beside
// those, until f returns false.
func references(row configdb.Row, f func(ref) bool) {
	switch r := row.(type) {
	case *configdb.BufferPG:
		if r.Profile == configdb.DynamicHeadroom {
			f(ref{field: "profile", name: DynamicModel})
			return
		}
		named(f, "profile", "BUFFER_PROFILE", r.Profile)
	case *configdb.BufferQueue:
		named(f, "profile", "BUFFER_PROFILE", r.Profile)
	case *configdb.BufferProfileList:
		for _, p := range r.Profiles {
			if !named(f, "profile_list", "BUFFER_PROFILE", p) {
				return
			}
		}
	case *configdb.Queue:
		if named(f, "scheduler", "SCHEDULER", r.Scheduler) {
			named(f, "wred_profile", "WRED_PROFILE", r.WRED)
		}
	case *configdb.PortQoSMap:
		for kind, name := range r.Maps {
			if !named(f, MapFields[kind], configdb.MapTables[kind], name) {
				return
			}
		}
		named(f, "scheduler", "SCHEDULER", r.Scheduler)
	}
}

// named passes on a reference by name; an empty name is none.
func named(f func(ref) bool, field, table, name string) bool {
	return name == "" || f(ref{field: field, table: table, name: name})
}

// exists reports whether the configuration has the row that r refers to.
func exists(c *configdb.Config, r ref) bool {
	var ok bool
	switch r.table {
	case "PORT":
		_, ok = c.Ports[r.name]
	case "BUFFER_POOL":
		_, ok = c.BufferPools[r.name]
	case "BUFFER_PROFILE":
		_, ok = c.BufferProfiles[r.name]
	case "SCHEDULER":
		_, ok = c.Schedulers[r.name]
	case "WRED_PROFILE":
		_, ok = c.WREDProfiles[r.name]
	default:
		ok = mapExists(c, r)
	}
	return ok
}

func mapExists(c *configdb.Config, r ref) bool {
	for kind, table := range configdb.MapTables {
		if table == r.table {
			_, ok := c.QoSMaps[kind][r.name]
			return ok
		}
	}
	return false
}
