// Package bufferorch derives buffer pools, buffer profiles and their use by
// priority groups, queues and ports from BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG,
// BUFFER_QUEUE and the port profile lists, and how packets that find no room are
// trimmed, from SWITCH_TRIMMING. Rows are taken as they are written.
//
// What is not for here: the arithmetic of headroom and pool sizes (bufmgr), which is
// done by then. Rows that still leave it to the dynamic model wait for that model.
package bufferorch

import (
	"errors"
	"fmt"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// Feature is what the agent needs of the package.
var Feature = intent.Feature{
	Shared: deriveShared,
	Reads: []string{
		"BUFFER_POOL", "BUFFER_PROFILE", "CABLE_LENGTH", "DEVICE_METADATA", "SWITCH_TRIMMING", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN",
	},
	Scarce:   true,
	Port:     derivePort,
	Fields:   fields,
	Competes: []string{"BUFFER_POOL", "BUFFER_PG"},
	Measured: []string{"BUFFER_POOL", "SWITCH_TRIMMING"},
}

// fields maps the attributes set here to fields of the buffer tables.
var fields = []graph.Field{
	graph.FieldOf(sai.BufferPoolAttrType, "type"),
	graph.FieldOf(sai.BufferPoolAttrSize, "size"),
	graph.FieldOf(sai.BufferPoolAttrThresholdMode, "mode"),
	graph.FieldOf(sai.BufferPoolAttrXoffSize, "xoff"),

	graph.FieldOf(sai.BufferProfileAttrPoolID, "pool"),
	graph.FieldOf(sai.BufferProfileAttrReservedBufferSize, "size"),
	graph.FieldOf(sai.BufferProfileAttrSharedDynamicTH, "dynamic_th"),
	graph.FieldOf(sai.BufferProfileAttrSharedStaticTH, "static_th"),
	graph.FieldOf(sai.BufferProfileAttrXonTH, "xon"),
	graph.FieldOf(sai.BufferProfileAttrXonOffsetTH, "xon_offset"),
	graph.FieldOf(sai.BufferProfileAttrXoffTH, "xoff"),
	graph.FieldOf(sai.BufferProfileAttrPacketAdmissionFailAction, "packet_discard_action"),

	graph.FieldOf(sai.SwitchAttrPacketTrimSize, "size"),
	graph.FieldOf(sai.SwitchAttrPacketTrimDSCPResolutionMode, "dscp_value"),
	graph.FieldOf(sai.SwitchAttrPacketTrimDSCPValue, "dscp_value"),
	graph.FieldOf(sai.SwitchAttrPacketTrimTCValue, "tc_value"),
	graph.FieldOf(sai.SwitchAttrPacketTrimQueueResolutionMode, "queue_index"),
	graph.FieldOf(sai.SwitchAttrPacketTrimQueueIndex, "queue_index"),

	graph.FieldOf(sai.IngressPriorityGroupAttrBufferProfile, "profile"),
	graph.FieldOf(sai.QueueAttrBufferProfileID, "profile"),
	graph.FieldOf(sai.PortAttrQoSIngressBufferProfileList, "profile_list"),
	graph.FieldOf(sai.PortAttrQoSEgressBufferProfileList, "profile_list"),
}

// PoolKey returns the key of a pool.
func PoolKey(name string) graph.Key { return graph.Key{Type: sai.ObjectTypeBufferPool, Name: name} }

// ProfileKey returns the key of a profile.
func ProfileKey(name string) graph.Key {
	return graph.Key{Type: sai.ObjectTypeBufferProfile, Name: name}
}

// deriveShared derives the pools and profiles.
func deriveShared(s *intent.Snapshot, b *graph.Builder) {
	u := memoryOf(s)
	if u != nil {
		u.metadata(s.Rows.DeviceMetadata["localhost"], b)
	}
	addPools(s, u, b)
	for _, row := range s.Rows.BufferProfiles {
		addProfile(s, row, b)
	}
	for _, row := range s.Rows.SwitchTrimmings {
		addTrimming(s.Device, row, b)
	}
	addRests(s, b)
}

// addProfile derives one profile, after the pools. The kind of threshold is the profile's own: it
// may differ from its pool's mode, and chips take that.
//
// Source: sonic-buffer-profile.yang, saibuffer.h.
func addProfile(s *intent.Snapshot, row *configdb.BufferProfile, b *graph.Builder) {
	id := row.ID
	switch {
	case s.Rows.BufferPools[row.Pool] == nil:
		on := configdb.Key("BUFFER_POOL", row.Pool)
		b.Wait(id, "pool", on, fmt.Errorf("%s does not exist", on))
		return
	case !b.Has(PoolKey(row.Pool)):
		on := configdb.Key("BUFFER_POOL", row.Pool)
		b.Wait(id, "pool", on, fmt.Errorf("%s is not in force", on))
		return
	case row.HeadroomType == configdb.Dynamic:
		b.Lack(id, "headroom_type", intent.DynamicModel, intent.ErrTraditional)
		return
	case row.Mode == "":
		b.Refuse(id, "", errors.New("neither dynamic_th nor static_th is there"))
		return
	}
	if field, err := tooLarge(row, s.Device.MMUBytes); err != nil {
		b.Refuse(id, field, err)
		return
	}
	if x := s.Short[ProfileKey(row.Name)]; x != nil {
		stay(x, b)
		return
	}
	attrs := []graph.Attr{
		graph.RefTo(sai.BufferProfileAttrPoolID, PoolKey(row.Pool)),
		graph.Of(sai.BufferProfileAttrReservedBufferSize.Is(row.Size)),
	}
	attrs = appendThreshold(attrs, row)
	attrs = graph.AppendIf(attrs, row.HasXon, sai.BufferProfileAttrXonTH.Is(row.Xon))
	attrs = graph.AppendIf(attrs, row.HasXonOffset, sai.BufferProfileAttrXonOffsetTH.Is(row.XonOffset))
	attrs = graph.AppendIf(attrs, row.HasXoff, sai.BufferProfileAttrXoffTH.Is(row.Xoff))
	attrs = graph.AppendIf(attrs, row.HasDiscard, sai.BufferProfileAttrPacketAdmissionFailAction.Is(discard(row)))
	b.Add(id, ProfileKey(row.Name), attrs...)
}

func discard(row *configdb.BufferProfile) sai.BufferProfilePacketAdmissionFailAction {
	if row.Trim {
		return sai.BufferProfilePacketAdmissionFailActionDropAndTrim
	}
	return sai.BufferProfilePacketAdmissionFailActionDrop
}

// tooLarge finds the field of a profile that asks for more bytes than the chip has.
// A chip that does not tell its memory judges for itself.
func tooLarge(row *configdb.BufferProfile, memory uint64) (field string, err error) {
	for _, f := range []struct {
		name  string
		bytes uint64
	}{{"size", row.Size}, {"xon", row.Xon}, {"xon_offset", row.XonOffset}, {"xoff", row.Xoff}} {
		if memory > 0 && f.bytes > memory {
			return f.name, fmt.Errorf("%d bytes: the chip has %d", f.bytes, memory)
		}
	}
	return "", nil
}

func appendThreshold(attrs []graph.Attr, row *configdb.BufferProfile) []graph.Attr {
	if row.Mode == configdb.Dynamic {
		return append(
			attrs,
			graph.Of(sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic)),
			graph.Of(sai.BufferProfileAttrSharedDynamicTH.Is(row.DynamicTh)),
		)
	}
	return append(
		attrs,
		graph.Of(sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeStatic)),
		graph.Of(sai.BufferProfileAttrSharedStaticTH.Is(row.StaticTh)),
	)
}

