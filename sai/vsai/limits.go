package vsai

import (
	"maps"

	"xon/sai"
)

// The chip obeys the limits that it reports: if a test sets a limit as a read-only
// attribute of the switch, it replaces the profile's. It can only lower the number of
// initial objects (ports, queues, classes, pools).

// limitAttrs are attributes that are limits, in the order in which they apply, with
// their fields in a profile.
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

// setObjectLimit sets the maximum number of objects of a type.
func setObjectLimit(o sai.Object) func(*Profile, uint64) {
	return func(p *Profile, n uint64) {
		p.Limits = maps.Clone(p.Limits)
		if p.Limits == nil {
			p.Limits = map[sai.ObjectType]int{}
		}
		p.Limits[o.Meta().Type] = int(n)
	}
}

// fullProfile returns the profile without lowered limits.
func (c *Chip) fullProfile() *Profile {
	p := *c.profile
	p.MaxPorts = c.maxPorts()
	return &p
}

// recomputeLimits applies lowered limits to the profile. The caller holds the lock.
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
