// Package portorch derives from PORT which ports there are, their link settings, and
// whether they are up.
//
// What is not for here: which port of the chip a row means or needs (inventory), and a
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
	sai.PortAttrHwLaneList.AttrMeta:  "lanes",
	sai.PortAttrAdminState.AttrMeta:  "admin_status",
	sai.PortAttrSpeed.AttrMeta:       "speed",
	sai.PortAttrMTU.AttrMeta:         "mtu",
	sai.PortAttrFECMode.AttrMeta:     "fec",
	sai.PortAttrAutoNegMode.AttrMeta: "autoneg",
	sai.PortAttrTPID.AttrMeta:        "tpid",

	sai.PortAttrLinkTrainingEnable.AttrMeta:      "link_training",
	sai.PortAttrAutoNegFECModeOverride.AttrMeta:  "fec",
	sai.PortAttrAdvertisedSpeed.AttrMeta:         "adv_speeds",
	sai.PortAttrInterfaceType.AttrMeta:           "interface_type",
	sai.PortAttrAdvertisedInterfaceType.AttrMeta: "adv_interface_types",
}

// maxName is the longest name of a port, as it is that of a network device too:
// SAI_HOSTIF_NAME_SIZE and Linux both have 16 bytes for it, with a terminator.
const maxName = 15

// Problem is why a row can't have its lanes.
type Problem struct {
	Field string // "" if it is the row's key
	Err   error
}

// Claims returns the rows that have their lanes to themselves, by name, and the
// others with what is wrong with them. Of two rows that name the same lane, the one in
// force has it, or else the first by name.
func Claims(s *intent.Snapshot) (ports map[string]*configdb.Port, problems map[string]Problem) {
	ports, problems = make(map[string]*configdb.Port, len(s.Rows.Ports)), map[string]Problem{}
	owner := make(map[uint32]string, 4*len(s.Rows.Ports))
	for _, name := range inTurn(s) {
		if len(name) > maxName {
			err := fmt.Errorf("the name has %d characters: a host interface takes at most %d", len(name), maxName)
			problems[name] = Problem{Err: err}
			continue
		}
		row := s.Rows.Ports[name]
		i := slices.IndexFunc(row.Lanes, func(l uint32) bool { _, taken := owner[l]; return taken })
		if i >= 0 {
			problems[name] = Problem{"lanes", fmt.Errorf("lane %d belongs to PORT|%s", row.Lanes[i], owner[row.Lanes[i]])}
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

// Shared keeps the ports that are there and wanted, and refuses rows that can't have
// their lanes. A port stays whatever becomes of its row otherwise.
func Shared(s *intent.Snapshot, b *graph.Builder) {
	ports, problems := Claims(s)
	for name, p := range problems {
		b.Refuse(string(s.Rows.Ports[name].ID), p.Field, p.Err)
	}
	for name, row := range ports {
		switch p := s.Device.ByName[name]; {
		case p == nil:
			b.Refuse(string(row.ID), "lanes", fmt.Errorf("no port has lanes %s, and the chip takes %d ports at most", lanes(row.Lanes), s.Device.MaxPorts))
		case p.Planned && row.Speed == 0:
			b.Refuse(string(row.ID), "speed", fmt.Errorf("no port has lanes %s: to make one its speed has to be given", lanes(row.Lanes)))
		case !p.Planned:
			b.AddFrom(nil, p.Object, whole(p))
		}
	}
}

// whole is what a port is made of.
func whole(p *intent.Port) graph.Attr {
	return graph.Attr{AttrMeta: sai.PortAttrHwLaneList.AttrMeta, Value: graph.Text(sai.PortAttrHwLaneList.AttrMeta.Format(sai.Value{Ref: p.Lanes}))}
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
func Port(d *intent.Device, v *intent.PortView, b *graph.Builder) {
	row := string(v.Row.ID)
	if v.Planned {
		b.Add(row, v.Object, whole(v.Port))
	}
	l := link{able: d.Link, row: v.Row, b: b}
	l.set(sai.PortAttrMTU.AttrMeta, uint64(v.Row.MTU)+overhead)
	if v.Row.Speed != 0 {
		l.set(sai.PortAttrSpeed.AttrMeta, uint64(v.Row.Speed))
	}
	if v.Row.Autoneg != "" {
		l.flag(sai.PortAttrAutoNegMode.AttrMeta, v.Row.Autoneg == "on")
	}
	if v.Row.TPID != 0 && l.can(l.able.TPID, "tpid", sai.PortAttrTPID.AttrMeta) {
		l.set(sai.PortAttrTPID.AttrMeta, uint64(v.Row.TPID))
	}
	l.fec()
	l.advertise()
	b.Add(row, v.Facet(graph.Link), l.attrs...)
	if v.Row.HasAdmin {
		b.Add(row, v.Facet(graph.Admin), graph.Attr{AttrMeta: sai.PortAttrAdminState.AttrMeta, Value: graph.Bool(v.Row.AdminUp)})
	}
}
