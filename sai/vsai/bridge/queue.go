package bridge

import (
	"math/bits"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// queue reads a queue.
func (r *reader) queue(port, id sai.OID, index int, m *dataplane.Maps) dataplane.Queue {
	return dataplane.Queue{
		Buffer:   r.buffer(sai.OID(r.Num(id, sai.QueueAttrBufferProfileID.AttrMeta)), true),
		Sched:    r.scheduling(r.scheduler(id)),
		WRED:     r.d.wreds[sai.OID(r.Num(id, sai.QueueAttrWredProfileID.AttrMeta))],
		Detector: r.detector(port, id, index, m),
	}
}

// scheduler returns the scheduler of a queue, or of the nearest scheduler group above
// it that has one.
func (r *reader) scheduler(queue sai.OID) sai.OID {
	if s := sai.OID(r.Num(queue, sai.QueueAttrSchedulerProfileID.AttrMeta)); s != 0 {
		return s
	}
	const levels = 8 // more than any chip has
	node := sai.OID(r.Num(queue, sai.QueueAttrParentSchedulerNode.AttrMeta))
	for range levels {
		if s := sai.OID(r.Num(node, sai.SchedulerGroupAttrSchedulerProfileID.AttrMeta)); s != 0 {
			return s
		}
		node = sai.OID(r.Num(node, sai.SchedulerGroupAttrParentNode.AttrMeta))
	}
	return 0
}

// scheduling reads a scheduler; without one the weight is 1. Round robin by packets is
// treated as by bytes.
func (r *reader) scheduling(id sai.OID) dataplane.Scheduling {
	if id == 0 {
		return dataplane.Scheduling{Weight: 1}
	}
	s := dataplane.Scheduling{
		Strict:  sai.SchedulingType(r.Num(id, sai.SchedulerAttrSchedulingType.AttrMeta)) == sai.SchedulingTypeStrict,
		Weight:  max(int(r.Num(id, sai.SchedulerAttrSchedulingWeight.AttrMeta)), 1),
		MinRate: amount(r.Num(id, sai.SchedulerAttrMinBandwidthRate.AttrMeta)),
		MaxRate: amount(r.Num(id, sai.SchedulerAttrMaxBandwidthRate.AttrMeta)),
		Burst:   amount(r.Num(id, sai.SchedulerAttrMaxBandwidthBurstRate.AttrMeta)),
		Packets: sai.MeterType(r.Num(id, sai.SchedulerAttrMeterType.AttrMeta)) == sai.MeterTypePackets,
	}
	if s.MaxRate == 0 {
		s.Burst = amount(r.Num(id, sai.SchedulerAttrMinBandwidthBurstRate.AttrMeta))
	}
	return s
}

// amount limits a number of bytes, or bytes per second, to a range in which arithmetic
// cannot overflow.
func amount(n uint64) int64 { return int64(min(n, 1<<50)) }

// Default times of the deadlock detector: those of SONiC's PFC watchdog.
const (
	detection = 200 * dataplane.Millisecond
	recovery  = 200 * dataplane.Millisecond
)

// detector reads the deadlock detector of a queue.
func (r *reader) detector(port, queue sai.OID, index int, m *dataplane.Maps) dataplane.Detector {
	if r.Num(queue, sai.QueueAttrEnablePFCDldr.AttrMeta) == 0 {
		return dataplane.Detector{}
	}
	class := classOf(index, m)
	return dataplane.Detector{
		On:      true,
		Detect:  r.interval(port, class, sai.PortAttrPFCTCDldInterval.AttrMeta, sai.SwitchAttrPFCTCDldInterval.AttrMeta, detection),
		Recover: r.interval(port, class, sai.PortAttrPFCTCDlrInterval.AttrMeta, sai.SwitchAttrPFCTCDlrInterval.AttrMeta, recovery),
		Drop:    r.drops(queue),
	}
}

// drops reports whether a recovering queue drops packets instead of sending them.
func (r *reader) drops(queue sai.OID) bool {
	action := r.Num(r.sw, sai.SwitchAttrPFCDlrPacketAction.AttrMeta)
	if v, ok := r.Value(queue, sai.QueueAttrPFCDlrPacketAction.AttrMeta); ok {
		action = v.Num
	}
	return sai.PacketAction(action) == sai.PacketActionDrop
}

// classOf returns the class whose pauses stop a queue.
func classOf(queue int, m *dataplane.Maps) uint32 {
	for c, queues := range m.ClassToQueue {
		if queues&(1<<queue) != 0 {
			return uint32(c)
		}
	}
	return uint32(bits.Len8(dataplane.Classes - 1)) // no class stops it
}

// interval reads a time in milliseconds by class, from the port or the switch.
func (r *reader) interval(port sai.OID, class uint32, ofPort, ofSwitch *sai.AttrMeta, other dataplane.Time) dataplane.Time {
	for _, at := range []struct {
		id sai.OID
		a  *sai.AttrMeta
	}{{port, ofPort}, {r.sw, ofSwitch}} {
		v, _ := r.Value(at.id, at.a)
		list, _ := v.Ref.([]sai.Map)
		for _, e := range list {
			if e.Key == class && e.Value > 0 {
				return dataplane.Time(e.Value) * dataplane.Millisecond
			}
		}
	}
	return other
}
