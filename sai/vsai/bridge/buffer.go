package bridge

import (
	"slices"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// A SAI pool is two dataplane pools, one per direction; a pool of type BOTH uses both.
// Number 0 is for a chip on which no pool has been created: one pool of all its memory.
func poolIndex(number int, egress bool) int {
	if egress {
		return 2*number + 1
	}
	return 2 * number
}

// numberPools assigns numbers to new pools and frees those of removed ones.
func (r *reader) numberPools() (added []int) {
	there := r.Objects(sai.BufferPool{})
	pools := r.d.pools
	for i := 1; i < len(pools); i++ {
		if !slices.Contains(there, pools[i]) {
			pools[i] = 0
		}
	}
	for _, id := range there {
		if slices.Contains(pools, id) {
			continue
		}
		if i := slices.Index(pools[1:], 0); i >= 0 { // always: the dataplane has room for the chip's maximum
			pools[i+1] = id
			added = append(added, i+1)
		}
	}
	return added
}

// servesDirection reports whether a pool is for a direction.
func (r *reader) servesDirection(pool sai.OID, egress bool) bool {
	switch sai.BufferPoolType(r.Num(pool, sai.BufferPoolAttrType.AttrMeta)) {
	case sai.BufferPoolTypeIngress:
		return !egress
	case sai.BufferPoolTypeEgress:
		return egress
	default:
		return true
	}
}

// poolConfigs reads all pools.
func (r *reader) poolConfigs() []dataplane.Pool {
	p := r.d.chip.Profile()
	out := make([]dataplane.Pool, 2*len(r.d.pools))
	for _, egress := range []bool{false, true} {
		any := false
		for i, id := range r.d.pools {
			if i == 0 || id == 0 || !r.servesDirection(id, egress) {
				continue
			}
			any = true
			size, xoff := amount(r.Num(id, sai.BufferPoolAttrSize.AttrMeta)), int64(0)
			if !egress {
				xoff = amount(r.Num(id, sai.BufferPoolAttrXoffSize.AttrMeta))
			}
			out[poolIndex(i, egress)] = dataplane.Pool{
				Egress: egress, Size: poolSize(p, size, xoff), Headroom: xoff,
				WRED: r.d.wreds[sai.OID(r.Num(id, sai.BufferPoolAttrWredProfileID.AttrMeta))],
			}
		}
		if !any {
			out[poolIndex(0, egress)] = dataplane.Pool{Egress: egress, Size: int64(p.BufferBytes)}
		}
	}
	return out
}

// defaultBuffer is the buffer of an object without a profile: none, unless no pool
// exists.
func (r *reader) defaultBuffer(egress bool) dataplane.Buffer {
	for _, id := range r.d.pools {
		if id != 0 && r.servesDirection(id, egress) {
			return dataplane.Buffer{Pool: -1}
		}
	}
	return dataplane.Buffer{Pool: poolIndex(0, egress), Dynamic: true}
}

// buffer reads the buffer profile of a priority group or a queue.
func (r *reader) buffer(profile sai.OID, egress bool) dataplane.Buffer {
	if profile == 0 {
		return r.defaultBuffer(egress)
	}
	number := r.pool(profile)
	if number < 1 {
		return dataplane.Buffer{Pool: -1}
	}
	b := dataplane.Buffer{
		Pool:     poolIndex(number, egress),
		Reserved: amount(r.Num(profile, sai.BufferProfileAttrReservedBufferSize.AttrMeta)),
	}
	if r.dynamic(profile) {
		b.Dynamic, b.Alpha = true, int8(r.Num(profile, sai.BufferProfileAttrSharedDynamicTH.AttrMeta))
	} else {
		b.Static = amount(r.Num(profile, sai.BufferProfileAttrSharedStaticTH.AttrMeta))
	}
	if egress {
		action := sai.BufferProfilePacketAdmissionFailAction(r.Num(profile, sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta))
		b.Trim = action == sai.BufferProfilePacketAdmissionFailActionDropAndTrim
	} else {
		b.Xoff = amount(r.Num(profile, sai.BufferProfileAttrXoffTH.AttrMeta))
		b.Xon = amount(r.Num(profile, sai.BufferProfileAttrXonTH.AttrMeta))
		b.XonOffset = amount(r.Num(profile, sai.BufferProfileAttrXonOffsetTH.AttrMeta))
		if r.d.chip.Profile().Memory.SizeHoldsXoff && b.Reserved >= b.Xoff { // otherwise the chip counts it separately
			b.Reserved -= b.Xoff
		}
	}
	return b
}

func (r *reader) dynamic(profile sai.OID) bool {
	return sai.BufferProfileThresholdMode(r.Num(profile, sai.BufferProfileAttrThresholdMode.AttrMeta)) == sai.BufferProfileThresholdModeDynamic
}

// limits reads the limits of a port in each dataplane pool. A profile in the port's
// lists limits the port's use of the profile's pool: by its priority groups for an
// ingress pool, by its queues for an egress pool. If two profiles have the same pool
// the last one counts.
func (r *reader) limits(port sai.OID) []dataplane.PortLimit {
	out := make([]dataplane.PortLimit, 2*len(r.d.pools))
	for egress, list := range map[bool]*sai.AttrMeta{
		false: sai.PortAttrQoSIngressBufferProfileList.AttrMeta,
		true:  sai.PortAttrQoSEgressBufferProfileList.AttrMeta,
	} {
		v, _ := r.Value(port, list)
		profiles, _ := v.Ref.([]sai.OID)
		for _, id := range profiles {
			if number := r.pool(id); number > 0 {
				out[poolIndex(number, egress)] = r.limit(id)
			}
		}
	}
	return out
}

// limit reads a profile of a port's list.
func (r *reader) limit(profile sai.OID) dataplane.PortLimit {
	if r.dynamic(profile) {
		if r.d.chip.Profile().Memory.NoPortAlpha {
			return dataplane.PortLimit{}
		}
		return dataplane.PortLimit{Dynamic: true, Alpha: int8(r.Num(profile, sai.BufferProfileAttrSharedDynamicTH.AttrMeta))}
	}
	return dataplane.PortLimit{Shared: amount(r.Num(profile, sai.BufferProfileAttrSharedStaticTH.AttrMeta))}
}

// pool returns the number of a profile's pool; below 1: it has none.
func (r *reader) pool(profile sai.OID) int {
	return slices.Index(r.d.pools, sai.OID(r.Num(profile, sai.BufferProfileAttrPoolID.AttrMeta)))
}

// trim reads the trimming configuration. It uses the switch's queue: resolving its
// class by the port's map is not supported by the dataplane.
func (r *reader) trim() dataplane.Trim {
	return dataplane.Trim{
		Bytes: int(r.Num(r.sw, sai.SwitchAttrPacketTrimSize.AttrMeta)),
		DSCP:  uint8(r.Num(r.sw, sai.SwitchAttrPacketTrimDSCPValue.AttrMeta)),
		Queue: uint8(r.Num(r.sw, sai.SwitchAttrPacketTrimQueueIndex.AttrMeta)),
	}
}