// derivePort derives the profiles of a port's priority groups and queues, and its lists.
//
// Source: sonic-buffer-pg.yang, sonic-buffer-queue.yang,
// sonic-buffer-port-ingress-profile-list.yang and its sibling; saibuffer.h,
// saiqueue.h, saiport.h.
func derivePort(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	for i, row := range v.PGs {
		if x := v.Shortage(i); x != nil {
			stay(x, b)
		} else if row != nil {
			b.Add(row.ID, v.Port.PGs[i], graph.RefTo(sai.IngressPriorityGroupAttrBufferProfile, ProfileKey(row.Profile)))
		}
	}
	for i, row := range v.BufferQueues {
		if row != nil && row.Profile != "" {
			b.Add(row.ID, v.Queues[i].Buffer, graph.RefTo(sai.QueueAttrBufferProfileID, ProfileKey(row.Profile)))
		}
	}
	addLists(v, b)
}

// addLists derives the profiles of the port as a whole, a facet for each row.
func addLists(v *intent.PortView, b *graph.Builder) {
	add := func(row *configdb.BufferProfileList, f graph.Facet, a sai.Attr[sai.Port, []sai.ID[sai.BufferProfile]]) {
		if row == nil || len(row.Profiles) == 0 {
			return
		}
		keys := make([]graph.Key, len(row.Profiles))
		for i, name := range row.Profiles {
			keys[i] = ProfileKey(name)
		}
		b.Add(row.ID, v.Facet(f), graph.RefsTo(a, keys...))
	}
	add(v.Ingress, graph.Ingress, sai.PortAttrQoSIngressBufferProfileList)
	add(v.Egress, graph.Egress, sai.PortAttrQoSEgressBufferProfileList)
}
