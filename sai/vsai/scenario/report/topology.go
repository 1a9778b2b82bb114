package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// nodeBox is a switch or host in the drawing.
type nodeBox struct {
	name  string
	host  bool
	level int // hosts 0, their switches 1, and so on
	ports []int
	x, y  float64
}

// nodeLayout is the position of every node.
type nodeLayout struct {
	places []*nodeBox
	of     []*nodeBox // by port
	h      float64
}

// maxLabels is the maximum number of labelled hosts.
const maxLabels = 24

func (v *runView) topology() []figure {
	a := v.atlas()
	a.layout(v)
	c := newCanvas(v.width, a.h)
	heat := v.heat()
	for i, p := range v.r.Ports {
		if p.Peer >= 0 && a.of[i] != a.of[p.Peer] {
			v.halfLink(c, a.of[i], a.of[p.Peer], i, heat[i])
		}
	}
	hosts := 0
	for _, x := range a.places {
		if x.host {
			hosts++
		}
	}
	for _, x := range a.places {
		c.place(x, hosts <= maxLabels)
	}
	v.losses(c, a)
	f := figure{Drawing: c.svg("switches, hosts and links"), Legend: []key{
		{"heat0", "never paused"}, {"heat1", "up to 20 %"}, {"heat2", "40 %"}, {"heat3", "60 %"}, {"heat4", "80 %"}, {"heat5", "100 % of the time"},
	}}
	f.Caption = fmt.Sprintf("%s, %s.", plural(len(a.places)-hosts, "switch", "switches"), plural(hosts, "host", "hosts"))
	return []figure{f}
}

// heat is the paused share of time of each port, of its most paused class.
func (v *runView) heat() []float64 {
	out := make([]float64, len(v.r.Ports))
	for _, c := range v.r.Controls {
		out[c.Port] = max(out[c.Port], c.Pauses.Fraction(v.r.Span))
	}
	return out
}

func (v *runView) atlas() *nodeLayout {
	a := &nodeLayout{of: make([]*nodeBox, len(v.r.Ports))}
	for i, p := range v.r.Ports {
		at := slices.IndexFunc(a.places, func(x *nodeBox) bool { return x.name == p.Node && x.host == p.Host })
		if at < 0 {
			at = len(a.places)
			a.places = append(a.places, &nodeBox{name: p.Node, host: p.Host, level: -1})
			if p.Host {
				a.places[at].level = 0
			}
		}
		a.places[at].ports = append(a.places[at].ports, i)
		a.of[i] = a.places[at]
	}
	for level := 0; level < len(a.places); level++ {
		for _, x := range a.places {
			if x.level == level {
				a.raise(v, x)
			}
		}
	}
	return a
}

// raise puts neighbours without a level on the next level.
func (a *nodeLayout) raise(v *runView, x *nodeBox) {
	for _, p := range x.ports {
		if peer := v.r.Ports[p].Peer; peer >= 0 && a.of[peer].level < 0 {
			a.of[peer].level = x.level + 1
		}
	}
}

// switches returns the switches of a level; -1: all.
func (a *nodeLayout) switches(level int) (out []*nodeBox) {
	for _, x := range a.places {
		if !x.host && (level < 0 || x.level == level) {
			out = append(out, x)
		}
	}
	return out
}

// beside returns the neighbours of a node: hosts or switches.
func (a *nodeLayout) beside(v *runView, x *nodeBox, hosts bool) (out []*nodeBox) {
	for _, p := range x.ports {
		if peer := v.r.Ports[p].Peer; peer >= 0 && a.of[peer].host == hosts && !slices.Contains(out, a.of[peer]) {
			out = append(out, a.of[peer])
		}
	}
	return out
}

// layout puts one switch, or switches in a ring, into the middle with the hosts around
// them, and others in rows above the hosts.
func (a *nodeLayout) layout(v *runView) {
	all := a.switches(-1)
	ring := len(all) > 2
	for _, x := range all {
		ring = ring && x.level == 1 && len(a.beside(v, x, false)) == 2
	}
	switch {
	case len(all) == 1:
		a.h = 300
		all[0].x, all[0].y = v.width/2, a.h/2
		a.around(v, all[0], 0, 2*math.Pi, v.width/2-70, a.h/2-36, v.width/2, a.h/2)
	case ring:
		a.h = 380
		for i, x := range all {
			turn := 2*math.Pi*float64(i)/float64(len(all)) - math.Pi/2
			x.x, x.y = v.width/2+v.width/5*math.Cos(turn), a.h/2+a.h/5*math.Sin(turn)
			a.around(v, x, turn-0.35, 0.7, v.width*0.36, a.h/2-36, v.width/2, a.h/2)
		}
	default:
		a.rows(v)
	}
}

