package configdb

import (
	"fmt"
	"slices"
)

// PortQoSMap is a row PORT_QOS_MAP|<ports>, or PORT_QOS_MAP|global.
//
// Source: sonic-port-qos-map.yang; the fields of the last four maps are those of
// SONiC's qosorch alone.
type PortQoSMap struct {
	ID        RowKey
	Global    bool     // then Ports is empty, and only Maps[DSCPToTC] may be set
	Ports     []string // in the order given
	Maps      [NumMapKinds]string
	Scheduler string
	PFC       uint8 // bit n: priority n is lossless ("pfc_enable")
	HasPFC    bool  // pfc_enable is there, if only empty
	PFCWD     uint8 // bit n: queue n is watched ("pfcwd_sw_enable")
}

// RowKey implements Row.
func (r *PortQoSMap) RowKey() RowKey { return r.ID }

// globalKey is the key of the row for the whole switch, dscpToTCMap its only field.
const (
	globalKey   = "global"
	dscpToTCMap = "dscp_to_tc_map"
)

var portQoSMapTable = define(Table{
	Name: "PORT_QOS_MAP",
	Doc: "Which maps a port uses, which of its priorities are lossless, and how it is shaped. " +
		"The row \"global\" has dscp_to_tc_map alone, for ports without one.",
	Key:    "<port>[,<port>...] or global",
	Source: "sonic-port-qos-map.yang",
}, &spec[PortQoSMap, *PortQoSMap]{
	key: parsePortsOrGlobal,
	id:  func(r *PortQoSMap) *RowKey { return &r.ID },
	columns: []column[PortQoSMap]{
		mapReference(dscpToTCMap, DSCPToTC),
		mapReference("dot1p_to_tc_map", DOT1PToTC),
		mapReference("tc_to_queue_map", TCToQueue),
		mapReference("tc_to_pg_map", TCToPriorityGroup),
		mapReference("tc_to_dscp_map", TCToDSCP),
		mapReference("pfc_to_queue_map", PFCPriorityToQueue),
		mapReference("pfc_to_pg_map", PFCPriorityToPriorityGroup),
		mapReference("mpls_tc_to_tc_map", MPLSTCToTC),
		mapReference("tc_to_dot1p_map", TCToDOT1P),
		mapReference("dscp_to_fc_map", DSCPToFC),
		mapReference("exp_to_fc_map", EXPToFC),
		reference(Field{Name: "scheduler", Example: "scheduler.port", Doc: "The rates of the port as a whole."},
			"SCHEDULER", func(r *PortQoSMap) *string { return &r.Scheduler }),
		optional(bits(Field{Name: "pfc_enable", Example: "3,4", Doc: "Priorities that are lossless: PFC is sent and obeyed for them."},
			func(r *PortQoSMap) *uint8 { return &r.PFC }),
			func(r *PortQoSMap) *bool { return &r.HasPFC }),
		bits(Field{Name: "pfcwd_sw_enable", Example: "3,4", Doc: "Queues that the PFC watchdog watches."},
			func(r *PortQoSMap) *uint8 { return &r.PFCWD }),
	},
	hides: func(r *PortQoSMap, name string) bool { return r.Global && name != dscpToTCMap },
	ports: func(r *PortQoSMap) []string { return r.Ports },
	at:    func(c *Config) *map[string]*PortQoSMap { return &c.PortQoSMaps },
})

func parsePortsOrGlobal(r *PortQoSMap, key string) (err error) {
	if r.Global = key == globalKey; r.Global {
		return nil
	}
	r.Ports, err = parsePorts(key)
	if slices.Contains(r.Ports, globalKey) {
		err = fmt.Errorf("%q stands alone, not among ports", globalKey)
	}
	return wrapKey(key, err)
}

func mapReference(name string, kind MapKind) column[PortQoSMap] {
	return reference(Field{Name: name, Example: "AZURE", Doc: "The port's map. Absent or empty: none."},
		MapTables[kind], func(r *PortQoSMap) *string { return &r.Maps[kind] })
}
