// Package portorch derives the link settings of ports, and whether they are up,
// from PORT.
//
// What is not for here: which port of the chip a row means (inventory), and a
// port's host interface, QoS and buffers, which have orchestrators of their own.
package portorch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Fields maps the attributes set here to fields of PORT.
var Fields = map[*sai.AttrMeta]string{
	sai.PortAttrAdminState.AttrMeta:  "admin_status",
	sai.PortAttrSpeed.AttrMeta:       "speed",
	sai.PortAttrMTU.AttrMeta:         "mtu",
	sai.PortAttrFECMode.AttrMeta:     "fec",
	sai.PortAttrAutoNegMode.AttrMeta: "autoneg",
}

// Claims returns the rows that have their lanes to themselves, by name, and those
// whose lanes another row has, with the problem. Of two rows that name the same
// lane, the one in force has it, or else the first by name.
func Claims(s *intent.Snapshot) (ports map[string]*configdb.Port, problems map[string]error) {
	ports, problems = make(map[string]*configdb.Port, len(s.Rows.Ports)), map[string]error{}
	owner := make(map[uint32]string, 4*len(s.Rows.Ports))
	for _, name := range inTurn(s) {
		row := s.Rows.Ports[name]
		i := slices.IndexFunc(row.Lanes, func(l uint32) bool { _, taken := owner[l]; return taken })
		if i >= 0 {
			problems[name] = fmt.Errorf("lane %d belongs to PORT|%s", row.Lanes[i], owner[row.Lanes[i]])
			continue
		}
		for _, l := range row.Lanes {
			owner[l] = name
		}
		ports[name] = row
	}
	return ports, problems
}

// inTurn returns the rows' names, those in force first.
func inTurn(s *intent.Snapshot) []string {
	names, changed := make([]string, 0, len(s.Rows.Ports)), []string(nil)
	for name, row := range s.Rows.Ports {
		if s.Accepted != nil && s.Accepted.Ports[name] == row {
			names = append(names, name)
		} else {
			changed = append(changed, name)
		}
	}
	slices.Sort(names)
	slices.Sort(changed)
	return append(names, changed...)
}

// Shared refuses rows whose lanes another row has. Rows that match no port of the
// chip wait: a chip may be split into other ports.
func Shared(s *intent.Snapshot, b *graph.Builder) {
	ports, problems := Claims(s)
	for name, err := range problems {
		b.Refuse(string(s.Rows.Ports[name].ID), "lanes", err)
	}
	for name, row := range ports {
		if s.Device.ByName[name] == nil {
			on := "a port with lanes " + lanes(row.Lanes)
			b.Wait(string(row.ID), "lanes", on, fmt.Errorf("the chip has no port with lanes %s", lanes(row.Lanes)))
		}
	}
}

func lanes(list []uint32) string {
	text := make([]string, len(list))
	for i, l := range list {
		text[i] = strconv.FormatUint(uint64(l), 10)
	}
	return strings.Join(text, ",")
}

// overhead is what SAI counts in SAI_PORT_ATTR_MTU on top of the MTU of a row:
// Ethernet header, VLAN tag and checksum.
const overhead = 14 + 4 + 4

// fecModes are SAI's modes by their name in rows. With "auto" the mode is left to
// autonegotiation.
var fecModes = map[string]sai.PortFECMode{
	"none": sai.PortFECModeNone,
	"rs":   sai.PortFECModeRs,
	"fc":   sai.PortFECModeFc,
}

// Port derives the settings of one port. Absent fields leave the chip's default.
//
// Source: sonic-port.yang, saiport.h.
func Port(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	row := string(v.Row.ID)
	attrs := []graph.Attr{{AttrMeta: sai.PortAttrMTU.AttrMeta, Value: graph.Uint(uint64(v.Row.MTU) + overhead)}}
	if v.Row.Speed != 0 {
		attrs = append(attrs, graph.Attr{AttrMeta: sai.PortAttrSpeed.AttrMeta, Value: graph.Uint(uint64(v.Row.Speed))})
	}
	if mode, ok := fecModes[v.Row.FEC]; ok {
		attrs = append(attrs, graph.Attr{AttrMeta: sai.PortAttrFECMode.AttrMeta, Value: graph.Uint(uint64(mode))})
	}
	if v.Row.Autoneg != "" {
		attrs = append(attrs, graph.Attr{AttrMeta: sai.PortAttrAutoNegMode.AttrMeta, Value: graph.Bool(v.Row.Autoneg == "on")})
	}
	b.Add(row, v.Facet(graph.Link), attrs...)
	if v.Row.AdminUp {
		b.Add(row, v.Facet(graph.Admin), graph.Attr{AttrMeta: sai.PortAttrAdminState.AttrMeta, Value: graph.Bool(true)})
	}
}
