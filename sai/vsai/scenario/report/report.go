// Package report writes a simulation's results as one HTML page: drawings are inline
// SVG, the page loads nothing and runs no scripts. It needs a recording, and optionally
// a result for the assertions.
package report

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario"
	"xon/sai/vsai/scenario/trace"
)

// Input is the data of a report.
type Input struct {
	Title     string           // empty: that of the result's scenario
	Result    *scenario.Result // with assertions; nil: none
	Recording *trace.Recording // nil: that of the result
	// Against is a second run to compare with side by side; nil: none.
	Against *Input
}

// ErrNothing is the error if there is no recording.
var ErrNothing = errors.New("nothing was recorded: run the simulation with a recorder")

// section is a part of the page.
type section struct {
	ID, Title string
	About     string
	Sides     []side // one, or two to compare
}

// side is a section's content for one run.
type side struct {
	Name    string // in a comparison
	Figures []figure
}

// figure is an element of a section.
type figure struct {
	Caption string
	Drawing template.HTML
	Legend  []key
	Table   *table
	Trees   []*node
	Cards   []tile
	Verdict []verdict
}

// key is an entry of a legend.
type key struct{ Class, Text string }

// table is rows of cells below a header.
type table struct {
	Head []string
	Rows [][]cell
}

// cell is a text, or a bar for a share of 1 with a text.
type cell struct {
	Text  string
	Class string // num, good, bad
	Bar   float64
}

// runView is one run to draw.
type runView struct {
	name   string
	r      *trace.Recording
	result *scenario.Result
	width  float64
	scale  *scale
}

// scale is common to two runs that are compared.
type scale struct {
	span         dataplane.Time
	queue, group float64 // bytes
	flow         float64 // bit/s
	fct          dataplane.Time
}

// sectionFigures makes the figures of a section for a run.
type sectionFigures struct {
	id, title, about string
	figures          func(*runView) []figure
}

var sections = []sectionFigures{
	{"headline", "In short", "", (*runView).headline},
	{"notes", "Faults and changes", "Faults, changes and deadlocks in order. Dotted lines mark them in the drawings.", (*runView).notes},
	{"topology", "Topology", "The colour of each half of a link shows how much of the time the port at its end was paused. A red number counts packets dropped there.", (*runView).topology},
	{"queues", "The longest queues", "A dark band shows the minimum and maximum length within one step of the drawing. Above Kmin packets are marked with increasing probability, above Kmax all are.", (*runView).queues},
	{"groups", "Packet memory at ingress", "A priority group may fill up to its threshold, which falls as others fill the pool. There the port stops its peer (XOFF, the strip below); what still arrives goes to headroom, the band above the threshold. Below the XON line the peer may send again. A threshold that is not drawn is above the plot.", (*runView).groups},
	{"flows", "Goodput of flows", "Goodput is payload that arrived in order. The line is the rate limit of a sender with congestion control, ticks are the congestion notifications (CNPs) that it received.", (*runView).flows},
	{"pauses", "Who was paused, and when", "The peers of these ports requested them to stop sending a class. Darker means paused for more of the time.", (*runView).pauses},
	{"causes", "How pauses spread", "At the top is where pauses began; below each port are the ports that stopped their peers because packets waiting for it filled their memory. Counts and durations are of the stops for that cause only.", (*runView).causes},
	{"victims", "Victims", "Flows that pauses slowed down although they do not cross the place where the pauses began.", (*runView).victims},
	{"headroom", "Was there enough headroom", "The maximum that arrived after XOFF, relative to what is usable on the chip. Near 100 % a longer cable or a larger frame loses packets; far below it memory is wasted.", (*runView).headroom},
	{"order", "Marks before pauses", "If senders react to marks, marks should come first: pauses are for congestion that is too fast for congestion control.", (*runView).order},
	{"drops", "Lost packets", "", (*runView).drops},
	{"completion", "Flow completion times", "The share of flows that receivers had completely after a time. The measures of xonctl simulate include the last acknowledgement. Slowdown is the time relative to that without other traffic.", (*runView).completion},
}

//go:embed page.gohtml
var files embed.FS

var pages = template.Must(template.New("page.gohtml").Funcs(template.FuncMap{
	"width":  func(share float64) string { return fmt.Sprintf("%.1f", min(share, 1)*100) },
	"swatch": swatch,
}).ParseFS(files, "page.gohtml"))