// around puts the hosts of a switch on a section of an ellipse.
func (a *nodeLayout) around(v *runView, sw *nodeBox, from, wide, rx, ry, cx, cy float64) {
	hosts := a.beside(v, sw, true)
	for i, h := range hosts {
		turn := from + wide*(float64(i)+0.5)/float64(len(hosts))
		h.x, h.y = cx+rx*math.Cos(turn), cy+ry*math.Sin(turn)
	}
}

func (a *nodeLayout) rows(v *runView) {
	top := 0
	for _, x := range a.places {
		top = max(top, x.level)
	}
	const row = 100
	a.h = float64(top)*row + 80
	y := func(level int) float64 { return a.h - 44 - float64(level)*row }
	for level := 1; level <= top; level++ {
		list := a.switches(level)
		for i, x := range list {
			x.x, x.y = v.width*(float64(i)+0.5)/float64(len(list)), y(level)
		}
	}
	lost := 0
	for _, x := range a.places {
		if x.level < 0 { // not connected to any host
			x.x, x.y = 40+float64(lost)*90, 20
			lost++
		}
	}
	list := a.switches(1)
	for i, x := range list {
		hosts := a.beside(v, x, true)
		w := v.width / float64(len(list))
		for j, h := range hosts {
			h.x = w * (float64(i) + (float64(j)+0.5)/float64(len(hosts)))
			h.y = y(0) + float64(j%2)*14*min(1, max(0, 60-w/float64(len(hosts)))) // staggered if narrow
		}
	}
}

// halfLink draws a port's half of a link.
func (v *runView) halfLink(c *canvas, from, to *nodeBox, port int, heat float64) {
	p := v.r.Ports[port]
	name := fmt.Sprintf("%s, %s towards %s: sent %s, paused %s of the time", p.Name, rate(float64(p.Rate)), to.name, bytes(float64(p.Out)), percent(heat))
	level := int(math.Ceil(heat * 5))
	shift := v.beside(from, to, port)
	c.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="link heat%d"><title>%s</title></line>`,
		from.x+shift, from.y, (from.x+to.x)/2+shift, (from.y+to.y)/2, level, esc(name))
}

// beside returns the offset of a link, so that parallel links are next to each other.
func (v *runView) beside(from, to *nodeBox, port int) float64 {
	links := func(x, y *nodeBox) (out []int) {
		for _, p := range x.ports {
			if peer := v.r.Ports[p].Peer; peer >= 0 && slices.Contains(y.ports, peer) {
				out = append(out, min(p, peer))
			}
		}
		return out
	}
	all := links(from, to)
	slices.Sort(all)
	i := slices.Index(all, min(port, v.r.Ports[port].Peer))
	return (float64(i) - float64(len(all)-1)/2) * 5
}

func (c *canvas) place(x *nodeBox, named bool) {
	name := short(x.name, 14)
	if !x.host {
		w := float64(len([]rune(name)))*7 + 22
		c.rect(x.x-w/2, x.y-14, w, 28, "switch", x.name)
		c.label(x.x, x.y+4, "middle", "name", name)
		return
	}
	c.add(`<circle cx="%.1f" cy="%.1f" r="6" class="host"><title>%s</title></circle>`, x.x, x.y, esc(x.name))
	if named {
		y := x.y + 20
		if x.y < c.h/2 && x.level == 0 && x.y < 80 {
			y = x.y - 11
		}
		c.label(x.x, y, "middle", "tick", name)
	}
}

// losses draws the number of dropped packets at ports.
func (v *runView) losses(c *canvas, a *nodeLayout) {
	lost := make([]int64, len(v.r.Ports))
	reasons := make([][]string, len(v.r.Ports))
	for _, d := range v.r.Drops {
		lost[d.Port] += d.Count.Total
		reasons[d.Port] = append(reasons[d.Port], count(d.Count.Total)+" "+why(d.Why))
	}
	for i, n := range lost {
		if n == 0 {
			continue
		}
		at := a.of[i]
		x, y := at.x, at.y
		if peer := v.r.Ports[i].Peer; peer >= 0 {
			to := a.of[peer]
			x, y = at.x+(to.x-at.x)*0.3, at.y+(to.y-at.y)*0.3
		}
		name := scaledCount(n)
		c.add(`<g class="loss"><title>%s</title>`, esc(v.portName(i)+": lost "+strings.Join(reasons[i], ", ")))
		c.rect(x-float64(len(name))*3.6-6, y-9, float64(len(name))*7.2+12, 18, "badge", "")
		c.label(x, y+4, "middle", "badge-text", name)
		c.WriteString("</g>")
	}
}

// scaledCount formats a count briefly.
func scaledCount(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return strings.ReplaceAll(scaled(float64(n), []string{"", "k", "M", "G"}), " ", "")
}
