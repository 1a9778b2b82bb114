package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// canvas is a drawing. Colours are CSS classes of the page.
type canvas struct {
	strings.Builder
	w, h float64
}

func newCanvas(w, h float64) *canvas { return &canvas{w: w, h: h} }

// add writes an element. Texts in args must be escaped by text or title.
func (c *canvas) add(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func esc(s string) string { return template.HTMLEscapeString(s) }

// label writes a text. Anchor is start, middle or end.
func (c *canvas) label(x, y float64, anchor, class, s string) {
	c.add(`<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, esc(s))
}

func (c *canvas) rect(x, y, w, h float64, class, title string) {
	c.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s">`, x, y, w, h, class)
	if title != "" {
		c.add(`<title>%s</title>`, esc(title))
	}
	c.WriteString(`</rect>`)
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	c.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

// svg returns the drawing with a description for screen readers.
func (c *canvas) svg(about string) template.HTML {
	return template.HTML(fmt.Sprintf(
		`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="%s" xmlns="http://www.w3.org/2000/svg">%s</svg>`,
		c.w, c.h, esc(about), c.String()))
}

// plot is an area of a drawing with time to the right and values upwards.
type plot struct {
	*canvas
	x, y, w, h float64
	span       dataplane.Time
	most       float64
	notes      []trace.Note // notes to draw
}

func (p *plot) atTime(t dataplane.Time) float64 { return p.x + p.w*float64(t)/float64(max(p.span, 1)) }

// atValue returns the height of a value, limited to the plot.
func (p *plot) atValue(v float64) float64 {
	return p.y + p.h*(1-min(max(v/max(p.most, 1e-9), 0), 1))
}

// timeAxis draws times below a plot, and vertical lines.
func (p *plot) timeAxis() {
	unit, name := timeUnit(p.span)
	for _, v := range ticks(float64(p.span)/float64(unit), int(p.w/80)) {
		x := p.atTime(dataplane.Time(v * float64(unit)))
		p.line(x, p.y, x, p.y+p.h, "grid")
		p.label(x, p.y+p.h+14, "middle", "tick", number(v))
	}
	p.label(p.x+p.w, p.y+p.h+28, "end", "tick", "time in "+name)
	p.noted()
}

// noted draws notes at their times.
func (p *plot) noted() {
	for _, n := range p.notes {
		x := p.atTime(n.At)
		p.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="note"><title>%s</title></line>`, x, p.y, x, p.y+p.h, esc(duration(n.At)+": "+n.Text))
	}
}

// valueAxis draws values at the left of a plot.
func (p *plot) valueAxis(unit float64, name string) {
	for _, v := range ticks(p.most/unit, max(int(p.h/32), 2)) {
		y := p.atValue(v * unit)
		p.line(p.x, y, p.x+p.w, y, "grid")
		p.label(p.x-6, y+4, "end", "tick", number(v))
	}
	p.label(p.x-6, p.y-6, "end", "tick", name)
}

// ticks returns about n round values from 0 to most.
func ticks(most float64, n int) []float64 {
	if most <= 0 || n < 1 {
		return []float64{0}
	}
	step := math.Pow(10, math.Floor(math.Log10(most/float64(n))))
	for _, m := range []float64{1, 2, 5, 10} {
		if most/(step*m) <= float64(n) {
			step *= m
			break
		}
	}
	var out []float64
	for i := 0; float64(i)*step <= most*1.0001; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// roundUp returns the next larger round value.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	return math.Ceil(v/unit*2) / 2 * unit
}

// band is the range of values in a column of pixels.
type band struct{ min, max float64 }

// column is the width of a drawn column, in pixels.
const column = 2

// bands are a series' values by column, until the recording's end.
func (p *plot) bands(r *trace.Recording, s *trace.Series) []band {
	dense := make([]band, r.Buckets)
	last, i := s.Start, 0
	for b := range dense {
		dense[b] = band{float64(last), float64(last)}
		if i < len(s.Points) && s.Points[i].Bucket == b {
			x := s.Points[i]
			dense[b] = band{float64(x.Min), float64(x.Max)}
			last = x.Last
			i++
		}
	}
	n := int(math.Ceil((p.atTime(r.Span) - p.x) / column))
	out := make([]band, 0, n)
	for c := range n {
		from := min(int(p.timeOf(c)/r.Width), len(dense)-1)
		to := min(max(int((p.timeOf(c+1)-1)/r.Width)+1, from+1), len(dense))
		x := dense[from]
		for _, y := range dense[from:to] {
			x.min, x.max = min(x.min, y.min), max(x.max, y.max)
		}
		out = append(out, x)
	}
	return out
}

func (p *plot) timeOf(c int) dataplane.Time {
	return dataplane.Time(float64(c) * column / p.w * float64(p.span))
}

// area fills the area below the maxima, and the band of values.
func (p *plot) area(bands []band, class string) {
	p.polygon(bands, "below "+class, func(band) float64 { return 0 })
	p.polygon(bands, "band "+class, func(b band) float64 { return b.min })
}

// polygon fills between a lower edge and the maxima.
func (p *plot) polygon(bands []band, class string, low func(band) float64) {
	if len(bands) == 0 {
		return
	}
	p.add(`<path class="%s" d="M`, class)
	for c, b := range bands {
		p.add("%.0f %.1f ", p.x+float64(c*column), p.atValue(b.max))
	}
	for c := len(bands) - 1; c >= 0; c-- {
		p.add("%.0f %.1f ", p.x+float64(c*column), min(p.atValue(low(bands[c]))+0.7, p.y+p.h))
	}
	p.WriteString(`Z"/>`)
}

// trace draws one edge of bands within the plot.
func (p *plot) trace(bands []band, class string, value func(band) float64) {
	open := false
	p.add(`<path class="%s" d="`, class)
	for c, b := range bands {
		v := value(b)
		if v > p.most {
			open = false
			continue
		}
		cmd := "L"
		if !open {
			cmd, open = "M", true
		}
		p.add("%s%.0f %.1f ", cmd, p.x+float64(c*column), p.atValue(v))
	}
	p.WriteString(`"/>`)
}

// levels is the number of colours of a strip.
const levels = 5

// strip draws when something lasted, darker for larger shares of time.
func (p *plot) strip(r *trace.Recording, s *trace.Strip, y, h float64, class string) {
	n := int(math.Ceil((p.atTime(r.Span) - p.x) / column))
	on := make([]float64, n+1)
	for _, x := range s.Points {
		from := p.atTime(dataplane.Time(x.Bucket)*r.Width) - p.x
		wide := max(p.atTime(r.Width)-p.x, 1e-6)
		part := float64(x.N) / float64(r.Width)
		for c := int(from / column); c < len(on) && float64(c*column) < from+wide; c++ {
			overlap := min(from+wide, float64((c+1)*column)) - max(from, float64(c*column))
			on[c] += part * max(overlap, 0) / column
		}
	}
	for c := 0; c < len(on); {
		level := int(math.Ceil(min(on[c], 1) * levels))
		end := c + 1
		for end < len(on) && int(math.Ceil(min(on[end], 1)*levels)) == level {
			end++
		}
		if level > 0 {
			p.rect(p.x+float64(c*column), y, float64((end-c)*column), h, fmt.Sprintf("%s on%d", class, level), "")
		}
		c = end
	}
}
