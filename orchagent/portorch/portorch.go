// Package portorch derives from PORT which ports there are, their link settings, and
// whether they are up.
//
// What is not for here: which port of the chip a row means or needs (inventory), and a
// port's host interface, QoS and buffers, which have orchestrators of their own.
package portorch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Feature is what the agent needs of the package.
var Feature = intent.Feature{
	Shared:   deriveShared,
	Reads:    []string{"PORT"},
	Port:     derivePort,
	Fields:   fields,
	Competes: []string{"PORT"},
}

// fields maps the attributes set here to fields of PORT.
var fields = []graph.Field{
	graph.FieldOf(sai.PortAttrHwLaneList, "lanes"),
	graph.FieldOf(sai.PortAttrAdminState, "admin_status"),
	graph.FieldOf(sai.PortAttrSpeed, "speed"),
	graph.FieldOf(sai.PortAttrMTU, "mtu"),
	graph.FieldOf(sai.PortAttrFECMode, "fec"),
	graph.FieldOf(sai.PortAttrAutoNegMode, "autoneg"),
	graph.FieldOf(sai.PortAttrTPID, "tpid"),

	graph.FieldOf(sai.PortAttrLinkTrainingEnable, "link_training"),
	graph.FieldOf(sai.PortAttrAutoNegFECModeOverride, "fec"),
	graph.FieldOf(sai.PortAttrAdvertisedSpeed, "adv_speeds"),
	graph.FieldOf(sai.PortAttrInterfaceType, "interface_type"),
	graph.FieldOf(sai.PortAttrAdvertisedInterfaceType, "adv_interface_types"),
}

// maxName is the longest name of a port, as it is that of a network device too:
// SAI_HOSTIF_NAME_SIZE and Linux both have 16 bytes for it, with a terminator.
const maxName = 15

// Problem is why a row can't have its lanes.
type Problem struct {
	Field string // "" if it is the row's key
	Err   error
}

// Claims are the rows that have ports, by name, and the others with what is wrong with
// them.
type Claims struct {
	Ports    map[string]*configdb.Port
	Problems map[string]Problem
	// Shared says of a row of Ports which lane it has in common with another, and which.
	Shared map[string]Sharing
}

// Sharing is a lane of a port that another port has, too.
type Sharing struct {
	Lane uint32
	With string
}

// claim finds out who has which lane. owners are those who have one so far.
type claim struct {
	Claims
	owners map[uint32]string
	there  func(lanes []uint32) bool
	common bool // some lane has two owners
}

// Claim shares out the lanes. Of two rows that name the same lane, the one in force has
// it, or else the first by name. But both have it if the chip has a port for either
// (there), with just its lanes: some vendors' files name lanes twice, of ports of which
// one is used at a time.
func Claim(s *intent.Snapshot, there func(lanes []uint32) bool) Claims {
	n := len(s.Rows.Ports)
	c := claim{
		Claims: Claims{Ports: make(map[string]*configdb.Port, n), Problems: map[string]Problem{}, Shared: map[string]Sharing{}},
		owners: make(map[uint32]string, 4*n), there: there,
	}
	for _, name := range inTurn(s) {
		if len(name) > maxName {
			err := fmt.Errorf("the name has %d characters: a host interface takes at most %d", len(name), maxName)
			c.Problems[name] = Problem{Err: err}
			continue
		}
		c.take(name, s.Rows.Ports[name])
	}
	c.share()
	return c.Claims
}

// take gives a row its lanes, or says who has one.
func (c *claim) take(name string, row *configdb.Port) {
	for _, l := range row.Lanes {
		if owner, taken := c.owners[l]; taken && !c.both(row, c.Ports[owner]) {
			c.Problems[name] = Problem{"lanes", fmt.Errorf("lane %d belongs to PORT|%s", l, owner)}
			return
		}
	}
	c.Ports[name] = row
	for _, l := range row.Lanes {
		if _, taken := c.owners[l]; taken {
			c.common = true
		} else {
			c.owners[l] = name
		}
	}
}

// both reports whether the chip has a port for each of two rows.
func (c *claim) both(a, b *configdb.Port) bool {
	return !sameLanes(a.Lanes, b.Lanes) && c.there(a.Lanes) && c.there(b.Lanes)
}

// share finds out who shares a lane, and with whom: the first by name.
func (c *claim) share() {
	if !c.common {
		return
	}
	have := map[uint32][]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Ports)) {
		for _, l := range c.Ports[name].Lanes {
			have[l] = append(have[l], name)
		}
	}
	for name, row := range c.Ports {
		for _, l := range row.Lanes {
			i := slices.IndexFunc(have[l], func(other string) bool { return other != name })
			if i < 0 {
				continue
			}
			if was, ok := c.Shared[name]; !ok || have[l][i] < was.With {
				c.Shared[name] = Sharing{l, have[l][i]}
			}
		}
	}
}

func sameLanes(a, b []uint32) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
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

// deriveShared keeps the ports that are there and wanted, and refuses rows that can't have
// their lanes. A port stays whatever becomes of its row otherwise.
func deriveShared(s *intent.Snapshot, b *graph.Builder) {
	c := Claim(s, s.Device.Has)
	for name, p := range c.Problems {
		b.Refuse(s.Rows.Ports[name].ID, p.Field, p.Err)
	}
	for name, with := range c.Shared {
		b.Warn(s.Rows.Ports[name].ID, "lanes", fmt.Errorf("lane %d is also of PORT|%s: one of the two can be used", with.Lane, with.With))
	}
	for name, row := range c.Ports {
		switch p := s.Device.ByName[name]; {
		case p == nil:
			b.Refuse(row.ID, "lanes", fmt.Errorf("no port has lanes %s, and the chip takes %d ports at most", numbers(row.Lanes), s.Device.MaxPorts))
		case p.Planned && row.Speed == 0:
			b.Refuse(row.ID, "speed", fmt.Errorf("no port has lanes %s: to make one its speed has to be given", numbers(row.Lanes)))
		case !p.Planned:
			b.AddFrom(nil, p.Object, whole(p))
		}
	}
}

// whole is what a port is made of.
func whole(p *intent.Port) graph.Attr {
	return graph.Of(sai.PortAttrHwLaneList.Is(p.Lanes))
}

// numbers lists numbers with commas.
func numbers(list []uint32) string {
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

// derivePort derives the settings of one port. Absent fields leave the chip's default.
//
// Source: sonic-port.yang, saiport.h.
func derivePort(d *intent.Device, v *intent.PortView, b *graph.Builder) {
	row := v.Row.ID
	if v.Planned {
		b.Add(row, v.Object, whole(v.Port))
	}
	l := link{able: d.Link, row: v.Row, runs: v.Speeds, b: b}
	l.set(sai.PortAttrMTU.Is(v.Row.MTU + overhead))
	if v.Row.Speed != 0 {
		l.set(sai.PortAttrSpeed.Is(v.Row.Speed))
	}
	if v.Row.Autoneg != "" {
		l.set(sai.PortAttrAutoNegMode.Is(v.Row.Autoneg == "on"))
	}
	if v.Row.TPID != 0 && l.can(l.able.TPID, "tpid", sai.NameOf(sai.PortAttrTPID)) {
		l.set(sai.PortAttrTPID.Is(v.Row.TPID))
	}
	l.fec()
	l.advertise()
	b.Add(row, v.Facet(graph.Link), l.attrs...)
	if v.Row.HasAdmin {
		b.Add(row, v.Facet(graph.Admin), graph.Of(sai.PortAttrAdminState.Is(v.Row.AdminUp)))
	}
}
