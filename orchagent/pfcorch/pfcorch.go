// Package pfcorch derives which priorities each port pauses, from PORT_QOS_MAP and
// PORT.
//
// What is not for here: the buffers that pausing needs (bufferorch), and the
// watchdog that pfcwd_sw_enable asks for.
package pfcorch

import (
	"errors"
	"fmt"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// Fields maps the attributes set here to fields of PORT_QOS_MAP and PORT.
var Fields = map[*sai.AttrMeta]string{
	sai.PortAttrPriorityFlowControl.AttrMeta:     "pfc_enable",
	sai.PortAttrPriorityFlowControlTx.AttrMeta:   "pfc_enable",
	sai.PortAttrPriorityFlowControlMode.AttrMeta: "pfc_asym",
	sai.PortAttrPriorityFlowControlRx.AttrMeta:   "pfc_asym",
}

// allPriorities is what an asymmetric port obeys: pauses of any priority.
const allPriorities = 0xff

// Shared refuses pfc_asym where the chip can't do it.
func Shared(s *intent.Snapshot, b *graph.Builder) {
	for _, row := range s.Rows.Ports {
		if row.PFCAsym && !s.Device.AsymmetricPFC {
			b.Refuse(string(row.ID), "pfc_asym", errors.New("the chip can't pause one direction apart from the other"))
		}
	}
}

// Port derives the pause facet of one port.
//
// PFC without headroom is not lossless: a pause is sent too late to save the frames
// in flight. SONiC applies such a row all the same, and so does this, with a
// warning; a plan never passes through that state on its way to another.
//
// While a storm lasts on a queue, pauses of that priority are neither obeyed nor
// sent: what is stuck behind them moves on. Queue n sends priority n, as SONiC's
// watchdog takes it, whatever map is there.
//
// Source: sonic-port-qos-map.yang, sonic-port.yang (pfc_asym), 802.1Qbb, saiport.h.
func Port(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	var mask uint8
	var rows []string
	if v.QoS != nil {
		mask = v.QoS.PFC
		rows = append(rows, string(v.QoS.ID))
	}
	for p := range 8 {
		switch {
		case mask>>p&1 == 0:
		case v.Stormed>>p&1 != 0:
			b.Warn(rows[0], "pfc_enable", fmt.Errorf("priority %d is not paused on %s while a PFC storm lasts", p, v.Name))
		case v.Headroom>>p&1 == 0:
			b.Warn(rows[0], "pfc_enable", fmt.Errorf("priority %d has no headroom on %s", p, v.Name))
		}
	}
	mask &^= v.Stormed
	switch {
	case v.Row.PFCAsym:
		b.AddFrom(
			append(rows, string(v.Row.ID)), v.Facet(graph.PFC),
			graph.Attr{AttrMeta: sai.PortAttrPriorityFlowControlMode.AttrMeta, Value: graph.Uint(uint64(sai.PortPriorityFlowControlModeSeparate))},
			graph.Attr{AttrMeta: sai.PortAttrPriorityFlowControlTx.AttrMeta, Value: graph.Uint(uint64(mask))},
			graph.Attr{AttrMeta: sai.PortAttrPriorityFlowControlRx.AttrMeta, Value: graph.Uint(uint64(allPriorities &^ v.Stormed))},
		)
	case mask != 0:
		b.AddFrom(rows, v.Facet(graph.PFC), graph.Attr{
			AttrMeta: sai.PortAttrPriorityFlowControl.AttrMeta, Value: graph.Uint(uint64(mask)),
		})
	}
}

// Calm returns a pause facet without the priorities of some queues; nil if nothing
// is left of it. It is for a port whose rows are gone while the chip still pauses.
func Calm(n *graph.Node, stormed uint8) *graph.Node {
	for _, a := range n.Attrs {
		switch a.AttrMeta {
		case sai.PortAttrPriorityFlowControl.AttrMeta, sai.PortAttrPriorityFlowControlTx.AttrMeta, sai.PortAttrPriorityFlowControlRx.AttrMeta:
			n = n.With(graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Uint(a.Value.Num() &^ uint64(stormed))})
		}
	}
	if len(n.Attrs) == 0 {
		return nil
	}
	return n
}
