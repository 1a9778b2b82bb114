// Package pfcorch derives what each port pauses and obeys: priorities, from
// PORT_QOS_MAP, PORT and XON_PFC, or all of it at once (802.3x), from XON_PORT.
//
// What is not for here: the buffers that pausing needs (bufferorch), and the
// watchdog that pfcwd_sw_enable asks for.
package pfcorch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Feature is what the agent needs of the package.
// To know that 802.3x is not in force is enough: PFC may be then.
var Feature = intent.Feature{
	Shared:   deriveShared,
	Reads:    []string{"PORT", "PORT_QOS_MAP", "XON_PORT", "DEVICE_METADATA"},
	Port:     derivePort,
	Fields:   fields,
	Competes: []string{"XON_PORT"},
}

// fields maps the attributes set here to fields of PORT_QOS_MAP, PORT and XON_PORT.
var fields = []graph.Field{
	graph.FieldOf(sai.PortAttrPriorityFlowControl, "pfc_enable"),
	graph.FieldOf(sai.PortAttrPriorityFlowControlTx, "pfc_enable"),
	graph.FieldOf(sai.PortAttrPriorityFlowControlMode, "pfc_asym"),
	graph.FieldOf(sai.PortAttrPriorityFlowControlRx, "pfc_asym"),
	graph.FieldOf(sai.PortAttrGlobalFlowControlMode, "flow_control"),
}

// allPriorities is what an asymmetric port obeys: pauses of any priority.
const allPriorities = 0xff

// modes are SAI's by the words of flow_control.
var modes = map[string]sai.PortFlowControlMode{
	configdb.FlowControlRx:   sai.PortFlowControlModeRxOnly,
	configdb.FlowControlTx:   sai.PortFlowControlModeTxOnly,
	configdb.FlowControlBoth: sai.PortFlowControlModeBothEnable,
}

// deriveShared refuses what the chip can't do, and PFC and 802.3x on one port: of those the
// row stays that is in force, or else PFC.
func deriveShared(s *intent.Snapshot, b *graph.Builder) {
	warnUnwatched(s, b)
	for _, row := range s.Rows.Ports {
		if row.PFCAsym && !s.Device.AsymmetricPFC {
			b.Refuse(row.ID, "pfc_asym", errors.New("the chip can't pause one direction apart from the other"))
		}
	}
	var paused []*configdb.XonPort
	for _, row := range s.Rows.XonPorts {
		switch {
		case !row.Pauses():
		case !s.Device.FlowControl:
			b.Refuse(row.ID, "flow_control", errors.New("the chip can't pause a port as a whole (SAI_PORT_ATTR_GLOBAL_FLOW_CONTROL_MODE)"))
		default:
			paused = append(paused, row)
		}
	}
	if len(paused) > 0 {
		settle(s, b, paused)
	}
}

// errUnwatched says what asks for a watchdog in vain.
var errUnwatched = errors.New("it has no effect: no PFC watchdog runs yet, so that storms are not found")

// warnUnwatched warns of rows that ask for the PFC watchdog.
func warnUnwatched(s *intent.Snapshot, b *graph.Builder) {
	for _, row := range s.Rows.PortQoSMaps {
		if row.PFCWD != 0 {
			b.Warn(row.ID, "pfcwd_sw_enable", errUnwatched)
		}
	}
	for _, row := range s.Rows.DeviceMetadata {
		if row.DefaultPFCWDStatus == "enable" {
			b.Warn(row.ID, "default_pfcwd_status", errUnwatched)
		}
	}
}

// settle refuses one side where PFC and 802.3x meet. paused are the rows that ask for
// 802.3x. That PFC is off on all ports makes no difference: rows that can't be together
// would be found out only when it comes back.
func settle(s *intent.Snapshot, b *graph.Builder, paused []*configdb.XonPort) {
	byPriority := map[string][]*configdb.PortQoSMap{}
	for _, row := range s.Rows.PortQoSMaps {
		for _, port := range row.Ports {
			if row.PFC != 0 {
				byPriority[port] = append(byPriority[port], row)
			}
		}
	}
	for _, row := range paused {
		maps, port := byPriority[row.Name], s.Rows.Ports[row.Name]
		asym := port != nil && port.PFCAsym
		if inForce(s, row.Name) {
			err := fmt.Errorf("%s pauses %s as a whole (flow_control=%s), which excludes PFC: set flow_control to off first, or both in one transaction", row.ID, row.Name, row.FlowControl)
			for _, m := range maps {
				b.Refuse(m.ID, "pfc_enable", err)
			}
			if asym {
				b.Refuse(port.ID, "pfc_asym", err)
			}
			continue
		}
		slices.SortFunc(maps, func(x, y *configdb.PortQoSMap) int { return cmp.Compare(x.ID, y.ID) })
		switch {
		case len(maps) > 0:
			b.Refuse(row.ID, "flow_control", excludes(maps[0].ID, "pfc_enable"))
		case asym:
			b.Refuse(row.ID, "flow_control", excludes(port.ID, "pfc_asym"))
		}
	}
}

func excludes(row configdb.RowKey, field string) error {
	return fmt.Errorf("%s has PFC (%s), which excludes pausing the port as a whole: take %s away first, or both in one transaction", row, field, field)
}

