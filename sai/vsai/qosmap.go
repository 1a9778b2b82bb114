package vsai

import (
	"strings"

	"xon/sai"
)

// member is a field of a QoS map's key or value, with its maximum.
type member struct {
	of  func(sai.QoSMapParams) int
	max func(*Profile) int
}

var (
	tc    = member{func(q sai.QoSMapParams) int { return int(q.TC) }, func(p *Profile) int { return p.TrafficClasses - 1 }}
	dscp  = member{func(q sai.QoSMapParams) int { return int(q.DSCP) }, most(63)}
	dot1p = member{func(q sai.QoSMapParams) int { return int(q.Dot1p) }, most(7)}
	prio  = member{func(q sai.QoSMapParams) int { return int(q.Prio) }, most(7)}
	pg    = member{func(q sai.QoSMapParams) int { return int(q.Pg) }, func(p *Profile) int { return p.PriorityGroups - 1 }}
	queue = member{func(q sai.QoSMapParams) int { return int(q.QueueIndex) }, func(p *Profile) int { return p.Queues() - 1 }}
	exp   = member{func(q sai.QoSMapParams) int { return int(q.MplsExp) }, most(7)}
	fc    = member{func(q sai.QoSMapParams) int { return int(q.Fc) }, func(p *Profile) int { return p.forwardingClasses() - 1 }}
	color = member{func(q sai.QoSMapParams) int { return int(q.Color) }, most(int(sai.PacketColorRed))}
)

func most(n int) func(*Profile) int { return func(*Profile) int { return n } }

// mapShapes lists the fields of key and value for each map type.
var mapShapes = map[sai.QoSMapType]struct{ key, value []member }{
	sai.QoSMapTypeDot1pToTC:                  {[]member{dot1p}, []member{tc}},
	sai.QoSMapTypeDot1pToColor:               {[]member{dot1p}, []member{color}},
	sai.QoSMapTypeDSCPToTC:                   {[]member{dscp}, []member{tc}},
	sai.QoSMapTypeDSCPToColor:                {[]member{dscp}, []member{color}},
	sai.QoSMapTypeTCToQueue:                  {[]member{tc}, []member{queue}},
	sai.QoSMapTypeTCAndColorToDSCP:           {[]member{tc, color}, []member{dscp}},
	sai.QoSMapTypeTCAndColorToDot1p:          {[]member{tc, color}, []member{dot1p}},
	sai.QoSMapTypeTCToPriorityGroup:          {[]member{tc}, []member{pg}},
	sai.QoSMapTypePFCPriorityToPriorityGroup: {[]member{prio}, []member{pg}},
	sai.QoSMapTypePFCPriorityToQueue:         {[]member{prio}, []member{queue}},
	sai.QoSMapTypeMplsExpToTC:                {[]member{exp}, []member{tc}},
	sai.QoSMapTypeMplsExpToColor:             {[]member{exp}, []member{color}},
	sai.QoSMapTypeTCAndColorToMplsExp:        {[]member{tc, color}, []member{exp}},
	sai.QoSMapTypeDSCPToForwardingClass:      {[]member{dscp}, []member{fc}},
	sai.QoSMapTypeMplsExpToForwardingClass:   {[]member{exp}, []member{fc}},
}

// checkQoSMap requires every number in its range and no duplicate key.
func checkQoSMap(c *Chip, v candidate) *sai.AttrMeta {
	a := sai.QoSMapAttrMapToValueList.AttrMeta
	val, _ := v.value(a)
	list, _ := val.Ref.([]sai.QoSMapItem)
	shape := mapShapes[sai.QoSMapType(v.num(sai.QoSMapAttrType.AttrMeta))]
	seen := map[[2]int]bool{}
	for _, e := range list {
		var key [2]int
		for i, m := range shape.key {
			key[i] = m.of(e.Key)
		}
		if !c.within(shape.key, e.Key) || !c.within(shape.value, e.Value) || shape.key != nil && seen[key] {
			return a
		}
		seen[key] = true
	}
	return nil
}

func (c *Chip) within(ms []member, q sai.QoSMapParams) bool {
	for _, m := range ms {
		if n := m.of(q); n < 0 || n > m.max(c.limits) {
			return false
		}
	}
	return true
}

// mapTypes gives the map type for an attribute of a port or a switch. The attribute's
// name contains it: QOS_DSCP_TO_TC_MAP requires DSCP_TO_TC.
var mapTypes = func() map[*sai.AttrMeta]sai.QoSMapType {
	out := map[*sai.AttrMeta]sai.QoSMapType{}
	types := sai.QoSMapAttrType.AttrMeta.Enum
	for _, o := range sai.Objects {
		for _, a := range o.Attrs {
			name, ok := strings.CutPrefix(a.Name, "QOS_")
			name, isMap := strings.CutSuffix(name, "_MAP")
			if !ok || !isMap || a.Kind != sai.KindOID {
				continue
			}
			if n, ok := types.Value(name); ok {
				out[a] = sai.QoSMapType(n)
			}
		}
	}
	return out
}()

// checkMaps requires maps of the right type.
func checkMaps(c *Chip, v candidate) *sai.AttrMeta {
	for i := range v.attrs {
		a := v.attrs[i]
		want, ok := mapTypes[a.AttrMeta]
		if !ok || a.Num == 0 {
			continue
		}
		if x := c.byID(sai.OID(a.Num)); x == nil || sai.QoSMapType(x.num(sai.QoSMapAttrType.AttrMeta)) != want {
			return a.AttrMeta
		}
	}
	return nil
}
