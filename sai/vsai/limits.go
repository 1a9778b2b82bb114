package vsai

import (
	"maps"

	"xon/sai"
)

// The chip goes by what it reports: a limit that a test gave it as a read-only attribute
// of the switch counts in place of the profile's. Of what the chip made at its start
// (ports, queues, classes, pools) there are fewer then, but never more than it has.

// limitAttrs are attributes that are limits, in the order in which they take effect, and what
// they are in a profile.
var limitAttrs = []struct {
	a  *sai.AttrMeta
	is func(p *Profile, n uint64)
}{
	{sai.SwitchAttrTotalBufferSize.AttrMeta, func(p *Profile, n uint64) { p.BufferBytes, p.HideBuffer = n*kib, false }},
	{sai.SwitchAttrNumberOfUnicastQueues.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.UnicastQueues, n) }},
	{sai.SwitchAttrNumberOfMulticastQueues.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.MulticastQueues, n) }},
	{sai.SwitchAttrNumberOfQueues.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.MulticastQueues, n-min(n, uint64(p.UnicastQueues))) }},
	{sai.SwitchAttrNumberOfCPUQueues.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.CPUQueues, n) }},
	{sai.SwitchAttrQoSMaxNumberOfTrafficClasses.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.TrafficClasses, n) }},
	{sai.SwitchAttrMaxNumberOfForwardingClasses.AttrMeta, func(p *Profile, n uint64) { p.ForwardingClasses = int(n) }},
	{sai.SwitchAttrIngressBufferPoolNum.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.IngressPools, n) }},
	{sai.SwitchAttrEgressBufferPoolNum.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.EgressPools, n) }},
	{sai.SwitchAttrPortMaxMTU.AttrMeta, func(p *Profile, n uint64) { p.MaxMTU = uint32(n) }},
	{sai.SwitchAttrMaxNumberOfSupportedPorts.AttrMeta, func(p *Profile, n uint64) { lowerLimit(&p.MaxPorts, n) }},
	{sai.SwitchAttrNumberOfECMPGroups.AttrMeta, setObjectLimit(sai.NextHopGroup{})},
	{sai.SwitchAttrNumberOfLags.AttrMeta, setObjectLimit(sai.LAG{})},
	{sai.SwitchAttrMaxVirtualRouters.AttrMeta, setObjectLimit(sai.VirtualRouter{})},
	{sai.SwitchAttrFDBTableSize.AttrMeta, setObjectLimit(sai.FDBEntry{})},
	{sai.SwitchAttrL3NeighborTableSize.AttrMeta, setObjectLimit(sai.NeighborEntry{})},
	{sai.SwitchAttrL3RouteTableSize.AttrMeta, setObjectLimit(sai.RouteEntry{})},
	{sai.SwitchAttrMaxMirrorSession.AttrMeta, setObjectLimit(sai.MirrorSession{})},
}

func lowerLimit(have *int, n uint64) { *have = int(min(uint64(*have), n)) }

// setObjectLimit is for the number of objects of a type.
func setObjectLimit(o sai.Object) func(*Profile, uint64) {
	return func(p *Profile, n uint64) {
		p.Limits = maps.Clone(p.Limits)
		if p.Limits == nil {
			p.Limits = map[sai.ObjectType]int{}
		}
		p.Limits[o.Meta().Type] = int(n)
	}
}

// fullProfile is what the chip has as it was made.
func (c *Chip) fullProfile() *Profile {
	p := *c.profile
	p.MaxPorts = c.maxPorts()
	return &p
}

// recomputeLimits works out the limits that the chip has now. The caller holds the lock.
func (c *Chip) recomputeLimits() {
	p := c.fullProfile()
	for _, s := range limitAttrs {
		if v, ok := c.sw.value(s.a.ID); ok {
			s.is(p, v.Num)
		}
	}
	c.limits = p
	for o, t := range c.types {
		t.limit = p.limit(o.Type)
	}
}
