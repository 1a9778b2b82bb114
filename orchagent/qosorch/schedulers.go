package qosorch

import (
	"errors"
	"fmt"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Schedulers derives schedulers, and which of them queues and ports use.
var Schedulers = intent.Feature{
	Shared: deriveSchedulers,
	Reads:  []string{"SCHEDULER"},
	Port:   derivePortSchedulers,
	Fields: schedulerFields,
}

// schedulerFields maps the attributes set here to fields of SCHEDULER, QUEUE and
// PORT_QOS_MAP.
var schedulerFields = []graph.Field{
	graph.FieldOf(sai.SchedulerAttrSchedulingType, "type"),
	graph.FieldOf(sai.SchedulerAttrSchedulingWeight, "weight"),
	graph.FieldOf(sai.SchedulerAttrMeterType, "meter_type"),
	graph.FieldOf(sai.SchedulerAttrMinBandwidthRate, "cir"),
	graph.FieldOf(sai.SchedulerAttrMinBandwidthBurstRate, "cbs"),
	graph.FieldOf(sai.SchedulerAttrMaxBandwidthRate, "pir"),
	graph.FieldOf(sai.SchedulerAttrMaxBandwidthBurstRate, "pbs"),
	graph.FieldOf(sai.SchedulerGroupAttrSchedulerProfileID, "scheduler"),
	graph.FieldOf(sai.PortAttrQoSSchedulerProfileID, "scheduler"),
}

// schedulerKey returns the key of a scheduler.
func schedulerKey(name string) graph.Key { return graph.Key{Type: sai.ObjectTypeScheduler, Name: name} }

var schedulingTypes = map[string]sai.SchedulingType{
	configdb.Strict: sai.SchedulingTypeStrict,
	configdb.WRR:    sai.SchedulingTypeWrr,
	configdb.DWRR:   sai.SchedulingTypeDwrr,
}

// deriveSchedulers derives the schedulers.
//
// Source: sonic-scheduler.yang, saischeduler.h. A strict scheduler has no weight.
func deriveSchedulers(s *intent.Snapshot, b *graph.Builder) {
	for _, row := range s.Rows.Schedulers {
		attrs := []graph.Attr{graph.Of(sai.SchedulerAttrSchedulingType.Is(schedulingTypes[row.Type]))}
		add := func(has bool, s sai.Setting[sai.Scheduler]) { attrs = graph.AppendIf(attrs, has, s) }
		if row.Type != configdb.Strict {
			add(row.Weight != 0, sai.SchedulerAttrSchedulingWeight.Is(row.Weight))
		} else if row.Weight != 0 {
			b.Warn(row.ID, "weight", errors.New("a strict scheduler has no weight"))
		}
		add(row.HasMeter, sai.SchedulerAttrMeterType.Is(meterType(row)))
		add(row.HasCIR, sai.SchedulerAttrMinBandwidthRate.Is(row.CIR))
		add(row.HasCBS, sai.SchedulerAttrMinBandwidthBurstRate.Is(row.CBS))
		add(row.HasPIR, sai.SchedulerAttrMaxBandwidthRate.Is(row.PIR))
		add(row.HasPBS, sai.SchedulerAttrMaxBandwidthBurstRate.Is(row.PBS))
		b.Add(row.ID, schedulerKey(row.Name), attrs...)
	}
}

func meterType(row *configdb.Scheduler) sai.MeterType {
	if row.Packets {
		return sai.MeterTypePackets
	}
	return sai.MeterTypeBytes
}

// derivePortSchedulers derives the schedulers of a port's queues and of the port itself.
//
// SAI schedules groups, not queues: a queue's scheduler goes to the group that
// serves it. Where queues of one group have different schedulers, as a unicast and
// its multicast queue may, the queue with the lowest index decides.
//
// Source: sonic-queue.yang, sonic-port-qos-map.yang, saischedulergroup.h.
func derivePortSchedulers(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	if v.QoS != nil && v.QoS.Scheduler != "" {
		b.Add(v.QoS.ID, v.Facet(graph.Scheduler), graph.RefTo(sai.PortAttrQoSSchedulerProfileID, schedulerKey(v.QoS.Scheduler)))
	}
	for i, row := range v.Schedulers {
		if row != nil {
			addGroup(v, i, row, b)
		}
	}
}

func addGroup(v *intent.PortView, queue int, row *configdb.Queue, b *graph.Builder) {
	group := v.Queues[queue].Group
	if group.Name == "" {
		b.Warn(row.ID, "scheduler", fmt.Errorf("queue %d of %s has no scheduler group on this chip", queue, v.Name))
		return
	}
	for i, first := range v.Schedulers[:queue] {
		if first == nil || v.Queues[i].Group != group {
			continue
		}
		if first.Scheduler != row.Scheduler {
			b.Warn(row.ID, "scheduler", fmt.Errorf("queue %d of %s is served together with queue %d, which %s gives scheduler %s",
				queue, v.Name, i, first.ID, first.Scheduler))
		}
		return
	}
	b.Add(row.ID, group, graph.RefTo(sai.SchedulerGroupAttrSchedulerProfileID, schedulerKey(row.Scheduler)))
}