// swatch is a colour in a legend: a line or an area, as it is drawn.
func swatch(class string) template.HTML {
	switch class {
	case "threshold", "xon", "rate":
		return template.HTML(`<path class="` + class + `" d="M0 5.5H16"/>`)
	case "cnp":
		return `<line class="cnp" x1="8" y1="2" x2="8" y2="9"/>`
	case "room":
		return `<path class="room" d="M0 0H16V11H0Z"/>`
	}
	return template.HTML(`<rect class="` + class + `" width="16" height="11"/>`)
}

// Width of drawings in pixels, alone and side by side.
const (
	fullWidth = 1080
	halfWidth = 560
)

// Write writes the page. The error is ErrNothing, or that of the writer.
func Write(w io.Writer, in Input) error {
	views, err := viewsOf(in)
	if err != nil {
		return err
	}
	page := struct {
		Title, About string
		Compared     bool
		Sections     []section
	}{Title: title(in), Compared: len(views) > 1}
	if in.Result != nil {
		page.About = in.Result.About
	}
	if page.Compared {
		page.Title += " and " + title(*in.Against)
		page.Sections = append(page.Sections, difference(views[0], views[1]))
	}
	for _, p := range sections {
		s := section{ID: p.id, Title: p.title, About: p.about}
		empty := true
		for _, v := range views {
			figures := p.figures(v)
			empty = empty && len(figures) == 0
			s.Sides = append(s.Sides, side{v.name, figures})
		}
		if !empty {
			page.Sections = append(page.Sections, s)
		}
	}
	return pages.Execute(w, page)
}

func title(in Input) string {
	switch {
	case in.Title != "":
		return in.Title
	case in.Result != nil && in.Result.Scenario != "":
		return in.Result.Scenario
	}
	return "simulation"
}

func viewsOf(in Input) ([]*runView, error) {
	s := &scale{}
	var out []*runView
	for x := &in; x != nil; x = x.Against {
		v := &runView{name: title(*x), r: x.Recording, result: x.Result, width: fullWidth, scale: s}
		if v.r == nil && x.Result != nil {
			v.r = x.Result.Recording
		}
		if v.r == nil {
			return nil, ErrNothing
		}
		if in.Against != nil {
			v.width = halfWidth
		}
		s.include(v.r)
		if out = append(out, v); len(out) == 2 {
			break
		}
	}
	if len(out) == 1 {
		out[0].name = ""
	} else if out[0].name == out[1].name {
		out[0].name += " (A)"
		out[1].name += " (B)"
	}
	return out, nil
}

// flowScale is the height of a flow's plot relative to its mean rate: at the line rate
// one of many flows would be invisible.
const flowScale = 3

// include extends a scale to a recording.
func (s *scale) include(r *trace.Recording) {
	s.span = max(s.span, r.Span)
	for _, q := range r.Queues {
		s.queue = max(s.queue, float64(q.Length.Max)*1.08)
	}
	for _, g := range r.Groups {
		if g.Buffer.Xoff > 0 && g.Held.Max > 0 {
			s.group = max(s.group, groupTop(g))
		}
	}
	for _, f := range r.Flows {
		s.flow = max(s.flow, roundUp(min(r.Rate(f)*flowScale, float64(f.Line))))
	}
	for _, c := range r.Completions() {
		s.fct = max(s.fct, c.Took)
	}
}

// farBelow is the share of its threshold below which a group's fill would look flat if
// the plot included the threshold.
const farBelow = 4

// groupTop is the height of a group's plot: its maximum fill, or, unless that is far
// below, the top of its headroom at the lowest threshold.
func groupTop(g *trace.Group) float64 {
	if g.Held.Max < g.Threshold.Min/farBelow {
		return float64(g.Held.Max) * 1.25
	}
	return max(float64(g.Held.Max), float64(g.Threshold.Min+g.Buffer.Xoff)) * 1.08
}

// portName is a port's name, for a host's link with its peer.
func (v *runView) portName(port int) string { return v.r.Ports[port].Name }

// towards is the node at the other end of a port's link.
func (v *runView) towards(port int) string {
	if p := v.r.Ports[port].Peer; p >= 0 {
		return v.r.Ports[p].Node
	}
	return "nothing"
}
