package qosorch

import (
	"errors"
	"fmt"
	"strconv"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// kind is what SAI has for one kind of map.
type kind struct {
	typ  sai.QoSMapType
	port sai.Attr[sai.Port, sai.ID[sai.QoSMap]] // by which a port uses the map
	// entry puts one entry of a row into SAI's form.
	entry func(e configdb.MapEntry) sai.QoSMapItem
	// class returns the traffic class of an entry, if it has one.
	class func(e configdb.MapEntry) (tc uint8, ok bool)
}

func from(e configdb.MapEntry) (uint8, bool) { return e.From, true }
func to(e configdb.MapEntry) (uint8, bool)   { return e.To, true }
func none(configdb.MapEntry) (uint8, bool)   { return 0, false }

// kinds lists the kinds in the order of configdb.MapTables.
//
// Source: saiqosmap.h, saitypes.h (sai_qos_map_params_t).
var kinds = [configdb.NumMapKinds]kind{
	configdb.DSCPToTC: {sai.QoSMapTypeDSCPToTC, sai.PortAttrQoSDSCPToTCMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{DSCP: e.From}, Value: sai.QoSMapParams{TC: e.To}}
	}, to},
	configdb.DOT1PToTC: {sai.QoSMapTypeDot1pToTC, sai.PortAttrQoSDot1pToTCMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{Dot1p: e.From}, Value: sai.QoSMapParams{TC: e.To}}
	}, to},
	configdb.TCToQueue: {sai.QoSMapTypeTCToQueue, sai.PortAttrQoSTCToQueueMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{TC: e.From}, Value: sai.QoSMapParams{QueueIndex: e.To}}
	}, from},
	configdb.TCToPriorityGroup: {sai.QoSMapTypeTCToPriorityGroup, sai.PortAttrQoSTCToPriorityGroupMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{TC: e.From}, Value: sai.QoSMapParams{Pg: e.To}}
	}, from},
	// SAI rewrites by traffic class and colour; a row means packets that are green,
	// as everything is that no policer coloured.
	configdb.TCToDSCP: {sai.QoSMapTypeTCAndColorToDSCP, sai.PortAttrQoSTCAndColorToDSCPMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{TC: e.From, Color: sai.PacketColorGreen}, Value: sai.QoSMapParams{DSCP: e.To}}
	}, from},
	configdb.PFCPriorityToQueue: {sai.QoSMapTypePFCPriorityToQueue, sai.PortAttrQoSPFCPriorityToQueueMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{Prio: e.From}, Value: sai.QoSMapParams{QueueIndex: e.To}}
	}, none},
	configdb.PFCPriorityToPriorityGroup: {
		sai.QoSMapTypePFCPriorityToPriorityGroup, sai.PortAttrQoSPFCPriorityToPriorityGroupMap,
		func(e configdb.MapEntry) sai.QoSMapItem {
			return sai.QoSMapItem{Key: sai.QoSMapParams{Prio: e.From}, Value: sai.QoSMapParams{Pg: e.To}}
		}, none,
	},
	configdb.MPLSTCToTC: {sai.QoSMapTypeMplsExpToTC, sai.PortAttrQoSMplsExpToTCMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{MplsExp: e.From}, Value: sai.QoSMapParams{TC: e.To}}
	}, to},
	configdb.TCToDOT1P: {sai.QoSMapTypeTCAndColorToDot1p, sai.PortAttrQoSTCAndColorToDot1pMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{TC: e.From, Color: sai.PacketColorGreen}, Value: sai.QoSMapParams{Dot1p: e.To}}
	}, from},
	configdb.DSCPToFC: {sai.QoSMapTypeDSCPToForwardingClass, sai.PortAttrQoSDSCPToForwardingClassMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{DSCP: e.From}, Value: sai.QoSMapParams{Fc: e.To}}
	}, none},
	configdb.EXPToFC: {sai.QoSMapTypeMplsExpToForwardingClass, sai.PortAttrQoSMplsExpToForwardingClassMap, func(e configdb.MapEntry) sai.QoSMapItem {
		return sai.QoSMapItem{Key: sai.QoSMapParams{MplsExp: e.From}, Value: sai.QoSMapParams{Fc: e.To}}
	}, none},
}

// Maps derives QoS maps, and which of them ports use.
var Maps = intent.Feature{
	Shared:   deriveMaps,
	Reads:    append(configdb.MapTables[:], "PORT_QOS_MAP|global"),
	Port:     derivePortMaps,
	Fields:   mapFields,
	Measured: configdb.MapTables[:],
}

