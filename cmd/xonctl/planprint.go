package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"xon/gnmi/admin"
)

// painter puts colours around a text, or not.
type painter bool

// The colours, as terminals number them.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (p painter) paint(colour, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// painterOf paints on terminals alone, and not where NO_COLOR asks for none.
func painterOf(w io.Writer) painter {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// planPrinter writes a plan for people.
type planPrinter struct {
	b     strings.Builder
	paint painter
	long  bool // one line for each object
}

var headings = map[admin.Step_Phase]string{
	admin.Step_PHASE_RELEASE: "release: give up, dependents first",
	admin.Step_PHASE_BUILD:   "build: take, dependencies first",
	admin.Step_PHASE_CLEANUP: "cleanup: give up what was left behind",
}

func (p *planPrinter) steps(steps []*admin.Step) {
	for i := 0; i < len(steps); {
		if i == 0 || steps[i].GetPhase() != steps[i-1].GetPhase() {
			fmt.Fprintln(&p.b, p.paint.paint(bold, headings[steps[i].GetPhase()]))
		}
		n := 1
		for !p.long && i+n < len(steps) && alike(steps[i], steps[i+n]) {
			n++
		}
		p.group(steps[i : i+n])
		i += n
	}
	p.foretold(steps)
	if len(steps) > 0 {
		p.b.WriteByte('\n')
	}
}

// foretold says which steps are about ports that are still to be made.
func (p *planPrinter) foretold(steps []*admin.Step) {
	var made []string
	for _, s := range steps {
		if s.GetVerb() == admin.Step_VERB_CREATE && s.GetObjectType() == "PORT" {
			made = append(made, s.GetObject())
		}
	}
	if len(made) > 0 {
		fmt.Fprintf(&p.b, "foretold: what is done to queues, priority groups and scheduler groups of %s, which the chip has yet to make,\n"+
			"goes by what other ports of as many lanes have\n", strings.Join(made, ", "))
	}
}

// alike reports whether two steps do the same to two objects.
func alike(a, b *admin.Step) bool {
	return a.GetPhase() == b.GetPhase() && a.GetRank() == b.GetRank() && a.GetVerb() == b.GetVerb() &&
		a.GetObjectType() == b.GetObjectType() && facet(a) == facet(b) && a.GetReplaces() == "" && b.GetReplaces() == "" &&
		slices.EqualFunc(a.GetAttributes(), b.GetAttributes(), func(x, y *admin.Attribute) bool {
			return x.GetName() == y.GetName() && x.GetValue() == y.GetValue()
		})
}

// facet is the part of a chip-made object that a step is about: "pfc" of
// "Ethernet0#pfc".
func facet(s *admin.Step) string {
	_, f, _ := strings.Cut(s.GetObject(), "#")
	return f
}

// mostNames is how many objects of a group are named.
const mostNames = 4

// group writes steps that do the same.
func (p *planPrinter) group(steps []*admin.Step) {
	s := steps[0]
	verb, colour := verbOf(s)
	var names []string
	for _, each := range steps[:min(len(steps), mostNames)] {
		name, _, _ := strings.Cut(each.GetObject(), "#")
		names = append(names, name)
	}
	fmt.Fprintf(&p.b, "  %s %s %s", p.paint.paint(colour, fmt.Sprintf("%-6s", verb)), s.GetObjectType(), strings.Join(names, ", "))
	if more := len(steps) - len(names); more > 0 {
		fmt.Fprintf(&p.b, " and %d more", more)
	}
	if s.GetReplaces() != "" {
		fmt.Fprintf(&p.b, " (the old one goes on as %s)", s.GetReplaces())
	}
	p.b.WriteByte('\n')
	p.attributes(s.GetAttributes())
}

// lineWidth is where lists of attributes are broken.
const lineWidth = 96

func (p *planPrinter) attributes(attrs []*admin.Attribute) {
	const indent = "           "
	line := ""
	for _, a := range attrs {
		text := a.GetName() + "=" + a.GetValue()
		if line != "" && len(line)+2+len(text) > lineWidth-len(indent) {
			p.b.WriteString(indent + line + "\n")
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += text
	}
	if line != "" {
		p.b.WriteString(indent + line + "\n")
	}
}

func verbOf(s *admin.Step) (verb, colour string) {
	switch s.GetVerb() {
	case admin.Step_VERB_CREATE:
		return "create", green
	case admin.Step_VERB_REMOVE:
		return "remove", red
	default:
		return "set", yellow
	}
}
