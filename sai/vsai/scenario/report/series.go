package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// margins of plots.
const (
	left  = 64
	right = 16
	above = 22
	axis  = 34 // below, for times and their caption
)

func (v *runView) plot(c *canvas, y, h, most float64) *plot {
	return &plot{canvas: c, x: left, y: y, w: v.width - left - right, h: h, span: v.scale.span, most: most, notes: v.marks()}
}

// marks are the notes to draw: the first ones.
func (v *runView) marks() []trace.Note { return v.r.Notes[:min(len(v.r.Notes), maxRows)] }

// most is the maximum number of plots of each kind.
const (
	mostQueues = 4
	mostGroups = 3
	mostFlows  = 8
	mostStrips = 24
	maxRows    = 16
	mostBelow  = 8
)

// shallow: queues and groups below this fraction of the maximum are not drawn.
const shallow = 20

// shown says how many of all are drawn, and how they were selected; "" if all are.
func shown(n, all int, what, by string) string {
	if n >= all {
		return ""
	}
	return fmt.Sprintf("Shown are %d of %s %s: %s.", n, count(all), what, by)
}

func classColour(class int) string { return fmt.Sprintf("c%d", class%dataplane.Classes) }

func (v *runView) queues() []figure {
	var most int64
	for _, q := range v.r.Queues {
		most = max(most, q.Length.Max)
	}
	hot := slices.DeleteFunc(slices.Clone(v.r.Queues), func(q *trace.Queue) bool { return q.Length.Max == 0 || q.Length.Max < most/shallow })
	slices.SortStableFunc(hot, func(a, b *trace.Queue) int { return cmp.Compare(b.Length.Max, a.Length.Max) })
	hot = hot[:min(len(hot), mostQueues)]
	var out []figure
	for i, q := range hot {
		f := figure{Drawing: v.queue(q), Caption: fmt.Sprintf(
			"Queue %d of %s, towards %s: at most %s at %s, %s on average.",
			q.Queue, v.portName(q.Port), v.towards(q.Port), bytes(float64(q.Length.Max)), duration(q.Length.MostAt), bytes(q.Length.Mean(v.r.Span)))}
		if q.Marks.Total > 0 {
			f.Caption += fmt.Sprintf(" %s marked, the first at %s.", plural(int(q.Marks.Total), "packet", "packets"), duration(q.Marks.First))
		}
		if i == 0 {
			f.Caption += " " + shown(len(hot), len(v.r.Queues), "queues", fmt.Sprintf("the longest, and none below 1/%d of that", shallow))
		}
		out = append(out, f)
	}
	return out
}

func (v *runView) queue(q *trace.Queue) template.HTML {
	c := newCanvas(v.width, above+150+axis)
	p := v.plot(c, above, 150, v.scale.queue)
	unit, name := bytesUnit(p.most)
	p.valueAxis(unit, name)
	p.timeAxis()
	p.area(p.bands(v.r, &q.Length), classColour(q.Queue))
	if q.Curve != nil {
		p.limits([]limit{{"Kmin", float64(q.Curve.Min)}, {"Kmax", float64(q.Curve.Max)}})
	}
	return c.svg(fmt.Sprintf("length of queue %d of %s over time", q.Queue, v.portName(q.Port)))
}

// limit is a level with its name.
type limit struct {
	name  string
	level float64
}

// limits draws levels; those above the plot are listed at the top.
func (p *plot) limits(list []limit) {
	var off []string
	for _, l := range list {
		name := l.name + " " + bytes(l.level)
		if l.level > p.most {
			off = append(off, name)
			continue
		}
		y := p.atValue(l.level)
		p.line(p.x, y, p.x+p.w, y, "limit")
		p.label(p.x+p.w-4, y-4, "end", "mark", name)
	}
	if len(off) > 0 {
		p.label(p.x+p.w-4, p.y+10, "end", "mark", "above: "+strings.Join(off, ", "))
	}
}

func (v *runView) groups() []figure {
	var most int64
	for _, g := range v.r.Groups {
		most = max(most, g.Held.Max)
	}
	lossless := slices.DeleteFunc(slices.Clone(v.r.Groups), func(g *trace.Group) bool { return g.Buffer.Xoff == 0 })
	hot := slices.DeleteFunc(slices.Clone(lossless), func(g *trace.Group) bool { return g.Held.Max == 0 || g.Held.Max < most/shallow })
	slices.SortStableFunc(hot, func(a, b *trace.Group) int {
		return cmp.Or(cmp.Compare(b.Headroom.Max, a.Headroom.Max), cmp.Compare(b.Held.Max, a.Held.Max))
	})
	hot = hot[:min(len(hot), mostGroups)]
	var out []figure
	for i, g := range hot {
		f := figure{Drawing: v.group(g), Legend: []key{
			{classColour(g.Group), "held"}, {"threshold", "threshold (XOFF)"}, {"xon", "XON"}, {"room", "headroom"}, {"stop", "peer stopped"},
		}, Caption: fmt.Sprintf(
			"Priority group %d of %s, from %s: at most %s held, of that %s in headroom, which has %s.",
			g.Group, v.portName(g.Port), v.towards(g.Port), bytes(float64(g.Held.Max)), bytes(float64(g.Headroom.Max)), bytes(float64(g.Buffer.Xoff)))}
		if i == 0 {
			f.Caption += " " + shown(len(hot), len(lossless), "lossless groups", fmt.Sprintf("those that used most headroom, and none that held less than 1/%d of the fullest", shallow))
		}
		out = append(out, f)
	}
	return out
}

func (v *runView) group(g *trace.Group) template.HTML {
	const h, strip = 170, 14
	c := newCanvas(v.width, above+h+strip+8+axis)
	p := v.plot(c, above, h, v.scale.group)
	unit, name := bytesUnit(p.most)
	p.valueAxis(unit, name)
	p.noted()
	threshold := p.bands(v.r, &g.Threshold)
	p.between(threshold, float64(g.Buffer.Xoff), "room")
	p.area(p.bands(v.r, &g.Held), classColour(g.Group))
	if float64(g.Threshold.Min) > p.most {
		p.limits([]limit{{"threshold, at least", float64(g.Threshold.Min)}})
	}
	p.trace(threshold, "threshold", func(b band) float64 { return b.min })
	p.trace(threshold, "xon", func(b band) float64 {
		return max(float64(g.Buffer.Xon), b.min-float64(g.Buffer.XonOffset))
	})
	s := v.plot(c, above+h+4, strip, 1)
	s.rect(s.x, s.y, s.w, strip, "bed", "")
	s.timeAxis()
	for _, x := range v.r.Controls {
		if x.Port == g.Port && x.Class == g.Group {
			s.strip(v.r, &x.Stops, s.y, strip, "stop")
			s.label(s.x-6, s.y+11, "end", "tick", "XOFF")
		}
	}
	return c.svg(fmt.Sprintf("fill of priority group %d of %s over time", g.Group, v.portName(g.Port)))
}

// between fills the area above a moving level, up to a height.
func (p *plot) between(bands []band, up float64, class string) {
	lifted := make([]band, len(bands))
	for i, b := range bands {
		lifted[i] = band{min(b.min, p.most), min(b.min+up, p.most)}
	}
	p.polygon(lifted, class, func(b band) float64 { return b.min })
}
