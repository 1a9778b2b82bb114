package graph

import (
	"strconv"
	"strings"

	"xon/sai"
)

// formatMap prints a QoS map for people: "dscp>tc 3>3 46>5". SAI's own text has
// eighteen members for each entry; those that are 0 throughout say nothing.
func formatMap(m *sai.AttrMeta, text string) string {
	v, err := m.Parse(text)
	list, ok := v.Ref.([]sai.QoSMapItem)
	if err != nil || !ok {
		return text
	}
	from, to := make([]sai.QoSMapParams, len(list)), make([]sai.QoSMapParams, len(list))
	for i, e := range list {
		from[i], to[i] = e.Key, e.Value
	}
	left, right := usedMembers(from), usedMembers(to)
	var b strings.Builder
	b.WriteString(memberNames(left) + ">" + memberNames(right))
	for _, e := range list {
		b.WriteByte(' ')
		appendMembers(&b, e.Key, left)
		b.WriteByte('>')
		appendMembers(&b, e.Value, right)
	}
	return b.String()
}

// member is one member of a QoS map's parameters.
type member struct {
	name string
	get  func(sai.QoSMapParams) uint64
}

var members = []member{
	{"dscp", func(p sai.QoSMapParams) uint64 { return uint64(p.DSCP) }},
	{"dot1p", func(p sai.QoSMapParams) uint64 { return uint64(p.Dot1p) }},
	{"exp", func(p sai.QoSMapParams) uint64 { return uint64(p.MplsExp) }},
	{"tc", func(p sai.QoSMapParams) uint64 { return uint64(p.TC) }},
	{"color", func(p sai.QoSMapParams) uint64 { return uint64(p.Color) }},
	{"prio", func(p sai.QoSMapParams) uint64 { return uint64(p.Prio) }},
	{"pg", func(p sai.QoSMapParams) uint64 { return uint64(p.Pg) }},
	{"queue", func(p sai.QoSMapParams) uint64 { return uint64(p.QueueIndex) }},
	{"fc", func(p sai.QoSMapParams) uint64 { return uint64(p.Fc) }},
}

// usedMembers returns the members that are not 0 in one entry at least.
func usedMembers(params []sai.QoSMapParams) []member {
	var used []member
	for _, m := range members {
		for _, p := range params {
			if m.get(p) != 0 {
				used = append(used, m)
				break
			}
		}
	}
	return used
}

func memberNames(used []member) string {
	names := make([]string, len(used))
	for i, m := range used {
		names[i] = m.name
	}
	return strings.Join(names, ",")
}

func appendMembers(b *strings.Builder, p sai.QoSMapParams, used []member) {
	if len(used) == 0 {
		b.WriteByte('0')
	}
	for i, m := range used {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatUint(m.get(p), 10))
	}
}