// inForce reports whether 802.3x is in force on a port that is.
func inForce(s *intent.Snapshot, port string) bool {
	return s.Accepted != nil && s.Accepted.XonPorts[port].Pauses() && s.Accepted.Ports[port] != nil
}

// derivePort derives the pause facet of one port.
//
// PFC without headroom is not lossless: a pause is sent too late to save the frames
// in flight. SONiC applies such a row all the same, and so does this, with a
// warning; a plan never passes through that state on its way to another.
//
// While a storm lasts on a queue, pauses of that priority are neither obeyed nor
// sent: what is stuck behind them moves on. Queue n sends priority n, as SONiC's
// watchdog takes it, whatever map is there. Nor is a priority paused for whose headroom the
// chip has no room, until it has.
//
// Source: sonic-port-qos-map.yang, sonic-port.yang (pfc_asym), 802.1Qbb, saiport.h;
// IEEE 802.3 annex 31B.
func derivePort(d *intent.Device, v *intent.PortView, b *graph.Builder) {
	var mask uint8
	if v.QoS != nil {
		mask = v.QoS.PFC
	}
	attrs, off := flowControl(d, v), v.Stormed|v.NoRoom()
	switch {
	case v.Xon.Pauses(): // then no row asks for PFC
		attrs = append(attrs, combined(v, 0)...)
	case v.PFCOff:
		if mask != 0 {
			b.Warn(v.QoS.ID, "pfc_enable", fmt.Errorf("no priority is paused on %s: %s turns PFC off", v.Name, configdb.XonPFCKey))
		}
		attrs = append(attrs, combined(v, 0)...)
	case v.Row.PFCAsym:
		warn(v, mask, b)
		attrs = append(
			attrs, graph.Of(sai.PortAttrPriorityFlowControlMode.Is(sai.PortPriorityFlowControlModeSeparate)),
			graph.Of(sai.PortAttrPriorityFlowControlTx.Is(mask&^off)),
			graph.Of(sai.PortAttrPriorityFlowControlRx.Is(allPriorities&^v.Stormed)),
		)
	default:
		warn(v, mask, b)
		attrs = append(attrs, combined(v, mask&^off)...)
	}
	if len(attrs) > 0 {
		b.AddFrom(rows(v), v.Facet(graph.PFC), attrs...)
	}
}

// rows are those that the pause facet comes from: a row that only says what is so anyhow
// counts if there is no other.
func rows(v *intent.PortView) (rows []configdb.RowKey) {
	if v.QoS != nil {
		rows = append(rows, v.QoS.ID)
	}
	if v.Row.PFCAsym {
		rows = append(rows, v.Row.ID)
	}
	if v.Xon.Pauses() {
		rows = append(rows, v.Xon.ID)
	}
	switch {
	case len(rows) > 0:
	case v.Row.HasPFCAsym:
		rows = append(rows, v.Row.ID)
	default:
		rows = append(rows, v.Xon.ID)
	}
	return rows
}

// combined are the attributes of a port that obeys and sends pauses of the same priorities,
// as far as rows have fields for them.
func combined(v *intent.PortView, mask uint8) (attrs []graph.Attr) {
	attrs = graph.AppendIf(attrs, v.Row.HasPFCAsym, sai.PortAttrPriorityFlowControlMode.Is(sai.PortPriorityFlowControlModeCombined))
	return graph.AppendIf(attrs, v.QoS != nil && v.QoS.HasPFC, sai.PortAttrPriorityFlowControl.Is(mask))
}

// flowControl is the attribute of pausing the port as a whole, if a row is about that and
// the chip has it.
func flowControl(d *intent.Device, v *intent.PortView) (attrs []graph.Attr) {
	if v.Xon != nil && d.FlowControl {
		attrs = append(attrs, graph.Of(sai.PortAttrGlobalFlowControlMode.Is(modes[v.Xon.FlowControl])))
	}
	return attrs
}

// warn tells of priorities that are lossless by a row, mask, and not in fact.
func warn(v *intent.PortView, mask uint8, b *graph.Builder) {
	warnShort(v, mask, b)
	mask &^= shortOf(v, mask)
	for p := range 8 {
		switch {
		case mask>>p&1 == 0:
		case v.Stormed>>p&1 != 0:
			b.Warn(v.QoS.ID, "pfc_enable", fmt.Errorf("priority %d is not paused on %s while a PFC storm lasts", p, v.Name))
		case v.Headroom>>p&1 == 0:
			b.Warn(v.QoS.ID, "pfc_enable", &graph.Loss{Err: fmt.Errorf("priority %d has no headroom on %s", p, v.Name)})
		}
	}
}

// Calm returns a pause facet without the priorities of some queues; nil if nothing
// is left of it. It is for a port whose rows are gone while the chip still pauses.
func Calm(n *graph.Node, stormed uint8) *graph.Node {
	for _, mask := range []sai.Attr[sai.Port, uint8]{
		sai.PortAttrPriorityFlowControl, sai.PortAttrPriorityFlowControlTx, sai.PortAttrPriorityFlowControlRx,
	} {
		if paused := graph.Num(n, mask); paused&stormed != 0 {
			n = n.With(graph.Of(mask.Is(paused &^ stormed)))
		}
	}
	if len(n.Attrs) == 0 {
		return nil
	}
	return n
}
