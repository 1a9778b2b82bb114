package configdb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// MapKind tells the QoS map tables apart.
type MapKind uint8

// The kinds of QoS map, in the order of MapTables.
const (
	DSCPToTC MapKind = iota
	DOT1PToTC
	TCToQueue
	TCToPriorityGroup
	TCToDSCP
	PFCPriorityToQueue
	PFCPriorityToPriorityGroup
	MPLSTCToTC
	TCToDOT1P
	DSCPToFC
	EXPToFC
	NumMapKinds
)

// MapTables names the table of each kind.
var MapTables = [NumMapKinds]string{
	"DSCP_TO_TC_MAP",
	"DOT1P_TO_TC_MAP",
	"TC_TO_QUEUE_MAP",
	"TC_TO_PRIORITY_GROUP_MAP",
	"TC_TO_DSCP_MAP",
	"MAP_PFC_PRIORITY_TO_QUEUE",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	"MPLS_TC_TO_TC_MAP",
	"TC_TO_DOT1P_MAP",
	"DSCP_TO_FC_MAP",
	"EXP_TO_FC_MAP",
}

// MapFields names the field of PORT_QOS_MAP that takes each kind of map.
//
// Source: sonic-port-qos-map.yang, SONiC's qosorch.
var MapFields = [NumMapKinds]string{
	DSCPToTC:                   "dscp_to_tc_map",
	DOT1PToTC:                  "dot1p_to_tc_map",
	TCToQueue:                  "tc_to_queue_map",
	TCToPriorityGroup:          "tc_to_pg_map",
	TCToDSCP:                   "tc_to_dscp_map",
	PFCPriorityToQueue:         "pfc_to_queue_map",
	PFCPriorityToPriorityGroup: "pfc_to_pg_map",
	MPLSTCToTC:                 "mpls_tc_to_tc_map",
	TCToDOT1P:                  "tc_to_dot1p_map",
	DSCPToFC:                   "dscp_to_fc_map",
	EXPToFC:                    "exp_to_fc_map",
}

// MapEntry is one field of a QoS map.
type MapEntry struct{ From, To uint8 }

// QoSMap is a row of one of the map tables. Entries are in order of From, each
// From once.
//
// Source: sonic-dscp-tc-map.yang and its siblings; for maps without a YANG module
// SONiC's qosorch.
type QoSMap struct {
	ID      RowKey
	Kind    MapKind
	Name    string
	Entries []MapEntry
}

// RowKey implements Row.
func (r *QoSMap) RowKey() RowKey { return r.ID }

// DefaultEntries is what a map without entries means, where value n stands for n:
// 802.1p priority n is traffic class n, and class n uses queue n, 0 to 7. Other
// kinds have no default; nil is returned. A port that uses no map at all does what
// SAI says: everything is class 0, and leaves by queue 0.
func DefaultEntries(kind MapKind) []MapEntry {
	if kind != DOT1PToTC && kind != TCToQueue {
		return nil
	}
	entries := make([]MapEntry, 8)
	for n := range entries {
		entries[n] = MapEntry{From: uint8(n), To: uint8(n)}
	}
	return entries
}

// domain is one side of a map.
type domain struct {
	name string
	max  uint8
}

// The sides. YANG lets queues be one digit.
var (
	dscp  = domain{"dscp", 63}
	dot1p = domain{"dot1p", 7}
	tc    = domain{"tc", 15}
	queue = domain{"queue", 9}
	pg    = domain{"pg", 7}
	prio  = domain{"priority", 7}
	exp   = domain{"exp", 7}
	fc    = domain{"fc", 255} // how many there are is for the chip to say
)

