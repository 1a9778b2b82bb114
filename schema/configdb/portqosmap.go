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

// globalKey is the key of the row for the whole switch; the field for DSCPToTC is its
// only one.
const globalKey = "global"

var portQoSMapTable = define(Table{
	Name: "PORT_QOS_MAP",
	Doc: "Which maps a port uses, which of its priorities are lossless, and how it is shaped. " +
		"The row \"global\" has dscp_to_tc_map alone, for ports without one.",
	Key:    "<port>[,<port>...] or global",
	Source: "sonic-port-qos-map.yang",
}, &spec[PortQoSMap, *PortQoSMap]{
	key: parsePortsOrGlobal,
	id:  func(r *PortQoSMap) *RowKey { return &r.ID },
	columns: append(mapReferences(),
		reference(Field{Name: "scheduler", Example: "scheduler.port", Doc: "The rates of the port as a whole."},
			"SCHEDULER", func(r *PortQoSMap) *string { return &r.Scheduler }),
		optional(bits(Field{Name: "pfc_enable", Example: "3,4", Doc: "Priorities that are lossless: PFC is sent and obeyed for them."},
			func(r *PortQoSMap) *uint8 { return &r.PFC }),
			func(r *PortQoSMap) *bool { return &r.HasPFC }),
		bits(Field{Name: "pfcwd_sw_enable", Example: "3,4", Doc: "Queues that the PFC watchdog watches."},
			func(r *PortQoSMap) *uint8 { return &r.PFCWD }),
	),
	hides: func(r *PortQoSMap, name string) bool { return r.Global && name != MapFields[DSCPToTC] },
	place: placedPorts(func(r *PortQoSMap) *[]string { return &r.Ports }),
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

// mapReferences are the columns for the maps of a port, by kind.
func mapReferences() []column[PortQoSMap] {
	columns := make([]column[PortQoSMap], NumMapKinds)
	for kind, name := range MapFields {
		columns[kind] = reference(Field{Name: name, Example: "AZURE", Doc: "The port's map. Absent or empty: none."},
			MapTables[kind], func(r *PortQoSMap) *string { return &r.Maps[kind] })
	}
	return columns
}
