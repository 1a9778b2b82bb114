package bufferorch

import (
	"errors"
	"fmt"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// addTrimming derives how packets are trimmed, or refuses the row whole for what
// the chip can't do.
//
// Source: sonic-trimming.yang, saiswitch.h (SAI_SWITCH_ATTR_PACKET_TRIM_*).
func addTrimming(d *intent.Device, row *configdb.SwitchTrimming, b *graph.Builder) {
	if field, err := trimmable(d, row); err != nil {
		b.Refuse(row.ID, field, err)
		return
	}
	if row.HasTC && !row.DSCP.Elsewhere {
		b.Warn(row.ID, "tc_value", errors.New("it has no effect while dscp_value is not from-tc"))
	}
	var attrs []graph.Attr
	add := func(has bool, s sai.Setting[sai.SwitchObject]) { attrs = graph.AppendIf(attrs, has, s) }
	add(row.HasSize, sai.SwitchAttrPacketTrimSize.Is(row.Size))
	add(row.DSCP.Given, sai.SwitchAttrPacketTrimDSCPResolutionMode.Is(dscpMode(row)))
	add(row.DSCP.Given && !row.DSCP.Elsewhere, sai.SwitchAttrPacketTrimDSCPValue.Is(row.DSCP.Value))
	add(row.DSCP.Elsewhere && row.HasKeptDSCP, sai.SwitchAttrPacketTrimDSCPValue.Is(row.KeptDSCP))
	add(row.DSCP.Elsewhere && row.HasTC, sai.SwitchAttrPacketTrimTCValue.Is(row.TC))
	add(!row.DSCP.Elsewhere && row.HasKeptTC, sai.SwitchAttrPacketTrimTCValue.Is(row.KeptTC))
	add(row.Queue.Given, sai.SwitchAttrPacketTrimQueueResolutionMode.Is(queueMode(row)))
	add(row.Queue.Given && !row.Queue.Elsewhere, sai.SwitchAttrPacketTrimQueueIndex.Is(row.Queue.Value))
	add(row.Queue.Elsewhere && row.HasKeptQueue, sai.SwitchAttrPacketTrimQueueIndex.Is(row.KeptQueue))
	if len(attrs) > 0 {
		k := intent.SwitchKey
		k.Facet = graph.Trim
		b.Add(row.ID, k, attrs...)
	}
}

func dscpMode(row *configdb.SwitchTrimming) sai.PacketTrimDSCPResolutionMode {
	if row.DSCP.Elsewhere {
		return sai.PacketTrimDSCPResolutionModeFromTC
	}
	return sai.PacketTrimDSCPResolutionModeDSCPValue
}

func queueMode(row *configdb.SwitchTrimming) sai.PacketTrimQueueResolutionMode {
	if row.Queue.Elsewhere {
		return sai.PacketTrimQueueResolutionModeDynamic
	}
	return sai.PacketTrimQueueResolutionModeStatic
}

// trimmable finds the field of a row that asks for what the chip does not have.
func trimmable(d *intent.Device, row *configdb.SwitchTrimming) (field string, err error) {
	t := d.Trimming
	switch {
	case !t.Able():
		return "", errors.New("the chip can't trim packets")
	case row.DSCP.Given && !t.DSCPModes.Takes(int32(dscpMode(row))):
		return "dscp_value", without(sai.EnumOf(sai.SwitchAttrPacketTrimDSCPResolutionMode), int32(dscpMode(row)), t.DSCPModes)
	case row.Queue.Given && !t.QueueModes.Takes(int32(queueMode(row))):
		return "queue_index", without(sai.EnumOf(sai.SwitchAttrPacketTrimQueueResolutionMode), int32(queueMode(row)), t.QueueModes)
	case row.HasTC && !t.TC:
		return "tc_value", errors.New("the chip can't take the DSCP of trimmed packets from a traffic class")
	case row.HasTC && d.TrafficClasses > 0 && int(row.TC) >= d.TrafficClasses:
		return "tc_value", fmt.Errorf("traffic class %d: the chip has traffic classes 0 to %d", row.TC, d.TrafficClasses-1)
	case !row.Queue.Elsewhere && d.UnicastQueues > 0 && int(row.Queue.Value) >= d.UnicastQueues:
		return "queue_index", fmt.Errorf("queue %d: the chip's ports have unicast queues 0 to %d", row.Queue.Value, d.UnicastQueues-1)
	}
	return "", nil
}

// without says that a chip lacks one value of an enum, and which it has.
func without(modes *sai.EnumMeta, lacks int32, c intent.Choice) error {
	return fmt.Errorf("the chip does not have the mode %s: it has %s", modes.Text(lacks), c.List(modes, ", "))
}