// mapFields maps the attributes set here to fields of PORT_QOS_MAP. The contents of a
// map have no field to their name: each code point is one.
var mapFields = func() []graph.Field {
	list := []graph.Field{graph.FieldOf(sai.SwitchAttrQoSDSCPToTCMap, configdb.MapFields[configdb.DSCPToTC])}
	for i, k := range kinds {
		list = append(list, graph.FieldOf(k.port, configdb.MapFields[i]))
	}
	return list
}()

// mapKey returns the key of a map: "QOS_MAP DSCP_TO_TC_MAP|AZURE".
func mapKey(kind configdb.MapKind, name string) graph.Key {
	return graph.Key{Type: sai.ObjectTypeQoSMap, Name: configdb.MapTables[kind] + "|" + name}
}

// deriveMaps derives the maps, and the switch's own use of one.
func deriveMaps(s *intent.Snapshot, b *graph.Builder) {
	for _, rows := range s.Rows.QoSMaps {
		for _, row := range rows {
			addMap(s.Device, row, b)
		}
	}
	if row := s.Rows.PortQoSMaps["global"]; row != nil {
		addGlobal(s, row, b)
	}
}

func addMap(d *intent.Device, row *configdb.QoSMap, b *graph.Builder) {
	k := &kinds[row.Kind]
	entries := row.Entries
	if len(entries) == 0 {
		entries = configdb.DefaultEntries(row.Kind)
	}
	list := make([]sai.QoSMapItem, len(entries))
	for i, e := range entries {
		list[i] = k.entry(e)
		if err := fits(d, row.Kind, e); err != nil {
			b.Refuse(row.ID, strconv.Itoa(int(e.From)), err)
			return
		}
	}
	b.Add(
		row.ID, mapKey(row.Kind, row.Name),
		graph.Of(sai.QoSMapAttrType.Is(k.typ)), graph.Of(sai.QoSMapAttrMapToValueList.Is(list)),
	)
}

// fits checks an entry against the classes that the chip has. A chip that does not
// tell how many traffic classes it has judges for itself; one that knows of no
// forwarding classes has none.
func fits(d *intent.Device, kind configdb.MapKind, e configdb.MapEntry) error {
	tc, ok := kinds[kind].class(e)
	forwards := kind == configdb.DSCPToFC || kind == configdb.EXPToFC
	switch {
	case ok && d.TrafficClasses > 0 && int(tc) >= d.TrafficClasses:
		return fmt.Errorf("traffic class %d: the chip has traffic classes 0 to %d", tc, d.TrafficClasses-1)
	case forwards && d.ForwardingClasses == 0:
		return fmt.Errorf("forwarding class %d: the chip has no forwarding classes", e.To)
	case forwards && int(e.To) >= d.ForwardingClasses:
		return fmt.Errorf("forwarding class %d: the chip has forwarding classes 0 to %d", e.To, d.ForwardingClasses-1)
	}
	return nil
}

// addGlobal derives the row PORT_QOS_MAP|global: the map of packets that enter by
// tunnels and ports without a map of their own.
func addGlobal(s *intent.Snapshot, row *configdb.PortQoSMap, b *graph.Builder) {
	id := row.ID
	for i, name := range row.Maps {
		if name != "" && configdb.MapKind(i) != configdb.DSCPToTC {
			b.Warn(id, configdb.MapFields[i], errors.New("the switch as a whole takes a dscp_to_tc_map only"))
		}
	}
	name := row.Maps[configdb.DSCPToTC]
	if name == "" {
		return
	}
	if !b.Has(mapKey(configdb.DSCPToTC, name)) {
		on, why := configdb.RowKey(mapKey(configdb.DSCPToTC, name).Name), "does not exist"
		if s.Rows.QoSMaps[configdb.DSCPToTC][name] != nil {
			why = "is not in force"
		}
		b.Wait(id, configdb.MapFields[configdb.DSCPToTC], on, fmt.Errorf("%s %s", on, why))
		return
	}
	k := intent.SwitchKey
	k.Facet = graph.QoSMaps
	b.Add(id, k, graph.RefTo(sai.SwitchAttrQoSDSCPToTCMap, mapKey(configdb.DSCPToTC, name)))
}

// derivePortMaps derives which maps one port uses.
//
// Source: sonic-port-qos-map.yang, saiport.h.
func derivePortMaps(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	if v.QoS == nil {
		return
	}
	var attrs []graph.Attr
	for i, name := range v.QoS.Maps {
		if name != "" {
			attrs = append(attrs, graph.RefTo(kinds[i].port, mapKey(configdb.MapKind(i), name)))
		}
	}
	if len(attrs) > 0 {
		b.Add(v.QoS.ID, v.Facet(graph.QoSMaps), attrs...)
	}
}
