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
var fields = map[*sai.AttrMeta]string{
	sai.BufferPoolAttrType.AttrMeta:          "type",
	sai.BufferPoolAttrSize.AttrMeta:          "size",
	sai.BufferPoolAttrThresholdMode.AttrMeta: "mode",
	sai.BufferPoolAttrXoffSize.AttrMeta:      "xoff",

	sai.BufferProfileAttrPoolID.AttrMeta:                    "pool",
	sai.BufferProfileAttrReservedBufferSize.AttrMeta:        "size",
	sai.BufferProfileAttrSharedDynamicTH.AttrMeta:           "dynamic_th",
	sai.BufferProfileAttrSharedStaticTH.AttrMeta:            "static_th",
	sai.BufferProfileAttrXonTH.AttrMeta:                     "xon",
	sai.BufferProfileAttrXonOffsetTH.AttrMeta:               "xon_offset",
	sai.BufferProfileAttrXoffTH.AttrMeta:                    "xoff",
	sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta: "packet_discard_action",

	sai.SwitchAttrPacketTrimSize.AttrMeta:                "size",
	sai.SwitchAttrPacketTrimDSCPResolutionMode.AttrMeta:  "dscp_value",
	sai.SwitchAttrPacketTrimDSCPValue.AttrMeta:           "dscp_value",
	sai.SwitchAttrPacketTrimTCValue.AttrMeta:             "tc_value",
	sai.SwitchAttrPacketTrimQueueResolutionMode.AttrMeta: "queue_index",
	sai.SwitchAttrPacketTrimQueueIndex.AttrMeta:          "queue_index",

	sai.IngressPriorityGroupAttrBufferProfile.AttrMeta: "profile",
	sai.QueueAttrBufferProfileID.AttrMeta:              "profile",
	sai.PortAttrQoSIngressBufferProfileList.AttrMeta:   "profile_list",
	sai.PortAttrQoSEgressBufferProfileList.AttrMeta:    "profile_list",
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
		{AttrMeta: sai.BufferProfileAttrPoolID.AttrMeta, Value: graph.Ref(PoolKey(row.Pool))},
		{AttrMeta: sai.BufferProfileAttrReservedBufferSize.AttrMeta, Value: graph.Uint(row.Size)},
	}
	attrs = appendThreshold(attrs, row)
	add := func(has bool, a *sai.AttrMeta, n uint64) {
		if has {
			attrs = append(attrs, graph.Attr{AttrMeta: a, Value: graph.Uint(n)})
		}
	}
	add(row.HasXon, sai.BufferProfileAttrXonTH.AttrMeta, row.Xon)
	add(row.HasXonOffset, sai.BufferProfileAttrXonOffsetTH.AttrMeta, row.XonOffset)
	add(row.HasXoff, sai.BufferProfileAttrXoffTH.AttrMeta, row.Xoff)
	add(row.HasDiscard, sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta, uint64(discard(row)))
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
			graph.Attr{AttrMeta: sai.BufferProfileAttrThresholdMode.AttrMeta, Value: graph.Uint(uint64(sai.BufferProfileThresholdModeDynamic))},
			graph.Attr{AttrMeta: sai.BufferProfileAttrSharedDynamicTH.AttrMeta, Value: graph.Int(int64(row.DynamicTh))},
		)
	}
	return append(
		attrs,
		graph.Attr{AttrMeta: sai.BufferProfileAttrThresholdMode.AttrMeta, Value: graph.Uint(uint64(sai.BufferProfileThresholdModeStatic))},
		graph.Attr{AttrMeta: sai.BufferProfileAttrSharedStaticTH.AttrMeta, Value: graph.Uint(row.StaticTh)},
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
			b.Add(row.ID, v.Port.PGs[i], graph.Attr{
				AttrMeta: sai.IngressPriorityGroupAttrBufferProfile.AttrMeta, Value: graph.Ref(ProfileKey(row.Profile)),
			})
		}
	}
	for i, row := range v.BufferQueues {
		if row != nil && row.Profile != "" {
			b.Add(row.ID, v.Queues[i].Buffer, graph.Attr{
				AttrMeta: sai.QueueAttrBufferProfileID.AttrMeta, Value: graph.Ref(ProfileKey(row.Profile)),
			})
		}
	}
	addLists(v, b)
}

// addLists derives the profiles of the port as a whole, a facet for each row.
func addLists(v *intent.PortView, b *graph.Builder) {
	add := func(row *configdb.BufferProfileList, f graph.Facet, a *sai.AttrMeta) {
		if row == nil || len(row.Profiles) == 0 {
			return
		}
		keys := make([]graph.Key, len(row.Profiles))
		for i, name := range row.Profiles {
			keys[i] = ProfileKey(name)
		}
		b.Add(row.ID, v.Facet(f), graph.Attr{AttrMeta: a, Value: graph.Refs(keys...)})
	}
	add(v.Ingress, graph.Ingress, sai.PortAttrQoSIngressBufferProfileList.AttrMeta)
	add(v.Egress, graph.Egress, sai.PortAttrQoSEgressBufferProfileList.AttrMeta)
}
