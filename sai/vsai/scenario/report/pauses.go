package report

import (
	"cmp"
	"fmt"
	"slices"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// pauses draws a strip for each port that was paused.
func (v *runView) pauses() []figure {
	list := slices.DeleteFunc(slices.Clone(v.r.Controls), func(c *trace.Control) bool { return c.Pauses.Times == 0 })
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *trace.Control) int { return cmp.Compare(b.Pauses.Total, a.Pauses.Total) })
	all := len(list)
	list = list[:min(len(list), mostStrips)]
	const row, h, name, tail = 19, 13, 150, 130
	c := newCanvas(v.width, 6+float64(len(list)*row)+axis)
	p := &plot{canvas: c, x: name, y: 6, w: v.width - name - tail, h: float64(len(list) * row), span: v.scale.span, notes: v.marks()}
	p.timeAxis()
	for i, x := range list {
		y := 6 + float64(i*row)
		p.rect(p.x, y, p.w, h, "bed", fmt.Sprintf("%s, class %d: longest pause %s, first at %s", v.portName(x.Port), x.Class, duration(x.Pauses.Longest), duration(x.Pauses.First)))
		p.strip(v.r, &x.Pauses, y, h, classColour(x.Class))
		p.label(p.x-6, y+10, "end", "name", short(v.portName(x.Port), 18)+" · "+fmt.Sprint(x.Class))
		p.label(p.x+p.w+6, y+10, "start", "tick", percent(x.Pauses.Fraction(v.r.Span))+" · "+count(x.Pauses.Times)+"×")
	}
	f := figure{Drawing: c.svg("pauses of ports over time")}
	f.Caption = fmt.Sprintf("Port and class, at the right how much of the time it was paused, and how often. The longest single pause was %s, of %s.",
		duration(longest(list).Pauses.Longest), v.portName(longest(list).Port))
	if s := shown(len(list), all, "ports and classes", "those that were paused longest"); s != "" {
		f.Caption += " " + s
	}
	return []figure{f}
}

func longest(list []*trace.Control) *trace.Control {
	return slices.MaxFunc(list, func(a, b *trace.Control) int { return cmp.Compare(a.Pauses.Longest, b.Pauses.Longest) })
}

// short shortens a name in the middle.
func short(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2-1]) + "…" + string(r[len(r)-n/2:])
}

// node is a port in the tree of causes.
type node struct {
	Text, Detail string
	Class        string
	Share        float64 // relative to the largest number of stops
	Below        []*node
	More         string
}

// causes draws the tree of who paused whom.
func (v *runView) causes() []figure {
	roots := v.r.Tree()
	if len(roots) == 0 {
		return nil
	}
	var most dataplane.Time
	for _, c := range v.r.Causes {
		most = max(most, c.Total)
	}
	f := figure{}
	for i, x := range roots {
		if i == mostBelow {
			f.Caption = shown(i, len(roots), "roots", "the first ones") + " "
			break
		}
		f.Trees = append(f.Trees, v.root(x, most))
	}
	if circle := v.r.Circle(); circle != nil {
		f.Verdict = append(f.Verdict, v.deadlock(circle))
	}
	f.Caption += v.firstRoot(roots[0])
	return []figure{f}
}

// deadlock names the ports of a deadlock at the end.
func (v *runView) deadlock(ports []int) verdict {
	s := "Deadlock: at the end each of these ports waits for the next: "
	for i, p := range ports {
		if i == maxRows {
			s += "… → "
			break
		}
		s += v.portName(p) + " → "
	}
	return verdict{Text: s + v.portName(ports[0]) + "."}
}

func (v *runView) firstRoot(x *trace.Root) string {
	if x.Host {
		return fmt.Sprintf("It began at %s: host %s asked for pauses of class %d.", duration(x.First), v.portName(x.Port), x.Class)
	}
	return fmt.Sprintf("It began at %s: %s was overloaded towards %s in class %d.", duration(x.First), v.portName(x.Port), v.towards(x.Port), x.Class)
}

func (v *runView) root(x *trace.Root, most dataplane.Time) *node {
	n := &node{Class: classColour(x.Class), Share: float64(x.Total) / float64(max(most, 1))}
	switch {
	case x.Host:
		n.Text = fmt.Sprintf("host %s asks for pauses", v.portName(x.Port))
		n.Detail = fmt.Sprintf("class %d, %s, from %s, %s in all", x.Class, times(x.Times), duration(x.First), duration(x.Total))
	default:
		n.Text = fmt.Sprintf("%s towards %s is overloaded", v.portName(x.Port), v.towards(x.Port))
		n.Detail = fmt.Sprintf("class %d, from %s", x.Class, duration(x.First))
		n.Share = 0
	}
	n.below(v, x.Stops, most)
	return n
}

func (n *node) below(v *runView, stops []*trace.Branch, most dataplane.Time) {
	for i, b := range stops {
		if i == mostBelow {
			n.More = fmt.Sprintf("and %d more", len(stops)-i)
			return
		}
		x := &node{
			Class: classColour(b.Class), Share: float64(b.Total) / float64(max(most, 1)),
			Text:   fmt.Sprintf("%s stops %s", v.portName(b.Port), v.towards(b.Port)),
			Detail: fmt.Sprintf("%s, from %s, %s in all", times(b.Times), duration(b.First), duration(b.Total)),
		}
		if b.Circle {
			x.Text += ": a cycle"
		}
		x.below(v, b.Stops, most)
		n.Below = append(n.Below, x)
	}
}