var qosMapTables = [NumMapKinds]*Table{
	DSCPToTC: qosMapTable(DSCPToTC, dscp, tc, "sonic-dscp-tc-map.yang",
		"Which traffic class a packet belongs to by its DSCP."),
	DOT1PToTC: qosMapTable(DOT1PToTC, dot1p, tc, "sonic-dot1p-tc-map.yang",
		"Which traffic class a packet belongs to by its 802.1p priority. A map without entries: priority n is class n."),
	TCToQueue: qosMapTable(TCToQueue, tc, queue, "sonic-tc-queue-map.yang",
		"Which queue a traffic class leaves by. A map without entries: class n leaves by queue n, 0 to 7."),
	TCToPriorityGroup: qosMapTable(TCToPriorityGroup, tc, pg, "sonic-tc-priority-group-map.yang",
		"Which priority group a traffic class is buffered in."),
	TCToDSCP: qosMapTable(TCToDSCP, tc, dscp, "sonic-tc-dscp-map.yang",
		"Which DSCP packets of a traffic class leave with."),
	PFCPriorityToQueue: qosMapTable(PFCPriorityToQueue, prio, domain{"queue", 7}, "sonic-pfc-priority-queue-map.yang",
		"Which queue a received PFC pause stops."),
	PFCPriorityToPriorityGroup: qosMapTable(PFCPriorityToPriorityGroup, prio, pg, "sonic-pfc-priority-priority-group-map.yang",
		"Which priority group's filling sends PFC pauses of a priority."),
	MPLSTCToTC: qosMapTable(MPLSTCToTC, exp, tc, "sonic-mpls-tc-map.yang",
		"Which traffic class an MPLS packet belongs to by the class in its label (EXP)."),
	TCToDOT1P: qosMapTable(TCToDOT1P, tc, dot1p, "SONiC's qosorch; it has no YANG module",
		"Which 802.1p priority packets of a traffic class leave with."),
	DSCPToFC: qosMapTable(DSCPToFC, dscp, fc, "SONiC's qosorch; it has no YANG module",
		"Which forwarding class a packet belongs to by its DSCP."),
	EXPToFC: qosMapTable(EXPToFC, exp, fc, "SONiC's qosorch; it has no YANG module",
		"Which forwarding class an MPLS packet belongs to by the class in its label (EXP)."),
}

func qosMapTable(kind MapKind, from, to domain, source, doc string) *Table {
	return define(Table{
		Name:   MapTables[kind],
		Doc:    doc,
		Key:    "<name>",
		Source: source,
	}, &spec[QoSMap, *QoSMap]{
		key: func(r *QoSMap, key string) error {
			r.Kind, r.Name = kind, key
			return wrapKey(key, checkTitle(key))
		},
		id: func(r *QoSMap) *RowKey { return &r.ID },
		open: &open[QoSMap]{
			Field: Field{
				Name: "<" + from.name + ">", Names: fmt.Sprintf("0 to %d", from.max), Type: Integer,
				Range: fmt.Sprintf("0 to %d", to.max), Example: "3",
				Doc: fmt.Sprintf("The %s that this %s is mapped to.", to.name, from.name),
			},
			// A name that is no code point is a slip, and to leave out what was meant by it
			// would take packets out of their class.
			all:    true,
			match:  isNumber,
			parse:  func(r *QoSMap, name, value string) error { return parseEntry(r, from, to, name, value) },
			finish: finishMap,
			format: func(r *QoSMap, f Fields) {
				for _, e := range r.Entries {
					f[strconv.Itoa(int(e.From))] = strconv.Itoa(int(e.To))
				}
			},
		},
		at: func(c *Config) *map[string]*QoSMap { return &c.QoSMaps[kind] },
	})
}

func parseEntry(r *QoSMap, from, to domain, name, value string) error {
	key, err := parseUint(name, 0, uint64(from.max))
	if err != nil {
		return fmt.Errorf("%s %w", from.name, err)
	}
	n, err := parseUint(value, 0, uint64(to.max))
	if err != nil {
		return fmt.Errorf("%s %w", to.name, err)
	}
	r.Entries = append(r.Entries, MapEntry{From: uint8(key), To: uint8(n)})
	return nil
}

// finishMap puts the entries in order. "3" and "03" are the same code point. A map
// without entries is refused if it has no default: SONiC has no such object, and one
// would take every packet out of its class.
func finishMap(r *QoSMap, p *parsing) {
	if len(r.Entries) == 0 && len(p.faults) == 0 && DefaultEntries(r.Kind) == nil {
		p.fail("", errors.New("the map has no entries"))
	}
	slices.SortFunc(r.Entries, func(a, b MapEntry) int { return cmp.Compare(a.From, b.From) })
	for i := 1; i < len(r.Entries); i++ {
		if from := r.Entries[i].From; from == r.Entries[i-1].From {
			p.fail(strconv.Itoa(int(from)), fmt.Errorf("%d is mapped twice, in two spellings", from))
		}
	}
}
