package vsai

import "xon/sai"

// Packet memory rules: a pool is no larger than the chip, nor are the ingress pools
// together (with their shared headroom if it is beside them), and the reservations of
// profiles fit into the memory that provides them. Egress pools are another view of the
// same memory: they may overlap ingress pools and each other. If the memory size is not
// known, only the number of pools is checked.

// maxBytes is more than any chip has; larger values are refused so that sums do not
// overflow.
const maxBytes = 1 << 40

// maxBufferSize is the maximum size of one pool or profile.
func (p *Profile) maxBufferSize() uint64 {
	if p.HideBuffer {
		return maxBytes
	}
	return p.BufferBytes
}

// profileUse counts the priority groups and queues that use a buffer profile.
type profileUse struct{ pgs, queues uint64 }

// countUse updates the users of buffer profiles.
func (c *Chip) countUse(owner *object, a *sai.AttrMeta, x *object, d int32) {
	if a != sai.IngressPriorityGroupAttrBufferProfile.AttrMeta && a != sai.QueueAttrBufferProfileID.AttrMeta {
		return
	}
	u := c.uses[x.id]
	if u == nil {
		u = &profileUse{}
		c.uses[x.id] = u
	}
	if owner.t.meta.Type == sai.ObjectTypeQueue {
		u.queues += uint64(int64(d))
	} else {
		u.pgs += uint64(int64(d))
	}
	if *u == (profileUse{}) {
		delete(c.uses, x.id)
	}
}

// memoryAttrs are the attributes that affect memory use.
var memoryAttrs = map[*sai.AttrMeta]bool{
	sai.BufferPoolAttrSize.AttrMeta:                    true,
	sai.BufferPoolAttrXoffSize.AttrMeta:                true,
	sai.BufferProfileAttrReservedBufferSize.AttrMeta:   true,
	sai.BufferProfileAttrXoffTH.AttrMeta:               true,
	sai.IngressPriorityGroupAttrBufferProfile.AttrMeta: true,
	sai.QueueAttrBufferProfileID.AttrMeta:              true,
}

// checkMemory refuses a state that exceeds the memory, after x was created (a is nil)
// or its attribute a was set. A new profile has no users yet.
func (c *Chip) checkMemory(x *object, a *sai.AttrMeta) sai.Status {
	if a == nil && x.t.meta.Type != sai.ObjectTypeBufferPool || a != nil && !memoryAttrs[a] {
		return 0
	}
	if !c.poolsFit() || !c.portsFit(x) {
		return sai.StatusInsufficientResources
	}
	return 0
}

// poolUse is the memory use of a pool.
type poolUse struct {
	id         sai.OID
	ingress    bool
	size, xoff uint64
	pgs        uint64 // reserved for priority groups
	queues     uint64
}

func (c *Chip) poolsFit() bool {
	pools, ok := c.poolUses()
	if !ok {
		return false
	}
	p := c.limits
	var ingress, reserved, queues, in, out uint64
	for _, u := range pools {
		if !u.fits(p) {
			return false
		}
		reserved += u.pgs
		queues += u.queues
		if !u.ingress {
			out++
			continue
		}
		in++
		ingress += u.size
		if p.headroomBesidePool() {
			ingress += u.xoff
		}
	}
	if p.Reserve == ReserveBesidePools {
		ingress += reserved
	}
	if in > uint64(p.IngressPools) || out > uint64(p.EgressPools) {
		return false
	}
	return p.HideBuffer || ingress <= p.BufferBytes && reserved <= p.BufferBytes && queues <= p.BufferBytes
}

// fits reports whether a pool is no larger than the chip, and holds what it must.
func (u poolUse) fits(p *Profile) bool {
	if u.size > p.maxBufferSize() || u.xoff > p.maxBufferSize() {
		return false
	}
	return p.HideBuffer || u.holds(p)
}

func (u poolUse) holds(p *Profile) bool {
	inside := uint64(0)
	if !p.headroomBesidePool() {
		inside = u.xoff
	}
	if p.Reserve == ReserveInPool {
		inside += u.pgs + u.queues
	}
	return inside <= u.size
}

// poolUses sums the reservations by pool. ok is false if a sum exceeds maxBytes.
func (c *Chip) poolUses() (pools []poolUse, ok bool) {
	for _, x := range c.list(sai.BufferPool{}.Meta()) {
		pools = append(pools, poolUse{
			id: x.id, ingress: x.num(sai.BufferPoolAttrType.AttrMeta) != uint64(sai.BufferPoolTypeEgress),
			size: x.num(sai.BufferPoolAttrSize.AttrMeta), xoff: x.num(sai.BufferPoolAttrXoffSize.AttrMeta),
		})
	}
	for id, use := range c.uses {
		x := c.byID(id)
		pool := sai.OID(x.num(sai.BufferProfileAttrPoolID.AttrMeta))
		for i := range pools {
			if u := &pools[i]; u.id == pool {
				need, min := c.limits.needs(x, u.xoff > 0), x.num(sai.BufferProfileAttrReservedBufferSize.AttrMeta)
				if need > c.limits.maxBufferSize() || min > c.limits.maxBufferSize() {
					return nil, false // returning early is safe: with few users sums below cannot overflow
				}
				u.pgs += need * use.pgs
				u.queues += min * use.queues
			}
		}
	}
	return pools, true
}

// needs returns what a priority group with a profile needs for itself. Without shared
// headroom that includes the headroom, which some configurations count in the reserved
// size and others do not.
func (p *Profile) needs(profile *object, shared bool) uint64 {
	size := profile.num(sai.BufferProfileAttrReservedBufferSize.AttrMeta)
	xoff := profile.num(sai.BufferProfileAttrXoffTH.AttrMeta)
	own := p.Headroom == HeadroomPrivate || p.Headroom == HeadroomPool && !shared
	if own && size < xoff {
		if xoff > p.maxBufferSize() {
			return xoff
		}
		return size + xoff
	}
	return size
}

// portsFit checks the headroom of ports: of one port if a priority group changed, of
// all if a profile changed.
func (c *Chip) portsFit(x *object) bool {
	if c.limits.PortHeadroomBytes == 0 {
		return true
	}
	switch x.t.meta.Type {
	case sai.ObjectTypeIngressPriorityGroup:
		return c.portFits(c.ports[sai.OID(x.num(sai.IngressPriorityGroupAttrPort.AttrMeta))])
	case sai.ObjectTypeBufferProfile:
		for _, p := range c.ports {
			if !c.portFits(p) {
				return false
			}
		}
	default:
	}
	return true
}

func (c *Chip) portFits(p *port) bool {
	var sum uint64
	for _, id := range p.pgs {
		profile := c.byID(sai.OID(c.byID(id).num(sai.IngressPriorityGroupAttrBufferProfile.AttrMeta)))
		if profile != nil {
			sum += max(profile.num(sai.BufferProfileAttrReservedBufferSize.AttrMeta), profile.num(sai.BufferProfileAttrXoffTH.AttrMeta))
		}
	}
	return sum <= uint64(c.limits.PortHeadroomBytes)
}
