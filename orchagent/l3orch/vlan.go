package l3orch

import (
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// port is a port that is routed, or in VLANs.
type port struct {
	*intent.Port
	routed   *configdb.Interface
	members  []*configdb.VLANMember
	untagged *configdb.VLANMember
}

func vlanKey(name string) graph.Key { return graph.Key{Type: sai.ObjectTypeVLAN, Name: name} }

func (d *derivation) addVLAN(row *configdb.VLAN) {
	d.vlans[row.Name] = true
	d.Add(row.ID, vlanKey(row.Name), graph.Of(sai.VLANAttrVLANID.Is(row.Number)))
}

// settlePorts finds out which ports are routed and which are in VLANs, rows in force
// first. Router interfaces are made on the way.
func (d *derivation) settlePorts() {
	var rows []configdb.Row
	for _, tables := range []map[string]*configdb.Interface{d.Rows.Interfaces, d.Rows.VLANInterfaces} {
		for _, row := range ordered(d, tables) {
			if !row.Prefix.IsValid() {
				rows = append(rows, row)
			}
		}
	}
	for _, row := range ordered(d, d.Rows.VLANMembers) {
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b configdb.Row) int { return d.turn(a) - d.turn(b) })
	for _, row := range rows {
		switch r := row.(type) {
		case *configdb.Interface:
			d.addInterface(r)
		case *configdb.VLANMember:
			d.settleMember(r)
		}
	}
}

// port returns a port that a row names, or has the row wait for it.
func (d *derivation) port(row configdb.RowKey, name string) *port {
	on := configdb.Key("PORT", name)
	if strings.HasPrefix(name, "PortChannel") {
		d.Wait(row, "", configdb.Key("PORTCHANNEL", name), fmt.Errorf("port channels are not supported: %s is ignored", name))
		return nil
	}
	p := d.Device.ByName[name]
	if p == nil || !p.Configured || d.Rows.Ports[name] == nil {
		d.waitFor(row, on)
		return nil
	}
	if d.ports[name] == nil {
		d.ports[name] = &port{Port: p}
	}
	return d.ports[name]
}

// settleMember puts a port into a VLAN if nothing is in the way.
func (d *derivation) settleMember(row *configdb.VLANMember) {
	if !d.vlans[row.VLAN] {
		d.waitFor(row.ID, configdb.Key("VLAN", row.VLAN))
		return
	}
	p := d.port(row.ID, row.Port)
	switch {
	case p == nil:
	case p.routed != nil:
		d.Refuse(row.ID, "", fmt.Errorf("%s is a router interface: remove %s first", row.Port, p.routed.ID))
	case row.Tagging == configdb.Untagged && p.untagged != nil:
		d.Refuse(row.ID, "tagging_mode", fmt.Errorf("%s is untagged in one VLAN only, and is so in %s", row.Port, p.untagged.VLAN))
	default:
		p.members = append(p.members, row)
		if row.Tagging == configdb.Untagged {
			p.untagged = row
		}
	}
}

// tagging are the modes by their words.
var tagging = map[string]sai.VLANTaggingMode{
	configdb.Untagged: sai.VLANTaggingModeUntagged, configdb.Tagged: sai.VLANTaggingModeTagged,
	configdb.PriorityTagged: sai.VLANTaggingModePriorityTagged,
}

// addMembers makes a bridge port of every port that is in a VLAN, and its members.
func (d *derivation) addMembers() {
	for _, p := range d.Device.Ports {
		if in := d.ports[p.Name]; in != nil && len(in.members) > 0 {
			d.addBridged(in)
		}
	}
}

func (d *derivation) addBridged(p *port) {
	bridge := graph.Key{Type: sai.ObjectTypeBridgePort, Name: p.Name}
	rows := make([]configdb.RowKey, len(p.members))
	for i, m := range p.members {
		rows[i] = m.ID
		d.Add(rows[i], graph.Key{Type: sai.ObjectTypeVLANMember, Name: m.VLAN + "|" + p.Name},
			graph.RefTo(sai.VLANMemberAttrVLANID, vlanKey(m.VLAN)), graph.RefTo(sai.VLANMemberAttrBridgePortID, bridge),
			graph.Of(sai.VLANMemberAttrVLANTaggingMode.Is(tagging[m.Tagging])))
	}
	slices.Sort(rows)
	d.AddFrom(rows, bridge, graph.Of(sai.BridgePortAttrType.Is(sai.BridgePortTypePort)), graph.RefTo(sai.BridgePortAttrPortID, p.Object),
		graph.Of(sai.BridgePortAttrFDBLearningMode.Is(sai.BridgePortFDBLearningModeHw)), graph.Of(sai.BridgePortAttrAdminState.Is(true)))
	if p.untagged != nil {
		number := sai.PortAttrPortVLANID.Is(d.Rows.VLANs[p.untagged.VLAN].Number)
		d.Add(p.untagged.ID, p.Facet(graph.VLAN), graph.Of(number))
	}
}
