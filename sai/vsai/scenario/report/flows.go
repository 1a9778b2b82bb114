package report

import (
	"cmp"
	"fmt"
	"slices"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// flows draws the goodput of all flows stacked, and of some individually.
func (v *runView) flows() []figure {
	all := slices.DeleteFunc(slices.Clone(v.r.Flows), func(f *trace.Flow) bool { return f.NoSeries || len(f.Goodput.Points) == 0 })
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *trace.Flow) int { return cmp.Compare(b.Goodput.Total, a.Goodput.Total) })
	some := slices.Clone(all[:min(len(all), mostFlows)])
	slices.SortFunc(some, func(a, b *trace.Flow) int { return a.ID - b.ID })
	out := []figure{v.stack(all, some)}
	for _, s := range v.r.Fairness() {
		out[0].Caption += fmt.Sprintf(" Flows to %s share with a fairness of %.3f (Jain; 1 is equal).", v.portName(s.To), s.Jain)
		break // the least fair
	}
	return append(out, v.multiples(some))
}

// wide is the width of a column of goodput in pixels: narrower ones would show single
// packets.
const wide = 6

// goodput returns a flow's goodput in bit/s per column.
func (p *plot) goodput(r *trace.Recording, f *trace.Flow) []float64 {
	out := make([]float64, int(p.w/wide)+1)
	span := float64(p.span) * wide / p.w // time of a column
	for _, x := range f.Goodput.Points {
		from, to := float64(x.Bucket)*float64(r.Width), float64(x.Bucket+1)*float64(r.Width)
		for c := int(from / span); c < len(out) && float64(c)*span < to; c++ {
			overlap := min(to, float64(c+1)*span) - max(from, float64(c)*span)
			out[c] += float64(x.N) * 8 * max(overlap, 0) / float64(r.Width) / (span / float64(dataplane.Second))
		}
	}
	return out
}

func (v *runView) stack(all, some []*trace.Flow) figure {
	c := newCanvas(v.width, above+160+axis)
	p := v.plot(c, above, 160, 0)
	sum := make([]float64, int(p.w/wide)+1)
	var layers [][]float64
	add := func(f *trace.Flow) {
		for i, x := range p.goodput(v.r, f) {
			sum[i] += x
		}
	}
	fig := figure{}
	for _, f := range some {
		add(f)
		layers = append(layers, slices.Clone(sum))
		fig.Legend = append(fig.Legend, key{flowColour(len(layers) - 1), v.flowName(f)})
	}
	for _, f := range all {
		if !slices.Contains(some, f) {
			add(f)
		}
	}
	if len(all) > len(some) {
		layers = append(layers, slices.Clone(sum))
		fig.Legend = append(fig.Legend, key{"others", fmt.Sprintf("%d others", len(all)-len(some))})
	}
	p.most = slices.Max(sum) * 1.08
	p.valueAxis(1e9, "Gb/s")
	p.timeAxis()
	for i := len(layers) - 1; i >= 0; i-- {
		class := "others"
		if i < len(some) {
			class = flowColour(i)
		}
		p.steps(layers[i], "layer "+class)
	}
	fig.Drawing = c.svg("goodput of all flows over time")
	fig.Caption = fmt.Sprintf("Goodput of %s, on top of each other.", plural(len(all), "flow", "flows"))
	return fig
}

func flowColour(i int) string { return fmt.Sprintf("f%d", i%mostFlows) }

// flowName returns a flow's name, with its number if names are not unique.
func (v *runView) flowName(f *trace.Flow) string {
	for _, x := range v.r.Flows {
		if x != f && x.Name == f.Name {
			return fmt.Sprintf("%s #%d", f.Name, f.ID)
		}
	}
	return f.Name
}

// steps fills the area below values by column.
func (p *plot) steps(values []float64, class string) {
	p.add(`<path class="%s" d="M%.0f %.1f`, class, p.x, p.y+p.h)
	last := -1.0
	for i, x := range values {
		if y := p.atValue(x); y != last {
			p.add(" H%.0f V%.1f", min(p.x+float64(i*wide), p.x+p.w), y)
			last = y
		}
	}
	p.add(` H%.0f V%.1fZ"/>`, p.x+p.w, p.y+p.h)
}

// multiples draws flows below each other, on the same scale.
func (v *runView) multiples(some []*trace.Flow) figure {
	const h, gap = 42, 28
	c := newCanvas(v.width, above+float64(len(some))*(h+gap)-gap+axis)
	most := v.scale.flow
	fig := figure{Legend: []key{{"f0", "goodput, in the flow's colour"}}}
	var cnps int64
	var rates bool
	for i, f := range some {
		p := v.plot(c, above+float64(i)*(h+gap), h, most*1.04)
		p.line(p.x, p.y+h, p.x+p.w, p.y+h, "base")
		if i == len(some)-1 {
			p.timeAxis()
		}
		p.label(p.x-6, p.y+8, "end", "tick", number(most/1e9))
		p.label(p.x-6, p.y+h, "end", "tick", "0")
		p.steps(p.goodput(v.r, f), "layer "+flowColour(i))
		if len(f.Rate.Points) > 0 {
			rates = true
			p.trace(p.bands(v.r, &f.Rate), "rate", func(b band) float64 { return b.min })
		}
		p.cnps(v.r, f)
		cnps += f.CNPs.Total
		p.label(p.x+4, p.y-3, "start", "name", v.flowName(f)+": "+v.outcome(f))
	}
	if rates {
		fig.Legend = append(fig.Legend, key{"rate", "rate of the sender"})
	}
	if cnps > 0 {
		fig.Legend = append(fig.Legend, key{"cnp", "CNP"})
	}
	fig.Drawing = c.svg("rate of single flows over time")
	fig.Caption = "Single flows, in Gb/s; rate limits above the top are not drawn. " + shown(len(some), len(v.r.Flows), "flows", "those that delivered most")
	return fig
}

// outcome describes the result of a flow.
func (v *runView) outcome(f *trace.Flow) string {
	s := rate(v.r.Rate(f))
	if f.Took > 0 {
		s += ", complete after " + duration(f.Took)
	} else {
		s += ", not complete"
	}
	if f.CNPs.Total > 0 {
		s += ", " + plural(int(f.CNPs.Total), "CNP", "CNPs")
	}
	if f.Dropped > 0 {
		s += ", " + plural(int(f.Dropped), "packet", "packets") + " lost"
	}
	return s
}

// cnps draws a tick in each column with a CNP.
func (p *plot) cnps(r *trace.Recording, f *trace.Flow) {
	last := -1.0
	for _, x := range f.CNPs.Points {
		at := p.atTime(dataplane.Time(x.Bucket) * r.Width)
		if at-last >= column+1 {
			p.line(at, p.y+p.h, at, p.y+p.h+5, "cnp")
			last = at
		}
	}
}
